import type { Db } from "../../db/connect.ts";
import { textLanguage } from "../../records/text-language.ts";
import { matchedFirst } from "../../search/hits.ts";
import type { Locale } from "../../web/request/locale.ts";
import type { Language } from "../../words/i18n/languages.ts";
import { localName } from "../../words/i18n/local-name.ts";
import type { KindVocabulary } from "../../words/vocabulary/vocabulary.ts";
import {
  type AttributeWords,
  attributeLabel,
  attributeLanguage,
  attributeTint,
  compareKnown,
  computeRank,
  NAMED_IN_LINE,
  nameTint,
  shortText,
} from "../attributes.ts";
import type { KindFacets, ListTraits, ValueTraits } from "../facets.ts";
import type { FacetsMemory } from "../facets-memory.ts";
import { linksIn } from "../linked-values.ts";
import { chooseSort, type ListView, sortText } from "./address.ts";
import type { EntrySort, ListedEntry } from "./queries.ts";

const COLUMNS_AT_MOST = 4;
/** As many as an operator needs, within the limits of a table. */
const WANTED_AT_MOST = 7;
/** Attributes that fewer records have would make a column of dashes. */
const COLUMN_SHARE = 0.2;

/** The sources of lists: one state of the database, and its cached counts. */
export interface Sources {
  db: Db;
  memory: FacetsMemory;
}

/** Language, links and formats, with the words of the list's kind; `categoryName` is what readers see of a category. */
export type ListWords = Locale & AttributeWords & { categoryName(category: string): string };

/** Column sizes in characters; the style sheet has a class for each. */
const SHORTEST_WORD = 4;
const LONGEST_WORD = 17;
/** Characters shown of each end of a long id. */
const ID_ENDS = 14;

/** The room for a table on a wide screen, and what its columns take of it, in rem as in entry-table.css. */
const ROOM = 56.5;
const NAME = 2.25 + 11;
const DATE = 7.5;
const widthOf = (size: number) => size * 0.5 + 1;

interface ColumnHead {
  label: string;
  isNumber: boolean;
  /** The order after a click, or undefined. */
  sort: EntrySort | undefined;
  /** The width in characters, set beforehand so that the table stays still while rows arrive. */
  size: number;
  /** For `aria-sort`. */
  sorted: "ascending" | "descending" | undefined;
}

/** Heads and rows of a list's table. `canSort`: the list is short enough to be sorted by attributes. */
export function listTable(
  entries: ListedEntry[],
  {
    columns,
    sorts,
    sort,
    canSort,
    traits,
    view: { q, category },
  }: {
    columns: readonly string[];
    sorts: readonly string[];
    sort: EntrySort;
    canSort: boolean;
    traits: ListTraits;
    view: Pick<ListView, "q" | "category">;
  },
  locale: ListWords,
) {
  const { t } = locale;
  const named = (name: "name" | "popularity" | "newest", label: string, isNumber: boolean): ColumnHead => {
    const sorted = sort !== name ? undefined : name === "name" ? "ascending" : "descending";
    return { label, isNumber, size: computeSize([label]), sort: name, sorted };
  };
  // A list of one category names it in its heading.
  const hasCategories = category === undefined && isTelling(traits.category, traits);
  const hasPopularity =
    traits.popularity.present > 0 && (sort === "popularity" || isTelling(traits.popularity, traits));
  const hasDates = sort === "newest" || entries.length < 2 || isOfDays(traits, locale);
  const categorySize = computeSize([
    t("catalogue.list.columns.category"),
    ...entries.map(({ category }) => (category === null ? "" : locale.categoryName(category))),
  ]);
  const popularity = hasPopularity
    ? named("popularity", t("catalogue.list.columns.popularity"), true)
    : undefined;
  const taken =
    NAME +
    (hasDates ? DATE : 0) +
    (popularity ? widthOf(popularity.size) : 0) +
    (hasCategories ? widthOf(categorySize) : 0);
  const heads = columns.map((key) => {
    const isSortable = canSort && sorts.includes(key) && locale.vocabulary.isSort(key);
    return { key, head: attributeHead(key, isSortable, entries, sort, locale) };
  });
  const shown = fittingColumns(heads, ROOM - taken, (key) => isWanted(key, sort, locale));
  return {
    hasCategories,
    categorySize,
    heads: {
      name: named("name", t("catalogue.list.columns.name"), false),
      attributes: shown.map(({ head }) => head),
      popularity,
      changed: hasDates ? named("newest", t("catalogue.list.columns.changed"), true) : undefined,
    },
    rows: withTwinIds(
      entries.map((entry) =>
        listRow(
          entry,
          shown.map(({ key }) => key),
          q,
          locale,
        ),
      ),
      hasCategories,
    ),
  };
}

