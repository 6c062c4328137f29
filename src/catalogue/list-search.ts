import type { Db } from "../db/connect.ts";
import { type Pagination, paginate } from "../http/pagination.ts";
import type { Language } from "../i18n/languages.ts";
import type { CatalogueKind } from "../kinds/kinds.ts";
import { lookUpEntries, type NamedEntries, type SaidOfKind } from "../relations/named-entries.ts";
import type { LiveSearch } from "../search/live-search.ts";
import type { KindVocabulary, Vocabulary } from "../vocabulary/vocabulary.ts";
import { compareKnown, rankOf } from "./attribute-order.ts";
import { NAMED_IN_LINE } from "./attributes.ts";
import {
  type Facet,
  type FacetCounts,
  joinCounts,
  type KindFacets,
  unfilteredCounts,
  VALUES_AT_MOST,
} from "./facets.ts";
import type { FacetsMemory } from "./facets-memory.ts";
import { type FilterInput, filterParameters } from "./filters.ts";
import { saidBy } from "./linked-values.ts";
import { isUnfiltered, type ListView, sortOf } from "./list-address.ts";
import { countRecords } from "./list-counts-queries.ts";
import {
  type CappedCount,
  type CategoryCount,
  COUNT_CAP,
  countEntries,
  type EntryFilter,
  type EntrySort,
  type ListedEntry,
  LOCAL_ORDER_CAP,
  listEntries,
} from "./list-queries.ts";

const PAGE_SIZE = 50;
/** A search lists only its best matches: a long list sorted by name answers nothing. */
const MATCH_CAP = 1000;
const COLUMNS_AT_MOST = 4;
/** As many as an operator asks for, within what a table can hold. */
const WANTED_AT_MOST = 7;
/** Attributes that fewer records have would make a column of dashes. */
const COLUMN_SHARE = 0.2;

export interface FoundList {
  /** Of a search. */
  matches: Matches | undefined;
  count: CappedCount;
  pagination: Pagination;
  entries: ListedEntry[];
  /** What attributes of the listed entries name, and the values that the list can be filtered by. */
  named: NamedEntries;
  sort: EntrySort;
  /** Sorting by attributes reads the whole list, so only short lists offer it. */
  canSort: boolean;
  columns: string[];
  counts: FacetCounts;
  categories: CategoryCount[];
}

interface Sources {
  db: Db;
  memory: FacetsMemory;
}

/** What a search found: at most `cap` ids, best first. */
export interface Matches {
  ids: string[];
  cap: number;
  /** There are more. */
  isCut: boolean;
  /** None has all typed words. */
  isPartial: boolean;
}

interface AskedList {
  view: ListView;
  /** What `view.q` finds; undefined where it is blank. */
  matches: Matches | undefined;
  known: { version: number; facets: KindFacets };
}

/** Everything a view of a list shows. All queries go to one snapshot, so a request holds one connection at most. */
export async function findList(
  sources: Sources,
  kind: CatalogueKind,
  { view, matches, known }: AskedList,
  { language: readerLanguage, vocabulary, everyKind }: FoundFor,
): Promise<FoundList> {
  const { db } = sources;
  const filter = { category: view.category, ids: matches?.ids, attributes: attributesOf(view.filters) };
  const [counted, columns] = await Promise.all([
    countList(sources, kind, view, filter, known),
    chooseColumns(sources, kind, view, known, vocabulary),
  ]);
  const canSort = !counted.count.atLeast || !known.facets.records.atLeast;
  const pagination = paginate(counted.count.count, view.page, PAGE_SIZE);
  const sort = canSort || typeof view.sort !== "object" ? sortOf(view) : sortOf({ q: view.q });
  const isShort = !counted.count.atLeast && filter.attributes.length > 0;
  const isLocal = !counted.count.atLeast && counted.count.count <= LOCAL_ORDER_CAP;
  const language = isLocal ? readerLanguage : undefined;
  // Names are written in the colour of a value that may have no column.
  const read = vocabulary.tint === undefined ? columns : [...new Set([...columns, vocabulary.tint])];
  const range = { ...pagination, sort, columns: read, isShort, language };
  const entries = pagination.total === 0 ? [] : await listEntries(db, kind, filter, range);
  const count = { ...counted.count, atLeast: counted.count.atLeast || matches?.isCut === true };
  const { counts, categories } = counted;
  const said = saidInList(entries, view.filters, known.facets, vocabulary);
  const named = await lookUpEntries(db, said, everyKind);
  return { matches, count, pagination, entries, named, sort, canSort, columns, counts, categories };
}

/** The reader's language, and the words of the list's kind and of all kinds. */
interface FoundFor {
  readonly language: Language;
  readonly vocabulary: KindVocabulary;
  readonly everyKind: Vocabulary;
}

/** What rows and filters of a list name. */
function saidInList(
  entries: readonly ListedEntry[],
  filters: readonly FilterInput[],
  { facets }: KindFacets,
  vocabulary: KindVocabulary,
): SaidOfKind[] {
  const offered = facets.map(({ key, values }) => ({ [key]: (values ?? []).map(([value]) => value) }));
  const chosen = filters.map(({ facet, filter }) => ({ [facet.key]: filter?.values ?? [] }));
  return [
    ...saidBy(
      entries.map(({ shown }) => shown),
      vocabulary,
      NAMED_IN_LINE,
    ),
    ...saidBy([...offered, ...chosen], vocabulary, VALUES_AT_MOST),
  ];
}

