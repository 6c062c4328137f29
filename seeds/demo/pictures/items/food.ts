import { type Drawing, turned } from "../pen.ts";

const bun = (top: number, height: number): Drawing =>
  `oak p M18 ${top + height}Q16 ${top} 64 ${top}Q112 ${top} 110 ${top + height}Z;cream e 46 ${top + height * 0.38} 3 1.8;cream e 62 ${top + height * 0.24} 3 1.8;cream e 80 ${top + height * 0.4} 3 1.8;cream e 66 ${top + height * 0.6} 3 1.8;cream e 34 ${top + height * 0.7} 3 1.8;cream e 96 ${top + height * 0.7} 3 1.8`;
const lettuce = (y: number): Drawing =>
  `lime p M12 ${y}Q20 ${y - 5} 28 ${y}T44 ${y}T60 ${y}T76 ${y}T92 ${y}T116 ${y}L112 ${y + 7}Q104 ${y + 12} 96 ${y + 6}T80 ${y + 7}T64 ${y + 6}T48 ${y + 7}T32 ${y + 6}T16 ${y + 7}Z`;
const patty = (y: number): Drawing =>
  `walnut r 14 ${y} 100 14 7;walnut+/2 p M24 ${y + 4}H70;amber p M20 ${y - 3}H108L92 ${y + 5}L82 ${y + 1}H40L30 ${y + 6}Z`;
const tin = (colour: string, picture: Drawing): Drawing =>
  `silver r 28 20 72 92 6;silver- e 64 22 36 9;silver+ e 64 20 33 7;${colour} r 28 34 72 66;${colour}- r 28 34 8 66;white%35 r 84 34 6 66;silver e 64 108 36 7;steel/2 p M28 103Q64 112 100 103;${picture};steel/3 p M60 18a6 3 0 1 1 .1 .1`;

