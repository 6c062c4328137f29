import { type Drawing, round, turned } from "../pen.ts";

const bottle = (colour: string, x: number): Drawing =>
  `steel r ${x + 6} 14 12 12 3;red r ${x + 2} 10 20 6 3;${colour} r ${x} 26 24 90 11;white! r ${x} 56 24 30;fire p M${x + 12} 60q9 10 0 21q-9 -9 0 -21Z;white%45/3 p M${x + 6} 38V52M${x + 6} 92V106`;
const around = (
  count: number,
  r: number,
  drawing: (x: number, y: number, angle: number) => Drawing,
): Drawing =>
  Array.from({ length: count }, (_, i) => {
    const angle = (i / count) * 2 * Math.PI - Math.PI / 2;
    return drawing(round(64 + Math.cos(angle) * r), round(64 + Math.sin(angle) * r), (i * 360) / count);
  }).join("\n");
/** A wheel from the front: tyre, rim, and spokes turned around its middle. */
const wheel = (
  rim: string,
  spokes: Drawing,
  tyre = "tyre",
): Drawing => `${tyre} c 64 64 54;gun+/2 p M64 13a51 51 0 1 0 .1 0;${rim} c 64 64 42;gun c 64 64 37
  ${spokes}
  ${rim}- c 64 64 8;${rim}+ c 64 64 5;white%30/3 p M26 42Q36 24 56 19`;
const spoke = (count: number, d: string, colour: string): Drawing =>
  Array.from(
    { length: count },
    (_, i) => `( rotate(${round((i * 360) / count)} 64 64)\n${colour} p ${d}\n)`,
  ).join("\n");
const lined = (count: number, d: string, colour: string, width: number): Drawing =>
  Array.from(
    { length: count },
    (_, i) => `( rotate(${round((i * 360) / count)} 64 64)\n${colour}/${width} p ${d}\n)`,
  ).join("\n");

