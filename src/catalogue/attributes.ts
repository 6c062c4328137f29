import type { ParseKeys } from "i18next";
import type { Locale } from "../http/locale.ts";
import { TEXTS } from "../i18n/translate.ts";
import { sortAttributes } from "./attribute-order.ts";

/** One line of an entry's table of attributes. */
export interface AttributeRow {
  label: string;
  /** How deep the line is inside nested attributes, from 0. */
  level: number;
  /** A `group` has no text; its lines follow one level deeper. */
  type: "group" | "number" | "text" | "link";
  text: string;
  /** Language of the text, where it is known. */
  lang: string | undefined;
}

/**
 * Attributes of the demo's game, endings of their keys that say the unit, and values that its data writes as
 * identifiers. Any others are shown as they are written.
 */
const { attributes: LABELS, units: UNITS, values: VALUES } = TEXTS.catalogue;

/** What attributes are written with. */
export type AttributeWords = Pick<Locale, "t" | "format">;

/** The same, with the language of the record's own texts if known. */
type RecordWords = AttributeWords & { textLang?: string | undefined };

/** Shown without the separators of a language: players copy these into the game. */
const COORDINATES: ReadonlySet<string> = new Set(["x", "y", "z"]);

/** Attributes nested deeper than this become one line of text. */
export const DEEPEST = 2;

/** An entry's attributes as the lines of a table. */
export function attributeRows(
  attributes: Record<string, unknown>,
  words: RecordWords,
  level = 0,
): AttributeRow[] {
  return sortAttributes(attributes).flatMap(([key, value]) => rowsOf(key, value, words, level));
}

/** The label on an entry's page, where the game's price stands beside those of the shop. */
export function labelOnEntry(key: string, words: AttributeWords, value?: unknown): string {
  return key === "price" ? words.t("catalogue.entry.price_in_game") : attributeLabel(key, words, value);
}

/** The label of an attribute: `Top speed` for `top_speed_kmh`. The unit stays in the name of a value that is not a number. */
export function attributeLabel(key: string, { t, format }: AttributeWords, value?: unknown): string {
  const isFigure = value === undefined || value === null || typeof value === "number";
  const name = isFigure ? splitUnit(key).name : key;
  return isKnown(LABELS, name) ? t(`catalogue.attributes.${name}`) : format.label(name);
}

/** One value as text: numbers with their unit, known values as words, lists with commas, nothing as a dash. */
export function attributeText(key: string, value: unknown, { t, format }: AttributeWords): string {
  const word = typeof value === "string" ? knownValue(key, value) : undefined;
  if (word !== undefined) return t(word);
  if (typeof value === "number" && COORDINATES.has(key)) return String(value);
  const { unit } = splitUnit(key);
  if (typeof value !== "number" || unit === undefined) return format.attribute(value);
  return t(`catalogue.units.${unit}`, { figure: format.attribute(value) });
}

/** For `lang`: the language of the record's texts for a value that is shown as it was written and has letters. */
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
  const isWord = isKnown(VALUES, key) && Object.hasOwn(VALUES[key], value);
  return isWord ? (`catalogue.values.${key}.${value}` as ParseKeys) : undefined;
}

function rowsOf(key: string, value: unknown, words: RecordWords, level: number): AttributeRow[] {
  const label = labelOnEntry(key, words, value);
  if (isNested(value) && level < DEEPEST) {
    return [
      { label, level, type: "group", text: "", lang: undefined },
      ...attributeRows(partsOf(value), words, level + 1),
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
export function isNested(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return value.some((part) => typeof part === "object" && part !== null);
  return Object.keys(value).length > 0;
}

/** The parts of a nested value by name; those of a list by number, from 1. */
export function partsOf(value: unknown): Record<string, unknown> {
  if (Array.isArray(value)) return Object.fromEntries(value.map((part, index) => [String(index + 1), part]));
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

function splitUnit(key: string): { name: string; unit?: keyof typeof UNITS } {
  const [, name, ending] = /^(.+)_([a-z]+)$/.exec(key) ?? [];
  if (name === undefined || ending === undefined || !isKnown(UNITS, ending)) return { name: key };
  return { name, unit: ending };
}

/** Own keys only: the data may have a key such as `constructor`. */
function isKnown<Known extends object>(known: Known, key: string | undefined): key is keyof Known & string {
  return key !== undefined && Object.hasOwn(known, key);
}

function isLink(value: unknown): boolean {
  return typeof value === "string" && /^https?:\/\/\S+$/.test(value) && URL.canParse(value);
}
