import type { RequestHandler } from "express";
import { snapshotFor } from "../answers/answer-scope.ts";
import type { BaseContext } from "../pages/context.ts";

/** Sets `req.viewer` for a logged-in user. A visitor without a session cookie costs no query and gets no cookie. */
export function loadViewer({ db, sessions }: BaseContext): RequestHandler {
  return (req, res, next) => {
    sessions.load(req, res, (error) => {
      if (error) return next(error);
      if (req.session.userId === undefined) return next();
      const viewer = sessions.userOf(req);
      req.viewer = viewer;
      if (viewer) {
        req.findFavorites = async (marks) =>
          marks.length > 0
            ? sessions.readers.findFavorites(await snapshotFor(req, db), viewer.id, marks)
            : new Map();
      }
      req.recheckCaller = async () => {
        req.viewer = await sessions.findUser(req);
      };
      next();
    });
  };
}

/**
 * `GET /session`: sends an anonymous visitor the signed cookie that the autocomplete endpoints require. A live session
 * is kept.
 */
export function handOutSession({ sessions }: BaseContext): RequestHandler {
  return (req, res, next) => {
    sessions.load(req, res, (error) => {
      if (error) return next(error);
      const loggedIn = req.session.userId !== undefined;
      if (!loggedIn && !sessions.isAnonymous(req)) sessions.issueAnonymous(req, res);
      res.set("Cache-Control", "private, no-store").json({ session: loggedIn ? "user" : "anonymous" });
    });
  };
}
