import { namesBy } from "../records/figures.ts";
import { referenceRelation } from "../records/relations/kinds.ts";
import type { RelatedLine } from "../records/relations/related-hit.ts";
import type { Site } from "../web/look/site.ts";
import type { Locale } from "../web/request/locale.ts";
import { currencyName } from "../words/currencies.ts";
import { intlLocale } from "../words/i18n/languages.ts";
import { TEXTS } from "../words/i18n/translate.ts";
import type { CatalogueKind } from "../words/kinds/kinds.ts";
import { isObject } from "../words/text/json.ts";
import { plainText, shorten } from "../words/text/prose.ts";
import { textIn } from "../words/vocabulary/text-in.ts";
import { findNameTint, tintClass } from "../words/vocabulary/tint.ts";
import { typedText } from "../words/vocabulary/value-text.ts";
import type { KindVocabulary, Vocabulary } from "../words/vocabulary/vocabulary.ts";
import {
  entryLines,
  isLink,
  type LinkWords,
  linksIn,
  linkText,
  moreText,
  namedIn,
  namesText,
  type ValueLink,
} from "./linked-values.ts";

/** One line of an entry's table of attributes. */
export interface AttributeRow {
  label: string;
  /** How deep the line is inside nested attributes, from 0. */
  level: number;
  /** A `group` has no text; its lines follow one level deeper. */
  type: "group" | "number" | "text" | "link" | "entries";
  text: string;
  /** The addresses of a link. */
  links: ValueLink[] | undefined;
  /** The referenced entries; `more` of them are on the page at `allUrl`. */
  lines: RelatedLine[] | undefined;
  more: string | undefined;
  allUrl: string | undefined;
  /** Language of the text, where it is known. */
  lang: string | undefined;
  /** The class of the value's colour. */
  tint: string | undefined;
}

/** Endings of keys that imply a unit, for attributes that are not in the vocabulary. */
const { units: UNITS } = TEXTS.catalogue;

/** What attributes of one kind are written with. */
export type AttributeWords = LinkWords;

/** The same, with whose attributes they are and the language of the record's own texts if known. */
type RecordWords = AttributeWords &
  Locale & { owner: { kind: CatalogueKind; id: string }; textLang?: string | undefined };

/** The words of a kind; `categoryName` is what readers see of a category. */
export interface KindWords {
  vocabulary: KindVocabulary;
  everyKind: Vocabulary;
  categoryName(category: string): string;
}

/** A locale with the words of a kind. */
export function withKindWords<Reader extends Pick<Locale, "language">>(
  locale: Reader,
  site: Pick<Site, "vocabulary" | "category">,
  kind: CatalogueKind,
): Reader & KindWords {
  const { vocabulary: everyKind } = site;
  const categoryName = (category: string) => site.category(category, locale.language).text;
  return { ...locale, everyKind, vocabulary: everyKind.of(kind), categoryName };
}

/** Shown without the separators of a language: players copy these into the game. */
const COORDINATES: ReadonlySet<string> = new Set(["x", "y", "z"]);

/** Attributes nested deeper than this become one line of text. */
export const DEEPEST = 2;

/** Entries that a value names, as many as an entry's page has room for; the rest is on a page of its own. */
export const NAMED_ON_ENTRY = 24;
/** The same where they share a line with other values. */
export const NAMED_IN_LINE = 3;
/** In characters, of a long text that shares a line. */
const SHORT_TEXT = 120;

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
      .flatMap(([key, value]) => createRows(key, value, words, level));
  return [
    ...inGroup(undefined, 0),
    ...groups.flatMap((name) => [groupRow(vocabulary.groupLabel(name, language), 0), ...inGroup(name, 1)]),
  ];
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

/** The heading of a column: the unit stands there, so that cells are plain numbers that a spreadsheet can add up. */
export function attributeHeading(key: string, words: AttributeWords): string {
  const label = attributeLabel(key, words);
  const unit = figureUnit(key, words);
  return unit === undefined ? label : `${label}, ${unit}`;
}

