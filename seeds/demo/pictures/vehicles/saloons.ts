import type { Drawing } from "../pen.ts";
import { car } from "./cars.ts";
import { checks, chromeSide, fins, flames, rack, roundel, rustSpots, scoop, stripe, wing } from "./extras.ts";
import { wheel, whitewall } from "./wheels.ts";

/** Two-door and four-door saloons and estate cars. */
export const SALOONS: Readonly<Record<string, Drawing>> = {
  401: car("coupe", "#b07a4e", { roof: 50, cabin: [22, 40, 72, 90] }),
  405: car("boxy", "#4b5a70"),
  410: car("boxy", "#7fa08c", { doors: 2, tail: 10, nose: 118, cabin: [30, 40, 72, 84] }),
  419: car("classic", "#cfa75e", { cabin: [26, 34, 68, 80], roof: 54, top: "cream" }),
  421: car("saloon", "black", { over: chromeSide(92, 14, 116), roof: 50 }),
  426: car("saloon", "#4f7fb8"),
  436: car("hatch", "#b65a5a", { tail: 9, roof: 50, deck: 70 }),
  445: car("boxy", "#7a2f3d", { over: chromeSide(86, 10, 118) }),
  466: car("classic", "#6fb5b0", {
    doors: 4,
    cabin: [28, 42, 72, 86],
    roof: 52,
    top: "cream",
    wheelLook: whitewall,
    over: fins("#6fb5b0"),
  }),
  467: car("classic", "#d8c9a3", {
    doors: 4,
    cabin: [26, 40, 72, 86],
    roof: 53,
    wheelLook: whitewall,
    over: chromeSide(84, 10, 118),
  }),
  474: car("classic", "#5a3f78", {
    roof: 51,
    cabin: [20, 44, 66, 82],
    deck: 74,
    hood: 71,
    wheelLook: whitewall,
    over: `${flames(100, 84, 9)}\n${chromeSide(90, 44, 86)}`,
  }),
  491: car("boxy", "#8793a5", { doors: 2, cabin: [30, 36, 70, 82], over: chromeSide(84, 8, 120) }),
  492: car("boxy", "#2f7a45", {
    over: chromeSide(85, 9, 119),
    wheelLook: (x, y, r) => wheel(x, y, r, "gold"),
  }),
  504: car("boxy", "#7d7a72", {
    over: `${rustSpots}\n${roundel(66, 82, "crimson")}\niron/3 p M6 80V98H18M122 80V98H110\ngun/2 p M60 51V70M40 52L58 70`,
    top: "#9a8f7f",
  }),
  507: car("saloon", "#a8b5bd", { roof: 51, cabin: [20, 42, 72, 94] }),
  516: car("saloon", "#c2b49a", { roof: 50 }),
  517: car("classic", "#6b86a8", { cabin: [26, 36, 70, 80], roof: 54, top: "#2f3743" }),
  518: car("muscle", "#c9872f", { top: "black", over: chromeSide(90, 44, 84) }),
  526: car("coupe", "#4c9a8e", { roof: 51, cabin: [20, 42, 70, 92] }),
  527: car("hatch", "#8a9f5a", { tail: 10, deck: 69, roof: 50, cabin: [18, 36, 68, 90] }),
  529: car("boxy", "#d2c0a8", { cabin: [26, 36, 76, 90], roof: 48 }),
  540: car("saloon", "#a84a3c"),
  542: car("muscle", "#7a8a70", { over: rustSpots }),
  546: car("saloon", "#5b6f58", { roof: 51 }),
  547: car("boxy", "#9ab8cf", { tail: 9, nose: 119 }),
  549: car("muscle", "#d0803f", { cabin: [18, 36, 64, 78], over: stripe(78, 12, 116, "#f2d6a2", 3) }),
  550: car("saloon", "#c64b4b", { cabin: [18, 44, 70, 98], roof: 48 }),
  551: car("saloon", "#e6e2d8", { tail: 4, nose: 124 }),
  560: car("saloon", "#2f63c4", {
    roof: 51,
    sill: 97,
    over: `${wing(4, 60, "#2f63c4")}\n${scoop(98, 73)}\nsteel c 19 98 2.5`,
    wheelLook: (x, y, r) => wheel(x, y, r, "gold"),
  }),
  562: car("coupe", "#8a53c9", {
    sill: 98,
    roof: 54,
    over: `${wing(5, 60, "black")}\n${stripe(91, 44, 86, "white", 2.5)}\n${scoop(96, 75)}`,
    wheelLook: (x, y, r) => wheel(x, y, r, "white"),
  }),
  580: car("classic", "#37424f", {
    doors: 4,
    cabin: [24, 40, 70, 84],
    roof: 47,
    top: "#b9bec6",
    hood: 70,
    over: "chrome r 117 74 6 20 2\nchrome- p M118 74l2 -6l1 6Z",
  }),
  585: car("boxy", "#5d4a3f", { over: chromeSide(88, 9, 119), roof: 49 }),
  604: car("classic", "#7aa39f", {
    doors: 4,
    cabin: [28, 42, 72, 86],
    roof: 54,
    top: "#cfc6ae",
    over: `${rustSpots}\nshade%60/1 p M84 62l-6 3l3 4\nshade%50 p M112 74l10 4l-2 8l-12 -3Z`,
  }),
  404: car("wagon", "#8f7d5c", { roof: 50 }),
  418: car("wagon", "#5fa39b", {
    tail: 8,
    nose: 119,
    roof: 42,
    belt: 66,
    deck: 60,
    hood: 74,
    cabin: [9, 14, 80, 104],
  }),
  458: car("wagon", "#b24f56", { over: rack(18, 70, 46) }),
  479: car("wagon", "#c9b98e", {
    roof: 50,
    over: `wood p M12 78H116V88H12Z\noak/1.4 p M12 83H116M36 78v10M66 78v10M92 78v10\n${rack(18, 70, 47)}`,
  }),
  561: car("wagon", "#e0b23c", {
    cabin: [10, 20, 70, 96],
    roof: 53,
    sill: 97,
    over: `${wing(2, 50, "#e0b23c")}\n${stripe(90, 42, 86, "black", 2.5)}`,
  }),
};

/** The patrol cars, taxis and other cars that a shape and a livery make. */
export const TAXI = car("saloon", "yellow", {
  over: `black r 50 42 22 7 2;amber! r 52 43 18 5 1\n${checks(14, 80, 17)}`,
});
export const CABBIE = car("classic", "#f0c02f", {
  doors: 4,
  cabin: [20, 40, 70, 86],
  roof: 46,
  hood: 70,
  over: `black r 48 39 20 7 2;amber! r 50 40 16 5 1\n${checks(20, 82, 14)}`,
});
