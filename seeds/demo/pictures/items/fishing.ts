import { type Drawing, turned } from "../pen.ts";

const rod = (colour: string, grip: string, reel: string): Drawing =>
  `${colour}/5 p M14 116L60 66;${colour}/3.5 p M58 68L92 32;${colour}/2 p M90 34L112 10;${grip}/9 p M12 118L34 94;gun/2 p M60 66l-4 -3M76 48l-4 -3M92 32l-3 -3;white!%80/1.4 p M112 10Q122 50 104 84;steel/2.5 p M104 84v8q0 7 -6 6q-5 -1 -4 -6;red c 104 78 5;white p M99 78h10a5 5 0 0 1 -10 0Z;${reel} c 50 88 11;${reel}-- c 50 88 5;gun/3 p M50 88l11 9`;
/** A fish looking to the right. */
const fish = (
  back: string,
  belly: string,
  over: Drawing,
  fin = back,
): Drawing => `${fin} p M22 64L4 42Q14 64 4 88Z;${fin} p M44 46Q58 26 82 40L78 50H46ZM52 84Q58 98 72 96L76 82Z;${back} p M16 64Q44 34 84 42Q112 50 122 66Q110 84 80 88Q44 92 16 64Z;${belly} p M20 68Q60 74 120 68Q106 84 80 88Q44 92 20 68Z
  ${over}
  white c 102 60 6;black c 103 60 3;${back}--/2.4 p M90 48Q84 64 90 82;${back}--/2 p M112 72l8 -2;white%40/2.5 p M42 54Q60 44 80 48`;
const worm = (d: string): Drawing => `#d9827a/10 p ${d};#b8625c/2 p ${d}`;

