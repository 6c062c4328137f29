import { type RequestHandler, Router } from "express";
import type { Knex } from "knex";
import { z } from "zod";
import type { Site } from "../web/look/site.ts";
import type { BaseContext } from "../web/pages/context.ts";
import { type PageHead, renderPage } from "../web/pages/page.ts";
import { parseInput } from "../web/request/input.ts";
import { localeOf } from "../web/request/locale.ts";
import type { Pagination } from "../web/request/pagination.ts";
import { oneOf, searchText, wholeNumber } from "../web/request/params.ts";
import { admitFew } from "../web/server/admission.ts";
import type { Translate } from "../words/i18n/translate.ts";
import { catalogueKinds } from "../words/kinds/kinds.ts";
import { type SearchableKind, searchableKinds } from "../words/kinds/searchable-kinds.ts";
import { type Paths, paths, withQuery } from "../words/urls.ts";
import { type Figures, type FindServerFigures, figuresShown, readFigures } from "./figures.ts";
import { type CategoryMatches, type KindResult, searchAll, searchOneKind } from "./hits.ts";
import type { LiveSearch } from "./live-search.ts";
import type { MissedSearches } from "./missed-searches.ts";
import { orderGroups } from "./result-groups.ts";
import { showHits } from "./shown-hits.ts";
import { meantBy } from "./shown-names.ts";

const PREVIEW = 8;

export function searchInput() {
  return z.object({
    q: searchText.default(""),
    kind: oneOf(searchableKinds()).optional(),
    /** Counts with a kind only. */
    category: searchText.optional(),
    page: wholeNumber(1, 1000).default(1),
  });
}

type SearchInput = z.output<ReturnType<typeof searchInput>>;

interface Group extends KindResult {
  kind: SearchableKind;
}

interface Results {
  groups: Group[];
  pagination: Pagination | undefined;
  /** The categories of the chosen kind. */
  categories: readonly CategoryMatches[];
}

const SEARCHED = ["search"] as const;

/** Several at a time, because a search may wait for its thread; together they leave others two thirds of the process. */
const SEARCHES = { running: 4, waiting: 48 };

type SearchContext = Pick<BaseContext, "config" | "db"> & {
  missedSearches: MissedSearches;
  search: LiveSearch;
};

/** `/search`: the best of all kinds, or with `kind` all of one, page by page, and with `category` all of that. */
export function searchPages(context: SearchContext, findServers: FindServerFigures): Router {
  const router = Router({ caseSensitive: true });
  router.get(paths.search(), admitFew(SEARCHES)(showSearch(context, findServers)));
  return router;
}

function showSearch(
  { missedSearches, search, db, config }: SearchContext,
  findServers: FindServerFigures,
): RequestHandler {
  const schema = searchInput();
  return async (req, res) => {
    const input = parseInput(schema, req);
    const locale = localeOf(req);
    const { t, paths: local } = locale;
    const { groups, pagination, categories } = await find(search, input, config.baseUrl);
    const figures = await figuresOf(db, groups, findServers);
    const title = input.q === "" ? t("search.title") : t("search.title_for", { query: input.q });
    const head = {
      title,
      canonical: searchUrl(paths, input),
      noindex: input.q !== "",
      hasSearch: true,
      ...madeOf(figures),
      neverStore: !figures.areRead,
    };
    const hits = groups.flatMap(({ results }) => results);
    if (input.kind === undefined) missedSearches.tell(input.q, hits.length === 0);
    const show = showHits(groups, figures, input.q, locale, config.baseUrl);
    await renderPage(req, res, "search/search", head, {
      input,
      groups: groups.map(({ kind, total, total_is_lower_bound: atLeast = false, results }) => {
        return { kind, total, atLeast, hits: results.map((hit) => show(kind, hit)) };
      }),
      pagination,
      categories,
      listUrl: listUrl(local, input),
      meant: meantBy(hits, input.q),
      isPartial: hits.length > 0 && hits.every(({ match }) => match === "partial"),
      elsewhere: listElsewhere(input.q, req.site, local, t),
      searchUrl: (changes: Partial<SearchInput>) => searchUrl(local, { ...input, page: 1, ...changes }),
    });
  };
}

function figuresOf(db: Knex, groups: readonly Group[], findServers: FindServerFigures): Promise<Figures> {
  const found = (kind: SearchableKind) =>
    groups.flatMap((group) => (group.kind === kind ? group.results : []));
  return readFigures(db, { servers: found("servers"), shop: found("shop") }, findServers);
}

function madeOf({ servers, shop }: Figures): Pick<PageHead, "dependsOn" | "isTimeSensitive"> {
  const { dependsOn, isTimeSensitive } = figuresShown(servers.size > 0, shop.size > 0);
  return { dependsOn: [...SEARCHED, ...dependsOn], isTimeSensitive };
}

/** Lists that the search leaves out, as the operator chose; they take the same query. */
function listElsewhere(
  q: string,
  site: Pick<Site, "hasSection">,
  local: Paths,
  t: Translate,
): { href: string; text: string }[] {
  const searched: readonly string[] = searchableKinds();
  const lists = catalogueKinds().filter((kind) => !searched.includes(kind) && site.hasSection(kind));
  return lists.map((kind) => ({
    href: withQuery(local.catalogue(kind), { q }),
    text: t(`kinds.${kind}.many`),
  }));
}

async function find(
  search: LiveSearch,
  { q, kind, category, page }: SearchInput,
  baseUrl: string,
): Promise<Results> {
  if (kind) {
    const { result, ...found } = await searchOneKind(search, kind, { q, category, page }, baseUrl);
    return { groups: [{ kind, ...result }], ...found };
  }
  const kinds = searchableKinds();
  const found = await searchAll(search, kinds, q, { limit: PREVIEW, baseUrl });
  const groups = kinds.map((each) => ({
    kind: each,
    bestMatch: found[each].results[0]?.match,
    ...found[each],
  }));
  return { groups: orderGroups(groups), pagination: undefined, categories: [] };
}

function searchUrl({ search }: Pick<Paths, "search">, { q, kind, category, page }: SearchInput): string {
  return withQuery(search(), { q, kind, category: kind && category, page: page === 1 ? undefined : page });
}

/** The list of the chosen kind, which has filters for everything else; undefined where none is chosen, or takes names. */
function listUrl(local: Paths, { q, kind, category }: SearchInput): string | undefined {
  if (kind === undefined || kind === "servers" || kind === "pages") return undefined;
  return withQuery(kind === "shop" ? local.donate() : local.catalogue(kind), { q, category });
}
