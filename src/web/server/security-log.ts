import type { Request } from "express";
import { withoutSecrets } from "./log.ts";

/** Every event of the security log, as described in docs/security-log.md. */
export const SECURITY_EVENTS = [
  "login.succeeded",
  "login.failed",
  "login.limited",
  "logout",
  "password.wrong",
  "password.limited",
  "password.requested",
  "password.changed",
  "email.changed",
  "email.confirmed",
  "account.created",
  "account.limited",
  "account.deleted",
  "role.changed",
  "account.disabled",
  "account.enabled",
  "password.link",
  "sessions.ended",
  "key.created",
  "key.revoked",
  "key.refused",
  "key.granted",
  "key.ungranted",
  "access.refused",
  "discount.saved",
  "discount.ended",
  "picture.changed",
  "vocabulary.saved",
  "delivery.retried",
  "delivery.discarded",
  "webhook.added",
  "webhook.changed",
  "webhook.removed",
] as const;

export type SecurityEvent = (typeof SECURITY_EVENTS)[number];

/**
 * Further fields of a line, after its event. They never contain typed text, because people type passwords into other
 * fields.
 */
export interface SecurityDetails {
  /** The account, by default the logged-in user. */
  user?: { id: number; name: string } | undefined;
  /** The account that an operator changed by a form; `user` is the operator. */
  account?: { id: number; name: string };
  /** Why access was refused. */
  reason?: "role" | "origin";
  /** How it was done, if not by the account's own form. */
  by?: "link" | "command";
  /** The outcome of a change. */
  change?: string;
  role?: string;
  /** How many API keys, private feeds, browsers with push, webhooks and unconfirmed addresses ended with the change. */
  ended?: { keys: number; feed: number; browsers: number; webhooks: number; address?: number };
  /** The public prefix of a new API key, or a key's id. */
  key?: string | number;
  /** The permissions of an API key. */
  scopes?: readonly string[];
  /** When the permissions end (ISO 8601). */
  until?: string;
  discount?: string;
  /** A record whose picture changed: its kind and id. */
  record?: string;
  delivery?: number;
  webhook?: number;
  count?: number;
}

const PATH_AT_MOST = 200;

/** Logs a request's action or refusal. The order of the first fields is fixed. */
export function logSecurity(req: Request, event: SecurityEvent, details: SecurityDetails = {}): void {
  const { user = req.viewer, ...more } = details;
  const path = event === "access.refused" ? withoutSecrets(req.baseUrl + req.path) : undefined;
  req.securityLog.info({
    security: event,
    ip: req.address,
    request_id: req.id,
    ...userFields(user),
    ...more,
    ...(path !== undefined && { method: req.method, path: path.slice(0, PATH_AT_MOST) }),
  });
}

/** The fields that name an account. */
export function userFields(user: SecurityDetails["user"]) {
  return user && { user_id: user.id, user: user.name };
}
