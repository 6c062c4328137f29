import type { Db } from "../../db/connect.ts";
import { paths } from "../../words/urls.ts";
import {
  latest,
  SITE_PAGES,
  type SitemapKind,
  type SitemapUrl,
  sitemapKinds,
  sitePages,
} from "./build-sitemap.ts";
import {
  countRecords,
  findBorders,
  type Listing,
  type ListingSummary,
  newestChanges,
  type PageSummary,
  readListing,
  summariseListing,
  summarisePages,
} from "./queries.ts";
import { createBorders, maxIdBytes, type SitemapLimits, urlsetBytes } from "./size.ts";

/** A sitemap file that lists pages. */
export interface Urlset {
  /** Changes whenever the file's content does. */
  version: string;
  lastModified: Date | undefined;
  urls: Iterable<SitemapUrl> | AsyncIterable<SitemapUrl>;
}

/** The files of the sitemap, from the current state of the database. */
export interface SitemapFiles {
  /** All pages in one file; undefined if they do not fit. */
  whole(): Promise<Urlset | undefined>;
  /** The files in the index: the site's own pages, then each kind of record. */
  children(): Promise<SitemapUrl[]>;
  /** One file of the index, or undefined for an unknown name and number. */
  child(name: string, page: number): Promise<Urlset | undefined>;
}

/** The sitemap's files for the site at `baseUrl`. */
export function createSitemapFiles(db: Db, baseUrl: string, limits: SitemapLimits): SitemapFiles {
  const idBytes = maxIdBytes(baseUrl);
  const createListing = (kind: SitemapKind): Listing => ({ kind, maxIdBytes: idBytes });
  const borders = createBorders((kind) => findBorders(db, createListing(kind), limits.pageUrls));

  async function whole(): Promise<Urlset | undefined> {
    const pages = sitePages(await newestChanges(db));
    const count = await countRecords(db, idBytes, limits.urls + 1);
    if (pages.length + count > limits.urls) return undefined;
    const records = [];
    for (const kind of sitemapKinds())
      records.push({ kind, ...(await summariseListing(db, createListing(kind))) });
    if (urlsetBytes(baseUrl, pages, records) > limits.bytes) return undefined;
    return {
      version: JSON.stringify([pages, records.map(({ digest }) => digest)]),
      lastModified: latest(pages.map(({ lastmod }) => lastmod)),
      urls: readAll(pages),
    };
  }

  async function* readAll(pages: SitemapUrl[]): AsyncGenerator<SitemapUrl> {
    yield* pages;
    for (const kind of sitemapKinds()) yield* readListing(db, createListing(kind));
  }

  async function children(): Promise<SitemapUrl[]> {
    const newest = await newestChanges(db);
    const files = [{ path: paths.sitemapChild(SITE_PAGES, 1), lastmod: latest(Object.values(newest)) }];
    for (const kind of sitemapKinds()) {
      for (const { page, newest } of await listPages(kind)) {
        files.push({ path: paths.sitemapChild(kind, page), lastmod: newest });
      }
    }
    return files;
  }

  async function listPages(kind: SitemapKind): Promise<PageSummary[]> {
    const pages = await summarisePages(db, createListing(kind), await borders.of(kind));
    if (pages.every(({ count }) => count <= limits.grownPageUrls)) return pages;
    return summarisePages(db, createListing(kind), await borders.renew(kind));
  }

  async function child(name: string, page: number): Promise<Urlset | undefined> {
    if (name === SITE_PAGES) return page === 1 ? sitePagesFile() : undefined;
    const kind = sitemapKinds().find((known) => known === name);
    return kind && pageFile(kind, page);
  }

  async function sitePagesFile(): Promise<Urlset> {
    const urls = sitePages(await newestChanges(db));
    return { version: JSON.stringify(urls), lastModified: latest(urls.map(({ lastmod }) => lastmod)), urls };
  }

  async function pageFile(kind: SitemapKind, page: number): Promise<Urlset | undefined> {
    let listing = pageListing(kind, page, await borders.of(kind));
    let summary = listing && (await summariseListing(db, listing));
    if (summary && summary.count > limits.grownPageUrls) {
      listing = pageListing(kind, page, await borders.renew(kind));
      summary = listing && (await summariseListing(db, listing));
    }
    return listing && summary && listingFile(listing, summary);
  }

  function pageListing(kind: SitemapKind, page: number, between: string[]): Listing | undefined {
    if (page > between.length + 1) return undefined;
    return { ...createListing(kind), from: between[page - 2], to: between[page - 1] };
  }

  function listingFile(listing: Listing, { count, newest, digest }: ListingSummary): Urlset | undefined {
    if (count === 0) return undefined;
    return {
      version: JSON.stringify([listing.kind, digest]),
      lastModified: newest,
      urls: readListing(db, listing),
    };
  }

  return { whole, children: shareWhileRunning(children), child };
}

/** The index reads whole tables, so concurrent callers share one run. */
function shareWhileRunning<Answer>(work: () => Promise<Answer>): () => Promise<Answer> {
  let running: Promise<Answer> | undefined;
  return () => {
    running ??= work().finally(() => {
      running = undefined;
    });
    return running;
  };
}
