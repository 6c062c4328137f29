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

type Unit = "minute" | "hour" | "day" | "month";

/**
 * The marks of a time axis between two moments, in epoch milliseconds: every so many minutes, hours, days or months.
 */
export interface TimeAxis {
  from: number;
  to: number;
  unit: Unit;
  every: number;
}

/** A place on an axis of time. */
interface Tick {
  /** Epoch milliseconds. */
  time: number;
  text: string;
  /** Hidden on narrow screens. */
  isMinor: boolean;
  /** The start of a larger unit: a day among minutes or hours, a year among months. */
  isStrong: boolean;
}

/** Labels closer to an edge than this share of the width would be cut off. */
const EDGE = 36 / FRAME.width;

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const UNIT_MS = { minute: MINUTE_MS, hour: HOUR_MS, day: DAY_MS } as const;

/**
 * An axis of time as part of an SVG, with its times by the clocks of a zone. The browser draws it once more for the
 * reader's zone, from `data-axis` (see public/js/web/times.ts). `locale` and `timeZone` as Intl takes them.
 */
export function drawTimeAxis(axis: TimeAxis, locale: string, timeZone: string): string {
  const data = JSON.stringify(axis).replaceAll('"', "&quot;");
  return `<g data-axis="${data}">${drawTicks(axis, locale, timeZone)}</g>`;
}

/** The lines and labels of an axis. Labels are figures and names of months: nothing to escape. */
export function drawTicks(axis: TimeAxis, locale: string, timeZone: string): string {
  const ticks = chooseTicks(axis, locale, timeZone).map(({ time, text, isMinor, isStrong }) => {
    const at = fixed(((time - axis.from) / (axis.to - axis.from)) * FRAME.width);
    const minor = isMinor ? " is-minor" : "";
    const strong = isStrong ? " is-midnight" : "";
    return (
      `<line class="chart-hour${minor}${strong}" x1="${at}" x2="${at}" y1="${FRAME.top}" y2="${FRAME.base}"/>` +
      `<text class="chart-hour-label${minor}" x="${at}" y="${FRAME.height - 10}" text-anchor="middle">${text}</text>`
    );
  });
  return ticks.join("");
}

/**
 * Round times of a zone's clocks: minutes, hours, midnights or first days of months. Days are 23 or 25 hours long when clocks
 * change.
 */
export function chooseTicks({ from, to, unit, every }: TimeAxis, locale: string, timeZone: string): Tick[] {
  const [first, last] = [from + (to - from) * EDGE, to - (to - from) * EDGE];
  const offsetAt = createOffsets(timeZone);
  const textOf = createTickTexts(unit, locale);
  const ticks: Tick[] = [];
  for (let wall = floor(from + offsetAt(from), unit, every); ; wall = next(wall, unit, every)) {
    const time = computeInstant(wall, offsetAt);
    if (time > last) return ticks;
    if (time < first) continue;
    const isStrong = isStart(wall, unit);
    ticks.push({
      time,
      text: textOf(wall, isStrong),
      isMinor: countUnits(wall, unit) % (2 * every) !== 0,
      isStrong,
    });
  }
}

/** How far the clocks of a zone are ahead of UTC at a time; all in milliseconds. */
function createOffsets(timeZone: string): (time: number) => number {
  if (timeZone === "UTC") return () => 0;
  const format = new Intl.DateTimeFormat("en-GB", { dateStyle: "short", timeStyle: "short", timeZone });
  return (time) => {
    const minute = Math.floor(time / MINUTE_MS) * MINUTE_MS;
    const part = Object.fromEntries(
      format.formatToParts(minute).map(({ type, value }) => [type, Number(value)]),
    );
    const { year = 0, month = 1, day, hour, minute: minutes } = part;
    return Date.UTC(year, month - 1, day, hour, minutes) - minute;
  };
}

/**
 * When the clocks show a time, given as if it were of UTC: the first of two, and the moment of the change where they
 * skip it.
 */
function computeInstant(wall: number, offsetAt: (time: number) => number): number {
  const [before, after] = [wall - offsetAt(wall - DAY_MS), wall - offsetAt(wall + DAY_MS)];
  const isShown = (time: number) => time + offsetAt(time) === wall;
  return isShown(before) || !isShown(after) ? before : after;
}

/** The last round time before or at a time of the clocks. */
function floor(wall: number, unit: Unit, every: number): number {
  if (unit !== "month") {
    const size = every * UNIT_MS[unit];
    return Math.floor(wall / size) * size;
  }
  const date = new Date(wall);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - (date.getUTCMonth() % every));
}

function next(wall: number, unit: Unit, every: number): number {
  if (unit !== "month") return wall + every * UNIT_MS[unit];
  const date = new Date(wall);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + every);
}

/**
 * The number of the minute or hour in its day, of the day since the epoch, or of the month in its year. So the same
 * label is minor for any start of the axis.
 */
function countUnits(wall: number, unit: Unit): number {
  if (unit === "month") return new Date(wall).getUTCMonth();
  return unit === "day" ? wall / DAY_MS : (wall % DAY_MS) / UNIT_MS[unit];
}

function isStart(wall: number, unit: Unit): boolean {
  return unit !== "day" && countUnits(wall, unit) === 0;
}

const LABELS: Record<Unit, Intl.DateTimeFormatOptions> = {
  minute: { hour: "2-digit", minute: "2-digit" },
  hour: { hour: "2-digit", minute: "2-digit" },
  day: { day: "numeric", month: "short" },
  month: { month: "short" },
};

/** Labels of ticks: midnights show the date among minutes and hours, Januaries the year among months. */
function createTickTexts(unit: Unit, locale: string): (wall: number, isStrong: boolean) => string {
  const format = (which: Unit) => new Intl.DateTimeFormat(locale, { ...LABELS[which], timeZone: "UTC" });
  const [texts, days] = [format(unit), format("day")];
  return (wall, isStrong) => {
    if (!isStrong) return texts.format(wall);
    return unit === "month" ? String(new Date(wall).getUTCFullYear()) : days.format(wall);
  };
}
