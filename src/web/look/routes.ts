import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import path from "node:path";
import { type Express, type RequestHandler, Router } from "express";
import { directionOf, LANGUAGES, type Language } from "../../words/i18n/languages.ts";
import { translate } from "../../words/i18n/translate.ts";
import { localPaths, paths } from "../../words/urls.ts";
import {
  bodyHeaders,
  compress,
  computeDigest,
  type Encoding,
  entityTag,
  preferredEncoding,
} from "../answers/encoding.ts";
import { sendBody } from "../answers/send.ts";
import { type Asset, isCompressible, PAGE_FONTS } from "../assets/asset.ts";
import type { Assets } from "../assets/build.ts";
import type { BaseContext } from "../pages/context.ts";
import { problemHandler } from "../pages/errors.ts";
import { renderView } from "../pages/page.ts";
import { type Locale, languageVary, localeOf } from "../request/locale.ts";
import { OPEN_TO_ANY_ORIGIN } from "../server/cross-origin.ts";
import { setHeaders } from "../server/headers.ts";
import { isRead, mountReadOnly } from "../server/methods.ts";
import { token } from "./colours.ts";
import type { SiteLook } from "./look.ts";

const FOREVER = "public, max-age=31536000, immutable";
const FOR_AN_HOUR = "public, max-age=3600";

const WORKER = path.join(import.meta.dirname, "../../../public/service-worker.js");

/** The page for offline visitors, and the service worker that caches it. */
interface Offline {
  readonly page: (language: Language) => Promise<string>;
  readonly worker: () => Promise<string>;
}

/** The service worker, the script that other sites include, and the icon: one for all languages. */
export function workerRoutes(
  { assets, config, look }: Pick<BaseContext, "assets" | "config"> & { look: SiteLook },
  offline: Offline,
): Router {
  const router = Router({ caseSensitive: true });
  // At the root, because a service worker controls only pages below its own path.
  mountReadOnly(router, paths.serviceWorker(), async (req, res) => {
    const body = await offline.worker();
    await sendBody(req, res, { type: "text/javascript", body, cacheControl: "no-cache" });
  });
  const cards = assets.find(assets.url("js/catalogue/embed-cards.js").slice("/assets/".length));
  mountReadOnly(router, paths.cardScript(), async (req, res) => {
    setHeaders(res, OPEN_TO_ANY_ORIGIN);
    const cacheControl = "public, max-age=3600";
    await sendBody(req, res, { type: "text/javascript", body: String(cards?.body), cacheControl });
  });
  mountReadOnly(router, paths.favicon(), (_req, res) => {
    res.set("Cache-Control", "public, max-age=86400").redirect(302, look.touchIcon);
  });
  router.use(problemHandler(config.baseUrl));
  return router;
}

/**
 * The manifest and the offline page, which the site needs to be installable. Browser and service worker request them
 * without cookies, so an account's language is unknown; without a language in the path, Accept-Language decides.
 */
export function siteRoutes(context: BaseContext & { look: SiteLook }, offline: Offline): Router {
  const { assets, config, look } = context;
  const router = Router({ caseSensitive: true });
  mountReadOnly(router, paths.manifest(), async (req, res) => {
    const body = JSON.stringify(buildManifest(config.siteName, look, assets, localeOf(req)));
    const cacheControl = "public, no-cache";
    await sendBody(req, res, {
      type: "application/manifest+json",
      body,
      cacheControl,
      vary: languageVary(req),
    });
  });
  mountReadOnly(router, paths.offline(), async (req, res) => {
    const { language } = localeOf(req);
    const body = await offline.page(language);
    res.set({ "X-Robots-Tag": "noindex", "Content-Language": language });
    await sendBody(req, res, {
      type: "text/html",
      body,
      cacheControl: "public, no-cache",
      vary: languageVary(req),
    });
  });
  router.use(problemHandler(config.baseUrl));
  return router;
}

/** The manifest of the site as an installable app, in one language. Source: https://www.w3.org/TR/appmanifest/ */
function buildManifest(
  name: string,
  look: SiteLook,
  assets: Assets,
  { language, paths, t }: Pick<Locale, "language" | "paths" | "t">,
) {
  return {
    // The same app in every language.
    id: "/",
    name,
    short_name: name,
    description: t("layout.description", { site: name }),
    lang: language,
    dir: directionOf(language),
    start_url: paths.home(),
    scope: "/",
    display: "standalone",
    background_color: token("paper").light,
    theme_color: look.themeColours.light,
    icons: look.icon ? [look.icon] : ownIcons(assets),
    shortcuts: [
      { name: t("site.shortcut.search"), url: paths.search() },
      { name: t("site.shortcut.servers"), url: paths.servers() },
    ],
  };
}

