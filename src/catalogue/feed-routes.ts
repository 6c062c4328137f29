import { type Request, type RequestHandler, type Response, Router } from "express";
import { z } from "zod";
import type { Db } from "../db/connect.ts";
import { hasLateWrites } from "../db/late-writes.ts";
import { FEED_FORMATS, type FeedFormat } from "../discovery/feeds/document.ts";
import { discountFeedRoutes, type FeedContext } from "../discovery/feeds/routes.ts";
import { type FeedLocale, readFeedLocale, sendFeed } from "../discovery/feeds/send-feed.ts";
import { lookUpEntries } from "../records/relations/named-entries.ts";
import type { Site } from "../web/http/site.ts";
import { notFound, problemHandler } from "../web/pages/errors.ts";
import { formatFor } from "../web/request/format.ts";
import { parseInput } from "../web/request/input.ts";
import { text } from "../web/request/params.ts";
import { openToAnyOrigin } from "../web/server/cors.ts";
import { mountReadOnly } from "../web/server/methods.ts";
import { zodMessage } from "../words/i18n/lazy-text.ts";
import { translate } from "../words/i18n/translate.ts";
import { isHidden } from "../words/kinds/hidden-sections.ts";
import { type FeedKind, kindsWith } from "../words/kinds/kinds.ts";
import { paths } from "../words/urls.ts";
import { NAMED_ON_ENTRY } from "./attributes.ts";
import { buildKindFeed } from "./feed.ts";
import { type FeedEntry, isPagePlace, listNewestChanges, listOlderChanges } from "./feed-queries.ts";
import { listReferences } from "./linked-values.ts";

export const kindFeedInput = z.object({
  category: text(1, 300).optional(),
  from: text(1, 220).refine(isPagePlace, zodMessage("input.feed_page")).optional(),
});

/** `/items.rss`, those of other kinds and that of discounts, in every format. They read no credentials and set no cookie. */
export function feedRoutes(context: FeedContext): Router {
  const router = Router({ caseSensitive: true });
  for (const kind of kindsWith("hasFeed")) {
    for (const format of FEED_FORMATS) {
      router.use(paths.feed(kind, format), openToAnyOrigin);
      mountReadOnly(router, paths.feed(kind, format), showKindFeed(context, kind, format));
    }
  }
  if (!isHidden("discounts")) router.use(discountFeedRoutes(context));
  router.use(problemHandler(context.config.baseUrl));
  return router;
}

function showKindFeed({ db, config }: FeedContext, kind: FeedKind, format: FeedFormat): RequestHandler {
  const { siteName, baseUrl, imageHosts } = config;
  const site = { name: siteName, baseUrl, imageHosts };
  return async (req: Request, res: Response) => {
    const { category, from } = parseInput(kindFeedInput, req);
    const isUnsettled = await hasLateWrites(db);
    const page = await (from === undefined
      ? listNewestChanges(db, kind, { category })
      : listOlderChanges(db, kind, from, { category }));
    // A feed that is empty for now is one to wait for; a category that nothing has, or a page past the end, is not.
    if (page.entries.length === 0 && (category ?? from) !== undefined) throw notFound("feed");
    const reader = readFeedLocale(req, res);
    const words = await wordsFor(db, kind, reader, page.entries, req.site);
    const feed = buildKindFeed(site, reader, { kind, category, from }, page, words);
    const wordsChangedAt = latest(req.site.wordsChangedAt, words.entries.changedAt);
    await sendFeed(
      req,
      res,
      { format, siteName, changesWith: ["catalogue"], isUnsettled, wordsChangedAt },
      feed,
    );
  };
}

function latest(...times: (Date | undefined)[]): Date | undefined {
  return times.filter((time) => time !== undefined).sort((a, b) => Number(b) - Number(a))[0];
}

/** The words for changes, and the entries that changed values refer to: one more statement, if there are any. */
async function wordsFor(
  db: Db,
  kind: FeedKind,
  { language }: FeedLocale,
  entries: FeedEntry[],
  site: Pick<Site, "vocabulary" | "category">,
) {
  const vocabulary = site.vocabulary.of(kind);
  const changed = entries.flatMap(({ attributes, last }) => {
    const before = (last?.before.attributes ?? {}) as Record<string, unknown>;
    const now = Object.entries(attributes).filter(([key]) => Object.hasOwn(before, key));
    return [before, Object.fromEntries(now)];
  });
  return {
    language,
    t: translate(language),
    format: formatFor(language),
    vocabulary,
    categoryName: (category: string) => site.category(category, language).text,
    entries: await lookUpEntries(db, listReferences(changed, vocabulary, NAMED_ON_ENTRY), site.vocabulary),
  };
}
