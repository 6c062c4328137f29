import { type Drawing, turned } from "../pen.ts";

const keys = (
  x: number,
  y: number,
  columns: number,
  rows: number,
  step: number,
  size: number,
  colour = "silver",
): Drawing =>
  Array.from(
    { length: columns * rows },
    (_, i) =>
      `${colour} r ${x + (i % columns) * step} ${y + Math.floor(i / columns) * step} ${size} ${size * 0.75} 1.5`,
  ).join("\n");
const smartphone = (colour: string, over: Drawing): Drawing =>
  turned(10, `${colour} r 34 6 60 116 10;black r 37 9 54 110 8;${over};white%25 p M41 14H66L41 74Z`);
const apps =
  "red r 46 30 10 10 3;lime r 59 30 10 10 3;amber r 72 30 10 10 3;white r 46 44 10 10 3;purple r 59 44 10 10 3;sky r 72 44 10 10 3;white%80 r 44 98 40 12 5;green c 52 104 3;amber c 64 104 3;blue c 76 104 3";
const sim = (card: string, chip: string): Drawing =>
  turned(
    8,
    `${card} p M26 18Q26 10 34 10H78L102 36V110Q102 118 94 118H34Q26 118 26 110Z;${chip} r 40 52 48 44 7;${chip}--/2.2 p M40 66H56V52M88 66H72V52M40 82H56V96M88 82H72V96M56 66V82H72V66H56;white%50/3 p M33 24V104`,
  );
export const GOLDEN_SIM = sim("gold", "cream");
const SMARTPHONE = smartphone("iron", `blue r 41 14 46 100 4;sky%70 p M41 70Q64 50 87 76V114H41Z;${apps}`);

