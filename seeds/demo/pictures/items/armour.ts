import { type Drawing, turned } from "../pen.ts";
import { star } from "../vehicles/extras.ts";

const vest = (
  colour: string,
  over: Drawing,
): Drawing => `${colour} p M36 18H50Q54 34 64 34Q74 34 78 18H92Q94 40 106 50V104Q106 110 100 110H28Q22 110 22 104V50Q34 40 36 18Z
  ${colour}-- p M22 74H30V104H24ZM106 74H98V104H104Z;${colour}- r 32 18 16 18 3;${colour}- r 80 18 16 18 3
  ${over}`;
const swatHelmet = (
  colour: string,
): Drawing => `${colour} p M18 74Q16 24 64 22Q112 24 110 74L100 80V100H88L84 78H44L40 100H28V80Z;${colour}- p M16 66H112V76H16Z
  glass p M24 62Q24 50 36 48H92Q104 50 104 62V84Q96 92 84 90L76 82H52L44 90Q32 92 24 84Z;white%50 p M34 54H52L42 84H30Z;gun c 22 70 6;gun c 106 70 6;white%30/3 p M34 42Q46 30 64 29`;
export const peaked = (
  colour: string,
  band: string,
  badge: Drawing,
): Drawing => `${colour} p M12 50Q30 24 64 24Q98 24 116 50Q112 66 96 68H32Q16 66 12 50Z;${band} p M28 64H100V82H28Z;black p M24 80Q64 66 104 80Q108 100 64 100Q20 100 24 80Z;white%35/2.5 p M32 88Q64 78 96 88;gold/2.5 p M30 79Q64 66 98 79
  ${badge}`;

