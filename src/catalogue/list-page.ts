import type { Request, RequestHandler } from "express";
import { z } from "zod";
import type { Db } from "../db/connect.ts";
import { kindFeedLinks } from "../discovery/feeds/feed-links.ts";
import { snapshotFor } from "../web/answers/answer-scope.ts";
import type { Site } from "../web/http/site.ts";
import { breadcrumbList, itemList, type NamedPath } from "../web/look/structured-data.ts";
import { type FeedLink, type PageHead, renderPage } from "../web/pages/page.ts";
import { parseInput } from "../web/request/input.ts";
import { localeOf } from "../web/request/locale.ts";
import { searchText, text, wholeNumber } from "../web/request/params.ts";
import { zodMessage } from "../words/i18n/lazy-text.ts";
import { localName } from "../words/i18n/local-name.ts";
import { type CatalogueKind, type FeedKind, has } from "../words/kinds/kinds.ts";
import { paths, withQuery } from "../words/urls.ts";
import { inNameOrder } from "../words/vocabulary/category-text.ts";
import type { Vocabulary } from "../words/vocabulary/vocabulary.ts";
import type { CatalogueContext } from "./context.ts";
import { type FacetValue, type KindFacets, LONGEST_KEY } from "./facets.ts";
import type { FacetsMemory } from "./facets-memory.ts";
import { FILTERS_AT_MOST, type FilterInput, readFilters, withoutUnknown } from "./filters.ts";
import {
  isSort,
  isUnfiltered,
  type ListView,
  listFileUrl,
  listUrl,
  readSort,
  viewParameters,
} from "./list-address.ts";
import { findValues } from "./list-counts-queries.ts";
import { LETTER, letterSteps, readLetter } from "./list-letters.ts";
import { facetPanels, filterChips, LONGEST_CHIP_NAME } from "./list-panel.ts";
import { COUNT_CAP, ENTRY_SORTS, type EntrySort, FIGURE_CAP, LIST_CAP } from "./list-queries.ts";
import { type AskedList, type FoundList, findList, findMatches } from "./list-search.ts";
import { type ListWords, listTable, sortOptions, sortValue } from "./list-table.ts";

/** On longer lists, links alone leave most pages many clicks away. */
const PAGES_BY_LINKS = 7;

/** Parameters of a list in addition to filters by attributes. */
export const listInput = z.object({
  category: text(1, 300).optional(),
  q: searchText.default(""),
  letter: text(1, 20)
    .refine(
      (letter) => readLetter(letter) !== undefined,
      zodMessage("input.one_of", { values: "A, Б, 0-9, other" }),
    )
    .transform(readLetter)
    .meta({ override: { type: "string", pattern: LETTER } })
    .optional(),
  sort: text(1, "-a.".length + LONGEST_KEY)
    .refine(isSort, zodMessage("input.one_of", { values: ENTRY_SORTS.join(", ") }))
    .optional(),
  page: wholeNumber(1, 1_000_000).default(1),
});

/** The list's buttons: remove one filter, or show one category or letter. Links would each repeat the whole, long address. */
export const stepInput = z.object({
  without: text(1, LONGEST_CHIP_NAME).optional(),
  only: text(1, 300).optional(),
  begin: text(1, 20).optional(),
});

/** The list of a kind, searched, filtered, sorted and paged by its address. */
export function showList(context: CatalogueContext, kind: CatalogueKind): RequestHandler {
  return async (req, res) => {
    const locale = wordsOf(kind, req);
    const { db, known, matches, view, isCut } = await readList(context, kind, req);
    const step = takeStep(req, view, locale);
    if (step) {
      const next = listUrl(locale.paths, kind, { ...step, page: 1 });
      return res.set("Cache-Control", "no-store").redirect(303, next);
    }
    const found = await findList({ db, memory: context.facets }, kind, { view, matches, known }, locale);
    const head = listHead(kind, view, found, isCut, req.site, locale);
    await renderPage(req, res, "catalogue/list", known.isOld ? { ...head, showsTime: true } : head, {
      kind,
      view,
      isCut,
      filtersAtMost: FILTERS_AT_MOST,
      ...listFields(kind, view, found, known.facets, { ...locale, entries: found.named }),
    });
  };
}

