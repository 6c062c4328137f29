import { type RequestHandler, Router } from "express";
import { z } from "zod";
import { type LocalName, otherNames } from "../catalogue/entry.ts";
import { KIND_LABELS } from "../catalogue/kinds.ts";
import type { AppContext } from "../http/context.ts";
import { parseInput } from "../http/input.ts";
import { renderPage } from "../http/page.ts";
import { type Pagination, paginate } from "../http/pagination.ts";
import { oneOf, searchText, wholeNumber } from "../http/params.ts";
import { paths, withQuery } from "../urls.ts";
import { type KindResult, SEARCH_KINDS, type SearchKind, searchAll, searchKind } from "./hits.ts";
import type { LiveSearch } from "./live-search.ts";
import { matchedFirst } from "./matched-names.ts";
import type { Hit } from "./schemas.ts";

const PREVIEW = 8;
const PAGE_SIZE = 50;

const searchInput = z.object({
  q: searchText.default(""),
  kind: oneOf(SEARCH_KINDS).optional(),
  page: wholeNumber(1, 1000).default(1),
});

type SearchInput = z.output<typeof searchInput>;

interface SearchGroup {
  kind: SearchKind;
  labels: { one: string; many: string };
  total: number;
  /** There are more than `total`. */
  atLeast: boolean;
  hits: (Hit & { others: LocalName[] })[];
}

interface SearchView {
  groups: SearchGroup[];
  pagination: Pagination | undefined;
}

/** `/search`: the best of all three kinds, or with `kind` all of one, page by page. */
export function searchPages(context: AppContext): Router {
  const router = Router({ caseSensitive: true });
  router.get(paths.search(), showSearch(context));
  return router;
}

function showSearch({ search, config }: AppContext): RequestHandler {
  return async (req, res) => {
    const input = parseInput(searchInput, req);
    const { baseUrl } = config;
    const { groups, pagination } = input.kind
      ? await searchOneKind(search, input.kind, input, baseUrl)
      : await searchKinds(search, input, baseUrl);
    const title = input.q === "" ? "Search" : `Search: ${input.q}`;
    const head = { title, canonical: searchUrl(input), noindex: input.q !== "" };
    const changedUrl = (changes: Partial<SearchInput>) => searchUrl({ ...input, page: 1, ...changes });
    await renderPage(req, res, "search/search", head, {
      input,
      groups,
      pagination,
      kinds: SEARCH_KINDS,
      kindLabels: KIND_LABELS,
      searchUrl: changedUrl,
    });
  };
}

async function searchKinds(search: LiveSearch, { q }: SearchInput, baseUrl: string): Promise<SearchView> {
  const found = await searchAll(search, q, { limit: PREVIEW, baseUrl });
  return { groups: SEARCH_KINDS.map((kind) => toGroup(kind, found[kind], q)), pagination: undefined };
}

/** A page past the end becomes the last one, which only the first answer's total can tell. */
async function searchOneKind(
  search: LiveSearch,
  kind: SearchKind,
  { q, page }: SearchInput,
  baseUrl: string,
): Promise<SearchView> {
  const searchFrom = (offset: number) => searchKind(search, kind, q, { limit: PAGE_SIZE, offset, baseUrl });
  const offset = (page - 1) * PAGE_SIZE;
  const result = await searchFrom(offset);
  const pagination = paginate(result.total, page, PAGE_SIZE);
  const shown = pagination.offset === offset ? result : await searchFrom(pagination.offset);
  return { groups: [toGroup(kind, shown, q)], pagination };
}

function toGroup(kind: SearchKind, result: KindResult, query: string): SearchGroup {
  const { total, total_is_lower_bound: atLeast = false, results } = result;
  const hits = results.map((hit) => {
    const { name, names = {} } = hit;
    return { ...hit, others: matchedFirst(otherNames({ name, names }), query) };
  });
  return { kind, labels: KIND_LABELS[kind], total, atLeast, hits };
}

function searchUrl({ q, kind, page }: SearchInput): string {
  return withQuery(paths.search(), { q, kind, page: page === 1 ? undefined : page });
}
