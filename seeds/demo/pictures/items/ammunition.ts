import { type Drawing, placed, turned } from "../pen.ts";

/** One cartridge standing at (x, foot). */
const cartridge = (
  x: number,
  foot: number,
  width: number,
  height: number,
  tip: string,
  casing = "brass",
  tipShare = 0.38,
): Drawing => {
  const tipHeight = height * tipShare;
  const neck = foot - height + tipHeight;
  return `${tip} p M${x} ${neck + 2}Q${x} ${neck - tipHeight * 0.7} ${x + width / 2} ${foot - height}Q${x + width} ${neck - tipHeight * 0.7} ${x + width} ${neck + 2}Z
    ${casing} r ${x - 1} ${neck} ${width + 2} ${foot - neck} 2;${casing}-- r ${x - 2} ${foot - 5} ${width + 4} 5 1.5;white%50/1.6 p M${x + 2.5} ${neck + 4}V${foot - 8}`;
};
const three = (width: number, height: number, tip: string, casing = "brass", share = 0.38): Drawing => {
  const gap = width * 1.75;
  return [64 - width / 2 - gap, 64 - width / 2 + gap, 64 - width / 2]
    .map((x, i) => cartridge(x, i === 2 ? 110 : 104, width, height, tip, casing, share))
    .join("\n");
};
const shells = (colour: string, over: Drawing): Drawing =>
  [22, 78, 50]
    .map((x, i) => {
      const y = i === 2 ? 38 : 32;
      return `${colour} r ${x} ${y} 28 66 3;${colour}- r ${x} ${y} 28 6 3;${colour}--/1.4 p M${x + 6} ${y + 10}V${y + 46}M${x + 22} ${y + 10}V${y + 46};brass r ${x - 1} ${y + 48} 30 20 2;brass-- r ${x - 2} ${y + 64} 32 5 2;white%40/2 p M${x + 4} ${y + 8}V${y + 44}\n${placed(`translate(${x} ${y})`, over)}`;
    })
    .join("\n");

/** Ammunition and what is put on weapons. */
export const AMMUNITION: Readonly<Record<string, Drawing>> = {
  "ammo-9mm": three(20, 58, "copper", "brass", 0.42),
  "ammo-50ae": three(25, 72, "steel", "gold", 0.4),
  "ammo-buckshot": shells("red", ""),
  "ammo-slug": shells("blue", "steel p M4 4Q14 -12 24 4Z"),
  "ammo-762": three(19, 84, "copper", "brass", 0.36),
  "ammo-556": three(14, 86, "copper", "brass", 0.34),
  "ammo-hunting": three(17, 84, "olive", "brass", 0.3),
  "ammo-sniper": three(20, 98, "gun", "gold", 0.34),
  "ammo-rocket": turned(
    40,
    `olive p M46 42Q48 16 64 6Q80 16 82 42Z;red p M51 26Q56 12 64 6Q72 12 77 26Z;olive r 46 42 36 30 2;amber! r 46 48 36 6;iron r 54 72 20 26 2;iron p M54 80L36 102V110L54 98ZM74 80L92 102V110L74 98Z;gun r 56 98 16 10 2;fire p M57 108H71L64 124Z`,
  ),
  "ammo-fuel-mix": `red p M30 40Q30 34 36 34H70L76 24H92L96 34Q100 36 100 42V106Q100 112 94 112H36Q30 112 30 106Z;red-/5 p M44 52L86 98M86 52L44 98;steel r 74 16 18 9 3;red-- r 40 24 26 8 3;yellow c 65 75 15;fire p M65 62q13 13 0 25q-13 -11 0 -25Z;white%35/3 p M36 44V102`,
  "ammo-belt": turned(
    -16,
    Array.from({ length: 6 }, (_, i) =>
      placed(
        `translate(${i * 16 + 12} ${Math.round(Math.sin(i * 0.9) * 6) + 30})`,
        `${cartridge(2, 70, 11, 68, "copper", "brass", 0.32)}\ngun r -2 34 19 6 2\ngun r -2 52 19 6 2`,
      ),
    ).join("\n"),
  ),
  "ammo-tracer": `${three(15, 84, "red", "brass", 0.36)}\nfire!%80/3 p M40 22V10M64 20V6M88 22V10`,
  "ammo-rubber": three(24, 62, "gun", "silver", 0.5),
  "attachment-silencer": turned(
    -35,
    `gun r 12 48 104 32 8;black r 12 48 14 32 5;iron r 104 54 16 20 3;gun+/2 p M26 54H102;black/2 p M34 50v28M46 50v28M58 50v28M70 50v28M82 50v28;black e 14 64 3 8`,
  ),
  "attachment-scope": turned(
    -20,
    `gun p M6 42H34V78H6L2 74V46ZM96 46H120L124 50V72L120 76H96Z;black r 32 50 66 20 4;iron r 56 40 18 12 3;iron r 46 70 10 14 1;iron r 78 70 10 14 1;gun r 40 82 56 7 2;glass r 2 46 5 28 2;sky%60 r 3 48 2 14 1;white%35/2 p M36 54H94`,
  ),
  "attachment-laser": turned(
    -20,
    `red%60/7 p M82 58L140 54;red/2.5 p M82 58L140 54;gun r 20 44 62 28 5;black r 20 44 12 28 4;iron r 38 50 28 6 2;iron r 76 50 8 16 2;red c 82 58 5;red++ c 82 58 2;gun- r 30 72 42 8 2;steel r 36 80 6 6;steel r 60 80 6 6`,
  ),
  "attachment-holster": `silver p M44 22H84Q88 22 88 28V44H60L54 56H38Z;black p M36 34L52 34L46 60H30Z;leather p M24 52Q24 46 30 46H96Q102 46 102 54Q100 68 84 70L70 112Q66 118 58 116L42 110Q36 106 38 100Z;leather+/2 p M30 52H96Q95 62 80 64L66 106;tan! c 40 58 4;leather-- p M22 36H34V62H22Z;gold c 28 50 3`,
  "ammo-box": `olive p M16 54L26 44H104L112 54V104Q112 108 108 108H20Q16 108 16 104Z;olive- r 14 52 100 12 3;olive--/5 p M46 44Q46 30 64 30Q82 30 82 44;amber! r 40 74 48 24 2;olive-- r 45 79 6 14 2;olive-- r 56 79 6 14 2;olive-- r 67 79 6 14 2;olive-- r 78 79 5 14 2;steel r 58 58 12 10 2;white%30/2 p M20 70V102`,
};
