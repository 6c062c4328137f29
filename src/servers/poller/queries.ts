import type { Db } from "../../db/connect.ts";
import { selectRow, selectRows } from "../../db/rows.ts";
import { IS_POLLED } from "../../records/server-sql.ts";
import { CROSSINGS, fullPollsAfter, WAS } from "../crossings.ts";
import type { ServerStatus } from "../queries.ts";
import type { Details } from "./adapter.ts";

/**
 * How a poll changes the state of a server, as SQL: `s` is the row before the poll, `a` what the poll found. The
 * writing statement holds locks on the rows, so no two polls start from the same state.
 *
 * - An answer means online. Its figures are stored as they are, even above the maximum; null means not reported.
 * - One miss changes nothing, because a packet may be lost. So `checked_at` stays the time of the figures shown. The
 *   second miss in a row means offline.
 * - Misses keep the figures of the last answer; `last_online_at` is their time.
 */

/** Misses further apart than this many slots are not in a row, because the poller was not running in between. */
const ROW_SLOTS = 3;

/**
 * `a.missed_before`: a miss now is one more in a row. An offline server stays offline, even if it is rarely polled.
 */
const MISSED_BEFORE = `
  s.missed_polls > 0 and (s.status = 'offline' or s.poll_slot >= slot.start - ${ROW_SLOTS} * slot.length)`;

/** The columns of `servers` that a poll writes. Not `updated_at`: the record itself does not change. */
const STATE_AFTER_POLL: Readonly<Record<string, string>> = {
  poll_slot: "a.slot",
  refused_place: "null",
  missed_polls: "case when a.answered then 0 when a.missed_before then s.missed_polls + 1 else 1 end",
  status: "case when a.answered then 'online' when a.missed_before then 'offline' else s.status end",
  offline_since: `case
    when a.answered then null
    when not a.missed_before then s.offline_since
    when s.status = 'offline' then coalesce(s.offline_since, now())
    else now() end`,
  online: "case when a.answered then a.online else s.online end",
  bots: "case when a.answered then a.bots else s.bots end",
  queue: "case when a.answered then a.queue else s.queue end",
  // An operator may have set the maximum of a server that does not report one.
  max_online: "case when a.answered then coalesce(a.max_online, s.max_online) else s.max_online end",
  checked_at: "case when a.answered or a.missed_before then now() else s.checked_at end",
  last_online_at: "case when a.answered then now() else s.last_online_at end",
  full_polls: fullPollsAfter(
    { was: "s", now: "a", slots: "coalesce(a.max_online, s.max_online)" },
    { offline: "not a.answered and a.missed_before", measured: "a.answered" },
  ),
};

/** The status in the poll's own record, from the updated row `s`: a single miss is neither online nor offline. */
const RECORDED_STATUS = `
  case when a.answered then 'online' when s.missed_polls > 1 then 'offline' else 'unknown' end`;

/** A query that takes longer is cancelled, because its connection may be dead. */
const TIMEOUT_MS = 10_000;

/** A server with an adapter. Times are epoch milliseconds by the database's clock. */
export interface PolledServer {
  /** Key of the row; an id that is removed and added again gets another number. */
  number: number;
  id: string;
  adapter: string;
  address: string | null;
  options: Record<string, unknown>;
  /** Changes only with adapter, address and options. */
  definition: string;
  status: ServerStatus;
  lastSlot: number | null;
  offlineSince: number | null;
}

/** What a poll found. Figures of a miss are null. */
export interface Finding {
  number: number;
  definition: string;
  answered: boolean;
  online: number | null;
  bots: number | null;
  queue: number | null;
  max_online: number | null;
  details?: Details | undefined;
}

const epoch = (time: string) => `(extract(epoch from ${time}) * 1000)::double precision`;

const DEFINITION = "jsonb_build_array(s.adapter, s.address, s.adapter_options)::text";

const CURRENT = `s.number, s.status, ${epoch("s.poll_slot")} as "lastSlot", ${epoch("s.offline_since")} as "offlineSince"`;

/** The servers that have an adapter, with the database's clock in epoch milliseconds. */
export async function listPolled(db: Db): Promise<{ now: number; servers: PolledServer[] }> {
  return selectRow<{ now: number; servers: PolledServer[] }>(
    db,
    `select ${epoch("clock_timestamp()")} as now,
              (select coalesce(json_agg(polled), '[]') from (
                 select s.id, s.adapter, s.address, s.adapter_options as options, ${DEFINITION} as definition, ${CURRENT}
                   from servers s where ${IS_POLLED} order by s.number) as polled) as servers`,
    [],
    TIMEOUT_MS,
  );
}

/**
 * Writes the findings of one slot: each server's state, a record in its history, its details, and its
 * crossings (see ../crossings.ts). Skips, and does not return, a server with a poll of this slot or a later one. The
 * same goes for a removed or changed one, and for one that an import is writing. Skips every server unless the slot
 * runs now by the database's clock.
 * @param slot start of the slot, in epoch milliseconds
 */
