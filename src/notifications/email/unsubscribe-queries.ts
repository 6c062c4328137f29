import type { Db } from "../../db/connect.ts";
import { loadSettings, saveSettings } from "../settings-queries.ts";

/** Who is asked whether they want no more mail. */
export interface MailedUser {
  name: string;
  /** Whether discounts are mailed to them at all. */
  mailed: boolean;
}

/** A user as the unsubscribe page needs it; undefined: there is no such user any more. */
export async function findMailedUser(db: Db, userId: number): Promise<MailedUser | undefined> {
  const user = await db("users").where({ id: userId }).first("name");
  return user && { name: user.name, mailed: (await loadSettings(db, userId)).email !== "off" };
}

/** From now on no mail about discounts is sent to the user; what waits to be sent is dropped when its turn comes. */
export async function endMails(db: Db, userId: number): Promise<void> {
  await saveSettings(db, userId, { email: "off" });
}
