import type { ErrorRequestHandler, NextFunction, Request, Response } from "express";
import { directionOf } from "../../words/i18n/languages.ts";
import type { SearchableKind } from "../../words/kinds/searchable-kinds.ts";
import { paths } from "../../words/urls.ts";
import { sentStale } from "../answers/answer-scope.ts";
import { PAGE_FONTS } from "../assets/asset.ts";
import { languageVary, localeOf } from "../request/locale.ts";
import { logFailure } from "../server/log.ts";
import { detailIn, dropEntityHeaders, type HttpError, messageIn, PROBLEMS, toHttpError } from "./errors.ts";
import { type PageHead, renderPage, renderView, requireLogin } from "./page.ts";

/** Placeholder of the request's id in a cached page; no text contains it. */
const REQUEST_ID = "\u0000";

/** By app, then by language and problem. */
const cached = new WeakMap<object, Map<string, Promise<string>>>();

/** Suggestions for a missing path. */
export interface PageSuggestions {
  /** The last segment of the path, as words for the search box. */
  words: string;
  pages: { href: string; name: string; lang: string | undefined; kind: SearchableKind }[];
}

const NO_SUGGESTIONS: PageSuggestions = { words: "", pages: [] };

/** Shows errors as a page with the error's status; shows the log-in page if the session ended during the request. */
export const pageErrorHandler: ErrorRequestHandler = (thrown, req, res, next) => {
  if (toHttpError(thrown).problem !== PROBLEMS.unauthorized || res.headersSent) {
    return showError(thrown, req, res, { next });
  }
  req.viewer = undefined;
  requireLogin(req, res, next);
};

/** Shows one error as a page. Needs no database, which may be down. */
export async function showError(
  thrown: unknown,
  req: Request,
  res: Response,
  { next, insteadOf }: { next: NextFunction } & Pick<PageHead, "insteadOf">,
): Promise<void> {
  if (sentStale(req, thrown)) return;
  const error = toHttpError(thrown);
  req.isReplay = false;
  logFailure(req, error);
  // Storing the session can fail after the response; next() would make Express close the connection needlessly.
  if (res.writableEnded) return;
  if (res.headersSent) return next(thrown);
  const { status, title } = error.problem;
  dropEntityHeaders(res);
  res.set(error.headers);
  if (error.isShed) return sendBusyPage(req, res, error).catch(next);
  const { t, language } = localeOf(req);
  const secret = req.hasSecretPath ? { insteadOf: paths.home(), neverStore: true } : { insteadOf };
  const head = { title: t(title), status, noindex: true, hasSearch: status < 500, ...secret };
  const errors = error.errors?.map((one) => ({ param: one.param, message: messageIn(language, one) }));
  const meant = status === 404 && !req.hasSecretPath ? await findSuggestions(req) : NO_SUGGESTIONS;
  const data = { error, errors, detail: detailIn(language, error), requestId: req.id, meant };
  await renderPage(req, res, "web/errors/error", head, data).catch(next);
}

/** The page works even without the search. */
async function findSuggestions(req: Request): Promise<PageSuggestions> {
  return (await req.suggestPages?.().catch(() => NO_SUGGESTIONS)) ?? NO_SUGGESTIONS;
}

/**
 * The page of a request refused under load or by a limit. It is rendered once for each language, so that refusing is
 * cheap.
 */
async function sendBusyPage(req: Request, res: Response, error: HttpError): Promise<void> {
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
  return renderView(req.app, "web/errors/busy", data);
}
