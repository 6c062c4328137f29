import { type Drawing, placed, turned } from "../pen.ts";

/** A lump of rock, with what sits in it. */
const lump = (rock: string, over: Drawing): Drawing =>
  `${rock} p M16 92L24 54L52 26L88 32L112 66L106 100L70 112L34 108Z;${rock}+ p M24 54L52 26L60 56L36 72Z;${rock}- p M88 32L112 66L106 100L84 80Z;${rock}-- p M34 108L84 80L106 100L70 112Z;${over};white%25/2 p M30 54L52 32`;
const nuggets = (colour: string): Drawing =>
  `${colour} p M44 62L56 54L66 64L58 76L46 74Z;${colour}+ p M44 62L56 54L58 64Z;${colour} p M70 44L82 42L88 54L76 60Z;${colour}+ p M70 44L82 42L78 50Z;${colour} p M72 82L84 74L94 84L84 96L74 92Z;${colour}+ p M72 82L84 74L82 84Z;${colour} p M36 88L48 84L52 96L40 100Z`;
const ingot = (colour: string, x: number, y: number): Drawing =>
  placed(
    `translate(${x} ${y})`,
    `${colour} p M10 14L18 2H54L64 14Z;${colour}- p M10 14H64L70 34H4Z;${colour}++ p M18 2H54L56 5H17Z;${colour}-- p M20 20H54L56 28H18Z`,
  );
const ingots = (colour: string): Drawing =>
  `${ingot(colour, 27, 24)}\n${ingot(colour, -6, 60)}\n${ingot(colour, 60, 60)}`;
const heap = (colour: string, over = ""): Drawing =>
  `${colour} p M6 106Q24 92 40 62Q52 36 64 34Q78 36 90 64Q104 94 122 106Q118 114 64 114Q10 114 6 106Z;${colour}+ p M40 62Q52 36 64 34Q60 60 44 84Q34 84 40 62Z;${colour}- p M90 64Q104 94 122 106Q118 114 76 114Q96 100 90 64Z;${over}`;
const drum = (colour: string, mark: Drawing): Drawing =>
  `${colour} r 26 16 76 100 8;${colour}- e 64 19 38 9;${colour}+ e 64 17 34 6;gun e 78 17 6 2;${colour}- r 24 42 80 6 3;${colour}- r 24 82 80 6 3;white%35/4 p M36 30V106;shade%20 r 90 20 12 92;${mark}`;

