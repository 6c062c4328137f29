import type { Locale } from "../http/locale.ts";
import { localName } from "../i18n/local-name.ts";
import { textLanguage } from "../records/text-language.ts";
import { matchedFirst } from "../search/matched-names.ts";
import { attributeLabel, attributeLanguage, attributeText } from "./attributes.ts";
import { type ListView, sortOf, sortText } from "./list-address.ts";
import type { EntrySort, ListedEntry } from "./list-queries.ts";
import { SORT_WORDS } from "./list-words.ts";

/** The style sheet knows sizes from the one to the other. */
const SHORTEST_WORD = 4;
const LONGEST_WORD = 14;

/** A column's head; one that sorts says by what, and how it does so now. */
export interface ColumnHead {
  label: string;
  isNumber: boolean;
  /** What a press on it sorts by; undefined: nothing can be sorted by it. */
  sort: EntrySort | undefined;
  /** The room that it needs, in characters; a class of the style sheet. Told beforehand, it stays while rows arrive. */
  size: number;
  /** For `aria-sort`. */
  sorted: "ascending" | "descending" | undefined;
}

export interface ListTable {
  /** False where all of them are of the same one, which the page's head names. */
  hasCategories: boolean;
  categorySize: number;
  heads: { name: ColumnHead; attributes: ColumnHead[]; popularity: ColumnHead; changed: ColumnHead };
  rows: ListRow[];
}

export interface ListRow extends Omit<ListedEntry, "shown" | "names" | "name" | "demo"> {
  name: string;
  lang: string | undefined;
  /** Another name: the one that a search found, else the main one, else the first there is. */
  other: { name: string; lang: string | undefined } | undefined;
  cells: { text: string; isNumber: boolean; isMissing: boolean; lang: string | undefined }[];
}

/** Rows and heads of a list's table. `canSort` says whether the list is short enough to be sorted by figures. */
export function listTable(
  entries: ListedEntry[],
  {
    columns,
    sorts,
    sort,
    canSort,
    view: { q, category },
  }: {
    columns: string[];
    sorts: string[];
    sort: EntrySort;
    canSort: boolean;
    view: Pick<ListView, "q" | "category">;
  },
  locale: Locale,
): ListTable {
  const { t } = locale;
  const attributes = columns.map((key) => {
    const isSortable = canSort && sorts.includes(key);
    return attributeHead(key, isSortable, entries, sort, locale);
  });
  const named = (name: "name" | "popularity" | "newest", label: string, isNumber: boolean): ColumnHead => {
    const sorted = sort !== name ? undefined : name === "name" ? "ascending" : "descending";
    return { label, isNumber, size: sizeOf([label]), sort: name, sorted };
  };
  return {
    hasCategories: category === undefined,
    categorySize: sizeOf([
      t("catalogue.list.columns.category"),
      ...entries.map((entry) => entry.category ?? ""),
    ]),
    heads: {
      name: named("name", t("catalogue.list.columns.name"), false),
      attributes,
      popularity: named("popularity", t("catalogue.list.columns.popularity"), true),
      changed: named("newest", t("catalogue.list.columns.changed"), true),
    },
    rows: entries.map((entry) => listRow(entry, columns, q, locale)),
  };
}

/** The first press shows the highest figures; the next one turns them round. */
function attributeHead(
  key: string,
  isSortable: boolean,
  entries: ListedEntry[],
  sort: EntrySort,
  locale: Locale,
): ColumnHead {
  const isSorting = typeof sort === "object" && sort.key === key;
  const values = entries.map(({ shown }) => shown[key]).filter((value) => value !== null);
  const label = attributeLabel(key, locale);
  const texts = values.map((value) => attributeText(key, value, locale));
  return {
    label,
    size: sizeOf([label, ...texts]),
    isNumber: values.length > 0 && values.every((value) => typeof value === "number"),
    sort: isSortable ? { key, descending: !(isSorting && sort.descending) } : undefined,
    sorted: isSorting ? (sort.descending ? "descending" : "ascending") : undefined,
  };
}

/** The length of the longest part that keeps on one line, as a figure does with its unit: none is cut unless it is very long. */
function sizeOf(texts: string[]): number {
  const lengths = texts.flatMap((text) => text.split(/(?!\u00a0)\s+|-/)).map((part) => part.length);
  return Math.min(LONGEST_WORD, Math.max(SHORTEST_WORD, ...lengths));
}

function listRow(entry: ListedEntry, columns: string[], q: string, locale: Locale): ListRow {
  const { shown, names, demo, ...rest } = entry;
  const { name, lang, original } = localName(entry, locale.language);
  const others = Object.entries(names)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([locale, other]) => ({ name: other, lang: locale as string | undefined }));
  if (original !== undefined && !others.some((other) => other.name === original)) {
    others.unshift({ name: original, lang: undefined });
  }
  const different = others.filter((other) => other.name !== name);
  const isOriginal = (other: { name: string }) => other.name === original;
  const other = q === "" ? (different.find(isOriginal) ?? different[0]) : matchedFirst(different, q)[0];
  const cells = columns.map((key) => {
    const value = shown[key] ?? null;
    return {
      text: attributeText(key, value, locale),
      isNumber: typeof value === "number",
      isMissing: value === null,
      lang: attributeLanguage(key, value, textLanguage({ demo })),
    };
  });
  return { ...rest, name, lang, other, cells };
}

/**
 * The choices of the sort field: `[value, text]`, those by figures in a group of their own. The default order is
 * blank: whoever begins to search then has the best matches first, though the list went by name before.
 */
export function sortOptions(
  { q, sorts, canSort }: { q: string; sorts: string[]; canSort: boolean },
  locale: Locale,
): ([string, string] | { group: string; options: [string, string][] })[] {
  const { t } = locale;
  const named = (["match", "name", "popularity", "newest"] as const)
    .filter((sort) => sort !== "match" || q !== "")
    .map((sort): [string, string] => [sortValue(sort, q), t(SORT_WORDS[sort])]);
  if (!canSort || sorts.length === 0) return named;
  const figures = sorts.flatMap((key): [string, string][] => {
    const attribute = attributeLabel(key, locale);
    return [
      [sortText({ key, descending: true }), t("catalogue.list.sort_down", { attribute })],
      [sortText({ key, descending: false }), t("catalogue.list.sort_up", { attribute })],
    ];
  });
  return [...named, { group: t("catalogue.list.sort_figures"), options: figures }];
}

/** What the sort field holds for an order. */
export function sortValue(sort: EntrySort, q: string): string {
  return sort === sortOf({ q }) ? "" : sortText(sort);
}
