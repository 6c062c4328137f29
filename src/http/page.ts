import type { ErrorRequestHandler, Request, RequestHandler, Response } from "express";
import { paths } from "../urls.ts";
import { dropEntityHeaders, HttpError, logFailure, toHttpError } from "./errors.ts";
import { formatFor } from "./format.ts";
import { sendBody } from "./send.ts";

/** Who looks at a page: what the layout and favorites need to know of a logged-in user. */
export interface Viewer {
  id: number;
  name: string;
  role: "user" | "operator";
  unread: number;
  /** IANA name of the zone that the user wants times in; null: not told. */
  timeZone: string | null;
}

/** What every page needs to know of the site itself. */
export interface Site {
  name: string;
  baseUrl: string;
  /** True while invented demo records are on the site; pages say so. */
  demo: boolean;
}

declare module "express-serve-static-core" {
  interface Request {
    /** Set on pages only; undefined for a visitor. */
    viewer: Viewer | undefined;
    site: Site;
  }
}

/** Layout data of one page; everything else goes to its view as it is. */
export interface PageHead {
  title: string;
  description?: string;
  /** Path that search engines should know the page by; the page's own path without query and last slash by default. */
  canonical?: string;
  /** Keeps the page out of search engines. */
  noindex?: boolean;
  status?: number;
  /**
   * For a page that shows a secret: no copy of it may stay anywhere. Where its own address holds one (see
   * `keepAddressSecret`), `canonical` says what links may call the page instead.
   */
  neverStore?: boolean;
  /** Feature scripts of public/js, without ending. */
  scripts?: string[];
  /** Likewise feature styles of public/css. */
  styles?: string[];
}

/**
 * Renders `views/<view>.ejs` inside the layout and sends it. A visitor's page may be revalidated by shared caches and
 * sets no cookie; a logged-in user's page is private.
 */
export async function renderPage(
  req: Request,
  res: Response,
  view: string,
  head: PageHead,
  data: Record<string, unknown> = {},
): Promise<void> {
  const canonical = head.canonical ?? withoutLastSlash(req.path);
  const common = {
    paths,
    format: formatFor(req.viewer?.timeZone ?? undefined),
    site: req.site,
    viewer: req.viewer,
    flash: takeFlash(req),
    path: req.path,
    here: head.neverStore ? canonical : req.originalUrl,
    head: { ...head, canonical },
  };
  const body = await render(res, view, { ...common, ...data });
  const html = await render(res, "layout/page", { ...common, body });
  res.status(head.status ?? 200);
  const cacheControl = cacheControlOf(req, res, head);
  await sendBody(req, res, { type: "text/html", body: html, cacheControl, vary: ["Cookie"] });
}

/** Routes take a path with a slash at its end for the same page; search engines should know one of the two. */
function withoutLastSlash(path: string): string {
  return path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
}

function cacheControlOf(req: Request, res: Response, head: PageHead): string {
  if (head.neverStore) return "no-store";
  const isShared = !req.viewer && !head.noindex && res.statusCode === 200;
  return isShared ? "public, no-cache" : "private, no-cache";
}

/** Sends a visitor to the log-in page and back; for pages that need an account. */
export const requireLogin: RequestHandler = (req, res, next) => {
  if (req.viewer) return next();
  const isRead = req.method === "GET" || req.method === "HEAD";
  res.set("Cache-Control", "no-store").redirect(303, paths.login(isRead ? req.originalUrl : undefined));
};

/** The viewer of a page behind `requireLogin`. */
export function viewerOf(req: Request): Viewer {
  if (!req.viewer) throw new HttpError("unauthorized", "Log in first.");
  return req.viewer;
}

/** Shows errors as a page with the error's own status. The page needs no database: it may be what is away. */
export const pageErrorHandler: ErrorRequestHandler = async (thrown, req, res, next) => {
  const error = toHttpError(thrown);
  logFailure(req, error);
  if (res.headersSent) return next(thrown);
  const { status, title } = error.problem;
  dropEntityHeaders(res);
  res.set(error.headers);
  const head = { title, status, noindex: true };
  await renderPage(req, res, "errors/error", head, { error, requestId: req.id }).catch(next);
};

function render(res: Response, view: string, data: Record<string, unknown>): Promise<string> {
  return new Promise((resolve, reject) => {
    res.app.render(view, data, (error: Error | null, html?: string) =>
      error ? reject(error) : resolve(html ?? ""),
    );
  });
}

function takeFlash(req: Request): string | undefined {
  const flash = req.session?.flash;
  if (flash !== undefined) delete (req.session as Partial<typeof req.session>).flash;
  return flash;
}
