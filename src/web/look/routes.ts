import { Router } from "express";
import { paths } from "../../words/urls.ts";
import { sendBody } from "../answers/send.ts";
import type { BaseContext } from "../pages/context.ts";
import { problemHandler } from "../pages/errors.ts";
import { languageVary, localeOf } from "../request/locale.ts";
import { OPEN_TO_ANY_ORIGIN } from "../server/cors.ts";
import { setHeaders } from "../server/headers.ts";
import { mountReadOnly } from "../server/methods.ts";
import type { SiteLook } from "./look.ts";
import { buildManifest } from "./manifest.ts";
import type { Offline } from "./offline.ts";

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
