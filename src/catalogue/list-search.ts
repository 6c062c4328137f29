import type { Db } from "../db/connect.ts";
import { type Pagination, paginate } from "../http/pagination.ts";
import type { LiveSearch } from "../search/live-search.ts";
import type { CatalogueKind } from "../urls.ts";
import { rankOf } from "./attribute-order.ts";
import { type Facet, type FacetCounts, type KindFacets, unfilteredCounts } from "./facets.ts";
import type { FacetsMemory } from "./facets-memory.ts";
import { type CountedList, countValues } from "./facets-queries.ts";
import { type FilterInput, filterParameters } from "./filters.ts";
import { isUnfiltered, type ListView, sortOf } from "./list-address.ts";
import {
  type CappedCount,
  type CategoryCount,
  countCategories,
  countEntries,
  type EntryFilter,
  type EntrySort,
  type ListedEntry,
  LOCAL_ORDER_CAP,
  listEntries,
} from "./list-queries.ts";

const PAGE_SIZE = 50;
/** Of more matches of a name only the best are listed: a long list sorted by name is no answer. */
const MATCH_CAP = 1000;
const COLUMNS_AT_MOST = 4;
/** An attribute that fewer records have would be a column of dashes. */
const COLUMN_SHARE = 0.2;
/** So many chosen facets are counted as if they were not chosen themselves; more of them cost a query each. */
const DRILLED_AT_MOST = 8;

/** What a view of a list shows. */
export interface FoundList {
  /** Of a search: how many of its best matches at most are looked at, and whether there are more. */
  matches: { cap: number; isCut: boolean } | undefined;
  count: CappedCount;
  pagination: Pagination;
  entries: ListedEntry[];
  /** The order that the entries are in; by figures only where the list is short enough. */
  sort: EntrySort;
  columns: string[];
  counts: FacetCounts;
  categories: CategoryCount[];
}

interface Sources {
  db: Db;
  search: LiveSearch;
  memory: FacetsMemory;
}

/** Everything of one view of a list. A page past the end becomes the last one. */
export async function findList(
  sources: Sources,
  kind: CatalogueKind,
  view: ListView,
  known: { version: number; facets: KindFacets },
  readerLanguage: string,
): Promise<FoundList> {
  const { db, search } = sources;
  const matches = view.q === "" ? undefined : await findMatches(search, kind, view.q);
  const filter = { category: view.category, ids: matches?.ids, attributes: attributesOf(view.filters) };
  const [counted, counts, categories, columns] = await Promise.all([
    countList(sources, kind, view, filter, known),
    countFacets(sources, kind, view, filter, known),
    findCategories(sources, kind, view, filter, known),
    chooseColumns(sources, kind, view, known),
  ]);
  const pagination = paginate(counted.count, view.page, PAGE_SIZE);
  const sort = possibleSort(view, counted);
  const isShort = !counted.atLeast && (filter.attributes.length > 0 || typeof sort === "object");
  const language = counted.count <= LOCAL_ORDER_CAP ? readerLanguage : undefined;
  const range = { ...pagination, sort, columns, isShort, language };
  const entries = await listEntries(db, kind, filter, range);
  const count = { ...counted, atLeast: counted.atLeast || matches?.isCut === true };
  return { matches, count, pagination, entries, sort, columns, counts, categories };
}

/** The records that a name means; `isCut` says that there are more. */
async function findMatches(search: LiveSearch, kind: CatalogueKind, name: string) {
  const ids = await search.ids(kind, name, MATCH_CAP + 1);
  return { ids: ids.slice(0, MATCH_CAP), cap: MATCH_CAP, isCut: ids.length > MATCH_CAP };
}

async function countList(
  { db, memory }: Sources,
  kind: CatalogueKind,
  view: ListView,
  filter: EntryFilter,
  { version, facets }: { version: number; facets: KindFacets },
): Promise<CappedCount> {
  if (isUnfiltered(view)) return facets.records;
  const count = () => countEntries(db, kind, filter);
  return filter.ids ? count() : memory.counted(kind, version, `count ${listKey(view)}`, count);
}

