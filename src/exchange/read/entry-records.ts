import { z } from "zod";
import type { Entry } from "../../catalogue/entry/queries.ts";
import { type KindFacets, LONGEST_KEY } from "../../catalogue/facets.ts";
import type { FacetsMemory, KnownFacets } from "../../catalogue/facets-memory.ts";
import { type EntryFilter, isWholeIndex, matching, readInOrder } from "../../catalogue/filter-queries.ts";
import { FILTERS_AT_MOST, type FilterInput, filterFields, readFilters } from "../../catalogue/filters.ts";
import {
  chooseSort,
  isSort,
  type ListView,
  listInput,
  normaliseInitial,
  readSort,
  sortText,
} from "../../catalogue/list/address.ts";
import { findMatches, lettersLanguage } from "../../catalogue/list/find.ts";
import { countEntries, type EntrySort, FIGURE } from "../../catalogue/list/queries.ts";
import { refuseBesideAt } from "../../catalogue/past/input.ts";
import { countAt, findEntriesAt, findEntryAt, matchingAt, pastText } from "../../catalogue/past/queries.ts";
import type { Db } from "../../db/connect.ts";
import { badInput } from "../../web/pages/errors.ts";
import { searchText, text } from "../../web/request/params.ts";
import { lazyText } from "../../words/i18n/lazy-text.ts";
import { type CatalogueKind, entityKinds, singularOf } from "../../words/kinds/kinds.ts";
import { absoluteUrl, paths } from "../../words/urls.ts";
import type { KindVocabulary } from "../../words/vocabulary/vocabulary.ts";
import {
  type AskedPage,
  inOrder,
  type KeyColumn,
  type ListedPage,
  orderOf,
  pageOf,
  pageOfMatches,
  type RecordList,
} from "./lists.ts";
import {
  describedFields,
  imagesField,
  imagesJson,
  nameFields,
  placeField,
  placeJson,
  type RecordKind,
  time,
} from "./record.ts";

const ID: KeyColumn = { sql: "id", type: "text" };
const BY_NAME: readonly KeyColumn[] = [
  { sql: 'name_initial(name) collate "C"', type: "text" },
  { sql: "name collate name_order", type: "text" },
  ID,
];

/** As on pages, where `match` is the order of a search; by id, nothing ever moves. */
const ORDERS: Readonly<Record<string, readonly KeyColumn[]>> = {
  id: [ID],
  name: BY_NAME,
  newest: [{ sql: "updated_at", type: "timestamptz", descending: true }, ID],
  popularity: [
    { sql: "popularity", type: "double precision", descending: true, hasNulls: true },
    { sql: "name collate name_order", type: "text" },
    ID,
  ],
};
const SORTS = ["match", ...Object.keys(ORDERS)];

type Input = Pick<ListView, "category" | "q" | "letter"> & { sort?: string | undefined };

/** An entry of the catalogue as the API gives it, for the kinds that there are. */
export function entrySchema() {
  return z
    .object({
      kind: z.enum(entityKinds()),
      id: z.string(),
      ...nameFields,
      place: placeField,
      images: imagesField,
      popularity: z.number().nullable(),
      url: z.url().meta({ description: "The page of the entry." }),
      created_at: time,
      updated_at: time,
    })
    .meta({ id: "EntryRecord" });
}

/** The entries of a kind of the catalogue. @param schema that of `entrySchema`, shared by all kinds */
export function entryRecords(kind: CatalogueKind, schema: ReturnType<typeof entrySchema>): RecordKind<Entry> {
  const find = async (db: Db, ids: string[]): Promise<Entry[]> =>
    db<Entry>(kind).select("*").whereRaw("id = any(?::text[])", [ids]);
  return {
    schema,
    dependsOn: ["catalogue"],
    find,
    list: entryList(kind, find),
    past: { find: (db, id, at) => findEntryAt(db, kind, id, at), read: pastList(kind) },
    toJson: (entry, reader) => ({
      kind: singularOf(kind),
      id: entry.id,
      ...describedFields(entry, reader.site.vocabulary.of(kind), reader),
      place: placeJson(entry.attributes),
      images: imagesJson(entry, reader),
      popularity: entry.popularity,
      url: absoluteUrl(reader.site.baseUrl, paths.entry(kind, entry.id)),
      created_at: entry.created_at.toISOString(),
      updated_at: entry.updated_at.toISOString(),
    }),
  };
}

