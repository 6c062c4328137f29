import type { Db } from "../db/connect.ts";
import type { KindVocabulary } from "../words/vocabulary/vocabulary.ts";
import { compareKnown, rankOf } from "./attribute-order.ts";
import type { KindFacets } from "./facets.ts";
import type { FacetsMemory } from "./facets-memory.ts";
import type { ListView } from "./list-address.ts";
import type { EntrySort, ListTraits, ValueTraits } from "./list-queries.ts";

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
  const rank = (key: string) => rankOf(key, types.get(key) ?? "number");
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
export function isTelling(value: ValueTraits | undefined, { looked, isWhole }: ListTraits): boolean {
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
