import type { Drawing } from "../pen.ts";
import { star } from "./extras.ts";

/** A main rotor turning at (x, y), and the tail rotor's disc. */
const rotor = (x: number, y: number, width = 104): Drawing =>
  `gun r ${x - 3} ${y} 6 10 1;gun%85 p M${x - width / 2} ${y - 1}Q${x} ${y - 4} ${x + width / 2} ${y - 1}Q${x} ${y + 4} ${x - width / 2} ${y - 1}Z;gun c ${x} ${y} 4`;
const tailRotor = (x: number, y: number, r = 12): Drawing =>
  `gun%25 c ${x} ${y} ${r};gun/2.5 p M${x} ${y - r}V${y + r}M${x - r} ${y}H${x + r};gun c ${x} ${y} 3`;
const skids = (left: number, right: number, y: number): Drawing =>
  `gun/3 p M${left + 12} ${y - 12}L${left + 10} ${y}M${right - 18} ${y - 12}L${right - 16} ${y}M${left} ${y}H${right - 4}Q${right} ${y} ${right + 2} ${y - 5}`;

const maverick = (colour: string, stripe: string, over = ""): Drawing => `${skids(46, 112, 100)}
  ${colour} p M8 44L16 44L24 56L56 58L66 46Q92 40 108 54Q122 66 120 76Q116 88 96 90H64Q52 86 46 70L14 62Z
  ${stripe}! p M22 60L56 66Q84 74 119 72L118 80Q88 82 56 74Z
  pane p M88 48Q102 48 110 58Q116 66 116 70L92 70Z;pane r 68 52 16 17 3;glass%50 p M96 50q8 2 12 10l-6 10h-8Z;shade%30/1 p M87 48V88M64 56V86
  ${tailRotor(12, 48)}
  ${over}
  ${rotor(74, 36)}`;

const bubble = (
  colour: string,
  over: Drawing,
): Drawing => `gun/3 p M10 62L62 68M14 68L62 78M22 63L30 70M36 65L42 73M48 66L52 76
  ${colour} p M50 58L70 52V88H58Q48 76 50 58Z;glass%75 p M66 50Q104 42 112 68Q114 88 92 92H66Z;steel/2 p M66 50Q104 42 112 68Q114 88 92 92H66M86 47Q94 70 86 92;leather r 72 70 10 16 3
  ${tailRotor(12, 58, 11)}
  ${over}
  ${rotor(64, 36, 100)}`;

const transport = (
  colour: string,
  over: Drawing,
): Drawing => `${colour} p M4 36L14 34L26 56L54 50Q92 44 110 58Q124 70 122 80Q120 90 104 92H44Q34 88 30 72L10 58Z
  ${colour}- p M44 50Q60 38 86 48L84 54H46Z;pane p M98 54Q110 58 114 68L98 68Z;glass%50 p M103 56q6 3 9 11h-7Z;pane r 48 62 10 9 2;pane r 64 62 10 9 2;pane r 80 62 10 9 2;shade%30/1 p M94 52V90
  ${tailRotor(10, 42, 13)}
  ${over}
  ${rotor(68, 32, 112)}`;

