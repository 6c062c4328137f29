import type { RelatedLine } from "../records/relations/related-hit.ts";
import type { Locale } from "../web/request/locale.ts";
import { sortAttributes } from "./attribute-order.ts";
import {
  type AttributeWords,
  attributeLabel,
  attributeLanguage,
  attributeTint,
  DEEPEST,
  isNested,
  partsOf,
  shortText,
} from "./attributes.ts";
import { entryLines, linksIn, moreText, namedIn, type ValueLink } from "./linked-values.ts";

/** Entries that one value of a comparison names; more are only counted. */
export const NAMED_IN_CELL = 8;

interface CompareCell {
  text: string;
  /** Links of addresses. */
  links: ValueLink[];
  /** Referenced entries; `more` counts the rest. */
  lines: RelatedLine[];
  more: string | undefined;
  isNumber: boolean;
  isMissing: boolean;
  lang: string | undefined;
  /** The class of the value's colour. */
  tint: string | undefined;
}

export interface CompareRow {
  label: string;
  /** Depth within nested attributes, from 0. */
  level: number;
  /** A group has no cells; its lines follow one level deeper. */
  isGroup: boolean;
  /** One for each entry, in their order. */
  cells: CompareCell[];
  /** The entries differ in this line, or in some line of this group. */
  differs: boolean;
}

type Attributes = Record<string, unknown>;

/** `textLangs`: the languages of the entries' own texts where known, in the order of the entries. */
type CompareWords = AttributeWords & Locale & { textLangs?: readonly (string | undefined)[] };

/** The attributes of several entries side by side; a missing one is a dash, and differs from any value. */
export function compareAttributes(entries: Attributes[], words: CompareWords, level = 0): CompareRow[] {
  const known = Object.fromEntries(
    [...entries].reverse().flatMap((attributes) => Object.entries(attributes)),
  );
  return sortAttributes(known, words.vocabulary).flatMap(([key]) => {
    const values = entries.map((attributes) => (Object.hasOwn(attributes, key) ? attributes[key] : null));
    return compareValues(key, values, words, level);
  });
}

/** One attribute of several entries: a line, or a group of lines if the values are nested. */
export function compareValues(key: string, values: unknown[], words: CompareWords, level = 0): CompareRow[] {
  const present = values.filter((value) => value !== null && value !== undefined);
  if (level < DEEPEST && present.length > 0 && isGroup(key, present, words)) {
    const rows = compareAttributes(values.map(partsOf), words, level + 1);
    const differs = rows.some((row) => row.differs);
    return [{ label: attributeLabel(key, words), level, isGroup: true, cells: [], differs }, ...rows];
  }
  const cells = values.map((value, place) => ({
    text: shortText(key, value ?? null, words),
    ...leadsOf(key, value, words),
    isNumber: typeof value === "number",
    isMissing: isNothing(value),
    lang: attributeLanguage(key, value, { ...words, textLang: words.textLangs?.[place] }),
    tint: attributeTint(key, value, words),
  }));
  // Labels of numbers leave out the unit, which is beside each of them.
  const figure = present.find((value) => typeof value === "number") ?? present[0];
  const differs = new Set(values.map(canonical)).size > 1;
  return [{ label: attributeLabel(key, words, figure), level, isGroup: false, cells, differs }];
}

/** What names entries is a list of them, whatever it is made of. */
function isGroup(key: string, present: unknown[], { vocabulary }: CompareWords): boolean {
  return vocabulary.referenceOf(key) === undefined && present.every(isNested);
}

/** The targets of a value. */
function leadsOf(
  key: string,
  value: unknown,
  words: CompareWords,
): Pick<CompareCell, "links" | "lines" | "more"> {
  const named = namedIn(key, value, words) ?? [];
  const left = named.length - NAMED_IN_CELL;
  return {
    links: named.length > 0 ? [] : (linksIn(key, value, words, NAMED_IN_CELL) ?? []),
    lines: entryLines(named, NAMED_IN_CELL, words),
    more: left > 0 ? moreText(left, words) : undefined,
  };
}

/** Only the lines that differ, with the groups they are in. */
export function onlyDifferences(rows: CompareRow[]): CompareRow[] {
  return rows.filter(({ differs }) => differs);
}

/** True for every value that is shown as a dash. */
function isNothing(value: unknown): boolean {
  if (value === null || value === undefined || value === "") return true;
  return typeof value === "object" && Object.keys(value).length === 0;
}

/** The same text for the same value, whatever the order of its keys. */
function canonical(value: unknown): string {
  if (isNothing(value)) return "";
  return JSON.stringify(value, (_, part: unknown) => {
    if (typeof part !== "object" || part === null || Array.isArray(part)) return part;
    return Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
