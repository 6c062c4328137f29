import type { RequestHandler } from "express";
import type { AppContext } from "../http/context.ts";
import { findViewer } from "./queries.ts";

/** Sets `req.viewer` for a logged-in user. A visitor without a session cookie costs no query and gets no cookie. */
export function loadViewer({ db, sessions }: AppContext): RequestHandler {
  return (req, res, next) => {
    sessions.load(req, res, async (error) => {
      if (error) return next(error);
      try {
        const { userId } = req.session;
        if (userId === undefined) return next();
        req.viewer = await findViewer(db, userId);
        req.recheckLogin = async () => {
          req.viewer = (await sessions.isLive(req)) ? await findViewer(db, userId) : undefined;
        };
      } catch (error) {
        return next(error);
      }
      next();
    });
  };
}

/**
 * `GET /session`: gives an anonymous visitor the signed cookie that the autocomplete endpoints require. A live session is
 * kept.
 */
export function handOutSession({ sessions }: AppContext): RequestHandler {
  return (req, res, next) => {
    sessions.load(req, res, (error) => {
      if (error) return next(error);
      const loggedIn = req.session.userId !== undefined;
      if (!loggedIn && !sessions.isAnonymous(req)) sessions.issueAnonymous(req, res);
      res.set("Cache-Control", "private, no-store").json({ session: loggedIn ? "user" : "anonymous" });
    });
  };
}
