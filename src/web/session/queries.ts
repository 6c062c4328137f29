import type { Db } from "../../db/connect.ts";
import type { Role } from "../../db/sessions.ts";

interface ViewerRow {
  id: number;
  name: string;
  role: Role;
  unread: number;
  language: string | null;
  timeZone: string | null;
}

/** A logged-in user as the layout shows them, with their number of unread notifications. */
export async function findViewer(db: Db, userId: number): Promise<ViewerRow | undefined> {
  const unread = db("notifications").count().where({ user_id: userId }).whereNull("read_at").as("unread");
  return db("users")
    .where({ id: userId })
    .first("id", "name", "role", "language", "time_zone as timeZone", unread);
}
