import type { Drawing } from "../pen.ts";

const bottle = (glass: string, label: string, cap: string, over = ""): Drawing =>
  `${cap} r 55 6 18 14 3;${glass} p M56 18H72V44Q88 54 88 70V112Q88 120 80 120H48Q40 120 40 112V70Q40 54 56 44Z;${label} r 40 74 48 32;${over};white%45/3 p M46 70V112M60 22V42`;
const wine = (glass: string, label: string, foil: string, over = ""): Drawing =>
  `${foil} r 56 4 16 32 3;${glass} p M57 30H71V48Q90 54 90 74V112Q90 120 82 120H46Q38 120 38 112V74Q38 54 57 48Z;${label} r 38 78 52 30;${over};white%40/3 p M44 74V114`;
const flask = (glass: string, label: string, cap: string, over = ""): Drawing =>
  `${cap} r 52 8 24 18 4;${glass} p M54 24H74V40H86Q98 40 98 52V108Q98 118 88 118H40Q30 118 30 108V52Q30 40 42 40H54Z;${label} r 38 60 52 42 3;${over};white%45/3 p M35 52V108`;
const can = (colour: string, over: Drawing): Drawing =>
  `silver p M40 14H88L94 24H34Z;silver e 64 14 24 5;steel/2.5 p M58 13a6 2.5 0 1 1 .1 .1;${colour} p M34 24H94V106L88 116H40L34 106Z;silver p M34 106H94L88 118H40Z;${over};${colour}-%70 r 34 24 7 82;white%40 r 80 26 6 80`;
const carton = (colour: string, over: Drawing): Drawing =>
  `white r 44 8 40 12 2;${colour} p M44 18H84L96 42H32Z;${colour}- p M84 18L96 42H80Z;white p M32 42H96V116H32Z;${over};silver%60 r 86 42 10 74`;
const cup = (colour: string, inside: string, over = ""): Drawing =>
  `white%70/4 p M48 26Q42 18 48 10M64 24Q58 16 64 6M80 26Q74 18 80 10;${colour}/9 p M90 54Q114 50 112 72Q110 90 86 88;${colour} p M20 40H96V84Q94 108 70 108H46Q22 108 20 84Z;${inside} e 58 42 36 9;${colour}+/3 p M22 42a36 9 0 0 1 72 0;${over};white e 58 114 48 6`;