/** Raw materials. */
export const RESOURCES: Readonly<Record<string, Drawing>> = {
  "res-wood": turned(
    -10,
    `wood r 18 42 96 48 6;walnut/2 p M36 52H78M60 62H106M40 76H84M90 50H108M92 82H110;walnut e 22 66 16 25;tan e 20 66 13 22;oak/2 p M20 50a9 15 0 1 0 .1 0M20 58a5 8 0 1 0 .1 0;leaf p M96 42Q98 24 114 26Q114 42 96 42Z`,
  ),
  "res-planks": `oak p M6 88L24 78H122L106 88Z;oak r 6 88 100 12 1;oak- p M106 88L122 78V90L106 100Z;tan p M10 66L28 56H124L108 66Z;tan r 10 66 98 12 1;tan- p M108 66L124 56V68L108 78Z;oak p M4 44L22 34H118L102 44Z;oak r 4 44 98 12 1;oak- p M102 44L118 34V46L102 56Z;wood/1.4 p M14 50H60M70 50H92M20 72H80M14 94H50M60 94H96`,
  "res-stone": `stone- p M62 106L68 70L96 58L118 78L114 104L88 112Z;stone p M8 104L14 66L42 40L74 50L84 84L70 110L28 114Z;stone+ p M14 66L42 40L50 66L28 80Z;stone- p M74 50L84 84L70 110L58 82Z;white%30/2 p M20 66L42 46`,
  "res-coal": lump(
    "coal",
    "coal++ p M56 56L74 48L78 62L64 70Z;coal++ p M40 84L54 80L56 92Z;coal++ p M84 84L96 80L92 92Z;white%70/2 p M60 54L72 50M44 84L52 82",
  ),
  "res-iron-ore": lump("stone-", nuggets("#b5623f")),
  "res-copper-ore": lump("stone-", nuggets("#3fae95")),
  "res-silver-ore": lump("stone-", nuggets("#dfe6ee")),
  "res-gold-ore": lump("stone-", nuggets("#f5c23e")),
  "res-iron-ingot": ingots("#8d97a5"),
  "res-copper-ingot": ingots("copper"),
  "res-gold-bar": `${ingots("gold")}\nwhite p M96 14l4 9l9 4l-9 4l-4 9l-4 -9l-9 -4l9 -4Z`,
  "res-diamond": `sky p M34 22H94L120 54L64 116L8 54Z;white p M34 22L46 54L64 22L82 54L94 22L120 54H8Z;sky+ p M8 54H46L64 116Z;sky- p M82 54H120L64 116Z;sky p M46 54H82L64 116Z;white/3 p M108 12v14M101 19h14`,
  "res-sulphur": heap(
    "yellow",
    "yellow++ p M56 66L66 56L72 68L62 78Z;yellow++ p M38 94L48 86L52 98Z;yellow-- p M78 92L90 86L92 100Z",
  ),
  "res-saltpetre": heap(
    "white-",
    "white p M54 60l8 -8l8 8l-8 10ZM36 90l7 -7l7 7l-7 9ZM78 86l8 -8l8 8l-8 10ZM60 98l6 -6l6 6l-6 8Z",
  ),
  "res-gunpowder": `${heap("gun", "iron c 54 70 2;iron c 66 56 2;iron c 72 84 2;iron c 46 96 2;iron c 90 100 2")}\noak p M84 66Q102 60 118 66Q124 84 118 106Q102 112 84 106Q78 86 84 66Z;gun/3 p M82 76Q101 70 121 76M82 96Q101 102 121 96;red c 101 86 6`,
  "res-materials": `oak r 10 52 108 62 3;oak- r 10 52 108 9;wood/2 p M10 72H118M10 92H118;wood r 16 52 8 62;wood r 104 52 8 62;gun p M26 46H76L82 38H100V46H84L78 54H50L46 62H36L40 54H28Z;steel r 52 28 40 7 3;brass r 34 26 7 22 3;brass r 44 22 7 26 3;white p M64 74l4 9h9l-7 6l3 9l-9 -5l-9 5l3 -9l-7 -6h9Z`,
  "res-scrap": `iron p M8 110L22 80L52 86L66 70L96 84L120 108Q64 122 8 110Z;steel/9 p M64 38a20 20 0 1 0 .1 0;steel/7 p M64 32V26M64 84V90M38 58H32M90 58H96M45 39L41 35M83 39L87 35M45 77L41 81M83 77L87 81;rust p M80 92L112 62L120 70L90 100Z;rust- c 28 90 10;rust-- c 28 90 4;steel p M40 96H66V106H40Z;gun/3 p M94 96q8 -8 14 0t14 -2`,
  "res-rubber": `tyre c 64 66 50;gun+/5 p M64 20a46 46 0 1 0 .1 0;tyre c 64 66 42;gun c 64 66 26;iron/2 p M64 44a22 22 0 1 0 .1 0;gun+/3 p M28 36l6 6M18 62h8M26 92l7 -6M100 36l-6 6M110 62h-8M102 92l-7 -6M64 112v-8;white%25/3 p M32 48Q42 34 58 31`,
  "res-glass": turned(
    -6,
    `glass%90 r 34 8 70 92 3;white%80 r 34 8 70 92 3;glass%75 r 34 8 70 92 3;glass r 18 26 70 92 3;white%70 p M24 70L60 32H74L24 86ZM46 112L88 66V80L58 112Z;white/2 p M18 26H88V118H18Z;teal%60/2 p M20 118H88`,
  ),
  "res-sand": heap(
    "sand",
    "sand-- c 56 64 1.5;sand-- c 68 80 1.5;sand-- c 48 92 1.5;sand-- c 80 100 1.5;red p M92 40L116 62L100 78L82 56Z;walnut/6 p M104 46L122 26",
  ),
  "res-cloth": `crimson p M12 84Q12 70 30 70H104V104H30Q12 104 12 92Z;crimson- e 24 87 12 17;crimson+/2 p M24 76a7 11 0 1 0 .1 0M24 82a3 5 0 1 0 .1 0;blue p M20 52Q20 40 36 40H110V70H36Q20 70 20 60Z;blue- e 32 55 11 15;blue+/2 p M32 46a6 9 0 1 0 .1 0;amber p M30 26Q30 16 44 16H104V40H44Q30 40 30 32Z;amber- e 42 28 10 12;amber+/2 p M42 21a5 7 0 1 0 .1 0`,
  "res-leather": `leather p M40 14Q50 26 64 22Q78 26 88 14L104 22Q98 36 108 46Q120 50 118 58Q104 62 104 78Q106 100 92 116L80 108Q64 98 48 108L36 116Q22 100 24 78Q24 62 10 58Q8 50 20 46Q30 36 24 22Z;leather+ p M44 30Q64 38 84 30Q88 54 86 88Q64 84 42 88Q40 54 44 30Z;tan/2 p M44 30Q64 38 84 30Q88 54 86 88Q64 84 42 88Q40 54 44 30Z;leather-%70 c 56 54 3;leather-%70 c 74 66 3`,
  "res-oil": drum(
    "#3a3f4a",
    "amber p M64 50q16 18 12 26q-12 12 -24 0q-4 -8 12 -26Z;black p M64 54q12 16 9 21q-9 9 -18 0q-3 -5 9 -21Z",
  ),
  "res-petrol": drum(
    "#c8392f",
    "yellow c 64 65 15;fire p M64 52q14 14 0 27q-14 -13 0 -27Z;red p M64 62q7 8 0 15q-7 -7 0 -15Z",
  ),
  "res-electronics": `green r 14 22 100 84 5;forest/2.5 p M24 36H44V56M24 92H40V76M104 34H88V50M104 94H90V80M30 64H44M84 64H104;black r 44 46 40 38 3;gun r 50 52 28 26 2;silver/3 p M50 44V38M58 44V38M66 44V38M74 44V38M50 92V86M58 92V86M66 92V86M74 92V86;gold r 20 30 8 8;gold r 20 88 8 8;red r 94 28 12 8 2;steel c 98 96 7;amber r 96 58 10 14 2;white%25/2 p M18 28H108`,
  "res-duct-tape": `steel c 60 62 46;steel- c 60 62 40;steel c 60 62 36;tan c 60 62 22;wood c 60 62 19;steel p M60 90H114V108H60Q40 106 30 96Z;steel+ r 60 90 54 4;steel--/1.4 p M112 90l-3 4l3 4l-3 4l3 5;white%60/3 p M28 46Q36 28 54 24`,
};
