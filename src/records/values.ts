import { type LazyText, lazyText } from "../words/i18n/lazy-text.ts";
import { cutText } from "../words/text/cut.ts";
import { lastOfDay, readIsoTime, timeAt } from "../words/text/time.ts";
import { isBlank, withoutTurns } from "../words/text/visible.ts";

/** Why a value is refused; it follows the field's name: "name: is missing". */
export class Refusal {
  readonly reason: LazyText;
  constructor(...reason: Parameters<typeof lazyText>) {
    this.reason = lazyText(...reason);
  }
}

/** The largest `integer` of Postgres. */
export const LARGEST_COUNT = 2_147_483_647;
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
  if (isBlank(line)) return new Refusal("refusals.invisible");
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
  return new Refusal("refusals.space", { value: quote(line) });
}

/** The game's own id: trimmed text, or a number as text. */
export function readId(value: unknown): string | Refusal {
  if (typeof value === "number" && Number.isInteger(value) && !Number.isSafeInteger(value)) {
    return new Refusal("refusals.inexact");
  }
  const text = readCharacters(value);
  if (text instanceof Refusal) return text;
  const id = text.trim().normalize("NFC");
  if (isBlank(id)) return new Refusal("refusals.invisible");
  if (id === "." || id === "..") return new Refusal("refusals.dots", { value: quote(id) });
  return /\p{Cc}/u.test(id) ? new Refusal("refusals.control") : atMost(id, 200);
}

/** A whole number from `min` to `max`, also as text. */
export function readCount(value: unknown, min = 0, max = LARGEST_COUNT): number | Refusal {
  const number = toNumber(value);
  if (number !== undefined && Number.isInteger(number) && number >= min && number <= max) return number;
  return new Refusal("refusals.whole_between", { min, max, value: quote(value) });
}

/** A number of 0 or more, also as text. */
export function readAmount(value: unknown): number | Refusal {
  const number = toNumber(value);
  if (number !== undefined && number >= 0) return number;
  return new Refusal("refusals.amount", { value: quote(value) });
}

/** An exact decimal of 0 or more with at most two digits after the point. Text never passes through a float. */
export function readDecimal(value: unknown): string | Refusal {
  const text = typeof value === "number" ? String(value) : typeof value === "string" ? value.trim() : "";
  if (/^-\d+(\.\d+)?$/.test(text)) return new Refusal("refusals.negative", { value: quote(value) });
  if (!DECIMAL.test(text)) return new Refusal("refusals.decimal", { value: quote(value) });
  const [whole = "", fraction = ""] = text.split(".");
  const digits = fraction.replace(/0+$/, "");
  if (digits.length > 2) return new Refusal("refusals.digits", { value: quote(value) });
  const integer = whole.replace(/^0+(?=\d)/, "");
  if (integer.length > 12) return new Refusal("refusals.large", { value: quote(value) });
  return digits === "" ? integer : `${integer}.${digits}`;
}

/** A boolean, also as text or as 1 and 0. */
export function readFlag(value: unknown): boolean | Refusal {
  const word = plainText(value).trim().toLowerCase();
  if (["true", "yes", "1"].includes(word)) return true;
  if (["false", "no", "0"].includes(word)) return false;
  return new Refusal("refusals.flag", { value: quote(value) });
}

/** A decimal above 0 and at most 100, also as text with a percent sign after it. */
export function readPercent(value: unknown): string | Refusal {
  const decimal = readDecimal(typeof value === "string" ? value.replace(PERCENT_SIGN, "") : value);
  if (decimal instanceof Refusal || (Number(decimal) > 0 && Number(decimal) <= 100)) return decimal;
  return new Refusal("refusals.percent", { value: quote(value) });
}

/**
 * A time as ISO 8601 in UTC. Accepts ISO 8601 with a time zone, a day (midnight in UTC), and seconds or milliseconds
 * since 1970. Numbers before 1973 are refused, because they are more likely days without dashes.
 */
export function readTime(value: unknown): string | Refusal {
  const text = typeof value === "number" ? String(value) : typeof value === "string" ? value.trim() : "";
  const time = /^\d{9,15}$/.test(text) ? epochTime(Number(text)) : readIsoTime(text);
  if (time) return time.toISOString();
  return new Refusal("refusals.time", { value: quote(value) });
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
  return new Refusal("refusals.url", { value: quote(value) });
}

/** A value as text; blank for null, lists and objects, because converting a hostile object to text can throw. */
export function plainText(value: unknown): string {
  return typeof value === "object" ? "" : String(value);
}

/** A value as a refusal shows it: text quoted and cut, lists and objects by their type. */
export function quote(value: unknown): string | LazyText {
  if (Array.isArray(value)) return lazyText("refusals.a_list");
  if (typeof value === "object" && value !== null) return lazyText("refusals.an_object");
  if (typeof value !== "string") return String(value);
  return lazyText("refusals.quoted", {
    text: JSON.stringify(cutText(value, 60).toWellFormed()).slice(1, -1),
  });
}

/** Why Postgres cannot store a text: it has a NUL or half of a surrogate pair. Null if it can. */
export function refuseUnstorable(text: string): Refusal | null {
  if (text.includes("\0")) return new Refusal("refusals.nul");
  return text.isWellFormed() ? null : new Refusal("refusals.surrogate");
}

function readCharacters(value: unknown): string | Refusal {
  if (typeof value === "number" && Number.isFinite(value)) return String(value);
  if (typeof value !== "string") return new Refusal("refusals.text", { value: quote(value) });
  const control = refuseUnstorable(value) ?? (CONTROL.test(value) ? new Refusal("refusals.control") : null);
  return control ?? value;
}

function atMost(text: string, max: number): string | Refusal {
  if (text.length <= max) return text;
  const length = [...text].length;
  return length <= max ? text : new Refusal("refusals.long", { max, length });
}

/** A finite number, also as text; undefined for anything else. */
export function toNumber(value: unknown): number | undefined {
  const number =
    typeof value === "string" && NUMBER.test(value.trim()) ? Number(value.trim()) : (value as number);
  return typeof number === "number" && Number.isFinite(number) ? number : undefined;
}