/** The records that match a name. `address` is the client's, whose searches take turns with others'. */
export async function findMatches(
  search: LiveSearch,
  kind: CatalogueKind,
  name: string,
  address: string,
): Promise<Matches> {
  const { hits } = await search.search(kind, name, { limit: MATCH_CAP + 1, offset: 0, address });
  return {
    ids: hits.slice(0, MATCH_CAP).map(({ record }) => record.id),
    cap: MATCH_CAP,
    isCut: hits.length > MATCH_CAP,
    isPartial: hits[0]?.match === "partial",
  };
}

/** The filters that fewest records match first: they rule out most records at once. */
function attributesOf(filters: FilterInput[]) {
  return filters
    .toSorted((a, b) => a.facet.present - b.facet.present)
    .map(({ filter }) => filter)
    .filter((filter) => filter !== undefined);
}

type CountedView = Pick<FoundList, "count" | "counts" | "categories">;

async function countList(
  { db, memory }: Sources,
  kind: CatalogueKind,
  view: ListView,
  filter: EntryFilter,
  { version, facets: known }: { version: number; facets: KindFacets },
): Promise<CountedView> {
  if (isUnfiltered(view)) {
    return { count: known.records, counts: unfilteredCounts(known), categories: known.categories };
  }
  const count = () => countView(db, kind, view, filter, known);
  return filter.ids ? count() : memory.counted(kind, version, `list ${listKey(view)}`, count);
}

/**
 * How many records each value would leave. A facet with ticked values is counted as if it were not filtered by, since
 * another of its values would add records; the same for categories. Each of those is one more list to count.
 */
async function countView(
  db: Db,
  kind: CatalogueKind,
  view: ListView,
  filter: EntryFilter,
  known: KindFacets,
): Promise<CountedView> {
  const isOtherCounted = view.category !== undefined && !isUnfiltered({ ...view, category: undefined });
  const ticked = view.filters
    .filter(({ facet, filter: chosen }) => facet.values !== null && chosen?.values)
    .map(({ facet }) => facet);
  const drilled = ticked.slice(0, listsAtMost(filter, known) - Number(isOtherCounted));
  const inList = known.facets.filter((facet) => !ticked.includes(facet));
  const [list, inAllCategories, ...drilledLists] = await Promise.all([
    countRecords(db, kind, filter, inList, COUNT_CAP),
    isOtherCounted ? countRecords(db, kind, { ...filter, category: undefined }, []) : known,
    ...drilled.map((facet) => countRecords(db, kind, withoutFacet(filter, facet), [facet])),
  ]);
  const uncounted = new Set(ticked.slice(drilled.length).map(({ key }) => key));
  return {
    // The index goes on counting for a list that no attribute narrows.
    count:
      list.records.atLeast && filter.attributes?.length === 0
        ? await countEntries(db, kind, filter)
        : list.records,
    counts: { ...joinCounts([list, ...drilledLists].map(({ facets }) => facets)), uncounted },
    categories: view.category === undefined ? list.categories : inAllCategories.categories,
  };
}

/** How many more lists may be counted. No index serves ranges, so each such list reads all records. */
function listsAtMost({ attributes = [] }: EntryFilter, { isSample }: KindFacets): number {
  const isWalk = isSample && attributes.some(({ min, max }) => min !== undefined || max !== undefined);
  return isWalk ? 1 : 3;
}

function withoutFacet(filter: EntryFilter, { key }: Facet): EntryFilter {
  return { ...filter, attributes: filter.attributes?.filter((attribute) => attribute.key !== key) };
}

/** The attributes shown as columns: those best for this category, and the one sorted by. */
export async function chooseColumns(
  { db, memory }: Sources,
  kind: CatalogueKind,
  { category, sort }: Pick<ListView, "category" | "sort">,
  { version, facets }: { version: number; facets: KindFacets },
  vocabulary: KindVocabulary,
): Promise<string[]> {
  const sorting = typeof sort === "object" ? [sort.key] : [];
  const wanted = vocabulary.keys().filter((key) => vocabulary.attribute(key)?.inLists === true);
  const best = (await bestColumns()).filter((key) => mayBeColumn(key, vocabulary));
  const most = Math.max(COLUMNS_AT_MOST, Math.min(wanted.length + sorting.length, WANTED_AT_MOST));
  const chosen = [...new Set([...sorting, ...wanted, ...best])].slice(0, most);
  const types = new Map(facets.columns.map(({ key, type }) => [key, type]));
  const rank = (key: string) => rankOf(key, types.get(key) ?? "number");
  return chosen.sort((a, b) => compareKnown(a, b, vocabulary) || rank(a) - rank(b));

  async function bestColumns(): Promise<string[]> {
    const { columns } = facets;
    if (category === undefined)
      return columns.filter(({ share }) => share >= COLUMN_SHARE).map(({ key }) => key);
    const asked = columns.map(({ key, type }): Facet => {
      return { key, type, present: 0, values: null, min: null, max: null };
    });
    const { facets: counts } = await memory.counted(kind, version, `columns ${category}`, () =>
      countRecords(db, kind, { category }, asked),
    );
    const { byKey } = counts;
    const most = Math.max(0, ...[...byKey.values()].map(({ present }) => present));
    return columns
      .map(({ key, weight }) => ({ key, weight, present: byKey.get(key)?.present ?? 0 }))
      .filter(({ present }) => present > 0 && present >= most * COLUMN_SHARE)
      .sort((a, b) => b.present * b.weight - a.present * a.weight)
      .map(({ key }) => key);
  }
}

function mayBeColumn(key: string, vocabulary: KindVocabulary): boolean {
  const attribute = vocabulary.attribute(key);
  return !vocabulary.isHidden(key) && attribute?.inLists !== false && attribute?.type !== "richText";
}

/** The same text for the same filters. Not for searches, whose matches change at any time. */
function listKey({ category, filters }: ListView): string {
  return JSON.stringify([category ?? null, filterParameters(filters)]);
}