/** Parts of vehicles. */
export const PARTS: Readonly<Record<string, Drawing>> = {
  "part-nitro-x2": bottle("blue", 52),
  "part-nitro-x5": `${bottle("blue", 36)}\n${bottle("blue", 68)}`,
  "part-nitro-x10": `${bottle("blue", 20)}\n${bottle("blue", 84)}\n${bottle("navy", 52)}`,
  "part-hydraulics": turned(
    20,
    `chrome r 58 2 12 54 4;steel r 44 46 40 66 8;steel- r 44 58 40 6;steel- r 44 96 40 6;red r 48 68 32 22 3;gun/6 p M84 76Q112 76 110 44;gold r 102 32 16 14 3;chrome c 64 8 10;chrome-- c 64 8 4;gun r 52 110 24 14 4;white%50/3 p M50 54V106`,
  ),
  "part-wheels-shadow": wheel("gun+", spoke(5, "M58 60L54 30Q64 26 74 30L70 60Z", "iron")),
  "part-wheels-mega": wheel("chrome", spoke(6, "M60 58L56 28H72L68 58Z", "silver")),
  "part-wheels-rimshine": wheel("chrome", spoke(3, "M56 60Q48 40 44 34Q64 20 84 34Q80 40 72 60Z", "chrome")),
  "part-wheels-wires": wheel(
    "chrome",
    `${lined(16, "M64 62L70 27", "silver", 1.4)}\n${lined(16, "M64 62L58 27", "silver", 1.4)}`,
  ),
  "part-wheels-classic": wheel(
    "chrome",
    `white c 64 64 42;red/2 p M64 25a39 39 0 1 0 .1 0;chrome c 64 64 30;chrome- c 64 64 22;chrome c 64 64 16;${around(8, 26, (x, y) => `gun c ${x} ${y} 2.5`)}`,
  ),
  "part-wheels-twist": wheel("silver", spoke(7, "M62 60Q50 44 58 28Q66 26 70 29Q60 44 68 58Z", "silver")),
  "part-wheels-cutter": wheel("silver", spoke(8, "M60 60L64 27L76 30L68 60Z", "steel")),
  "part-wheels-switch": wheel("gold", spoke(5, "M54 58L60 28H68L74 58Z", "gold")),
  "part-wheels-grove": wheel("#3d9a54", spoke(6, "M58 60Q54 40 52 30H76Q74 40 70 60L64 44Z", "#3d9a54")),
  "part-wheels-import": wheel(
    "white",
    spoke(5, "M60 60L50 29Q54 27 58 27L64 50L70 27Q74 27 78 29L68 60Z", "white"),
  ),
  "part-wheels-dollar": wheel(
    "gold",
    `gold c 64 64 36;gold- c 64 64 30;${around(12, 33, (x, y) => `gold-- c ${x} ${y} 1.6`)};forest/7 p M78 50Q70 42 60 45Q48 50 52 58Q56 64 64 65Q78 68 78 76Q74 88 62 86Q54 85 50 79M64 38V92`,
  ),
  "part-wheels-trance": wheel("purple+", spoke(9, "M63 60Q56 44 64 27Q70 27 72 29Q64 44 67 60Z", "purple+")),
  "part-wheels-atomic": wheel(
    "silver",
    `${lined(3, "M64 26Q84 64 64 102Q44 64 64 26", "lime", 3)}\nlime c 64 64 10`,
  ),
  "part-stereo": `gun r 6 38 116 54 6;black r 12 44 104 42 4;sky r 40 48 48 20 3;navy/2.6 p M46 64V58M52 64V53M58 64V56M64 64V51M70 64V57M76 64V54M82 64V59;silver c 26 60 11;gun c 26 60 7;silver c 102 60 11;gun c 102 60 7;iron r 40 73 10 7 2;iron r 53 73 10 7 2;iron r 66 73 10 7 2;red r 79 73 9 7 2;white/2 p M26 60V54M102 60L106 56`,
  "part-wheels-offroad": `tyre c 64 64 50;${around(16, 52, (x, y, angle) => `( rotate(${round(angle)} ${x} ${y})\ntyre r ${x - 6} ${y - 6} 12 12 2\n)`)}\ngun+/2 p M64 20a44 44 0 1 0 .1 0;steel c 64 64 32;gun c 64 64 28\n${spoke(8, "M58 60L56 38H72L70 60Z", "steel")}\nsteel- c 64 64 10;gun c 64 64 5`,
  "part-alarm": `red/5 p M26 36Q10 60 26 86M14 26Q-8 60 14 98M102 36Q118 60 102 86M114 26Q136 60 114 98;gun r 38 14 52 100 12;iron r 44 20 40 88 8;red c 64 44 13;white r 60 38 8 8 1;white/2.5 p M60 38v-3a4 4 0 0 1 8 0v3;green c 54 76 8;blue c 76 76 8;amber r 50 92 28 8 4;white%40/3 p M43 28V96`,
  "part-tint": `gun p M10 90Q12 50 44 30Q52 26 64 26H112V90Z;pane p M20 84Q22 56 48 38Q54 34 64 34H104V84Z;black%75 p M20 84Q22 56 48 38Q54 34 64 34H82L58 84Z;white%40 p M78 42H90L70 76H58Z;steel r 12 92 100 8 3;red p M84 30L104 34V84Q92 78 84 30Z;pane+ p M88 34L104 36V70Q94 64 88 34Z`,
  "part-spare-tyre": `tyre c 64 64 54;gun+/3 p M64 16a48 48 0 1 0 .1 0;gun+/3 p M22 36l8 6M12 64h10M22 92l8 -6M106 36l-8 6M116 64h-10M106 92l-8 -6M64 116v-10M64 12v10;steel c 64 64 30;steel- c 64 64 22;${around(5, 15, (x, y) => `gun c ${x} ${y} 4`)};gun c 64 64 5;white%30/3 p M28 44Q38 28 56 23`,
  "part-engine-tuned": `iron p M20 60H98L112 72V98L100 108H26L14 96V70Z;iron- r 22 84 78 6 2;red p M26 36H94L100 58H20Z;red-/3 p M36 40L32 56M50 40L48 56M64 40V56M78 40L80 56;chrome r 44 16 40 18 4;chrome- r 38 30 52 7 3;gun c 34 82 13;steel c 34 82 8;gun c 34 82 3;gun c 66 92 10;steel c 66 92 5;black/3 p M34 69L66 83M30 94L62 101;chrome/5 p M98 66H122M98 76H122M98 86H122;white%40/2.5 p M32 40H88`,
  "part-brakes-sport": `steel c 60 68 48;steel- c 60 68 42;steel c 60 68 40;gun c 60 68 22;silver c 60 68 18;${around(5, 11, (x, y) => `gun c ${round(x - 4)} ${round(y + 4)} 2.6`)};${around(12, 31, (x, y) => `gun c ${round(x - 4)} ${round(y + 4)} 2.6`)};red p M74 18Q112 26 118 66Q118 78 110 80L92 74Q94 50 70 44Q62 40 64 28Q66 16 74 18Z;white p M84 34Q98 44 102 60L96 62Q92 48 80 40Z;red-- c 76 28 3.5;red-- c 110 70 3.5`,
  "part-license-plate": turned(
    -6,
    `white r 4 36 120 58 6;blue p M4 42Q4 36 10 36H24V94H10Q4 94 4 88Z;yellow c 14 50 5;gun/2 p M8 40H120V90H8Z;black/5.5 p M36 54V78M36 54H46V66H36M56 54V78H64V54ZM76 54H84V66H76V78H84M94 54V66H104M104 54V78;red c 112 44 3;gun c 30 44 2;gun c 112 86 2`,
  ),
  "part-neon": `lime!%55 e 64 104 62 14;lime!%80 e 64 104 46 7;#5d3fa8 p M8 92Q6 74 22 72L40 52Q44 48 52 48H74Q80 48 86 54L100 72L114 75Q122 78 120 92Z;pane p M34 70L46 55Q48 53 53 53H62V70ZM66 70V53H73Q77 53 80 57L90 70Z;lime/3 p M28 97H100;tyre c 30 92 12;rim c 30 92 7;gun c 30 92 3;tyre c 98 92 12;rim c 98 92 7;gun c 98 92 3;lamp r 112 78 7 5 2;tail r 8 78 4 6 1;white%40/1.6 p M20 76H106`,
};
