import { type Request, type RequestHandler, type Response, Router } from "express";
import type { Knex } from "knex";
import type { AppConfig } from "../http/context.ts";
import { problemHandler } from "../http/errors.ts";
import { mountReadOnly } from "../http/methods.ts";
import { sendBody } from "../http/send.ts";
import { FALLBACK } from "../i18n/languages.ts";
import { FEED_KINDS, type FeedKind } from "../kinds/kinds.ts";
import { discountsChangedAt, listActiveDiscounts } from "../prices/queries.ts";
import { paths } from "../urls.ts";
import { buildDiscountsFeed, buildKindFeed, type FeedReader } from "./build-feed.ts";
import { listNewestChanges } from "./queries.ts";

const CHANGES = 50;
const ANSWER = {
  type: "application/rss+xml; charset=utf-8",
  // Readers ask often; a minute lets a proxy answer a crowd of them, and no entry is late by more than that.
  cacheControl: "public, max-age=60, must-revalidate",
};

/** What the feeds need of the site, and no more. */
interface FeedContext {
  readonly config: Pick<AppConfig, "siteName" | "baseUrl">;
  readonly db: Knex;
}

/** `/items.rss`, likewise of other kinds that have a feed, and `/discounts.rss`. They look at no credentials and set no cookie. */
export function feedRoutes(context: FeedContext): Router {
  const router = Router({ caseSensitive: true });
  for (const kind of FEED_KINDS) mountReadOnly(router, paths.feed(kind), showKindFeed(context, kind));
  mountReadOnly(router, paths.discountsFeed(), showDiscountsFeed(context));
  router.use(problemHandler(context.config.baseUrl));
  return router;
}

function showKindFeed({ db, config }: FeedContext, kind: FeedKind): RequestHandler {
  const site = { name: config.siteName, baseUrl: config.baseUrl };
  return async (req, res) => {
    const entries = await listNewestChanges(db, kind, CHANGES);
    const body = buildKindFeed(site, readerOf(req, res), kind, entries);
    await sendBody(req, res, { ...ANSWER, body, lastModified: entries[0]?.updated_at });
  };
}

function showDiscountsFeed({ db, config }: FeedContext): RequestHandler {
  const site = { name: config.siteName, baseUrl: config.baseUrl };
  return async (req, res) => {
    // In this order: a discount that begins in between makes Last-Modified too old, so the next request is answered.
    const changedAt = await discountsChangedAt(db);
    const discounts = await listActiveDiscounts(db);
    const body = buildDiscountsFeed(site, readerOf(req, res), discounts, changedAt);
    await sendBody(req, res, { ...ANSWER, body, lastModified: changedAt ?? undefined });
  };
}

/** By the path alone: who subscribed to an address gets the same feed from every machine that fetches it. */
function readerOf({ pathLanguage }: Request, res: Response): FeedReader {
  const language = pathLanguage ?? FALLBACK;
  res.set("Content-Language", language);
  return { language, prefix: pathLanguage === undefined ? "" : `/${pathLanguage}` };
}
