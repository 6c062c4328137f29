import { createPublicKey } from "node:crypto";
import type { Request, RequestHandler, Router } from "express";
import { z } from "zod";
import { isOnHost } from "../../settings/values.ts";
import type { BaseContext } from "../../web/pages/context.ts";
import { badInput, notFound, unauthorized } from "../../web/pages/errors.ts";
import { readBody } from "../../web/request/input.ts";
import { refuseCrossSiteWrites } from "../../web/server/cross-origin.ts";
import { answerOptions, refuseOthers } from "../../web/server/methods.ts";
import { lazyText, zodMessage } from "../../words/i18n/lazy-text.ts";
import { paths } from "../../words/urls.ts";
import { addSubscription, removeSubscription, renewSubscription, vapidKeys } from "./queries.ts";

const ENDPOINT_CHARACTERS = 2000;

const required = z.string({ error: zodMessage("input.required") });

const endpoint = required.max(
  ENDPOINT_CHARACTERS,
  zodMessage("input.characters_at_most", { max: ENDPOINT_CHARACTERS }),
);

/** The browser's public key (RFC 8291, section 3.1): an uncompressed point of P-256. */
const p256dh = required.refine(isPoint, zodMessage("input.p256_point"));

/** The secret that the browser shares with its senders. */
const auth = required.regex(/^[\w-]{22}$/, zodMessage("input.bytes_base64url", { bytes: 16 }));

const subscriptionInput = z.object({
  endpoint,
  keys: z.object({ p256dh, auth }, { error: zodMessage("input.keys", { names: "p256dh, auth" }) }),
  /** The endpoint that this one replaces, after the browser or its push service changed it. */
  replaces: endpoint.optional(),
});

const endpointInput = z.object({ endpoint });

/**
 * Reads a nested JSON body.
 * @throws HttpError 400 naming every wrong field
 */
function parseBody<Schema extends z.ZodObject>(schema: Schema, body: unknown): z.output<Schema> {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  throw badInput(
    parsed.error.issues.map(({ path, message }) =>
      path.length > 0
        ? { param: path.join("."), message }
        : { param: "body", message: zodMessage("input.json_object") },
    ),
  );
}

/**
 * The address of a browser's subscription, if this site may send to it: HTTPS on a host of `services` (`host`,
 * `host:port` or `*.domain`). Otherwise a user could make the server send requests to machines that only it can reach.
 * @returns the normalised address, or undefined
 */
export function pushEndpoint(text: string, services: readonly string[]): string | undefined {
  const url = URL.parse(text);
  if (url?.protocol !== "https:" || url.username || url.password || url.hash) return undefined;
  return services.some((service) => isOnHost(url, service)) ? url.href : undefined;
}

function isPoint(text: string): boolean {
  const bytes = Buffer.from(text, "base64url");
  if (bytes.length !== 65 || bytes[0] !== 4 || bytes.toString("base64url") !== text) return false;
  const coordinate = (start: number) => bytes.subarray(start, start + 32).toString("base64url");
  try {
    createPublicKey({
      format: "jwk",
      key: { kty: "EC", crv: "P-256", x: coordinate(1), y: coordinate(33) },
    });
    return true;
  } catch {
    return false;
  }
}

type Context = Pick<BaseContext, "config" | "db" | "sessions">;

/**
 * Subscriptions of the logged-in user's browsers, for their scripts and service workers, as JSON: `GET` sends the key
 * to subscribe to, `POST` stores a subscription, `DELETE` removes it. They are not part of the API, because programs
 * cannot use them.
 */
export function mountPushSubscriptions(router: Router, context: Context): void {
  router
    .route(paths.pushSubscriptions())
    .options(answerOptions)
    .all(refuseCrossSiteWrites(context.config.baseUrl), requireUser(context))
    .get(sendKey(context))
    .post(readBody, subscribe(context))
    .delete(readBody, unsubscribe(context))
    .all(refuseOthers);
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

/** The first match wins, because most browsers claim to be others too. */
const BROWSERS: [RegExp, string][] = [
  [/\bEdg(e|A|iOS)?\//, "Edge"],
  [/\b(OPR|Opera)\//, "Opera"],
  [/\bSamsungBrowser\//, "Samsung Internet"],
  [/\b(Firefox|FxiOS)\//, "Firefox"],
  [/\b(Headless)?(Chrome|Chromium|CriOS)\//, "Chrome"],
  [/\bSafari\//, "Safari"],
];

const SYSTEMS: [RegExp, string][] = [
  [/\b(iPhone|iPod)\b/, "iPhone"],
  [/\biPad\b/, "iPad"],
  [/\bAndroid\b/, "Android"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bWindows\b/, "Windows"],
  [/\bMac OS X\b/, "macOS"],
  [/\bLinux\b/, "Linux"],
];

/**
 * A browser's name by its `User-Agent` (`Firefox on Windows`); null if unknown. It helps users recognise their own
 * browsers, so the common ones are enough.
 */
export function browserName(userAgent: string | undefined): string | null {
  const browser = nameIn(BROWSERS, userAgent);
  const system = nameIn(SYSTEMS, userAgent);
  if (browser === undefined) return system ?? null;
  return system === undefined ? browser : `${browser} on ${system}`;
}

function nameIn(names: [RegExp, string][], userAgent = ""): string | undefined {
  return names.find(([pattern]) => pattern.test(userAgent))?.[1];
}
