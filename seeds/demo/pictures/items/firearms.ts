import { type Drawing, placed, turned } from "../pen.ts";

/** Guns are drawn level, with the muzzle to the right, and then tilted a little. */
const tilted = (drawing: Drawing): Drawing => turned(-18, drawing);
const trigger = (x: number, y: number): Drawing =>
  `gun-/2.6 p M${x} ${y}q0 12 10 12q10 0 10 -12;gun-/2.4 p M${x + 9} ${y}q3 4 0 8`;

interface Pistol {
  metal: string;
  grip: string;
  /** Length of the slide, from x = 26. */
  length?: number;
  height?: number;
  over?: Drawing;
}

const pistol = ({ metal, grip, length = 66, height = 15, over = "" }: Pistol): Drawing => {
  const end = 26 + length;
  return `${grip} p M28 60H52L46 96Q44 102 36 101L22 98Q17 96 19 90Z;${grip}+/1.3 p M30 70l14 3M28 77l14 3M26 84l14 3M25 90l14 3
    ${metal}- p M26 58H${end - 4}V66H60Q52 66 50 70H28Z;${trigger(50, 66)}
    ${metal} p M24 ${60 - height}H${end}Q${end + 2} ${60 - height} ${end + 2} ${62 - height}V60H26Q20 56 24 ${60 - height}Z;${metal}--/1.6 p M31 ${64 - height}v9M35 ${64 - height}v9M39 ${64 - height}v9M43 ${64 - height}v9
    white%45/1.4 p M28 ${63 - height}H${end - 2};${metal}-- r ${end - 6} ${57 - height} 4 3;${metal}-- r 27 ${57 - height} 4 3;black r ${end} ${64 - height} 3 5
    ${over}`;
};

const stock = (colour: string): Drawing =>
  `${colour} p M6 56L40 54V68L28 70L12 82Q4 84 4 74Z;${colour}- p M4 58h4v24q-5 2 -4 -8Z`;
const barrel = (from: number, to: number, y: number, height = 5, colour = "gun"): Drawing =>
  `${colour} r ${from} ${y} ${to - from} ${height} 1;${colour}+ r ${from} ${y + 0.6} ${to - from} 1.4`;
const gripOf = (x: number, colour = "black", y = 66): Drawing =>
  `${colour} p M${x} ${y}H${x + 12}L${x + 6} ${y + 24}Q${x + 3} ${y + 28} ${x - 5} ${y + 24}Z`;

