import { type RequestHandler, Router } from "express";
import type { Knex } from "knex";
import { z } from "zod";
import { saving } from "../records/prices/prices.ts";
import type { Site } from "../web/look/site.ts";
import type { BaseContext } from "../web/pages/context.ts";
import { renderPage } from "../web/pages/page.ts";
import { parseInput } from "../web/request/input.ts";
import { type Locale, localeOf } from "../web/request/locale.ts";
import type { Pagination } from "../web/request/pagination.ts";
import { oneOf, searchText, wholeNumber } from "../web/request/params.ts";
import { admitFew } from "../web/server/admission.ts";
import type { Language } from "../words/i18n/languages.ts";
import type { Translate } from "../words/i18n/translate.ts";
import { catalogueKinds } from "../words/kinds/kinds.ts";
import { type SearchableKind, searchableKinds } from "../words/kinds/searchable-kinds.ts";
import { type Paths, paths, withQuery } from "../words/urls.ts";
import type { Hit, ServerFigures, ShopOffer } from "./answers.ts";
import {
  type Figures,
  type FindServerFigures,
  figuresShown,
  readFigures,
  UNKNOWN_FIGURES,
} from "./figures.ts";
import { type CategoryMatches, type KindResult, searchAll, searchOneKind } from "./hits.ts";
import type { LiveSearch } from "./live-search.ts";
import type { MissedSearches } from "./missed-searches.ts";
import { orderGroups, tellApart } from "./result-groups.ts";
import { firstName, meantBy, namesToPrint, type PrintedName } from "./shown-names.ts";
import { foundAddress, foundPath } from "./site-pages.ts";

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
    const { groups, pagination, categories } = await find(search, input, {
      language: locale.language,
      baseUrl: config.baseUrl,
    });
    const figures = await figuresOf(db, groups, findServers);
    const title = input.q === "" ? t("search.title") : t("search.title_for", { query: input.q });
    const head = {
      title,
      canonical: searchUrl(paths, input),
      noindex: input.q !== "",
      hasSearch: true,
      ...figuresShown(figures.servers.size > 0, figures.shop.size > 0),
      neverStore: !figures.areRead,
    };
    const hits = groups.flatMap(({ results }) => results);
    if (input.kind === undefined) missedSearches.tell(input.q, hits.length === 0);
    const meant = meantBy(hits, input.q);
    const show = showHits(groups, figures, input.q, locale, config.baseUrl);
    await renderPage(req, res, "search/search", head, {
      input,
      groups: groups.map(({ kind, total, total_is_lower_bound: atLeast = false, results }) => {
        return { kind, total, atLeast, hits: results.map((hit) => show(kind, hit)) };
      }),
      pagination,
      categories,
      listUrl: listUrl(local, input),
      meant,
      isPartial: meant === undefined && hits.some(({ match }) => match === "partial"),
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
  reader: { language: Language; baseUrl: string },
): Promise<Results> {
  if (kind) {
    const { result, ...found } = await searchOneKind(search, kind, { q, category, page }, reader);
    return { groups: [{ kind, ...result }], ...found };
  }
  const kinds = searchableKinds();
  const found = await searchAll(search, kinds, q, { limit: PREVIEW, ...reader });
  const groups = kinds.map((each) => ({ kind: each, ...found[each] }));
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

/** A hit as `views/search/hit.ejs` wants it. */
interface ShownHit {
  kind: SearchableKind;
  href: string;
  /** Those in the reader's language first. */
  names: PrintedName[];
  category: string | null;
  /** Its id, where that is what was typed. */
  typedId: string | undefined;
  /** Its id, where others are shown with the same name. */
  ownId: string | undefined;
  /** It is a choice that a script makes, such as the dark theme. */
  needsScript: boolean;
  /** The typed words that it does not have, if some are missing. */
  without: string | undefined;
  /** The figures of a server. */
  figures: ServerFigures | undefined;
  /** The price of an item of the shop, for views/partials/price.ejs; `percent` is saved. */
  price: ShownPrice | undefined;
  /** As views/partials/thumbnail.ejs wants it; `image` is the address of the picture. */
  thumb: { kind: SearchableKind; category: string | null; picture: null; image: string | null };
  /** What public/js/search/recent.ts stores when it is opened. */
  remembered: { path: string; name: string; names: Hit["names"]; kind: SearchableKind };
}

interface ShownPrice {
  amount: string | null;
  currency: string;
  before: string | null;
  sale: boolean;
  percent: number;
}

/** The view of each hit; the other hits on the page decide what is shown beside a name. */
function showHits(
  groups: readonly { kind: SearchableKind; results: Hit[] }[],
  figures: Figures,
  query: string,
  locale: Pick<Locale, "language" | "paths" | "prefix">,
  baseUrl: string,
): (kind: SearchableKind, hit: Hit) => ShownHit {
  const { language, paths: local, prefix } = locale;
  const shownAs = (kind: SearchableKind, hit: Hit) => ({ ...hit, kind, name: firstName(hit, language) });
  const apart = tellApart(groups.flatMap(({ kind, results }) => results.map((hit) => shownAs(kind, hit))));
  return (kind, hit) => {
    const { id, name, names, category, image_url, match, without } = hit;
    const href = foundAddress(local, prefix, kind, id);
    const isTyped = kind !== "pages" && match === "exact" && id.toLowerCase() === query.toLowerCase();
    const hasTwin = kind !== "pages" && apart(shownAs(kind, hit)).byId;
    return {
      kind,
      href,
      names: namesToPrint(hit, query, language),
      category,
      typedId: isTyped ? id : undefined,
      ownId: hasTwin && !isTyped ? id : undefined,
      needsScript: href.startsWith("#"),
      without: without?.join(" "),
      figures: kind === "servers" ? (figures.servers.get(id) ?? UNKNOWN_FIGURES) : undefined,
      price: kind === "shop" ? priceOf(figures.shop.get(id)) : undefined,
      // Pages name what is here by its path.
      thumb: { kind, category, picture: null, image: image_url?.replace(`${baseUrl}/`, "/") ?? null },
      remembered: { path: foundPath(paths, "", kind, id), name, names, kind },
    };
  };
}

/** Undefined where it is not known. */
function priceOf(offer: ShopOffer | undefined): ShownPrice | undefined {
  if (!offer?.currency) return undefined;
  const { price, currency, price_before: before } = offer;
  const percent = (price !== null && saving(before, price)?.percent) || 0;
  return { amount: price, currency, before, sale: before !== null, percent };
}
