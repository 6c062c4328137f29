import { type Drawing, placed, turned } from "../pen.ts";

const key = (colour: string, head: Drawing, bit = "M56 78v8M70 78v8M82 78v6"): Drawing =>
  turned(
    -40,
    `${head}\n${colour}/9 p M50 64H114\n${colour}/7 p ${bit.replaceAll("78v", "66v").replace("M56", "M88").replace("M70", "M100").replace("M82", "M112")};white%50/2 p M54 61.5H112`,
  );
const ringHead = (colour: string): Drawing =>
  `${colour}/11 p M32 46a18 18 0 1 0 .1 0;${colour}++/2 p M18 58Q22 48 32 46`;
const carKey = (colour: string, over: Drawing): Drawing =>
  turned(
    -40,
    `steel p M54 57H112L120 64L112 70H106L102 66L96 71L90 66L84 71H54Z;${colour} p M10 52Q10 42 22 42H50Q60 44 60 54V74Q60 84 50 86H22Q10 86 10 76Z;${over};steel/4 p M12 64a7 7 0 1 0 -12 0a7 7 0 1 0 12 0;white%45/2 p M18 47H50;white%50/2 p M62 60H110`,
  );
const fob = (drawing: Drawing, tag: Drawing): Drawing =>
  `${drawing}\nsteel/3 p M38 84a9 9 0 1 0 -14 10\n${tag}`;
/** A card with a photograph. */
const card = (paper: string, band: string, over: Drawing): Drawing =>
  turned(
    -6,
    `${paper} r 8 26 112 78 8;${band} p M8 46V34Q8 26 16 26H112Q120 26 120 34V46Z;#cfd8e2 r 18 54 30 38 3;skin c 33 67 8;walnut p M25 66Q25 57 33 57Q41 57 41 66Q33 61 25 66Z;navy p M19 92Q20 78 33 78Q46 78 47 92Z;grey/3 p M56 60H88M56 69H80M56 78H84;${over}`,
  );
const deed = (seal: string, picture: Drawing): Drawing =>
  `paper p M24 8H92L106 22V116Q106 120 102 120H28Q24 120 24 116Z;paper-- p M92 8V22H106Z;grey/3 p M36 64H94M36 73H94M36 82H80M36 91H86;${picture};${seal} c 86 102 13;${seal}- c 86 102 8;${seal} p M78 110L74 124L82 120L86 126L90 120L98 124L94 110Z`;
const wheelMark = (x: number, y: number): Drawing =>
  `gun/3.5 p M${x} ${y - 12}a12 12 0 1 0 .1 0M${x - 12} ${y}H${x + 12}M${x} ${y}V${y + 12};gun c ${x} ${y} 3.5`;

