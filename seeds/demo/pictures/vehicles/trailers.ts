import type { Drawing } from "../pen.ts";
import { heavyWheel } from "./wheels.ts";

const axle = (...at: number[]): Drawing => at.map((x) => heavyWheel(x, 92, 12)).join("\n");
const leg: Drawing = "gun/4 p M102 84V102M96 102H108";

/** Trailers, to be coupled on their right. */
export const TRAILERS: Readonly<Record<string, Drawing>> = {
  435: `gun r 4 80 120 6 1;white r 2 30 124 52 2;steel-/1 p M20 32V80M38 32V80M56 32V80M74 32V80M92 32V80M110 32V80;blue! p M2 66L126 46V58L2 78Z;${leg}\n${axle(24, 50)}`,
  450: `gun r 4 80 120 6 1;#c9682f p M2 46H122L114 82H8Z;#c9682f-/3 p M22 48L25 80M44 48V80M66 48V80M88 48L86 80;#c9682f+ r 0 42 126 6 2;stone p M14 42Q24 30 38 36Q52 24 70 34Q90 28 108 42Z;stone- c 40 40 4;stone+ c 70 38 4;${leg}\n${axle(24, 50)}`,
  584: `gun r 4 80 120 6 1;chrome e 8 60 6 22;chrome r 6 38 112 44 20;chrome-- e 114 60 8 21;red! r 12 56 100 7;steel/2 p M24 36H100M36 38V32H52V38M72 38V32H88V38;amber p M56 68l8 -2l8 2l-8 12Z;fire p M64 66q7 7 0 13q-7 -6 0 -13Z;${leg}\n${axle(24, 50)}`,
  591: `gun r 4 80 120 6 1;#4f8f6a r 2 28 124 54 5;#4f8f6a- r 2 72 124 10 3;cream c 64 50 15;#4f8f6a p M52 50q12 -14 24 0q-12 14 -24 0Z;white%35/1.6 p M8 33H120;grey r 104 22 20 8 2;${leg}\n${axle(24, 50)}`,
  606: `gun/4 p M104 86H126;#3f72b0 r 8 40 98 5 2;#3f72b0/3 p M12 44V82M102 44V82;steel r 6 80 102 7 2;leather r 20 58 26 22 3;red r 50 52 20 28 3;teal r 74 62 26 18 3;gun/2 p M28 58v-4h10v4M56 52v-5h8v5;gold! r 32 66 4 4\n${axle(28, 88)}`,
  607: `gun/4 p M104 86H126;steel r 6 78 102 8 2;iron/3 p M8 78V56H24;purple r 26 60 24 18 3;amber r 54 66 34 12 3;green r 58 54 24 12 3;gun/2 p M34 60v-4h8v4M66 54v-4h8v4\n${axle(28, 88)}`,
  608: `gun/4 p M104 90H126;steel p M8 88L20 88L92 28H112V22H88L6 82Z;white p M20 86H34V76H46V66H58V56H70V46H82V36H112V44L94 88H20Z;blue! p M60 74L112 44V52L72 88H50Z;iron/2.5 p M14 72L84 14H112V24M32 58V72M58 36V52M98 14V26\n${axle(30, 90)}`,
  610: `gun/5 p M96 76H126;#c23c34 r 18 66 84 9 3;#c23c34- r 30 56 50 12 3;steel/4 p M26 74Q30 96 16 102M44 74Q48 96 34 102M62 74Q66 96 52 102M80 74Q84 96 70 102M98 74Q102 96 88 102;${heavyWheel(52, 78, 13, "yellow")}`,
  611: `gun/4 p M98 84H126V90;#e0a92f p M14 84V58H98V84Z;#e0a92f- r 10 54 92 7 2;#e0a92f--/1.6 p M28 62V82M56 62V82M84 62V82;steel r 40 42 30 12 2;iron r 22 46 14 8 2;${axle(54)}`,
};
