import type { Drawing } from "../pen.ts";
import { car } from "./cars.ts";
import { lights, star } from "./extras.ts";
import { BLACK_RANCHER } from "./off-road.ts";
import { CABBIE, TAXI } from "./saloons.ts";
import { heavyWheel, track } from "./wheels.ts";

const patrol = (body: string, door: string, mark: string): Drawing =>
  car("saloon", body, {
    over: `${door} p M43 72H88V92H43Z\nshade%30/1 p M43 72V92M65 72V92M88 72V92\n${star(54, 82, 6, mark)}\n${lights(44, 43)}\nblack r 119 84 5 12 2`,
  });

/** A tall box on wheels, such as a bus or an armoured van. */
function box(colour: string, { front = 122, roof = 34, slope = 8 } = {}): Drawing {
  return `${colour} p M6 96V${roof + 6}Q6 ${roof} 12 ${roof}H${front - slope - 4}Q${front - slope} ${roof} ${front - slope + 2} ${roof + 8}L${front} 70V96Z
    ${colour}-- r 6 92 ${front - 6} 5 2
    lamp r ${front - 6} 82 6 6 2;tail r 6 80 3 8 1`;
}

const wheels = (...at: number[]): Drawing =>
  at.map((x) => `shade%85 p M${x - 14} 97a14 14 0 0 1 28 0Z\n${heavyWheel(x, 92, 12)}`).join("\n");

const windows = (from: number, to: number, y: number, width: number, height: number): Drawing => {
  const count = Math.floor((to - from) / (width + 3));
  return Array.from({ length: count }, (_, i) => {
    const x = from + i * (width + 3);
    return `pane r ${x} ${y} ${width} ${height} 2;glass%45 p M${x + 2} ${y}h4l-4 ${height}h-2Z`;
  }).join("\n");
};

const fireEngine = (over: Drawing): Drawing => `red p M4 94V52H82V94Z
  red p M84 94V42Q84 38 88 38H108Q113 38 115 44L121 64V94Z;pane p M90 62V44H106Q110 44 111 48L115 62Z;glass%45 p M100 44h6l6 18h-6Z
  silver r 10 64 30 22 2;silver r 44 64 34 22 2;iron/1 p M10 69H40M10 74H40M10 79H40M44 69H78M44 74H78M44 79H78
  white! r 4 88 117 3;amber! r 84 70 37 4;lamp r 115 78 6 6 3;gun r 4 94 118 4 2
  blue r 92 33 10 5 2;red+ r 104 33 8 5 2
  ${wheels(28, 100)}
  ${over}`;

const swatBody = (colour: string, over: Drawing): Drawing => `${box(colour, { roof: 40, slope: 14 })}
  pane p M92 62V48H106L114 62Z;glass%45 p M100 48h5l8 14h-6Z;${colour}- r 10 66 74 3;pane r 20 50 12 9 2;pane r 40 50 12 9 2;pane r 60 50 12 9 2
  ${colour}-- p M84 42V92;shade%40/1 p M86 42V92
  ${wheels(30, 98)}
  black p M116 84H125V98H116Z
  ${over}`;

/** Police, fire brigade, ambulance, army, buses and taxis. */
export const PUBLIC_SERVICE: Readonly<Record<string, Drawing>> = {
  407: fireEngine(`steel/4 p M40 50L66 40;iron c 40 50 6;iron r 60 36 14 8 3;steel r 8 48 70 4 1`),
  416: `${box("white", { roof: 36, slope: 20 })}
    red! r 6 72 114 5;amber! r 6 79 114 3;pane p M94 64V46H104L116 64Z;glass%45 p M100 46h5l9 18h-6Z;shade%30/1 p M88 40V92M58 40V92
    red p M36 46h8v7h7v8h-7v7h-8v-7h-7v-8h7Z
    ${lights(70, 31)}
    ${wheels(30, 98)}`,
  420: TAXI,
  427: swatBody("#30466e", `white! r 10 72 78 8;${lights(60, 35)};${star(46, 80, 8)}`),
  431: `${box("#e9e4d5", { roof: 34, slope: 2 })}
    teal! r 6 76 116 12;${windows(10, 104, 44, 19, 22)}
    pane p M104 42H116L119 68H104Z;glass%45 p M109 42h5l3 26h-5Z;shade%40/1.2 p M88 42V94M102 42V94;amber! r 92 36 24 4 1
    ${wheels(30, 96)}`,
  432: `olive p M30 56Q32 46 42 46H74Q82 46 84 56L88 66H26Z;olive+ r 50 40 18 8 3;olive- p M84 50H126V55H86Z;olive p M118 48h9v9h-9Z
    olive p M6 78L16 64H112L124 78V84H6Z;olive-- r 6 80 118 4;khaki c 44 57 5;gun/2 p M40 46V24
    ${track(4, 124, 82, 22)}`,
  433: `olive p M4 84V50Q4 40 14 38H68Q78 40 78 50V84Z;olive-/1.5 p M20 39V82M38 38V82M58 38V82;olive-- r 4 78 76 8
    olive p M82 88V50H98L104 64H118Q122 66 122 72V88Z;pane p M86 64V54H96L101 64Z;${star(92, 78, 7, "white")};lamp c 118 76 3;gun r 4 86 118 5 2
    ${wheels(22, 48, 102)}`,
  437: `${box("#7d9fc9", { roof: 30, slope: 6 })}
    #7d9fc9-- r 6 78 116 4;${windows(10, 100, 40, 22, 24)};pane p M102 38H112L119 68H102Z;glass%45 p M107 38h5l5 30h-5Z
    white! p M6 70H122V73H6Z;steel/1 p M12 84H92M12 88H92
    ${wheels(28, 44, 98)}`,
  438: CABBIE,
  490: BLACK_RANCHER,
  528: swatBody("#2d323d", `${lights(56, 35)};white! r 20 72 30 5 1`),
  544: fireEngine(
    `steel/3 p M6 48L104 30M6 42L104 24;steel/2 p M14 47V41M26 45V39M38 43V37M50 41V35M62 38V32M74 36V30M86 34V28M98 32V26;iron r 4 44 12 8 2`,
  ),
  596: patrol("#22262f", "white", "gold"),
  597: patrol("white", "#2f6fd0", "white"),
  598: patrol("#23406e", "#dfe5ee", "amber"),
  599: car("suv", "#efe9da", {
    over: `forest! p M8 74H120V82H8Z\n${star(54, 78, 9)}\n${lights(38, 34)}\nblack r 117 76 6 16 2`,
  }),
  601: swatBody("#424a58", `gun c 54 38 8;iron/4 p M56 36L82 28;white! r 18 72 40 6 1;gun/2 p M8 46H82`),
};
