import { type RequestHandler, Router } from "express";
import type { Knex } from "knex";
import { z } from "zod";
import { hasLateWrites } from "../../db/late-writes.ts";
import { discountsChangedAt, listActiveDiscounts } from "../../records/prices/queries.ts";
import { snapshotFor } from "../../web/answers/answer-scope.ts";
import type { AppConfig } from "../../web/pages/context.ts";
import { parseInput } from "../../web/request/input.ts";
import { text } from "../../web/request/params.ts";
import { openToAnyOrigin } from "../../web/server/cross-origin.ts";
import { mountReadOnly } from "../../web/server/methods.ts";
import { paths } from "../../words/urls.ts";
import { buildDiscountsFeed } from "./discounts-feed.ts";
import { FEED_FORMATS, type FeedFormat } from "./document.ts";
import { readFeedLocale, sendFeed } from "./send-feed.ts";

/** The parts of the site that feeds need. */
export interface FeedContext {
  readonly config: Pick<AppConfig, "siteName" | "baseUrl" | "imageHosts">;
  readonly db: Knex;
}

export const feedInput = z.object({ category: text(1, 300).optional() });

/** `/discounts.rss` and the other formats. They read no credentials and set no cookie. */
export function discountFeedRoutes(context: FeedContext): Router {
  const router = Router({ caseSensitive: true });
  router.use(
    FEED_FORMATS.map((format) => paths.discountsFeed(format)),
    openToAnyOrigin,
  );
  for (const format of FEED_FORMATS)
    mountReadOnly(router, paths.discountsFeed(format), showDiscountsFeed(context, format));
  return router;
}

function showDiscountsFeed({ db: database, config }: FeedContext, format: FeedFormat): RequestHandler {
  const { siteName, baseUrl, imageHosts } = config;
  return async (req, res) => {
    const { category: word } = parseInput(feedInput, req);
    const isUnsettled = await hasLateWrites(database);
    const db = await snapshotFor(req, database);
    // In this order, because a discount that begins in between makes Last-Modified too old, so the next request gets no
    // 304.
    const changedAt = await discountsChangedAt(db);
    const discounts = await listActiveDiscounts(db);
    const reader = readFeedLocale(req, res);
    const shown = (category: string) => req.site.category(category, reader.language).text;
    const feed = buildDiscountsFeed(
      { name: siteName, baseUrl, imageHosts },
      reader,
      discounts
        .filter(({ item_category }) => word === undefined || item_category === word)
        .map((discount) => {
          const { item_category } = discount;
          return { ...discount, item_category: item_category === null ? null : shown(item_category) };
        }),
      changedAt,
      word === undefined ? undefined : { word, shown: shown(word) },
    );
    const { wordsChangedAt } = req.site;
    await sendFeed(req, res, { format, siteName, dependsOn: ["shop"], isUnsettled, wordsChangedAt }, feed);
  };
}
