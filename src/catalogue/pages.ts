import { type RequestHandler, Router } from "express";
import { z } from "zod";
import type { Db } from "../db/connect.ts";
import { isEntityFavorite } from "../favorites/queries.ts";
import type { AppContext } from "../http/context.ts";
import { badInput } from "../http/errors.ts";
import { parseInput } from "../http/input.ts";
import { renderPage } from "../http/page.ts";
import { type Pagination, paginate } from "../http/pagination.ts";
import { id, oneOf, searchText, text, wholeNumber } from "../http/params.ts";
import type { LiveSearch } from "../search/live-search.ts";
import { matchedFirst } from "../search/matched-names.ts";
import { type CatalogueKind, paths, withQuery } from "../urls.ts";
import { attributeRows } from "./attributes.ts";
import { otherNames, shownImage, summariseEntry } from "./entry.ts";
import { CATALOGUE_KINDS, ENTITY_KINDS, KIND_LABELS } from "./kinds.ts";
import {
  countCategories,
  countEntries,
  ENTRY_SORTS,
  type Entry,
  type EntrySort,
  type EntrySummary,
  findEntry,
  findNeighbours,
  LIST_CAP,
  listAfterId,
  listByIds,
  listCategories,
  listEntries,
} from "./queries.ts";

const PAGE_SIZE = 50;
const NEIGHBOURS = 4;
const NEAR = 8;
/** Of more matches of a name only the best are listed: a long list sorted by name is no answer. */
const MATCH_CAP = 1000;

const listInput = z.object({
  category: text(1, 300).optional(),
  q: searchText.default(""),
  sort: oneOf(ENTRY_SORTS).optional(),
  page: wholeNumber(1, 1_000_000).default(1),
});

/** What a list is asked for; without `sort` it begins with the best matches, or else goes by name. */
type ListInput = z.output<typeof listInput>;

/** The list and the entries' pages of each of the five kinds. */
export function cataloguePages(context: AppContext): Router {
  const router = Router({ caseSensitive: true });
  for (const kind of CATALOGUE_KINDS) {
    router.get(paths.catalogue(kind), showList(context, kind));
    router.get(`${paths.catalogue(kind)}/:id`, showEntry(context, kind));
  }
  return router;
}

function showList(context: AppContext, kind: CatalogueKind): RequestHandler {
  return async (req, res) => {
    const input = parseInput(listInput, req);
    const { categories, matches, count, pagination, entries } = await findPage(context, kind, input);
    const title = listTitle(kind, input);
    const isUnknown = input.category !== undefined && input.q === "" && count.count === 0;
    await renderPage(
      req,
      res,
      "catalogue/list",
      {
        title: pagination.page > 1 ? `${title}, page ${pagination.page}` : title,
        description: `${title}: names in every language, prices and figures.`,
        canonical: listUrl(kind, { category: input.category, page: pagination.page }),
        noindex: input.q !== "" || isUnknown,
        ...(isUnknown && { status: 404 }),
      },
      {
        kind,
        labels: KIND_LABELS[kind],
        input,
        sort: sortOf(input),
        matches,
        count,
        pagination,
        categories,
        entries: entries.map((entry) => ({ ...entry, others: matchedFirst(otherNames(entry), input.q) })),
        listUrl: (changes: Partial<ListInput>) => listUrl(kind, { ...input, page: 1, ...changes }),
      },
    );
  };
}

/** A page past the end becomes the last one, which only the count can tell; the list is read beside it. */
async function findPage({ db, search }: AppContext, kind: CatalogueKind, input: ListInput) {
  const matches = input.q === "" ? undefined : await findMatches(search, kind, input.q);
  const filter = { category: input.category, ids: matches?.ids };
  const list = (pagination: Pagination) =>
    listEntries(db, kind, filter, { ...pagination, sort: sortOf(input) });
  const asked = paginate(LIST_CAP, input.page, PAGE_SIZE);
  const [categories, { count, atLeast }, listed] = await Promise.all([
    matches ? countCategories(db, kind, matches.ids) : listCategories(db, kind),
    countEntries(db, kind, filter),
    list(asked),
  ]);
  const pagination = paginate(count, input.page, PAGE_SIZE);
  const entries = pagination.offset === asked.offset ? listed : await list(pagination);
  const counted = { count, atLeast: atLeast || matches?.isCut === true };
  return { categories, matches, count: counted, pagination, entries };
}

