import type { Locale } from "../http/locale.ts";
import { TEXTS } from "../i18n/translate.ts";
import { tintClass } from "../vocabulary/tint.ts";
import { typedText } from "../vocabulary/value-text.ts";
import type { KindVocabulary } from "../vocabulary/vocabulary.ts";
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
  /** The class of the value's colour. */
  tint: string | undefined;
}

/** Endings of keys that say the unit, for attributes of which the vocabulary says nothing. */
const { units: UNITS } = TEXTS.catalogue;

/** What attributes of one kind are written with. */
export type AttributeWords = Pick<Locale, "t" | "format" | "language"> & { vocabulary: KindVocabulary };

/** The same, with the language of the record's own texts if known. */
type RecordWords = AttributeWords & { textLang?: string | undefined };

/** Shown without the separators of a language: players copy these into the game. */
const COORDINATES: ReadonlySet<string> = new Set(["x", "y", "z"]);

/** Attributes nested deeper than this become one line of text. */
export const DEEPEST = 2;

/** An entry's attributes as the lines of a table: those without a group, then group by group. */
export function attributeRows(attributes: Record<string, unknown>, words: RecordWords): AttributeRow[] {
  const { vocabulary, language } = words;
  const shown = sortAttributes(attributes, vocabulary);
  const groups = [...new Set(shown.map(([key]) => vocabulary.groupOf(key)))]
    .filter((name) => name !== undefined)
    .sort((a, b) => vocabulary.groupOrder(a) - vocabulary.groupOrder(b) || 0);
  const inGroup = (name: string | undefined, level: number) =>
    shown
      .filter(([key]) => vocabulary.groupOf(key) === name)
      .flatMap(([key, value]) => rowsOf(key, value, words, level));
  return [
    ...inGroup(undefined, 0),
    ...groups.flatMap((name) => [groupRow(vocabulary.groupLabel(name, language), 0), ...inGroup(name, 1)]),
  ];
}

/** The label on an entry's page, where the game's price stands beside those of the shop. */
export function labelOnEntry(key: string, words: AttributeWords, value?: unknown): string {
  const isPrice = key === "price" && words.vocabulary.label(key, words.language) === undefined;
  return isPrice ? words.t("catalogue.entry.price_in_game") : attributeLabel(key, words, value);
}

/**
 * The label of an attribute: the vocabulary's, else one made of its key: `Top speed` for `top_speed_kmh`. The unit stays
 * in the name of a value that is not a number.
 */
export function attributeLabel(
  key: string,
  { t, format, language, vocabulary }: AttributeWords,
  value?: unknown,
): string {
  const known = vocabulary.label(key, language);
  if (known !== undefined) return known;
  if (key === "aliases" || key === "price") return t(`catalogue.attributes.${key}`);
  const isFigure = value === undefined || value === null || typeof value === "number";
  return format.label(isFigure ? splitUnit(key).name : key);
}

/** One value as text: numbers with their unit, known values as words, lists with commas, nothing as a dash. */
export function attributeText(key: string, value: unknown, words: AttributeWords): string {
  const { t, format, language, vocabulary } = words;
  const attribute = vocabulary.attribute(key);
  if (attribute !== undefined && Array.isArray(value) && value.length > 0 && !isNested(value))
    return value.map((part) => attributeText(key, part, words)).join(", ");
  const known =
    vocabulary.valueLabel(key, value, language) ?? (attribute && typedText(attribute, value, words));
  if (known !== undefined) return known;
  if (typeof value === "number" && COORDINATES.has(key)) return String(value);
  const { unit } = splitUnit(key);
  if (typeof value !== "number" || unit === undefined) return format.attribute(value);
  return t(`catalogue.units.${unit}`, { figure: format.attribute(value) });
}

/** The class of a value's colour; undefined: it has none. */
export function attributeTint(
  key: string,
  value: unknown,
  { vocabulary }: AttributeWords,
): string | undefined {
  const colour = vocabulary.colour(key, value);
  return colour === undefined ? undefined : tintClass(colour);
}

/** The class of the colour of a record's name; undefined: it has none. */
export function nameTint(
  { attributes }: { attributes: Record<string, unknown> },
  { vocabulary }: Pick<AttributeWords, "vocabulary">,
): string | undefined {
  const { tint } = vocabulary;
  const colour = tint === undefined ? undefined : vocabulary.colour(tint, attributes[tint]);
  return colour === undefined ? undefined : tintClass(colour);
}

/** For `lang`: the language of the record's texts for a value that is shown as it was written and has letters. */
export function attributeLanguage(
  key: string,
  value: unknown,
  { vocabulary, language, textLang }: Pick<RecordWords, "vocabulary" | "language" | "textLang">,
): string | undefined {
  const isNamed = (part: unknown) => vocabulary.valueLabel(key, part, language) !== undefined;
  return textLang !== undefined && isWritten(value, isNamed) ? textLang : undefined;
}

function isWritten(value: unknown, isNamed: (part: unknown) => boolean): boolean {
  if (typeof value === "object" && value !== null)
    return Object.values(value).some((part) => isWritten(part, isNamed));
  if (typeof value !== "string" || isLink(value)) return false;
  return !isNamed(value) && /\p{Letter}/u.test(value);
}

function rowsOf(key: string, value: unknown, words: RecordWords, level: number): AttributeRow[] {
  const label = labelOnEntry(key, words, value);
  if (isNested(value) && level < DEEPEST) {
    const parts = sortAttributes(partsOf(value), words.vocabulary);
    return [groupRow(label, level), ...parts.flatMap(([name, part]) => rowsOf(name, part, words, level + 1))];
  }
  const lang = attributeLanguage(key, value, words);
  const text = attributeText(key, value, words);
  return [{ label, level, type: typeOf(value), text, lang, tint: attributeTint(key, value, words) }];
}

function groupRow(label: string, level: number): AttributeRow {
  return { label, level, type: "group", text: "", lang: undefined, tint: undefined };
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
  if (name === undefined || ending === undefined || !Object.hasOwn(UNITS, ending)) return { name: key };
  return { name, unit: ending as keyof typeof UNITS };
}

function isLink(value: unknown): boolean {
  return typeof value === "string" && /^https?:\/\/\S+$/.test(value) && URL.canParse(value);
}
