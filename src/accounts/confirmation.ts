import type { RequestHandler } from "express";
import type { BaseContext } from "../web/pages/context.ts";
import { renderPage } from "../web/pages/page.ts";
import { localeOf } from "../web/request/locale.ts";
import { logSecurity } from "../web/server/security-log.ts";
import { paths } from "../words/urls.ts";
import { confirmationState, confirmEmail } from "./address-queries.ts";
import { findToken } from "./token-queries.ts";

type TokenHandler = RequestHandler<{ token: string }>;

const STATUS = { waiting: 200, confirmed: 200, used: 410, replaced: 410, over: 410, unknown: 404 } as const;

/** `GET /confirm-email/:token`: a page with a button. It confirms nothing itself, because mail scanners open links. */
export function showConfirmation({ config, db }: BaseContext): TokenHandler {
  return async (req, res) => {
    const found = await findToken(db, "confirm", req.params.token);
    const state = found ? confirmationState(found) : "unknown";
    const canonical = paths.profile();
    const { t, paths: local } = localeOf(req);
    const head = { title: t("accounts.confirm.title"), noindex: true, neverStore: true, canonical };
    await renderPage(
      req,
      res,
      "accounts/confirm-email",
      { ...head, status: STATUS[state] },
      {
        state,
        name: found?.name,
        email: found?.sentTo,
        action: local.confirmEmail(req.params.token),
        sendsMail: config.mail.kind !== "none",
      },
    );
  };
}

/** `POST /confirm-email/:token`: needs no log-in; redirects to the page, which shows the result. */
export function confirmAddress({ config, db }: BaseContext): TokenHandler {
  return async (req, res) => {
    const owner = await confirmEmail(db, req.params.token, { sendsMail: config.mail.kind !== "none" });
    if (owner)
      logSecurity(req, "email.confirmed", { user: { id: owner.userId, name: owner.name }, by: "link" });
    res.set("Cache-Control", "no-store").redirect(303, localeOf(req).paths.confirmEmail(req.params.token));
  };
}
