import ejs from "ejs";
import { type Request, type RequestHandler, type Response, Router } from "express";
import { z } from "zod";
import type { Db } from "../db/connect.ts";
import { hasLateWrites } from "../db/late-writes.ts";
import { type FeedSite, paragraphs } from "../discovery/feeds/discounts-feed.ts";
import {
  byFormat,
  type Entry as DocumentEntry,
  FEED_FORMATS,
  type FeedDocument,
  type FeedFormat,
} from "../discovery/feeds/document.ts";
import { discountFeedRoutes, type FeedContext } from "../discovery/feeds/routes.ts";
import { type FeedLocale, readFeedLocale, sendFeed } from "../discovery/feeds/send-feed.ts";
import { tagUri } from "../discovery/feeds/tag-uri.ts";
import { chooseSharedPicture } from "../records/picture.ts";
import { lookUpEntries } from "../records/relations/named-entries.ts";
import type { Site } from "../web/look/site.ts";
import { notFound, problemHandler } from "../web/pages/errors.ts";
import { formatFor } from "../web/request/format.ts";
import { parseInput } from "../web/request/input.ts";
import type { Locale } from "../web/request/locale.ts";
import { text } from "../web/request/params.ts";
import { openToAnyOrigin } from "../web/server/cross-origin.ts";
import { mountReadOnly } from "../web/server/methods.ts";
import { zodMessage } from "../words/i18n/lazy-text.ts";
import { localName } from "../words/i18n/local-name.ts";
import { shownDescription } from "../words/i18n/shown-description.ts";
import { translate } from "../words/i18n/translate.ts";
import { isHidden } from "../words/kinds/hidden-sections.ts";
import { type CatalogueKind, kindsWith } from "../words/kinds/kinds.ts";
import { excerptHtml } from "../words/text/prose.ts";
import { localPaths, paths, withQuery } from "../words/urls.ts";
import { NAMED_ON_ENTRY, withKindWords } from "./attributes.ts";
import { type ChangeLine, describeHistory, type HistoryWords } from "./entry/history.ts";
import {
  type FeedEntry,
  type FeedPage,
  isPagePlace,
  lastChangeText,
  listNewestChanges,
  listOlderChanges,
} from "./feed-queries.ts";
import { listReferences } from "./linked-values.ts";
import { showChangesFeed } from "./past/changes-feed.ts";

/** A kind's feed: of all of it, or of a category; `from` is the start of a page of older changes. */
interface FeedScope {
  readonly kind: CatalogueKind;
  readonly category?: string | undefined;
  readonly from?: string | undefined;
}

type Words = HistoryWords & Pick<Locale, "t" | "format" | "language">;

interface Writing {
  readonly site: FeedSite;
  readonly reader: FeedLocale;
  readonly scope: FeedScope;
  readonly words: Words;
}

const EXCERPT_CHARACTERS = 300;
/** In characters: where either side of a change is longer, the feed says only that it changed. */
const LONGEST_SIDE = 200;
/** Changes that an entry lists. */
const LINES = 20;

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
  for (const format of FEED_FORMATS) {
    router.use(paths.changesFeed(format), openToAnyOrigin);
    mountReadOnly(router, paths.changesFeed(format), showChangesFeed(context, format));
  }
  if (!isHidden("discounts")) router.use(discountFeedRoutes(context));
  router.use(problemHandler(context.config.baseUrl));
  return router;
}

function showKindFeed({ db, config }: FeedContext, kind: CatalogueKind, format: FeedFormat): RequestHandler {
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
      { format, siteName, dependsOn: ["catalogue"], isUnsettled, wordsChangedAt },
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
  kind: CatalogueKind,
  { language }: FeedLocale,
  entries: FeedEntry[],
  site: Pick<Site, "vocabulary" | "category">,
) {
  const locale = { language, t: translate(language), format: formatFor(language) };
  const words = withKindWords(locale, site, kind);
  const changed = entries.flatMap(({ attributes, last }) => {
    const before = (last?.before.attributes ?? {}) as Record<string, unknown>;
    const now = Object.entries(attributes).filter(([key]) => Object.hasOwn(before, key));
    return [before, Object.fromEntries(now)];
  });
  const named = listReferences(changed, words.vocabulary, NAMED_ON_ENTRY);
  return { ...words, entries: await lookUpEntries(db, named, words.everyKind) };
}

