import type { ErrorRequestHandler, NextFunction, Request, RequestHandler, Response } from "express";
import type { Assets } from "../assets/build.ts";
import { PAGE_FONTS } from "../assets/fonts.ts";
import { SessionEndedError } from "../db/sessions.ts";
import { directionOf, LANGUAGES, type Language, languageName } from "../i18n/languages.ts";
import { say } from "../i18n/said.ts";
import { CATALOGUE_KINDS, COMPARE_KINDS } from "../kinds/kinds.ts";
import { paths, withoutKey, withPrefix, withQuery } from "../urls.ts";
import { sendBusyPage } from "./busy-page.ts";
import { type CachePolicy, cacheControlOf, hasKey, isRead } from "./cache-policy.ts";
import { detailIn, dropEntityHeaders, messageIn, PROBLEMS, toHttpError } from "./errors.ts";
import { refererPath } from "./input.ts";
import { alternatesOf, languageVary, localeOf, splitLanguage } from "./locale.ts";
import { logFailure } from "./log.ts";
import { isForwardedByStranger } from "./proxy.ts";
import { sendBody } from "./send.ts";
import { extendSession, type Message, type Tone, takeFlash, type UndoForm } from "./session.ts";

/** Who looks at a page: what the layout and favorites need to know of a logged-in user. */
export interface Viewer {
  id: number;
  name: string;
  role: "user" | "operator";
  unread: number;
  /** The language that the account is set to; null: not told. */
  language: string | null;
  /** IANA name of the zone that the user wants times in; null: not told. */
  timeZone: string | null;
}

/** What every page needs to know of the site itself. */
export interface Site {
  name: string;
  baseUrl: string;
  /** Hosts that pages load pictures of records from. */
  imageHosts: readonly string[];
  /** The operator's own logo; without one the site's. */
  logo?: string;
  /** What iPhones put on the home screen. */
  touchIcon: string;
  /** The game's own places, such as its forum. */
  links: readonly { readonly name: string; readonly url: string }[];
  /** The style sheet of the operator's accent, to come after the design's. */
  accentStyle?: string;
  /** What browsers colour their own bars with. */
  themeColours: { readonly light: string; readonly dark: string };
  /** True while invented demo records are on the site; pages say so. */
  demo: boolean;
  /** The language of a category, for `lang`, where it is known. */
  categoryLanguage(category: string | null | undefined): string | undefined;
  /** The language of a record's own texts, for `lang`, where it is known. */
  textLanguage(record: { demo: boolean }): string | undefined;
  /** Those that the search box may show, of which it is known. */
  searchedCategories: KnownCategories | undefined;
  /** The files of public/ under the addresses that they have now. */
  assets: Assets;
}

/** Categories that are words of one language. */
export interface KnownCategories {
  lang: string;
  names: readonly string[];
}

/** A message of the page before, as the layout shows it. */
interface Flash {
  text: string;
  tone: Tone;
  undo: UndoForm | undefined;
}

declare module "express-serve-static-core" {
  interface Request {
    /** Set on pages only; undefined for a visitor. */
    viewer: Viewer | undefined;
    /** What is answered is for who is logged in alone. */
    needsLogin?: boolean;
    site: Site;
  }
}

/** Layout data of one page; everything else goes to its view as it is. */
export interface PageHead extends CachePolicy {
  title: string;
  description?: string;
  /** Path that search engines should know the page by; the page's own path without query and last slash by default. */
  canonical?: string;
  status?: number;
  /** The path of the page that this one is shown in place of, where a form was sent to no page; links lead there. */
  insteadOf?: string;
  /** The page has a search box of its own, larger than that of the header, which then is left out. */
  hasSearch?: boolean;
  /** Feature scripts of public/js, without ending. */
  scripts?: string[];
  /** Likewise feature styles of public/css. */
  styles?: string[];
}

/**
 * Renders `views/<view>.ejs` inside the layout and sends it. A visitor's page may be revalidated by shared caches and
 * sets no cookie; a logged-in user's page is private. test/views.test.ts checks the view against the type of `data`:
 * it reads all of it, and nothing that is neither there nor common to all pages.
 */
