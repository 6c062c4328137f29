import type webpush from "web-push";
import type { Db } from "../../db/connect.ts";
import { lazyPackage } from "../../settings/lazy-package.ts";

const loadWebPush = lazyPackage<typeof webpush>("web-push");

/** Keys that sign push messages (VAPID, RFC 8292), base64url. Browsers subscribe to the public one. */
export interface VapidKeys {
  publicKey: string;
  privateKey: string;
}

/**
 * The site's keys, created on first use. All processes must get the same ones, because a subscription is bound to its
 * key.
 */
export async function vapidKeys(db: Db): Promise<VapidKeys> {
  return (await storedKeys(db)) ?? makeKeys(db);
}

async function makeKeys(db: Db): Promise<VapidKeys> {
  const keys = JSON.stringify(loadWebPush().generateVAPIDKeys());
  await db("settings").insert({ key: "vapid", value: keys }).onConflict("key").ignore();
  const stored = await storedKeys(db);
  if (!stored) throw new Error("the VAPID keys were removed while they were being made");
  return stored;
}

async function storedKeys(db: Db): Promise<VapidKeys | undefined> {
  return (await db("settings").where({ key: "vapid" }).first("value"))?.value;
}