/** Keys, licences and papers. */
export const DOCUMENTS: Readonly<Record<string, Drawing>> = {
  "key-house": fob(
    key("gold", ringHead("gold")),
    "red p M8 92L24 78L40 92V112H8Z;cream r 19 98 10 14 1;walnut p M4 94L24 76L44 94L40 98L24 84L8 98Z",
  ),
  "key-car": carKey("#2f343f", "green c 28 64 5;red c 42 64 5"),
  "key-car-duplicate": `( translate(10 -12)\n${carKey("#5b6675", "white c 30 64 5")}\n)\n( translate(-10 14)\n${carKey("#2f343f", "green c 28 64 5;red c 42 64 5")}\n)`,
  "key-nrg500": carKey("#2f6fe0", "yellow p M16 66L52 54V62L16 74Z;white c 44 72 4"),
  "key-garage": turned(
    -10,
    `steel/5 p M64 20a12 10 0 1 0 .1 0;gun r 34 34 60 84 12;iron r 42 42 44 68 8;red r 48 50 32 18 5;green r 48 76 32 18 5;white/3 p M58 62L64 56L70 62M58 82L64 88L70 82;white%35/3 p M39 46V102;amber c 64 103 3`,
  ),
  "key-hotel": fob(
    key("brass", ringHead("brass")),
    `( translate(0 4)\ncrimson p M16 76H42L48 88V118Q48 122 44 122H14Q10 122 10 118V88Z;gold c 29 84 3;cream/4 p M22 98h12l-8 18\n)`,
  ),
  "key-card-bank": turned(
    -10,
    `navy r 8 28 112 74 9;navy+ p M8 86L80 28H111Q120 28 120 37V60L66 102H17Q8 102 8 93Z;gold r 20 46 22 17 3;gold--/1.6 p M20 54H42M30 46V63;gold c 94 78 14;navy c 94 78 9;gold/3 p M94 72V84M88 78H100;white r 20 82 44 4 2`,
  ),
  "key-card-base": turned(
    -10,
    `black r 8 28 112 74 9;lime! r 8 42 112 12;black/4 p M20 42L12 54M36 42L28 54M52 42L44 54M68 42L60 54M84 42L76 54M100 42L92 54M116 42L108 54;lime p M30 66Q46 60 50 74Q48 94 38 96Q26 94 24 76Q24 68 30 66Z;black e 33 78 4 6;black e 43 78 4 6;silver r 62 68 44 5 2;silver r 62 79 34 5 2;red c 102 91 4`,
  ),
  "key-boat": fob(
    key("steel", ringHead("steel")),
    "orange r 10 84 30 34 12;white! r 10 96 30 9;navy/3 p M25 90V112M19 96H31M17 106Q25 116 33 106",
  ),
  "doc-passport": turned(
    -5,
    `crimson r 22 8 84 112 7;crimson- r 22 8 9 112 4;gold/3 p M64 34a24 24 0 1 0 .1 0M42 58H88M64 34V82M54 36Q44 58 54 80M76 36Q86 58 76 80;gold r 46 94 38 4 2;gold r 52 103 26 3 1;paper r 104 14 4 102;white%30/2.5 p M36 16H96`,
  ),
  "doc-driving-licence": card("#e6f0f8", "blue", wheelMark(102, 82)),
  "doc-motorcycle-licence": card(
    "#f8ece0",
    "orange",
    "gun/3 p M90 80a7 7 0 1 0 .1 0M108 80a7 7 0 1 0 .1 0M90 87L98 76H104L108 87;gun/2 p M96 74H90",
  ),
  "doc-truck-licence": card(
    "#e9f3e6",
    "green",
    "gun r 84 70 18 16 1;gun p M103 74H110L114 80V86H103Z;gun c 90 89 4;gun c 108 89 4;white c 90 89 1.6;white c 108 89 1.6",
  ),
  "doc-pilot-licence": card(
    "#eef2fb",
    "navy",
    "navy p M100 62L104 74L118 84V88L104 84L103 92L107 96H93L97 92L96 84L82 88V84L96 74Z",
  ),
  "doc-boat-licence": card(
    "#e3f5f6",
    "teal",
    "teal p M84 84H116L110 94H90Z;gun/2 p M100 84V62;teal p M102 64L114 80H102ZM98 68L88 80H98Z",
  ),
  "doc-weapon-licence": card(
    "#f6e6e4",
    "crimson",
    "gun p M84 70H114V77H100L98 80H94L91 94H83L87 77Q83 75 84 70Z;gun/2 p M95 80q0 5 6 4v-6",
  ),
  "doc-hunting-licence": card(
    "#eef0dc",
    "olive",
    "walnut/3 p M100 82L92 70M92 70V62M92 70L84 66M100 82L108 70M108 70V62M108 70L116 66;walnut p M94 82H106L103 98H97Z",
  ),
  "doc-taxi-licence": card(
    "#fff6d6",
    "yellow",
    "yellow r 84 70 32 22 4;black! r 84 78 4 4;black! r 92 78 4 4;black! r 100 78 4 4;black! r 108 78 4 4;black! r 88 82 4 4;black! r 96 82 4 4;black! r 104 82 4 4;black! r 112 82 4 4",
  ),
  "doc-business-deed": deed(
    "crimson",
    "teal p M44 30H84L88 42H40Z;white! p M52 30H60V42H50ZM68 30H76L78 42H68Z;oak r 44 42 40 16 1;glass r 48 45 14 10 1;walnut r 68 45 10 13",
  ),
  "doc-house-deed": deed(
    "gold",
    "crimson p M38 38L64 18L90 38Z;cream r 46 38 36 20;walnut r 60 44 9 14;sky r 50 43 7 7",
  ),
  "doc-insurance": `blue p M64 8L108 22V60Q106 100 64 120Q22 100 20 60V22Z;white p M64 18L99 29V60Q97 92 64 109Q31 92 29 60V29Z;blue p M64 18V109Q31 92 29 60V29Z;red p M34 68Q34 60 42 59L50 48H78L86 59Q94 60 94 68V78H34Z;pane p M47 58L53 51H63V58ZM66 58V51H75L81 58Z;tyre c 46 78 7;rim c 46 78 3;tyre c 82 78 7;rim c 82 78 3;lamp c 90 66 2.5`,
  "doc-medical-card": card(
    "#ffffff",
    "red",
    "red p M96 66h9v8h8v9h-8v8h-9v-8h-8v-9h8Z;white/3 p M98 36h10M103 31v10",
  ),
  "doc-press-card": placed(
    "translate(0 8)",
    `blue/5 p M40 22L52 -10M88 22L76 -10;${card("#f5f6f8", "amber", "gun r 88 72 24 18 3;gun r 94 68 10 5 1;glass c 100 81 6;navy c 100 81 3")}`,
  ),
  "doc-fbi-card": `black p M14 12H114V60H14Z;black- p M14 66H114V116H14Z;gun/2 p M14 63H114;paper r 22 72 84 38 2;#cfd8e2 r 28 78 20 26 2;skin c 38 86 5;navy p M29 104Q30 94 38 94Q46 94 47 104Z;blue/3 p M56 82H96M56 90H88;navy/2 p M58 100Q66 94 72 100T90 98;gold p M64 16L78 20L84 34L78 48L64 56L50 48L44 34L50 20Z;navy c 64 36 9;gold c 64 36 5`,
  "doc-lottery-ticket": turned(
    -12,
    `pink p M10 38H118V54q-10 8 0 20V90H10V74q10 -10 0 -20Z;gold! r 26 46 76 36 4;white c 42 64 10;white c 64 64 10;white c 86 64 10;red/3.5 p M38 60h8l-5 9;red/3.5 p M60 60h8l-5 9;red/3.5 p M82 60h8l-5 9;white%70/1.6 p M22 42V86M106 42V86`,
  ),
  "doc-job-contract": `leather r 20 8 88 112 6;leather- r 20 8 10 112 4;paper r 36 20 62 90 2;grey/3 p M44 34H88M44 44H88M44 54H78M44 64H84;blue/2.6 p M46 92Q56 76 60 90T74 86T90 90;gold r 104 52 8 20 3;navy p M104 96L118 74L124 78L110 100L102 104Z`,
};
