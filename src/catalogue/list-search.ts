import { lookUpEntries, type NamedEntries, type SaidOfKind } from "../records/relations/named-entries.ts";
import type { LiveSearch } from "../search/live-search.ts";
import { type Pagination, paginate } from "../web/request/pagination.ts";
import type { Language } from "../words/i18n/languages.ts";
import type { CatalogueKind } from "../words/kinds/kinds.ts";
import type { KindVocabulary, Vocabulary } from "../words/vocabulary/vocabulary.ts";
import { NAMED_IN_LINE } from "./attributes.ts";
import { type KindFacets, VALUES_AT_MOST } from "./facets.ts";
import type { KnownFacets } from "./facets-memory.ts";
import type { FilterInput } from "./filters.ts";
import { listReferences } from "./linked-values.ts";
import { type ListView, sortOf } from "./list-address.ts";
import { chooseColumns, columnCandidates, type Sources } from "./list-columns.ts";
import { type CountedView, countList } from "./list-counts.ts";
import { initialOf, lettersLanguage } from "./list-letters.ts";
import { type EntrySort, type ListedEntry, LOCAL_ORDER_CAP, listEntries, listIds } from "./list-queries.ts";

const PAGE_SIZE = 50;
/** A search lists only its best matches: a long list sorted by name answers nothing. */
const MATCH_CAP = 1000;

export interface FoundList extends CountedView {
  /** The matches of a search. */
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
export interface Matches {
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
    attributes: attributesOf(view.filters),
    letter: letter === undefined ? undefined : { initial: initialOf(letter), language: byLanguage },
  };
  const candidates = columnCandidates(view, known.facets, vocabulary);
  const counted = await countList(sources, kind, { view, filter, language: byLanguage, candidates }, known);
  const columns = chooseColumns(view, known.facets, vocabulary, counted.traits);
  const canSort = !counted.count.atLeast || !known.facets.records.atLeast;
  const isLocal = !counted.count.atLeast && counted.count.count <= LOCAL_ORDER_CAP;
  const order = {
    sort: canSort || typeof view.sort !== "object" ? sortOf(view) : sortOf({ q: view.q }),
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
export async function findMatches(search: LiveSearch, kind: CatalogueKind, name: string): Promise<Matches> {
  const { hits } = await search.search(kind, name, { limit: MATCH_CAP + 1, offset: 0 });
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