/** Firearms by the game's weapon. */
export const FIREARMS: Readonly<Record<string, Drawing>> = {
  "weapon-22": tilted(placed("translate(4 0)", pistol({ metal: "iron", grip: "black" }))),
  "weapon-23": tilted(
    placed(
      "translate(-12 0)",
      pistol({
        metal: "gun",
        grip: "black",
        over: "black r 92 45 38 14 4;gun+/1.4 p M96 48H126;gun/1.4 p M102 46v12M110 46v12M118 46v12",
      }),
    ),
  ),
  "weapon-24": tilted(
    placed(
      "translate(-2 0) ",
      pistol({
        metal: "silver",
        grip: "walnut",
        length: 80,
        height: 21,
        over: "silver p M58 40H106L108 50H58Z;steel-/1.4 p M62 52H102;gold c 37 82 2.6;steel-- p M60 36L70 39H58Z",
      }),
    ),
  ),
  "weapon-25": tilted(
    `${stock("wood")};gun p M38 53H72V66H52Q46 66 44 70L38 68Z;${trigger(44, 66)};${barrel(70, 126, 53, 5)};${barrel(70, 118, 60, 5)};wood r 78 57 28 11 4;walnut/1.4 p M84 59v7M90 59v7M96 59v7M101 59v7;gun r 120 50 3 3`,
  ),
  "weapon-26": tilted(
    `wood p M10 66Q12 58 26 58L46 54V68L34 70Q28 84 20 90Q8 92 10 80Z;gun p M42 52H62V68H48Z;iron r 60 51 50 7 2;iron r 60 59 50 7 2;iron+ r 60 52 50 2;black e 109 54.5 2 3;black e 109 62.5 2 3;wood r 66 65 26 8 4;${trigger(46, 68)};gun/3 p M46 52l-4 -6`,
  ),
  "weapon-27": tilted(
    `black p M4 58L34 56V66L8 78H4Z;gun p M32 50H80V68H46L40 70H32Z;${gripOf(40, "black", 68)};${trigger(50, 68)};${barrel(80, 124, 53, 6)};black r 78 58 34 11 4;iron r 84 48 24 4 1;steel/1.2 p M90 52v0M84 62H106;gun r 44 44 28 6 2;red r 52 56 12 5 2`,
  ),
  "weapon-28": tilted(
    `gun/4 p M8 52H34;gun r 8 52 4 16 2;gun r 30 46 66 22 4;iron r 34 49 58 5 2;black p M54 68H72V102Q72 106 66 106H58Q54 106 54 102Z;iron/1.4 p M57 78H69M57 86H69M57 94H69;${trigger(72, 68)};${barrel(96, 112, 51, 8)};gun- r 58 40 10 7 2;black r 86 42 6 5`,
  ),
  "weapon-29": tilted(
    `gun/4 p M4 54H34;black p M4 52h6v18H4Z;gun p M32 50H90V65H40L32 62Z;${gripOf(42, "black", 65)};${trigger(54, 65)};gun- p M68 65H80L88 92Q84 97 76 96Z;gun+/1.2 p M72 74h10M75 82h10;black p M88 51H108V66H88Z;${barrel(106, 122, 54, 6)};iron r 84 44 5 7;iron/3 p M104 51a4 4 0 1 0 0.1 0`,
  ),
  "weapon-30": tilted(
    `wood p M2 60L36 55V66L24 69L8 82Q0 84 2 74Z;walnut p M2 60h4v22q-5 0 -4 -8Z;gun p M34 50H76L80 54V66H34Z;iron r 38 47 36 5 2;wood p M42 66H53L47 90Q42 94 36 89Z;${trigger(52, 66)};gun- p M64 66H78Q82 84 98 94L90 104Q68 92 64 66Z;gun+/1.5 p M68 72Q72 88 90 100M73 69Q76 84 94 96;wood p M78 51H102Q104 58 102 64H78Z;walnut/1.4 p M82 58H100;${barrel(100, 126, 56, 4)};${barrel(78, 112, 48, 4)};gun p M112 56L116 44H119V56Z;gun r 122 54 6 8 1`,
  ),
  "weapon-31": tilted(
    `black r 6 52 24 16 4;gun r 26 56 14 5;black- r 4 54 5 20 2;gun p M38 50H80V66H38Z;gun/4 p M46 50V43H74V50;black/2 p M46 42H76;${gripOf(44, "black", 66)};${trigger(54, 66)};iron p M66 66H79L84 92L71 94Z;gun+/1.3 p M70 74l9 -1M71 82l10 -1;gun+ r 80 50 30 14 3;black/1.6 p M84 54H106M84 60H106;${barrel(108, 126, 55, 4)};gun p M108 55V46L112 44V55Z;black r 122 53.5 6 7 1;iron r 50 54 16 6 1`,
  ),
  "weapon-32": tilted(
    `gun p M22 48H90Q94 48 94 54V66H30L22 60Z;iron/1.6 p M60 52H88M60 56H88M60 60H88;black p M26 60H44L36 90Q30 94 22 88Z;${trigger(42, 66)};iron p M58 66H70V104L58 106Z;gun/1.3 p M60 76H68M60 86H68M60 96H68;${barrel(94, 108, 52, 7)};iron r 34 43 8 6 2`,
  ),
  "weapon-33": tilted(
    `oak p M2 62L36 57L48 60V68L30 70L12 86Q2 88 2 78Z;wood p M44 58H84Q88 64 84 67H40Z;walnut p M2 62h4v24q-5 0 -4 -8Z;gun r 40 53 34 8 2;${trigger(40, 67)};${barrel(72, 126, 55, 4)};steel/3 p M58 56L64 64;steel c 65 65 3;gun r 118 51 3 4`,
  ),
  "weapon-34": tilted(
    `forest p M0 60L34 56L44 60V70L34 70L26 76Q22 80 12 80L2 84Z;forest- p M42 58H82V69H36Z;black p M0 60h4v24h-4Z;gun r 40 54 36 7 2;${barrel(74, 128, 56, 5)};gun r 118 54 8 9 1;black r 44 36 44 11 4;gun p M86 34H98V49H86L82 47V36ZM38 35H46V48H38Z;glass r 96 37 3 9 1;iron r 52 46 5 8;iron r 72 46 5 8;${trigger(42, 68)};iron/3 p M88 64L82 96M92 64L100 96;gun r 58 69 12 11 2`,
  ),
};
