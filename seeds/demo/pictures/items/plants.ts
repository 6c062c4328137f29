import type { Drawing } from "../pen.ts";

/** A paper bag of seeds with what grows from them. */
const seeds = (
  colour: string,
  crop: Drawing,
): Drawing => `${colour} p M28 20H100L104 30V112Q104 118 98 118H30Q24 118 24 112V30Z;${colour}-- p M28 20H100L104 30H24Z;${colour}--/1.6 p M30 14l5 6l5 -6l5 6l5 -6l5 6l5 -6l5 6l5 -6l5 6l5 -6l5 6l5 -6l5 6l4 -6;white e 64 74 32 34
  ${crop}`;
const pot = (colour: string): Drawing =>
  `${colour} p M38 84H90L84 118H44Z;${colour}- r 32 76 64 12 4;white%35/3 p M46 92L49 112`;
const wheat = (x: number, top: number, foot: number): Drawing => {
  const grains = Array.from(
    { length: 5 },
    (_, i) => `gold e ${x - 5} ${top + 8 + i * 8} 4 5.5;gold e ${x + 5} ${top + 8 + i * 8} 4 5.5`,
  ).join(";");
  return `amber/3 p M${x} ${top}V${foot};${grains};gold e ${x} ${top} 4 6;amber/1.3 p M${x - 5} ${top + 4}l-5 -12M${x + 5} ${top + 4}l5 -12M${x} ${top - 4}v-10`;
};
const cob: Drawing = `leaf p M44 104Q28 70 46 40Q52 70 60 104ZM84 104Q100 70 82 40Q76 70 68 104Z;yellow p M64 18Q86 30 82 72Q80 96 64 106Q48 96 46 72Q42 30 64 18Z;amber/1.8 p M54 30Q50 64 56 98M64 20V104M74 30Q78 64 72 98M47 46H81M46 60H82M47 74H81M50 88H78M52 34H76;leaf p M44 104Q38 82 44 64Q62 84 62 112ZM84 104Q90 82 84 64Q66 84 66 112Z`;
const small = (drawing: Drawing, scale = 0.5, x = 32, y = 44): Drawing =>
  `( translate(${x} ${y}) scale(${scale})\n${drawing}\n)`;
const tomato: Drawing = `red c 64 66 40;leaf p M64 40L42 24L58 28L62 10L70 28L88 24L72 38L64 46Z;white%60 e 48 56 7 11`;
const pumpkin: Drawing = `forest/7 p M64 32V16;orange e 64 72 50 40;orange- e 64 72 30 40;orange e 64 72 14 39;white%40/4 p M24 62Q28 48 40 42`;
const potato: Drawing = `#c59a5f p M18 70Q14 34 58 30Q110 30 112 70Q108 104 64 104Q24 104 18 70Z;#8f6a3c e 48 60 4 3;#8f6a3c e 80 56 4 3;#8f6a3c e 66 82 4 3;#8f6a3c e 92 80 3 2.5;white%35/4 p M32 58Q38 44 56 42`;
const petals = Array.from({ length: 12 }, (_, i) => `( rotate(${i * 30} 64 56)\nyellow e 64 24 9 20\n)`).join(
  "\n",
);
const sunflower: Drawing = `leaf/5 p M64 80V124;leaf p M64 110Q84 92 96 102Q84 122 64 110Z\n${petals}\nwalnut c 64 56 22;walnut- c 64 56 13`;
const grapes: Drawing = `walnut/5 p M64 30V12;leaf p M64 24Q84 4 100 20Q92 40 64 28Z;${[
  [40, 44],
  [58, 42],
  [76, 44],
  [92, 48],
  [48, 60],
  [66, 60],
  [84, 62],
  [56, 76],
  [74, 78],
  [65, 92],
]
  .map(([x, y]) => `purple c ${x} ${y} 11;white%50 c ${Number(x) - 4} ${Number(y) - 4} 2.5`)
  .join(";")}`;