/** Things to drink. */
export const DRINKS: Readonly<Record<string, Drawing>> = {
  "drink-water": `blue r 54 6 20 14 3;sky%85 p M56 18H72V32Q88 38 88 54V66L84 70L88 74V112Q88 120 80 120H48Q40 120 40 112V74L44 70L40 66V54Q40 38 56 32Z;blue r 41 76 46 24;white p M64 78Q73 88 70 93Q64 99 58 93Q55 88 64 78Z;white%60/3 p M47 50V64M47 102V112`,
  "drink-sprunk": can(
    "#3fae4d",
    "lime p M34 50Q64 30 94 50V84Q64 64 34 84Z;yellow c 64 64 14;lime+/1.8 p M64 52V76M52 64H76M56 56L72 72M72 56L56 72;white c 44 94 3;white c 78 36 3;white c 84 96 2",
  ),
  "drink-ecola": can(
    "#cf2f33",
    "white! p M34 66Q48 50 64 64T94 58V72Q78 84 64 72T34 80Z;white c 46 40 4;white c 56 34 2.5;white c 78 96 3",
  ),
  "drink-orange-juice": carton(
    "orange",
    "orange c 62 82 22;orange++ c 62 82 17;orange/2 p M62 65V99M45 82H79M50 70L74 94M74 70L50 94;leaf p M66 60Q76 46 88 54Q82 64 66 60Z",
  ),
  "drink-apple-juice": carton(
    "leaf",
    "lime p M62 66Q78 56 84 72Q86 96 62 102Q38 96 40 72Q46 56 62 66Z;walnut/3 p M62 66Q60 58 66 50;leaf p M66 58Q74 48 84 52Q80 62 66 58Z;white%60 e 50 76 4 7",
  ),
  "drink-milk": carton(
    "blue",
    "sky! p M32 90Q48 78 64 90T96 88V116H32Z;black p M46 58Q56 52 60 60Q60 70 50 70Q42 68 46 58ZM72 64Q82 62 82 72Q76 78 70 74Z",
  ),
  "drink-coffee": `white%70/4 p M52 22Q46 14 52 4M70 22Q64 14 70 4;white p M34 34H94L86 116H42Z;walnut r 28 26 72 12 4;walnut- r 34 22 60 7 3;oak p M37 54H91L88 90H40Z;walnut p M56 72Q58 60 66 62Q74 68 70 80Q62 88 56 80Z;oak/2 p M58 80Q66 74 68 64;white%60/3 p M42 44L47 108`,
  "drink-tea": cup(
    "#4f9a78",
    "#c9d46a",
    "leaf p M46 74Q58 56 76 64Q72 84 46 74Z;lime/1.6 p M50 74Q62 72 72 66;white p M84 44L98 62V74H86Z;leaf r 88 66 8 6",
  ),
  "drink-cocoa": cup(
    "#c9483f",
    "walnut",
    "white r 40 34 14 10 3;white r 58 36 14 10 3;white r 50 42 13 9 3;white p M38 70l6 10l6 -10l6 10l6 -10l6 10l6 -10",
  ),
  "drink-energy": can("#2a2e3a", "lime p M72 34L46 70H62L54 100L84 60H67Z;lime- p M62 70L54 100L62 84Z"),
  "drink-milkshake": `red/5 p M72 30L82 2;white c 54 34 14;white c 74 34 14;white c 64 24 13;red c 60 12 7;green/2 p M61 6q3 -6 8 -5;pink p M36 42H92L82 108H46Z;pink+ p M40 62Q52 72 64 62T88 62L86 78Q64 90 42 78Z;glass%60 p M36 42H44L52 108H46Z;glass p M54 108H74L82 120H46Z;glass e 64 43 28 4`,
  "drink-beer": bottle(
    "#7a4a22",
    "cream",
    "gold",
    "amber c 64 90 12;green p M64 80Q74 90 64 100Q54 90 64 80Z",
  ),
  "drink-beer-keg": `oak p M22 28Q64 14 106 28Q120 66 106 104Q64 118 22 104Q8 66 22 28Z;wood/1.8 p M42 22Q34 66 42 110M64 20V114M86 22Q94 66 86 110;iron p M17 40Q64 28 111 40L113 50Q64 38 15 50ZM15 82Q64 94 113 82L111 92Q64 104 17 92Z;gold r 58 70 12 14 2;gold/5 p M64 82V94M56 66H72;white%30/4 p M28 38Q20 66 28 96`,
  "drink-wine-red": wine(
    "#3d2433",
    "cream",
    "crimson",
    "crimson c 58 92 4;crimson c 66 92 4;crimson c 74 92 4;crimson c 62 98 4;crimson c 70 98 4;leaf p M66 88Q70 80 78 84Z",
  ),
  "drink-whiskey": flask(
    "#c9782f",
    "black",
    "walnut",
    "gold p M44 66H84V70H44ZM44 92H84V96H44Z;gold p M64 72l3 6h7l-5 5l2 7l-7 -4l-7 4l2 -7l-5 -5h7Z",
  ),
  "drink-brandy": `walnut r 54 6 20 18 4;#8e3f1f p M56 22H72V40Q100 52 102 84Q100 118 64 118Q28 118 26 84Q28 52 56 40Z;cream e 64 84 24 17;gold e 64 84 18 11;#8e3f1f e 64 84 15 8;gold c 64 106 5;white%45/3 p M35 84Q36 62 54 50`,
  "drink-vodka": wine("#dceaf2", "blue", "red", "white! r 38 88 52 4;white! r 38 96 52 4;red c 64 88 8"),
  "drink-champagne": wine(
    "#35543a",
    "cream",
    "gold",
    "gold r 48 86 32 4;gold r 48 94 32 4;gold c 64 62 6;white!%80 c 86 12 4;white!%80 c 98 22 3;white!%80 c 92 34 2.5",
  ),
  "drink-tequila": `black r 55 6 18 16 3;amber p M57 20H71V50L88 66V112Q88 120 80 120H48Q40 120 40 112V66L57 50Z;cream r 40 72 48 34;leaf p M64 76L60 100H68ZM54 84L62 100H56ZM74 84L66 100H72Z;lime c 100 106 16;lime+ c 100 106 12;leaf/1.8 p M100 95V117M89 106H111M92 98L108 114M108 98L92 114;white%45/3 p M46 72V112`,
  "drink-moonshine": `steel r 40 14 48 16 4;steel--/2 p M48 16V28M56 16V28M64 16V28M72 16V28M80 16V28;glass%85 p M42 28H86Q100 36 100 50V108Q100 118 90 118H38Q28 118 28 108V50Q28 36 42 28Z;white%60 r 33 56 62 58 6;cream r 40 68 48 34 2;black/5 p M50 76L60 86M60 76L50 86M68 76L78 86M78 76L68 86;black/2.5 p M48 95H80;white%70/3 p M36 50V106`,
  "drink-cocktail": `walnut/3 p M80 36L96 6;pink p M84 20Q98 -2 118 12Q112 26 84 20Z;magenta p M96 12L98 4Q110 4 118 12Z;glass%70 p M14 30H114L68 78V108H60V78Z;fire p M24 38H104L64 74Z;red%80 p M46 58H82L64 74Z;lime c 28 28 14;lime+ c 28 28 10;leaf/1.6 p M28 19V37M19 28H37;glass p M38 108H90Q92 116 64 116Q36 116 38 108Z;red c 64 50 6;white%60/3 p M24 34L56 68`,
};
