import type { ParseKeys } from "i18next";
import type { Locale } from "../http/locale.ts";
import { inOrder } from "./attribute-order.ts";
import { ATTRIBUTE_LABELS, ATTRIBUTE_UNITS, ATTRIBUTE_VALUES } from "./attribute-words.ts";

/** One line of an entry's table of attributes. */
export interface AttributeRow {
  label: string;
  /** How deep the line is inside nested attributes, from 0. */
  level: number;
  /** `group` opens the lines below it, which are one level deeper, and has no text of its own. */
  type: "group" | "number" | "text" | "link";
  text: string;
  /** Language of the text, where it is known to be one of its own. */
  lang: string | undefined;
}

/** What attributes are written with. */
export type AttributeWords = Pick<Locale, "t" | "format">;

/** The same, with the language of the record's own texts where that is known. */
type RecordWords = AttributeWords & { textLang?: string | undefined };

/** Not as a language writes numbers: these are copied into the game. */
const COORDINATES: ReadonlySet<string> = new Set(["x", "y", "z"]);

/** Past this depth, what is nested becomes one line of text. */
const DEEPEST = 2;

/** An entry's attributes as the lines of a table: nested ones below a line with their name, units beside figures. */
export function attributeRows(
  attributes: Record<string, unknown>,
  words: RecordWords,
  level = 0,
): AttributeRow[] {
  return inOrder(attributes).flatMap(([key, value]) => rowsOf(key, value, words, level));
}

/** What an attribute is called on an entry's page, where the game's price stands beside those of the shop. */
export function labelOnEntry(key: string, words: AttributeWords, value?: unknown): string {
  return key === "price" ? words.t("catalogue.attributes.price_in_game") : attributeLabel(key, words, value);
}

/** What an attribute is called: `Top speed` of `top_speed_kmh`, unless its value is no figure to have a unit. */
export function attributeLabel(key: string, { t, format }: AttributeWords, value?: unknown): string {
  const isFigure = value === undefined || value === null || typeof value === "number";
  const name = isFigure ? splitUnit(key).name : key;
  return isKnown(ATTRIBUTE_LABELS, name) ? t(ATTRIBUTE_LABELS[name]) : format.label(name);
}

/** One value as text: figures with their unit, booleans and known values as words, lists with commas, nothing as a dash. */
export function attributeText(key: string, value: unknown, { t, format }: AttributeWords): string {
  const word = typeof value === "string" ? knownValue(key, value) : undefined;
  if (word !== undefined) return t(word);
  if (typeof value === "number" && COORDINATES.has(key)) return String(value);
  const { unit } = splitUnit(key);
  if (typeof value !== "number" || unit === undefined) return format.attribute(value);
  return t(ATTRIBUTE_UNITS[unit], { figure: format.attribute(value) });
}

/** For `lang`: that of the record's own texts for a value that is shown as it was written, letters being in it. */
export function attributeLanguage(
  key: string,
  value: unknown,
  textLang: string | undefined,
): string | undefined {
  return textLang !== undefined && isWritten(key, value) ? textLang : undefined;
}

function isWritten(key: string, value: unknown): boolean {
  if (typeof value === "object" && value !== null)
    return Object.values(value).some((part) => isWritten("", part));
  if (typeof value !== "string" || isLink(value)) return false;
  return knownValue(key, value) === undefined && /\p{Letter}/u.test(value);
}

function knownValue(key: string, value: string): ParseKeys | undefined {
  if (!isKnown(ATTRIBUTE_VALUES, key)) return undefined;
  const words: Record<string, ParseKeys> = ATTRIBUTE_VALUES[key];
  return Object.hasOwn(words, value) ? words[value] : undefined;
}

function rowsOf(key: string, value: unknown, words: RecordWords, level: number): AttributeRow[] {
  const label = labelOnEntry(key, words, value);
  if (isNested(value) && level < DEEPEST) {
    const parts = Array.isArray(value) ? numbered(value) : value;
    return [
      { label, level, type: "group", text: "", lang: undefined },
      ...attributeRows(parts, words, level + 1),
    ];
  }
  const lang = attributeLanguage(key, value, words.textLang);
  return [{ label, level, type: typeOf(value), text: attributeText(key, value, words), lang }];
}

function typeOf(value: unknown): AttributeRow["type"] {
  if (typeof value === "number") return "number";
  return isLink(value) ? "link" : "text";
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

function splitUnit(key: string): { name: string; unit?: keyof typeof ATTRIBUTE_UNITS } {
  const [, name, ending] = /^(.+)_([a-z]+)$/.exec(key) ?? [];
  if (name === undefined || ending === undefined || !isKnown(ATTRIBUTE_UNITS, ending)) return { name: key };
  return { name, unit: ending };
}

/** Keys are the data's: `constructor` and the like are none of ours. */
function isKnown<Known extends object>(known: Known, key: string | undefined): key is keyof Known & string {
  return key !== undefined && Object.hasOwn(known, key);
}

function isLink(value: unknown): boolean {
  return typeof value === "string" && /^https?:\/\/\S+$/.test(value) && URL.canParse(value);
}