/** True if records changed on different days. All records of an import changed on one. */
function isOfDays({ changed }: ListTraits, { format }: ListWords): boolean {
  const [first, last] = (changed ?? []).map((time) => format.date(new Date(time)));
  return first !== last;
}

/** The wanted columns, and as many of the others as fit beside them without scrolling. */
function fittingColumns<Column extends { key: string; head: ColumnHead }>(
  columns: Column[],
  room: number,
  isWanted: (key: string) => boolean,
): Column[] {
  const sum = (some: Column[]) => some.reduce((total, { head }) => total + widthOf(head.size), 0);
  let left = room - sum(columns.filter(({ key }) => isWanted(key)));
  return columns.filter((column) => {
    if (isWanted(column.key)) return true;
    left -= widthOf(column.head.size);
    return left >= 0;
  });
}

/** The vocabulary puts the attribute in lists, or the list is sorted by it. */
function isWanted(key: string, sort: EntrySort, { vocabulary }: ListWords): boolean {
  return vocabulary.attribute(key)?.inLists === true || (typeof sort === "object" && sort.key === key);
}

/** The first click sorts highest first, the next one lowest first. */
function attributeHead(
  key: string,
  isSortable: boolean,
  entries: ListedEntry[],
  sort: EntrySort,
  locale: ListWords,
): ColumnHead {
  const isSorting = typeof sort === "object" && sort.key === key;
  const values = entries.map(({ shown }) => shown[key] ?? null).filter((value) => value !== null);
  const label = attributeLabel(key, locale);
  const texts = values.map((value) => shortText(key, value, locale));
  return {
    label,
    size: computeSize([label, ...texts]),
    isNumber: values.length > 0 && values.every((value) => isFigure(key, value, locale)),
    sort: isSortable ? { key, descending: !(isSorting && sort.descending) } : undefined,
    sorted: isSorting ? (sort.descending ? "descending" : "ascending") : undefined,
  };
}

/** True for a number that can be compared; false for a reference to an entry. */
export function isFigure(key: string, value: unknown, { vocabulary }: ListWords): boolean {
  return typeof value === "number" && vocabulary.referenceOf(key) === undefined;
}

/** The length of the longest part that must stay on one line, such as a figure with its unit, within bounds. */
function computeSize(texts: string[]): number {
  const lengths = texts.flatMap((text) => text.split(/(?!\u00a0)\s+|-/)).map(measureText);
  return Math.min(LONGEST_WORD, Math.max(SHORTEST_WORD, ...lengths));
}

/** The length in letters; the widest count one and a half. */
function measureText(part: string): number {
  return Math.ceil(part.length + (part.match(/[mwжмфшщыю]/giu)?.length ?? 0) / 2);
}

/**
 * Sets `twinId` on rows of a page with the same name, unless their columns differ. It compares this page only: to
 * find twins on all pages would mean to read all names.
 */
