import type { Db } from "../../db/connect.ts";
import { lookUpEntries, type NamedEntries, type SaidOfKind } from "../../records/relations/named-entries.ts";
import type { LiveSearch } from "../../search/live-search.ts";
import type { Locale } from "../../web/request/locale.ts";
import { type Pagination, paginate } from "../../web/request/pagination.ts";
import type { Language } from "../../words/i18n/languages.ts";
import type { CatalogueKind } from "../../words/kinds/kinds.ts";
import type { KindVocabulary, Vocabulary } from "../../words/vocabulary/vocabulary.ts";
import { NAMED_IN_LINE } from "../attributes.ts";
import {
  type CappedCount,
  type CategoryCount,
  type Facet,
  type FacetCounts,
  joinCounts,
  type KindFacets,
  type LetterCounts,
  type ListTraits,
  unfilteredCounts,
  VALUES_AT_MOST,
} from "../facets.ts";
import type { KnownFacets } from "../facets-memory.ts";
import type { EntryFilter } from "../filter-queries.ts";
import { type FilterInput, filterParameters } from "../filters.ts";
import { listReferences } from "../linked-values.ts";
import { chooseSort, isUnfiltered, type ListView, normaliseInitial, OTHERS } from "./address.ts";
import {
  COUNT_CAP,
  countEntries,
  countRecords,
  type EntrySort,
  type ListedEntry,
  LOCAL_ORDER_CAP,
  listEntries,
  listIds,
} from "./queries.ts";
import { chooseColumns, columnCandidates, type Sources, wholeTraits } from "./table.ts";

interface CountedView {
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

/** One letter above a list; without a `letter` that of all names. */
interface LetterStep {
  letter: string | undefined;
  label: string;
  /** The number of records; blank if unknown. */
  figure: string;
  /** Nothing begins with it. */
  isEmpty: boolean;
  isCurrent: boolean;
}

const LATIN = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];
/** The letters that words begin with; Ё counts as Е, and the others are shown if a name begins with them. */
const CYRILLIC = [..."АБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЭЮЯ"];

const LABELS = new Map([
  ["0-9", "#"],
  ["other", "…"],
]);

const PAGE_SIZE = 50;
/** A search lists only its best matches: a long list sorted by name answers nothing. */
const MATCH_CAP = 1000;

export interface FoundList extends CountedView {
  matches: Matches | undefined;
  pagination: Pagination;
  entries: ListedEntry[];
  /** What attributes of the listed entries name, and the values that the list can be filtered by. */
  named: NamedEntries;
  sort: EntrySort;
  /** Sorting by attributes reads the whole list, so only short lists offer it. */
  canSort: boolean;
  columns: string[];
}

/** The results of a search: at most `cap` ids, best first. */
interface Matches {
  ids: string[];
  cap: number;
  /** There are more. */
  isCut: boolean;
  /** True if none has all typed words. */
  isPartial: boolean;
}

/** A view of a list, with what its search found and what is known of its kind. */
export interface AskedList {
  view: ListView;
  /** The results of `view.q`; undefined if it is blank. */
  matches: Matches | undefined;
  known: KnownFacets;
}

/** Everything a view of a list shows. All queries go to one snapshot, so a request holds one connection at most. */
export async function findList(
  sources: Sources,
  kind: CatalogueKind,
  { view, matches, known }: AskedList,
  { language: readerLanguage, vocabulary, everyKind }: FoundFor,
): Promise<FoundList> {
  const { db } = sources;
  const asked = { view, matches, known };
  const { filter, counted, columns, canSort, order } = await planList(sources, kind, asked, {
    language: readerLanguage,
    vocabulary,
  });
  const { sort } = order;
  const pagination = paginate(counted.count.count, view.page, PAGE_SIZE);
  // Names are written in the colour of a value that may have no column.
  const read = vocabulary.tint === undefined ? columns : [...new Set([...columns, vocabulary.tint])];
  const range = { ...pagination, ...order, columns: read };
  const entries = pagination.total === 0 ? [] : await listEntries(db, kind, filter, range);
  const count = { ...counted.count, atLeast: counted.count.atLeast || matches?.isCut === true };
  const { counts, categories, letters, traits } = counted;
  const said = saidInList(entries, view.filters, known.facets, vocabulary);
  const named = await lookUpEntries(db, said, everyKind);
  return {
    matches,
    count,
    pagination,
    entries,
    named,
    sort,
    canSort,
    columns,
    counts,
    categories,
    letters,
    traits,
  };
}

/** The ids of all pages of a list, in its order, and the columns that they show. */
export async function findListed(
  sources: Sources,
  kind: CatalogueKind,
  asked: AskedList,
  reader: Pick<FoundFor, "language" | "vocabulary">,
): Promise<{ ids: string[]; attributes: string[]; hasPopularity: boolean }> {
  const { filter, counted, columns: attributes, order } = await planList(sources, kind, asked, reader);
  const limit = counted.count.count;
  const ids = limit === 0 ? [] : await listIds(sources.db, kind, filter, { ...order, limit });
  return { ids, attributes, hasPopularity: asked.known.facets.hasPopularity };
}

