import type { Drawing } from "../pen.ts";
import { wheel } from "./wheels.ts";

/** A car from the side, driving to the right; places in units of the drawing, wheels stand on y = 104. */
export interface Car {
  colour: string;
  /** Leftmost and rightmost x. */
  tail: number;
  nose: number;
  /** Heights (y) of boot lid, lower edge of the windows, bonnet at the nose, roof. */
  deck: number;
  belt: number;
  hood: number;
  roof: number;
  /** x of the rear window's foot, the roof's two ends, the windscreen's foot. */
  cabin: readonly [number, number, number, number];
  /** x of the two wheels, and their radius. */
  wheels: readonly [number, number, number];
  doors: 2 | 4;
  sill: number;
  /** The upper half's colour, if it is another. */
  top?: string;
  open?: boolean;
  wheelLook?: (x: number, y: number, r: number) => Drawing;
  /** Drawn behind the body, and on top of it. */
  behind?: Drawing;
  over?: Drawing;
}

export const SHAPES = {
  saloon: {
    tail: 6,
    nose: 122,
    deck: 70,
    belt: 71,
    hood: 74,
    roof: 49,
    cabin: [22, 40, 72, 93],
    wheels: [30, 98, 12],
    doors: 4,
    sill: 95,
  },
  boxy: {
    tail: 5,
    nose: 123,
    deck: 69,
    belt: 70,
    hood: 71,
    roof: 50,
    cabin: [28, 37, 74, 87],
    wheels: [30, 98, 11.5],
    doors: 4,
    sill: 95,
  },
  coupe: {
    tail: 7,
    nose: 121,
    deck: 70,
    belt: 72,
    hood: 75,
    roof: 52,
    cabin: [16, 43, 68, 90],
    wheels: [30, 97, 12.5],
    doors: 2,
    sill: 95,
  },
  muscle: {
    tail: 4,
    nose: 123,
    deck: 68,
    belt: 71,
    hood: 71,
    roof: 53,
    cabin: [13, 40, 60, 76],
    wheels: [28, 99, 13],
    doors: 2,
    sill: 95,
  },
  sports: {
    tail: 5,
    nose: 124,
    deck: 73,
    belt: 77,
    hood: 84,
    roof: 60,
    cabin: [18, 48, 62, 96],
    wheels: [29, 99, 12.5],
    doors: 2,
    sill: 97,
  },
  gt: {
    tail: 6,
    nose: 123,
    deck: 71,
    belt: 75,
    hood: 78,
    roof: 57,
    cabin: [14, 42, 58, 82],
    wheels: [28, 99, 13],
    doors: 2,
    sill: 96,
  },
  hatch: {
    tail: 12,
    nose: 118,
    deck: 66,
    belt: 71,
    hood: 74,
    roof: 47,
    cabin: [15, 25, 68, 93],
    wheels: [32, 97, 12],
    doors: 2,
    sill: 95,
  },
  wagon: {
    tail: 5,
    nose: 122,
    deck: 66,
    belt: 71,
    hood: 74,
    roof: 49,
    cabin: [7, 14, 74, 93],
    wheels: [29, 98, 12],
    doors: 4,
    sill: 95,
  },
  classic: {
    tail: 3,
    nose: 125,
    deck: 71,
    belt: 73,
    hood: 72,
    roof: 55,
    cabin: [30, 42, 68, 79],
    wheels: [27, 102, 11],
    doors: 2,
    sill: 98,
  },
  suv: {
    tail: 7,
    nose: 121,
    deck: 58,
    belt: 64,
    hood: 66,
    roof: 40,
    cabin: [8, 13, 74, 89],
    wheels: [30, 97, 14],
    doors: 4,
    sill: 91,
  },
  pickup: {
    tail: 4,
    nose: 123,
    deck: 68,
    belt: 68,
    hood: 69,
    roof: 46,
    cabin: [50, 54, 76, 89],
    wheels: [28, 98, 13.5],
    doors: 2,
    sill: 92,
  },
} as const satisfies Record<string, Omit<Car, "colour">>;

export type Shape = keyof typeof SHAPES;

/** A car of one of the usual shapes, with what is its own. */
export function car(shape: Shape, colour: string, own: Partial<Car> = {}): Drawing {
  return drawCar({ ...SHAPES[shape], colour, ...own });
}

