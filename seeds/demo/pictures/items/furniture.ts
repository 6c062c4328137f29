import type { Drawing } from "../pen.ts";

const door = (colour: string): Drawing =>
  `walnut r 26 6 76 116 3;${colour} r 32 12 64 110 1;${colour}- r 40 22 21 38 2;${colour}- r 67 22 21 38 2;${colour}- r 40 70 21 42 2;${colour}- r 67 70 21 42 2;${colour}+ r 42 24 19 36 2;${colour}+ r 69 24 19 36 2;${colour}+ r 42 72 19 40 2;${colour}+ r 69 72 19 40 2;gold c 90 68 4;gold- r 88 66 4 10 2`;
const table = (top: string, leg: string, over = ""): Drawing =>
  `${leg}- r 26 62 9 46 2;${leg}- r 93 62 9 46 2;${leg} r 14 64 11 50 3;${leg} r 103 64 11 50 3;${top} p M20 46H108L122 62H6Z;${top}- r 6 62 116 9 3;${over}`;
const bed = (frame: string, cover: string, pillows: Drawing): Drawing =>
  `${frame} p M8 34Q8 26 16 26H22Q28 26 28 34V108H8Z;${frame} r 108 66 12 42 4;${frame}- r 18 84 96 16 3;white r 24 66 88 22 5;${cover} p M50 60H106Q114 60 114 70V90H48Q44 74 50 60Z;${cover}+ p M50 60H60Q54 74 58 90H48Q44 74 50 60Z;${pillows};${frame}-- r 12 104 10 12 2;${frame}-- r 108 104 10 12 2`;
const television = (wide: boolean): Drawing =>
  wide
    ? `black r 6 22 116 70 5;blue r 11 27 106 58 2;sky%80 p M11 66Q40 44 66 62T117 54V85H11Z;amber c 92 42 9;leaf p M11 74Q50 60 117 76V85H11Z;white%25 p M11 27H58L24 85H11Z;gun r 56 92 16 12;gun r 36 102 56 8 4`
    : `steel/3 p M56 30L38 8M68 30L92 6;wood r 14 28 100 76 9;walnut r 20 34 70 64 8;gun r 24 38 62 56 12;sky r 28 42 54 48 10;leaf p M28 76Q50 62 82 78V84Q80 90 72 90H38Q28 90 28 80Z;white%45 p M34 46H58L36 76Q32 70 32 54Z;gold c 101 48 6;gold c 101 66 6;walnut/2 p M96 80H107M96 86H107M96 92H107;walnut r 26 104 8 12;walnut r 94 104 8 12`;
const cabinet = (colour: string, over: Drawing): Drawing =>
  `${colour}-- r 28 108 10 10 2;${colour}-- r 90 108 10 10 2;${colour} r 20 14 88 98 4;${colour}- r 16 10 96 9 3;${over}`;

