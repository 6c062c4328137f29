import { createHash } from "node:crypto";
import type { Knex } from "knex";
import { seal, unseal, withoutPassword } from "../settings/secrets.ts";
import type { StorableName, StoredSettings } from "../settings/stored.ts";
import { type Actor, recordAction } from "./audit-queries.ts";
import type { Db } from "./connect.ts";

/** The row of `settings` with the settings that operators saved, by name. */
const KEY = "site";

/** The saved settings, and their version. The mail server is left out if it was encrypted with another secret. */
export async function readStored(
  db: Db,
  secret: string,
): Promise<{ stored: StoredSettings; version: string }> {
  const row = await db("settings").where({ key: KEY }).first("value", db.raw("updated_at::text as version"));
  const { SMTP_URL: sealed, ...others }: StoredSettings = row?.value ?? {};
  const SMTP_URL = sealed === undefined ? undefined : unseal(secret, sealed);
  return { stored: SMTP_URL === undefined ? others : { ...others, SMTP_URL }, version: row?.version ?? "" };
}

/** Saves settings; null removes one. False if they are no longer at the version that was seen, if one is named. */
export async function saveStored(
  db: Knex,
  by: Actor,
  secret: string,
  changes: Partial<Record<StorableName, string | null>>,
  seen?: string,
): Promise<boolean> {
  return db.transaction(async (transaction) => {
    await transaction.raw("select pg_advisory_xact_lock(hashtext('site settings'))");
    const { stored: before, version } = await readStored(transaction, secret);
    if (seen !== undefined && seen !== version) return false;
    const kept = Object.entries({ ...before, ...changes }).filter(([, text]) => text !== null);
    const after: StoredSettings = Object.fromEntries(kept);
    const value = JSON.stringify({ ...after, SMTP_URL: after.SMTP_URL && seal(secret, after.SMTP_URL) });
    const updated_at = transaction.raw("clock_timestamp()");
    await transaction("settings").insert({ key: KEY, value, updated_at }).onConflict("key").merge();
    const shown = describeStored(after);
    // A new password alone would look like no change.
    if (before.SMTP_URL !== after.SMTP_URL && shown.SMTP_URL) shown.SMTP_URL += " (changed)";
    const states = { before: describeStored(before), after: shown };
    await recordAction(transaction, by, { action: "settings.changed", ...states });
    return true;
  });
}

/** Saved settings without the password, and with a digest of the logo. */
function describeStored({ SMTP_URL: url, SITE_LOGO: logo, ...others }: StoredSettings): StoredSettings {
  const digest = logo && createHash("sha256").update(logo).digest("hex").slice(0, 8);
  return { ...others, ...(logo && { SITE_LOGO: digest }), ...(url && { SMTP_URL: withoutPassword(url) }) };
}