/** The feed of a kind's additions, changes and removals, in the given order. Times are in UTC. */
export function buildKindFeed(
  site: FeedSite,
  reader: FeedLocale,
  scope: FeedScope,
  { entries, older }: FeedPage,
  words: Words,
): FeedDocument {
  const { kind, category, from } = scope;
  const { t } = words;
  const paths = localPaths(reader.prefix);
  const title = t(`kinds.${kind}.feed.title`, { site: site.name });
  const inCategory =
    category === undefined
      ? title
      : t("feeds.in_category", { title, category: words.categoryName(category) });
  const writing = { site, reader, scope, words };
  return {
    channel: {
      baseUrl: site.baseUrl,
      id: createTag(writing),
      language: reader.language,
      title: inCategory,
      description: t(`kinds.${kind}.feed.description`),
      path: withQuery(paths.catalogue(kind), { category }),
      selfPaths: byFormat((format) => paths.feed(kind, format, { category, from })),
      changedAt: entries[0]?.updated_at ?? null,
      minutes: 60,
      olderPaths:
        older === undefined
          ? undefined
          : byFormat((format) => paths.feed(kind, format, { category, from: older })),
      currentPaths:
        from === undefined ? undefined : byFormat((format) => paths.feed(kind, format, { category })),
    },
    entries: entries.map((entry) => renderChange(entry, writing)),
  };
}

function renderChange(entry: FeedEntry, writing: Writing): DocumentEntry {
  const { site, reader, scope, words } = writing;
  const { t } = words;
  const category = entry.category === null ? null : words.categoryName(entry.category);
  const what = whatHappened(entry, words);
  const facts = category === null ? what : `${what} ${t("feeds.items.category", { category })}`;
  const description = shownDescription(entry, words.language).text ?? "";
  return {
    title: renderTitle(entry, words),
    path: localPaths(reader.prefix).entry(scope.kind, entry.id),
    // Uses the time of the change, not the revision's number. A record that comes back after a truncate starts at 1
    // again, and feed readers would take it for a known one.
    guid: createTag(writing, entry.id, entry.updated_at.toISOString()),
    date: entry.updated_at,
    category,
    html: paragraphs([facts]) + changesHtml(entry, words) + excerptHtml(description, EXCERPT_CHARACTERS),
    // The site keeps no pictures of what is gone.
    picture: entry.is_removed ? undefined : chooseSharedPicture(entry, site),
  };
}

/** Another one for each site, language, kind and category. */
function createTag({ site, reader, scope: { kind, category } }: Writing, ...parts: string[]): string {
  const feed = category === undefined ? [kind] : [kind, "in", category];
  return tagUri(site.baseUrl, reader.prefix, ...feed, ...parts);
}

/** The name, with what changed where that is short. */
function renderTitle(entry: FeedEntry, words: Words): string {
  const { name } = localName(entry, words.language);
  if (entry.is_removed) return words.t("feeds.items.removed_title", { name });
  const change = lastChangeText(entry, words);
  return change === undefined ? name : words.t("feeds.items.changed_title", { name, change });
}

function whatHappened({ is_removed, revision, updated_at }: FeedEntry, { t, format }: Words): string {
  const time = format.time(updated_at);
  if (is_removed) return t("feeds.items.removed", { time });
  return revision === 1 ? t("feeds.items.added", { time }) : t("feeds.items.updated", { time });
}

/** The changes as a list; empty for an added or removed entry. */
function changesHtml(entry: FeedEntry, words: Words): string {
  const [change] = entry.last === null ? [] : describeHistory(entry, [entry.last], words).changes;
  const texts = (change?.lines ?? []).map((line) => changeText(line, words));
  const more = texts.length - LINES;
  if (more > 0) texts.splice(LINES, more, words.t("home.newest.more_changes", { count: more }));
  if (texts.length === 0) return "";
  return `<ul>${texts.map((text) => `<li>${ejs.escapeXML(text)}</li>`).join("")}</ul>`;
}

function changeText({ label, before, after, prose, note }: ChangeLine, { t }: Words): string {
  if (note !== undefined) return t("feeds.items.change.noted", { label, note });
  if (prose || [before, after].some((side) => side !== undefined && side.length > LONGEST_SIDE))
    return t("feeds.items.change.reworded", { label });
  if (before === undefined) return t("feeds.items.change.added", { label, value: after ?? "" });
  if (after === undefined) return t("feeds.items.change.removed", { label, value: before });
  return t("home.newest.change", { label, before, after });
}
