import type { BrowserContext, BrowserContextOptions } from "playwright-core";
import { type BrowserSite, register } from "./browser.ts";
import { addNotification } from "./notifications.ts";
import type { Reader } from "./page-types.ts";

type Login = Awaited<ReturnType<BrowserContext["storageState"]>>;

/**
 * Registers the readers of pages: a user with favorites, notifications read and unread, and a key; an operator who has
 * nothing. Resolves to what makes a browser theirs.
 */
export async function makeReaders(site: BrowserSite): Promise<Record<Reader, BrowserContextOptions>> {
  const [user, operator] = [await logIn(site, "reader"), await logIn(site, "keeper")];
  const { db } = site.database;
  await db("users").where({ name: "keeper" }).update({ role: "operator" });
  const { id } = await db("users").where({ name: "reader" }).first("id");
  await db("donate_favorites").insert([{ user_id: id, item_key: "vip-gold" }]);
  await db("server_favorites").insert([{ user_id: id, server_id: "ls-one" }]);
  await db("entity_favorites").insert([{ user_id: id, item_id: "weapon-24" }]);
  await addNotification(db, id, "vip-gold", { read_at: db.fn.now() });
  await addNotification(db, id, "vip-bronze");
  return { visitor: {}, user: { storageState: user }, operator: { storageState: operator } };
}

async function logIn(site: BrowserSite, name: string): Promise<Login> {
  const { page, context } = await site.open();
  await register(page, name);
  const login = await context.storageState();
  await context.close();
  return login;
}
