import type { Request, RequestHandler, Router } from "express";
import type { BaseContext } from "../../web/pages/context.ts";
import { badInput, notFound, unauthorized } from "../../web/pages/errors.ts";
import { readBody } from "../../web/request/input.ts";
import { refuseCrossSiteWrites } from "../../web/server/cross-origin.ts";
import { only } from "../../web/server/methods.ts";
import { lazyText } from "../../words/i18n/lazy-text.ts";
import { paths } from "../../words/urls.ts";
import { browserName } from "./browser-name.ts";
import { addSubscription, removeSubscription, renewSubscription } from "./queries.ts";
import { endpointInput, parseBody, pushEndpoint, subscriptionInput } from "./schemas.ts";
import { vapidKeys } from "./vapid-queries.ts";

type Context = Pick<BaseContext, "config" | "db" | "sessions">;

const METHODS = ["GET", "HEAD", "POST", "DELETE", "OPTIONS"];

/**
 * Subscriptions of the logged-in user's browsers, for their scripts and service workers, as JSON: `GET` sends the key
 * to subscribe to, `POST` stores a subscription, `DELETE` removes it. They are not part of the API, because programs
 * cannot use them.
 */
export function mountPushSubscriptions(router: Router, context: Context): void {
  router
    .route(paths.pushSubscriptions())
    .options((_req, res) => void res.set("Allow", METHODS.join(", ")).status(204).end())
    .all(refuseCrossSiteWrites(context.config.baseUrl), requireUser(context))
    .get(sendKey(context))
    .post(readBody, subscribe(context))
    .delete(readBody, unsubscribe(context))
    .all(only(...METHODS));
}

function requireUser({ sessions }: Context): RequestHandler {
  return (req, res, next) => {
    res.set("Cache-Control", "no-store");
    sessions.load(req, res, (error) => {
      if (error) return next(error);
      req.recheckCaller = async () => {
        if (!(await sessions.isLive(req))) throw notLoggedIn();
      };
      next(req.session.userId === undefined ? notLoggedIn() : undefined);
    });
  };
}

function sendKey({ db }: Context): RequestHandler {
  return async (_req, res) => void res.json({ application_server_key: (await vapidKeys(db)).publicKey });
}

function subscribe({ db, config }: Context): RequestHandler {
  return async (req, res) => {
    const { endpoint, keys, replaces } = parseBody(subscriptionInput, req.body ?? {});
    const address = pushEndpoint(endpoint, config.pushServices);
    if (address === undefined) {
      throw badInput([{ param: "endpoint", message: lazyText("input.push_service") }]);
    }
    const browser = browserName(req.get("user-agent"));
    const added = { endpoint: address, ...keys, browser };
    if (replaces === undefined) await addSubscription(db, userOf(req), added, req.sessionID);
    else if (!(await renewSubscription(db, userOf(req), normalised(replaces), added, req.sessionID))) {
      throw notFound("subscription");
    }
    res.status(201).json({ endpoint: address, browser });
  };
}

/** Answers 204 even if there is no such subscription. */
function unsubscribe({ db }: Context): RequestHandler {
  return async (req, res) => {
    const { endpoint } = parseBody(endpointInput, req.body ?? {});
    await removeSubscription(db, userOf(req), { endpoint: normalised(endpoint) });
    res.status(204).end();
  };
}

/** Endpoints are stored as the URL parser writes them. */
function normalised(endpoint: string): string {
  return URL.parse(endpoint)?.href ?? endpoint;
}

function userOf({ session }: Request): number {
  if (session.userId === undefined) throw notLoggedIn();
  return session.userId;
}

function notLoggedIn() {
  return unauthorized(lazyText("errors.detail.login_needed"));
}