/** The filter, counts, columns and order of a list. */
async function planList(
  sources: Sources,
  kind: CatalogueKind,
  { view, matches, known }: AskedList,
  { language, vocabulary }: Pick<FoundFor, "language" | "vocabulary">,
) {
  const byLanguage = lettersLanguage(view, known.facets, language);
  const { letter } = view;
  const filter = {
    category: view.category,
    ids: matches?.ids,
    attributes: selectAttributes(view.filters),
    letter: letter === undefined ? undefined : { initial: normaliseInitial(letter), language: byLanguage },
  };
  const candidates = columnCandidates(view, known.facets, vocabulary);
  const counted = await countList(sources, kind, { view, filter, language: byLanguage, candidates }, known);
  const columns = chooseColumns(view, known.facets, vocabulary, counted.traits);
  const canSort = !counted.count.atLeast || !known.facets.records.atLeast;
  const isLocal = !counted.count.atLeast && counted.count.count <= LOCAL_ORDER_CAP;
  const order = {
    sort: canSort || typeof view.sort !== "object" ? chooseSort(view) : chooseSort({ q: view.q }),
    total: counted.count.count,
    language: isLocal ? language : undefined,
  };
  return { filter, counted, columns, canSort, order };
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
    ...listReferences(
      entries.map(({ shown }) => shown),
      vocabulary,
      NAMED_IN_LINE,
    ),
    ...listReferences([...offered, ...chosen], vocabulary, VALUES_AT_MOST),
  ];
}

/** The records that match a name. */
export async function findMatches(
  search: LiveSearch,
  kind: CatalogueKind,
  { q, language }: { q: string; language: string | undefined },
): Promise<Matches> {
  const { hits } = await search.search(kind, q, { limit: MATCH_CAP + 1, offset: 0, language });
  return {
    ids: hits.slice(0, MATCH_CAP).map(({ record }) => record.id),
    cap: MATCH_CAP,
    isCut: hits.length > MATCH_CAP,
    isPartial: hits[0]?.match === "partial",
  };
}

/** The filters that fewest records match first: they rule out most records at once. */
function selectAttributes(filters: FilterInput[]) {
  return filters
    .toSorted((a, b) => a.facet.present - b.facet.present)
    .map(({ filter }) => filter)
    .filter((filter) => filter !== undefined);
}

/** Counts a view, or remembers its counts for this version of the kind. */
async function countList(
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
    view.letter === undefined ? undefined : countAnyLetter(db, kind, { view, filter, language }, known),
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
  { view, filter, language }: Omit<Asked, "candidates">,
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

/**
 * The language whose names decide a list's letters: the page's, or undefined for the main names. Lists that are
 * sorted by main names, and kinds that are too large to scan, use the main names.
 */
export function lettersLanguage(
  view: ListView,
  { records }: KindFacets,
  language: Language,
): Language | undefined {
  const isWhole = isUnfiltered({ ...view, letter: undefined });
  const isLarge = records.atLeast || (isWhole && records.count > LOCAL_ORDER_CAP);
  return isLarge ? undefined : language;
}

/** How a letter is shown: `#` for digits and signs. */
export function letterLabel(letter: string): string {
  return LABELS.get(letter) ?? letter;
}

/**
 * The letters above a list: all of the reader's alphabet, those of the other one that names begin with, and what is no
 * letter of either.
 */
export function letterSteps(
  { counts, atLeast }: LetterCounts,
  current: string | undefined,
  { t, format, language }: Pick<Locale, "t" | "format" | "language">,
): LetterStep[] {
  const byInitial = new Map(counts);
  const used = (letters: string[]) => letters.filter((letter) => byInitial.has(letter));
  const more = used(["Ъ", "Ы", "Ь"]);
  const cyrillic = more.length > 0 ? [...CYRILLIC, ...more].sort() : CYRILLIC;
  const isCyrillic = new Intl.Locale(language).maximize().script === "Cyrl";
  const own = isCyrillic ? [...cyrillic, ...used(LATIN)] : [...LATIN, ...used(cyrillic)];
  const others = [...OTHERS].filter(([word, initial]) => byInitial.has(initial) || word === current);
  const letters = [...own, ...others.map(([word]) => word)];
  const step = (letter: string): LetterStep => {
    const count = byInitial.get(normaliseInitial(letter));
    return {
      letter,
      label: letterLabel(letter),
      figure: count === undefined ? "" : format.number(count) + (atLeast ? "+" : ""),
      isEmpty: count === undefined && !atLeast && letter !== current,
      isCurrent: letter === current,
    };
  };
  const all = { letter: undefined, label: t("catalogue.letters.all"), figure: "", isEmpty: false };
  return [{ ...all, isCurrent: current === undefined }, ...letters.map(step)];
}
