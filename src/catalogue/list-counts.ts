import type { Db } from "../db/connect.ts";
import type { Language } from "../words/i18n/languages.ts";
import type { CatalogueKind } from "../words/kinds/kinds.ts";
import { type Facet, type FacetCounts, joinCounts, type KindFacets, unfilteredCounts } from "./facets.ts";
import type { EntryFilter } from "./filter-queries.ts";
import { filterParameters } from "./filters.ts";
import { isUnfiltered, type ListView } from "./list-address.ts";
import { type Sources, wholeTraits } from "./list-columns.ts";
import { countRecords } from "./list-counts-queries.ts";
import {
  type CappedCount,
  type CategoryCount,
  COUNT_CAP,
  countEntries,
  type LetterCounts,
  type ListTraits,
} from "./list-queries.ts";

/** The counts of a view of a list. */
export interface CountedView {
  count: CappedCount;
  counts: FacetCounts;
  categories: CategoryCount[];
  /** The letters of the list without its filter by letter. */
  letters: LetterCounts;
  traits: ListTraits;
}

/** A view with its filter; `language` is that of the names whose letters are counted, undefined for main names. */
interface Asked {
  view: ListView;
  filter: EntryFilter;
  language: Language | undefined;
  /** Attributes that may become columns. */
  candidates: string[];
}

/** Counts a view, or remembers its counts for this version of the kind. */
export async function countList(
  { db, memory }: Sources,
  kind: CatalogueKind,
  asked: Asked,
  { version, facets: known }: { version: number; facets: KindFacets },
): Promise<CountedView> {
  const { view, filter, language } = asked;
  const { records: count, categories } = known;
  if (isUnfiltered(view)) {
    const [counts, letters] = [unfilteredCounts(known), wholeLetters(known, language)];
    return { count, counts, categories, letters, traits: wholeTraits(known) };
  }
  const counts = () => countView(db, kind, asked, known);
  return filter.ids ? counts() : memory.counted(kind, version, `list ${language} ${listKey(view)}`, counts);
}

/**
 * How many records each value would leave. A facet with ticked values is counted as if it were not filtered by, since
 * another of its values would add records; the same for categories and letters. Each of those is one more list to count.
 */
async function countView(
  db: Db,
  kind: CatalogueKind,
  { view, filter, language, candidates }: Asked,
  known: KindFacets,
): Promise<CountedView> {
  const isOtherCounted = view.category !== undefined && !isUnfiltered({ ...view, category: undefined });
  const ticked = view.filters
    .filter(({ facet, filter: chosen }) => facet.values !== null && chosen?.values)
    .map(({ facet }) => facet);
  const drilled = ticked.slice(0, listsAtMost(filter, known) - Number(isOtherCounted));
  const inList = known.facets.filter((facet) => !ticked.includes(facet));
  const [list, inAllCategories, anyLetter, ...drilledLists] = await Promise.all([
    countRecords(db, kind, filter, inList, { cap: COUNT_CAP, language, columns: candidates }),
    isOtherCounted ? countRecords(db, kind, { ...filter, category: undefined }, []) : known,
    view.letter === undefined
      ? undefined
      : countAnyLetter(db, kind, { view, filter, language, candidates: [] }, known),
    ...drilled.map((facet) => countRecords(db, kind, withoutFacet(filter, facet), [facet])),
  ]);
  const uncounted = new Set(ticked.slice(drilled.length).map(({ key }) => key));
  return {
    // The index goes on counting for a list that no attribute narrows.
    count:
      list.records.atLeast && filter.attributes?.length === 0 && !filter.letter?.language
        ? await countEntries(db, kind, filter)
        : list.records,
    counts: { ...joinCounts([list, ...drilledLists].map(({ facets }) => facets)), uncounted },
    categories: view.category === undefined ? list.categories : inAllCategories.categories,
    letters: anyLetter ?? list.letters,
    traits: list.traits,
  };
}

/** The letters of a view as if it had none chosen. */
async function countAnyLetter(
  db: Db,
  kind: CatalogueKind,
  { view, filter, language }: Asked,
  known: KindFacets,
): Promise<LetterCounts> {
  if (isUnfiltered({ ...view, letter: undefined })) return wholeLetters(known, language);
  const anyLetter = { ...filter, letter: undefined };
  return (await countRecords(db, kind, anyLetter, [], { cap: COUNT_CAP, language })).letters;
}

function wholeLetters({ letters }: KindFacets, language: Language | undefined): LetterCounts {
  return letters[language ?? "main"] ?? { counts: [], atLeast: true };
}

/** How many more lists may be counted. No index serves ranges, so each such list reads all records. */
function listsAtMost({ attributes = [] }: EntryFilter, { isSample }: KindFacets): number {
  const isWalk = isSample && attributes.some(({ min, max }) => min !== undefined || max !== undefined);
  return isWalk ? 1 : 3;
}

function withoutFacet(filter: EntryFilter, { key }: Facet): EntryFilter {
  return { ...filter, attributes: filter.attributes?.filter((attribute) => attribute.key !== key) };
}

/** The same text for the same filters. Not for searches, whose matches change at any time. */
function listKey({ category, letter, filters }: ListView): string {
  return JSON.stringify([category ?? null, letter ?? null, filterParameters(filters)]);
}
