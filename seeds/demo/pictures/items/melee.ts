import { type Drawing, turned } from "../pen.ts";

const handle = (x: number, width: number, colour = "black", y = 64): Drawing =>
  `${colour} r ${x} ${y - 5} ${width} 10 4;${colour}+/1.5 p M${x + 5} ${y - 4}v8M${x + 11} ${y - 4}v8M${x + 17} ${y - 4}v8`;
const slanted = (drawing: Drawing): Drawing => turned(-45, drawing);

/** Things to hit and cut with. Long ones lie from the lower left to the upper right. */
export const MELEE: Readonly<Record<string, Drawing>> = {
  "weapon-1": turned(
    -12,
    `brass/9 p M30 52a9 9 0 1 1 0.1 0M51 48a9 9 0 1 1 0.1 0M73 48a9 9 0 1 1 0.1 0M94 52a9 9 0 1 1 0.1 0
    brass/11 p M26 70Q64 62 98 70
    brass p M34 72H92Q94 90 82 94H46Q32 90 34 72Z;brass- p M44 78H82Q82 86 76 87H50Q44 86 44 78Z;brass++/2 p M26 66Q64 58 98 66`,
  ),
  "weapon-2": slanted(
    `steel/5 p M22 64H100;black/9 p M8 64H36;white/1.4 p M14 61v6M20 61v6M26 61v6;silver p M96 60L104 58Q122 60 124 78Q124 90 112 88Q104 84 104 70L96 68Z;steel--/1.4 p M108 70L120 74M108 76L120 80`,
  ),
  "weapon-3": slanted(
    `black/11 p M12 64H116;black/9 p M42 64V42;black c 42 40 6;gun+/2 p M16 61H112;grey/2 p M14 60v8M18 60v8M22 60v8`,
  ),
  "weapon-4": slanted(
    `${handle(10, 38)};gun r 46 54 6 20 2;silver p M52 58H96Q114 58 122 70H52Z;steel- p M52 66H114Q118 68 122 70H52Z;white%60/1.4 p M56 61H98`,
  ),
  "weapon-5": slanted(
    `oak p M8 60Q6 64 8 68H40Q80 74 112 77Q122 74 122 64Q122 54 112 51Q80 54 40 60Z;walnut e 9 64 4 7;gun+ r 14 60 22 8 2;wood/1.4 p M60 62Q90 58 112 60M70 68Q92 70 110 69`,
  ),
  "weapon-6": slanted(
    `wood/7 p M18 64H84;wood/6 p M16 54V74;steel p M78 56L86 52H104Q120 56 124 64Q120 72 104 76H86L78 72Z;steel-- p M86 62H116L120 64L116 66H86Z;white%50/1.5 p M88 55H104`,
  ),
  "weapon-7": slanted(
    `walnut p M4 60V68L60 66.5V61.5Z;oak p M58 61L118 62.5V65.5L58 67Z;white r 116 62.4 6 3.2;sky r 121 62.4 3 3.2 1;gold r 34 60.6 3 7;gold r 56 61 3 6;black r 4 60 8 8 2`,
  ),
  "weapon-8": slanted(
    `crimson p M4 59H40V69H4Z;black/2 p M6 60l8 8l8 -8l8 8l8 -8M6 68l8 -8l8 8l8 -8l8 8;gold r 39 52 6 24 3;gold- r 45 58 5 12;silver p M50 59Q92 56 126 46Q116 64 50 68Z;white%70/1.6 p M52 62Q92 60 118 51;steel-- p M50 66Q94 66 122 52Q112 66 50 69Z`,
  ),
  "weapon-9": turned(
    -20,
    `steel p M58 60H112Q122 64 122 68Q122 74 112 76H58Z;gun/3 p M58 60H112Q122 64 122 68Q122 74 112 76H58Z;iron/2 p M66 57v6M76 57v6M86 57v6M96 57v6M106 57v6M66 73v6M76 73v6M86 73v6M96 73v6M106 73v6
    orange p M10 58Q10 48 20 46H54Q62 48 62 56V80Q60 86 52 86H22Q10 84 10 74Z;orange- r 18 66 34 14 4;gun/6 p M22 46Q24 30 40 32L60 38;gun/6 p M10 60Q-4 62 2 76Q6 84 16 80;white r 22 53 20 6 2;gun c 46 73 5`,
  ),
  "weapon-14": `forest/3.5 p M64 112L52 50M64 112L64 44M64 112L78 50M64 112L40 62M64 112L90 62
    leaf p M60 92Q40 88 34 74Q52 74 62 88ZM68 92Q86 90 94 76Q76 74 66 88Z;red c 50 44 14;red- c 50 44 8;red++ c 50 43 4;yellow c 80 44 13;yellow- c 80 44 7;pink c 65 30 14;pink- c 65 30 8;pink++ c 65 29 4;white c 36 60 10;yellow c 36 60 4;purple c 92 60 10;yellow c 92 60 4
    paper p M40 78L64 84L90 78L76 118H54Z;pink p M50 96H80L78 103H52Z;paper-/1.5 p M64 84L60 116M52 84L58 104`,
  "weapon-15": slanted(
    `walnut/8 p M8 64H100Q120 62 118 46Q116 34 104 38;gold/9 p M84 64H90;wood+/1.6 p M12 62H98Q114 60 115 48;black r 2 60 9 8 2`,
  ),
  "tool-crowbar": slanted(
    `red/8 p M14 64H104Q120 62 116 46L110 38;red+/2 p M16 62H102;steel/7 p M116 48L109 36;red/8 p M14 64L6 74;steel/6 p M8 71L4 77`,
  ),
  "tool-sledgehammer": slanted(
    `wood/8 p M6 64H94;oak/2 p M8 62H90;iron r 86 38 26 52 4;iron+ r 88 40 6 48 2;iron-- r 86 38 26 8 3;iron-- r 86 82 26 8 3;black r 2 59 14 10 3`,
  ),
};
