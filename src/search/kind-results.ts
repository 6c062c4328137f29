import { type Pagination, paginate } from "../http/pagination.ts";
import type { FoundKind } from "../kinds/found-kinds.ts";
import { type KindResult, toHit } from "./hits.ts";
import type { FoundHit } from "./index/search-index.ts";
import type { LiveSearch } from "./live-search.ts";

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
  kind: FoundKind,
  { q, category, page }: { q: string; category: string | undefined; page: number },
  baseUrl: string,
): Promise<KindResults> {
  const found = await search.search(kind, q, { limit: MOST, offset: 0 });
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
