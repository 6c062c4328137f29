import type { Drawing } from "../pen.ts";
import { car } from "./cars.ts";
import { chromeSide, fins, flames, lip, roundel, scoop, spareTail, stripe, wing } from "./extras.ts";
import { spokedWheel, whitewall } from "./wheels.ts";

const lowrider = { wheelLook: whitewall, sill: 99, wheels: [27, 102, 10.5] } as const;
const number = (colour: string, other: string, digit: string): Drawing => `${stripe(88, 10, 118, other, 5)}
  ${roundel(60, 81, digit)}
  ${wing(6, 62, other)}
  ${colour}+ p M98 76l14 2l-3 5l-13 -3Z`;
const hotring = (colour: string, other: string, digit: string): Drawing =>
  car("gt", colour, { over: number(colour, other, digit), sill: 97 });

/** Coupés, muscle cars and sports cars, with a roof or without. */
export const SPORTS_CARS: Readonly<Record<string, Drawing>> = {
  402: car("muscle", "#35518f", {
    over: `${stripe(91, 44, 84, "white", 3)}\n${scoop(90, 71)}\n${lip(2, 66, "#35518f")}`,
  }),
  411: car("sports", "#f0682c", {
    over: `${wing(4, 66, "black")}\nblack p M34 80L46 77V86L38 88Z\nblack%70 p M100 86l14 2l-4 4l-12 -2Z`,
  }),
  415: car("sports", "#d8342f", {
    over: "black/1.5 p M30 82H62M30 85H62M30 88H62\nblack p M26 76L36 78L30 80Z",
  }),
  429: car("gt", "#5f86e6", { open: true, over: `${stripe(88, 42, 86, "white", 4)}\n${scoop(88, 76)}` }),
  451: car("sports", "#e9c02f", {
    cabin: [22, 50, 60, 98],
    over: `${wing(3, 67, "#e9c02f")}\nblack p M36 82L50 79L46 88H38Z`,
  }),
  475: car("muscle", "#3f9a56", { over: `${stripe(76, 10, 118, "white", 3)}\n${scoop(86, 71)}` }),
  477: car("sports", "#c93c5e", {
    roof: 58,
    hood: 81,
    cabin: [14, 46, 62, 90],
    over: "black r 98 75 10 4 1\nlamp r 104 75 5 4 1",
  }),
  494: hotring("#d94436", "white", "crimson"),
  496: car("hatch", "#4fb06a", { tail: 14, over: lip(8, 46, "#4fb06a") }),
  502: hotring("#2c66c9", "yellow", "navy"),
  503: hotring("#35373f", "orange", "orange"),
  506: car("gt", "#8e1f2f", { hood: 79, over: chromeSide(91, 44, 84) }),
  541: car("sports", "#4ab8d8", {
    cabin: [20, 48, 64, 92],
    over: `${stripe(84, 12, 118, "white", 4)}\nblack p M34 79L44 77V84L38 86Z`,
  }),
  558: car("hatch", "#e3674a", {
    deck: 70,
    roof: 51,
    cabin: [16, 38, 68, 94],
    sill: 98,
    over: `${wing(8, 60, "black")}\n${stripe(92, 46, 84, "black", 3)}`,
  }),
  559: car("coupe", "#f2a33a", {
    roof: 56,
    sill: 97,
    cabin: [14, 46, 66, 92],
    over: `${wing(4, 60, "#f2a33a")}\nblack p M96 80l12 2l-4 4l-10 -2Z\nblack p M34 80L42 78V86Z`,
  }),
  565: car("hatch", "#5468d4", {
    sill: 97,
    over: `${lip(8, 46, "#5468d4")}\n${stripe(91, 46, 84, "yellow", 3)}`,
  }),
  587: car("coupe", "#d6d9de", {
    roof: 53,
    cabin: [14, 44, 66, 92],
    over: `${lip(4, 67, "#d6d9de")}\n${stripe(82, 12, 116, "red", 2.5)}`,
  }),
  589: car("hatch", "#b23333", { cabin: [13, 22, 66, 90] }),
  602: car("gt", "#3d6b62", { cabin: [14, 44, 62, 86], over: lip(3, 68, "#3d6b62") }),
  603: car("muscle", "#2f3440", {
    over: `gold p M88 72L112 72L104 76H92Z\n${flames(108, 86, 9)}\n${scoop(88, 71)}\n${lip(1, 65, "black")}`,
  }),
  439: car("muscle", "#e8e2d2", { open: true, over: `${stripe(90, 44, 84, "red", 3)}\n${scoop(86, 72)}` }),
  480: car("coupe", "#e8d044", { open: true, deck: 72, hood: 78, cabin: [18, 42, 66, 88] }),
  533: car("boxy", "#b9c7d6", {
    doors: 2,
    open: true,
    cabin: [28, 40, 72, 86],
    over: chromeSide(88, 44, 84),
  }),
  555: car("classic", "#2d6b4f", {
    open: true,
    deck: 74,
    cabin: [26, 40, 66, 80],
    over: `chrome r 116 76 6 16 2\n${chromeSide(88, 12, 84)}`,
    wheelLook: (x, y, r) => `${spokedWheel(x, y, r - 2)}`,
  }),
};

/** Lowered cars with much chrome. */
export const LOWRIDERS: Readonly<Record<string, Drawing>> = {
  412: car("classic", "#8c2f6b", { ...lowrider, over: `${fins("#8c2f6b")}\n${chromeSide(86, 10, 118)}` }),
  534: car("classic", "#3a5fb0", {
    ...lowrider,
    cabin: [40, 46, 70, 80],
    hood: 71,
    top: "white",
    over: `${chromeSide(90, 40, 90)}`,
    behind: spareTail(0, 82, 12),
  }),
  535: car("pickup", "#e07a2f", {
    ...lowrider,
    roof: 54,
    belt: 74,
    deck: 74,
    hood: 75,
    cabin: [46, 52, 74, 88],
    over: `${flames(104, 88, 10)}\nchrome/2 p M10 72H44`,
  }),
  536: car("classic", "#35a3a0", {
    ...lowrider,
    open: true,
    over: `${chromeSide(86, 10, 118)}\nwhite p M22 70L44 70L40 66L26 66Z`,
  }),
  566: car("boxy", "#7b3f9c", { ...lowrider, over: chromeSide(88, 9, 119), top: "#d9c6e6" }),
  567: car("classic", "#2f8f6f", {
    ...lowrider,
    open: true,
    doors: 4,
    cabin: [22, 40, 72, 84],
    over: `${chromeSide(86, 10, 118)}\nred r 46 66 10 8 3\nred r 30 66 10 8 3`,
  }),
  575: car("classic", "#b8323a", {
    ...lowrider,
    roof: 50,
    cabin: [30, 38, 64, 72],
    deck: 76,
    hood: 70,
    belt: 72,
    over: `black p M14 99C12 80 38 80 42 99Z\n${whitewall(27, 93.5, 10.5)}\nblack/3 p M86 96C88 82 116 80 118 94`,
  }),
  576: car("classic", "#e8d9b8", {
    ...lowrider,
    top: "#d05a4a",
    over: `${fins("#e8d9b8")}\n#d05a4a p M12 80H86L104 86H12Z\n${chromeSide(80, 10, 90)}`,
  }),
};
