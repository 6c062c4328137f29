import type { Request } from "express";
import type { Actor } from "../../db/audit-queries.ts";

/** The sender of a request, for the audit log. */
export function actorOf(req: Request): Actor {
  const from = { ip: req.address, requestId: req.id };
  if (req.viewer) return { userId: req.viewer.id, via: "site", ...from };
  return { userId: req.caller?.key?.userId ?? req.caller?.sessionUserId ?? null, via: "api", ...from };
}