/** Armour, and what the police carries. */
export const ARMOUR: Readonly<Record<string, Drawing>> = {
  "armour-light": vest("#6b7f9c", "steel r 34 62 60 5;steel r 34 84 60 5;white%30/2 p M28 54V100"),
  "armour-vest": vest(
    "#3d4656",
    "#4d586b r 34 54 60 44 5;gun/2 p M34 70H94M34 84H94;amber! r 46 58 36 7 2;white%25/2 p M28 56V100",
  ),
  "armour-swat": vest(
    "#2b303a",
    "iron r 30 70 20 26 3;iron r 54 70 20 26 3;iron r 78 70 20 26 3;gun r 30 68 20 9 2;gun r 54 68 20 9 2;gun r 78 68 20 9 2;white! r 44 48 40 11 2;gun r 86 40 10 18 2",
  ),
  "armour-swat-grey": vest(
    "#8a929c",
    "grey- r 30 70 20 26 3;grey- r 54 70 20 26 3;grey- r 78 70 20 26 3;iron r 30 68 20 9 2;iron r 54 68 20 9 2;iron r 78 68 20 9 2;navy! r 44 48 40 11 2;iron r 86 40 10 18 2",
  ),
  "helmet-swat": swatHelmet("#2f343f"),
  "helmet-swat-grey": swatHelmet("#949ca6"),
  "police-shield": `steel p M24 16H104Q110 16 110 22V100Q110 114 64 122Q18 114 18 100V22Q18 16 24 16Z;black%85 p M28 22H100Q104 22 104 26V98Q104 109 64 115Q24 109 24 98V26Q24 22 28 22Z;glass r 34 30 60 26 4;white%50 p M40 30H56L44 56H34V36Z;white! r 34 66 60 16 2;navy/4 p M42 74H86;iron c 30 92 2.5;iron c 98 92 2.5`,
  "police-handcuffs": turned(
    -18,
    `steel/8 p M38 44a22 22 0 1 0 .1 0;steel/8 p M92 40a22 22 0 1 0 .1 0;steel++/2 p M22 56Q28 46 38 45M76 52Q82 43 92 41;gun/4 p M60 62q4 -8 8 0q-4 8 -8 0;steel r 28 34 20 14 4;steel r 82 30 20 14 4;gun c 38 41 2.5;gun c 92 37 2.5`,
  ),
  "police-zip-ties": `black/6 p M40 52a22 24 0 1 0 .1 0;black/6 p M88 52a22 24 0 1 0 .1 0;gun+/1.6 p M24 64Q30 54 40 54M72 64Q78 54 88 54;black r 31 42 18 14 3;black r 79 42 18 14 3;iron r 36 46 8 6 1;iron r 84 46 8 6 1;black/5 p M40 44L54 18M88 44L102 18`,
  "police-taser": turned(
    -16,
    `yellow p M20 44H92Q98 44 98 50V62Q98 68 92 68H58Q50 68 48 76L40 108Q38 114 30 112L18 108Q14 106 15 100Z;black p M20 44H70L64 52H20Z;black- p M22 72L46 76L40 106Q38 112 30 110L20 106Z;black r 92 48 18 16 3;steel r 108 50 4 4;steel r 108 58 4 4;blue/2.6 p M114 50l8 4l-4 3l10 5;gun/3 p M58 68q2 12 14 6`,
  ),
  "police-radio": `black r 38 40 52 76 8;gun r 74 8 9 36 4;gun r 44 32 12 12 3;#9ad08a r 46 48 36 18 3;green--/2 p M50 54H72M50 60H66;red c 84 44 3;iron r 46 74 10 8 2;iron r 59 74 10 8 2;iron r 72 74 10 8 2;iron/2.5 p M48 92H80M48 99H80M48 106H80;gun+/2 p M34 60V92`,
  "police-badge": `gold p M64 12L76 22L92 18L98 34L112 40L106 58L112 78Q92 84 84 104L64 118L44 104Q36 84 16 78L22 58L16 40L30 34L36 18L52 22Z;gold-- c 64 62 30;gold c 64 62 26;navy c 64 62 21\n${star(64, 62, 16)}\nwhite%60/2 p M38 24L52 28L64 19`,
  "police-cap": peaked("#26406f", "#1a2c50", star(64, 48, 12)),
  "police-sheriff-hat": `tan p M10 84Q10 72 28 72L36 40Q40 24 56 28L64 32L72 28Q88 24 92 40L100 72Q118 72 118 84Q108 98 64 98Q20 98 10 84Z;walnut p M30 68Q64 78 98 68L100 76Q64 88 28 76Z;tan-%60 p M56 28L64 32L72 28L66 54Z\n${star(64, 74, 10)}`,
  "police-spike-strip": turned(
    -16,
    `gun p M6 76L16 66H122L112 76Z;iron p M6 76H112V84H6Z;${Array.from({ length: 8 }, (_, i) => `steel p M${14 + i * 13} 72L${20 + i * 13} 46L${25 + i * 13} 72Z`).join(";")};amber! r 10 77 12 6;amber! r 96 77 12 6`,
  ),
  "police-tape": `yellow p M6 50L122 26V46L6 70Z;black! p M14 48.5l12 -2.5l-8 22l-12 2.4ZM40 43l12 -2.5l-8 22l-12 2.5ZM66 38l12 -2.5l-8 22l-12 2.5ZM92 32l12 -2.5l-8 22l-12 2.5Z;yellow p M6 62L122 86V104L6 80Z;black! p M30 67l12 2.5l-10 18l-12 -2.5ZM58 73l12 2.5l-10 17l-12 -2.5ZM86 79l12 2.5l-10 17l-12 -2.5Z`,
  "police-light": `sky%45 p M64 50L14 14L34 8ZM64 50L94 8L114 14Z;blue p M32 82V54Q36 30 64 30Q92 30 96 54V82Z;sky p M48 82V56Q50 42 64 42Q78 42 80 56V82Z;white%60/3 p M42 72V56Q44 42 54 38;gun r 24 80 80 16 4;iron r 34 94 60 10 4;black r 44 102 40 6 2`,
  "police-breathalyser": `amber r 34 34 60 82 9;black r 42 46 44 24 4;lime/3 p M50 58v-6h6v12h-6v-6M62 52h6v12h-6ZM76 52v12;green c 52 84 6;red c 76 84 6;white r 74 12 10 26 4;glass r 75 8 8 14 3;amber-/2 p M44 98H84M44 104H84;white%40/2.5 p M39 44V106`,
  "vest-construction": vest(
    "#f2792b",
    "yellow! r 32 56 8 54;yellow! r 88 56 8 54;silver! r 34 56 4 54;silver! r 90 56 4 54;yellow! p M22 76H106V88H22Z;silver! p M22 80H106V84H22Z;orange--/2 p M64 36V110",
  ),
};
