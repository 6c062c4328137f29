import type { Drawing } from "./pen.ts";

/** What is behind a drawing: a sky of two colours, and a drawing on it. */
export interface Scene {
  readonly sky: readonly [string, string];
  readonly back: Drawing;
  /** Drawn before the thing, such as water around a boat. */
  readonly front?: Drawing;
  /** Where a thing stands; nothing where it floats. */
  readonly ground?: number;
}

const sun = (x: number, y: number, r: number, colour = "#fff3c4"): Drawing =>
  `${colour}!%70 c ${x} ${y} ${r}`;
const cloud = (x: number, y: number, s: number): Drawing =>
  `white!%60 p M${x} ${y}q0 ${-s * 0.5} ${s * 0.5} ${-s * 0.5}q${s * 0.2} ${-s * 0.6} ${s * 0.9} ${-s * 0.3}q${s * 0.8} ${-s * 0.1} ${s * 0.7} ${s * 0.8}Z`;
const road = (colour: string, verge: string): Drawing =>
  `${verge}! r 0 94 128 34;${colour}! r 0 97 128 31;#ffffff!%45 r 4 114 22 3;#ffffff!%45 r 42 114 22 3;#ffffff!%45 r 80 114 22 3;#ffffff!%45 r 118 114 22 3`;
const towers = (colour: string): Drawing =>
  `${colour}!%55 p M0 95V66H12V54H24V72H34V44H48V64H58V76H72V50H80V40H88V58H98V70H108V56H120V74H128V95Z`;
const hills = (colour: string, y = 94): Drawing =>
  `${colour}!%60 p M0 ${y}V${y - 20}Q22 ${y - 40} 46 ${y - 18}Q72 ${y - 44} 96 ${y - 20}Q114 ${y - 34} 128 ${y - 22}V${y}Z`;
const palm = (x: number, y: number): Drawing =>
  `#3a2a58!%60 p M${x} 95L${x + 2} ${y}h3l2 ${95 - y}Z;#3a2a58!%60 p M${x + 3} ${y}q-14 -8 -20 4q10 -6 20 -2q-12 2 -14 12q8 -10 15 -10q2 8 0 14q6 -8 2 -15q10 2 12 10q2 -12 -12 -13q10 -4 16 2q-4 -12 -19 -4Z`;

const street = (sky: Scene["sky"], back: Drawing, asphalt = "#5c6474", verge = "#8f98a6"): Scene => ({
  sky,
  back: `${back}\n${road(asphalt, verge)}`,
  ground: 104,
});

