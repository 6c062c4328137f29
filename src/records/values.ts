import { lastOfDay, readIsoTime, timeAt } from "../words/text/time.ts";
import { isBlank, withoutTurns } from "../words/text/visible.ts";

/** Why a value is refused; it follows the field's name: "name: is missing". */
export class Refusal {
  readonly reason: string;
  constructor(reason: string) {
    this.reason = reason;
  }
}

const LARGEST_COUNT = 2_147_483_647;
/** A percent sign with or without a space before it, as in `25 %`. */
export const PERCENT_SIGN = /\s*%\s*$/;
const DECIMAL = /^\d+(\.\d+)?$/;
const NUMBER = /^[+-]?\d+(\.\d+)?(e[+-]?\d+)?$/i;
/** Control characters except tab and line ends, which no person types. */
const CONTROL = /[^\P{Cc}\t\n\r\u0080-\u009f]/u;

/**
 * Text on one line, 1 to `max` code points: white space becomes single spaces, normalised to NFC, without marks that
 * change the direction of the text around it.
 */
export function readLine(value: unknown, max: number): string | Refusal {
  const text = readCharacters(value);
  if (text instanceof Refusal) return text;
  const line = withoutTurns(text).replace(/\s+/gu, " ").trim().normalize("NFC");
  if (isBlank(line)) return new Refusal("has no visible character");
  return atMost(line, max);
}

/** Text of any number of lines, unchanged. */
export function readProse(value: unknown, max: number): string | Refusal {
  const text = readCharacters(value);
  return text instanceof Refusal ? text : atMost(text, max);
}

/** A word without white space, such as an address. */
export function readWord(value: unknown, max: number): string | Refusal {
  const line = readLine(value, max);
  if (line instanceof Refusal || !line.includes(" ")) return line;
  return new Refusal(`must have no space, not ${quote(line)}`);
}

/** The game's own id: trimmed text, or a number as text. */
export function readId(value: unknown): string | Refusal {
  if (typeof value === "number" && Number.isInteger(value) && !Number.isSafeInteger(value)) {
    return new Refusal("is a number too large to be exact; give it as text");
  }
  const text = readCharacters(value);
  if (text instanceof Refusal) return text;
  const id = text.trim().normalize("NFC");
  if (isBlank(id)) return new Refusal("has no visible character");
  if (id === "." || id === "..") return new Refusal(`must not be ${quote(id)}: no address could lead to it`);
  return /\p{Cc}/u.test(id) ? new Refusal("has a control character") : atMost(id, 200);
}

/** A whole number from `min` to `max`, also as text. */
export function readCount(value: unknown, min = 0, max = LARGEST_COUNT): number | Refusal {
  const number = toNumber(value);
  if (number !== undefined && Number.isInteger(number) && number >= min && number <= max) return number;
  const range = min === 0 ? "of 0 or more" : `from ${min} to ${max}`;
  return new Refusal(`must be a whole number ${range}, not ${quote(value)}`);
}

/** A number of 0 or more, also as text. */
export function readAmount(value: unknown): number | Refusal {
  const number = toNumber(value);
  if (number !== undefined && number >= 0) return number;
  return new Refusal(`must be a number of 0 or more, not ${quote(value)}`);
}

/** An exact decimal of 0 or more with at most two digits after the point. Text never passes through a float. */
export function readDecimal(value: unknown): string | Refusal {
  const text = typeof value === "number" ? String(value) : typeof value === "string" ? value.trim() : "";
  if (/^-\d+(\.\d+)?$/.test(text)) return new Refusal(`must be 0 or more, not ${quote(value)}`);
  if (!DECIMAL.test(text)) return new Refusal(`must be a number such as 12.50, not ${quote(value)}`);
  const [whole = "", fraction = ""] = text.split(".");
  const digits = fraction.replace(/0+$/, "");
  if (digits.length > 2)
    return new Refusal(`has more than two digits after the decimal point: ${quote(value)}`);
  const integer = whole.replace(/^0+(?=\d)/, "");
  if (integer.length > 12) return new Refusal(`is too large: ${quote(value)}`);
  return digits === "" ? integer : `${integer}.${digits}`;
}