export async function writePolls(
  db: Db,
  findings: readonly Finding[],
  { slot, intervalMs }: { slot: number; intervalMs: number },
): Promise<number[]> {
  const bindings = { findings: JSON.stringify(findings), slot, interval: intervalMs };
  const rows = await selectRows<{ number: number }>(db, WRITE, bindings, TIMEOUT_MS);
  return rows.map(({ number }) => number);
}

/**
 * Records that a server is not polled, because the site may not connect to its address. Its state stays as it was,
 * because nothing is known; the next answer or miss clears the record.
 */
export async function noteRefused(
  db: Db,
  { number, definition }: Pick<PolledServer, "number" | "definition">,
  place: string,
): Promise<void> {
  await selectRows(
    db,
    `update servers s set refused_place = :place
      where s.number = :number and ${DEFINITION} = :definition and s.refused_place is distinct from :place`,
    { number, definition, place },
    TIMEOUT_MS,
  );
}

/**
 * Skips locked rows, so it never waits and cannot deadlock with an import. A `poll_slot` after clock_timestamp() was
 * written by a clock that ran ahead; one after now() may only have begun since this statement did.
 */
const WRITE = `
  with slot as (
    select to_timestamp(cast(:slot as double precision) / 1000) as start,
           make_interval(secs => cast(:interval as double precision) / 1000) as length
  ), polled as materialized (
    select a.*, slot.start as slot, ${MISSED_BEFORE} as missed_before, ${WAS("s")}
      from slot
     cross join json_to_recordset(cast(:findings as json)) as a (
           number integer, definition text, answered boolean, online integer, bots integer, queue integer,
           max_online integer, details json)
      join servers s on s.number = a.number and a.definition = ${DEFINITION}
     where s.paused_at is null and (s.poll_slot is null or s.poll_slot < slot.start or s.poll_slot > clock_timestamp())
       and now() >= slot.start and now() < slot.start + slot.length
       for no key update of s skip locked
  ), measured as (
    update servers s set ${assignments(STATE_AFTER_POLL)}
      from polled a where s.number = a.number
    returning s.number, s.status, ${RECORDED_STATUS} as recorded, a.max_online as told_max,
              s.id, now() as at, a.answered as has_figures, a.online, a.queue, s.max_online,
              a.was_status, a.was_full_polls, a.was_online, a.was_queue
  ), recorded as (
    insert into online_records (server_number, checked_at, status, online, queue, max_online)
    select number, at, recorded, online, queue, told_max from measured
    on conflict (server_number, checked_at) do nothing
  ), forgotten as (
    delete from server_details told using polled a where told.server_number = a.number and a.details is null
  ), told as (
    insert into server_details as known (server_number, map, version, country, players)
    select a.number, a.details->>'map', a.details->>'version', a.details->>'country', (a.details->'players')::jsonb
      from polled a where a.details is not null
    on conflict (server_number) do update
      set map = excluded.map, version = excluded.version, country = excluded.country, players = excluded.players
      where (known.map, known.version, known.country, known.players)
        is distinct from (excluded.map, excluded.version, excluded.country, excluded.players)
  ), ${CROSSINGS}
  select number from measured`;

function assignments(columns: Readonly<Record<string, string>>): string {
  return Object.entries(columns)
    .map(([column, value]) => `${column} = ${value}`)
    .join(", ");
}

/** Polled servers without an answer, by name. */
export interface UnheardServers {
  /** Names of servers that have not been online for a day. */
  readonly silent: string[];
  /** Servers that are not polled, because the site may not connect to their address: `name (10.0.0.5:7777)`. */
  readonly refused: string[];
}

export async function listUnheardServers(db: Db): Promise<UnheardServers> {
  const rows = await selectRows<{ name: string; place: string | null }>(
    db,
    `select name, refused_place as place from servers
      where ${IS_POLLED}
        and (refused_place is not null
          or status <> 'online' and coalesce(last_online_at, created_at) < now() - interval '1 day')
      order by name collate name_order, id`,
  );
  return {
    silent: rows.flatMap(({ name, place }) => (place === null ? [name] : [])),
    refused: rows.flatMap(({ name, place }) => (place === null ? [] : [`${name} (${place})`])),
  };
}

/** The time of the last poll, if that is longer ago than it should be; undefined if all is well. */
export async function lastPollIfLate(db: Db): Promise<Date | undefined> {
  const { last } = await selectRow<{ last: Date | null }>(
    db,
    `select max(checked_at) as last from servers
      where ${IS_POLLED} and refused_place is null having max(checked_at) < now() - interval '15 minutes'
      union all select null limit 1`,
  );
  return last ?? undefined;
}