/** Scenes of vehicles by category. */
export const VEHICLE_SCENES: Readonly<Record<string, Scene>> = {
  Saloons: street(["#9fd3f2", "#e6f4fb"], towers("#7fb0d2")),
  "Station wagons": street(
    ["#a9d8ea", "#eef6e6"],
    `${sun(100, 30, 14)}\n${hills("#7fb48a")}`,
    "#646b72",
    "#8fae7c",
  ),
  "Sports cars": street(
    ["#ff9f6e", "#ffe0a8"],
    `${sun(88, 74, 26, "#fff0b0")}\n${hills("#c9637c")}`,
    "#564a63",
    "#a46a72",
  ),
  Convertibles: street(
    ["#63c6e8", "#d9f3ee"],
    `${sun(26, 28, 13)}\n#3fa3cf!%70 r 0 80 128 15\n${palm(104, 50)}\n${palm(14, 60)}`,
    "#6d6a72",
    "#ead8a4",
  ),
  Lowriders: street(
    ["#7f6fd0", "#f7b5c4"],
    `${sun(70, 70, 20, "#ffd9a0")}\n${palm(16, 44)}\n${palm(110, 52)}`,
    "#4c4666",
    "#8b6fa3",
  ),
  "Off-road": {
    sky: ["#8fcbe8", "#fdeac0"],
    back: `${sun(24, 30, 12)}\n#c98a5a!%75 p M0 94V70L14 58H34L42 74L60 80L76 52H104L112 70L128 76V94Z\n#dcb06a! p M0 92Q40 84 70 92T128 90V128H0Z;#c99a55!%60 p M0 112Q36 104 80 114T128 110V128H0Z`,
    ground: 104,
  },
  Industrial: street(
    ["#b9cfe0", "#f3ead6"],
    "#8a9bb0!%60 p M0 95V62H30V50H36V40H42V62H62V70H84V46H90V34H96V46H98V62H128V95Z;#ffffff!%40 c 42 32 6;#ffffff!%40 c 50 26 8",
    "#666a70",
    "#a09a8c",
  ),
  "Unique vehicles": street(
    ["#9bd6cf", "#f4f2d4"],
    `${cloud(14, 36, 20)}\n${cloud(84, 26, 18)}\n${hills("#6fb58f")}`,
    "#6a7068",
    "#9ab37a",
  ),
  "Public service": street(["#8db4ea", "#dbe9fb"], towers("#6688bd"), "#56607a", "#8b9ab8"),
  Bikes: street(
    ["#ffb98a", "#ffe9c9"],
    `${sun(98, 66, 22, "#fff4cf")}\n${hills("#d28a6a")}`,
    "#5f5660",
    "#b98c6a",
  ),
  Bicycles: {
    sky: ["#a4dcf2", "#eef8e2"],
    back: `${cloud(20, 34, 20)}\n${hills("#7dbb74")}\n#8cc46b! r 0 92 128 36;#d9c79a! r 0 98 128 18`,
    ground: 104,
  },
  Trailers: street(["#c6d2dc", "#f4efe2"], hills("#a3ac98"), "#6c6e72", "#b0aa98"),
  Trains: {
    sky: ["#a6c9e6", "#f7e6cf"],
    back: `${hills("#8fa883")}\n#a89a84! r 0 92 128 36;#8b7d68! p M0 108H128V128H0Z;#6b4f38! r 4 104 14 6 1;#6b4f38! r 30 104 14 6 1;#6b4f38! r 56 104 14 6 1;#6b4f38! r 82 104 14 6 1;#6b4f38! r 108 104 14 6 1;#c9ced6! r 0 102 128 3`,
    ground: 106,
  },
  Boats: {
    sky: ["#8fd3f4", "#fdf0d2"],
    back: `${sun(98, 34, 14)}\n${cloud(14, 34, 20)}\n#4fb0dd! r 0 84 128 44`,
    front:
      "#3f9fd6!%92 p M0 94Q10 89 20 94T40 94T60 94T80 94T100 94T120 94T140 94V128H0Z;#2f86c4!%70 p M0 108Q10 103 20 108T40 108T60 108T80 108T100 108T120 108T140 108V128H0Z;#ffffff!%70/2 p M2 98q8 -5 16 0M98 97q9 -5 18 0;#ffffff!%45/1.6 p M40 112q8 -4 16 0M84 118q8 -4 16 0",
  },
  Helicopters: {
    sky: ["#6fb6ec", "#d3ecfb"],
    back: `${cloud(8, 108, 26)}\n${cloud(70, 118, 30)}\n${cloud(86, 26, 14)}`,
  },
  Airplanes: {
    sky: ["#5fa8ea", "#d9f0ff"],
    back: `${cloud(-6, 116, 34)}\n${cloud(64, 122, 36)}\n${cloud(14, 26, 14)}`,
  },
  "RC vehicles": {
    sky: ["#f3d9b8", "#fbeeda"],
    back: "#e6c9a2!%60 r 0 0 20 96;#e6c9a2!%60 r 40 0 20 96;#e6c9a2!%60 r 80 0 20 96;#c08a58! r 0 94 128 34;#a8733f!%60 r 0 106 128 2;#a8733f!%60 r 0 118 128 2;#ffffff!%80 r 0 90 128 5",
    ground: 104,
  },
};

/** Plain tiles of items: light at the upper left, one pair of colours a category. */
const TILES: Readonly<Record<string, Scene["sky"]>> = {
  "Melee weapons": ["#e3b7a4", "#c48877"],
  Firearms: ["#e6c79a", "#c99a62"],
  "Heavy weapons and explosives": ["#ecb58f", "#cf7f5f"],
  "Ammunition and attachments": ["#d4cda0", "#a8a06a"],
  "Special equipment": ["#a9d3cf", "#6fa8a6"],
  "Armour and police gear": ["#aebfe4", "#7d93c6"],
  Headwear: ["#d9b9e0", "#b088c0"],
  "Masks and glasses": ["#c3b8ea", "#9585ca"],
  "Bags and accessories": ["#efbccb", "#cf8aa2"],
  Food: ["#ffdf9e", "#f2b866"],
  Drinks: ["#a6dcee", "#6cb4d4"],
  Medicine: ["#a9e2cd", "#6fbd9e"],
  Tools: ["#f0cf96", "#d3a35c"],
  "Phones and electronics": ["#b2c8de", "#809dbd"],
  Fishing: ["#93d6dc", "#58a8b8"],
  Furniture: ["#e8d3b5", "#c8a67c"],
  "Keys and documents": ["#c4d8a8", "#95b273"],
  Resources: ["#cfc4b6", "#a39484"],
  "Plants and farming": ["#c0e3a0", "#8cbf69"],
  "Vehicle parts": ["#c3cad6", "#929db0"],
  "VIP status": ["#8d7fe0", "#4f419e"],
  "Game money": ["#8fd6a8", "#4a9a6c"],
  Vehicles: ["#9fd3f2", "#e6f4fb"],
  Services: ["#9cc4f0", "#5f8ed0"],
  Accessories: ["#f2b3cf", "#cc7aa2"],
  Bundles: ["#f7cf7e", "#e09a3c"],
};

const OTHER: Scene["sky"] = ["#c9d2dd", "#98a5b6"];

/** The tile of an item of a category. */
export function tile(category: string | null): Scene {
  const glow = "#ffffff!%22 c 50 46 46;#ffffff!%16 c 44 40 28";
  return { sky: TILES[category ?? ""] ?? OTHER, back: glow };
}