/** A boolean, also as text or as 1 and 0. */
export function readFlag(value: unknown): boolean | Refusal {
  const word = plainText(value).trim().toLowerCase();
  if (["true", "yes", "1"].includes(word)) return true;
  if (["false", "no", "0"].includes(word)) return false;
  return new Refusal(`must be true or false, not ${quote(value)}`);
}

/** A decimal above 0 and at most 100, also as text with a percent sign after it. */
export function readPercent(value: unknown): string | Refusal {
  const decimal = readDecimal(typeof value === "string" ? value.replace(PERCENT_SIGN, "") : value);
  if (decimal instanceof Refusal || (Number(decimal) > 0 && Number(decimal) <= 100)) return decimal;
  return new Refusal(`must be above 0 and at most 100, not ${quote(value)}`);
}

/**
 * A time as ISO 8601 in UTC. Accepts ISO 8601 with a time zone, a day (midnight in UTC), and seconds or milliseconds
 * since 1970. Numbers before 1973 are refused, because they are more likely days without dashes.
 */
export function readTime(value: unknown): string | Refusal {
  const text = typeof value === "number" ? String(value) : typeof value === "string" ? value.trim() : "";
  const time = /^\d{9,15}$/.test(text) ? epochTime(Number(text)) : readIsoTime(text);
  if (time) return time.toISOString();
  return new Refusal(
    `must be a time such as 2026-01-31T18:00:00+02:00, in the years 1 to 9999, not ${quote(value)}`,
  );
}

/** The same for an end: a day means its end. */
export function readEndTime(value: unknown): string | Refusal {
  const last = typeof value === "string" ? lastOfDay(value.trim()) : undefined;
  return last ? last.toISOString() : readTime(value);
}

function epochTime(number: number): Date | undefined {
  return timeAt(number < 1e11 ? number * 1000 : number);
}

/** An absolute address of one of the schemes (such as "https:"), without spaces. */
export function readUrl(value: unknown, schemes: readonly string[]): string | Refusal {
  const url = readWord(value, 2000);
  if (url instanceof Refusal) return url;
  const parsed = URL.parse(url);
  if (parsed && schemes.includes(parsed.protocol)) return url;
  return new Refusal(`must be an address that begins with http:// or https://, not ${quote(value)}`);
}

/** A value as text; blank for null, lists and objects, because converting a hostile object to text can throw. */
export function plainText(value: unknown): string {
  return typeof value === "object" ? "" : String(value);
}

/** A value as a refusal shows it: text quoted and cut, lists and objects by their type. */
export function quote(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object" && value !== null) return "an object";
  if (typeof value !== "string") return String(value);
  const shown = value.length > 60 ? `${value.slice(0, 60).toWellFormed()}…` : value.toWellFormed();
  return JSON.stringify(shown);
}

/** Why Postgres cannot store a text: it has a NUL or half of a surrogate pair. Null if it can. */
export function refuseUnstorable(text: string): Refusal | null {
  if (text.includes("\0")) return new Refusal("has a NUL character");
  return text.isWellFormed() ? null : new Refusal("has half of a surrogate pair");
}

function readCharacters(value: unknown): string | Refusal {
  if (typeof value === "number" && Number.isFinite(value)) return String(value);
  if (typeof value !== "string") return new Refusal(`must be text, not ${quote(value)}`);
  const control =
    refuseUnstorable(value) ?? (CONTROL.test(value) ? new Refusal("has a control character") : null);
  return control ?? value;
}

function atMost(text: string, max: number): string | Refusal {
  if (text.length <= max) return text;
  const length = [...text].length;
  return length <= max ? text : new Refusal(`must be at most ${max} characters long, not ${length}`);
}

function toNumber(value: unknown): number | undefined {
  const number =
    typeof value === "string" && NUMBER.test(value.trim()) ? Number(value.trim()) : (value as number);
  return typeof number === "number" && Number.isFinite(number) ? number : undefined;
}
