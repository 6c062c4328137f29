import { Readable, Transform } from "node:stream";
import { text } from "node:stream/consumers";
import type * as sitemap from "sitemap";
import { lazyPackage } from "../../settings/lazy-package.ts";
import { listAlternates } from "../../web/request/locale.ts";
import { isHidden } from "../../words/kinds/hidden-sections.ts";
import { type CatalogueKind, catalogueKinds, kindsWith } from "../../words/kinds/kinds.ts";
import { absoluteUrl, paths } from "../../words/urls.ts";

const loadSitemap = lazyPackage<typeof sitemap>("sitemap");

/** Kinds whose records have pages, in the order of the sitemap; each has its own children of the index. */
export function sitemapKinds(): SitemapKind[] {
  return [...catalogueKinds(), "servers", ...(isHidden("shop") ? [] : (["donate"] as const))];
}

export type SitemapKind = CatalogueKind | "servers" | "donate";

/** The child that lists the pages without a record. */
export const SITE_PAGES = "pages";

/** One page of the site; `lastmod` is left out if unknown. */
export interface SitemapUrl {
  path: string;
  lastmod?: Date | undefined;
}

/** A minute's delay does not matter to search engines, and lets a proxy serve a burst of requests. */
export const SITEMAP_CACHE_CONTROL = "public, max-age=60, must-revalidate";

/** The sources of its files (see `MadeAnswer`). */
export const SITEMAP_DEPENDS_ON = ["catalogue", "servers", "shop"] as const;

export const SITEMAP_TYPE = "application/xml; charset=utf-8";

const CHUNK_CHARACTERS = 64 * 1024;

/** The pages without a record; `newest` is the latest change of each kind's records, if it has any. */
export function sitePages(newest: Record<SitemapKind, Date | undefined>): SitemapUrl[] {
  return [
    { path: paths.home(), lastmod: latest(Object.values(newest)) },
    ...catalogueKinds().map((kind) => ({ path: paths.catalogue(kind), lastmod: newest[kind] })),
    ...kindsWith("isPlaced").map((kind) => ({ path: paths.map(kind), lastmod: newest[kind] })),
    { path: paths.servers(), lastmod: newest.servers },
    ...(isHidden("shop") ? [] : [{ path: paths.donate(), lastmod: newest.donate }]),
    ...(isHidden("nicknames") ? [] : [{ path: paths.nicknames() }]),
    { path: paths.apiDocs() },
  ];
}

/** The path of a record's page. */
export function recordPath(kind: SitemapKind, id: string): string {
  if (kind === "servers") return paths.server(id);
  if (kind === "donate") return paths.donateItem(id);
  return paths.entry(kind, id);
}

/**
 * Converts `SitemapUrl` objects to the text of a urlset, in chunks large enough to compress and send. Each address of a
 * page is a URL of its own, the one without a language last. Each has all of them as alternates, because search engines
 * require every version to name every other one. Source:
 * https://developers.google.com/search/docs/specialty/international/localized-versions#sitemap
 */
export function urlsetStreams(baseUrl: string): [Transform, Transform, Transform] {
  const toLibraryItem = new Transform({
    objectMode: true,
    transform({ path, lastmod }: SitemapUrl, _encoding, done) {
      const links = listAlternates(path).map((alternate) => ({
        lang: alternate.language,
        url: absoluteUrl(baseUrl, alternate.path),
      }));
      for (const { url } of links) this.push({ url, lastmod: lastmod?.toISOString(), links });
      done();
    },
  });
  const xmlns = { news: false, video: false, xhtml: true, image: false };
  const { ErrorLevel, SitemapStream } = loadSitemap();
  return [toLibraryItem, new SitemapStream({ xmlns, level: ErrorLevel.THROW }), joinChunks()];
}

/** The text of a sitemap index. */
export async function buildSitemapIndex(baseUrl: string, children: SitemapUrl[]): Promise<string> {
  const items = children.map(({ path, lastmod }) => ({
    url: absoluteUrl(baseUrl, path),
    lastmod: lastmod?.toISOString(),
  }));
  const { ErrorLevel, SitemapIndexStream } = loadSitemap();
  return text(Readable.from(items).pipe(new SitemapIndexStream({ level: ErrorLevel.THROW })));
}

/** The latest of some times, or undefined. */
export function latest(times: (Date | null | undefined)[]): Date | undefined {
  const known = times.filter((time) => time instanceof Date);
  return known.length === 0 ? undefined : new Date(Math.max(...known.map(Number)));
}

/** Joins chunks, because the library emits each tag separately and that many socket writes would dominate the cost. */
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
