import type { Request, Response } from "express";
import type { Db } from "../../db/connect.ts";
import { choosePicture } from "../../records/picture.ts";
import { lookUpEntries } from "../../records/relations/named-entries.ts";
import { textLanguage } from "../../records/text-language.ts";
import { renderPage } from "../../web/pages/page.ts";
import { localeOf } from "../../web/request/locale.ts";
import { localName } from "../../words/i18n/local-name.ts";
import { shownDescription } from "../../words/i18n/shown-description.ts";
import type { CatalogueKind } from "../../words/kinds/kinds.ts";
import { renderProse } from "../../words/text/prose.ts";
import { paths, withQuery } from "../../words/urls.ts";
import { attributeRows, NAMED_ON_ENTRY, withKindWords } from "../attributes.ts";
import type { CatalogueContext } from "../context.ts";
import { listReferences } from "../linked-values.ts";
import { describeNames } from "./entry.ts";
import { describeHistory } from "./history.ts";
import {
  type Entry,
  type EntrySummary,
  listAfterId,
  listByIds,
  listRevisions,
  type RemovedEntry,
} from "./queries.ts";

const NEAR = 8;

/** Answers 404 for an id that no entry has, with entries that may have been meant. */
export async function showMissing(
  context: CatalogueContext,
  kind: CatalogueKind,
  entryId: string,
  req: Request<{ id: string }>,
  res: Response,
): Promise<void> {
  // The search may have to wait, and must not hold a connection meanwhile.
  req.answerScope?.end();
  const { t, language, paths } = localeOf(req);
  const { entries, areMeant } = await findNear(context, kind, entryId);
  const title = t(`kinds.${kind}.missing`);
  await renderPage(
    req,
    res,
    "catalogue/missing",
    { title, status: 404, noindex: true, hasSearch: true },
    {
      kind,
      title,
      entryId,
      many: t(`kinds.${kind}.many`),
      all: t(`kinds.${kind}.all`),
      nearTitle: areMeant ? t("catalogue.missing.near") : t("catalogue.missing.others"),
      near: entries.map((entry) => ({ href: paths.entry(kind, entry.id), ...localName(entry, language) })),
    },
  );
}

/** Entries that may have been meant by an id: what a search for it finds, else the next ids. */
async function findNear(
  { db, search }: CatalogueContext,
  kind: CatalogueKind,
  id: string,
): Promise<{ entries: EntrySummary[]; areMeant: boolean }> {
  const found = await search.ids(kind, id, NEAR);
  const [likely, next] = await Promise.all([listByIds(db, kind, found), listAfterId(db, kind, id, NEAR)]);
  return likely.length > 0 ? { entries: likely, areMeant: true } : { entries: next, areMeant: false };
}

/**
 * Shows an entry as it was at a time. Without one it answers 410 for a removed entry, with its last state, so that links
 * to it stay useful.
 */
export async function showFormer(
  db: Db,
  kind: CatalogueKind,
  entry: Entry & Partial<RemovedEntry>,
  at: Date | undefined,
  req: Request<{ id: string }>,
  res: Response,
): Promise<void> {
  const locale = localeOf(req);
  const { t, language } = locale;
  const kindWords = withKindWords(locale, req.site, kind);
  const { vocabulary, everyKind } = kindWords;
  const kept = await listRevisions(db, kind, entry);
  const states = [
    entry.attributes,
    ...kept.map(({ before }) => (before.attributes ?? {}) as RemovedEntry["attributes"]),
  ];
  const entries = await lookUpEntries(db, listReferences(states, vocabulary, NAMED_ON_ENTRY), everyKind);
  const textLang = textLanguage(entry);
  const words = { ...kindWords, entries, textLang };
  const description = shownDescription(entry, language);
  const names = describeNames(entry, language);
  const head = {
    ...(at
      ? { title: t("catalogue.past.title", { title: names.shown.name, time: locale.format.time(at) }) }
      : { title: t("catalogue.removed.title", { name: names.shown.name }), status: 410 }),
    canonical: paths.entry(kind, entry.id),
    noindex: true,
    ...(at && { dependsOn: ["catalogue"] as const }),
    styles: ["catalogue/catalogue", "catalogue/entry"],
  };
  await renderPage(req, res, "catalogue/removed", head, {
    kind,
    kindWords: { one: t(`kinds.${kind}.one`), many: t(`kinds.${kind}.many`), all: t(`kinds.${kind}.all`) },
    entry,
    past: at && { at, nowUrl: locale.paths.entry(kind, entry.id) },
    listUrl: withQuery(locale.paths.catalogue(kind), { at: at?.toISOString() }),
    picture: at && choosePicture(entry, req.site.imageHosts),
    names,
    description: renderProse(description.text),
    descriptionLang: description.lang ?? textLang,
    attributes: attributeRows(entry.attributes, { ...words, owner: { kind, id: entry.id } }),
    history: describeHistory(entry, kept, words),
  });
}
