import type { Application, Request, RequestHandler, Response } from "express";
import { SessionEndedError, type SessionUser } from "../../db/sessions.ts";
import type { GameLink } from "../../settings/look.ts";
import { directionOf, LANGUAGES, type Language, languageName } from "../../words/i18n/languages.ts";
import { nearestTag } from "../../words/i18n/nearest-tag.ts";
import { hiddenSections, isHidden } from "../../words/kinds/hidden-sections.ts";
import { catalogueKinds, kindsWith } from "../../words/kinds/kinds.ts";
import { searchableKinds } from "../../words/kinds/searchable-kinds.ts";
import { withoutKey } from "../../words/safe-urls.ts";
import { renderProseIn } from "../../words/text/prose.ts";
import { withPrefix, withQuery } from "../../words/urls.ts";
import type { Source } from "../answers/answer-scope.ts";
import { buildCacheControl, type CachePolicy } from "../answers/cache-policy.ts";
import { type PageUser, PersonalPage, PLACEHOLDERS } from "../answers/personal-parts.ts";
import { sendBody } from "../answers/send.ts";
import { PAGE_FONTS } from "../assets/asset.ts";
import { announcementsFor } from "../look/announcements.ts";
import type { Preview } from "../look/site.ts";
import { refererPath } from "../request/input.ts";
import { type Locale, languageVary, listAlternates, localeOf, splitLanguage } from "../request/locale.ts";
import { pendingFormMessage, readPendingForm } from "../request/pending-form.ts";
import { isForwardedByStranger } from "../server/client-address.ts";
import { isRead } from "../server/methods.ts";
import {
  extendSession,
  hasSessionToWrite,
  type Message,
  shownMessage,
  takeFlash,
} from "../session/session.ts";

/** A feed in a page's head. */
export interface FeedLink {
  readonly title: string;
  readonly href: string;
  readonly type: string;
}

/** Layout data of one page; everything else goes to its view unchanged. */
export interface PageHead extends CachePolicy {
  title: string;
  description?: string;
  /** Path for search engines; by default the page's own path without query and trailing slash. */
  canonical?: string;
  status?: number;
  /** The path of the page that this one replaces, if a form's path is not a page itself. Links lead there. */
  insteadOf?: string;
  /** Whether the page has its own, larger search box, so that the header has none. */
  hasSearch?: boolean;
  /**
   * The sources of the page, if it depends only on those, its address, its language and the personal parts. For a
   * user it also depends on their role and time zone.
   */
  dependsOn?: readonly Source[] | undefined;
  /** See `Dependencies`. */
  isTimeSensitive?: boolean;
  /** The feeds of the page's content, for feed readers to find. */
  feeds?: readonly FeedLink[];
  /** Structured data for search engines; see src/web/look/structured-data.ts. */
  structured?: readonly object[];
  /** Whether the page is about one subject, rather than a list or a tool; for previews of links. */
  isArticle?: boolean;
  /** The picture that chats show for a link to the page; by default the site's. */
  preview?: Preview;
  /** Feature scripts of public/js, without ending. */
  scripts?: string[];
  /** Styles of the feature, from public/css. */
  styles?: string[];
}

/**
 * Renders `views/<view>.ejs` inside the layout and sends it. Shared caches may revalidate a visitor's page, which sets
 * no cookie; a logged-in user's page is private. The view must use all of `data`, and apart from that only the data of
 * all pages; test/views.test.ts checks that.
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
  const path = head.insteadOf === undefined ? req.path : asked.replace(/\?.*/s, "");
  const canonical = head.canonical ?? withoutLastSlash(path);
  const shown = head.neverStore ? canonical : asked;
  // These writes take another connection, and a request that holds one must not wait for another.
  if (hasSessionToWrite(req)) req.answerScope?.end();
  if (req.viewer) await extendSession(req);
  const message = req.isReplay ? pendingFormMessage(viewerOf(req).name) : await takeFlash(req);
  const { shown: announcements, dismissed } = announcementsFor(req, req.site.announcements);
  const common = {
    ...locale,
    direction: directionOf(locale.language),
    paths: { ...locale.paths, asset: assets.url },
    assets,
    fonts: PAGE_FONTS.map(assets.url),
    kinds: {
      catalogue: catalogueKinds(),
      compared: kindsWith("isCompared"),
      found: searchableKinds(),
      followed: kindsWith("hasFeed"),
    },
    isHidden,
    hidden: hiddenSections().join(" "),
    announcements: announcements.flatMap(({ id, texts }) => {
      const prose = renderProseIn(texts, locale.language);
      return prose ? [{ ...prose, id }] : [];
    }),
    site: req.site,
    gameLinks: req.site.links.map((link) => ({ name: linkName(link, locale.language), url: link.url })),
    viewer: req.viewer && { ...PLACEHOLDERS, role: req.viewer.role },
    untrustedProxy: req.viewer?.role === "operator" && isForwardedByStranger(req),
    flash: message && shownMessage(message, locale.language),
    path: withPrefix(locale.prefix, path),
    here: withPrefix(locale.prefix, shown),
    head: { ...head, canonical: withPrefix(locale.prefix, canonical) },
    languages: LANGUAGES.map((code) => ({
      code,
      name: languageName(code),
      href: withPrefix(`/${code}`, shown),
      current: code === locale.language,
    })),
    structured: structuredText(head.structured),
    preview: head.preview ?? req.site.preview(locale.language),
    alternates: isShared(head) ? listAlternates(canonical) : [],
  };
  const body = await renderView(res.app, view, { ...common, ...data });
  const rendered = await renderView(res.app, "web/layout/page", { ...common, body });
  const personal = req.viewer && new PersonalPage(rendered);
  const html = personal ? personal.fill(await loadPageUser(req, personal.favorites)) : rendered;
  // A form that is only shown again was not refused.
  res.status(req.isReplay ? 200 : (head.status ?? 200)).set("Content-Language", locale.language);
  const cacheControl = buildCacheControl(req, res, { ...head, isPersonal: dismissed.length > 0 });
  if (req.target.hadKey) res.set("Referrer-Policy", "strict-origin");
  // Other sites must not load pages that differ for each user.
  if (!cacheControl.startsWith("public")) res.set("Cross-Origin-Resource-Policy", "same-origin");
  await sendBody(req, res, {
    type: "text/html",
    body: html,
    cacheControl,
    vary: ["Cookie", ...languageVary(req)],
    ...(isRemembered(req, head, message) && {
      personal,
      dependsOn: head.dependsOn,
      isTimeSensitive: head.isTimeSensitive,
      awayNote: head.isTimeSensitive ? awayNote(locale) : undefined,
    }),
  });
}

