import type { Request, Response } from "express";
import { lookUpEntries } from "../../records/relations/named-entries.ts";
import { snapshotFor } from "../../web/answers/answer-scope.ts";
import { renderPage } from "../../web/pages/page.ts";
import { paginate } from "../../web/request/pagination.ts";
import { nameOrderSql } from "../../words/i18n/name-order.ts";
import type { CatalogueKind } from "../../words/kinds/kinds.ts";
import { paths, withQuery } from "../../words/urls.ts";
import { inNameOrder } from "../../words/vocabulary/category-text.ts";
import type { Vocabulary } from "../../words/vocabulary/vocabulary.ts";
import { NAMED_IN_LINE } from "../attributes.ts";
import type { CatalogueContext } from "../context.ts";
import { listReferences } from "../linked-values.ts";
import { type ListView, normaliseInitial } from "../list/address.ts";
import { letterSteps } from "../list/find.ts";
import { chooseColumns, type ListWords, listTable, wholeTraits } from "../list/table.ts";
import { refuseBesideAt } from "./input.ts";
import { countAt, findEntriesAt, matchingAt, pastText } from "./queries.ts";

const PAGE_SIZE = 50;
const ORDER = { sql: `${nameOrderSql("name")}, id`, bindings: [] };

/** The list of a kind as it was at a time. */
export async function showPastList(
  { db: database, facets: memory }: CatalogueContext,
  kind: CatalogueKind,
  { at, category, letter, page }: Pick<ListView, "category" | "letter" | "page"> & { readonly at: Date },
  locale: ListWords & { everyKind: Vocabulary },
  req: Request,
  res: Response,
): Promise<void> {
  refuseBesideAt(req.query, ["name"], ["page"]);
  const { version, facets } = await memory.read(kind);
  const db = await snapshotFor(req, database);
  const initial = letter === undefined ? undefined : normaliseInitial(letter);
  const filter = { at: pastText(at), category, initial };
  const name = `at ${JSON.stringify(filter)}`;
  const { count, atLeast } = await memory.counted(kind, version, name, () => countAt(db, kind, filter));
  const pagination = paginate(count, page, PAGE_SIZE);
  const { offset } = pagination;
  const ids: string[] = await matchingAt(db, kind, filter, { order: ORDER, end: offset + PAGE_SIZE })
    .orderByRaw(ORDER.sql)
    .limit(PAGE_SIZE)
    .offset(offset)
    .pluck("id");
  const entries = (await findEntriesAt(db, kind, ids, at)).map((entry) => ({
    ...entry,
    shown: entry.attributes,
  }));
  const said = listReferences(
    entries.map(({ shown }) => shown),
    locale.vocabulary,
    NAMED_IN_LINE,
  );
  const named = await lookUpEntries(db, said, locale.everyKind);
  const traits = wholeTraits(facets);
  const columns = chooseColumns({}, facets, locale.vocabulary, traits);
  const view = { q: "", category };
  const shown = { columns, sorts: [], sort: "name", canSort: false, traits, view } as const;
  const { t, format, paths: local } = locale;
  const title = t(`kinds.${kind}.many`);
  const { heads, ...table } = listTable(entries, shown, { ...locale, entries: named });
  const unsorted = <Head extends object>(head: Head | undefined) => head && { ...head, sort: undefined };
  const here = { at: at.toISOString(), category, letter };
  const url = (changes: Partial<typeof here> & { page?: number }) =>
    withQuery(local.catalogue(kind), { ...here, ...changes });
  const head = {
    title: t("catalogue.past.title", { title, time: format.time(at) }),
    canonical: paths.catalogue(kind),
    noindex: true,
    styles: ["catalogue/catalogue"],
    dependsOn: ["catalogue"] as const,
  };
  await renderPage(req, res, "catalogue/past-list", head, {
    kind,
    name: title,
    category,
    letter,
    past: { at, nowUrl: local.catalogue(kind) },
    countText: t(`kinds.${kind}.count`, { count, figure: format.number(count) + (atLeast ? "+" : "") }),
    categories: inNameOrder(facets.categories, locale.categoryName),
    letters: letterSteps({ counts: [], atLeast: true }, letter, locale),
    isNarrowedBesidesLetter: false,
    listUrl: url,
    table: {
      ...table,
      heads: { ...heads, popularity: unsorted(heads.popularity), changed: unsorted(heads.changed) },
    },
    pagination,
    entryUrl: (id: string) => withQuery(local.entry(kind, id), { at: here.at }),
    sortUrl: () => url({}),
  });
}