/** Helicopters, flying to the right. */
export const HELICOPTERS: Readonly<Record<string, Drawing>> = {
  417: transport(
    "#c9d1d8",
    `#d8622f! p M32 76L122 78L121 84L36 82Z;tyre c 56 95 6;tyre c 100 95 6;steel p M30 92H118Q112 102 100 102H48Q36 100 30 92Z`,
  ),
  425: `olive p M4 46L12 44L24 58L56 56Q66 44 84 48L104 64Q122 68 122 76Q118 84 100 84H58L46 72L10 60Z;pane p M70 56Q82 48 90 58L92 66H70Z;pane p M92 66L94 60Q104 62 108 68L106 72H94Z;glass%50 p M76 54q8 -2 11 5l1 7h-6Z
    olive-- p M50 70H86V76H50Z;gun r 52 76 26 7 3;gun r 60 84 24 5 2;steel r 76 77 8 5 2;gun/4 p M104 84V90H122;gun/3 p M60 90L58 102M104 92V98;tyre c 58 101 6;khaki p M26 58L52 58L46 66L30 62Z;red p M110 70l6 2l-5 3Z
    ${tailRotor(10, 50)}
    ${rotor(66, 36, 108)}`,
  447: bubble(
    "#3f7fb8",
    "orange p M40 96H108Q116 98 110 104H46Q38 102 40 96Z;gun/3 p M62 88V96M92 90V96;gun/4 p M96 92H118",
  ),
  469: bubble("#e0a92f", skids(46, 108, 102)),
  487: maverick("#e8e3d6", "#2f8f8a"),
  488: maverick("#e9edf2", "#c9352f", "gun c 108 92 6;glass c 110 92 3;red! p M18 50l6 8l-10 -2Z"),
  497: maverick("#26406f", "#f2f4f8", `${star(76, 80, 7)};lamp c 104 92 5`),
  548: transport(
    "#6f7852",
    `olive-- p M30 74L44 90H60L40 66Z;gun/1.6 p M74 92V104;wood r 64 100 20 14 1;${"tyre c 50 94 6"};tyre c 104 94 6;${star(60, 82, 6, "white")}`,
  ),
  563: transport("#d9622f", `white! p M32 74L122 76L121 82L36 80Z;${skids(44, 114, 103)}`),
};

const plane = (
  colour: string,
  over: Drawing,
): Drawing => `${colour} p M6 40L18 40L34 62L96 58Q118 58 122 70Q120 80 100 82H40Q20 80 8 60Z
  white%40/1.6 p M34 65L98 62Q110 62 117 67
  ${over}`;
const propeller = (x: number, y: number, r = 22): Drawing =>
  `gun%25 e ${x} ${y} 3.5 ${r};gun/2.5 p M${x} ${y - r}V${y + r};steel e ${x} ${y} 4 5`;
const wheels = (...at: number[]): Drawing =>
  at.map((x) => `gun/3 p M${x} 82V94;tyre c ${x} 97 7;rim c ${x} 97 3`).join("\n");

const biplane = (colour: string, other: string, over = ""): Drawing =>
  plane(
    colour,
    `${other}! p M10 52L34 66H110V71H38Z
  black p M60 58Q66 50 76 58Z;glass%70 p M72 58L76 50L82 58Z;gun/2 p M72 42V82M92 42V82M72 42L92 80
  ${other} r 58 36 48 6 3;${colour}- r 58 82 48 6 3;${propeller(123, 70)}\n${wheels(78, 98)}\n${over}`,
  );

const jet = (
  colour: string,
  over: Drawing,
): Drawing => `${colour} p M4 32L18 32L34 58H98Q120 60 125 72Q118 82 98 82H36Q16 80 8 62Z;${colour}-- p M2 58H24L34 64H8Z
  pane p M106 62Q114 63 118 69H106Z
  ${over}`;
const ports = (from: number, to: number, y: number, step = 7): Drawing =>
  Array.from(
    { length: Math.floor((to - from) / step) },
    (_, i) => `pane r ${from + i * step} ${y} 4 5 1.5`,
  ).join("\n");

