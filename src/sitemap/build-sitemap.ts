import { Readable, Transform } from "node:stream";
import { text } from "node:stream/consumers";
import { ErrorLevel, SitemapIndexStream, SitemapStream } from "sitemap";
import { CATALOGUE_KINDS } from "../catalogue/kinds.ts";
import { absoluteUrl, paths } from "../urls.ts";

/** Kinds of records with a page each, in the order of the sitemap; each is a child of the index. */
export const SITEMAP_KINDS = [...CATALOGUE_KINDS, "servers", "donate"] as const;
export type SitemapKind = (typeof SITEMAP_KINDS)[number];

/** The child that holds the pages that are no record's. */
export const SITE_PAGES = "pages";

/** One page of the site; `lastmod` is left out where nothing tells when the page changed. */
export interface SitemapUrl {
  path: string;
  lastmod?: Date | undefined;
}

/** Search engines come when they like; a minute's delay is nothing to them, and a proxy may answer a burst. */
export const SITEMAP_CACHE_CONTROL = "public, max-age=60, must-revalidate";

export const SITEMAP_TYPE = "application/xml; charset=utf-8";

/** How much one file holds. */
export interface SitemapLimits {
  /** URLs of one file, as the protocol has it. */
  urls: number;
  /** Bytes of one file before compression. The protocol says 50 MB; of its two readings this is the smaller one. */
  bytes: number;
  /** URLs of a child when its borders are drawn, chosen so that the longest URLs of all stay within `bytes`. */
  pageUrls: number;
  /** URLs to which a child may grow, by records added between its borders, before new borders are drawn. */
  grownPageUrls: number;
}

/** https://www.sitemaps.org/protocol.html. A URL with its tags takes 2,112 bytes at most: 23,000 are 49 MB. */
export const SITEMAP_LIMITS: SitemapLimits = {
  urls: 50_000,
  bytes: 50_000_000,
  pageUrls: 20_000,
  grownPageUrls: 23_000,
};

/** "Your URL must be less than 2,048 characters." */
const MAX_URL_LENGTH = 2_047;

const ENTRY_BYTES = "<url><loc></loc><lastmod>2026-11-21T14:05:00.000Z</lastmod></url>".length;
const FRAME_BYTES =
  '<?xml version="1.0" encoding="UTF-8"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"></urlset>'
    .length;

const CHUNK_CHARACTERS = 64 * 1024;

/** The pages that are no record's; `newest` is when the newest record of each kind changed, if there is one. */
export function sitePages(newest: Record<SitemapKind, Date | undefined>): SitemapUrl[] {
  return [
    { path: paths.home(), lastmod: latest(Object.values(newest)) },
    ...CATALOGUE_KINDS.map((kind) => ({ path: paths.catalogue(kind), lastmod: newest[kind] })),
    { path: paths.servers(), lastmod: newest.servers },
    { path: paths.donate(), lastmod: newest.donate },
    { path: paths.nicknames() },
    { path: paths.apiDocs() },
  ];
}

/** The path of a record's page. */
export function recordPath(kind: SitemapKind, id: string): string {
  if (kind === "servers") return paths.server(id);
  if (kind === "donate") return paths.donateItem(id);
  return paths.entry(kind, id);
}

/** UTF-8 bytes that an id may have so that its URL, with each of them percent-encoded, is never too long to list. */
export function maxIdBytes(baseUrl: string): number {
  const longestPrefix = Math.max(...SITEMAP_KINDS.map((kind) => recordPath(kind, "").length));
  return Math.floor((MAX_URL_LENGTH - baseUrl.length - longestPrefix) / 3);
}

/** Bytes of a urlset before compression: exact, but that every URL counts as one with a `lastmod`. */
export function urlsetBytes(
  baseUrl: string,
  pages: SitemapUrl[],
  records: { kind: SitemapKind; count: number; idCharacters: number }[],
): number {
  const ofPages = pages.map(({ path }) => ENTRY_BYTES + absoluteUrl(baseUrl, path).length);
  const ofRecords = records.map(({ kind, count, idCharacters }) => {
    const beforeId = absoluteUrl(baseUrl, recordPath(kind, "")).length;
    return count * (ENTRY_BYTES + beforeId) + idCharacters;
  });
  return [FRAME_BYTES, ...ofPages, ...ofRecords].reduce((sum, bytes) => sum + bytes);
}

/** Turns objects of `SitemapUrl` into the text of a urlset, in pieces worth compressing and sending. */
export function urlsetStreams(baseUrl: string): [Transform, Transform, Transform] {
  const toLibraryItem = new Transform({
    objectMode: true,
    transform: ({ path, lastmod }: SitemapUrl, _encoding, done) => {
      done(null, { url: absoluteUrl(baseUrl, path), lastmod: lastmod?.toISOString() });
    },
  });
  const xmlns = { news: false, video: false, xhtml: false, image: false };
  return [toLibraryItem, new SitemapStream({ xmlns, level: ErrorLevel.THROW }), joinChunks()];
}

/** The text of a sitemap index. */
export async function buildSitemapIndex(baseUrl: string, children: SitemapUrl[]): Promise<string> {
  const items = children.map(({ path, lastmod }) => ({
    url: absoluteUrl(baseUrl, path),
    lastmod: lastmod?.toISOString(),
  }));
  return text(Readable.from(items).pipe(new SitemapIndexStream({ level: ErrorLevel.THROW })));
}

/** The latest of some times; undefined when there is none. */
export function latest(times: (Date | null | undefined)[]): Date | undefined {
  const known = times.filter((time) => time instanceof Date);
  return known.length === 0 ? undefined : new Date(Math.max(...known.map(Number)));
}

/** The library emits every tag by itself: as many writes to a socket would cost more than all the rest. */
function joinChunks(): Transform {
  let pending = "";
  const take = () => {
    const taken = pending;
    pending = "";
    return taken;
  };
  return new Transform({
    writableObjectMode: true,
    transform: (piece: string, _encoding, done) => {
      pending += piece;
      if (pending.length < CHUNK_CHARACTERS) done();
      else done(null, take());
    },
    flush: (done) => done(null, take()),
  });
}