function ownIcons(assets: Assets) {
  const icon = (file: string, size: number) => ({
    src: assets.url(`img/icons/${file}`),
    type: "image/png",
    sizes: `${size}x${size}`,
  });
  return [
    icon("icon-192.png", 192),
    icon("icon-512.png", 512),
    { ...icon("maskable-512.png", 512), purpose: "maskable" },
  ];
}

/** Serves the files that pages load; to be mounted on `/assets`. */
export function serveAssets(assets: Assets): RequestHandler {
  return async (req, res, next) => {
    if (!isRead(req)) return next();
    const asset = assets.find(req.path.slice(1));
    if (!asset) return next();
    const { encoding, body } = await encode(asset, preferredEncoding(req));
    res.set({
      "Content-Type": asset.type,
      "Cache-Control": asset.isForever ? FOREVER : FOR_AN_HOUR,
      Vary: "Accept-Encoding",
      ETag: entityTag(computeDigest(asset.body), encoding),
    });
    if (req.fresh) return void res.status(304).end();
    setHeaders(res, bodyHeaders(body, encoding));
    res.end(body);
  };
}

/** Sheets that are generated at the start are not compressed in advance. */
async function encode(asset: Asset, wanted: Encoding): Promise<{ encoding: Encoding; body: Buffer }> {
  if (wanted === "identity" || !isCompressible(asset)) return { encoding: "identity", body: asset.body };
  const body = asset.compressed?.[wanted];
  return body ? { encoding: wanted, body } : compress(asset.body, wanted);
}

/** Renders each page on first use and caches it; retries after a failure. */
export function createOffline(
  app: Express,
  context: Pick<BaseContext, "assets" | "config"> & { look: SiteLook },
): Offline {
  const files = filesOf(context);
  const pages = new Map<Language, Promise<string>>();
  const page = (language: Language) => {
    const made = pages.get(language) ?? renderPage(app, context, language);
    pages.set(language, made);
    made.catch(() => pages.delete(language));
    return made;
  };
  return {
    page,
    worker: async () => {
      const texts = await Promise.all(LANGUAGES.map(page));
      const version = createHash("sha256")
        .update(JSON.stringify([files, texts]))
        .digest("hex")
        .slice(0, 10);
      const addresses = Object.fromEntries(
        LANGUAGES.map((language) => [language, localPaths(`/${language}`).offline()]),
      );
      const words = Object.fromEntries(
        LANGUAGES.map((language) => [language, translate(language)("push.unreadable")]),
      );
      // A new version of any cached file changes the script, so browsers detect it.
      const kept = JSON.stringify({ cache: `offline-${version}`, pages: addresses, files, words });
      return `self.kept = ${kept};\n${readFileSync(WORKER, "utf8")}`;
    },
  };
}

/** The addresses of all files that the page loads; each changes with its content. */
function filesOf({ assets, look }: Pick<BaseContext, "assets"> & { look: SiteLook }): string[] {
  const style = assets.url("css/web/site.css");
  const sheet = assets.find(style.slice("/assets/".length))?.body.toString() ?? "";
  const fonts = [...sheet.matchAll(/url\(["']?(\/assets\/[^"')]+\.woff2)/g)].map(([, font = ""]) => font);
  const scripts = [
    ...["js/web/early.js", "js/web/offline-page.js"].map(assets.url),
    ...assets.importsOf("js/web/offline-page.js"),
  ];
  const pictures = [look.logo ?? assets.url("img/logo.svg")];
  return [style, ...(look.accentStyle ? [look.accentStyle] : []), ...new Set(fonts), ...scripts, ...pictures];
}

function renderPage(
  app: Express,
  { assets, config, look }: Pick<BaseContext, "assets" | "config"> & { look: SiteLook },
  language: Language,
): Promise<string> {
  const fonts = PAGE_FONTS.map(assets.url);
  const data = {
    t: translate(language),
    language,
    direction: directionOf(language),
    name: config.siteName,
    look,
    asset: assets.url,
    fonts,
  };
  return renderView(app, "web/offline", data);
}
