import { type RequestHandler, Router } from "express";
import { z } from "zod";
import { admitFew } from "../http/admission.ts";
import type { AppContext } from "../http/context.ts";
import { parseInput } from "../http/input.ts";
import { localeOf } from "../http/locale.ts";
import { renderPage } from "../http/page.ts";
import type { Pagination } from "../http/pagination.ts";
import { oneOf, searchText, wholeNumber } from "../http/params.ts";
import type { Language } from "../i18n/languages.ts";
import type { Translate } from "../i18n/translate.ts";
import { catalogueKinds, has, kindsWith, type SearchKind } from "../kinds/kinds.ts";
import { type Paths, paths, withQuery } from "../urls.ts";
import type { Hit } from "./answers.ts";
import { type KindResult, searchAll } from "./hits.ts";
import { type CategoryMatches, searchOneKind } from "./kind-results.ts";
import type { LiveSearch } from "./live-search.ts";
import { isForgiven, meantBy, namesToShow, type ShownName } from "./shown-names.ts";

const PREVIEW = 8;

function searchInput() {
  return z.object({
    q: searchText.default(""),
    kind: oneOf(kindsWith("isSearched")).optional(),
    /** Counts with a kind only. */
    category: searchText.optional(),
    page: wholeNumber(1, 1000).default(1),
  });
}

type SearchInput = z.output<ReturnType<typeof searchInput>>;

interface Group extends KindResult {
  kind: SearchKind;
}

interface Results {
  groups: Group[];
  pagination: Pagination | undefined;
  /** Of the kind that was chosen. */
  categories: readonly CategoryMatches[];
}

/** A hit as `views/search/hit.ejs` wants it. */
interface ShownHit {
  kind: SearchKind;
  id: string;
  /** Those in the reader's language first. */
  names: ShownName[];
  category: string | null;
  /** Its id is what was typed. */
  isId: boolean;
  /** It does not match as typed, but other hits do. */
  isSimilar: boolean;
  /** The typed words that it does not have, if some are missing. */
  without: string | undefined;
  /** As views/partials/thumbnail.ejs wants it; `image` is the address of the picture. */
  thumb: { kind: SearchKind; category: string | null; picture: null; image: string | null };
  /** What public/js/search-recent.ts stores when it is opened. */
  remembered: { path: string; name: string; names: Hit["names"]; kind: SearchKind };
}

const SEARCHED = ["search"] as const;

/** Several at a time, because a search may wait for its thread; together they leave others two thirds of the process. */
const SEARCHES = { running: 4, waiting: 48 };

/** `/search`: the best of all kinds, or with `kind` all of one, page by page, and with `category` all of that. */
export function searchPages(context: AppContext): Router {
  const router = Router({ caseSensitive: true });
  router.get(paths.search(), admitFew(SEARCHES)(showSearch(context)));
  return router;
}

function showSearch({ search, config }: AppContext): RequestHandler {
  const schema = searchInput();
  return async (req, res) => {
    const input = parseInput(schema, req);
    const { t, language, paths: local } = localeOf(req);
    const { groups, pagination, categories } = await find(search, input, {
      baseUrl: config.baseUrl,
      address: req.address,
    });
    const title = input.q === "" ? t("search.title") : t("search.title_for", { query: input.q });
    const head = {
      title,
      canonical: searchUrl(paths, input),
      noindex: input.q !== "",
      hasSearch: true,
      changesWith: SEARCHED,
      neverStore: groups.some(({ truncated }) => truncated),
    };
    const hits = groups.flatMap(({ results }) => results);
    const show = showHit(input.q, language, hits, config.baseUrl);
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
      searched: kindsWith("isSearched"),
      elsewhere: listElsewhere(input.q, local, t),
      searchUrl: (changes: Partial<SearchInput>) => searchUrl(local, { ...input, page: 1, ...changes }),
    });
  };
}

/** Pages that the search does not cover: lists that take the same query, and the servers, which take none. */
function listElsewhere(q: string, local: Paths, t: Translate): { href: string; text: string }[] {
  const lists = catalogueKinds().filter((kind) => !has(kind, "isSearched"));
  return [
    ...lists.map((kind) => ({
      href: withQuery(local.catalogue(kind), { q }),
      text: t(`kinds.${kind}.many`),
    })),
    { href: local.servers(), text: t("layout.sections.servers") },
    { href: withQuery(local.donate(), { q }), text: t("layout.sections.donate") },
  ];
}

/** Where the hits are, and who asks. */
interface Asker {
  readonly baseUrl: string;
  readonly address: string;
}

async function find(
  search: LiveSearch,
  { q, kind, category, page }: SearchInput,
  asker: Asker,
): Promise<Results> {
  if (kind) {
    const { result, ...found } = await searchOneKind(search, kind, { q, category, page }, asker);
    return { groups: [{ kind, ...result }], ...found };
  }
  const kinds = kindsWith("isSearched");
  const found = await searchAll(search, kinds, q, { limit: PREVIEW, ...asker });
  const groups = kinds.map((each) => ({ kind: each, ...found[each] }));
  return { groups, pagination: undefined, categories: [] };
}

function showHit(
  query: string,
  language: Language,
  all: Hit[],
  baseUrl: string,
): (kind: SearchKind, hit: Hit) => ShownHit {
  const isMixed = all.some(({ match }) => !isForgiven(match));
  return (kind, hit) => {
    const { id, name, names, category, image_url, match, without } = hit;
    return {
      kind,
      id,
      names: namesToShow(hit, query, language),
      category,
      isId: match === "exact" && id.toLowerCase() === query.toLowerCase(),
      isSimilar: isMixed && isForgiven(match),
      without: without?.join(" "),
      // Pages name what is here by its path.
      thumb: { kind, category, picture: null, image: image_url?.replace(`${baseUrl}/`, "/") ?? null },
      remembered: { path: paths.entry(kind, id), name, names, kind },
    };
  };
}

function searchUrl({ search }: Pick<Paths, "search">, { q, kind, category, page }: SearchInput): string {
  return withQuery(search(), { q, kind, category: kind && category, page: page === 1 ? undefined : page });
}

/** The list of the chosen kind, which has filters for everything else; undefined where none is chosen. */
function listUrl({ catalogue }: Pick<Paths, "catalogue">, { q, kind, category }: SearchInput) {
  return kind && withQuery(catalogue(kind), { q, category });
}
