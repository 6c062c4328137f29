import { ACCESSORIES } from "../items/accessories.ts";
import { GOLDEN_SIM } from "../items/electronics.ts";
import { HOCKEY_MASK } from "../items/faces.ts";
import { FLAME_HELMET, SANTA_HAT } from "../items/headwear.ts";
import { PARTS } from "../items/parts.ts";
import { type Drawing, placed, turned } from "../pen.ts";
import { type Scene, tile, VEHICLE_SCENES } from "../scenes.ts";
import { VEHICLES } from "../vehicles/index.ts";

/** A medal with a crown, on a ribbon. */
const medal = (
  metal: string,
  ribbon: string,
  over = "",
): Drawing => `${ribbon} p M40 74L26 122L44 112L56 124L62 84ZM88 74L102 122L84 112L72 124L66 84Z;${ribbon}- p M40 74L34 94L58 100L62 84ZM88 74L94 94L70 100L66 84Z
  ${metal} c 64 54 44;${metal}- c 64 54 37;${metal} c 64 54 34;${metal}++ p M40 66L36 38L50 50L64 30L78 50L92 38L88 66Z;${metal}+ r 40 68 48 7 2;${metal}++ c 36 36 4;${metal}++ c 64 28 4;${metal}++ c 92 36 4;white%50/3 p M28 44Q36 22 56 17
  ${over}`;
const note = (x: number, y: number): Drawing =>
  `#5fa873 r ${x} ${y} 76 38 4;#8fcf9d r ${x + 5} ${y + 5} 66 28 2;#5fa873 e ${x + 38} ${y + 19} 14 12;#d9f0dc/3 p M${x + 42} ${y + 13}q-8 -4 -9 1q0 4 5 5q6 1 5 6q-2 4 -10 1M${x + 38} ${y + 9}v20;#5fa873 c ${x + 12} ${y + 19} 4;#5fa873 c ${x + 64} ${y + 19} 4`;
const bundle = (x: number, y: number): Drawing =>
  `#4a8f60 r ${x} ${y + 8} 76 38 4;#4a8f60 r ${x} ${y + 4} 76 38 4;${note(x, y)}\ncream r ${x + 52} ${y} 10 46 1`;
const coin = (x: number, y: number, r = 20): Drawing =>
  `gold-- e ${x} ${y + 5} ${r} ${r * 0.42};gold e ${x} ${y} ${r} ${r * 0.42};gold+ e ${x} ${y} ${r * 0.68} ${r * 0.27}`;
const pile = (x: number, y: number, count: number): Drawing =>
  Array.from({ length: count }, (_, i) => coin(x, y - i * 8)).join("\n");
const bigCoin = (x: number, y: number, r: number): Drawing =>
  `gold- c ${x + 3} ${y + 2} ${r};gold c ${x} ${y} ${r};gold- c ${x} ${y} ${r * 0.78};gold c ${x} ${y} ${r * 0.72};gold++ p M${x} ${y - r * 0.5}l${r * 0.15} ${r * 0.34}h${r * 0.36}l${-r * 0.28} ${r * 0.24}l${r * 0.1} ${r * 0.36}l${-r * 0.33} ${-r * 0.2}l${-r * 0.33} ${r * 0.2}l${r * 0.1} ${-r * 0.36}l${-r * 0.28} ${-r * 0.24}h${r * 0.36}Z`;
const plus = "white c 102 26 21;green c 102 26 17;white/6 p M102 17V35M93 26H111";
const small = (drawing: Drawing | undefined, transform: string): Drawing => placed(transform, drawing ?? "");
const gift = (box: string, ribbon: string, inside: Drawing): Drawing => `${inside}
  ${box} r 16 64 96 54 4;${box}- r 10 56 108 16 3;${ribbon} r 57 56 14 62;${ribbon}+ r 57 56 14 16;${ribbon} p M64 58Q42 36 36 48Q36 60 64 58Q92 60 92 48Q86 36 64 58Z;${ribbon}-/2 p M64 58L48 50M64 58L80 50`;

