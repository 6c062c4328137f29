/** Characters of a line: long addresses must not fill the disk. */
const LINE = 4_000;
/** Characters of a text in a line that is too long; fewer where that is not enough. */
const TEXT = 1_200;
const TEXT_AT_LEAST = 20;
/** Elements of a list and fields of an object that are kept. */
const PARTS = 40;

/** A line of JSON, shortened where it is too long. Secrets are already hidden, so cutting a text cannot reveal one. */
export function boundLine(line: string): string {
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

/** The fields that pino writes for an event. */
interface LogEvent {
  readonly level: number;
  readonly time: number;
  readonly pid?: number;
  readonly hostname?: string;
  readonly msg?: string;
  readonly security?: string;
  readonly err?: { readonly message: string; readonly stack: string };
  readonly req?: { readonly id: string; readonly method: string; readonly url: string };
}

const LEVELS: Readonly<Record<number, string>> = { 40: "warning: ", 50: "error: ", 60: "fatal: " };
/** From this level on, an event is about a bug, and its error's stack is of use. */
const BUG = 50;
const FRAMES = 8;

/** The same event as a line for people: when, what, why, and whatever else is known. */
export function writeAsText(line: string): string {
  const event: LogEvent = JSON.parse(line);
  const { level, time, pid: _pid, hostname: _host, msg, security, err, req, ...rest } = event;
  const when = new Date(time).toISOString().replace(/\.\d+/, "");
  const what = msg ?? (security === undefined ? "" : `security: ${security}`);
  const why = err === undefined || what.includes(err.message) ? "" : `: ${err.message}`;
  const more = Object.entries({ ...(req && { request: `${req.method} ${req.url}`, id: req.id }), ...rest });
  const details = more.map(([name, value]) => `${name}=${plain(value)}`).join(", ");
  const text = `${when} ${LEVELS[level] ?? ""}${what}${why}${details && ` (${details})`}`;
  const frames = level >= BUG ? (err?.stack.match(/^ +at .+$/gm) ?? []).slice(0, FRAMES) : [];
  return `${[text, ...frames].map(onOneLine).join("\n")}\n`;
}

function plain(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Without line breaks and what a terminal takes for a command: part of it may be what somebody sent. */
function onOneLine(text: string): string {
  const line = text.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, " ");
  return line.length <= LINE ? line : `${line.slice(0, LINE)}…`;
}
