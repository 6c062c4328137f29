import { type Pagination, paginate } from "../web/request/pagination.ts";
import { type SearchableKind, searchableSingular } from "../words/kinds/searchable-kinds.ts";
import { absoluteUrl, paths } from "../words/urls.ts";
import type { Hit } from "./answers.ts";
import { Query } from "./index/query.ts";
import type { IndexedRecord } from "./index/records.ts";
import type { FoundHit, SearchRange } from "./index/search-index.ts";
import { otherLayouts } from "./layout.ts";
import type { LiveSearch } from "./live-search.ts";
import { normaliseName } from "./normalise.ts";
import { foundPath } from "./site-pages.ts";

interface Range extends SearchRange {
  /** Origin of the hits' absolute URLs. */
  readonly baseUrl: string;
}

/** `total` is exact up to 100, or up to the end of the requested range. */
export interface KindResult {
  total: number;
  total_is_lower_bound?: true;
  results: Hit[];
}

/** Searches several kinds, `limit` hits of each. If any has matches as typed, the others are not searched forgivingly. */
export async function searchAll<Kind extends SearchableKind>(
  search: LiveSearch,
  kinds: readonly Kind[],
  typed: string,
  range: Omit<Range, "offset">,
): Promise<Record<Kind, KindResult>> {
  const query = new Query(typed);
  // Together, as who comes back has to find all of them.
  await search.whenReady(kinds);
  const asTyped = await searchAsTyped(search, kinds, query, range);
  const isFound = Object.values<KindResult>(asTyped).some(({ total }) => total > 0);
  return isFound ? asTyped : searchEach(search, kinds, query, { ...range, offset: 0, isNoneAsTyped: true });
}

/** The same without forgiving anything. */
export function searchAsTyped<Kind extends SearchableKind>(
  search: LiveSearch,
  kinds: readonly Kind[],
  query: string | Query,
  range: Omit<Range, "offset">,
): Promise<Record<Kind, KindResult>> {
  return searchEach(search, kinds, query, { ...range, offset: 0, onlyAsTyped: true });
}

async function searchEach<Kind extends SearchableKind>(
  search: LiveSearch,
  kinds: readonly Kind[],
  query: string | Query,
  range: Range,
): Promise<Record<Kind, KindResult>> {
  const results = kinds.map(async (kind) => [kind, await searchKind(search, kind, query, range)] as const);
  return Object.fromEntries(await Promise.all(results)) as Record<Kind, KindResult>;
}

/** Searches one kind by id and by names in every language, best first. A blank query finds nothing. */
export async function searchKind(
  search: LiveSearch,
  kind: SearchableKind,
  query: string | Query,
  { baseUrl, ...range }: Range,
): Promise<KindResult> {
  const { total, atLeast, hits } = await search.search(kind, query, range);
  const results = hits.map((hit) => toHit(kind, hit, baseUrl));
  return { total, ...(atLeast && { total_is_lower_bound: true }), results };
}

/** What a search found as the API and the pages give it. `baseUrl` is the origin of absolute addresses. */
function toHit(kind: SearchableKind, { record, match, without }: FoundHit, baseUrl: string): Hit {
  const { id, name, names, category, image, popularity } = record;
  return {
    kind: searchableSingular(kind),
    id,
    name,
    ...(hasSeveralNames(record) && { names }),
    category,
    url: absoluteUrl(baseUrl, foundPath(paths, "", kind, id)),
    image_url: image === null ? null : absoluteUrl(baseUrl, image),
    ...(popularity !== null && { popularity }),
    match,
    ...(without && { without: [...without] }),
  };
}

function hasSeveralNames({ name, names }: IndexedRecord): boolean {
  const values = Object.values(names);
  return values.length > 1 || values.some((value) => value !== name);
}

const PAGE_SIZE = 50;
/** Further matches are not counted by category, and not listed. */
const MOST = 1_000;
/** More categories than these would hide the results. */
const MOST_CATEGORIES = 24;

/** A category of some matches, and how many of them are in it. */
export interface CategoryMatches {
  readonly category: string;
  readonly count: number;
}

/** A page of the matches in one kind, and what they can be narrowed down to. */
interface KindResults {
  result: KindResult;
  pagination: Pagination;
  /** The categories of all matches, whatever category is chosen, most matches first; empty if there is only one. */
  categories: readonly CategoryMatches[];
}

/** Searches one kind, best first, only one category of it where that is given. A page past the end becomes the last one. */
export async function searchOneKind(
  search: LiveSearch,
  kind: SearchableKind,
  { q, category, page }: { q: string; category: string | undefined; page: number },
  { language, baseUrl }: Pick<Range, "language" | "baseUrl">,
): Promise<KindResults> {
  const found = await search.search(kind, q, { limit: MOST, offset: 0, language });
  const hits =
    category === undefined ? found.hits : found.hits.filter(({ record }) => record.category === category);
  const total = category === undefined ? found.total : hits.length;
  const pagination = paginate(total, page, PAGE_SIZE);
  const shown = hits.slice(pagination.offset, pagination.offset + PAGE_SIZE);
  const result = {
    total,
    ...(found.atLeast && { total_is_lower_bound: true as const }),
    results: shown.map((hit) => toHit(kind, hit, baseUrl)),
  };
  return { result, pagination, categories: categoriesOf(found.hits) };
}

function categoriesOf(hits: readonly FoundHit[]): CategoryMatches[] {
  const counts = new Map<string, number>();
  for (const { category } of hits.map(({ record }) => record)) {
    if (category !== null) counts.set(category, (counts.get(category) ?? 0) + 1);
  }
  const isOne = counts.size === 1 && counts.values().next().value === hits.length;
  if (isOne) return [];
  return [...counts]
    .map(([category, count]) => ({ category, count }))
    .sort((a, b) => b.count - a.count || a.category.localeCompare(b.category))
    .slice(0, MOST_CATEGORIES);
}

/** Puts the names with most typed words first, on this keyboard layout or another, as they show why a record was found. */
export function matchedFirst<Named extends { name: string }>(
  names: readonly Named[],
  query: string,
): Named[] {
  const readings = [query, ...otherLayouts(query)].map((text) => normaliseName(text).split(" "));
  const held = ({ name }: Named) => {
    const normalised = normaliseName(name);
    return Math.max(...readings.map((words) => words.filter((word) => normalised.includes(word)).length));
  };
  return names
    .map((named) => ({ named, held: held(named) }))
    .sort((a, b) => b.held - a.held)
    .map(({ named }) => named);
}
