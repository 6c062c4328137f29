import type { Express, Request, Response } from "express";
import { directionOf } from "../../words/i18n/languages.ts";
import { PAGE_FONTS } from "../assets/fonts.ts";
import { languageVary, localeOf } from "../request/locale.ts";
import { detailIn, type HttpError } from "./errors.ts";

/** Placeholder of the request's id in a cached page; no text has it. */
const REQUEST_ID = "\u0000";

/** By app, then by language and problem. */
const cached = new WeakMap<object, Map<string, Promise<string>>>();

/** The page of a request refused under load or by a limit: rendered once for each language, so that refusing is cheap. */
export async function sendBusyPage(req: Request, res: Response, error: HttpError): Promise<void> {
  const { language } = localeOf(req);
  const pages = cached.get(res.app) ?? new Map<string, Promise<string>>();
  cached.set(res.app, pages);
  const name = `${language} ${error.problem.slug}`;
  const page = pages.get(name) ?? render(req, error);
  pages.set(name, page);
  page.catch(() => pages.delete(name));
  const html = (await page).replace(REQUEST_ID, req.id);
  for (const header of languageVary(req)) res.vary(header);
  res.set("Cache-Control", "no-store").set("Content-Language", language).type("html");
  res.status(error.problem.status).end(html);
}

function render(req: Request, error: HttpError): Promise<string> {
  const { t, language } = localeOf(req);
  const { site } = req;
  const data = {
    t,
    language,
    direction: directionOf(language),
    site,
    asset: site.assets.url,
    title: t(error.problem.title),
    status: error.problem.status,
    detail: detailIn(language, error),
    fonts: PAGE_FONTS.map(site.assets.url),
    requestId: REQUEST_ID,
  };
  return new Promise((resolve, reject) => {
    (req.app as Express).render("web/errors/busy", data, (failure: Error | null, html = "") =>
      failure ? reject(failure) : resolve(html),
    );
  });
}