/** The unit or currency of an attribute's numbers, for a heading above plain numbers; undefined where they have none. */
function figureUnit(key: string, { t, language, vocabulary }: AttributeWords): string | undefined {
  const { unit, currency } = vocabulary.attribute(key) ?? {};
  const ending = splitUnit(key).unit;
  const inKey = ending === undefined ? undefined : t(`catalogue.units.${ending}`, { figure: "" });
  const named = currency === undefined ? undefined : currencyName(intlLocale(language), currency);
  return (named ?? textIn(unit, language)?.replace("{figure}", "") ?? inKey)?.trim();
}

/** One value as text: numbers with their unit, known values as words, lists with commas, nothing as a dash. */
export function attributeText(key: string, value: unknown, words: AttributeWords): string {
  const { t, format, language, vocabulary } = words;
  const attribute = vocabulary.attribute(key);
  const named = namedIn(key, value, words);
  if (named) return namesText(named, words, NAMED_ON_ENTRY);
  if (isRichText(key, value, words)) return plainText(value);
  if (attribute !== undefined && Array.isArray(value) && value.length > 0 && !isNested(value))
    return value.map((part) => attributeText(key, part, words)).join(", ");
  const known =
    vocabulary.valueLabel(key, value, language) ?? (attribute && typedText(attribute, value, words));
  if (known !== undefined) return known;
  if (isLink(value)) return linkText(key, value, words);
  if (typeof value !== "number") return format.attribute(value);
  if (COORDINATES.has(key) || namesBy(key)) return String(value);
  const { unit } = splitUnit(key);
  if (unit === undefined) return key === "price" ? format.figure(value) : format.attribute(value);
  return t(`catalogue.units.${unit}`, { figure: format.figure(value) });
}

/** The same in a small space: only the first of long texts and of many entries. */
export function shortText(key: string, value: unknown, words: AttributeWords, longest = SHORT_TEXT): string {
  const named = namedIn(key, value, words);
  if (named) return namesText(named, words, NAMED_IN_LINE);
  const text = attributeText(key, value, words);
  return isRichText(key, value, words) ? shorten(text, longest) : text;
}

/** Whether a value is a text in Markdown, which has a place of its own on an entry's page. */
export function isRichText(
  key: string,
  value: unknown,
  { vocabulary }: Pick<AttributeWords, "vocabulary">,
): value is string {
  return vocabulary.attribute(key)?.type === "richText" && typeof value === "string" && value.trim() !== "";
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
  if (tint === undefined || !Object.hasOwn(attributes, tint)) return undefined;
  return findNameTint(vocabulary, attributes[tint]);
}

/** For `lang`: the language of the record's texts, if the value is shown unchanged and has letters. */
export function attributeLanguage(
  key: string,
  value: unknown,
  { vocabulary, language, textLang }: Pick<RecordWords, "vocabulary" | "language" | "textLang">,
): string | undefined {
  if (vocabulary.referenceOf(key) !== undefined) return undefined;
  const isNamed = (part: unknown) => vocabulary.valueLabel(key, part, language) !== undefined;
  return textLang !== undefined && isWritten(value, isNamed) ? textLang : undefined;
}

function isWritten(value: unknown, isNamed: (part: unknown) => boolean): boolean {
  if (typeof value === "object" && value !== null)
    return Object.values(value).some((part) => isWritten(part, isNamed));
  if (typeof value !== "string" || isLink(value)) return false;
  return !isNamed(value) && /\p{Letter}/u.test(value);
}

function createRows(key: string, value: unknown, words: RecordWords, level: number): AttributeRow[] {
  if (isRichText(key, value, words)) return [];
  const label = attributeLabel(key, words, value);
  const named = namedIn(key, value, words);
  if (named) return [entriesRow({ label, level, key }, named, words)];
  if (isNested(value) && level < DEEPEST) {
    const parts = sortAttributes(listParts(value), words.vocabulary);
    return [
      groupRow(label, level),
      ...parts.flatMap(([name, part]) => createRows(name, part, words, level + 1)),
    ];
  }
  const lang = attributeLanguage(key, value, words);
  const text = attributeText(key, value, words);
  const links = linksIn(key, value, words, NAMED_ON_ENTRY);
  const type = links ? "link" : typeof value === "number" ? "number" : "text";
  return [
    {
      ...EMPTY_ROW,
      label,
      level,
      type,
      text,
      lang,
      tint: attributeTint(key, value, words),
      links,
    },
  ];
}

