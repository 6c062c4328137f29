import { type Request, type RequestHandler, type Response, Router } from "express";
import type { Knex } from "knex";
import { snapshotFor } from "../http/answer-build.ts";
import type { AppConfig } from "../http/context.ts";
import { problemHandler } from "../http/errors.ts";
import { mountReadOnly } from "../http/methods.ts";
import type { Site } from "../http/page.ts";
import { sendBody } from "../http/send.ts";
import { FALLBACK } from "../i18n/languages.ts";
import { shownDescription } from "../i18n/shown-description.ts";
import { type FeedKind, kindsWith } from "../kinds/kinds.ts";
import { discountsChangedAt, listActiveDiscounts } from "../prices/queries.ts";
import { paths } from "../urls.ts";
import { buildDiscountsFeed, buildKindFeed, type FeedReader, type FeedSite } from "./build-feed.ts";
import { type FeedEntry, listNewestChanges } from "./queries.ts";

const CHANGES = 50;
const ANSWER = {
  type: "application/rss+xml; charset=utf-8",
  // Feed readers poll often; a minute lets a proxy answer many of them and delays no entry for longer.
  cacheControl: "public, max-age=60, must-revalidate",
};

/** The parts of the site that feeds need. */
interface FeedContext {
  readonly config: Pick<AppConfig, "siteName" | "baseUrl" | "imageHosts">;
  readonly db: Knex;
}

/** `/items.rss` and those of other kinds, and `/discounts.rss`. They read no credentials and set no cookie. */
export function feedRoutes(context: FeedContext): Router {
  const router = Router({ caseSensitive: true });
  for (const kind of kindsWith("hasFeed"))
    mountReadOnly(router, paths.feed(kind), showKindFeed(context, kind));
  mountReadOnly(router, paths.discountsFeed(), showDiscountsFeed(context));
  router.use(problemHandler(context.config.baseUrl));
  return router;
}

function showKindFeed({ db, config }: FeedContext, kind: FeedKind): RequestHandler {
  const site = siteOf(config);
  return async (req, res) => {
    const entries = await listNewestChanges(db, kind, CHANGES);
    const reader = readerOf(req, res);
    const body = buildKindFeed(
      site,
      reader,
      kind,
      entries.map((entry) => inLanguage(entry, reader, req.site)),
    );
    await sendBody(req, res, {
      ...ANSWER,
      changesWith: ["catalogue"],
      body,
      lastModified: entries[0]?.updated_at,
    });
  };
}

/** An entry with its texts for readers of one language. */
function inLanguage(entry: FeedEntry, { language }: FeedReader, site: Pick<Site, "category">): FeedEntry {
  const category = entry.category === null ? null : site.category(entry.category, language).text;
  return { ...entry, category, description: shownDescription(entry, language).text };
}

function showDiscountsFeed({ db: database, config }: FeedContext): RequestHandler {
  const site = siteOf(config);
  return async (req, res) => {
    const db = await snapshotFor(req, database);
    // In this order: a discount that begins in between makes Last-Modified too old, so the next request gets no 304.
    const changedAt = await discountsChangedAt(db);
    const discounts = await listActiveDiscounts(db);
    const body = buildDiscountsFeed(site, readerOf(req, res), discounts, changedAt);
    await sendBody(req, res, {
      ...ANSWER,
      changesWith: ["shop"],
      body,
      lastModified: changedAt ?? undefined,
    });
  };
}

function siteOf({ siteName, baseUrl, imageHosts }: FeedContext["config"]): FeedSite {
  return { name: siteName, baseUrl, imageHosts };
}

/** From the path only, so that an address gives the same feed to every machine that fetches it. */
function readerOf({ pathLanguage }: Request, res: Response): FeedReader {
  const language = pathLanguage ?? FALLBACK;
  res.set("Content-Language", language);
  return { language, prefix: pathLanguage === undefined ? "" : `/${pathLanguage}` };
}