/** Phones and other things with a battery. */
export const ELECTRONICS: Readonly<Record<string, Drawing>> = {
  "phone-brick": `gun r 76 2 9 34 4;grey p M38 32Q38 26 44 26H84Q90 26 90 32V114Q90 122 82 122H46Q38 122 38 114Z;black r 44 34 40 8 2;#9fc48a r 44 46 40 14 2;gun/2 p M48 53H72\n${keys(46, 66, 3, 4, 13, 9, "white")}\nwhite%40/3 p M42 36V112`,
  "phone-flip": turned(
    6,
    `navy p M38 66H90V112Q90 120 82 120H46Q38 120 38 112Z;navy p M40 8H88Q94 8 94 16L90 66H38L34 16Q34 8 40 8Z;steel r 38 62 52 8 4;sky r 43 16 42 42 3;white%50 p M47 16H62L48 52Z\n${keys(46, 78, 3, 3, 13, 9)}`,
  ),
  "phone-classic": turned(
    6,
    `gun r 74 2 8 20 3;#3f6f9c r 38 14 52 106 12;black r 43 22 42 36 4;#b9d08f r 46 26 36 26 2;gun/2 p M50 34H70M50 40H64;silver e 64 68 14 6\n${keys(45, 80, 3, 3, 14, 10)}\nwhite%40/3 p M42 30V108`,
  ),
  "phone-smart": SMARTPHONE,
  "phone-gold": smartphone(
    "gold",
    `#3b2a1d r 41 14 46 100 4;gold p M64 40l7 14l15 2l-11 11l3 15l-14 -7l-14 7l3 -15l-11 -11l15 -2Z;gold%50 r 46 98 36 8 4`,
  ),
  "phone-satellite": turned(
    10,
    `black r 78 -4 14 64 6;olive r 36 30 56 92 9;black r 42 40 44 26 4;#8fd0b0 r 45 43 38 20 2;gun/2 p M49 50H74M49 57H66\n${keys(44, 74, 3, 3, 14, 10)}\namber/3 p M98 2q8 6 4 14M104 -4q14 10 6 26`,
  ),
  "phone-pager": turned(
    -6,
    `black r 14 36 100 60 10;gun r 20 42 88 32 5;#a9c48a r 24 46 80 24 3;black/4 p M32 52v12M40 52h8v12h-8ZM56 52h7v12M72 52v6h8v-6v12M90 52h7v6h-7v6h7;red c 28 84 5;iron r 44 80 18 9 3;iron r 68 80 18 9 3;white%30/2.5 p M22 40H104`,
  ),
  "phone-sim": sim("white", "gold"),
  "phone-sim-gold": GOLDEN_SIM,
  "phone-credit": turned(
    -8,
    `purple r 8 30 112 72 9;purple+ p M8 74Q50 40 120 50V39Q120 30 111 30H17Q8 30 8 39Z;white r 18 42 30 22 4;gold c 33 53 7;white r 18 80 60 11 2;black/2 p M22 85.5H52;white/4 p M92 68q8 6 8 16M92 78q3 2 3 6;lime c 90 86 3`,
  ),
  "radio-handheld": `gun r 40 4 8 40 4;amber r 32 38 64 80 9;black r 40 48 48 26 4;iron/2.5 p M46 55H82M46 61H82M46 67H82;#9ad08a r 42 80 26 14 2;red c 80 87 5;gun r 42 100 12 9 2;gun r 58 100 12 9 2;gun r 74 100 12 9 2;gun r 74 30 14 10 3;white%40/3 p M37 50V106`,
  "radio-boombox": `steel/7 p M28 44V24H100V44;gun r 6 40 116 70 8;iron r 12 46 104 14 3;black c 34 84 20;iron c 34 84 14;silver c 34 84 6;black c 94 84 20;iron c 94 84 14;silver c 94 84 6;red r 52 66 24 18 3;white r 56 70 16 6 1;silver r 52 90 7 6 1;silver r 61 90 7 6 1;silver r 70 90 7 6 1;#9ad08a r 18 50 40 6 1;amber c 88 53 4;red c 100 53 4;steel/2 p M104 40L120 8`,
  "mp3-player": turned(
    8,
    `white r 36 10 56 108 10;gun r 42 18 44 36 4;sky r 45 21 38 30 2;white p M56 28V44L72 36Z;silver c 64 84 22;white c 64 84 9;grey/2.5 p M60 70H68M60 98H68M50 80V88M78 80V88;black/3 p M64 118Q64 132 40 128`,
  ),
  laptop: `iron p M22 22Q22 16 28 16H100Q106 16 106 22V82H22Z;blue r 28 22 72 54 2;sky%70 p M28 58Q52 40 70 54T100 46V76H28Z;white r 36 30 26 16 2;amber r 68 34 24 4 1;white%30 p M28 22H60L36 76H28Z;silver p M22 82H106L122 104Q122 110 114 110H14Q6 110 6 104Z;gun p M28 86H100L106 96H22Z;silver- r 52 99 24 8 2`,
  "electronics-usb-stick": turned(
    -35,
    `steel r 82 48 36 32 3;gun r 92 54 8 7;gun r 92 67 8 7;red p M8 54Q8 44 18 44H84V84H18Q8 84 8 74Z;red-- c 22 64 6;white r 40 54 34 20 3;green c 80 50 3;white%45/3 p M20 50H76`,
  ),
  "electronics-gps": `gun r 10 30 108 76 10;#cfe3b8 r 18 38 92 56 4;white/7 p M18 80L50 60L70 72L110 44;amber/5 p M40 94L56 66L70 40;blue/4 p M20 82L50 62L70 74L88 60;red p M88 42q10 0 9 9l-9 12l-9 -12q-1 -9 9 -9Z;white c 88 50 3;black p M52 106H76L82 116H46Z;green c 64 100 2.5;white%30 p M18 38H44L24 70H18Z`,
  "electronics-radar-detector": `black p M16 56Q18 40 34 40H94Q110 40 112 56V84Q110 92 100 92H28Q18 92 16 84Z;gun r 26 48 50 24 4;red/4 p M34 54v12M42 54h7v6h-7v6h7M58 54h7v12h-7ZM58 60h7;green c 86 54 4;amber c 96 54 4;red c 91 66 5;iron r 30 78 18 7 2;iron r 54 78 18 7 2;red/4 p M34 30q30 -22 60 0M44 20q20 -12 40 0`,
  "electronics-battery": turned(
    -25,
    `gold r 96 52 14 24 3;gun r 8 40 92 48 8;gold p M70 40H92Q100 40 100 48V80Q100 88 92 88H70Z;white/5 p M28 64H44M84 56V72M76 64H92;white%40/4 p M16 48H90;gun+ r 8 74 62 8`,
  ),
  "electronics-jammer": `gun r 30 8 7 50 3;gun r 52 2 7 56 3;gun r 74 2 7 56 3;gun r 94 8 7 50 3;iron r 18 54 92 56 7;black r 26 62 46 20 3;red/3 p M30 72h6l3 -6l5 12l4 -8l4 4h12;red c 86 68 5;green c 98 68 5;gun/2 p M28 92H100M28 99H100;red/6 p M80 84L104 106;red/4 p M92 82a13 13 0 1 0 .1 0`,
  "electronics-wiretap": `black c 46 56 26;iron c 46 56 20;gun c 46 56 13;gun+/1.8 p M38 50H54M36 56H56M38 62H54;red c 46 56 2.5;black/4 p M70 66Q96 74 88 96Q82 112 104 112;steel r 98 106 22 10 3;red/4 p M84 28q16 16 10 40M96 18q22 24 14 58;white%40/3 p M26 48Q30 36 42 33`,
  "electronics-console": `gun p M14 62L26 48H102L114 62V84H14Z;black r 14 62 100 22 4;blue r 24 70 26 5 2;green c 104 73 3.5;iron p M26 48H102L108 56H20Z;silver p M30 92Q32 86 42 86H86Q96 86 98 92L106 108Q106 120 94 116L84 108H44L34 116Q22 120 22 108Z;gun/5 p M40 94V104M35 99H45;red c 88 94 3.5;lime c 82 101 3.5;blue c 94 101 3.5;gun c 58 102 4;gun c 72 102 4`,
};
