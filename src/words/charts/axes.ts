/** The frame of a drawing in its own units; charts.css scales it to the room there is. */
export const FRAME = { width: 720, top: 20, base: 270, height: 306 } as const;

export interface Scale {
  /** The count at the upper end; the lower end is 0. */
  top: number;
  /** The counts that get a line. */
  lines: number[];
}

/** A vertical scale from 0 to a round number. Includes the maximum only if the peak is near, to avoid a flat curve. */
export function chooseScale(peak: number, maxOnline: number | null): Scale {
  const needed = Math.max(4, peak, maxOnline !== null && maxOnline <= peak * 2 ? maxOnline : 0);
  const magnitude = 10 ** Math.floor(Math.log10(needed / 4));
  const step = [1, 2, 5, 10].map((factor) => factor * magnitude).find((size) => size * 4 >= needed) ?? needed;
  const count = Math.ceil(needed / step);
  return { top: count * step, lines: Array.from({ length: count + 1 }, (_, index) => index * step) };
}

/** A coordinate rounded to a tenth: short, and finer than any screen. */
export function fixed(value: number): string {
  return String(Math.round(value * 10) / 10);
}