/** The words and formats of a list, for the reader of a request. */
export function wordsOf(kind: CatalogueKind, req: Request): ListWords & { everyKind: Vocabulary } {
  const locale = localeOf(req);
  const { vocabulary } = req.site;
  const categoryName = (category: string) => req.site.category(category, locale.language).text;
  return { ...locale, vocabulary: vocabulary.of(kind), everyKind: vocabulary, categoryName };
}

/** The requested list, and a snapshot of the database to read it from. */
export async function readList(
  context: CatalogueContext,
  kind: CatalogueKind,
  req: Request,
): Promise<AskedList & { db: Db; isCut: boolean }> {
  const { q } = parseInput(listInput, req);
  // Before the snapshot: who waits for a search or a second connection must not hold a first one.
  const [known, matches] = await Promise.all([
    context.facets.read(kind),
    q === "" ? undefined : findMatches(context.search, kind, q),
  ]);
  const db = await snapshotFor(req, context.db);
  return { db, known, matches, ...(await readView({ db, memory: context.facets }, kind, known, req)) };
}

/**
 * The view of a request; `isCut` if it has too many filters.
 * @throws HttpError 400 for bad input; a bad filter is shown beside its field instead
 */
async function readView(
  sources: { db: Db; memory: FacetsMemory },
  kind: CatalogueKind,
  known: { version: number; facets: KindFacets },
  req: Request,
): Promise<{ view: ListView; isCut: boolean }> {
  const { sort, ...input } = parseInput(listInput, req);
  const { filters, isCut } = readFilters(known.facets.facets, req.query);
  const view = {
    ...input,
    sort: readSort(sort, known.facets.sorts),
    filters: await dropUnknownValues(sources, kind, known, filters),
  };
  return { view, isCut };
}

/**
 * Removes values that no record of the kind has. It queries only values that the facet does not offer, and only if
 * the facet may be incomplete: from a sample, or with too many values to offer.
 */
async function dropUnknownValues(
  { db, memory }: { db: Db; memory: FacetsMemory },
  kind: CatalogueKind,
  { version, facets: { isSample } }: { version: number; facets: KindFacets },
  filters: FilterInput[],
): Promise<FilterInput[]> {
  const known = new Map<string, Set<FacetValue>>();
  for (const { facet, filter } of filters) {
    const { key } = facet;
    const offered = new Set((facet.values ?? []).map(([value]) => value));
    known.set(key, offered);
    const others = (filter?.values ?? []).filter((value) => !offered.has(value));
    if (others.length === 0 || (facet.values !== null && !isSample)) continue;
    const name = `values ${JSON.stringify([key, others])}`;
    const found = await memory.counted(kind, version, name, () => findValues(db, kind, key, others));
    for (const value of found) offered.add(value);
  }
  return withoutUnknown(filters, (key, value) => known.get(key)?.has(value) === true);
}

/** The view that a button of the list leads to; removing a filter that is already off changes nothing. */
function takeStep(req: Request, view: ListView, locale: ListWords): ListView | undefined {
  const { without, only, begin } = parseInput(stepInput, req);
  if (begin !== undefined) return { ...view, letter: readLetter(begin) };
  if (only !== undefined) return { ...view, category: only };
  if (without === undefined) return undefined;
  return filterChips(view, locale).find(({ name }) => name === without)?.without ?? view;
}

/** Search engines index the list and its categories, page by page, but no other filtered views. */
function listHead(
  kind: CatalogueKind,
  view: ListView,
  found: FoundList,
  isCut: boolean,
  site: Pick<Site, "name" | "baseUrl">,
  locale: ListWords,
): PageHead {
  const { t, format, categoryName } = locale;
  const { page } = found.pagination;
  const name = t(`kinds.${kind}.many`);
  const listed =
    view.category === undefined
      ? name
      : t("catalogue.list.title_category", { title: name, category: categoryName(view.category) });
  const title = view.q === "" ? listed : t("catalogue.list.title_query", { title: listed, query: view.q });
  const isWrong = isCut || view.filters.some(({ errors }) => Object.keys(errors).length > 0);
  const isMissing =
    view.category !== undefined && isUnfiltered({ ...view, category: undefined }) && found.count.count === 0;
  const isListed =
    view.q === "" && view.letter === undefined && view.filters.length === 0 && !isMissing && !isWrong;
  return {
    title: page > 1 ? t("catalogue.list.title_page", { title, figure: format.number(page) }) : title,
    description: t("catalogue.list.description", { title }),
    canonical: listUrl(paths, kind, { category: view.category, q: "", filters: [], page }),
    noindex: !isListed,
    ...(isMissing && { status: 404 }),
    ...(isWrong && { status: 400 }),
    scripts: has(kind, "isCompared") ? ["web/list", "catalogue/compare"] : ["web/list"],
    styles: ["catalogue/catalogue"],
    changesWith: view.q === "" ? ["catalogue"] : ["catalogue", "search"],
    structured: isListed ? structuredList(kind, view.category, found, site, locale) : [],
    feeds: has(kind, "hasFeed") && !isMissing ? feedsOf(kind, view.category, site, locale) : [],
  };
}

