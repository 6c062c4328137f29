import type { Db } from "../../db/connect.ts";
import { selectRow } from "../../db/rows.ts";
import type { Role } from "../../db/sessions.ts";
import { ACCOUNT_COLUMNS, type Account, nameKey } from "../queries.ts";

export interface PeopleFilter {
  /** Part of a name, or a whole address. */
  readonly q: string;
  readonly show?: Exclude<Role, "user"> | "disabled" | undefined;
  /** The last name of the previous page. */
  readonly after?: string | undefined;
}

/** Accounts by name. */
export async function listPeople(
  db: Db,
  { q, show, after }: PeopleFilter,
  limit: number,
): Promise<Account[]> {
  const people = db<Account>("users").orderBy("name_key").limit(limit);
  if (q !== "")
    people.whereRaw("(position(? in name_key) > 0 or lower(email) = lower(?))", [nameKey(q), q.trim()]);
  if (show === "disabled") people.whereNotNull("disabled_at");
  else if (show !== undefined) people.where({ role: show });
  if (after !== undefined) people.whereRaw("name_key > ?", [nameKey(after)]);
  return people.select(...ACCOUNT_COLUMNS);
}

/** The active sessions of an account, and when the last one was used. */
export async function countSessions(db: Db, userId: number): Promise<{ count: number; last: Date | null }> {
  return selectRow(
    db,
    "select count(*)::int as count, max(used_at) as last from sessions where user_id = ? and expire > now()",
    [userId],
  );
}
