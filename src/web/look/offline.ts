import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import path from "node:path";
import type { Express } from "express";
import { directionOf, LANGUAGES, type Language } from "../../words/i18n/languages.ts";
import { translate } from "../../words/i18n/translate.ts";
import { localPaths } from "../../words/urls.ts";
import { PAGE_FONTS } from "../assets/fonts.ts";
import type { BaseContext } from "../pages/context.ts";
import type { SiteLook } from "./look.ts";

const WORKER = path.join(import.meta.dirname, "../../../public/service-worker.js");

/** The page for readers who are offline, and the service worker that caches it. */
export interface Offline {
  readonly page: (language: Language) => Promise<string>;
  readonly worker: () => Promise<string>;
}

/** Renders each page on first use and keeps it; retries after a failure. */
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
      // A new version of any cached file changes the script, which is how browsers notice.
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
  return new Promise((resolve, reject) => {
    app.render("web/offline", data, (error: Error | null, html = "") =>
      error ? reject(error) : resolve(html),
    );
  });
}