/** Best matches are first only where something is looked for. */
function sortOf({ q, sort }: Pick<ListInput, "sort"> & { q?: string }): EntrySort {
  const unlessTold = q ? "match" : "name";
  return sort === undefined || sort === "match" ? unlessTold : sort;
}

/** The records that a name means; `isCut` says that there are more. */
async function findMatches(search: LiveSearch, kind: CatalogueKind, name: string) {
  const ids = await search.ids(kind, name, MATCH_CAP + 1);
  return { ids: ids.slice(0, MATCH_CAP), cap: MATCH_CAP, isCut: ids.length > MATCH_CAP };
}

function listTitle(kind: CatalogueKind, { category }: ListInput): string {
  const { many } = KIND_LABELS[kind];
  return category === undefined ? many : `${many}: ${category}`;
}

/** The address of one view of a list; what is as it would be anyway stays out of it. */
function listUrl(kind: CatalogueKind, { category, q = "", sort, page }: Partial<ListInput>): string {
  return withQuery(paths.catalogue(kind), {
    category,
    q,
    sort: sort === sortOf({ q }) ? undefined : sort,
    page: page === 1 ? undefined : page,
  });
}

function showEntry(context: AppContext, kind: CatalogueKind): RequestHandler<{ id: string }> {
  return async (req, res) => {
    const { db } = context;
    const entryId = readId(req.params.id);
    const entry = await findEntry(db, kind, entryId);
    if (!entry) {
      const near = await findNear(context, kind, entryId);
      const head = { title: `No such ${KIND_LABELS[kind].one.toLowerCase()}`, status: 404, noindex: true };
      return renderPage(req, res, "catalogue/missing", head, {
        kind,
        labels: KIND_LABELS[kind],
        entryId,
        near,
      });
    }
    const neighbours = await findNeighbours(db, kind, entry, NEIGHBOURS);
    const labels = KIND_LABELS[kind];
    await renderPage(
      req,
      res,
      "catalogue/entry",
      {
        title: `${entry.name} · ${labels.many}`,
        description: summariseEntry(entry, labels.one),
        canonical: paths.entry(kind, entry.id),
        scripts: ["favorites"],
      },
      {
        kind,
        labels,
        entry,
        others: otherNames(entry),
        image: shownImage(entry.image),
        attributes: attributeRows(entry.attributes),
        ...neighbours,
        categoryUrl: listUrl(kind, { category: entry.category ?? undefined }),
        favorite: await favoriteState(db, kind, entry, req.viewer?.id),
      },
    );
  };
}

function readId(raw: string): string {
  const parsed = id().safeParse(raw);
  if (parsed.success) return parsed.data;
  throw badInput([{ param: "id", message: parsed.error.issues[0]?.message ?? "is not an id" }]);
}

/** What somebody may have meant by an id that does not exist: what a search for it finds, else the next ids. */
async function findNear(
  { db, search }: AppContext,
  kind: CatalogueKind,
  id: string,
): Promise<EntrySummary[]> {
  const likely = await listByIds(db, kind, await search.ids(kind, id, NEAR));
  return likely.length > 0 ? likely : listAfterId(db, kind, id, NEAR);
}

/** What the favorite button needs; undefined for the kinds that cannot be favorites. */
async function favoriteState(db: Db, kind: CatalogueKind, entry: Entry, userId: number | undefined) {
  if (kind === "vehicles" || kind === "scripts") return undefined;
  const fields = { kind: ENTITY_KINDS[kind], entity_id: entry.id };
  return { fields, favorite: await isEntityFavorite(db, userId, fields.kind, entry.id) };
}
