import { setImmediate as turn } from "node:timers/promises";
import type { Request, RequestHandler } from "express";
import { z } from "zod";
import type { Db } from "../../db/connect.ts";
import { kindFeedLinks } from "../../discovery/feeds/feed-links.ts";
import { lookUpEntries } from "../../records/relations/named-entries.ts";
import { snapshotFor } from "../../web/answers/answer-scope.ts";
import { sendCsv } from "../../web/answers/send-stream.ts";
import type { Site } from "../../web/look/site.ts";
import { breadcrumbList, itemList, type NamedPath } from "../../web/look/structured-data.ts";
import { type FeedLink, type PageHead, renderPage } from "../../web/pages/page.ts";
import { CSV_MARK, chooseCsvStyle, csvLine } from "../../web/request/csv.ts";
import { parseInput } from "../../web/request/input.ts";
import { languageVary, localeOf } from "../../web/request/locale.ts";
import { text } from "../../web/request/params.ts";
import { localName } from "../../words/i18n/local-name.ts";
import { type CatalogueKind, has } from "../../words/kinds/kinds.ts";
import { withoutKey } from "../../words/safe-urls.ts";
import { absoluteUrl, paths, withQuery } from "../../words/urls.ts";
import { inNameOrder } from "../../words/vocabulary/category-text.ts";
import { attributeHeading, type KindWords, NAMED_IN_LINE, shortText, withKindWords } from "../attributes.ts";
import type { CatalogueContext } from "../context.ts";
import type { FacetValue, KindFacets } from "../facets.ts";
import type { FacetsMemory } from "../facets-memory.ts";
import { FILTERS_AT_MOST, type FilterInput, readFilters, withoutUnknown } from "../filters.ts";
import { listReferences } from "../linked-values.ts";
import { showPastList } from "../past/list-page.ts";
import {
  isUnfiltered,
  type ListView,
  listFileUrl,
  listInput,
  listUrl,
  readLetter,
  readSort,
  viewParameters,
} from "./address.ts";
import { type AskedList, type FoundList, findList, findListed, findMatches, letterSteps } from "./find.ts";
import { facetPanels, filterChips, LONGEST_CHIP_NAME } from "./panel.ts";
import {
  COUNT_CAP,
  type EntrySort,
  FIGURE_CAP,
  findValues,
  LIST_CAP,
  type ListedEntry,
  listEntries,
} from "./queries.ts";
import { isFigure, type ListWords, listTable, sortOptions, sortValue } from "./table.ts";

/** Rows read by one query and written in one turn: a few milliseconds, during which other requests wait. */
const BATCH = 200;

type FileWords = ListWords & KindWords;

interface FileColumns {
  readonly attributes: readonly string[];
  readonly hasPopularity: boolean;
}

/** On longer lists, links alone leave most pages many clicks away. */
const PAGES_BY_LINKS = 7;

/** The list's buttons: remove one filter, or show one category or letter. Links would each repeat the whole, long address. */
export const stepInput = z.object({
  without: text(1, LONGEST_CHIP_NAME).optional(),
  only: text(1, 300).optional(),
  begin: text(1, 20).optional(),
});

/** The list of a kind, searched, filtered, sorted and paged by its address. */
export function showList(context: CatalogueContext, kind: CatalogueKind): RequestHandler {
  return async (req, res) => {
    const locale = withKindWords(localeOf(req), req.site, kind);
    const { at, ...input } = parseInput(listInput, req);
    if (at) return showPastList(context, kind, { ...input, at }, locale, req, res);
    const { db, known, matches, view, isCut } = await readList(context, kind, req);
    const step = takeStep(req, view, locale);
    if (step) {
      const next = listUrl(locale.paths, kind, { ...step, page: 1 });
      return res.set("Cache-Control", "no-store").redirect(303, next);
    }
    const found = await findList({ db, memory: context.facets }, kind, { view, matches, known }, locale);
    const head = listHead(kind, view, found, isCut, req.site, locale);
    await renderPage(req, res, "catalogue/list", known.isOld ? { ...head, isTimeSensitive: true } : head, {
      kind,
      view,
      isCut,
      filtersAtMost: FILTERS_AT_MOST,
      ...listFields(kind, view, found, known.facets, { ...locale, entries: found.named }),
    });
  };
}

/**
 * The requested list, and a snapshot of the database to read it from; `isCut` if it has too many filters.
 * @throws HttpError 400 for bad input; a bad filter is shown beside its field instead
 */
