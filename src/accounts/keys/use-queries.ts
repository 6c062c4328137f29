import type { Db } from "../../db/connect.ts";
import { deleteInBatches, selectRows } from "../../db/rows.ts";

export const ERRORS_KEPT = 20;
/** How many days of a key's use are shown, including today by UTC. */
const DAYS_SHOWN = 30;

const TODAY = "(now() at time zone 'utc')::date";

/** A failed request with a key. Requests that a limit refused are only counted. */
export interface KeyError {
  readonly method: string;
  /** The path without its query, which may contain the key. */
  readonly path: string;
  readonly status: number;
  /** The last segment of its problem's `type`. */
  readonly problem: string | null;
  readonly params: readonly string[];
}

/** Requests with one key. */
export interface KeyUse {
  readonly id: number;
  readonly requests: number;
  /** Requests that a limit refused; not part of `requests`. */
  readonly refused: number;
  /** The time of the last one, by `performance.now()`. */
  readonly lastAt: number;
  /** The newest errors, the oldest of them first; `at` has the same clock as `lastAt`. */
  readonly errors: readonly (KeyError & { readonly at: number })[];
}

/** Adds uses to their keys in one statement, by the database's clock. Several processes may do so at once. */
export async function addKeyUses(db: Db, uses: readonly KeyUse[]): Promise<void> {
  const now = performance.now();
  const secondsAgo = (at: number) => (now - at) / 1000;
  const used = uses.map(({ lastAt, ...use }) => ({
    ...use,
    secondsAgo: secondsAgo(lastAt),
    errors: use.errors.map(({ at, ...error }) => ({ ...error, secondsAgo: secondsAgo(at) })),
  }));
  await db.raw(
    `with used as (
       select * from json_to_recordset(?::json)
         as used (id bigint, requests bigint, refused bigint, "secondsAgo" float8, errors json)),
     locked as ( -- in one order, so that two processes cannot wait for each other
       select id from api_keys where id in (select id from used) order by id for no key update),
     days as (
       insert into api_key_days as old (key_id, day, requests, refused)
       select id, ${TODAY}, requests, refused from used join locked using (id)
       on conflict (key_id, day) do update
          set requests = old.requests + excluded.requests, refused = old.refused + excluded.refused),
     failed as (
       insert into api_key_errors (key_id, at, method, path, status, problem, params)
       select used.id, now() - make_interval(secs => error."secondsAgo"), method, path, status, problem, params
         from used join locked using (id),
              json_to_recordset(used.errors) as error
                (method text, path text, status integer, problem text, params text[], "secondsAgo" float8))
     update api_keys key
        set requests = key.requests + used.requests,
            last_used_at = greatest(key.last_used_at, now() - make_interval(secs => used."secondsAgo"))
       from used join locked using (id)
      where key.id = used.id`,
    [JSON.stringify(used)],
  );
}

/** Removes uses that are no longer shown; resolves to the number of rows. */
export async function removeOldKeyUses(db: Db): Promise<number> {
  const days = await deleteInBatches(db, "api_key_days", `day <= ${TODAY} - ${DAYS_SHOWN}`);
  const errors = await deleteInBatches(
    db,
    "api_key_errors",
    `id <= (select id from api_key_errors newer where newer.key_id = api_key_errors.key_id
             order by id desc offset ${ERRORS_KEPT} limit 1)`,
  );
  return days + errors;
}

/** The recent use of a key, which may lag by a minute. */
export interface KeyUseShown {
  readonly id: number;
  /** The last 30 days, oldest first. */
  readonly days: readonly { readonly requests: number; readonly refused: number }[];
  /** The newest first. */
  readonly errors: readonly (KeyError & { readonly at: Date })[];
}

/** The use of a user's keys in the last 30 days, by id. */
export async function findKeyUses(db: Db, userId: number): Promise<Map<number, KeyUseShown>> {
  const rows = await selectRows<KeyUseShown & { errors: (KeyError & { at: string })[] }>(
    db,
    `select key.id, used.days, coalesce(failed.errors, '[]') as errors
       from api_keys key
       join lateral (
         select json_agg(json_build_object('requests', coalesce(day.requests, 0), 'refused', coalesce(day.refused, 0))
                         order by date) as days, count(day.day) as known
           from generate_series(${TODAY} - ${DAYS_SHOWN - 1}, ${TODAY}, interval '1 day') as date
           left join api_key_days day on day.key_id = key.id and day.day = date::date) as used on used.known > 0
       left join lateral (
         select json_agg(newest) as errors from (
           select at, method, path, status, problem, params from api_key_errors
            where key_id = key.id order by at desc, id desc limit ${ERRORS_KEPT}) as newest) as failed on true
      where key.user_id = ?`,
    [userId],
  );
  return new Map(
    rows.map(({ id, days, errors }) => [
      id,
      { id, days, errors: errors.map((error) => ({ ...error, at: new Date(error.at) })) },
    ]),
  );
}
