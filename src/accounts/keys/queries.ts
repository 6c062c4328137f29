import type { Db } from "../../db/connect.ts";
import { deleteInBatches } from "../../db/rows.ts";
import { requireSession } from "../../db/sessions.ts";
import type { GrantedScope, OwnerScope } from "../../words/scopes.ts";
import { generateKey, hashKey, keyPrefix } from "./keys.ts";

/** The maximum number of live keys of one user. */
export const KEYS_AT_MOST = 20;

/** How many keys are listed. Dead keys stay for a while, so that their owner sees why they ended. */
const LISTED_AT_MOST = 60;
const DEAD_KEPT = "90 days";

export interface ApiKey {
  id: number;
  name: string;
  /** The key's prefix; only its owner knows the rest. */
  prefix: string;
  created_at: Date;
  /** May lag by a minute, as may `requests`. */
  last_used_at: Date | null;
  requests: number;
  expires_at: Date | null;
  state: "live" | "expired" | "revoked";
  /** Its owner's permissions for it in addition to reading. */
  scopes: OwnerScope[];
  /** Operators' permissions for it, with their ends. */
  grants: { scope: GrantedScope; ends_at: Date }[];
}

/** `days` from now, the end of a `day` (YYYY-MM-DD, UTC), or never. */
export type Expiry = { days: number } | { day: string } | "never";

/** SQL: the owner of a key is not disabled. */
const HAS_OWNER = "exists (select from users where users.id = api_keys.user_id and disabled_at is null)";

/** SQL: a key works, as long as its owner is not disabled. */
export const IS_LIVE = "revoked_at is null and (expires_at is null or expires_at > now())";

/** A key that works. */
export interface LiveKey {
  readonly id: number;
  readonly userId: number;
  /** Seconds until it expires; null for never. */
  readonly secondsLeft: number | null;
  readonly scopes: readonly OwnerScope[];
  /** The active grants, each with the seconds that are left. */
  readonly grants: readonly (readonly [scope: GrantedScope, secondsLeft: number])[];
}

/** A live key by its hash; undefined for one that is unknown, revoked or expired. */
export async function findLiveKey(db: Db, hash: Buffer): Promise<LiveKey | undefined> {
  const secondsLeft = db.raw('extract(epoch from expires_at - now())::float8 as "secondsLeft"');
  const grants = db.raw(
    `array(select jsonb_build_array(scope, extract(epoch from ends_at - now())) from api_key_grants
            where key_id = api_keys.id and ends_at > now()) as grants`,
  );
  return db("api_keys")
    .where({ key_hash: hash })
    .whereRaw(IS_LIVE)
    .whereRaw(HAS_OWNER)
    .first("id", "user_id as userId", "scopes", secondsLeft, grants);
}

interface NewKey {
  name: string;
  expiry: Expiry;
  scopes?: readonly OwnerScope[];
  /** The form's id; each form creates one key. */
  formId?: string | undefined;
  /** The session of the request; an ended one gets no key. */
  sessionId?: string;
}

/**
 * Creates a key and returns it, this once; undefined if its form has already created one (see `findKeyOfForm`), or the
 * user has too many. Locks the user's row, so that parallel requests cannot exceed the limit, and a change of password
 * comes first.
 * @throws SessionEndedError
 */
export async function createKey(
  db: Db,
  userId: number,
  { name, expiry, scopes = [], formId, sessionId }: NewKey,
): Promise<string | undefined> {
  return db.transaction(async (transaction) => {
    await transaction("users").where({ id: userId }).forNoKeyUpdate().first("id");
    if (sessionId !== undefined) await requireSession(transaction, sessionId);
    if ((await countLiveKeys(transaction, userId)) >= KEYS_AT_MOST) return undefined;
    const key = generateKey();
    const row = {
      user_id: userId,
      name,
      prefix: keyPrefix(key),
      key_hash: hashKey(key),
      form_id: formId,
      scopes,
      expires_at: expiresAt(transaction, expiry),
    };
    await removeUnlisted(transaction, userId);
    const made = transaction("api_keys").insert(row).onConflict(["user_id", "form_id"]).ignore();
    return (await made.returning("id")).length > 0 ? key : undefined;
  });
}

/** The key that a user's form has created, live or not; undefined if it has not created one. */
export async function findKeyOfForm(
  db: Db,
  userId: number,
  formId: string | undefined,
): Promise<Pick<ApiKey, "name"> | undefined> {
  if (formId === undefined) return undefined;
  return db("api_keys").where({ user_id: userId, form_id: formId }).first("name");
}

/** Removes dead keys beyond the list, so that creating and revoking keys cannot fill the table. */
async function removeUnlisted(db: Db, userId: number): Promise<void> {
  const unlisted = listed(db, userId).select("id").offset(LISTED_AT_MOST);
  await db("api_keys").whereIn("id", unlisted).delete();
}

/** Removes keys that died long ago; resolves to their number. */
export async function removeDeadKeys(db: Db): Promise<number> {
  return deleteInBatches(db, "api_keys", `least(revoked_at, expires_at) < now() - interval '${DEAD_KEPT}'`);
}

export async function countLiveKeys(db: Db, userId: number): Promise<number> {
  const [counted] = await db("api_keys").where({ user_id: userId }).whereRaw(IS_LIVE).count({ live: "*" });
  return Number(counted?.live);
}

function expiresAt(db: Db, expiry: Expiry) {
  if (expiry === "never") return null;
  if ("days" in expiry) return db.raw("now() + make_interval(days => ?)", [expiry.days]);
  return db.raw("(?::date + 1)::timestamp at time zone 'UTC'", [expiry.day]);
}

/** A user's keys: the live ones, then the newest of the others. */
export async function listKeys(db: Db, userId: number): Promise<ApiKey[]> {
  const state = db.raw(
    `case when revoked_at is not null then 'revoked' when expires_at <= now() then 'expired' else 'live' end as state`,
  );
  const grants = db.raw(
    `array(select jsonb_build_object('scope', scope, 'ends_at', ends_at) from api_key_grants
            where key_id = api_keys.id and ends_at > now() order by scope) as grants`,
  );
  const keys: (Omit<ApiKey, "grants"> & { grants: { scope: GrantedScope; ends_at: string }[] })[] =
    await listed(db, userId)
      .select("id", "name", "prefix", "created_at", "last_used_at", "requests", "expires_at", "scopes", state)
      .select(grants)
      .limit(LISTED_AT_MOST);
  return keys.map((key) => ({
    ...key,
    grants: key.grants.map(({ scope, ends_at }) => ({ scope, ends_at: new Date(ends_at) })),
  }));
}

function listed(db: Db, userId: number) {
  return db("api_keys").where({ user_id: userId }).orderByRaw(`(${IS_LIVE}) desc, id desc`);
}

/**
 * Revokes a user's key and resolves to its name, or undefined if they have no such key. The caller then calls
 * `KnownKeys.forgetUser`.
 */
export async function revokeKey(db: Db, userId: number, keyId: number): Promise<string | undefined> {
  const [revoked] = await db("api_keys")
    .where({ id: keyId, user_id: userId })
    .update({ revoked_at: db.raw("coalesce(revoked_at, now())") })
    .returning("name");
  return revoked?.name;
}

/** Revokes every live key of a user, as `revokeKey` does; resolves to their number. */
export async function revokeAllKeys(db: Db, userId: number): Promise<number> {
  return db("api_keys").where({ user_id: userId }).whereRaw(IS_LIVE).update({ revoked_at: db.fn.now() });
}