/** Tackle, bait and fish. */
export const FISHING: Readonly<Record<string, Drawing>> = {
  "fishing-rod-simple": rod("oak", "walnut", "steel"),
  "fishing-rod-carbon": rod("gun", "red", "amber"),
  "fishing-rod-sea": rod("blue", "black", "gold"),
  "fishing-reel": `steel r 40 8 48 10 4;steel r 58 14 12 22 2;gun c 62 70 40;iron c 62 70 32;amber c 62 70 20;gun c 62 70 8;iron/2.5 p M62 40V50M62 90V100M32 70H42M82 70H92;steel/7 p M62 70L104 92;black c 108 94 10;white%40/3 p M30 64Q34 42 52 36`,
  "fishing-line": `red e 64 26 42 12;red- e 64 26 14 4;sky r 34 28 60 68;sky--/2 p M34 36Q64 46 94 36M34 46Q64 56 94 46M34 56Q64 66 94 56M34 66Q64 76 94 66M34 76Q64 86 94 76M34 86Q64 96 94 86;red e 64 100 42 12;red+ e 64 97 36 8;sky/2.5 p M94 62Q120 70 108 100`,
  "fishing-hook": `steel/6 p M44 24V72Q44 94 62 94Q78 94 78 78L70 86;steel/5 p M44 16a5 5 0 1 0 .1 0;steel/6 p M88 34V66Q88 80 98 80Q110 80 110 70L104 74;steel/4 p M88 27a4 4 0 1 0 .1 0;steel/5 p M22 60V96Q22 110 32 110Q42 110 42 100L37 104;steel/4 p M22 53a4 4 0 1 0 .1 0;white%70/1.6 p M43 28V70M87 38V64M21 64V94`,
  "fishing-float": turned(
    18,
    `red/5 p M64 6V36;white p M64 70Q38 70 38 56Q40 34 64 32Q88 34 90 56Q90 70 64 70Z;red p M38 56Q40 34 64 32Q88 34 90 56Z;gun/4 p M64 70V112;gun c 64 112 4;white%60 e 52 46 5 7;red-! r 38 55 52 4`,
  ),
  "fishing-worms": `earth e 64 100 48 12;earth+ c 40 96 6;earth- c 86 98 7;${worm("M30 96Q24 66 44 60Q64 56 58 38Q52 22 34 30")}\n${worm("M64 100Q60 78 78 74Q98 70 92 48Q88 34 104 26")}\n${worm("M84 100Q100 100 106 84")}`,
  "fishing-bread-bait": `oak p M20 44Q20 22 50 24Q86 18 92 44V92H24Z;cream p M27 46Q30 30 52 32Q82 28 85 46V86H31Z;tan c 45 54 3;tan c 66 50 4;tan c 58 70 3;tan c 74 68 2.5;cream c 96 96 11;cream- c 94 94 4;cream c 78 104 8;cream c 108 82 7`,
  "fishing-lure": turned(
    -30,
    `steel/3 p M10 56a6 6 0 1 0 .1 0M16 62H26;gold p M26 62Q46 34 82 46Q98 56 98 62Q98 72 82 80Q46 88 26 62Z;red p M60 42Q78 42 84 47L74 82Q64 84 58 82Z;white%60 e 48 52 12 4;black c 40 60 4;steel/3 p M98 62H108;steel/3.5 p M108 62Q122 62 120 76Q116 84 110 76M108 62Q120 54 120 44Q114 38 110 46;red p M104 58L122 70L100 70Z`,
  ),
  "fishing-net": turned(
    -35,
    `wood/7 p M2 64H52;black/9 p M2 64H20;steel/5 p M52 64Q54 36 88 36Q120 40 120 64Q120 88 88 92Q54 92 52 64;forest%80/1.8 p M60 48L110 92M72 40L118 78M88 37L120 62M60 82L108 40M72 90L118 50M88 92L120 66M54 58L88 92M54 70L88 36`,
  ),
  "fishing-cooler": `white/6 p M34 50V30H94V50;white p M10 44Q10 38 16 38H112Q118 38 118 44V58H10Z;blue p M14 56H114V106Q114 112 108 112H20Q14 112 14 106Z;blue-- r 14 56 100 5;white r 54 50 20 16 3;sky/4 p M64 76V100M52 82L76 94M76 82L52 94;white%40/3 p M21 66V102`,
  "fishing-licence": turned(
    -6,
    `white r 10 26 108 78 7;teal r 10 26 108 18 7;teal! r 10 36 108 8;sand r 20 54 28 36 3;skin c 34 66 7;navy p M22 90Q24 76 34 76Q44 76 46 90Z;gun/3 p M56 60H84M56 70H78;blue p M72 88Q84 76 98 82L108 76V98L98 92Q84 98 72 88Z;white c 82 86 1.6`,
  ),
  "fish-perch": fish(
    "#8a9a4a",
    "#e6e0a8",
    "#4f5c2c p M48 46L54 80H60L56 44ZM64 42L68 84H74L72 42ZM34 54L38 74H43L41 50Z;red%90 p M52 84Q58 98 72 96L76 84Z",
    "#c9743a",
  ),
  "fish-carp": fish(
    "#b8863a",
    "#ecd79a",
    "wood/1.8 p M44 60q5 5 10 0t10 0t10 0M40 70q5 5 10 0t10 0t10 0t8 0M50 52q5 4 10 0t10 0;amber/2.5 p M114 74l4 8",
  ),
  "fish-pike": `#5f8448 p M10 64L0 48L4 64L0 82ZM22 56Q26 42 38 46L40 56ZM20 72Q24 84 36 82L38 72Z;#6f9454 p M8 64Q30 50 84 54L126 62L122 70L84 76Q30 80 8 64Z;#dfe3b4 p M10 68Q60 70 122 70L84 76Q30 80 10 68Z;#4d6b38 c 30 61 3;#4d6b38 c 44 59 3;#4d6b38 c 58 61 3;#4d6b38 c 70 59 3;#4d6b38 c 52 66 2.5;#4d6b38 c 36 67 2.5;white c 98 60 5;black c 99 60 2.6;gun/2 p M126 66L106 67`,
  "fish-trout": fish(
    "#6f8a7a",
    "#f0d9c0",
    "pink%70 p M22 64Q60 60 118 64L116 70Q60 70 24 68Z;black c 50 54 2;black c 60 50 2;black c 70 54 2;black c 78 50 2;black c 42 58 2;black c 64 58 1.6",
  ),
  "fish-salmon": fish(
    "#e27a5f",
    "#f6d3c2",
    "black c 54 52 2;black c 66 50 2;black c 76 54 2;white%30/2 p M26 66H112",
    "#b8523f",
  ),
  "fish-tuna": fish(
    "#2f4f7f",
    "#d5dde6",
    "amber p M40 46L46 38L50 46ZM30 52L34 44L40 50ZM40 84L46 92L50 86Z;white%30/2 p M24 62Q70 56 116 62",
  ),
  "fish-swordfish": turned(
    -14,
    `#3f5f8c p M14 66L-2 44Q10 66 -2 90ZM40 54Q52 18 60 52Z;#4c6fa0 p M10 66Q34 46 70 52L92 60L132 62L92 68Q72 84 44 82Q24 80 10 66Z;#dde4ea p M14 70Q50 74 92 68Q72 84 44 82Q26 80 14 70Z;#3f5f8c p M50 74Q54 90 66 92L64 76Z;white c 82 60 4.5;black c 83 60 2.3;white%40/2 p M34 56Q50 52 66 56`,
  ),
  "fish-shark": `#6f8294 p M14 66L0 36Q14 54 22 60ZM14 66L4 92Q16 80 22 72ZM50 48L66 16Q76 34 78 48ZM56 82L48 106Q66 96 74 82Z;#7f93a6 p M8 66Q40 40 86 46Q116 54 126 68Q108 88 76 88Q36 86 8 66Z;#e9eef2 p M14 70Q60 76 118 76Q104 88 76 88Q36 86 14 70Z;black c 104 60 3.4;white c 105 59 1.2;#4d5d6c/2 p M84 54V68M78 54V68M72 54V68;gun/2.4 p M98 80Q110 80 118 72;white p M102 79l3 4l3 -5l3 4l3 -5Z`,
  "fish-old-boot": turned(
    -6,
    `walnut p M32 16H78Q82 46 80 62Q112 66 118 86Q120 100 112 104H34Q26 66 32 16Z;black p M30 102H116Q118 112 110 112H34Q28 112 30 102Z;walnut-- r 28 12 54 12 4;tan/3 p M62 40L80 44M60 52L80 56M62 64L84 66;leaf/4 p M48 24Q40 46 52 60Q58 72 48 88;leaf p M44 52Q34 44 32 56Q40 62 46 58Z;walnut+/2 p M40 28Q36 60 42 94;sky p M100 90q6 10 0 12q-6 -2 0 -12Z`,
  ),
};
