/** The drawing's frame, in units of its own; charts.css makes it as wide as there is room. */
export const FRAME = { width: 720, top: 20, base: 270, height: 306 } as const;

export interface Scale {
  /** The count at the upper end; the lower end is 0. */
  top: number;
  /** The counts that have a line. */
  lines: number[];
}

/**
 * The vertical scale: it begins at 0 and ends at a round number above everything that is drawn. The maximum takes
 * part only where the server comes near it; else it would press the line to the ground.
 */
export function chooseScale(peak: number, maxOnline: number | null): Scale {
  const needed = Math.max(4, peak, maxOnline !== null && maxOnline <= peak * 2 ? maxOnline : 0);
  const magnitude = 10 ** Math.floor(Math.log10(needed / 4));
  const step = [1, 2, 5, 10].map((factor) => factor * magnitude).find((size) => size * 4 >= needed) ?? needed;
  const count = Math.ceil(needed / step);
  return { top: count * step, lines: Array.from({ length: count + 1 }, (_, index) => index * step) };
}

/** A coordinate, to a tenth: finer than any screen, and short. */
export function fixed(value: number): string {
  return String(Math.round(value * 10) / 10);
}