/** Seeds, crops and plants in pots. */
export const PLANTS: Readonly<Record<string, Drawing>> = {
  "seed-wheat": seeds(
    "#c9a25a",
    small(`${wheat(46, 30, 116)}\n${wheat(82, 30, 116)}\n${wheat(64, 18, 120)}`),
  ),
  "seed-corn": seeds("#7fae5a", small(cob, 0.55, 29, 40)),
  "seed-potato": seeds("#b07f56", small(potato)),
  "seed-tomato": seeds("#8fbf8a", small(tomato)),
  "seed-pumpkin": seeds("#6f9a6a", small(pumpkin)),
  "seed-sunflower": seeds("#7aa5d0", small(sunflower, 0.5, 32, 42)),
  "seed-grape": seeds("#b79ad0", small(grapes, 0.55, 29, 44)),
  "seed-apple-tree": `#8a5a36 p M30 92Q64 80 98 92L90 118H38Z;earth e 64 90 32 7;walnut/6 p M64 90Q62 62 66 40M64 66L46 50M65 58L84 42;leaf p M66 42Q48 26 62 8Q80 22 66 42ZM46 52Q24 52 22 34Q44 30 46 52ZM84 44Q86 22 106 22Q110 42 84 44ZM65 62Q84 62 92 74Q72 80 65 62Z;red c 50 62 6;red c 82 56 6`,
  "crop-wheat": `${wheat(34, 34, 112)}\n${wheat(94, 34, 112)}\n${wheat(50, 22, 116)}\n${wheat(78, 22, 116)}\n${wheat(64, 14, 118)}\nred r 28 84 72 10 4;red- p M58 84h12l6 22l-12 -10l-12 10Z`,
  "crop-corn": cob,
  "crop-potato": `( translate(-8 28) scale(.72)\n${potato}\n)\n( translate(44 30) scale(.7)\n${potato}\n)\n( translate(18 -2) scale(.74)\n${potato}\n)`,
  "crop-cotton": `walnut/4 p M64 122V60M64 96L38 76M64 88L92 68;leaf p M64 108Q44 98 36 108Q48 120 64 108ZM64 104Q86 92 96 104Q82 116 64 104Z;white c 52 44 15;white c 76 44 15;white c 64 30 15;white c 64 50 14;walnut p M54 60Q64 72 74 60L64 66Z;white c 28 68 10;white c 42 66 10;white c 34 58 10;white c 90 60 10;white c 104 58 10;white c 96 48 10;white-%50 c 68 46 8`,
  "farm-fertiliser": `cream p M22 24Q28 12 40 18H88Q100 12 106 24L112 108Q112 118 102 118H26Q16 118 16 108Z;green! p M19 58H109L112 98H16Z;cream-/2 p M26 26Q64 36 102 26;white c 64 78 17;leaf p M64 90V72Q50 72 50 60Q64 60 64 72Q64 62 78 60Q78 72 66 74V90Z;cream-- p M40 18L34 6L50 12L64 6L78 12L94 6L88 18Z`,
  "farm-watering-can": `teal/7 p M40 52Q44 18 78 26Q92 32 88 52;teal/8 p M36 84Q20 70 14 46;teal p M4 40L22 34L26 44L8 52Z;teal p M34 50H98L104 108Q104 116 96 116H38Q30 116 30 108Z;teal- e 66 51 32 6;teal/7 p M100 64Q124 66 120 88Q116 102 102 100;water p M6 60q5 8 0 11q-5 -3 0 -11ZM14 70q5 8 0 11q-5 -3 0 -11ZM4 82q5 8 0 11q-5 -3 0 -11Z;white%40/3 p M42 62L39 104;teal-- r 31 88 72 5`,
  "farm-egg": `sand p M6 74Q64 58 122 74Q112 114 64 114Q16 114 6 74Z;cream p M34 40Q50 40 54 72Q52 90 34 90Q16 90 16 72Q18 40 34 40Z;white p M66 30Q84 30 88 66Q86 88 66 88Q48 88 46 66Q48 30 66 30Z;tan p M96 42Q112 44 114 74Q112 90 96 90Q80 90 80 72Q82 42 96 42Z;oak p M6 76Q20 70 30 80T60 80T90 80T122 76Q112 114 64 114Q16 114 6 76Z;wood/2 p M16 92L40 86M34 104L60 90M62 108L86 90M88 102L112 86M20 86L50 108M60 86L84 108M90 84L104 98`,
  "farm-honey": `oak/6 p M84 40L110 6;walnut r 34 20 60 14 4;cream r 34 26 60 4;amber p M34 34H94Q106 42 106 54V106Q106 118 94 118H34Q22 118 22 106V54Q22 42 34 34Z;yellow%60 p M28 58Q28 46 40 42H48Q36 54 36 76V110H34Q28 108 28 100Z;cream r 34 62 60 36 3;amber p M64 66L76 73V87L64 94L52 87V73Z;gold+ p M64 71L72 76V84L64 89L56 84V76Z;black/2 p M80 70q6 -4 6 2M84 76h6`,
  "plant-pot-fern": `leaf/4 p M64 78Q58 40 20 34M64 78Q66 30 52 10M64 78Q72 34 98 20M64 78Q78 52 114 54M64 78Q46 58 14 64;green p M20 34Q34 22 46 44Q34 50 20 34ZM52 10Q70 14 64 40Q50 32 52 10ZM98 20Q98 44 78 48Q76 30 98 20ZM114 54Q104 74 84 64Q92 48 114 54ZM14 64Q26 50 44 62Q34 76 14 64Z;leaf+/1.6 p M24 35Q38 38 46 46M54 14Q60 28 63 40M96 24Q86 34 80 46\n${pot("#c9714a")}`,
  "plant-cactus": `green r 50 14 28 70 14;green/13 p M52 62H32V42M76 54H98V32;forest/1.8 p M58 20V78M64 16V80M70 20V78M32 44V58M98 34V50;white/1.4 p M54 30l-5 -2M54 46l-5 -2M74 30l5 -2M74 40l5 -2M84 58v4M40 66v4;pink c 64 12 8;pink+ c 60 8 4;pink+ c 68 8 4;yellow c 64 12 3\n${pot("#d68a4a")}`,
  "plant-rose": `forest/5 p M64 122V56;leaf p M64 104Q40 104 32 86Q56 80 64 104ZM64 90Q88 90 96 72Q72 66 64 90Z;red p M64 62Q34 60 36 32Q44 38 48 26Q54 10 68 12Q84 10 84 28Q94 26 94 36Q94 60 64 62Z;red- p M44 36Q52 58 64 62Q80 58 86 34Q76 48 64 46Q50 46 44 36Z;red+ p M54 26Q62 14 74 22Q78 34 66 38Q54 38 54 26Z;crimson p M60 28Q66 22 70 28Q70 34 64 34Z;leaf p M50 58Q64 66 78 58Q76 70 64 70Q52 70 50 58Z;forest/2 p M64 80l-5 -4M64 98l5 -4`,
  "plant-palm": `walnut p M58 82Q56 60 62 40H70Q66 60 70 82Z;walnut--/1.6 p M58 72l11 -2M58 62l10 -2M60 52l8 -2;leaf p M66 42Q40 20 14 44Q36 34 64 46ZM66 42Q50 60 22 66Q36 42 64 38ZM66 42Q50 10 66 2Q80 16 68 42ZM66 42Q92 20 116 44Q94 34 66 46ZM66 42Q82 60 108 66Q96 42 68 38ZM66 42Q32 14 30 8Q60 6 66 42ZM66 42Q98 16 100 10Q72 6 66 42Z\n${pot("#5f86b5")}`,
};
