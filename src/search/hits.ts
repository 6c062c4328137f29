import { type FoundKind, foundWord } from "../kinds/found-kinds.ts";
import { absoluteUrl, paths } from "../urls.ts";
import type { Hit } from "./answers.ts";
import { foundPath } from "./found-path.ts";
import { Query } from "./index/query.ts";
import type { IndexedRecord } from "./index/records.ts";
import type { FoundHit, SearchRange } from "./index/search-index.ts";
import type { LiveSearch } from "./live-search.ts";

interface Range extends SearchRange {
  /** Origin of the hits' absolute URLs. */
  readonly baseUrl: string;
}

/** `total` is exact up to 1,000. */
export interface KindResult {
  total: number;
  total_is_lower_bound?: true;
  results: Hit[];
}

/** Searches several kinds, `limit` hits of each. If any has matches as typed, the others are not searched forgivingly. */
export async function searchAll<Kind extends FoundKind>(
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
export function searchAsTyped<Kind extends FoundKind>(
  search: LiveSearch,
  kinds: readonly Kind[],
  query: string | Query,
  range: Omit<Range, "offset">,
): Promise<Record<Kind, KindResult>> {
  return searchEach(search, kinds, query, { ...range, offset: 0, onlyAsTyped: true });
}

async function searchEach<Kind extends FoundKind>(
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
  kind: FoundKind,
  query: string | Query,
  { baseUrl, ...range }: Range,
): Promise<KindResult> {
  const { total, atLeast, hits } = await search.search(kind, query, range);
  const results = hits.map((hit) => toHit(kind, hit, baseUrl));
  return { total, ...(atLeast && { total_is_lower_bound: true }), results };
}

/** What a search found as the API and the pages give it. `baseUrl` is the origin of absolute addresses. */
export function toHit(kind: FoundKind, { record, match, without }: FoundHit, baseUrl: string): Hit {
  const { id, name, names, category, image, popularity } = record;
  return {
    kind: foundWord(kind),
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
