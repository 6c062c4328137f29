import type { RequestHandler } from "express";
import type { BaseContext } from "../web/pages/context.ts";
import { requireLogin } from "../web/pages/page.ts";
import { localeOf } from "../web/request/locale.ts";
import { replayForm, unlessExpired } from "../web/request/pending-form.ts";
import { renderLogIn } from "./log-in.ts";

/** Requests a log-in for forms whose session has ended, and returns to the form as typed. */
export function offerLogIn({ config, db }: BaseContext): RequestHandler {
  return (req, res, next) => {
    req.askLogIn = (typed) => {
      const after = { next: typed.next, pending: undefined };
      return renderLogIn({ db, config }, req, res, { after, typed, status: 401, hasEnded: true });
    };
    next();
  };
}

/** `GET /login/typed`: the form as typed before the log-in, for its user to check and send again. */
export const showTypedForm: RequestHandler = (req, res, next) => {
  requireLogin(req, res, (error) => {
    if (error) return next(error);
    const typed = unlessExpired(req.session.typed);
    if (!typed) return res.redirect(303, localeOf(req).paths.profile());
    replayForm(req, typed);
    next();
  });
};
