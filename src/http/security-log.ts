import type { Request } from "express";
import { withoutSecrets } from "./log.ts";

/** Every event of the security log; docs/security-log.md tells of each. */
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
  "key.created",
  "key.revoked",
  "key.refused",
  "access.refused",
  "discount.saved",
  "discount.ended",
  "delivery.retried",
  "delivery.discarded",
] as const;

export type SecurityEvent = (typeof SECURITY_EVENTS)[number];

/** What a line says beside its event. Never what was typed: people type passwords where names belong. */
export interface SecurityDetails {
  /** The account concerned; by default, who is logged in. */
  user?: { id: number; name: string } | undefined;
  /** Why access was refused. */
  reason?: "role" | "origin";
  /** By what other way than the account's own form. */
  by?: "link" | "command";
  /** What a change came to. */
  change?: string;
  role?: string;
  /** How many API keys, private feeds, browsers with push and addresses that waited to be confirmed ended with it. */
  ended?: { keys: number; feed: number; browsers: number; address?: number };
  /** The public beginning of a new API key, or the id of one. */
  key?: string | number;
  discount?: string;
  delivery?: number;
  count?: number;
}

const PATH_AT_MOST = 200;

/** One line about something that a request did or was refused. The order of its first fields stays as it is. */
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

/** How an account is named in every line. */
export function userFields(user: SecurityDetails["user"]) {
  return user && { user_id: user.id, user: user.name };
}
