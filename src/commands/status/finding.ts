/** What a check found; `warn` is harmless, `bad` is not. */
export type Finding = readonly [state: "ok" | "warn" | "bad", text: string];

export const ok = (text: string): Finding => ["ok", text];
export const warn = (text: string): Finding => ["warn", text];
export const bad = (text: string): Finding => ["bad", text];

/** A finding as a line. */
export function findingLine([state, text]: Finding): string {
  return `${state.padEnd(5)}${text}`;
}

export function isBad([state]: Finding): boolean {
  return state === "bad";
}

const SIZE = new Intl.NumberFormat("en-US", { maximumSignificantDigits: 3 });

/** Bytes for people: 1.5 GB. */
export function sizeText(bytes: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  const step = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, bytes)) / 3)));
  return `${SIZE.format(bytes / 1000 ** step)} ${units[step]}`;
}

/** Seconds for people: 45 s, 10 min, 5 h, 3 d. */
export function durationText(seconds: number): string {
  const [value, unit] =
    seconds < 120
      ? [seconds, "s"]
      : seconds < 7_200
        ? [seconds / 60, "min"]
        : seconds < 172_800
          ? [seconds / 3_600, "h"]
          : [seconds / 86_400, "d"];
  return `${Math.round(value)} ${unit}`;
}