/** Things to eat. */
export const FOOD: Readonly<Record<string, Drawing>> = {
  "food-burger": `oak p M18 90H110Q112 108 96 108H32Q16 108 18 90Z;${patty(76)};${lettuce(66)};red r 20 60 88 6 3;${bun(24, 36)}`,
  "food-double-burger": `oak p M18 98H110Q112 112 96 112H32Q16 112 18 98Z;${patty(84)};${lettuce(74)};${patty(58)};red r 20 50 88 6 3;${lettuce(44)};${bun(12, 32)}`,
  "food-chicken-bucket": `oak p M26 46Q20 26 38 24Q44 12 58 20Q70 8 80 22Q98 18 100 36Q108 44 100 50Z;oak- c 44 36 8;oak- c 80 34 9;bone/5 p M60 20L56 8;bone/5 p M92 28L102 18;white p M22 44H106L96 114H32Z;red p M30 44H46L48 114H38ZM58 44H70L69 114H59ZM82 44H98L90 114H80Z;cream e 64 46 42 5;white c 64 78 16;red p M56 80Q56 68 66 68Q74 70 72 80L64 88Z`,
  "food-chicken-wings": `white e 64 90 54 20;white- e 64 88 42 14;fire p M22 76Q20 56 40 56Q58 58 60 76Q54 92 38 90Q24 90 22 76Z;bone/7 p M54 66L70 48;bone c 72 44 5;bone c 76 50 5;rust p M62 86Q60 68 78 64Q100 64 102 82Q96 98 78 96Q66 96 62 86Z;bone/7 p M96 70L108 56;bone c 110 52 5;bone c 113 58 5;white%45/3 p M30 68Q36 62 44 64M72 76Q80 70 90 74`,
  "food-pizza": `oak c 64 66 52;amber c 64 66 45;yellow%70 c 56 58 30;red c 48 48 9;red c 80 46 9;red c 88 74 9;red c 62 92 9;red c 38 76 9;red c 64 66 8;green p M60 36q6 -4 8 2q-4 5 -8 -2ZM34 58q6 -4 8 2q-4 5 -8 -2ZM76 88q6 -4 8 2q-4 5 -8 -2ZM92 58q6 -4 8 2q-4 5 -8 -2Z;wood/1.4 p M64 16V116M20 40L108 92M20 92L108 40;black c 54 78 3;black c 76 60 3`,
  "food-pizza-slice": turned(
    -10,
    `amber p M20 34Q64 20 108 34L66 122Z;yellow%70 p M30 38Q64 28 98 38L66 96Z;oak p M16 34Q12 22 24 18Q64 6 104 18Q116 22 112 34Q108 42 98 38Q64 26 30 38Q20 42 16 34Z;red c 50 52 10;red c 82 50 9;red c 66 82 9;red-%70 c 50 52 6;red-%70 c 82 50 5;green p M66 60q8 -4 10 3q-5 6 -10 -3Z;black c 62 66 2.6;amber p M62 112q4 10 6 0v12h-5Z`,
  ),
  "food-hotdog": turned(
    -20,
    `oak p M10 62Q10 46 26 46H102Q118 46 118 62Q118 72 102 72H26Q10 72 10 62Z;red p M4 60Q6 48 20 52Q64 60 108 52Q122 48 124 60Q124 72 108 74Q64 82 20 74Q4 72 4 60Z;yellow/4.5 p M18 62q8 8 15 0t15 2t15 -1t15 1t15 -3t12 1;oak p M10 72Q12 68 22 74Q64 84 106 74Q116 68 118 72Q116 92 98 92H30Q12 92 10 72Z;white%40/3 p M28 52Q60 58 90 54`,
  ),
  "food-taco": `yellow p M10 92Q8 38 64 36Q120 38 118 92Z;lime p M14 72Q22 60 32 62Q38 50 50 52Q60 42 72 50Q86 46 94 58Q108 60 114 74L106 78H22Z;red c 44 60 6;red c 70 56 6;red c 92 66 6;walnut p M22 70Q64 52 106 70L100 82H28Z;amber p M10 94Q14 62 64 60Q114 62 118 94Q118 100 108 100H20Q10 100 10 94Z;orange-%60 c 36 84 3;orange-%60 c 60 76 3;orange-%60 c 84 84 3;orange-%60 c 98 92 2.5;white%40/3 p M24 84Q32 72 48 68`,
  "food-noodles": `walnut/5 p M54 46L100 6M64 48L112 14;white p M24 44H104L94 114H34Z;red p M24 44H104L102 58H26Z;red c 64 84 15;white c 64 84 11;red p M64 76q7 0 6 8q-6 0 -6 -4q0 8 -8 6q2 -10 8 -10Z;yellow/5 p M28 44Q34 30 44 40Q50 26 60 40Q68 26 76 40Q86 28 98 44;amber/3 p M36 44Q42 34 52 44Q60 34 70 44Q80 34 90 44;white-%80 p M92 58L102 58L94 114H84Z`,
  "food-steak": `rust p M14 70Q8 32 50 28Q84 26 106 48Q124 68 108 90Q88 108 56 102Q18 100 14 70Z;#c9605a p M22 68Q18 40 50 36Q80 34 98 52Q112 68 100 84Q84 98 58 94Q26 92 22 68Z;cream/6 p M24 62Q40 44 66 46Q88 48 98 62;bone p M72 60Q84 58 88 66Q88 78 76 78Q66 76 72 60Z;crimson/2.5 p M38 74Q48 64 58 72M50 86Q60 78 70 86;rust--/3 p M30 54L44 86M84 44L98 76`,
  "food-salad": `leaf p M20 60Q14 36 36 38Q40 20 58 30Q72 16 84 32Q108 28 108 56Z;lime p M34 60Q30 42 50 42Q60 34 72 44Q90 40 94 60Z;red c 44 50 9;red++ c 42 47 3;red c 86 50 9;red++ c 84 47 3;cream e 66 46 10 6;yellow c 66 46 4;purple/3 p M54 58q6 -10 14 0;#7fb8c9 p M10 58H118Q116 108 64 108Q12 108 10 58Z;white! p M14 70H114L112 77H16Z;white%45/3 p M24 84Q30 96 42 101`,
  "food-doughnut": `oak c 64 66 50;pink p M64 20Q110 22 110 64Q104 74 98 66Q92 84 84 74Q76 94 64 84Q52 96 44 80Q34 88 28 72Q20 76 18 64Q18 20 64 20Z;tan c 64 64 17;walnut%60 c 64 62 14;#c3a9e0 c 64 64 0.1;white/4 p M40 40l6 4M84 34l4 6M92 56l-6 3M36 62l6 -3M56 32l7 -1;yellow/4 p M50 48l-5 5M76 44l6 -3M82 70l5 4M30 52l4 -4;sky/4 p M66 40l6 2M46 70l5 4M90 46l3 5;white%50/3 p M28 52Q34 32 54 26`,
  "food-sandwich": `oak p M8 56L64 28L120 56L64 82Z;cream p M18 56L64 34L110 56L64 76Z;cream- p M8 92L64 118L120 92V84L64 110L8 84Z;lime p M6 78Q20 74 30 86T64 102T98 88T122 78L118 88L64 114L10 88Z;red p M10 72L64 98L118 72V78L64 104L10 78Z;amber p M8 66L64 92L120 66L118 72L96 84L64 98L10 72Z;tan p M8 56L64 82L120 56V66L64 92L8 66Z;wood p M62 20h4v38h-4Z;green c 64 20 7`,
  "food-french-fries": `${[30, 40, 50, 60, 70, 80, 90].map((x, i) => `${i % 2 === 0 ? "yellow" : "amber"} r ${x} ${[26, 14, 22, 8, 20, 12, 28][i]} 9 60 1.5`).join(";")};red p M24 50Q64 66 104 50L96 116H32Z;red- p M24 50L32 116H44L38 57Z;yellow c 64 84 15;red p M64 74l3 7h7l-5.5 4.5l2 7l-6.5 -4l-6.5 4l2 -7l-5.5 -4.5h7Z;white%30/3 p M94 62L90 104`,
  "food-ice-cream": `oak p M38 60H90L64 124Z;wood/1.8 p M44 70L76 94M54 64L82 80M84 68L52 94M74 64L46 80;pink c 46 48 20;cream c 82 48 20;walnut c 64 28 21;walnut+/3 p M52 24Q56 14 66 14;white%60/3 p M34 44Q38 34 46 34M72 42Q76 34 84 35;red c 66 6 6;green/2 p M68 2q6 -6 10 -2;oak- r 36 58 56 8 3`,
  "food-cake": `cream r 18 58 92 52 8;pink p M18 62Q18 46 30 46H98Q110 46 110 62V70Q104 80 98 70Q92 62 86 72Q80 86 72 72Q66 62 60 72Q54 84 46 72Q40 62 34 72Q28 80 18 70Z;walnut r 18 88 92 6;white r 8 106 112 8 4;sky r 38 26 6 22 2;yellow r 61 22 6 26 2;lime r 84 26 6 22 2;fire p M41 12q6 8 0 13q-6 -5 0 -13ZM64 8q6 8 0 13q-6 -5 0 -13ZM87 12q6 8 0 13q-6 -5 0 -13Z;red c 30 58 3;red c 64 58 3;red c 98 58 3`,
  "food-apple": `walnut/5 p M64 40Q62 24 70 12;leaf p M68 28Q78 8 102 14Q96 36 68 28Z;red p M64 40Q84 26 102 40Q120 60 104 94Q90 120 64 110Q38 120 24 94Q8 60 26 40Q44 26 64 40Z;red-%60 p M94 40Q116 62 98 98Q88 116 70 111Q100 92 94 40Z;white%60 e 38 58 8 14`,
  "food-orange": `orange c 64 68 48;orange-%50 p M96 32Q124 72 92 108Q74 120 52 114Q104 100 96 32Z;leaf p M64 24Q80 4 104 14Q94 34 64 24Z;walnut c 62 24 5;white%55 e 42 48 10 14;orange--%60 c 60 80 1.6;orange--%60 c 78 64 1.6;orange--%60 c 52 96 1.6;orange--%60 c 84 88 1.6;orange--%60 c 38 78 1.6`,
  "food-banana": turned(
    -8,
    `yellow p M22 24Q28 20 32 28Q34 74 98 84Q110 86 112 92Q106 110 74 108Q20 100 18 40Q18 28 22 24Z;amber p M32 30Q34 74 98 84L112 92Q46 94 26 48Z;walnut p M20 16L30 14L32 28H20Z;walnut p M108 86L116 88L112 96L106 96Z;white%50/3 p M24 52Q30 80 56 96`,
  ),
  "food-tomato": `red p M64 36Q104 22 116 58Q120 104 64 112Q8 104 12 58Q24 22 64 36Z;red-%60 p M110 48Q122 100 70 111Q104 92 110 48Z;leaf p M64 38L46 24L58 28L60 12L68 28L86 22L72 36L88 46L66 44L50 50Z;white%60 e 36 60 8 12`,
  "food-bread": turned(
    -14,
    `wood p M10 66Q8 38 40 36H92Q122 40 120 66Q118 94 92 96H38Q12 94 10 66Z;oak p M14 62Q14 42 40 40H92Q116 44 116 62Q112 80 92 82H38Q16 80 14 62Z;cream/6 p M38 46Q46 58 40 74M62 44Q70 58 64 76M86 46Q94 58 88 74;wood-/2 p M33 46Q40 58 35 74M57 44Q64 58 59 76M81 46Q88 58 83 74`,
  ),
  "food-cheese": `amber p M8 62L86 22Q118 34 120 62Z;yellow p M8 62H120V104H8Z;amber- e 34 82 11 10;amber- e 74 76 8 8;amber- e 98 92 11 9;amber- c 58 96 6;amber-- e 78 44 12 6;amber-- e 46 54 7 4;white%50/3 p M14 68V96`,
  "food-ham": turned(
    -18,
    `bone/12 p M92 80L112 96;bone c 114 90 8;bone c 108 102 8;#d9705f p M14 54Q20 20 60 22Q100 32 100 72Q92 98 62 96Q16 96 14 54Z;cream p M22 56Q26 32 54 34Q76 42 74 68Q66 86 48 84Q22 82 22 56Z;#e9988a p M30 56Q34 42 52 44Q66 52 64 66Q58 78 46 76Q30 74 30 56Z;bone c 48 60 7;bone-- c 48 60 3;white%40/3 p M66 32Q84 40 90 58`,
  ),
  "food-fish-fingers": `white e 64 86 56 24;white- e 64 84 44 17;amber p M22 74L80 52Q88 50 90 58L92 66L34 90Q26 92 24 84Z;oak/2 p M32 78l4 6M46 72l4 6M60 68l4 6M74 62l4 6;amber p M44 92L100 66Q108 66 108 74V82L54 106Q46 106 46 100Z;oak/2 p M56 92l4 6M70 86l4 6M84 78l4 6;lime p M92 44L112 36Q118 52 104 60Z;yellow c 28 62 11;cream/1.4 p M28 53V71M19 62H37`,
  "food-cereal": turned(
    -6,
    `orange p M30 10H94L98 16V116H30Z;orange-- p M94 10L106 18V112L98 116V16Z;yellow c 64 40 20;red/5 p M52 40Q64 54 76 40;black c 57 34 3;black c 71 34 3;white p M36 72H92Q90 104 64 104Q38 104 36 72Z;amber c 50 76 6;oak c 50 76 2.4;amber c 64 72 6;oak c 64 72 2.4;amber c 78 76 6;oak c 78 76 2.4;white%40/3 p M35 18V110`,
  ),
  "food-soup": tin(
    "red",
    "white r 28 34 72 26;gold c 64 60 15;red/5 p M57 64Q64 70 71 64M60 56V52M68 56V52;white%60/2 p M40 82H88M46 90H82",
  ),
  "food-beans": tin(
    "teal",
    "cream e 64 68 26 22;rust e 54 62 8 5;rust e 72 64 8 5;rust e 60 76 8 5;rust e 76 76 7 4.5;white%70 e 52 60 2 1.4;white%70 e 70 62 2 1.4",
  ),
  "food-chocolate": turned(
    -24,
    `walnut r 28 10 72 62 4;${[0, 1, 2].map((i) => `walnut+ r ${34 + i * 21} 16 17 22 2;walnut+ r ${34 + i * 21} 42 17 22 2`).join(";")};silver p M26 56L36 62L46 54L56 62L66 54L76 62L86 54L102 60V70H26Z;crimson p M26 66H102V116H26Z;gold! r 26 78 76 5;gold! r 26 102 76 5;cream r 42 86 44 12 3`,
  ),
  "food-crisps": turned(
    8,
    `yellow p M30 16L98 16L92 30Q104 72 94 110L98 118H30L34 110Q24 72 36 30Z;amber r 30 12 68 8 1;amber r 30 112 68 8 1;red c 64 66 27;oak p M44 66Q48 48 66 52Q86 56 84 70Q74 84 58 80Q44 78 44 66Z;yellow+ p M50 66Q54 54 66 58Q78 60 78 69Q70 77 58 74Q50 73 50 66Z;oak c 62 66 1.6;oak c 70 70 1.6;white%50/3 p M38 34Q32 64 37 98`,
  ),
  "food-grilled-fish": `white e 64 84 58 28;white- e 64 82 46 21;copper p M18 76Q40 50 74 58Q92 62 98 74L116 62Q112 76 118 90L98 82Q86 98 62 98Q34 96 18 76Z;walnut/3.5 p M46 66L56 94M60 62L70 96M74 64L82 90;white c 32 74 4;black c 32 74 2;yellow p M86 102Q96 88 110 96Q104 110 86 102Z;leaf p M24 98Q28 86 44 94Q38 104 24 98Z`,
};
