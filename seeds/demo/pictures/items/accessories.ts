import { type Drawing, turned } from "../pen.ts";

const backpack = (
  colour: string,
  pocket: string,
  over = "",
): Drawing => `${colour}--/7 p M48 26Q50 10 64 10Q78 10 80 26;${colour} p M28 52Q28 20 64 20Q100 20 100 52V106Q100 114 92 114H36Q28 114 28 106Z;${colour}- p M18 66Q18 60 30 60V104H24Q18 104 18 96ZM110 66Q110 60 98 60V104H104Q110 104 110 96Z
  ${pocket} p M36 72H92V100Q92 106 86 106H42Q36 106 36 100Z;${pocket}- p M36 72H92V80H36Z;gold r 60 78 8 7 2;${colour}-/2 p M34 54Q64 62 94 54;white%35/3 p M36 52Q38 32 54 27
  ${over}`;
const watch = (
  band: string,
  face: string,
  marks: string,
  rim: string,
): Drawing => `${band} p M46 6H82L86 38H42Z;${band} p M42 90H86L82 122H46Z;${band}--/1.6 p M45 14H83M44 22H84M43 30H85M43 98H85M44 106H84M45 114H83
  ${rim} c 64 64 36;${rim}-- c 64 64 30;${face} c 64 64 28;${marks}/2.6 p M64 40V45M64 83V88M40 64H45M83 64H88;${marks}/4 p M64 64L64 49;${marks}/3 p M64 64L78 70;red/1.6 p M64 64L52 78;${marks} c 64 64 3;${rim} r 98 59 8 10 2;white%50/3 p M44 52Q50 41 60 38`;
const sportWatch = (colour: string, over = ""): Drawing =>
  `${colour} p M44 4H84L88 36H40Z;${colour} p M40 92H88L84 124H44Z;${colour}--/2 p M50 12H78M50 20H78M50 108H78M50 116H78;black p M36 38Q36 32 44 32H84Q92 32 92 38V90Q92 96 84 96H44Q36 96 36 90Z;${over};#c3d6b0 r 44 46 40 30 4;black/4 p M52 52v8M52 64v8M62 52h8v9h-8v9h8M78 52v18;${colour} r 46 82 14 6 2;${colour} r 68 82 14 6 2;gun r 90 46 6 10 2;gun r 90 70 6 10 2`;
const chain = (
  colour: string,
): Drawing => `${colour}/8 p M26 18Q24 78 64 88Q104 78 102 18;${colour}--/2 p M24 26l6 2M25 36l6 1M27 47l6 -1M31 58l6 -3M38 69l5 -5M48 78l3 -6M80 78l-3 -6M90 69l-5 -5M97 58l-6 -3M101 47l-6 -1M103 36l-6 1M104 26l-6 2
  ${colour} c 64 98 20;${colour}-- c 64 98 15;${colour}+ p M64 86l4 8h8l-6 6l2 9l-8 -5l-8 5l2 -9l-6 -6h8Z;white%60/2 p M50 92Q54 84 62 82`;
const headphones = (colour: string): Drawing =>
  `${colour}/9 p M24 74Q22 18 64 18Q106 18 104 74;${colour}+/2.5 p M28 62Q30 24 62 22;black r 14 66 18 40 8;black r 96 66 18 40 8;${colour} r 22 60 20 50 9;${colour} r 86 60 20 50 9;white%35/3 p M28 70V98M92 70V98`;
const ring = (metal: string, stone: Drawing): Drawing =>
  `${metal}/11 p M64 46a32 32 0 1 0 .1 0;${metal}++/3 p M38 66Q44 50 60 46\n${stone}`;
