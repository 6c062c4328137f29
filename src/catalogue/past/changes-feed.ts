import type { RequestHandler } from "express";
import { hasLateWrites } from "../../db/late-writes.ts";
import { paragraphs } from "../../discovery/feeds/discounts-feed.ts";
import { byFormat, type FeedFormat } from "../../discovery/feeds/document.ts";
import type { FeedContext } from "../../discovery/feeds/routes.ts";
import { readFeedLocale, sendFeed } from "../../discovery/feeds/send-feed.ts";
import { tagUri } from "../../discovery/feeds/tag-uri.ts";
import { snapshotFor } from "../../web/answers/answer-scope.ts";
import { type Format, formatFor } from "../../web/request/format.ts";
import { type Translate, translate } from "../../words/i18n/translate.ts";
import { catalogueKinds } from "../../words/kinds/kinds.ts";
import { endOfDay } from "../../words/text/time.ts";
import { localPaths, withQuery } from "../../words/urls.ts";
import { type ChangeCounts, countChangesByDay } from "./queries.ts";

const DAY_MS = 86_400_000;
const DAYS = 30;

/** `GET /changes.rss` and the other formats: each of the last days that is over and on which something changed. */
export function showChangesFeed({ db: database, config }: FeedContext, format: FeedFormat): RequestHandler {
  const { siteName, baseUrl } = config;
  return async (req, res) => {
    const isUnsettled = await hasLateWrites(database);
    const db = await snapshotFor(req, database);
    const reader = readFeedLocale(req, res);
    const [t, words, paths] = [
      translate(reader.language),
      formatFor(reader.language),
      localPaths(reader.prefix),
    ];
    const to = new Date(Date.now() - (Date.now() % DAY_MS));
    const from = new Date(to.getTime() - DAYS * DAY_MS);
    const lines = new Map<string, string[]>();
    for (const kind of catalogueKinds()) {
      for (const { day, ...counts } of await countChangesByDay(db, kind, { from, to })) {
        const line = `${t(`kinds.${kind}.many`)}: ${countsText(counts, t, words)}`;
        lines.set(day, [...(lines.get(day) ?? []), line]);
      }
    }
    const days = [...lines].sort(([a], [b]) => (a < b ? 1 : -1));
    const entries = days.map(([day, texts]) => ({
      title: t("catalogue.changes.day", { day: words.date(new Date(day)) }),
      path: withQuery(paths.changes(), { from: day, to: day }),
      guid: tagUri(baseUrl, reader.prefix, "changes", day),
      date: endOfDay(day) ?? to,
      category: null,
      html: paragraphs(texts),
      picture: undefined,
    }));
    const channel = {
      baseUrl,
      id: tagUri(baseUrl, reader.prefix, "changes"),
      language: reader.language,
      title: t("catalogue.changes.feed", { site: siteName }),
      description: t("catalogue.changes.description", { site: siteName }),
      path: paths.changes(),
      selfPaths: byFormat((each) => paths.changesFeed(each)),
      changedAt: entries[0]?.date ?? null,
      minutes: 60,
    };
    const { wordsChangedAt } = req.site;
    const sending = { format, siteName, dependsOn: ["catalogue"] as const, isUnsettled, wordsChangedAt };
    await sendFeed(req, res, sending, { channel, entries });
  };
}

/** `3 added, 5 changed, 1 removed`. */
export function countsText(counts: ChangeCounts, t: Translate, format: Pick<Format, "number">): string {
  const figures = Object.entries(counts).map(([what, count]) => [what, format.number(count)]);
  return t("catalogue.changes.counts", Object.fromEntries(figures));
}