/** Drawings of the shop's items by id. */
export const SHOP: Readonly<Record<string, Drawing>> = {
  "vip-bronze": medal("#c9803f", "#8a4a2a"),
  "vip-silver": medal("#bcc6d2", "#4f6a8f"),
  "vip-gold": medal("#f0b93a", "#b8323f"),
  "vip-platinum": medal(
    "#d6e6e8",
    "#2f7f86",
    "teal c 36 36 3.5;teal c 64 28 3.5;teal c 92 36 3.5;teal r 58 69 12 5 2",
  ),
  "vip-diamond": medal(
    "#8fd3f2",
    "#5f3fb0",
    "white p M64 36L76 50L64 68L52 50Z;sky+ p M64 36L64 68L52 50Z;white/2.5 p M102 6v14M95 13h14M18 70v10M13 75h10",
  ),
  "vip-gold-year": medal(
    "#f0b93a",
    "#b8323f",
    "white c 98 92 24;red p M78 84Q78 72 98 72Q118 72 118 84Z;gun/2.4 p M88 90h4M96 90h4M104 90h4M88 97h4M96 97h4M104 97h4M88 104h4M96 104h4;gun/4 p M88 70v6M108 70v6",
  ),
  "cash-small": turned(-12, note(26, 46)),
  "cash-medium": `${placed("rotate(-14 64 64)", note(14, 34))}\n${placed("rotate(2 64 64)", note(30, 50))}\n${placed("rotate(14 64 64)", note(30, 68))}`,
  "cash-large": `${bundle(10, 66)}\n${bundle(42, 60)}\n${bundle(26, 24)}`,
  "cash-huge": `walnut p M14 12H114Q120 12 120 18V60H8V18Q8 12 14 12Z;crimson r 16 20 96 40;walnut+/2 p M18 22H110;${placed("translate(12 42) scale(.62)", note(0, 0))}\n${placed("translate(66 42) scale(.62)", note(0, 0))}\n${placed("translate(14 52) scale(.62)", note(0, 0))}\n${placed("translate(68 52) scale(.62)", note(0, 0))}\n${placed("translate(38 46) scale(.66)", bundle(0, 0))}\nwalnut p M4 66H124V110Q124 118 116 118H12Q4 118 4 110Z;walnut- r 4 66 120 7;gold r 22 62 12 16 2;gold r 94 62 12 16 2;gun/6 p M48 92Q48 104 64 104Q80 104 80 92`,
  "coins-100": `${pile(38, 104, 3)}\n${pile(88, 106, 2)}\n${bigCoin(64, 58, 34)}`,
  "coins-333": `${pile(30, 84, 6)}\n${pile(96, 88, 5)}\n${pile(46, 106, 7)}\n${pile(82, 110, 4)}\n${bigCoin(78, 42, 28)}\nwhite/2.5 p M24 12v14M17 19h14M112 62v10M107 67h10`,
  "vehicle-slot": `stone p M10 118V46L64 14L118 46V118Z;crimson p M4 50L64 10L124 50L118 58L64 22L10 58Z;gun r 24 58 80 60;iron/2 p M24 66H104M24 74H104;blue p M34 106V92Q34 88 38 88L46 76H82L90 88Q94 88 94 92V106Z;pane p M50 79H78L84 88H44Z;lamp c 43 96 4;lamp c 85 96 4;black r 36 104 12 10 2;black r 80 104 12 10 2;${plus}`,
  "house-slot": `leaf e 64 112 58 10;cream p M24 60H100V112H24Z;crimson p M14 64L62 22L110 64L102 70L62 36L22 70Z;walnut r 54 80 18 32 2;gold c 68 97 2;sky r 32 74 16 16 2;white/2 p M40 74v16M32 82h16;sky r 80 74 14 16 2;white/2 p M87 74v16M80 82h14;stone r 80 30 10 18;${plus}`,
  "name-change": `white r 10 34 108 68 10;blue p M10 56V44Q10 34 20 34H108Q118 34 118 44V56Z;white/4 p M28 45H64;grey/5 p M26 82Q36 66 42 82T58 78T74 82;amber p M74 88L104 44L116 52L86 96L72 102Z;pink p M104 44L108 38Q114 36 119 41Q122 46 120 49L116 52Z;cream p M74 88L86 96L72 102Z;black p M75 97L79 99.5L72 102Z;steel r 56 28 16 10 3`,
  "number-plate": PARTS["part-license-plate"] ?? "",
  "golden-number": `${GOLDEN_SIM}\nwhite p M104 10l4 10l10 4l-10 4l-4 10l-4 -10l-10 -4l10 -4Z`,
  unwarn: `amber p M58 18Q64 8 70 18L116 98Q120 110 108 110H20Q8 110 12 98Z;yellow p M60 28Q64 22 68 28L106 96Q108 102 102 102H26Q20 102 22 96Z;black p M58 46H70L67 76H61Z;black c 64 88 6;white c 96 92 26;green c 96 92 21;white/6 p M86 92L94 100L108 84`,
  "gate-custom": `stone r 4 30 20 88 2;stone r 104 30 20 88 2;stone+ r 0 24 28 10 2;stone+ r 100 24 28 10 2;amber c 14 18 7;amber c 114 18 7;gun/4 p M26 60Q64 26 102 60M26 110H102M26 84H102M34 54V116M44 46V116M54 42V116M64 40V116M74 42V116M84 46V116M94 54V116;gold c 64 78 12;gold- p M64 70l3 6h6l-5 4l2 6l-6 -4l-6 4l2 -6l-5 -4h6Z`,
  "gang-name": `stone r 6 14 116 78 3;stone-/1.6 p M6 32H122M6 52H122M6 72H122M34 14V32M78 14V32M20 32V52M60 32V52M100 32V52M40 52V72M84 52V72M24 72V92M64 72V92M104 72V92;purple/9 p M24 66Q20 30 42 32Q54 38 40 48Q58 50 52 66Q42 76 30 66;lime/9 p M64 70L74 30L86 70M68 56H82;pink/8 p M112 36Q94 30 96 44Q114 50 110 62Q104 72 92 66;pink/3 p M44 72v14M76 74v10;red r 88 84 20 38 4;silver r 91 76 14 9 3;white! r 88 96 20 10;gun r 95 71 6 6 1`,
  "toy-parrot": ACCESSORIES["acc-parrot"] ?? "",
  "toy-santa-hat": SANTA_HAT,
  "toy-flame-helmet": FLAME_HELMET,
  "toy-gold-chain": ACCESSORIES["chain-gold"] ?? "",
  "toy-surfboard": ACCESSORIES["acc-surfboard"] ?? "",
  "toy-hockey-mask": HOCKEY_MASK,
  "skin-triad": `#2a2d36 p M22 26L48 10H80L106 26L118 78L102 84L96 60V122H32V60L26 84L10 78Z;white p M50 10H78L72 60H56Z;crimson p M60 18H68L72 54L64 64L56 54Z;#2a2d36+ p M48 10L40 36L52 42L46 50L62 88L54 20ZM80 10L88 36L76 42L82 50L66 88L74 20Z;gold c 64 96 2.5;gold c 64 108 2.5;gold/2.5 p M92 92q8 -8 2 -14q-8 -4 -8 6q4 10 10 16;red r 84 46 10 8 1;white%20/2 p M30 34L24 72`,
  "bundle-newcomer": gift(
    "#3f9e6a",
    "#f2c12e",
    `${small(note(0, 0), "translate(8 24) rotate(-14) scale(.62)")}\n${small(bigCoin(0, 0, 18), "translate(66 34)")}\noak p M86 20L104 20L112 60H82Z;gold/5 p M96 18a9 9 0 1 0 .1 0M96 36V56M96 50h8`,
  ),
  "bundle-racer": gift(
    "#d9402f",
    "#f4f5f7",
    `${small(PARTS["part-wheels-import"], "translate(64 4) scale(.46)")}\nwalnut/4 p M34 62L20 8;white p M20 6L54 2L60 26L26 32Z;black! p M20 6L31 4.7L33 13L22 14.5ZM42.5 3.3L54 2L56 10L44 11.5ZM33 13L44 11.5L46 20L35 21.5ZM24 23L35 21.5L37 30L26 32ZM46 20L58 18L60 26L48 28Z`,
  ),
  "bundle-boss": gift(
    "#35303f",
    "#f0b93a",
    `gold p M22 40L16 8L34 24L46 2L58 24L76 8L70 40Z;gold- r 22 38 48 8 2;red c 46 34 4;blue c 32 34 3;blue c 60 34 3;${small(ACCESSORIES["ring-diamond"], "translate(72 6) scale(.42)")}`,
  ),
};

/** Shop items that are a vehicle: its model, and how much of the tile it fills. */
const SOLD_VEHICLES: Readonly<Record<string, { model: string; category: string }>> = {
  "car-infernus": { model: "411", category: "Sports cars" },
  "car-sultan": { model: "560", category: "Saloons" },
  "car-elegy": { model: "562", category: "Saloons" },
  "bike-nrg": { model: "522", category: "Bikes" },
  "heli-maverick": { model: "487", category: "Helicopters" },
  "boat-jetmax": { model: "493", category: "Boats" },
};

/** What a shop item shows, and where; a vehicle looks as it does in the catalogue. */
export function shopDrawing(
  id: string,
  category: string | null,
): { drawing: Drawing; scene: Scene } | undefined {
  const sold = SOLD_VEHICLES[id];
  const drawing = sold ? VEHICLES[sold.model] : SHOP[id];
  return drawing === undefined
    ? undefined
    : { drawing, scene: (sold && VEHICLE_SCENES[sold.category]) || tile(category) };
}
