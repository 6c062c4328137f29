import type { RequestHandler } from "express";
import { snapshotFor } from "../web/answers/answer-scope.ts";
import type { BaseContext } from "../web/pages/context.ts";
import { renderPage } from "../web/pages/page.ts";
import { localeOf } from "../web/request/locale.ts";
import { localName } from "../words/i18n/local-name.ts";
import { absoluteUrl, paths } from "../words/urls.ts";
import { listNewestChanges } from "./feed-queries.ts";

const EXAMPLES = 3;

/** `GET /docs/cards`: how another site shows our cards. */
export function showCardDocs(context: BaseContext): RequestHandler {
  return async (req, res) => {
    const locale = localeOf(req);
    const { t, language } = locale;
    // Half of the newest changes at most are removals.
    const db = await snapshotFor(req, context.db);
    const { entries: changes } = await listNewestChanges(db, "items", { limit: 2 * EXAMPLES });
    const newest = changes.filter((change) => !change.is_removed).slice(0, EXAMPLES);
    const head = {
      title: t("docs.cards.title"),
      description: t("docs.cards.description", { site: req.site.name }),
      styles: ["exchange/docs"],
      changesWith: ["catalogue"] as const,
    };
    await renderPage(req, res, "catalogue/card-docs", head, {
      scriptUrl: absoluteUrl(req.site.baseUrl, paths.cardScript()),
      examples: newest.map((entry) => ({
        href: locale.paths.entry("items", entry.id),
        ...localName(entry, language),
      })),
    });
  };
}
