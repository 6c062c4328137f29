import { type Drawing, turned } from "../pen.ts";

const slanted = (drawing: Drawing): Drawing => turned(-45, drawing);

/** Tools. Long ones lie from the lower left to the upper right. */
export const TOOLS: Readonly<Record<string, Drawing>> = {
  "tool-wrench": slanted(
    `steel p M6 64Q6 50 22 50Q30 50 34 58H88Q92 44 106 44Q114 44 118 48L104 56V72L118 80Q114 84 106 84Q92 84 88 70H34Q30 78 22 78Q6 78 6 64Z;gun c 20 64 7;steel- r 40 61 44 6 3;white%60/2 p M38 60.5H84`,
  ),
  "tool-hammer": slanted(
    `wood p M6 58H84V70H6Q2 64 6 58Z;red r 4 56 34 16 6;iron p M80 44Q80 40 84 40H100V88H84Q80 88 80 84Z;iron p M84 40Q88 22 104 14Q98 28 100 40Z;steel r 82 84 20 12 3;white%40/2 p M42 61H78`,
  ),
  "tool-screwdriver": slanted(
    `amber p M8 56Q4 64 8 72L14 76H48L54 70V58L48 52H14Z;orange--/2.5 p M14 58H48M14 64H50M14 70H48;gun r 52 58 8 12 2;steel p M58 61H108L120 58V70L108 67H58Z;white%60/1.6 p M62 62.5H106`,
  ),
  "tool-repair-kit": `red r 12 54 104 58 7;red- r 12 72 104 5;gun/7 p M46 54V42Q46 36 52 36H76Q82 36 82 42V54;steel p M30 52L22 22Q18 12 28 10L30 20H36L38 10Q46 14 42 22L42 52Z;wood r 88 16 8 38 2;iron r 78 10 28 12 3;white c 64 92 14;red/5 p M57 99L71 85M57 85l4 4M67 95l4 4;silver r 56 68 16 10 2`,
  "tool-jack": `red p M8 104H120L112 112H16Z;red p M24 104L60 70H70L104 104H90L65 82L40 104Z;iron/6 p M30 100L64 56L98 100M30 100L98 100M40 60L64 84L88 60;steel p M44 46H84L80 58H48Z;steel/5 p M28 78H108;gun/4 p M108 78V92H120;black c 64 78 6;iron c 30 100 5;iron c 98 100 5`,
  "tool-fuel-can": `red p M22 44Q22 36 30 36H84L106 56V106Q106 114 98 114H30Q22 114 22 106Z;red-/6 p M38 58L88 102M88 58L38 102;red- r 34 20 44 9 4;red- r 34 24 8 14;red- r 70 24 8 14;black p M84 36L104 14L114 22L98 48Z;yellow r 103 9 14 12 3;white%40/3 p M28 48V102`,
  "tool-oil-can": `steel/6 p M82 58L118 24;steel/3 p M114 26L122 22;teal p M24 110L30 64Q46 48 66 50Q86 52 92 64L98 110Q98 116 90 116H32Q24 116 24 110Z;teal/6 p M34 66Q12 66 14 86Q16 100 30 98;steel e 61 54 24 8;gun r 54 38 12 16 3;black p M122 34q8 12 0 16q-8 -4 0 -16Z;amber! r 28 84 68 9;white%40/3 p M36 72L33 106`,
  "tool-lockpick": turned(
    -30,
    `black r 10 30 40 12 5;steel/4 p M48 36H108Q114 36 114 30;red r 10 56 40 12 5;steel/4 p M48 62H92L97 57L102 62L107 57L112 62;blue r 10 82 40 12 5;steel/4 p M48 88H108V98;white%40/2 p M16 33H44M16 59H44M16 85H44`,
  ),
  "tool-bolt-cutter": slanted(
    `red/8 p M6 50Q40 52 68 60;red/8 p M6 78Q40 76 68 68;black/9 p M4 50L26 51M4 78L26 77;iron p M64 54H84L92 58V70L84 74H64L60 64Z;steel p M90 56Q112 48 122 60L94 63ZM90 72Q112 80 122 68L94 65Z;gun c 72 64 4;gun c 84 64 4`,
  ),
  "tool-axe": slanted(
    `wood p M4 58Q40 62 112 58V69Q40 70 6 72Q2 64 4 58Z;red p M88 58V34Q104 40 116 28Q124 50 116 70H88Z;steel p M104 37Q112 34 116 28Q124 50 116 70H108Q112 52 104 37Z;white%50/2 p M116 34Q120 50 114 66;black r 4 57 26 15 5`,
  ),
  "tool-pickaxe": slanted(
    `wood p M4 59H100V69H4Q0 64 4 59Z;iron p M92 4Q116 36 116 64Q116 92 92 124Q100 94 98 76H90V52H98Q100 34 92 4Z;steel p M92 4Q108 28 110 50L104 46Q102 26 92 4ZM92 124Q108 100 110 78L104 82Q102 102 92 124Z;black r 4 58 20 12 4`,
  ),
  "tool-rake": slanted(
    `wood p M2 60H92V68H2Z;green r 90 30 10 68 4;green/5 p M98 34Q112 32 114 40M98 46Q112 44 114 52M98 58Q112 56 114 64M98 70Q112 68 114 76M98 82Q112 80 114 88M98 94Q112 92 114 98;green- p M78 56L92 44V84L78 72Z`,
  ),
  "tool-broom": slanted(
    `red p M2 60H78V68H2Z;blue p M74 52H88V76H74Q70 64 74 52Z;sand p M86 44Q112 36 124 38V90Q112 92 86 84Z;oak/2 p M92 52L122 46M92 60L122 58M92 68L122 70M92 76L122 82;wood r 86 44 6 40 2`,
  ),
  "tool-drill": turned(
    -12,
    `amber p M16 38H78Q86 38 86 46V62Q86 70 78 70H52L46 100H24L28 70H16Q8 68 8 54Q8 40 16 38Z;gun p M20 98H52V112H16V104Z;black p M84 44L98 48V62L84 66Z;steel p M98 50L124 53V57L98 60Z;red p M112 50L126 55L112 60Z;fire!%60 c 124 55 9;black r 48 70 8 12 3;black/2.5 p M18 46V62M26 46V62M34 46V62;white%50/2.5 p M44 44H76`,
  ),
  "tool-welder": turned(
    -26,
    `red p M6 56H56V72H6Q2 64 6 56Z;blue/5 p M6 60Q-8 60 -14 74;red/5 p M6 68Q-4 72 -6 84;gun r 54 54 16 20 3;gold c 62 50 5;gold c 62 78 5;brass/7 p M68 64H92Q102 64 104 74;brass p M98 72H110L107 84H101Z;sky p M102 84H106L108 112Q104 124 100 112Z;white p M103 84H105L104 104Z;yellow!%60 c 104 116 10`,
  ),
  "tool-measuring-tape": `amber p M16 40Q16 20 40 20H74Q98 22 98 48V96H24Q16 96 16 88Z;gun c 56 56 24;amber c 56 56 17;gun r 88 92 32 12 2;yellow p M94 88H120V98H94Z;black/1.6 p M98 88v6M103 88v4M108 88v6M113 88v4;yellow r 60 94 60 10;black/1.6 p M66 94v6M72 94v4M78 94v6M84 94v4M90 94v6M96 94v4M102 94v6M108 94v4;steel r 118 88 5 24 1;white%50/3 p M24 44Q26 30 38 28`,
  "tool-saw": turned(
    -30,
    `steel p M40 48L122 62V70L40 84Z;steel-/3 p M42 83l6 5l6 -7l6 5l6 -7l6 5l6 -7l6 4l6 -6l6 4l6 -6l6 4l6 -6l6 3;white%60/2 p M44 54L118 66;wood p M8 46Q14 36 30 42L44 46V86L32 92Q12 92 8 76L18 70L8 60Z;wood-- p M20 54Q26 50 34 54V76Q28 80 22 76L28 66Z;gold c 40 56 2.5;gold c 40 76 2.5`,
  ),
  "tool-paint-roller": turned(
    -12,
    `steel/5 p M92 30H112V62H68V80;blue r 16 14 76 34 8;blue+ r 16 14 12 34 6;steel r 90 24 6 14 2;red p M60 78H76L74 116Q68 122 62 116Z;blue p M18 44H30V58Q24 64 18 56ZM44 46H52V54Q48 60 44 54Z;white%50/3 p M32 21H84`,
  ),
  "tool-ladder": turned(
    14,
    `amber r 34 6 9 116 3;amber r 85 6 9 116 3;steel r 40 18 48 7 2;steel r 40 36 48 7 2;steel r 40 54 48 7 2;steel r 40 72 48 7 2;steel r 40 90 48 7 2;steel r 40 107 48 7 2;black r 33 116 11 8 2;black r 84 116 11 8 2`,
  ),
  "tool-toolbox": `gun/7 p M42 44V32Q42 26 48 26H80Q86 26 86 32V44;blue p M14 58L24 42H104L114 58Z;blue r 10 56 108 56 5;blue- r 10 70 108 5;silver r 28 64 14 16 3;silver r 86 64 14 16 3;yellow! r 50 86 28 12 2;white%40/3 p M18 78V104`,
  "tool-knife-kitchen": slanted(
    `walnut p M4 56H42V70H8Q2 64 4 56Z;gold c 14 62 2.5;gold c 32 62 2.5;steel r 42 54 5 22 1;silver p M46 54H118Q126 58 122 66Q104 84 46 82Z;steel- p M46 76Q96 76 122 66Q104 84 46 82Z;white%60/2 p M50 58H112`,
  ),
  "tool-scissors": turned(
    20,
    `steel p M62 74L40 10Q36 4 34 12Q36 44 56 78Z;steel- p M66 74L88 10Q92 4 94 12Q92 44 72 78Z;red/9 p M46 84a16 18 0 1 0 .1 0M82 84a16 18 0 1 0 .1 0;steel c 64 72 8;gun c 64 72 3;red p M56 76L48 88L58 86ZM72 76L80 88L70 86Z`,
  ),
};
