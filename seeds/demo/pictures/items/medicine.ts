import { type Drawing, turned } from "../pen.ts";

const cross = (x: number, y: number, s: number, colour = "red"): Drawing =>
  `${colour} p M${x - s} ${y - s * 3}h${2 * s}v${2 * s}h${2 * s}v${2 * s}h${-2 * s}v${2 * s}h${-2 * s}v${-2 * s}h${-2 * s}v${-2 * s}h${2 * s}Z`;
const pills = (bottle: string, cap: string, label: Drawing): Drawing =>
  `${cap} r 40 12 48 24 5;${cap}--/2 p M48 14V34M56 14V34M64 14V34M72 14V34M80 14V34;${bottle} p M44 34H84V42Q98 46 98 60V108Q98 116 90 116H38Q30 116 30 108V60Q30 46 44 42Z;white r 30 62 68 38;${label};white%45/3 p M37 56V110`;

/** Medicine. */
export const MEDICINE: Readonly<Record<string, Drawing>> = {
  "med-bandage": `white e 50 66 36 40;white- e 50 66 28 32;cream e 50 66 24 28;white-- e 50 66 12 15;cream--/1.6 p M50 44Q36 48 34 66Q36 84 50 88;white p M52 106H112Q118 98 112 88L84 84Q82 100 52 106Z;white-/1.6 p M78 102L110 100M84 94L112 94\n${cross(100, 44, 5)}`,
  "med-first-aid-kit": `gun/7 p M46 40V28Q46 22 52 22H76Q82 22 82 28V40;white r 12 38 104 72 9;silver r 12 66 104 4;silver- r 34 62 12 12 2;silver- r 82 62 12 12 2\n${cross(64, 80, 6.5)}\nwhite-%60 r 12 102 104 8 4`,
  "med-painkillers": pills("orange", "white", `${cross(64, 82, 4)}\nblue! r 30 64 68 4`),
  "med-antibiotics": turned(
    -16,
    `silver r 14 24 100 80 8;silver-/2 p M64 28V100;${[0, 1, 2].map((i) => `red p M24 ${36 + i * 22}a8 8 0 0 1 8 -8h6v16h-6a8 8 0 0 1 -8 -8Z;cream p M38 ${28 + i * 22}h6a8 8 0 0 1 0 16h-6Z;red p M76 ${36 + i * 22}a8 8 0 0 1 8 -8h6v16h-6a8 8 0 0 1 -8 -8Z;cream p M90 ${28 + i * 22}h6a8 8 0 0 1 0 16h-6Z`).join(";")}`,
  ),
  "med-adrenaline": turned(
    45,
    `steel/3 p M64 6V36;steel r 56 32 16 8 2;glass%85 r 48 38 32 58 4;amber r 51 54 26 40 2;gun/1.6 p M51 50H60M51 58H58M51 66H60M51 74H58M51 82H60;white r 40 94 48 7 3;steel r 58 100 12 16;white r 46 114 36 8 4;white%60/3 p M72 44V90;red r 51 92 26 4`,
  ),
  "med-splint": turned(
    -28,
    `oak r 8 42 112 14 5;oak r 8 74 112 14 5;wood/1.2 p M14 48H112M14 80H112;white r 22 36 16 58 4;white r 56 36 16 58 4;white r 90 36 16 58 4;white-/1.6 p M26 40V90M60 40V90M94 40V90`,
  ),
  "med-thermometer": turned(
    45,
    `white p M56 16Q56 6 64 6Q72 6 72 16V84Q82 90 82 102Q80 118 64 118Q48 118 46 102Q46 90 56 84Z;red c 64 102 12;red r 61 46 6 54 3;gun/2 p M72 24H66M72 34H67M72 44H66M72 54H67M72 64H66;white%80 c 59 98 3`,
  ),
  "med-vitamins": pills(
    "lime",
    "forest",
    "orange c 56 82 12;orange+ c 56 82 8;leaf p M66 72Q70 60 84 64Q82 76 66 72Z",
  ),
  "med-cough-syrup": `white r 50 10 28 18 4;walnut p M52 26H76V40Q92 46 92 62V108Q92 116 84 116H44Q36 116 36 108V62Q36 46 52 40Z;cream r 36 62 56 38;red p M64 66Q78 78 74 88Q72 96 64 96Q56 96 54 88Q52 78 64 66Z;white%40/3 p M43 58V110;steel p M94 84Q112 80 114 90Q112 100 94 98Z`,
  "med-antidote": `steel r 48 16 32 14 3;crimson r 52 10 24 10 3;glass%80 r 42 30 44 84 8;teal r 46 56 36 54 5;teal+ e 64 56 18 4;white r 42 70 44 30;forest p M64 74q9 11 6 18q-6 6 -12 0q-3 -7 6 -18Z;white%70/3 p M49 36V106`,
  "med-activated-charcoal": turned(
    -14,
    `white r 18 20 92 88 8;teal! r 18 20 92 16 6;coal c 42 58 14;coal+ e 38 53 5 3;coal c 82 56 14;coal+ e 78 51 5 3;coal c 62 84 15;coal+ e 57 79 5 3;coal/1.6 p M34 64l14 -12M74 62l14 -12M53 92l16 -15`,
  ),
  "med-stretcher": `steel/5 p M6 56H122M30 58L96 100M98 58L32 100;orange r 16 44 96 14 6;white r 16 36 24 12 5;red! r 54 44 8 14;red! r 84 44 8 14;tyre c 30 104 8;steel c 30 104 3;tyre c 98 104 8;steel c 98 104 3;gun c 64 79 5`,
};
