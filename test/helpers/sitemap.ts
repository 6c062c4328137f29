import express, { type Express } from "express";
import type { Knex } from "knex";
import { pino } from "pino";
import supertest from "supertest";
import { sitemapRoutes } from "../../src/discovery/sitemap/routes.ts";
import { SITEMAP_LIMITS, type SitemapLimits } from "../../src/discovery/sitemap/size.ts";
import type { AppConfig } from "../../src/web/pages/context.ts";
import { splitLanguage } from "../../src/web/request/locale.ts";
import { requestLog } from "../../src/web/server/log.ts";
import { BUILT_IN_KINDS, kindsWith } from "../../src/words/kinds/kinds.ts";
import { parseXml } from "./xml.ts";

export const BASE_URL = "https://almanac.example";

/** How many pages are no record's: the lists, maps, home, servers, shop, nicknames and the documentation. */
export const SITE_PAGES = BUILT_IN_KINDS.length + kindsWith("isPlaced").length + 5;

const NO_INDEXNOW = { indexNowEndpoint: undefined, sessionSecret: "unused" };

/** The sitemap's routes alone, with the limits of one file made small enough to be reached. */
export function sitemapSite(
  db: Knex,
  limits: Partial<SitemapLimits> = {},
  baseUrl = BASE_URL,
  indexNow: Pick<AppConfig, "indexNowEndpoint" | "sessionSecret"> = NO_INDEXNOW,
): Express {
  const log = requestLog(pino({ level: "silent" }));
  return express().use(
    log,
    sitemapRoutes({ config: { baseUrl, ...indexNow }, db }, { ...SITEMAP_LIMITS, ...limits }),
  );
}

/** Removes all that a sitemap lists. */
export async function emptyTables(db: Knex): Promise<void> {
  await db.raw(`truncate ${BUILT_IN_KINDS.join(", ")}, servers, donate_items cascade`);
}

interface Listed {
  loc: string;
  lastmod?: string;
}

/** Reads a urlset without the addresses of single languages; `lastmods` by path. */
export async function readUrlset(app: Express, path: string) {
  const response = await supertest(app).get(path).expect(200);
  const all: Listed[] = parseXml(response.text).urlset.url;
  const urls = all.filter(({ loc }) => splitLanguage(loc.slice(BASE_URL.length)).language === undefined);
  const lastmods = Object.fromEntries(urls.map(({ loc, lastmod }) => [loc.slice(BASE_URL.length), lastmod]));
  return { response, urls, lastmods };
}

/** Reads `/sitemap.xml` as an index. */
export async function readIndex(app: Express): Promise<Listed[]> {
  const response = await supertest(app).get("/sitemap.xml").expect(200);
  return parseXml(response.text).sitemapindex.sitemap;
}

/** The paths that a child lists. */
export async function readChild(app: Express, path: string): Promise<string[]> {
  return (await readUrlset(app, path)).urls.map(({ loc }) => loc.slice(BASE_URL.length));
}

/** The paths that all children of the index list, in its order. */
export async function readChildren(app: Express): Promise<string[]> {
  const listed = [];
  for (const { loc } of await readIndex(app))
    listed.push(...(await readChild(app, loc.slice(BASE_URL.length))));
  return listed;
}

/** `id-01`, `id-02`, …: in byte order. */
export function ids(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `id-${String(index + 1).padStart(2, "0")}`);
}

export async function insertEntries(
  db: Knex,
  kind: string,
  keys: string[],
  changed = "2026-01-01T00:00:00Z",
): Promise<void> {
  const times = { created_at: "2025-01-01T00:00:00Z", updated_at: changed };
  await db(kind).insert(keys.map((id) => ({ id, name: "Name", ...times })));
}

export async function insertServer(db: Knex, id: string, changed: string): Promise<void> {
  await db("servers").insert({ id, name: "Name", created_at: "2025-01-01T00:00:00Z", updated_at: changed });
}

export async function insertDonateItem(db: Knex, id: string, changed: string): Promise<void> {
  await db("donate_items").insert({
    id,
    name: "Name",
    currency: "EUR",
    created_at: "2025-01-01T00:00:00Z",
    updated_at: changed,
  });
}
