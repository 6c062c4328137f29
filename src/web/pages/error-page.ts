import type { ErrorRequestHandler, NextFunction, Request, Response } from "express";
import type { SearchableKind } from "../../words/kinds/searchable-kinds.ts";
import { paths } from "../../words/urls.ts";
import { sentStale } from "../answers/answer-scope.ts";
import { localeOf } from "../request/locale.ts";
import { logFailure } from "../server/log.ts";
import { sendBusyPage } from "./busy-page.ts";
import { detailIn, dropEntityHeaders, messageIn, PROBLEMS, toHttpError } from "./errors.ts";
import { type PageHead, renderPage, requireLogin } from "./page.ts";

/** Suggestions for a missing path. */
export interface PageSuggestions {
  /** Its last part, as words for the search box. */
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
  // Storing the session can fail after the answer; next() would make Express cut the connection needlessly.
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

/** The page explains the error even without the search. */
async function findSuggestions(req: Request): Promise<PageSuggestions> {
  return (await req.suggestPages?.().catch(() => NO_SUGGESTIONS)) ?? NO_SUGGESTIONS;
}
