import type { AuditedAction } from "../../db/audit-queries.ts";
import type { Db } from "../../db/connect.ts";
import type { AuditFilter } from "./schemas.ts";

/** A stored action of the audit log. */
export interface AuditLine {
  readonly id: number;
  readonly at: Date;
  /** Null for a command, or for an account whose name is unknown. */
  readonly user_name: string | null;
  readonly via: "site" | "api" | "command";
  readonly ip: string | null;
  readonly request_id: string | null;
  readonly action: AuditedAction;
  readonly subject: string | null;
  readonly before: Record<string, unknown> | null;
  readonly after: Record<string, unknown> | null;
  readonly note: string | null;
}

/**
 * The newest actions that match a filter, below its id. A subject is found by its beginning; days are those of the
 * zone.
 */
export async function listActions(
  db: Db,
  { who, action, subject, from, until, before }: AuditFilter,
  { timeZone = "UTC", limit }: { timeZone?: string | undefined; limit: number },
): Promise<AuditLine[]> {
  const lines = db<AuditLine>("audit_log").orderBy("id", "desc").limit(limit);
  if (before !== undefined) lines.where("id", "<", before);
  if (who !== "") lines.whereRaw("lower(user_name) = lower(?)", [who]);
  if (action !== undefined) lines.where({ action });
  if (subject !== "") lines.whereRaw("starts_with(subject, ?)", [subject]);
  if (from !== undefined) lines.whereRaw("at >= ?::date::timestamp at time zone ?", [from, timeZone]);
  if (until !== undefined) lines.whereRaw("at < (?::date + 1)::timestamp at time zone ?", [until, timeZone]);
  return lines.select(
    ...["id", "at", "user_name", "via", "ip", "request_id", "action", "subject", "before", "after", "note"],
  );
}
