import type { Request, Response } from "express";
import { renderPage } from "../web/pages/page.ts";
import { localeOf } from "../web/request/locale.ts";
import { localName } from "../words/i18n/local-name.ts";
import type { CatalogueKind } from "../words/kinds/kinds.ts";
import type { CatalogueContext } from "./context.ts";
import { type EntrySummary, listAfterId, listByIds } from "./entry-queries.ts";

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