function attributesOf(filters: FilterInput[]) {
  return filters.map(({ filter }) => filter).filter((filter) => filter !== undefined);
}

/** To sort by figures, all of a list has to be read. */
function possibleSort(view: ListView, { atLeast }: CappedCount): EntrySort {
  const { sort } = view;
  return typeof sort === "object" && atLeast ? sortOf({ q: view.q }) : sortOf(view);
}

/**
 * How many records each value would leave in the list: of a facet that is filtered by, as if it were not, because
 * another of its values adds to the chosen ones.
 */
async function countFacets(
  { db, memory }: Sources,
  kind: CatalogueKind,
  view: ListView,
  filter: EntryFilter,
  { version, facets: known }: { version: number; facets: KindFacets },
): Promise<FacetCounts> {
  if (isUnfiltered(view)) return unfilteredCounts(known);
  const chosen = view.filters.filter((input) => input.filter).slice(0, DRILLED_AT_MOST);
  const isChosen = ({ key }: Facet) => chosen.some(({ facet }) => facet.key === key);
  const lists: CountedList[] = [
    { filter, facets: known.facets.filter((facet) => !isChosen(facet)) },
    ...chosen.map(({ facet }) => ({ filter: withoutFacet(filter, facet), facets: [facet] })),
  ];
  const count = () => countValues(db, kind, lists);
  if (filter.ids) return count();
  return memory.counted(kind, version, `facets ${listKey(view)}`, count);
}

function withoutFacet(filter: EntryFilter, { key }: Facet): EntryFilter {
  return { ...filter, attributes: filter.attributes?.filter((attribute) => attribute.key !== key) };
}

/** The categories of the list as if it had none itself. */
async function findCategories(
  { db, memory }: Sources,
  kind: CatalogueKind,
  view: ListView,
  filter: EntryFilter,
  { version, facets }: { version: number; facets: KindFacets },
): Promise<CategoryCount[]> {
  const others = { ...view, category: undefined };
  if (isUnfiltered(others)) return facets.categories;
  const count = () => countCategories(db, kind, { ...filter, category: undefined });
  return filter.ids ? count() : memory.counted(kind, version, `categories ${listKey(others)}`, count);
}

/** The attributes that are shown: those that tell most of the records of the category, and the one that sorts. */
async function chooseColumns(
  { db, memory }: Sources,
  kind: CatalogueKind,
  { category, sort }: ListView,
  { version, facets }: { version: number; facets: KindFacets },
): Promise<string[]> {
  const sorting = typeof sort === "object" ? [sort.key] : [];
  const telling = await tellingOf();
  const chosen = [...new Set([...sorting, ...telling])].slice(0, COLUMNS_AT_MOST);
  const types = new Map(facets.telling.map(({ key, type }) => [key, type]));
  const rank = (key: string) => rankOf(key, types.get(key) ?? "number");
  return chosen.sort((a, b) => rank(a) - rank(b));

  async function tellingOf(): Promise<string[]> {
    const { telling } = facets;
    if (category === undefined)
      return telling.filter(({ share }) => share >= COLUMN_SHARE).map(({ key }) => key);
    const asked = telling.map(({ key, type }): Facet => {
      return { key, type, present: 0, values: null, min: null, max: null };
    });
    const list = { filter: { category }, facets: asked };
    const { byKey } = await memory.counted(kind, version, `telling ${category}`, () =>
      countValues(db, kind, [list]),
    );
    const most = Math.max(0, ...[...byKey.values()].map(({ present }) => present));
    return telling
      .map(({ key, weight }) => ({ key, weight, present: byKey.get(key)?.present ?? 0 }))
      .filter(({ present }) => present > 0 && present >= most * COLUMN_SHARE)
      .sort((a, b) => b.present * b.weight - a.present * a.weight)
      .map(({ key }) => key);
  }
}

/** Names what a view filters by, the same for the same; not for searches, which may find others at any time. */
function listKey({ category, filters }: ListView): string {
  return JSON.stringify([category ?? null, filterParameters(filters)]);
}
