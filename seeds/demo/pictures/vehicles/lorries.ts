import type { Drawing } from "../pen.ts";
import { car } from "./cars.ts";
import { rustSpots } from "./extras.ts";
import { heavyWheel } from "./wheels.ts";

const axle = (...at: number[]): Drawing => at.map((x) => heavyWheel(x, 92, 12)).join("\n");

/** A truck tractor with a long bonnet; its coupling is free. */
const longNose = (
  colour: string,
  over = "",
): Drawing => `gun r 6 82 112 7 2;iron r 8 76 34 6 2;chrome r 46 22 4 62 2;chrome+ r 46 20 5 5 1
  ${colour} p M42 88V44Q42 38 48 38H72Q77 38 79 43L85 60L118 64Q122 66 122 72V88Z
  pane p M58 60V45H70Q73 45 74 48L79 60Z;glass%50 p M67 45h3l7 15h-5Z;shade%35/1 p M54 44V84M84 62V86
  chrome r 116 66 6 20 2;${colour}- r 44 84 72 5 2;lamp c 111 78 3.5;chrome/1.5 p M90 68H112;chrome r 60 78 18 8 3
  ${over}
  ${axle(20, 42, 104)}`;

/** One with its cab above the engine. */
const flatNose = (
  colour: string,
  over = "",
): Drawing => `gun r 6 82 112 7 2;iron r 10 76 40 6 2;chrome r 58 24 4 60 2
  ${colour} p M64 90V34Q64 28 70 28H110Q116 28 117 34L121 66V90Z
  pane p M86 60V40H111Q113 40 114 43L117 60Z;glass%50 p M104 40h6l6 20h-6Z;shade%35/1 p M82 34V86M118 62H84
  ${colour}-- r 64 84 57 6 2;lamp r 114 72 7 6 2;chrome r 100 78 22 4 1;black r 84 66 8 2
  ${over}
  ${axle(20, 44, 100)}`;

/** A short cab at the front of a long frame. */
const cab = (colour: string): Drawing => `gun r 4 84 116 6 2
  ${colour} p M84 92V42Q84 37 89 37H106Q112 37 113 43L119 66Q122 68 122 72V92Z;pane p M90 62V45H105Q107 45 108 48L113 62Z;glass%50 p M100 45h4l7 17h-6Z
  ${colour}-- r 84 86 38 6 2;lamp r 115 74 6 6 2;shade%35/1 p M88 42V88`;

const pickup = (colour: string, over = "", own = {}): Drawing =>
  car("pickup", colour, { over: `${colour}- r 6 66 42 4 1;shade%30/1 p M10 72V88H46V72\n${over}`, ...own });