function linkName({ name, names = {} }: GameLink, language: Language): string {
  const tag = nearestTag(language, Object.keys(names));
  return (tag !== undefined && names[tag]) || name;
}

/** JSON that is safe inside a script element, because it cannot contain the element's end. */
function structuredText(structured: readonly object[] = []): string | undefined {
  return structured.length === 0 ? undefined : JSON.stringify(structured).replaceAll("<", "\\u003c");
}

/** HTML of fixed text, without characters to escape, and a time. */
function awayNote({ t, format }: Locale): string {
  return `<p class="notice is-info" role="status">${t("layout.away", { time: format.timeTag(new Date()) })}</p>`;
}

function isRemembered(req: Request, head: PageHead, message: Message | undefined): boolean {
  return isRead(req) && !req.needsLogin && !head.neverStore && message === undefined;
}

async function loadPageUser(req: Request, marks: readonly string[]): Promise<PageUser> {
  const { name, unread } = viewerOf(req);
  const favorites = await req.findFavorites?.(marks);
  return {
    name,
    unread,
    isFavorite: (mark) => favorites?.has(mark) ?? false,
    wishOf: (mark) => favorites?.get(mark) ?? "",
  };
}

/** Renders a view without the layout, for a script that inserts parts of it into an open page. */
export function renderPart(
  req: Request,
  res: Response,
  view: string,
  data: Record<string, unknown>,
): Promise<string> {
  return renderView(res.app, view, { ...localeOf(req), ...data });
}

export async function sendPart(req: Request, res: Response, body: string): Promise<void> {
  res.set("Content-Language", localeOf(req).language);
  await sendBody(req, res, { type: "text/html", body, cacheControl: "no-store" });
}

function isShared(head: PageHead): boolean {
  return !head.noindex && !head.neverStore && (head.status ?? 200) === 200;
}

/** Routes ignore a trailing slash; search engines should know only one of the two paths. */
function withoutLastSlash(path: string): string {
  return path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
}

/**
 * Sends a visitor to the log-in page and back; for pages that need an account. Only logged-in users see forms, so a
 * visitor who sends one has lost their session. A message says so, and they return to the form's page, or to the form
 * as they typed it.
 */
export const requireLogin: RequestHandler = (req, res, next) => {
  req.needsLogin = true;
  res.set("Cache-Control", "no-store");
  if (req.viewer) return next();
  const back = isRead(req) ? withoutKey(req.originalUrl) : refererPath(req, req.site.baseUrl);
  const typed = isRead(req) ? undefined : readPendingForm(req, back);
  if (typed && req.askLogIn) {
    req.askLogIn(typed).catch(next);
    return;
  }
  const parameters = { next: back, ended: isRead(req) ? undefined : "yes" };
  res.redirect(303, withQuery(localeOf(req).paths.login(), parameters));
};

/** The viewer of a page behind `requireLogin`. */
export function viewerOf(req: Request): SessionUser {
  if (!req.viewer) throw new SessionEndedError();
  return req.viewer;
}

export function renderView(app: Application, view: string, data: Record<string, unknown>): Promise<string> {
  return new Promise((resolve, reject) => {
    app.render(view, data, (error: Error | null, html = "") => (error ? reject(error) : resolve(html)));
  });
}
