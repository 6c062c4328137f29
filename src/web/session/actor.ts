import type { Request } from "express";
import type { Actor } from "../../db/audit-queries.ts";

/** Who sent a request of a page or of the API, for the audit log. */
export function actorOf(req: Request): Actor {
  const from = { ip: req.address, requestId: req.id };
  if (req.viewer) return { userId: req.viewer.id, via: "site", ...from };
  return { userId: req.caller?.key?.userId ?? req.caller?.sessionUserId ?? null, via: "api", ...from };
}