/** The entries of a list that search engines index, and the way to a category. */
function structuredList(
  kind: CatalogueKind,
  category: string | undefined,
  { entries, pagination }: FoundList,
  { baseUrl }: Pick<Site, "baseUrl">,
  { t, language, paths: local, categoryName }: ListWords,
): object[] {
  const pages = entries.map((entry): NamedPath => {
    return [localName(entry, language).name, local.entry(kind, entry.id)];
  });
  const trail: NamedPath[] = [
    [t(`kinds.${kind}.many`), local.catalogue(kind)],
    ...(category === undefined
      ? []
      : [[categoryName(category), withQuery(local.catalogue(kind), { category })] as const]),
  ];
  return [
    ...(trail.length > 1 ? [breadcrumbList(baseUrl, trail)] : []),
    ...(pages.length > 0 ? [itemList(baseUrl, pages, pagination.offset)] : []),
  ];
}

function feedsOf(
  kind: FeedKind,
  category: string | undefined,
  site: { readonly name: string },
  locale: ListWords,
): FeedLink[] {
  const shown = category === undefined ? undefined : { word: category, shown: locale.categoryName(category) };
  return kindFeedLinks(site, kind, locale, shown);
}

function listFields(
  kind: CatalogueKind,
  view: ListView,
  { columns, entries, sort, letters, traits, named: _, ...found }: FoundList,
  { facets, sorts, hasPopularity }: KindFacets,
  locale: ListWords,
) {
  const { t, format } = locale;
  const { count, counts, canSort } = found;
  const figure = format.number(count.count) + (count.atLeast ? "+" : "");
  const hasLetters = view.letter !== undefined || (found.pagination.pages > 1 && entries.length > 0);
  const url = (changes: Partial<ListView>) => listUrl(locale.paths, kind, { ...view, page: 1, ...changes });
  return {
    ...found,
    categories: inNameOrder(found.categories, locale.categoryName),
    name: t(`kinds.${kind}.many`),
    mapUrl: has(kind, "isPlaced") ? locale.paths.map(kind) : undefined,
    feedUrl: has(kind, "hasFeed") ? locale.paths.feed(kind, "rss", { category: view.category }) : undefined,
    file: {
      url: listFileUrl(locale.paths, kind, view),
      text: count.atLeast
        ? t("catalogue.list.file_first", { figure: format.number(count.count) })
        : t("catalogue.list.file"),
    },
    words: { none: t(`kinds.${kind}.none`), all: t(`kinds.${kind}.all`) },
    countFigure: figure,
    countText: t(`kinds.${kind}.count`, { count: count.count, figure }),
    isComparable: has(kind, "isCompared"),
    isUnfiltered: isUnfiltered(view),
    panels: facetPanels(facets, view.filters, counts, locale),
    chips: filterChips(view, locale),
    letters: hasLetters ? letterSteps(letters, view.letter, locale) : [],
    isNarrowedBesidesLetter: !isUnfiltered({ ...view, letter: undefined }),
    hasPageBox: found.pagination.pages > PAGES_BY_LINKS,
    viewFields: viewParameters({ ...view, page: 1 }),
    isNarrowed: !isUnfiltered({ ...view, category: undefined }),
    table: listTable(entries, { columns, sorts, sort, canSort, traits, view }, locale),
    sortValue: sortValue(sort, view.q),
    sortOptions: sortOptions({ q: view.q, sort, sorts, canSort, hasPopularity }, locale),
    figureCap: FIGURE_CAP,
    sortCap: view.filters.some(({ filter }) => filter) ? COUNT_CAP : LIST_CAP,
    listUrl: url,
    sortUrl: (by: EntrySort) => url({ sort: by }),
    resetUrl: listUrl(locale.paths, kind, { q: view.q, sort: view.sort, filters: [], page: 1 }),
  };
}
