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
import { type CatalogueKind, paths, withQuery } from "../urls.ts";
import { attributeRows } from "./attributes.ts";
import { otherNames, shownImage, summariseEntry } from "./entry.ts";
import { CATALOGUE_KINDS, ENTITY_KINDS, KIND_LABELS } from "./kinds.ts";
import {
  countEntries,
  ENTRY_SORTS,
  type Entry,
  findEntry,
  findNearEntries,
  findNeighbours,
  LIST_CAP,
  listCategories,
  listEntries,
} from "./queries.ts";

const PAGE_SIZE = 50;
const NEIGHBOURS = 4;
const NEAR = 8;

const listInput = z.object({
  category: text(1, 300).optional(),
  q: searchText.default(""),
  sort: oneOf(ENTRY_SORTS).default("name"),
  page: wholeNumber(1, 1_000_000).default(1),
});

type ListInput = z.output<typeof listInput>;

/** The list and the entries' pages of each of the five kinds. */
export function cataloguePages({ db }: AppContext): Router {
  const router = Router({ caseSensitive: true });
  for (const kind of CATALOGUE_KINDS) {
    router.get(paths.catalogue(kind), showList(db, kind));
    router.get(`${paths.catalogue(kind)}/:id`, showEntry(db, kind));
  }
  return router;
}

function showList(db: Db, kind: CatalogueKind): RequestHandler {
  return async (req, res) => {
    const input = parseInput(listInput, req);
    const [categories, { count, pagination, entries }] = await Promise.all([
      listCategories(db, kind),
      findPage(db, kind, input),
    ]);
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
        count,
        pagination,
        categories,
        entries: entries.map((entry) => ({ ...entry, others: otherNames(entry) })),
        listUrl: (changes: Partial<ListInput>) => listUrl(kind, { ...input, page: 1, ...changes }),
      },
    );
  };
}

/** A page past the end becomes the last one, which only the count can tell; the list is read beside it. */
async function findPage(db: Db, kind: CatalogueKind, input: ListInput) {
  const list = (pagination: Pagination) => listEntries(db, kind, input, { ...pagination, sort: input.sort });
  const asked = paginate(LIST_CAP, input.page, PAGE_SIZE);
  const [count, listed] = await Promise.all([countEntries(db, kind, input), list(asked)]);
  const pagination = paginate(count.count, input.page, PAGE_SIZE);
  const entries = pagination.offset === asked.offset ? listed : await list(pagination);
  return { count, pagination, entries };
}

function listTitle(kind: CatalogueKind, { category }: ListInput): string {
  const { many } = KIND_LABELS[kind];
  return category === undefined ? many : `${many}: ${category}`;
}

/** The address of one view of a list; what is as it would be anyway stays out of it. */
function listUrl(kind: CatalogueKind, { category, q, sort, page }: Partial<ListInput>): string {
  return withQuery(paths.catalogue(kind), {
    category,
    q,
    sort: sort === "name" ? undefined : sort,
    page: page === 1 ? undefined : page,
  });
}

function showEntry(db: Db, kind: CatalogueKind): RequestHandler<{ id: string }> {
  return async (req, res) => {
    const entryId = readId(req.params.id);
    const entry = await findEntry(db, kind, entryId);
    if (!entry) {
      const near = await findNearEntries(db, kind, entryId, NEAR);
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

/** What the favorite button needs; undefined for the kinds that cannot be favorites. */
async function favoriteState(db: Db, kind: CatalogueKind, entry: Entry, userId: number | undefined) {
  if (kind === "vehicles" || kind === "scripts") return undefined;
  const fields = { kind: ENTITY_KINDS[kind], entity_id: entry.id };
  return { fields, favorite: await isEntityFavorite(db, userId, fields.kind, entry.id) };
}
