import type { Db } from "../../db/connect.ts";
import { deleteInBatches, selectRows } from "../../db/rows.ts";
import type { GrantedScope, Scope } from "../../words/scopes.ts";
import { type ApiKey, IS_LIVE } from "./queries.ts";

/** How long ended grants stay on the operators' list. */
const ENDED_KEPT = "90 days";
const LISTED_AT_MOST = 500;

/** An operator's temporary permission for a key. */
export interface KeyGrant {
  readonly key_id: number;
  readonly key_name: string;
  readonly prefix: string;
  readonly owner: string;
  readonly scope: GrantedScope;
  readonly granted_at: Date;
  /** Null for a command, or an operator whose account is gone. */
  readonly granted_by: string | null;
  readonly ends_at: Date;
  /** When the key was last used; the value may lag by a minute. */
  readonly last_used_at: Date | null;
  /** `key_dead`: the key was revoked or has expired. */
  readonly state: "live" | "ended" | "key_dead";
}

/** The live keys of a user with a prefix, mostly one. */
export async function findKeysByPrefix(
  db: Db,
  userId: number,
  prefix: string,
): Promise<Pick<ApiKey, "id" | "name">[]> {
  return db("api_keys")
    .where({ user_id: userId, prefix })
    .whereRaw(IS_LIVE)
    .orderBy("id")
    .select("id", "name");
}

interface NewGrant {
  readonly keyId: number;
  readonly scope: GrantedScope;
  /** The last day, as YYYY-MM-DD. */
  readonly day: string;
  /** The IANA name of the day's time zone, by default UTC. */
  readonly timeZone?: string | undefined;
  readonly by: number | null;
}

/**
 * Grants a key a scope until the end of a day, at most a year from now; replaces a grant of the same scope. Resolves to
 * its end; undefined if that is over, or the key no longer works.
 */
export async function grantScope(
  db: Db,
  { keyId, scope, day, timeZone = "UTC", by }: NewGrant,
): Promise<Date | undefined> {
  const [granted] = await selectRows<{ ends_at: Date }>(
    db,
    `insert into api_key_grants as g (key_id, scope, granted_by, granted_at, ends_at)
     select k.id, :scope, :by, now(), least(e.ends_at, now() + interval '1 year')
       from (select id from api_keys where id = :keyId and ${IS_LIVE} for key share) k
       cross join (select (cast(:day as date) + 1)::timestamp at time zone :timeZone as ends_at) e
      where e.ends_at > now()
     on conflict (key_id, scope) do update set
       granted_by = excluded.granted_by, granted_at = excluded.granted_at, ends_at = excluded.ends_at
     returning g.ends_at`,
    { keyId, scope, day, timeZone, by },
  );
  return granted?.ends_at;
}

/** The key and the scope of a write. */
export interface KeyUse {
  readonly keyId: number;
  readonly scope: Scope;
}

/**
 * Checks that a key still has a scope, at the end of a transaction that writes. A user who revokes the key or the
 * grant waits for this transaction, so nothing is stored with the key afterwards.
 */
export async function isGranted(transaction: Db, { keyId, scope }: KeyUse): Promise<boolean> {
  const rows = await selectRows(
    transaction,
    `select from api_key_grants g join api_keys k on k.id = g.key_id join users u on u.id = k.user_id
      where g.key_id = ? and g.scope = ? and g.ends_at > now() and ${IS_LIVE} and u.disabled_at is null
        for share`,
    [keyId, scope],
  );
  return rows.length > 0;
}

/** Revokes a grant; undefined if there was none. The caller then calls `KnownKeys.forgetUser` for its user. */
export async function revokeGrant(
  db: Db,
  keyId: number,
  scope: GrantedScope,
): Promise<{ userId: number; prefix: string } | undefined> {
  const [revoked] = await selectRows<{ userId: number; prefix: string }>(
    db,
    `delete from api_key_grants g using api_keys k
      where g.key_id = :keyId and g.scope = :scope and k.id = g.key_id
     returning k.user_id as "userId", k.prefix`,
    { keyId, scope },
  );
  return revoked;
}

/** All grants, active ones first, by their end. */
export async function listGrants(db: Db): Promise<KeyGrant[]> {
  return selectRows(
    db,
    `select * from (
       select g.key_id, k.name as key_name, k.prefix, u.name as owner, g.scope, g.granted_at, o.name as granted_by,
              g.ends_at, k.last_used_at,
              case when not (${IS_LIVE}) then 'key_dead' when g.ends_at <= now() then 'ended' else 'live' end as state
         from api_key_grants g
         join api_keys k on k.id = g.key_id
         join users u on u.id = k.user_id
         left join users o on o.id = g.granted_by) listed
      order by (state = 'live') desc, ends_at, key_id, scope
      limit ${LISTED_AT_MOST}`,
  );
}

/** Removes grants that ended long ago; resolves to their number. */
export async function removeEndedGrants(db: Db): Promise<number> {
  return deleteInBatches(db, "api_key_grants", `ends_at < now() - interval '${ENDED_KEPT}'`);
}