function drawCar(given: Car): Drawing {
  const { colour, wheels, behind = "", over = "", wheelLook = wheel, sill } = given;
  const [rear, front, r] = wheels;
  const y = 104 - r;
  const arch = (x: number) => `shade%80 p M${x - r - 3} ${sill + 1}a${r + 3} ${r + 3} 0 0 1 ${2 * r + 6} 0Z`;
  return `${behind}
    ${given.open ? openTop(given) : cabinOf(given)}
    ${bodyOf(given)}
    ${colour}-- r ${rear} ${sill - 3} ${front - rear} 5 2
    ${arch(rear)}
    ${arch(front)}
    ${lampsOf(given)}
    ${wheelLook(rear, y, r)}
    ${wheelLook(front, y, r)}
    ${over}`;
}

function bodyOf({ colour, tail, nose, deck, belt, hood, cabin, sill, doors, open }: Car): Drawing {
  const [a, b, , d] = cabin;
  const middle = (b + d) / 2;
  const edges = doors === 4 ? [b - 2, middle - 4, d - 4] : [middle - 12, d - 3];
  return `${colour} p M${tail + 4} ${sill}C${tail - 1} ${sill - 5} ${tail} ${deck + 3} ${tail + 6} ${deck}L${a} ${deck}
      L${open ? a + 8 : a + 4} ${belt}L${d} ${belt}C${d + 12} ${belt} ${nose - 12} ${hood} ${nose - 5} ${hood + 3}
      C${nose} ${hood + 6} ${nose + 1} ${sill - 7} ${nose - 2} ${sill}Z`
    .replace(/\n\s*/g, "")
    .concat(`
    white%38/1.6 p M${tail + 8} ${deck + 3.5}L${a + 3} ${belt + 3}L${d} ${belt + 3}Q${nose - 18} ${belt + 3} ${nose - 9} ${hood + 5}
    shade%28/1 p ${edges.map((x) => `M${x} ${belt + 1}V${sill - 4}`).join("")}
    shade%45/1.6 p ${edges
      .slice(0, -1)
      .map((x) => `M${x + 3} ${belt + 8}h5`)
      .join("")}`);
}

function cabinOf({ colour, top = colour, deck, belt, roof, cabin, doors }: Car): Drawing {
  const [a, b, c, d] = cabin;
  const foot = Math.max(deck, belt) + 2;
  const outline = (x: number, up: number, base: number) =>
    `M${a + x} ${base}C${a + x + (b - a) * 0.45} ${roof + up + 5} ${b - 3} ${roof + up} ${b + x / 3} ${roof + up}` +
    `L${c - x / 3} ${roof + up}C${c + 5} ${roof + up} ${c + (d - c) * 0.45} ${roof + up + 5} ${d - x} ${base}Z`;
  const middle = (b + d) / 2 - 4;
  const pillars = doors === 4 ? [b + 1, middle] : [(b + d) / 2 - 12];
  return `${top} p ${outline(0, 0, foot)}
    pane p ${outline(6, 4, belt - 1)}
    glass%55 p M${c - 3} ${roof + 5}L${c + 1} ${roof + 5}L${(c + d) / 2 + 1} ${belt - 2}L${(c + d) / 2 - 6} ${belt - 2}Z
    glass%40 p M${b + 4} ${roof + 5}L${b + 12} ${roof + 5}L${b + 4} ${belt - 2}L${b - 4} ${belt - 2}Z
    ${top}/3 p ${pillars.map((x) => `M${x} ${roof + 3}V${belt}`).join("")}`;
}

function openTop({ belt, roof, cabin }: Car): Drawing {
  const [a, , c, d] = cabin;
  const top = Math.max(roof, belt - 19);
  return `leather r ${a + 14} ${belt - 10} 9 14 4
    leather r ${c - 14} ${belt - 10} 9 14 4
    gun/2 p M${d - 14} ${belt - 3}l-6 -5
    glass%70 p M${c + 2} ${top}L${d} ${belt}L${d - 7} ${belt}Z
    chrome/2 p M${c + 2} ${top}L${d} ${belt}`;
}

function lampsOf({ tail, nose, deck, hood, sill }: Car): Drawing {
  const low = sill - 5;
  return `tail r ${tail + 1} ${deck + 5} 4 7 1.5
    lamp r ${nose - 8} ${hood + 6} 7 5 2.5
    steel r ${tail - 1} ${low - 2} 8 4 2
    steel r ${nose - 8} ${low - 2} 9 4 2`;
}