/** A reference to nothing is a dash, like any missing value. */
function entriesRow(
  { key, ...row }: { label: string; level: number; key: string },
  named: NonNullable<ReturnType<typeof namedIn>>,
  words: RecordWords,
): AttributeRow {
  if (named.length === 0) return { ...EMPTY_ROW, ...row, type: "text", text: words.format.attribute(null) };
  const { kind, id } = words.owner;
  const left = named.length - NAMED_ON_ENTRY;
  const group = { relation: referenceRelation({ kind, key }), direction: "from" };
  return {
    ...EMPTY_ROW,
    ...row,
    type: "entries",
    lines: entryLines(named, NAMED_ON_ENTRY, words),
    more: left > 0 ? moreText(left, words) : undefined,
    allUrl: left > 0 ? words.paths.relations(kind, id, group) : undefined,
  };
}

function groupRow(label: string, level: number): AttributeRow {
  return { ...EMPTY_ROW, label, level, type: "group" };
}

const EMPTY_ROW = {
  text: "",
  lang: undefined,
  tint: undefined,
  links: undefined,
  lines: undefined,
  more: undefined,
  allUrl: undefined,
} satisfies Partial<AttributeRow>;

/** True for an object, and for a list with objects in it; a list of plain values is one line. */
export function isNested(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return value.some((part) => typeof part === "object" && part !== null);
  return Object.keys(value).length > 0;
}

/** The parts of a nested value by name; those of a list by number, from 1. */
export function listParts(value: unknown): Record<string, unknown> {
  if (Array.isArray(value)) return Object.fromEntries(value.map((part, index) => [String(index + 1), part]));
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

function splitUnit(key: string): { name: string; unit?: keyof typeof UNITS } {
  const [, name, ending] = /^(.+)_([a-z]+)$/.exec(key) ?? [];
  if (name === undefined || ending === undefined || !Object.hasOwn(UNITS, ending)) return { name: key };
  return { name, unit: ending as keyof typeof UNITS };
}

/**
 * The attributes that pages show, in reading order: by the vocabulary, else as guessed. Postgres sorts the keys of jsonb
 * by length, which means nothing to readers.
 */
export function sortAttributes(
  attributes: Record<string, unknown>,
  vocabulary: KindVocabulary,
): [string, unknown][] {
  return Object.entries(attributes)
    .filter(([key]) => !vocabulary.isHidden(key))
    .sort(([a, one], [b, other]) => {
      const known = compareKnown(a, b, vocabulary);
      return known !== 0 ? known : computeRank(a, guessType(one)) - computeRank(b, guessType(other));
    });
}

/** Which of two attributes the vocabulary puts first; 0 if it leaves that open. */
export function compareKnown(a: string, b: string, vocabulary: KindVocabulary): number {
  const [one, other] = [a, b].map((key) => vocabulary.attribute(key)?.order ?? Number.POSITIVE_INFINITY);
  return one === other ? 0 : (one ?? 0) < (other ?? 0) ? -1 : 1;
}

/** The place of an attribute in the guessed order, from 0; equal ones keep their order. */
export function computeRank(key: string, type: AttributeType): number {
  // Parts of a list, which are named by number.
  if (/^\d+$/.test(key)) return 0;
  if (isPlace(key)) return 8;
  if (isReference(key)) return 7;
  // A room of the game, not of the record; houses that look the same inside share one.
  if (key === "interior") return 6;
  if (/(^|_)(price|cost)$/.test(key)) return 1;
  return { number: 2, string: 3, boolean: 4, nested: 5 }[type];
}

type AttributeType = "number" | "string" | "boolean" | "nested";

function guessType(value: unknown): AttributeType {
  if (typeof value === "number") return "number";
  if (typeof value === "boolean") return "boolean";
  return isObject(value) ? "nested" : "string";
}

/** Coordinates, which only the map uses. */
export function isPlace(key: string): boolean {
  return ["x", "y", "z"].includes(key.toLowerCase());
}

/** Ids of other records: numbers, but not amounts to compare. */
export function isReference(key: string): boolean {
  return /(^|_)ids?$|[a-z]I[Dd]s?$/.test(key);
}