/** Aeroplanes, flying to the right. */
export const AEROPLANES: Readonly<Record<string, Drawing>> = {
  460: plane(
    "#e7e3d8",
    `#d8423a! p M12 58L36 70H119L117 74H40Z;pane p M74 58L84 48H94L102 58Z;#d8423a r 50 46 50 6 3;gun/2.5 p M64 52V70M88 52V60M62 82V92M98 82V92;steel p M40 92H112Q122 94 114 102H52Q42 100 40 92Z\n${propeller(123, 70)}`,
  ),
  476: plane(
    "#5f7049",
    `khaki p M38 62L62 61L56 70L44 72Z;khaki p M82 74L100 72L98 80H84Z;pane p M62 60Q70 48 84 58Z;glass%55 p M68 57q5 -6 10 0Z;olive-- p M54 76H96L82 86H48Z;gun/2.5 p M94 79H108;white c 30 66 5;blue c 30 66 3;red p M110 60Q122 62 122 70L119 78L110 80Z\n${propeller(124, 70)}`,
  ),
  511: plane(
    "#d9dfe6",
    `#2f62a8! p M12 58L36 70H120L119 75H40Z;pane p M88 58Q96 52 106 60Z;${ports(48, 86, 63, 9)}\nwhite- p M46 80H104L92 88H40Z;steel r 66 74 30 10 5;${propeller(98, 79, 16)}\n${wheels(52, 104)}`,
  ),
  512: biplane("#e8c23a", "#3f7f4a", "lime%70 c 6 96 5;lime%60 c 18 98 6;lime%80 r 40 90 20 3 1"),
  513: biplane("#d23a4a", "white", `pink%70 c 2 74 7;white%80 c 12 78 5;${star(44, 66, 5, "white")}`),
  519: jet(
    "#f0f2f5",
    `#2f3f6a! p M20 68H124L118 74H26Z;${ports(46, 100, 62, 10)}\nsteel r 22 56 30 11 5;gun e 51 61 3 5;white-- p M50 78H92L66 90H44Z;gun/2.5 p M60 82V94M104 80V94;tyre c 60 96 4;tyre c 104 96 4`,
  ),
  520: jet(
    "#7f8c96",
    `pane p M82 60Q92 48 106 60Z;glass%55 p M88 58q7 -7 12 1Z;#5f6b75 p M42 66H88L62 74H36Z;gun p M62 64H74V76H62Z;red! p M6 38H16L20 44H8Z;steel r 50 84 34 6 3;red p M84 84l8 3l-8 3Z;fire p M62 84H74L68 106Z;yellow p M65 84H71L68 98Z;fire p M30 82H40L35 100Z`,
  ),
  553: `olive p M4 34L18 34L34 56H100Q120 58 124 72Q120 86 100 86H38Q18 82 8 62Z;khaki p M36 58H62L54 70L40 72Z;khaki p M78 76L100 74L96 84H80Z;pane p M104 60Q114 62 118 69H102Z;${ports(44, 90, 66, 10)}
    olive- r 46 48 54 6 3;gun r 70 52 26 12 5;${propeller(98, 58, 18)}\n${wheels(54, 100)}`,
  577: jet(
    "#eef1f5",
    `blue! p M4 32L18 32L34 58H28L8 50Z;blue! p M10 70H124L120 76H14Z;${ports(34, 104, 63, 6)}\nsteel-- p M40 76H88L56 94H34Z;steel r 62 82 24 11 5;gun e 85 87.5 3 5`,
  ),
  592: `#8a939c p M2 22L18 22L36 50H96Q120 54 126 72Q120 90 96 90H52L14 66Z;#6d7680 p M0 18H26L32 24H4Z;pane p M106 60Q116 63 119 69H104Z;#6d7680 p M34 48H96L58 58H26Z;gun r 58 56 22 10 5;gun r 84 52 20 9 5;#6d7680-/2 p M16 67L52 90
    ${star(88, 76, 7, "white")};tyre c 66 93 6;tyre c 78 93 6;tyre c 104 92 5`,
  593: plane(
    "#e6dcc0",
    `#b5452f! p M12 56L34 68H120L119 74H38Z;pane p M66 60L74 47H92L104 60Z;glass%50 p M92 49l8 10h-8Z;#b5452f r 56 40 48 7 3;gun/2.5 p M66 47L62 80M94 47L98 58\n${propeller(123, 70)}\n${wheels(70, 104)}`,
  ),
};
