import type { Db } from "../../db/connect.ts";
import { loadSettings, saveSettings } from "../settings-queries.ts";

export interface MailedUser {
  name: string;
  /** Whether they get mail about discounts. */
  mailed: boolean;
}

/** Undefined if the user is gone. */
export async function findMailedUser(db: Db, userId: number): Promise<MailedUser | undefined> {
  const user = await db("users").where({ id: userId }).first("name");
  return user && { name: user.name, mailed: (await loadSettings(db, userId)).email !== "off" };
}

/** Switches mail about discounts off. Their own jobs drop waiting mails. */
export async function endMails(db: Db, userId: number): Promise<void> {
  await saveSettings(db, userId, { email: "off" });
}