/** Lorries, truck tractors and pickups. */
export const LORRIES: Readonly<Record<string, Drawing>> = {
  403: longNose("#3f63b0", "white! p M58 66H84V70H58Z"),
  408: `${cab("#3f8f5a")}
    #3f8f5a p M8 86L4 62Q6 34 22 32H82V86Z;#3f8f5a- p M8 86L4 62Q6 34 22 32H28V86Z;#3f8f5a-/1.5 p M40 34V84M54 34V84M68 34V84;gun p M4 66L16 60V86H8Z;amber! r 28 74 54 4
    black e 12 62 5 8
    ${axle(28, 50, 102)}`,
  443: `gun/3 p M6 86L14 40H80;#b5433c p M4 90L10 40H16L12 90Z;iron p M8 46L84 26V32L10 52Z;iron/2 p M22 48V84M42 44V84M62 38V84;steel r 6 78 80 5 1
    ${cab("#b5433c")}
    ${axle(24, 48, 102)}`,
  455: `${cab("#d8743a")}
    walnut r 4 76 80 7 1;oak r 4 73 80 4 1;iron/2 p M6 73V60M80 73V50M30 73V66M56 73V66;wood r 20 54 26 19 2;oak/1.4 p M20 60H46M20 67H46M33 54V73
    ${axle(24, 48, 102)}`,
  514: flatNose("#4aa6a8", "white! p M66 66H82V84H66Z;#4aa6a8- r 68 70 12 10 2"),
  515: longNose(
    "#8d2f3c",
    `( translate(-14 0)
    #8d2f3c p M42 86V32Q42 26 48 26H66V86Z;pane r 46 44 12 9 2
    )
    amber! r 50 31 3 3;gold! p M58 66H86V69H58Z`,
  ),
  524: `${cab("#e0b13a")}
    #d9dde3 p M10 62L26 42Q48 30 70 40L80 52L78 66Q54 82 30 76Z;#c9523a p M34 38L46 35L38 78L28 75Z;#c9523a p M60 36L68 38L64 74L52 77Z;iron p M4 56L14 58L12 70L6 70Z;iron/4 p M20 84L28 74M70 84L72 70
    ${axle(24, 48, 102)}`,
  578: `${cab("#556a8c")}
    iron r 2 78 84 5 1;oak r 2 74 84 5 1;iron/3 p M82 74V44M76 74V44;amber! r 6 79 4 3;amber! r 40 79 4 3
    steel p M12 60H64V74H12Z;steel-/2 p M12 65H64M12 70H64
    ${axle(20, 40, 102)}`,
  422: pickup("#7a9fb8", "", { roof: 50, cabin: [52, 56, 76, 90] }),
  478: pickup("#6f7d58", `wood r 6 54 42 14 1;oak/1.6 p M6 59H48M6 64H48\n${rustSpots}`, {
    roof: 46,
    hood: 66,
    belt: 66,
    wheels: [28, 98, 12.5],
  }),
  543: pickup("#a5482f", "white! r 8 78 106 5"),
  605: pickup(
    "#8f5a48",
    `${rustSpots}\nshade%60/1.2 p M82 62l-7 2l4 4\nrust p M8 68q10 -4 16 2l-4 8l-12 -2Z\nshade%55 p M112 72l11 5l-2 9l-12 -4Z`,
    { top: "#b3a99a" },
  ),
  554: pickup("#33508f", "steel! r 8 84 106 4;gun/3 p M50 66V44H44", {
    sill: 89,
    wheels: [28, 98, 15],
    roof: 43,
    belt: 65,
    deck: 65,
    hood: 66,
  }),
  600: car("coupe", "#c7774a", {
    tail: 4,
    nose: 123,
    deck: 71,
    cabin: [54, 56, 74, 94],
    roof: 53,
    over: "#c7774a- r 8 70 44 3 1;shade%30/1 p M10 74V90",
  }),
  552: `steel/2 p M8 46H78M8 41H78M16 46V41M28 46V41M40 46V41M52 46V41M64 46V41;iron r 14 46 3 8;iron r 70 46 3 8
    #e8b23c r 6 54 36 34 2;#e8b23c- r 10 60 28 10 1;#e8b23c- r 10 73 28 10 1;gun/2 p M22 65h5M22 78h5
    ${car("pickup", "#e8b23c", { cabin: [46, 50, 76, 90] })}
    #e8b23c r 6 56 36 12 2;shade%25 r 10 60 28 6 1`,
  531: `#3d8f47 p M52 84V64H104Q112 64 113 72V88H60Z;#2f6f38 p M60 84H112V90H60Z;black/3 p M92 64V38;black/2 p M90 38h5;gun/3 p M30 66V30H66L70 64
    white r 28 27 42 5 2;glass%45 p M34 34H62L66 62H34Z;leather r 36 58 14 8 3;yellow c 112 76 3;black r 100 70 3 14;black r 94 70 3 14
    #3d8f47 p M12 72Q22 50 46 62L52 72Z
    ${heavyWheel(34, 80, 24, "yellow")}
    ${heavyWheel(98, 90, 14, "yellow")}`,
};
