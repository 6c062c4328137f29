import type { IncomingMessage } from "node:http";
import { parse as parseCookies } from "cookie";
import { Router } from "express";
import { type Announcement, isShown } from "../../settings/texts.ts";
import { paths } from "../../words/urls.ts";
import type { BaseContext } from "../pages/context.ts";
import { readBody, refererPath } from "../request/input.ts";
import { refuseOthers } from "../server/methods.ts";

/** The cookie with the announcements that a reader has dismissed. Only the form that dismisses one sets it. */
const COOKIE = "almanac.dismissed";
const YEAR_MS = 365 * 86_400_000;

/** The announcements that have begun and have not ended: those that a reader sees, and those that they have dismissed. */
export function announcementsFor(
  req: IncomingMessage,
  all: readonly Announcement[],
): { readonly shown: Announcement[]; readonly dismissed: Announcement[] } {
  const current = all.filter((each) => isShown(each));
  const ids = current.length === 0 ? [] : readDismissed(req);
  const [shown, dismissed] = [false, true].map((wanted) =>
    current.filter(({ id }) => ids.includes(id) === wanted),
  );
  return { shown: shown ?? [], dismissed: dismissed ?? [] };
}

/** The same as a text, for the key of a cached page. */
export function announcementsKey(req: IncomingMessage, all: readonly Announcement[]): string {
  const { shown, dismissed } = announcementsFor(req, all);
  return [shown, dismissed].map((each) => each.map(({ id }) => id).join(".")).join("-");
}

/** `POST /announcements`: dismisses one for this browser, and returns to the page. */
export function announcementRoutes({ config }: BaseContext): Router {
  const router = Router({ caseSensitive: true });
  const secure = config.baseUrl.startsWith("https:");
  router
    .route(paths.announcements())
    .post(readBody, (req, res) => {
      const dismissed: unknown[] = [...readDismissed(req), req.body?.id];
      // The cookie loses announcements that are gone.
      const kept = config.announcements.flatMap(({ id }) => (dismissed.includes(id) ? [id] : []));
      res.cookie(COOKIE, kept.join("."), { httpOnly: true, sameSite: "lax", secure, maxAge: YEAR_MS });
      res.set("Cache-Control", "no-store").redirect(303, refererPath(req, config.baseUrl) ?? paths.home());
    })
    .all(refuseOthers);
  return router;
}

function readDismissed({ headers }: IncomingMessage): string[] {
  return (parseCookies(headers.cookie ?? "")[COOKIE] ?? "").split(".");
}