/** The list of a kind of the catalogue, with the filters and sorts of its page. */
function entryList(
  kind: CatalogueKind,
  find: (db: Db, ids: string[]) => Promise<Entry[]>,
): RecordList<Entry> {
  return {
    input: {
      ...listInput.pick({ category: true, letter: true }).shape,
      q: searchText.optional(),
      sort: text(1, "-a.".length + LONGEST_KEY).optional(),
    },
    hasFilters: true,
    async read(given, asked, context) {
      const input = { q: "", ...given } as Input;
      // Before the snapshot: who waits for a search or a second connection must not hold a first one.
      const [known, matches] = await Promise.all([
        context.facets.read(kind),
        input.q === ""
          ? undefined
          : findMatches(context.search, kind, { q: input.q, language: asked.language }),
      ]);
      const facets = shownFacets(known.facets, (await context.readSite()).vocabulary.of(kind));
      const filters = filtersOf(facets, context.query);
      const sort = orderAsked(input, facets);
      const filter = filterOf(input, filters, facets, { ids: matches?.ids, language: asked.language });
      const list = { secret: context.secret, kind, sort: typeof sort === "string" ? sort : sortText(sort) };
      const db = await context.snapshot();
      if (sort === "match") {
        const ids = await matching(db, kind, filter)
          .orderByRaw("array_position(?::text[], id)", [filter.ids ?? []])
          .pluck("id");
        const page = pageOfMatches(ids, list, asked);
        const rows = inOrder(await find(db, page.ids), page.ids);
        return { rows, next: page.next, total: ids.length, atLeast: matches?.isCut === true };
      }
      return readPage({ db, facets: context.facets, known }, kind, { filter, sort }, list, asked);
    },
  };
}

/** The list of a kind as it was at a time; it has few filters and sorts. */
function pastList(kind: CatalogueKind): RecordList<Entry>["read"] {
  return async (given, asked, { facets, query, secret, snapshot }) => {
    refuseBesideAt(query, ["name", "id"], ["limit", "cursor", "fields", "lang"]);
    const { at, category, letter, sort = "name" } = given as Input & { at: Date };
    const initial = letter === undefined ? undefined : normaliseInitial(letter);
    const filter = { at: pastText(at), category, initial };
    const { version } = await facets.read(kind);
    const db = await snapshot();
    const columns = ORDERS[sort] ?? BY_NAME;
    const range = { order: orderOf(columns), end: asked.limit + 1 };
    const name = `at ${JSON.stringify(filter)}`;
    const [page, { count: total, atLeast }] = await Promise.all([
      pageOf<{ id: string }>(
        (after) => matchingAt(db, kind, filter, { ...range, after }).select("id"),
        columns,
        { secret, kind, sort: `${sort} ${name}` },
        asked,
      ),
      facets.counted(kind, version, name, () => countAt(db, kind, filter)),
    ]);
    const ids = page.rows.map(({ id }) => id);
    return { rows: await findEntriesAt(db, kind, ids, at), next: page.next, total, atLeast };
  };
}

async function readPage(
  { db, facets, known }: { db: Db; facets: FacetsMemory; known: KnownFacets },
  kind: CatalogueKind,
  { filter, sort }: { filter: EntryFilter; sort: Parameters<typeof columnsOf>[0] },
  list: Parameters<typeof pageOf>[2],
  asked: AskedPage,
): Promise<ListedPage<Entry>> {
  const isWhole = Object.values(filter).every((part) => part === undefined || part.length === 0);
  const count = () => countEntries(db, kind, filter);
  const name = `api ${JSON.stringify(filter)}`;
  const counted = () => (isWhole ? known.facets.records : facets.counted(kind, known.version, name, count));
  // The answer is remembered until the next change, so its total has to be of now.
  const counting = known.isOld ? count() : counted();
  const columns = columnsOf(sort);
  const named = typeof sort === "string" ? sort : undefined;
  const read = {
    sort: named,
    order: orderOf(columns),
    end: asked.limit + 1,
    total: isWholeIndex(named, filter) ? 0 : (await counting).count,
  };
  const [page, { count: total, atLeast }] = await Promise.all([
    pageOf<Entry>(
      (after) => readInOrder(db, kind, filter, { ...read, after }).select("*"),
      columns,
      list,
      asked,
    ),
    counting,
  ]);
  return { ...page, total, atLeast };
}