export async function renderPage(
  req: Request,
  res: Response,
  view: string,
  head: PageHead,
  data: Record<string, unknown> = {},
): Promise<void> {
  const locale = localeOf(req);
  const { assets } = req.site;
  const asked = splitLanguage(withoutKey(head.insteadOf ?? req.originalUrl)).path;
  const path = head.insteadOf === undefined ? req.path : withoutQuery(asked);
  const canonical = head.canonical ?? withoutLastSlash(path);
  const shown = head.neverStore ? canonical : asked;
  if (req.viewer) await extendSession(req);
  const message = await takeFlash(req);
  const common = {
    ...locale,
    direction: directionOf(locale.language),
    paths: { ...locale.paths, asset: assets.url },
    assets,
    fonts: PAGE_FONTS.map(assets.url),
    kinds: { catalogue: CATALOGUE_KINDS, compared: COMPARE_KINDS },
    site: req.site,
    viewer: req.viewer,
    untrustedProxy: req.viewer?.role === "operator" && isForwardedByStranger(req),
    flash: message && flashOf(message, locale.language),
    path: withPrefix(locale.prefix, path),
    here: withPrefix(locale.prefix, shown),
    head: { ...head, canonical: withPrefix(locale.prefix, canonical) },
    languages: LANGUAGES.map((code) => ({
      code,
      name: languageName(code),
      href: withPrefix(`/${code}`, shown),
      current: code === locale.language,
    })),
    alternates: isShared(head) ? alternatesOf(canonical) : [],
  };
  const body = await render(res, view, { ...common, ...data });
  const html = await render(res, "layout/page", { ...common, body });
  res.status(head.status ?? 200).set("Content-Language", locale.language);
  const cacheControl = cacheControlOf(req, res, head);
  if (hasKey(req)) res.set("Referrer-Policy", "strict-origin");
  // Other sites' pages may not even load what is another page for each reader.
  if (!cacheControl.startsWith("public")) res.set("Cross-Origin-Resource-Policy", "same-origin");
  await sendBody(req, res, {
    type: "text/html",
    body: html,
    cacheControl,
    vary: ["Cookie", ...languageVary(req)],
  });
}

/** Renders a view without the layout, for a script that puts parts of it into an open page. */
export function renderPart(
  req: Request,
  res: Response,
  view: string,
  data: Record<string, unknown>,
): Promise<string> {
  return render(res, view, { ...localeOf(req), ...data });
}

export async function sendPart(req: Request, res: Response, body: string): Promise<void> {
  res.set("Content-Language", localeOf(req).language);
  await sendBody(req, res, { type: "text/html", body, cacheControl: "no-store" });
}

function isShared(head: PageHead): boolean {
  return !head.noindex && !head.neverStore && (head.status ?? 200) === 200;
}

function withoutQuery(path: string): string {
  return path.replace(/\?.*/s, "");
}

/** Routes take a path with a slash at its end for the same page; search engines should know one of the two. */
function withoutLastSlash(path: string): string {
  return path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
}

/**
 * Sends a visitor to the log-in page and back; for pages that need an account. A form is only shown to who is logged
 * in: who sends one and is not is told that their session has ended, and comes back to the page of the form.
 */
export const requireLogin: RequestHandler = (req, res, next) => {
  req.needsLogin = true;
  res.set("Cache-Control", "no-store");
  if (req.viewer) return next();
  const back = isRead(req) ? withoutKey(req.originalUrl) : refererPath(req, req.site.baseUrl);
  const parameters = { next: back, ended: isRead(req) ? undefined : "yes" };
  res.redirect(303, withQuery(localeOf(req).paths.login(), parameters));
};

/** The viewer of a page behind `requireLogin`. */
export function viewerOf(req: Request): Viewer {
  if (!req.viewer) throw new SessionEndedError();
  return req.viewer;
}

/** Shows errors as a page with the error's own status. Where a session ended under way, a log-in is what is missing. */
export const pageErrorHandler: ErrorRequestHandler = (thrown, req, res, next) => {
  if (toHttpError(thrown).problem !== PROBLEMS.unauthorized || res.headersSent) {
    return showError(thrown, req, res, { next });
  }
  req.viewer = undefined;
  requireLogin(req, res, next);
};

/** Shows one error as a page. The page needs no database: it may be what is away. */
export async function showError(
  thrown: unknown,
  req: Request,
  res: Response,
  { next, insteadOf }: { next: NextFunction } & Pick<PageHead, "insteadOf">,
): Promise<void> {
  const error = toHttpError(thrown);
  logFailure(req, error);
  // Storing the session comes after the answer: Express would cut the connection, which there is no reason for.
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
  const data = { error, errors, detail: detailIn(language, error), requestId: req.id };
  await renderPage(req, res, "errors/error", head, data).catch(next);
}

function render(res: Response, view: string, data: Record<string, unknown>): Promise<string> {
  return new Promise((resolve, reject) => {
    res.app.render(view, data, (error: Error | null, html?: string) =>
      error ? reject(error) : resolve(html ?? ""),
    );
  });
}

function flashOf({ flash, tone = "success", undo }: Message, language: Language): Flash {
  return { text: say(flash, language), tone, undo };
}
