import webpush from "web-push";
import type { Db } from "../../db/connect.ts";

/** What this site signs its push messages with (VAPID, RFC 8292), base64url. Browsers subscribe to the public one. */
export interface VapidKeys {
  publicKey: string;
  privateKey: string;
}

/**
 * The site's keys, made on first use. Of processes that ask first at the same moment one makes them for all: with other
 * keys than those that it was made under, every subscription of a browser is void.
 */
export async function vapidKeys(db: Db): Promise<VapidKeys> {
  return (await storedKeys(db)) ?? makeKeys(db);
}

async function makeKeys(db: Db): Promise<VapidKeys> {
  const keys = JSON.stringify(webpush.generateVAPIDKeys());
  await db("settings").insert({ key: "vapid", value: keys }).onConflict("key").ignore();
  const stored = await storedKeys(db);
  if (!stored) throw new Error("the VAPID keys were removed while they were being made");
  return stored;
}

async function storedKeys(db: Db): Promise<VapidKeys | undefined> {
  return (await db("settings").where({ key: "vapid" }).first("value"))?.value;
}
