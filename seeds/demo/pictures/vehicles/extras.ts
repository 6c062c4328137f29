import type { Drawing } from "../pen.ts";

/** What single models wear on top of a car's shape. */
export const wing = (x: number, y: number, colour: string): Drawing =>
  `${colour}- r ${x + 4} ${y + 3} 3 8;${colour} p M${x - 2} ${y}H${x + 14}L${x + 16} ${y + 4}H${x - 2}Z`;

export const lip = (x: number, y: number, colour: string): Drawing =>
  `${colour}- p M${x} ${y}L${x + 12} ${y + 1}L${x + 14} ${y + 4}L${x + 2} ${y + 5}Z`;

export const scoop = (x: number, y: number): Drawing =>
  `black p M${x} ${y}Q${x + 3} ${y - 6} ${x + 14} ${y - 5}V${y}Z`;

export const lights = (x: number, y: number): Drawing =>
  `gun r ${x - 1} ${y + 4} 26 3 1;blue r ${x} ${y} 11 5 2;red r ${x + 13} ${y} 11 5 2;white! r ${x + 11} ${y + 1} 2 4`;

export const stripe = (y: number, left: number, right: number, colour: string, width = 4): Drawing =>
  `${colour} r ${left} ${y} ${right - left} ${width} 1`;

export const rack = (left: number, right: number, y: number): Drawing =>
  `gun/2 p M${left} ${y}H${right}M${left + 4} ${y}v4M${right - 4} ${y}v4`;

export const roundel = (x: number, y: number, colour: string): Drawing =>
  `white! c ${x} ${y} 8;${colour}/3 p M${x - 3} ${y - 4}h6l-4 8`;

export const star = (x: number, y: number, r: number, colour = "gold"): Drawing => {
  const points = Array.from({ length: 10 }, (_, i) => {
    const angle = (i * Math.PI) / 5 - Math.PI / 2;
    const far = i % 2 === 0 ? r : r * 0.45;
    return `${(x + Math.cos(angle) * far).toFixed(1)} ${(y + Math.sin(angle) * far).toFixed(1)}`;
  });
  return `${colour} p M${points.join("L")}Z`;
};

export const flames = (x: number, y: number, size: number): Drawing =>
  `fire p M${x} ${y}q${-size} ${-size * 0.2} ${-size * 1.4} ${-size * 0.6}q${-size * 0.3} ${size * 0.3} ${-size} ${size * 0.2}q${size * 0.4} ${size * 0.3} ${size * 0.3} ${size * 0.6}q${-size * 0.5} 0 ${-size} ${size * 0.3}q${size * 1.6} ${size * 0.8} ${size * 3} ${-size * 0.1}Z`;

export const checks = (x: number, y: number, count: number): Drawing =>
  Array.from({ length: count }, (_, i) => `black! r ${x + i * 6} ${y + (i % 2) * 3} 6 3`).join("\n");

export const rustSpots: Drawing = `rust%80 p M20 80q6 -5 10 1q3 6 -4 8q-8 0 -6 -9Z
  rust%80 p M72 76q8 -3 12 3q0 7 -8 6q-8 -2 -4 -9Z;rust%70 c 50 88 3;shade%60/1 p M100 76l6 4l-3 5l6 4`;

export const chromeSide = (y: number, left: number, right: number): Drawing =>
  `chrome/1.8 p M${left} ${y}H${right}`;

export const spareTail = (x: number, y: number, r: number): Drawing =>
  `tyre r ${x} ${y - r} 7 ${r * 2} 3.5;chrome r ${x - 1} ${y - r * 0.5} 3 ${r} 1.5`;

export const fins = (colour: string): Drawing => `${colour} p M4 66L22 69V74H5Z;tail c 7 71 2.5`;