function withTwinIds<Row extends ReturnType<typeof listRow>>(rows: Row[], hasCategories: boolean) {
  const toldBy = ({ category, other, cells }: Row) =>
    JSON.stringify([
      hasCategories ? category : null,
      other?.isFound && other.name,
      ...cells.map(({ text }) => text),
    ]);
  const twins = Map.groupBy(rows, ({ name }) => name.toLowerCase());
  return rows.map((row) => {
    const named = twins.get(row.name.toLowerCase()) ?? [];
    const isTold = new Set(named.map(toldBy)).size === named.length;
    const isCut = new Set(named.map(({ id }) => cutId(id))).size === named.length;
    return { ...row, twinId: isTold ? undefined : isCut ? cutId(row.id) : row.id };
  });
}

/** Both ends of a long id, such as a path: the whole would fill a row with several lines. */
function cutId(id: string): string {
  const letters = [...id];
  if (letters.length <= 2 * ID_ENDS + 1) return id;
  return `${letters.slice(0, ID_ENDS).join("")}…${letters.slice(-ID_ENDS).join("")}`;
}

/**
 * A second name of a row: the one that explains the search result, if the first does not. Otherwise it is the main
 * name, if its language is known, for those who know that language too.
 */
function secondName(
  entry: Pick<ListedEntry, "name" | "names">,
  q: string,
  language: Language,
): { name: string; lang: string | undefined; isFound: boolean } | undefined {
  const { name, other } = localName(entry, language);
  if (q !== "") {
    // The first of those that hold as many of the words comes first.
    const [found = { name, lang: undefined }] = matchedFirst(listNames(entry, name), q);
    if (found.name !== name) return { ...found, isFound: true };
  }
  return other?.lang === undefined ? undefined : { ...other, isFound: false };
}

/** All names of an entry, `first` before the others. */
function listNames({ name, names }: Pick<ListedEntry, "name" | "names">, first: string) {
  const tagged = Object.entries(names)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([lang, other]) => ({ name: other, lang: lang as string | undefined }));
  const all = tagged.some((other) => other.name === name) ? tagged : [{ name, lang: undefined }, ...tagged];
  return all.sort((a, b) => Number(b.name === first) - Number(a.name === first));
}

function listRow(entry: ListedEntry, columns: string[], q: string, locale: ListWords) {
  const { shown, names: _, demo, ...rest } = entry;
  const { name, lang } = localName(entry, locale.language);
  const other = secondName(entry, q, locale.language);
  const cells = columns.map((key) => {
    const value = shown[key] ?? null;
    return {
      text: shortText(key, value, locale),
      links: linksIn(key, value, locale, NAMED_IN_LINE) ?? [],
      isNumber: isFigure(key, value, locale),
      isMissing: value === null,
      lang: attributeLanguage(key, value, { ...locale, textLang: textLanguage({ demo }) }),
      tint: attributeTint(key, value, locale),
    };
  });
  return { ...rest, name, lang, other, cells, tint: nameTint({ attributes: shown }, locale) };
}

/**
 * The options of the sort field, those by attributes in a group. The default order has a blank value: a search then
 * begins with best matches even if the list was sorted by name before.
 */
export function sortOptions(
  {
    q,
    sort,
    sorts,
    canSort,
    hasPopularity,
  }: { q: string; sort: EntrySort; sorts: string[]; canSort: boolean; hasPopularity: boolean },
  locale: ListWords,
): ([string, string] | { group: string; options: [string, string][] })[] {
  const { t } = locale;
  const named = (["match", "name", "popularity", "newest"] as const)
    .filter((named) => named !== "match" || q !== "")
    .filter((named) => named !== "popularity" || hasPopularity || sort === named)
    .map((sort): [string, string] => [sortValue(sort, q), t(`catalogue.list.sorts.${sort}`)]);
  const shown = sorts.filter((key) => locale.vocabulary.isSort(key));
  if (!canSort || shown.length === 0) return named;
  const figures = shown.flatMap((key): [string, string][] => {
    const attribute = attributeLabel(key, locale);
    return [
      [sortText({ key, descending: true }), t("catalogue.list.sort_down", { attribute })],
      [sortText({ key, descending: false }), t("catalogue.list.sort_up", { attribute })],
    ];
  });
  return [...named, { group: t("catalogue.list.sort_figures"), options: figures }];
}