function filterOf(
  { category, letter, q }: Input,
  filters: FilterInput[],
  facets: KindFacets,
  { ids, language }: { ids: string[] | undefined; language: string | undefined },
): EntryFilter {
  const view = { category, letter, q, filters, page: 1 };
  const ofLanguage = language === undefined ? undefined : lettersLanguage(view, facets, language);
  return {
    category,
    ids,
    attributes: filters.flatMap(({ filter }) => filter ?? []),
    letter: letter === undefined ? undefined : { initial: normaliseInitial(letter), language: ofLanguage },
  };
}

/** Without what the operator hides: filters and sorts would tell it. */
function shownFacets(facets: KindFacets, words: KindVocabulary): KindFacets {
  return {
    ...facets,
    facets: facets.facets.filter(({ key }) => words.isFilter(key)),
    sorts: facets.sorts.filter((key) => words.isSort(key)),
  };
}

/**
 * @throws HttpError 400 for a filter that means nothing, such as `min.price=cheap`, for a bound given twice, and for too
 *   many
 */
function filtersOf(facets: KindFacets, query: Record<string, unknown>): FilterInput[] {
  const known = facets.facets.map(({ key }) => key);
  const numbers = facets.facets.flatMap(({ key, type }) => (type === "number" ? key : []));
  const keysOf = (name: string) => (name.startsWith("a.") ? known : numbers);
  const { filters, isCut } = readFilters(facets.facets, query);
  const unknown = Object.keys(query).filter((name) => {
    const [, key] = /^(?:a|min|max)\.(.+)$/s.exec(name) ?? [];
    return key !== undefined && !keysOf(name).includes(key);
  });
  const repeated = facets.facets
    .map(filterFields)
    .flatMap(({ min, max }) => [min, max])
    .filter((name) => Array.isArray(query[name]));
  const wrong = [
    ...repeated.map((param) => ({ param, message: lazyText("input.repeated") })),
    ...unknown.map((param) => ({
      param,
      message: lazyText("input.attribute", { names: keysOf(param).join(", ") }),
    })),
    ...filters.flatMap(({ facet: { key }, errors }) => [
      ...(errors.values ? [{ param: `a.${key}`, message: lazyText("input.no_value") }] : []),
      ...(errors.min ? [{ param: `min.${key}`, message: lazyText("input.number") }] : []),
      ...(errors.max ? [{ param: `max.${key}`, message: lazyText("input.number_or_more") }] : []),
    ]),
    ...(isCut ? [{ param: "filters", message: lazyText("input.filters_at_most", FILTERS_AT_MOST) }] : []),
  ];
  if (wrong.length > 0) throw badInput(wrong);
  return filters;
}

/** @throws HttpError 400 for a sort that there is not */
function orderAsked({ sort, q }: Input, facets: KindFacets): EntrySort | "id" {
  if (sort === "id") return sort;
  const read = sort === undefined || isSort(sort) ? readSort(sort, facets.sorts) : undefined;
  if (sort !== undefined && read === undefined) {
    const values = [...SORTS, ...facets.sorts.flatMap((key) => [`a.${key}`, `-a.${key}`])].join(", ");
    throw badInput([{ param: "sort", message: lazyText("input.one_of", { values }) }]);
  }
  return chooseSort({ q, sort: read });
}

function columnsOf(sort: EntrySort | "id"): readonly KeyColumn[] {
  if (typeof sort === "string") return ORDERS[sort] ?? BY_NAME;
  const { key, descending } = sort;
  const figure: KeyColumn = { sql: FIGURE, bindings: [key, key], type: "numeric", hasNulls: true };
  return [descending ? { ...figure, descending } : figure, ...BY_NAME];
}