async function readList(
  context: CatalogueContext,
  kind: CatalogueKind,
  req: Request,
): Promise<AskedList & { db: Db; isCut: boolean }> {
  const { sort, at: _, ...input } = parseInput(listInput, req);
  // Before the snapshot: who waits for a search or a second connection must not hold a first one.
  const [known, matches] = await Promise.all([
    context.facets.read(kind),
    input.q === ""
      ? undefined
      : findMatches(context.search, kind, { q: input.q, language: localeOf(req).language }),
  ]);
  const db = await snapshotFor(req, context.db);
  const { filters, isCut } = readFilters(known.facets.facets, req.query);
  const view = {
    ...input,
    sort: readSort(sort, known.facets.sorts),
    filters: await dropUnknownValues({ db, memory: context.facets }, kind, known, filters),
  };
  return { db, known, matches, view, isCut };
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
    dependsOn: view.q === "" ? ["catalogue"] : ["catalogue", "search"],
    structured: isListed ? structuredList(kind, view.category, found, site, locale) : [],
    feeds: has(kind, "hasFeed") && !isMissing ? listFeeds(kind, view.category, site, locale) : [],
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

function listFeeds(
  kind: CatalogueKind,
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

/**
 * Sends all rows of a list as CSV, in the list's order: at most `LIST_CAP`, as on its pages. A request with a wrong
 * filter is redirected to the list, which shows the error; so is one for the past, which has no file.
 */
export function sendListFile(context: CatalogueContext, kind: CatalogueKind): RequestHandler {
  return async (req, res) => {
    const words = withKindWords(localeOf(req), req.site, kind);
    const { db, isCut, ...asked } = await readList(context, kind, req);
    res.set("X-Robots-Tag", "noindex");
    if (isCut || req.query.at || asked.view.filters.some(({ errors }) => Object.keys(errors).length > 0)) {
      const { search } = new URL(withoutKey(req.originalUrl), context.config.baseUrl);
      return res.set("Cache-Control", "no-store").redirect(303, words.paths.catalogue(kind) + search);
    }
    const { ids, ...columns } = await findListed({ db, memory: context.facets }, kind, asked, words);
    // Gives the connection back, so that a slow client does not hold it.
    req.answerScope?.end();
    res.vary(["Accept-Encoding", ...languageVary(req)].join(", ")).set("Cache-Control", "private, no-cache");
    const file = { name: `${kind}.csv`, failure: "A list's file broke off" };
    await sendCsv(req, res, file, fileParts(context, kind, ids, columns, words));
  };
}

/**
 * The file in batches, so that memory use does not depend on its size. Each batch is read when it is sent: it has the
 * records as they are then, without those removed since the ids were found.
 */
async function* fileParts(
  { db, config }: Pick<CatalogueContext, "db" | "config">,
  kind: CatalogueKind,
  ids: readonly string[],
  columns: FileColumns,
  words: FileWords,
): AsyncGenerator<string> {
  const style = chooseCsvStyle(words.language);
  yield CSV_MARK + csvLine(renderHead(columns, words), style);
  for (let from = 0; from < ids.length; from += BATCH) {
    const batch = ids.slice(from, from + BATCH);
    const range = { sort: "match", limit: BATCH, offset: 0, columns: columns.attributes } as const;
    const entries = await listEntries(db, kind, { ids: batch }, range);
    const said = listReferences(
      entries.map(({ shown }) => shown),
      words.vocabulary,
      NAMED_IN_LINE,
    );
    const named = { ...words, entries: await lookUpEntries(db, said, words.everyKind) };
    const url = ({ id }: ListedEntry) => absoluteUrl(config.baseUrl, words.paths.entry(kind, id));
    yield entries
      .map((entry) => csvLine([...renderCells(entry, columns, named), url(entry)], style))
      .join("");
    await turn();
  }
}

function renderHead({ attributes, hasPopularity }: FileColumns, words: FileWords): string[] {
  const { t } = words;
  return [
    t("catalogue.list.file_columns.id"),
    t("catalogue.list.columns.name"),
    t("catalogue.list.file_columns.other_name"),
    t("catalogue.list.columns.category"),
    ...attributes.map((key) => attributeHeading(key, words)),
    ...(hasPopularity ? [t("catalogue.list.columns.popularity")] : []),
    t("catalogue.list.columns.changed"),
    t("catalogue.list.file_columns.address"),
  ];
}

/** The cells of a record, without its address. */
function renderCells(
  entry: ListedEntry,
  { attributes, hasPopularity }: FileColumns,
  words: ListWords,
): (string | number)[] {
  const { id, category, popularity, shown, updated_at } = entry;
  const { name, other } = localName(entry, words.language);
  return [
    id,
    name,
    other?.name ?? name,
    category === null ? "" : words.categoryName(category),
    ...attributes.map((key) => valueCell(key, shown[key] ?? null, words)),
    ...(hasPopularity ? [popularity ?? ""] : []),
    updated_at.toISOString(),
  ];
}

/** Types whose numbers mean nothing to a reader, such as seconds since 1970. */
const IN_WORDS = new Set<string | undefined>(["date", "duration"]);

function valueCell(key: string, value: unknown, words: ListWords): string | number {
  if (value === null) return "";
  const isPlain = isFigure(key, value, words) && !IN_WORDS.has(words.vocabulary.attribute(key)?.type);
  return typeof value === "number" && isPlain ? value : shortText(key, value, words);
}
