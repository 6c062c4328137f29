import { listAlternates } from "../../web/request/locale.ts";
import { absoluteUrl } from "../../words/urls.ts";
import { recordPath, type SitemapKind, type SitemapUrl, sitemapKinds } from "./build-sitemap.ts";

export interface SitemapLimits {
  /** The maximum number of pages in a file. The protocol limits URLs, and each page has one in every language. */
  urls: number;
  /**
   * The maximum number of bytes in a file before compression. The protocol's 50 MB can be read in two ways; this is the
   * smaller.
   */
  bytes: number;
  /** Pages of a child when its borders are computed. Even with the longest URLs it stays within `bytes`. */
  pageUrls: number;
  /** How many pages a child may grow to before new borders are computed. */
  grownPageUrls: number;
}

/** "Your URL must be less than 2,048 characters." */
const MAX_URL_LENGTH = 2_047;

/** Length of each alternate's language prefix, which may be empty. */
const PREFIXES = listAlternates("/-").map(({ language, path }) => ({ language, length: path.length - 2 }));

/** The addresses of a page: each is a URL, and each URL lists all of them. */
const ADDRESSES = PREFIXES.length;

/** The size of one URL, without the addresses in it. */
const ENTRY_BYTES =
  "<url><loc></loc><lastmod>2026-11-21T14:05:00.000Z</lastmod></url>".length +
  PREFIXES.map(
    ({ language }) => `<xhtml:link rel="alternate" hreflang="${language}" href=""/>`.length,
  ).reduce((sum, length) => sum + length);
const FRAME_BYTES =
  '<?xml version="1.0" encoding="UTF-8"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml"></urlset>'
    .length;
/** An apostrophe is not escaped in a URL and in `<loc>`, but becomes `&apos;` in an attribute. */
const MORE_PER_APOSTROPHE = "&apos;".length - 1;

const BYTES = 50_000_000;
/** The maximum bytes of one page: its URLs and their alternates at full length. */
const LONGEST_ENTRY = ADDRESSES * (ENTRY_BYTES + (1 + ADDRESSES) * MAX_URL_LENGTH);
const GROWN_PAGE_URLS = Math.floor(BYTES / LONGEST_ENTRY);

/** https://www.sitemaps.org/protocol.html */
export const SITEMAP_LIMITS: SitemapLimits = {
  urls: Math.floor(50_000 / ADDRESSES),
  bytes: BYTES,
  pageUrls: Math.floor(GROWN_PAGE_URLS * 0.87),
  grownPageUrls: GROWN_PAGE_URLS,
};

/**
 * The most UTF-8 bytes of an id whose URLs in every language, with each byte percent-encoded, are not too long to list.
 * An apostrophe counts as two bytes, because it takes as much space.
 */
export function maxIdBytes(baseUrl: string): number {
  const longestPath = Math.max(...sitemapKinds().map((kind) => recordPath(kind, "").length));
  const longestPrefix = Math.max(...PREFIXES.map(({ length }) => length));
  return Math.floor((MAX_URL_LENGTH - baseUrl.length - longestPrefix - longestPath) / 3);
}

/**
 * Bytes of a urlset before compression. It is exact, except that every URL counts as having a `lastmod`, and escapes in
 * ids (see `entryId`) do not count.
 */
export function urlsetBytes(
  baseUrl: string,
  pages: SitemapUrl[],
  records: { kind: SitemapKind; count: number; idCharacters: number; apostrophes: number }[],
): number {
  const ofPages = pages.map(({ path }) => pageBytes(baseUrl, path));
  const ofRecords = records.map(({ kind, count, idCharacters, apostrophes }) => {
    const beforeIds = count * pageBytes(baseUrl, recordPath(kind, ""));
    const inLinks = ADDRESSES * ADDRESSES;
    const ofIds = (ADDRESSES + inLinks) * idCharacters + inLinks * MORE_PER_APOSTROPHE * apostrophes;
    return beforeIds + ofIds;
  });
  return [FRAME_BYTES, ...ofPages, ...ofRecords].reduce((sum, bytes) => sum + bytes);
}

/** Bytes of all URLs of a page: each address is in a URL of its own, and in the links of all of them. */
function pageBytes(baseUrl: string, path: string): number {
  const lengths = listAlternates(path).map((alternate) => absoluteUrl(baseUrl, alternate.path).length);
  return ADDRESSES * ENTRY_BYTES + (1 + ADDRESSES) * lengths.reduce((sum, length) => sum + length);
}

const LIFETIME_MS = 3_600_000;

/**
 * Caches the first ids of the child sitemaps of a kind, which `draw` reads; concurrent callers share one call. A
 * crawler reads the index and then its children one by one. Records added or removed meanwhile must not move others to
 * another child, where it would miss them.
 */
export function createBorders(draw: (kind: SitemapKind) => Promise<string[]>) {
  const remembered = new Map<SitemapKind, { drawnAt: number; borders: Promise<string[]> }>();
  const renew = (kind: SitemapKind) => {
    const drawn = { drawnAt: Date.now(), borders: draw(kind) };
    remembered.set(kind, drawn);
    drawn.borders.catch(() => remembered.delete(kind));
    return drawn.borders;
  };
  return {
    /** The cached borders, refreshed if they are missing or too old. */
    of: (kind: SitemapKind) => {
      const known = remembered.get(kind);
      return known && Date.now() - known.drawnAt < LIFETIME_MS ? known.borders : renew(kind);
    },
    /** Computes new borders after a page has grown too large. */
    renew,
  };
}