/** Furniture, seen from the front or the side. */
export const FURNITURE: Readonly<Record<string, Drawing>> = {
  "furn-door-red": door("#c8403a"),
  "furn-door-blue": door("#3b6fb8"),
  "furn-door-white": door("#eeece4"),
  "furn-door-yellow": door("#e6bb3c"),
  "furn-table-dining": table(
    "oak",
    "wood",
    "white e 64 54 22 5;red c 58 46 6;lime c 70 47 5;sky p M54 50H76L72 56H58Z",
  ),
  "furn-chair-dining": `wood r 34 8 9 108 3;wood r 84 60 9 56 3;wood- r 40 14 40 8 3;wood- r 40 30 40 7 3;wood- r 40 44 40 7 3;wood r 76 8 9 62 3;crimson r 30 58 66 13 5;wood-- r 36 72 56 6 2;wood- r 40 92 48 5 2`,
  "furn-chair-office": `gun p M36 20Q36 8 48 8H82Q92 8 92 20L88 64H40Z;gun+ p M42 22Q42 14 50 14H78Q86 14 86 22L84 58H45Z;black r 30 66 70 13 6;iron/5 p M32 50V66M98 50V66;black r 24 44 16 7 3;black r 90 44 16 7 3;steel r 60 78 9 22;iron/6 p M64 98L30 110M64 98L98 110M64 98V110;black c 30 114 6;black c 98 114 6;black c 64 114 6`,
  "furn-chair-rocking": `walnut/6 p M10 104Q64 124 118 96;wood/6 p M36 70L32 110M88 70L94 108M36 68L24 18M36 70H92M30 44H82L88 70;wood/4 p M24 20L40 16L50 66M32 18L44 66;red r 38 62 52 10 5;red p M27 28L38 26L48 62H38Z;tan/1.5 p M31 38l10 -2M34 48l10 -2`,
  "furn-table-poker": `walnut r 54 66 20 40 3;walnut p M34 106H94L104 116H24Z;walnut e 64 54 58 22;green e 64 51 50 17;forest/1.6 p M24 51a40 12 0 1 0 80 0a40 12 0 1 0 -80 0;white p M48 44l9 -3l6 11l-9 3Z;white p M60 42l10 0l1 12h-10Z;red c 65 48 2.5;black c 54 48 2.2;red e 88 52 8 3;white e 88 49 8 3;blue e 88 46 8 3;gold e 38 56 6 2.5;gold e 38 53 6 2.5`,
  "furn-table-pool": `walnut r 16 74 12 38 3;walnut r 100 74 12 38 3;walnut p M16 48H112L126 76H2Z;green p M22 52H106L116 70H12Z;walnut- r 2 76 124 12 3;black c 22 53 3;black c 64 52 3;black c 106 53 3;black c 14 70 4;black c 64 71 3.5;black c 114 70 4;red c 84 60 4;yellow c 92 58 4;blue c 92 64 4;white c 40 62 4;oak/3 p M4 40L38 60;gold r 26 80 6 4;gold r 96 80 6 4`,
  "furn-couch-leather": `leather r 18 34 92 44 12;leather- p M62 36H66V76H62Z;leather+ r 26 66 37 20 7;leather+ r 65 66 37 20 7;leather r 6 54 22 46 10;leather r 100 54 22 46 10;leather-- r 24 86 80 16 4;walnut r 16 100 9 12 2;walnut r 103 100 9 12 2;leather--/1.6 p M44 46v4M84 46v4M44 60v3M84 60v3;white%25/3 p M28 42Q44 38 58 40`,
  "furn-armchair": `teal r 30 18 68 66 18;teal+ r 36 64 56 22 8;teal r 14 52 24 50 11;teal r 90 52 24 50 11;teal-- r 34 86 60 16 3;walnut r 24 102 9 14 2;walnut r 95 102 9 14 2;teal--%70 c 52 40 2;teal--%70 c 76 40 2;teal--%70 c 64 52 2;amber p M50 46L74 42L80 64L54 68Z;white%30/3 p M38 32Q44 24 56 23`,
  "furn-bed-single": bed("wood", "blue", "white r 26 54 26 16 7;white- r 30 58 18 8 4"),
  "furn-bed-double": `walnut r 8 18 112 54 8;walnut+ r 16 26 44 34 5;walnut+ r 68 26 44 34 5;white r 18 50 42 22 9;white r 68 50 42 22 9;white- r 24 55 30 11 5;white- r 74 55 30 11 5;crimson p M10 70H118L122 104H6Z;crimson+ p M10 70H118L119 80H9Z;crimson- r 6 96 116 10 3;walnut-- r 10 106 10 12 2;walnut-- r 108 106 10 12 2`,
  "furn-bed-heart": `gold p M64 22C54 2 12 6 14 42C14 58 30 70 38 76H90C98 70 114 58 114 42C116 6 74 2 64 22Z;pink p M64 30C56 14 22 16 22 42C24 56 36 64 42 70H86C92 64 104 56 106 42C106 16 72 14 64 30Z;red p M14 78Q64 58 114 78L106 104Q64 122 22 104Z;red+ p M14 78Q64 58 114 78L112 85Q64 66 16 85Z;white e 44 70 15 9;white e 84 70 15 9;gold r 24 106 9 10 3;gold r 95 106 9 10 3;white%60/2.5 p M32 40Q32 28 44 26`,
  "furn-wardrobe": cabinet(
    "oak",
    "oak+ r 26 24 36 82 2;oak+ r 66 24 36 82 2;oak-/2 p M30 28H58V102H30ZM70 28H98V102H70Z;gold r 56 58 4 16 2;gold r 68 58 4 16 2",
  ),
  "furn-bookshelf": cabinet(
    "wood",
    "walnut r 26 24 76 24;walnut r 26 54 76 24;walnut r 26 84 76 22;red r 28 27 8 21;blue r 37 30 6 18;green r 44 26 9 22;amber r 54 29 7 19;purple p M64 48L70 28L77 30L72 48Z;teal r 84 27 8 21;cream r 93 30 6 18;teal r 29 57 9 21;orange r 39 60 6 18;navy r 46 56 8 22;gold c 70 70 8;leaf p M84 78Q76 60 86 58Q98 60 94 78Z;crimson r 30 86 8 20;lime r 39 90 7 16;cream r 47 88 22 6;blue r 47 94 26 6;red r 47 100 24 6;pink r 84 86 7 20;gun r 92 88 7 18",
  ),
  "furn-drawer": `wood-- r 24 104 10 12 2;wood-- r 94 104 10 12 2;wood r 16 34 96 74 4;wood+ r 12 28 104 9 3;oak r 22 42 84 18 3;oak r 22 63 84 18 3;oak r 22 84 84 18 3;gold r 42 49 12 4 2;gold r 74 49 12 4 2;gold r 42 70 12 4 2;gold r 74 70 12 4 2;gold r 42 91 12 4 2;gold r 74 91 12 4 2;leaf p M44 28Q36 12 46 8Q56 14 50 28Z;red p M38 22H58L55 28H41Z;amber c 84 20 8`,
  "furn-safe": `gun r 20 106 16 10 2;gun r 92 106 16 10 2;iron r 12 16 104 94 8;iron- r 22 26 84 74 5;iron+ r 26 30 76 66 4;silver c 56 62 18;gun c 56 62 13;silver c 56 62 5;gun/2 p M56 46v6M56 72v6M40 62h6M66 62h6;silver/5 p M86 48V76;silver c 86 48 5;silver c 86 76 5;silver c 86 62 5;gun r 12 40 6 14 2;gun r 12 74 6 14 2`,
  "furn-fridge": `gun r 34 112 10 8;gun r 84 112 10 8;white r 28 6 72 110 7;silver- r 28 44 72 3;steel r 36 18 5 20 2;steel r 36 54 5 30 2;silver r 92 8 8 106;red r 60 60 9 9 2;amber r 74 66 8 8 2;cream r 60 76 18 22 1;blue/1.6 p M63 82h12M63 88h9;white-%60 r 28 104 72 10`,
  "furn-cooker": `white r 20 24 88 92 5;gun r 20 24 88 12 4;gun r 20 36 88 3;iron r 30 18 26 6 3;iron r 72 18 26 6 3;steel p M34 4H56V16Q56 20 52 20H38Q34 20 34 16Z;steel/3 p M56 8H66;red c 34 48 4.5;gun c 50 48 4.5;gun c 66 48 4.5;gun c 82 48 4.5;gun c 96 48 3;black r 28 60 72 44 5;fire%60 r 34 70 60 28 3;oak e 64 90 20 6;steel r 32 62 64 5 2;white%30 p M34 70H54L42 98H34Z`,
  "furn-sink": `steel/6 p M64 60V30Q64 18 76 18Q88 18 88 30V36;steel r 54 40 8 6 3;white r 10 58 108 12 4;steel r 24 60 80 7 3;oak r 16 70 96 46 3;oak+ r 22 76 40 36 2;oak+ r 66 76 40 36 2;gold c 56 94 3;gold c 72 94 3;sky p M88 38q7 10 0 13q-7 -3 0 -13Z;white e 32 52 12 7;red r 94 46 10 12 3`,
  "furn-bath": `steel/5 p M20 60V26Q20 14 32 14Q42 14 42 26;steel p M34 26H50L54 34H30Z;sky/2 p M36 38v8M42 38v8M48 38v8;white p M6 58H122Q122 106 92 106H36Q6 106 6 58Z;white r 4 52 120 10 5;gold p M28 104L22 118H34L38 106ZM100 104L106 118H94L90 106Z;white%90 c 66 48 9;white%90 c 80 44 7;white%90 c 92 50 8;sky%60 c 82 34 4;sky%60 c 96 36 3;white-%80 p M100 62H116Q114 100 92 104Q102 90 100 62Z`,
  "furn-toilet": `white r 34 10 60 42 6;white- r 30 8 68 9 4;steel r 42 24 12 5 2;white e 64 64 42 12;grey e 64 62 32 7;sky e 64 64 26 4;white p M24 66Q26 96 48 98V116H80V98Q102 96 104 66Q84 78 64 78Q44 78 24 66Z;white- p M76 78Q96 74 104 66Q102 96 80 98V116H72Z`,
  "furn-washing-machine": `white r 18 10 92 106 7;silver r 18 10 92 24 6;blue r 26 16 30 12 3;gun c 72 22 6;gun c 92 22 6;steel c 64 76 34;white- c 64 76 29;pane c 64 76 25;sky%80 p M40 80Q52 70 64 80T88 78Q84 100 64 101Q44 100 40 80Z;red c 58 86 6;amber c 74 88 5;white%50 p M46 62Q54 52 66 52L52 72Z;white-- r 18 108 92 5`,
  "furn-tv-small": television(false),
  "furn-tv-wide": television(true),
  "furn-stereo": `walnut r 4 20 32 96 4;walnut r 92 20 32 96 4;gun c 20 44 11;iron c 20 44 6;gun c 20 86 14;iron c 20 86 9;steel c 20 86 3;gun c 108 44 11;iron c 108 44 6;gun c 108 86 14;iron c 108 86 9;steel c 108 86 3;silver r 40 38 48 24 3;gun r 40 64 48 24 3;silver r 40 90 48 26 3;sky r 46 44 26 12 2;silver c 80 50 5;lime/2.5 p M46 82V74M52 82V70M58 82V76M64 82V68M70 82V74;red c 80 76 3;black c 56 103 8;silver c 56 103 2.5;amber c 78 103 4`,
  "furn-computer-desk": `gun r 26 16 62 44 4;blue r 31 21 52 34 2;lime/2.5 p M36 28h14M36 34h24M36 40h18M36 46h28;gun r 52 60 10 8;gun r 42 66 30 5 2;silver r 94 30 20 42 3;red c 104 38 2;gun r 98 46 12 3;oak r 4 72 120 10 3;wood r 8 82 36 34 2;oak r 12 86 28 12 2;oak r 12 101 28 12 2;gold c 26 92 2;gold c 26 107 2;wood r 108 82 10 34 2;white r 30 68 34 5 2`,
  "furn-fireplace": `oak r 6 18 116 13 3;stone r 14 30 100 88 2;stone-/1.5 p M14 46H114M14 62H34M94 62H114M14 78H34M94 78H114M14 94H34M94 94H114M30 31V46M56 31V46M84 31V46M24 46V62M104 46V62M24 78V94M104 78V94;black p M34 118V70Q34 52 64 52Q94 52 94 70V118Z;walnut p M42 104L88 96L90 104L44 112Z;wood p M40 98L86 106L84 114L38 106Z;fire p M64 58Q92 84 78 104H50Q38 88 54 76Q54 86 60 86Q56 70 64 58Z;yellow p M64 78Q76 92 70 104H58Q52 94 60 88Z;red c 30 13 5;gold r 92 4 14 14 2`,
  "furn-chandelier": `gold/3 p M64 0V30;gold/5 p M64 30V78M64 76Q30 96 22 62M64 76Q98 96 106 62M64 64Q46 78 42 52M64 64Q82 78 86 52;gold c 64 34 8;gold c 64 82 9;white r 18 40 8 22 2;white r 38 32 8 20 2;white r 82 32 8 20 2;white r 102 40 8 22 2;fire p M22 24q7 9 0 15q-7 -6 0 -15ZM42 16q7 9 0 15q-7 -6 0 -15ZM86 16q7 9 0 15q-7 -6 0 -15ZM106 24q7 9 0 15q-7 -6 0 -15Z;sky p M64 92l6 10l-6 12l-6 -12ZM40 90l4 8l-4 9l-4 -9ZM88 90l4 8l-4 9l-4 -9Z`,
  "furn-carpet": `cream/2 p M8 22v84M12 20v88M116 20v88M120 22v84;crimson r 14 20 100 88 2;gold/2.4 p M20 26H108V102H20Z;navy p M26 32H102V96H26Z;crimson p M64 38L96 64L64 90L32 64Z;gold p M64 46L84 64L64 82L44 64Z;crimson p M64 54L74 64L64 74L54 64Z;gold c 34 40 4;gold c 94 40 4;gold c 34 88 4;gold c 94 88 4;cream c 64 64 4`,
  "furn-painting": `gold r 8 16 112 92 4;gold-- r 16 24 96 76 2;sky r 20 28 88 68;amber c 82 46 10;purple p M20 76L46 44L66 70L84 54L108 80V96H20Z;forest p M20 84Q60 70 108 88V96H20Z;water p M20 90Q64 80 108 92V96H20Z;white p M46 44L54 54L48 58L42 53Z;gold+/2 p M11 19H117M11 105V19`,
  "furn-mirror": `gold e 64 62 44 54;gold-- e 64 62 36 46;glass e 64 62 34 44;white%60 p M44 34L64 22L40 78L34 66ZM78 24L88 30L52 100L46 94Z;gold c 64 8 8;gold+/2.5 p M26 50Q32 22 54 12;gold c 22 62 5;gold c 106 62 5;gold c 64 117 6`,
  "furn-lamp-floor": `lamp!%40 p M34 44L8 116H120L94 44Z;gold r 61 40 6 70;gold e 64 114 26 6;cream p M44 8H84L100 46H28Z;amber%60 p M44 8H58L46 46H28Z;cream--/1.6 p M30 42H98;gold/2 p M80 46V62;gold c 80 64 3`,
  "furn-treadmill": `gun/6 p M92 96L108 26;gun p M96 18L120 24V34L94 30Z;sky r 99 22 14 6 1;gun/5 p M104 46L82 40;iron p M6 96H104Q112 98 112 106Q112 112 104 112H12Q4 110 6 96Z;black r 14 92 84 8 4;iron+/1.6 p M24 96H34M44 96H54M64 96H74M84 96H94;red! r 20 104 70 3`,
  "furn-weights": `steel r 2 34 124 5 2;gun r 8 14 10 44 4;gun r 20 20 8 32 3;gun r 110 14 10 44 4;gun r 100 20 8 32 3;red r 8 30 10 12;red r 110 30 10 12;steel r 36 38 6 46 2;steel r 86 38 6 46 2;crimson p M20 80H104Q110 80 110 88H14Q14 80 20 80Z;gun r 14 88 96 5;iron/7 p M34 94L28 116M90 94L96 116;black r 18 112 22 6 3;black r 86 112 22 6 3`,
  "furn-punching-bag": `steel/3 p M64 2V14M64 14L46 28M64 14L82 28;red r 40 26 48 92 12;red- r 40 38 48 8;red- r 40 98 48 8;black r 40 26 48 10 4;white r 52 60 24 20 3;black/3 p M58 66H70M58 73H66;white%40/4 p M48 48V94`,
  "furn-christmas-tree": `walnut r 56 100 16 18 2;forest p M64 50L108 104H20Z;green p M64 30L98 78H30Z;leaf p M64 14L86 50H42Z;yellow p M64 2l4 8l9 1l-7 6l2 9l-8 -4l-8 4l2 -9l-7 -6l9 -1Z;red c 52 46 5;gold c 76 62 5;sky c 48 70 5;pink c 84 92 6;red c 60 90 6;gold c 36 96 5;red c 72 42 3;white%70/2.5 p M46 50Q64 62 82 48M36 80Q64 94 94 76M26 102Q64 116 104 100`,
  "furn-pumpkin": `forest/6 p M64 34Q64 18 76 12;orange e 64 74 52 42;orange- e 64 74 32 42;orange e 64 74 18 41;fire p M38 62L54 68L40 76ZM90 62L74 68L88 76Z;yellow p M42 66L50 69L42 73ZM86 66L78 69L86 73Z;fire p M30 86L42 90L48 84L56 92L64 86L72 92L80 84L86 90L98 86Q92 108 64 108Q36 108 30 86Z;yellow p M40 94Q64 106 88 94Q80 104 64 104Q48 104 40 94Z;white%35/3 p M26 60Q32 46 44 42`,
  "furn-fish-tank": `walnut r 12 94 104 22 3;glass%85 r 10 22 108 74 5;water r 14 36 100 56 3;sand p M14 84Q40 78 64 86T114 82V92H14Z;leaf/4 p M28 86Q20 70 30 56M36 86Q44 74 36 62;orange p M60 56Q74 44 88 56L98 48V66L88 60Q74 70 60 56Z;white c 67 55 2;yellow p M50 74Q58 68 66 74L72 69V80L66 76Q58 82 50 74Z;crimson p M94 86Q86 74 96 70Q106 76 102 86Z;white%80 c 56 44 2;white%80 c 52 38 1.6;white%50/3 p M20 42V80;gun r 8 18 112 9 3`,
  "furn-grill": `gun/5 p M44 78L30 118M84 78L98 118M38 100H90;tyre c 30 116 7;gun p M16 52H112Q110 84 64 84Q18 84 16 52Z;red p M20 46Q24 14 64 12Q104 14 108 46Z;steel/3 p M22 49H106;gun/5 p M56 12V4H72V12;fire p M34 50q4 -8 8 0ZM60 50q4 -10 8 0ZM84 50q4 -8 8 0Z;white%40/3 p M34 38Q40 24 54 20;steel/4 p M112 56H124`,
};
