import { type Drawing, turned } from "../pen.ts";

const goggles = (
  lens: string,
): Drawing => `black/10 p M14 62Q64 30 114 62;gun p M22 54Q22 46 32 46H96Q106 46 106 54V78Q104 88 92 88H80Q72 86 64 76Q56 86 48 88H36Q24 88 22 78Z
  iron c 44 68 19;${lens} c 44 68 14;white%60 e 39 62 5 4;iron c 84 68 19;${lens} c 84 68 14;white%60 e 79 62 5 4;iron r 56 40 16 8 3;${lens}! c 64 44 2.5`;

/** Special equipment. */
export const GEAR: Readonly<Record<string, Drawing>> = {
  "weapon-41": turned(
    12,
    `sky%50 p M50 22L20 6L14 22L18 38L50 30Z;sky%60 c 18 20 8;steel r 50 18 20 16 3;steel- p M44 36H84V44H44Z;blue r 40 44 48 72 6;white! r 40 62 48 34;magenta p M46 90Q52 68 64 78Q76 64 82 90Z;white%40/3 p M46 50V110;steel r 40 110 48 7 3;black r 46 20 5 6`,
  ),
  "weapon-42": `gun/5 p M70 30Q104 28 104 60V76;black p M98 74H110L114 96H94Z;gun r 54 18 22 12 3;gun/5 p M50 24L32 16;gun/5 p M52 14H78;red p M40 50Q40 34 64 34Q88 34 88 50V112Q88 118 82 118H46Q40 118 40 112Z;white r 46 62 36 30 3;red p M56 84q-4 -8 4 -12q0 4 3 4q0 -8 6 -10q8 12 2 20Z;red- r 40 104 48 8;white%40/3 p M46 48V60;green c 64 42 4`,
  "weapon-43": `gun p M14 44Q14 38 20 38H38L46 26H80L88 38H108Q114 38 114 44V96Q114 102 108 102H20Q14 102 14 96Z;black r 14 54 100 32;leather+ r 14 54 100 30;iron r 20 32 14 7 3;red c 100 34 4;gun c 64 70 28;steel c 64 70 24;black c 64 70 20;navy c 64 70 15;blue c 64 70 9;white%80 e 57 63 5 4;white r 94 44 14 7 2;amber c 26 46 3`,
  "weapon-44": goggles("lime"),
  "weapon-45": goggles("orange"),
  "weapon-46": `steel/1.6 p M14 58L64 104L48 62M114 58L64 104L80 62M64 62V104;red p M8 58Q10 12 64 10Q118 12 120 58Q110 48 100 58Q90 48 82 58Q72 48 64 58Q54 48 46 58Q38 48 28 58Q18 48 8 58Z;white! p M46 58Q44 26 64 10Q84 26 82 58Q72 48 64 58Q54 48 46 58Z;red--%60/1.4 p M28 58Q30 26 64 10Q98 26 100 58;navy p M52 98H76L80 118H48Z;navy+ r 56 102 16 10 2`,
  "gear-flashlight": turned(
    -35,
    `yellow%60 p M92 46L136 24V104L92 82Z;gun p M8 54H70L84 44H94V84H84L70 74H8Q4 72 4 64Q4 56 8 54Z;black/2 p M16 56v16M24 56v16M32 56v16M40 56v16;lamp r 92 44 5 40 2;red r 50 52 12 5 2;white%40/2 p M10 58H68`,
  ),
  "gear-binoculars": `gun p M24 30H50V46L58 52V96Q58 104 50 104H20Q10 104 10 94L18 50ZM104 30H78V46L70 52V96Q70 104 78 104H108Q118 104 118 94L110 50Z;iron r 54 54 20 22 4;black r 22 22 30 10 4;black r 76 22 30 10 4;black r 10 92 48 12 5;black r 70 92 48 12 5;glass e 34 104 20 5;glass e 94 104 20 5;white%30/3 p M26 52L20 88M102 52L98 88`,
  "gear-flare": turned(
    20,
    `fire!%50 c 64 28 24;yellow p M64 4L70 20L86 16L76 28L86 42L70 38L64 52L58 38L42 42L52 28L42 16L58 20Z;white c 64 28 7;red r 52 44 24 70 5;white! r 52 62 24 6;red- r 52 104 24 10 4;gun r 54 36 20 10 3;white%45/2.5 p M57 72V102`,
  ),
  "gear-rope": `tan/12 p M64 34a30 30 0 1 0 .1 0;tan-/10 p M64 40a26 26 0 1 0 .1 0;oak/10 p M62 46a20 20 0 1 0 .1 0;tan/8 p M84 84Q104 92 110 110;tan/9 p M52 20Q64 34 54 60;walnut/1.6 p M40 48l8 8M36 60l10 4M36 76l10 -3M44 90l6 -8M84 48l-8 8M92 60l-10 4M92 76l-10 -3;red/6 p M108 106l3 6`,
  "gear-megaphone": turned(
    -12,
    `white p M24 56L92 28V100L24 76Z;red p M86 26Q94 24 96 30V98Q94 104 86 102Z;red r 12 54 18 24 5;gun p M34 78H50L56 104Q54 110 46 108L40 106Z;white-/2 p M30 68L86 80;red/4 p M104 48Q112 64 104 80;red/4 p M114 40Q126 64 114 88`,
  ),
  "gear-diving-mask": `black/8 p M16 56Q64 20 112 56;blue p M18 54Q18 40 32 40H96Q110 40 110 54V78Q108 96 90 96Q76 96 70 84Q64 78 58 84Q52 96 38 96Q20 96 18 78Z;sky p M26 56Q26 48 34 48H94Q102 48 102 56V76Q100 88 90 88Q80 88 76 78Q64 66 52 78Q48 88 38 88Q28 88 26 76Z;white%60 p M34 52H46L36 76H30Z;white%40 p M52 52H58L48 74H44Z;orange/8 p M112 92Q122 70 116 18;yellow r 111 10 10 16 4`,
  "gear-oxygen-tank": `blue r 34 34 28 78 12;blue r 66 34 28 78 12;steel r 42 22 12 14 3;steel r 74 22 12 14 3;gun r 46 24 38 6 3;gun/5 p M64 24Q64 8 84 10Q110 14 108 44;black r 100 42 16 14 5;black r 32 58 64 8 2;black r 32 90 64 8 2;yellow! r 34 72 28 10;yellow! r 66 72 28 10;white%45/3 p M40 46V104M72 46V104`,
  "gear-tent": `green p M64 24L118 104H10Z;forest p M64 24L82 104H118Z;black p M48 104L64 58L74 104Z;lime p M64 58L74 104H84L66 48ZM64 58L50 104H40L62 48Z;walnut/4 p M64 26L58 14M64 26L70 14;steel/2 p M10 104L4 110M118 104L124 110;forest-%40 r 8 104 112 5 2`,
  "gear-compass": `gold c 64 70 44;gold-- c 64 70 38;cream c 64 70 35;gold/5 p M54 18a10 9 0 1 1 20 0;gold r 58 22 12 8 2;walnut/2 p M64 38v6M64 96v6M32 70h6M90 70h6;red p M80 46L70 74L60 66Z;steel p M48 94L70 74L60 66Z;gold c 65 70 4;white%50/3 p M32 58Q40 40 58 36`,
  "gear-map": `cream p M12 34L44 24L84 36L116 26V94L84 104L44 92L12 102Z;#8fc27a p M22 48Q40 36 60 44Q82 52 104 40V84Q84 94 60 84Q40 78 24 88Z;sand p M70 56Q88 50 98 60Q96 78 82 78Q66 76 70 56Z;cream-%60 p M44 24L84 36V104L44 92Z;water/3 p M24 64Q44 56 56 66T100 70;red/2.4 p M38 78q8 -18 20 -12t22 -10;red p M84 40q12 0 10 11l-8 11l-8 -11q-2 -11 6 -11Z;white c 85 49 3`,
};
