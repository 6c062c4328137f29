import { type DestinationStream, type Logger, type LoggerOptions, pino } from "pino";

/** Characters of a line. Whoever makes the site fail with 16 KB of address must not fill its disk sixteen times as fast. */
const LINE = 4_000;
/** Characters that a text keeps in a line that is too long; fewer where that does not do. */
const TEXT = 1_200;
const TEXT_AT_LEAST = 20;
/** Elements that a list, and fields that an object keeps. */
const PARTS = 40;

/** A process's log: JSON, a line of bounded length for each event, by default to standard error. */
export function createLog(level: LoggerOptions["level"], destination?: DestinationStream): Logger {
  const options: LoggerOptions = { hooks: { streamWrite: boundLine }, ...(level !== undefined && { level }) };
  return pino(options, destination ?? pino.destination(2));
}

/** What hides secrets has been at work by then: a shorter text tells nothing that the longer one did not. */
function boundLine(line: string): string {
  if (line.length <= LINE) return line;
  const whole: unknown = JSON.parse(line);
  for (let length = TEXT; length >= TEXT_AT_LEAST; length /= 2) {
    const shorter = `${JSON.stringify(shorten(whole, length))}\n`;
    if (shorter.length <= LINE) return shorter;
  }
  const { level, time, msg } = whole as Record<string, unknown>;
  return `${JSON.stringify({ level, time, msg: shorten(msg, TEXT) })}\n`;
}

function shorten(value: unknown, length: number): unknown {
  if (typeof value === "string") {
    return value.length <= length ? value : `${value.slice(0, length)}… (${value.length} characters)`;
  }
  if (Array.isArray(value)) return value.slice(0, PARTS).map((part) => shorten(part, length));
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).slice(0, PARTS);
  return Object.fromEntries(fields.map(([name, part]) => [name, shorten(part, length)]));
}
