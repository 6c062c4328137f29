import type { FeedLink } from "../../web/pages/page.ts";
import type { Locale } from "../../web/request/locale.ts";
import { isHidden } from "../../words/kinds/hidden-sections.ts";
import type { CatalogueKind } from "../../words/kinds/kinds.ts";
import { FEED_FORMATS, FEED_TYPES, type FeedFormat } from "./document.ts";

const FORMAT_NAMES: Record<FeedFormat, string> = { rss: "RSS", atom: "Atom", json: "JSON Feed" };

type Words = Pick<Locale, "t" | "paths">;

/** A category, with its word in the data and its label. */
interface FeedCategory {
  readonly word: string;
  readonly shown: string;
}

/** Links to the feeds of a kind, for the head of pages about it: first those of a category, in each format. */
export function kindFeedLinks(
  site: { readonly name: string },
  kind: CatalogueKind,
  { t, paths }: Words,
  category?: FeedCategory,
  formats: readonly FeedFormat[] = FEED_FORMATS,
): FeedLink[] {
  const title = t(`kinds.${kind}.feed.title`, { site: site.name });
  const ofCategory =
    category === undefined
      ? []
      : linksIn(formats, t("feeds.in_category", { title, category: category.shown }), (format) =>
          paths.feed(kind, format, { category: category.word }),
        );
  return [...ofCategory, ...linksIn(formats, title, (format) => paths.feed(kind, format))];
}

/** The same for the discounts of the shop; none if these are switched off. */
export function discountFeedLinks(
  site: { readonly name: string },
  { t, paths }: Words,
  category?: FeedCategory,
  formats: readonly FeedFormat[] = FEED_FORMATS,
): FeedLink[] {
  if (isHidden("discounts")) return [];
  const title = t("feeds.discounts.title", { site: site.name });
  const ofCategory =
    category === undefined
      ? []
      : linksIn(formats, t("feeds.in_category", { title, category: category.shown }), (format) =>
          paths.discountsFeed(format, category.word),
        );
  return [...ofCategory, ...linksIn(formats, title, (format) => paths.discountsFeed(format))];
}

/** The same for the feed of the days on which the catalogue changed. */
export function changesFeedLinks(site: { readonly name: string }, { t, paths }: Words): FeedLink[] {
  const title = t("catalogue.changes.feed", { site: site.name });
  return linksIn(FEED_FORMATS, title, (format) => paths.changesFeed(format));
}

function linksIn(
  formats: readonly FeedFormat[],
  title: string,
  path: (format: FeedFormat) => string,
): FeedLink[] {
  return formats.map((format) => {
    return { title: `${title} (${FORMAT_NAMES[format]})`, href: path(format), type: FEED_TYPES[format] };
  });
}
