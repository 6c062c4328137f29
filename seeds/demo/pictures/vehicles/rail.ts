import type { Drawing } from "../pen.ts";

const bogie = (x: number): Drawing =>
  `gun r ${x - 14} 88 28 8 2;tyre c ${x - 8} 96 8;steel c ${x - 8} 96 4.5;tyre c ${x + 8} 96 8;steel c ${x + 8} 96 4.5`;
const under: Drawing = `gun r 2 86 124 5 1\n${bogie(26)}\n${bogie(102)}`;
const panes = (from: number, count: number, step: number, y: number, height: number): Drawing =>
  Array.from(
    { length: count },
    (_, i) =>
      `pane r ${from + i * step} ${y} ${step - 5} ${height} 2;glass%45 p M${from + i * step + 3} ${y}h5l-5 ${height}h-3Z`,
  ).join("\n");

/** Trains and their carriages. */
export const TRAINS: Readonly<Record<string, Drawing>> = {
  449: `walnut/2.5 p M56 30L66 14M76 30L66 14M50 14H82;#b53a34 r 6 36 116 52 5;cream! r 6 40 116 22;#b53a34- r 4 32 120 7 3;${panes(12, 6, 18, 43, 18)}
    gold! r 6 66 116 2;gold! r 6 80 116 2;lamp c 118 74 4;shade%35/1 p M10 64V86M118 64V86
    ${under}`,
  537: `${under}
    #3f5f86 p M4 86V48H58V40H96Q102 40 104 46L108 60H120Q124 62 124 70V86Z;amber! p M4 70H124V76H4Z;pane p M76 58V46H94Q97 46 98 49L101 58Z;iron/1.5 p M10 54V68M18 54V68M26 54V68M34 54V68M42 54V68M50 54V68;gun r 14 42 26 6 2;lamp c 118 66 3.5;steel/1.5 p M4 46H56`,
  538: `${under}
    #a8703f p M2 86V46H80Q108 48 122 76L124 86Z;silver p M2 64H116Q120 70 122 76L124 86H2Z;#a8703f! r 2 70 120 5;pane p M92 60V52Q104 55 111 63Z;glass%50 p M98 54q7 3 10 8h-5Z;${panes(10, 4, 19, 50, 11)}\nlamp c 116 74 3.5`,
  569: `${under}
    iron r 2 80 124 8 1;oak r 4 76 120 5 1;iron/2 p M6 76V62M122 76V62;copper r 16 56 40 20 2;copper-/2 p M22 56V76M30 56V76M38 56V76M46 56V76;teal r 68 56 40 20 2;teal-/2 p M74 56V76M82 56V76M90 56V76M98 56V76`,
  570: `${under}
    #a8703f r 2 44 124 44 4;silver r 2 64 124 24 3;#a8703f! r 2 70 124 5;steel- r 6 40 116 6 3;${panes(18, 5, 19, 49, 13)}\nshade%40/1.2 p M14 48V86M114 48V86`,
  590: `${under}
    #8a4a36 r 2 36 124 52 2;#8a4a36-/1.6 p M14 38V86M26 38V86M38 38V86M90 38V86M102 38V86M114 38V86;#8a4a36- r 46 42 36 44 1;#8a4a36+/1.6 p M46 42L82 86M82 42L46 86;steel- r 0 33 128 5 2;white! r 6 56 16 8 1`,
};
