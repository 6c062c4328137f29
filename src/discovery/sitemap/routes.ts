import { type Request, type RequestHandler, type Response, Router } from "express";
import type { Knex } from "knex";
import { sendBody } from "../../web/answers/send.ts";
import type { AppConfig } from "../../web/pages/context.ts";
import { notFound, problemHandler } from "../../web/pages/errors.ts";
import { admitFew } from "../../web/server/admission.ts";
import { mountReadOnly } from "../../web/server/methods.ts";
import { LANGUAGES } from "../../words/i18n/languages.ts";
import { absoluteUrl, paths, withPrefix } from "../../words/urls.ts";
import {
  buildSitemapIndex,
  latest,
  SITEMAP_CACHE_CONTROL,
  SITEMAP_DEPENDS_ON,
  SITEMAP_TYPE,
} from "./build-sitemap.ts";
import { createSitemapFiles, type SitemapFiles } from "./files.ts";
import { indexNowKey, indexNowKeyPath } from "./indexnow.ts";
import { SITEMAP_LIMITS, type SitemapLimits } from "./size.ts";
import { streamUrlset } from "./stream-urlset.ts";

/** `/sitemap.xml`, its children, `/robots.txt` and the key for IndexNow. They read no credentials and set no cookie. */
export function sitemapRoutes(
  { config, db }: { config: Pick<AppConfig, "baseUrl" | "indexNowEndpoint" | "sessionSecret">; db: Knex },
  limits: SitemapLimits = SITEMAP_LIMITS,
): Router {
  const { baseUrl } = config;
  const files = createSitemapFiles(db, baseUrl, limits);
  const admit = admitFew();
  const router = Router({ caseSensitive: true });
  mountReadOnly(router, paths.sitemap(), admit(showSitemap(files, baseUrl)));
  mountReadOnly(router, "/sitemap-:name-:page.xml", admit(showSitemapChild(files, baseUrl)));
  mountReadOnly(router, paths.robots(), showRobots(baseUrl));
  if (config.indexNowEndpoint !== undefined) {
    const key = indexNowKey(config.sessionSecret);
    mountReadOnly(router, indexNowKeyPath(config.sessionSecret), (req, res) =>
      sendBody(req, res, { type: "text/plain", body: key, cacheControl: "public, max-age=3600" }),
    );
  }
  router.use(problemHandler(baseUrl));
  return router;
}

function showSitemap(files: SitemapFiles, baseUrl: string): RequestHandler {
  return async (req, res) => {
    const whole = await files.whole();
    if (whole) return streamUrlset(req, res, baseUrl, whole);
    await sendIndex(req, res, files, baseUrl);
  };
}

async function sendIndex(req: Request, res: Response, files: SitemapFiles, baseUrl: string): Promise<void> {
  const children = await files.children();
  await sendBody(req, res, {
    type: SITEMAP_TYPE,
    body: await buildSitemapIndex(baseUrl, children),
    dependsOn: SITEMAP_DEPENDS_ON,
    cacheControl: SITEMAP_CACHE_CONTROL,
    lastModified: latest(children.map(({ lastmod }) => lastmod)),
  });
}

function showSitemapChild(files: SitemapFiles, baseUrl: string): RequestHandler {
  return async (req, res) => {
    const { name, page } = req.params;
    const number = /^[1-9]\d{0,5}$/.test(String(page)) ? Number(page) : undefined;
    const child = number && (await files.child(String(name), number));
    if (!child) throw notFound("sitemap");
    await streamUrlset(req, res, baseUrl, child);
  };
}

function showRobots(baseUrl: string): RequestHandler {
  const body = robotsText(baseUrl);
  return (req, res) =>
    sendBody(req, res, {
      type: "text/plain; charset=utf-8",
      body,
      cacheControl: "public, max-age=3600",
      dependsOn: [],
    });
}

/** Pages that differ for each visitor, that only forms lead to, or whose number is unlimited. */
const CLOSED = [
  paths.login(),
  paths.logout(),
  paths.register(),
  paths.profile(),
  paths.favorites(),
  "/suggest",
  paths.notifications(),
  paths.search(),
];

/** The text of robots.txt (RFC 9309). The longer rule wins, so the API's description stays allowed. */
export function robotsText(baseUrl: string): string {
  const lines = [
    "User-agent: *",
    `Allow: ${paths.openapi()}`,
    "Disallow: /api/",
    ...[paths.session(), ...CLOSED, ...CLOSED.flatMap(inEveryLanguage)].flatMap(listRules),
    "",
    `Sitemap: ${absoluteUrl(baseUrl, paths.sitemap())}`,
  ];
  return `${lines.join("\n")}\n`;
}

/** Rules that close a path and the paths below it, but not `/profiles`, which may be a kind of the operator's. */
function listRules(path: string): string[] {
  return ["$", "?", "/"].map((end) => `Disallow: ${path}${end}`);
}

function inEveryLanguage(path: string): string[] {
  return LANGUAGES.map((language) => withPrefix(`/${language}`, path));
}
