import { attribute, label, number } from "../http/format.ts";

/** One line of an entry's table of attributes. */
export interface AttributeRow {
  label: string;
  /** How deep the line is inside nested attributes, from 0. */
  level: number;
  /** `group` opens the lines below it, which are one level deeper, and has no text of its own. */
  type: "group" | "number" | "text" | "link";
  text: string;
}

/** Past this depth, what is nested becomes one line of text. */
const DEEPEST = 2;

/** Endings of attribute names that say the unit, as data sources write them, and what a person reads. */
const UNITS: Record<string, string> = {
  kmh: "km/h",
  mph: "mph",
  km: "km",
  m: "m",
  cm: "cm",
  kg: "kg",
  hp: "hp",
  percent: "%",
  ms: "ms",
  s: "s",
  seconds: "s",
  minutes: "min",
  hours: "h",
};

/** An entry's attributes as the lines of a table: nested ones below a line with their name, units beside figures. */
export function attributeRows(attributes: Record<string, unknown>, level = 0): AttributeRow[] {
  return Object.entries(attributes).flatMap(([key, value]) => rowsOf(key, value, level));
}

function rowsOf(key: string, value: unknown, level: number): AttributeRow[] {
  if (isNested(value) && level < DEEPEST) {
    const parts = Array.isArray(value) ? numbered(value) : value;
    return [{ label: label(key), level, type: "group", text: "" }, ...attributeRows(parts, level + 1)];
  }
  if (typeof value === "number") return [{ ...measure(key, value), level, type: "number" }];
  const type = isLink(value) ? "link" : "text";
  return [{ label: label(key), level, type, text: attribute(value) || "–" }];
}

/** True for an object, and for a list with objects in it; a list of plain values is one line. */
function isNested(value: unknown): value is Record<string, unknown> | unknown[] {
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return value.some((part) => typeof part === "object" && part !== null);
  return Object.keys(value).length > 0;
}

function numbered(list: unknown[]): Record<string, unknown> {
  return Object.fromEntries(list.map((value, index) => [String(index + 1), value]));
}

function measure(key: string, value: number): { label: string; text: string } {
  const [, name, ending] = /^(.+)_([a-z]+)$/.exec(key) ?? [];
  const unit = ending === undefined ? undefined : UNITS[ending];
  if (name === undefined || unit === undefined) return { label: label(key), text: number(value) };
  return { label: label(name), text: `${number(value)} ${unit}` };
}

function isLink(value: unknown): boolean {
  return typeof value === "string" && /^https?:\/\/\S+$/.test(value) && URL.canParse(value);
}