/** The value of the sort field for an order. */
export function sortValue(sort: EntrySort, q: string): string {
  return sort === chooseSort({ q }) ? "" : sortText(sort);
}

/** The attributes whose traits decide on the columns of a list. */
export function columnCandidates(
  { sort }: Pick<ListView, "sort">,
  { columns }: KindFacets,
  vocabulary: KindVocabulary,
): string[] {
  return [...new Set([...sortingBy(sort), ...wantedIn(vocabulary), ...columns.map(({ key }) => key)])];
}

/** The attributes shown as columns: those that tell rows of this list apart best, and the one sorted by. */
export function chooseColumns(
  { sort }: Pick<ListView, "sort">,
  { columns }: KindFacets,
  vocabulary: KindVocabulary,
  traits: ListTraits,
): string[] {
  const sorting = sortingBy(sort);
  const wanted = wantedIn(vocabulary);
  const best = bestColumns().filter((key) => mayBeColumn(key, vocabulary));
  const telling = [...wanted, ...best].filter((key) => isTelling(traits.columns.get(key), traits));
  const most = Math.max(COLUMNS_AT_MOST, Math.min(wanted.length + sorting.length, WANTED_AT_MOST));
  const chosen = [...new Set([...sorting, ...telling])].slice(0, most);
  const types = new Map(columns.map(({ key, type }) => [key, type]));
  const rank = (key: string) => computeRank(key, types.get(key) ?? "number");
  return chosen.sort((a, b) => compareKnown(a, b, vocabulary) || rank(a) - rank(b));

  function bestColumns(): string[] {
    if (traits.columns.size === 0)
      return columns.filter(({ share }) => share >= COLUMN_SHARE).map(({ key }) => key);
    const presentOf = (key: string) => traits.columns.get(key)?.present ?? 0;
    const most = Math.max(0, ...columns.map(({ key }) => presentOf(key)));
    return columns
      .map(({ key, weight }) => ({ key, weight, present: presentOf(key) }))
      .filter(({ present }) => present > 0 && present >= most * COLUMN_SHARE)
      .sort((a, b) => b.present * b.weight - a.present * a.weight)
      .map(({ key }) => key);
  }
}

/**
 * True if rows differ in a value. A value that all rows or no rows have needs no column. For more than 5,000 records
 * only the first are known, so their shared values may differ in others and are shown. A single row shows all it has.
 */
function isTelling(value: ValueTraits | undefined, { looked, isWhole }: ListTraits): boolean {
  if (value === undefined || !isWhole || looked < 2) return true;
  return value.present > 0 && !(value.isSame && value.present === looked);
}

/** The traits of an unfiltered list. Its attributes are chosen by the facts about the kind, without `columns`. */
export function wholeTraits({ records, categories, hasPopularity, changed }: KindFacets): ListTraits {
  const present = categories.reduce((sum, { count }) => sum + count, 0);
  return {
    looked: records.count,
    isWhole: !records.atLeast,
    columns: new Map(),
    category: { present, isSame: categories.length < 2 },
    popularity: { present: hasPopularity ? records.count : 0, isSame: false },
    changed,
  };
}

function sortingBy(sort: EntrySort | undefined): string[] {
  return typeof sort === "object" ? [sort.key] : [];
}

/** The attributes that the operator puts into lists. */
function wantedIn(vocabulary: KindVocabulary): string[] {
  return vocabulary.keys().filter((key) => vocabulary.attribute(key)?.inLists === true);
}

function mayBeColumn(key: string, vocabulary: KindVocabulary): boolean {
  const attribute = vocabulary.attribute(key);
  return !vocabulary.isHidden(key) && attribute?.inLists !== false && attribute?.type !== "richText";
}