const goldChain = chain("gold");
const parrot: Drawing = `walnut/6 p M14 108H112;red p M46 28Q70 10 86 34Q94 60 84 88L70 118L58 116L54 92Q36 70 46 28Z;green p M50 58Q38 84 52 108L62 92Q66 70 50 58Z;blue p M50 78Q46 98 54 114L62 100Z;yellow p M60 58Q52 74 58 90Q70 76 60 58Z;white p M72 26Q90 26 88 42Q80 50 70 44Z;black c 78 36 3.5;amber p M86 30Q104 36 94 54Q90 48 84 46Z;amber/4 p M66 106l-4 6M76 102l2 8;red+/2.5 p M54 34Q62 24 72 22`;
const surfboard: Drawing = turned(
  32,
  `white p M64 2Q88 30 86 74Q84 110 64 126Q44 110 42 74Q40 30 64 2Z;teal p M45 46L85 66L86 82L43 60Z;orange p M43 66L86 88L83 100L44 80Z;wood/2 p M64 4V124;black p M60 112H68L70 124H64Z;white%60/3 p M50 40Q54 24 60 16`,
);

/** Bags, jewellery, instruments and toys. */
export const ACCESSORIES: Readonly<Record<string, Drawing>> = {
  "bag-small": backpack("#e0685a", "#f2a58c"),
  "bag-city": backpack("#3f5a86", "#5d7cab", "silver! r 40 48 48 4 1"),
  "bag-hiker": backpack(
    "#4f8a4c",
    "#d39a3a",
    "red r 22 10 84 18 9;red- c 28 19 8;red-- c 28 19 4;black/4 p M44 10V28M84 10V28;gun/4 p M18 74L108 74",
  ),
  "bag-sports": `black/6 p M38 58Q40 22 64 22Q88 22 90 58;blue p M10 62Q12 46 28 46H100Q116 46 118 62V92Q116 106 100 106H28Q12 106 10 92Z;blue-- p M10 62Q12 46 28 46V106Q12 106 10 92ZM118 62Q116 46 100 46V106Q116 106 118 92Z;white! p M34 66H94V78H34Z;gun/2.5 p M30 54H98;steel r 60 50 8 8 2;white%35/2.5 p M36 94H92`,
  "bag-briefcase": `gun/7 p M46 40V28Q46 22 52 22H76Q82 22 82 28V40;leather r 10 38 108 72 8;leather- r 10 66 108 6;leather+/1.6 p M18 46H110M18 102H110M18 46V62M110 46V62;gold r 30 60 14 16 3;gold r 84 60 14 16 3;gold-- c 37 70 2.5;gold-- c 91 70 2.5;leather-- p M10 46Q10 38 18 38H26L10 54ZM118 46Q118 38 110 38H102L118 54Z`,
  "bag-medic": `crimson/7 p M42 44Q44 18 64 18Q84 18 86 44;red r 12 42 104 68 10;red- r 12 56 104 6;white c 64 82 22;red p M59 68h10v9h9v10h-9v9h-10v-9h-9v-10h9Z;silver r 58 54 12 9 2;white%40/3 p M20 66V98`,
  "bag-money": `#c9a56a p M48 40L38 22Q50 28 56 18Q64 26 72 18Q78 28 90 22L80 40Q116 66 108 98Q102 116 64 116Q26 116 20 98Q12 66 48 40Z;walnut r 44 36 40 8 4;forest/7 p M78 66Q70 58 62 60Q50 62 52 70Q54 78 66 80Q78 82 78 90Q76 98 64 98Q54 98 50 91;forest/6 p M64 54V104;white%40/3 p M32 84Q32 68 44 56`,
  "watch-steel": watch("steel", "white", "black", "chrome"),
  "watch-gold": watch("gold", "cream", "walnut", "gold"),
  "watch-sport-green": sportWatch("#4cab4a"),
  "watch-sport-pink": sportWatch("#ec6ea8"),
  "watch-sport-camo": sportWatch("#75804c", "olive--%80 p M36 38Q50 34 48 50L36 60ZM92 60L84 80L92 90Z"),
  "chain-gold": goldChain,
  "chain-silver": chain("silver"),
  "ring-wedding": ring("gold", "gold++/2 p M84 62Q92 72 90 84"),
  "ring-diamond": ring(
    "silver",
    `sky p M44 22H84L94 36L64 60L34 36Z;white p M44 22L52 36L64 22L76 36L84 22L94 36H34Z;sky- p M52 36H76L64 60Z;white/2.5 p M96 10v12M90 16h12`,
  ),
  "acc-headphones-black": headphones("gun"),
  "acc-headphones-red": headphones("red"),
  "acc-parrot": parrot,
  "acc-skateboard": turned(
    -22,
    `black p M4 52Q4 46 12 50L24 58H104L116 50Q124 46 124 52Q122 64 106 66H22Q6 64 4 52Z;red p M10 56L22 64H106L118 56Q116 66 104 68H24Q12 66 10 56Z;steel p M26 68H42L40 76H28ZM86 68H102L100 76H88Z;yellow c 34 80 9;yellow-- c 34 80 4;yellow c 94 80 9;yellow-- c 94 80 4`,
  ),
  "acc-surfboard": surfboard,
  "acc-guitar-warlock": turned(
    38,
    `walnut r 59 6 10 66;black p M56 0H76L72 14H56Z;steel/1 p M61 12V96M64 12V96M67 12V96;crimson p M22 66L54 78V70H74V78L108 60L90 92L112 122L64 106L18 124L38 92Z;crimson--/2 p M30 72L54 84M100 66L76 84;black r 54 82 20 7 2;black r 54 95 20 6 2;gold c 88 100 3;gold c 82 108 3`,
  ),
  "acc-guitar-bass": turned(
    38,
    `walnut r 58 2 11 72;oak p M55 -8H72L70 8H57Z;steel/1.2 p M61 4V104M64 4V104M67 4V104;fire p M40 66Q44 54 56 68H72Q84 50 92 66Q88 80 92 90Q100 120 64 120Q28 120 36 90Q40 80 40 66Z;white p M56 76H80Q84 92 78 104L58 96Z;black r 55 84 18 8 3;steel r 54 104 20 5 2;gold c 84 104 3;gold c 80 112 3`,
  ),
  "acc-microphone": turned(
    38,
    `gun p M54 58H74L70 122Q64 126 58 122Z;steel r 50 50 28 10 3;steel c 64 32 25;iron/1.4 p M42 24H86M40 33H88M43 42H85M52 12V52M64 8V56M76 12V52;white%60/4 p M48 28Q51 16 62 13;red r 61 72 6 10 2;gun+/1.6 p M58 64L61 116`,
  ),
  "acc-cane-black": turned(
    45,
    `black/7 p M64 28V118;silver c 64 18 13;white%70 e 60 13 4 3;gold r 58 30 12 6 2;silver r 60 114 8 9 2;gun+/1.6 p M63 40V110`,
  ),
  "acc-boxing-gloves": `crimson/3 p M46 100Q64 116 84 98;red p M12 44Q12 18 38 18Q62 18 62 42L58 76H24Q12 66 12 44Z;red- p M50 40Q66 34 66 50Q64 64 52 62Z;white r 24 76 34 18 4;white%50/3 p M20 44Q22 28 36 25;red p M66 54Q68 30 92 30Q116 32 116 56Q116 78 104 88H70Z;red- p M78 52Q64 46 62 62Q64 76 78 74Z;white r 70 86 34 18 4;white%50/3 p M84 40Q96 34 106 46`,
  "acc-balloon": `grey/2 p M64 90Q54 104 66 112Q72 118 64 126;red p M64 6Q102 8 102 46Q100 76 64 90Q28 76 26 46Q26 8 64 6Z;red- p M58 88H70L74 98H54Z;white%60 e 46 32 8 13;white%30 c 54 58 3`,
  "acc-umbrella": `walnut/6 p M64 20V106Q64 118 74 118Q84 118 84 108;purple p M4 70Q8 18 64 14Q120 18 124 70Q114 60 104 70Q94 60 84 70Q74 60 64 70Q54 60 44 70Q34 60 24 70Q14 60 4 70Z;purple+ p M44 70Q44 30 64 14Q28 22 24 70Q34 60 44 70Z;purple- p M84 70Q84 30 64 14Q100 22 104 70Q94 60 84 70Z;steel r 62 6 4 10 2`,
};
