import type { Db } from "../db/connect.ts";
import { selectRow, selectRows } from "../db/rows.ts";
import { IS_POLLED, IS_WATCHED } from "../records/server-sql.ts";
import { type Bucket, type HistoryWithSummary, nothingKnown, readHistories } from "./history/histories.ts";
import { findOutages, type Outage } from "./history/outages.ts";
import { selectBuckets, selectFailures } from "./history/queries.ts";
import { RANGES, type RangeName } from "./history/ranges.ts";
import type { Details, Figures } from "./poller/adapter.ts";
import { readStandings, STANDING_GRID, type Standings } from "./standing.ts";

/** How long responses about servers are cached: figures come with each poll, and expire by the clock. */
export const LIVE: { dependsOn: ["servers"]; isTimeSensitive: true } = {
  dependsOn: ["servers"],
  isTimeSensitive: true,
};

export const STATUSES = ["online", "offline", "unknown"] as const;
export type ServerStatus = (typeof STATUSES)[number];

/**
 * The current figures of a server; `online` is null unless it is online, and `bots` and `queue` if it does not report
 * them. Figures that are older than 15 minutes are not current: the status is unknown then, and the figures are the
 * last ones.
 */
export interface ServerState {
  id: string;
  online: number | null;
  bots: number | null;
  queue: number | null;
  max_online: number | null;
  status: ServerStatus;
  /** Not polled until an operator resumes it; its status is unknown. */
  paused: boolean;
  checked_at: Date | null;
  last_online_at: Date | null;
  /** The figures at `last_online_at`, also while the server is not online. */
  figures: Figures;
  /** Null unless it is offline and the start of its outage is known. */
  offline_since: Date | null;
}

/** A server as its pages and /api/data show it, with its history and its summary. */
export interface Server extends ServerState, HistoryWithSummary {
  /** Its number in the tables of the history. */
  number: number;
  name: string;
  game: string | null;
  address: string | null;
  url: string | null;
  language: string | null;
  description: string | null;
  /** Descriptions by locale. */
  descriptions: Record<string, string>;
  attributes: Record<string, unknown>;
  demo: boolean;
  created_at: Date;
  updated_at: Date;
  /** True if this site polls the server. */
  polled: boolean;
  /** True if its figures are still updated, by polls or imports. */
  watched: boolean;
  /** Servers of a group are listed together. */
  group_name: string | null;
  /** Rank in the default order, from 1. */
  position: number;
  /** The rank that the operator chose for that order. */
  own_position: number | null;
}

/** All servers over one grid of times. */
export interface ServerBoard {
  /** Time of the newest record; null without one. */
  generatedAt: Date | null;
  /** Starts of the buckets, in epoch seconds. */
  times: number[];
  /** In the default order: by group, by `position` if it is set, then by name. */
  servers: Server[];
}

/** SQL: all servers with their rank. A group is as high as the first of its servers. */
const RANKED = `
  select *, row_number() over (
           order by group_position nulls last, group_name nulls last, position nulls last, name collate name_order, id
         )::integer as place
    from (select *, min(position) over (partition by group_name) as group_position from servers) as grouped`;

/**
 * SQL: the status of a row `server`, by the one rule for old figures. A site polls at least every five minutes; imports
 * have to come as often to count as current.
 */
export const STATUS = `case when server.checked_at < now() - interval '15 minutes' then 'unknown' else server.status end`;

const CURRENT = `
  server.id, ${STATUS} as status, server.max_online, server.checked_at, server.last_online_at, server.offline_since,
  server.paused_at is not null as paused,
  case when ${STATUS} = 'online' then server.online end as online,
  case when ${STATUS} = 'online' then server.bots end as bots,
  case when ${STATUS} = 'online' then server.queue end as queue,
  json_build_object('online', server.online, 'bots', server.bots, 'queue', server.queue,
                    'max_online', server.max_online) as figures`;

/** Current figures of every server, in the default order. */
export async function listServerStates(
  db: Db,
): Promise<{ generatedAt: Date | null; servers: ServerState[] }> {
  const rows = await selectRows<ServerState>(
    db,
    `select ${CURRENT} from (${RANKED}) as server order by server.place`,
  );
  return { generatedAt: newest(rows.map((row) => row.checked_at)), servers: rows };
}

/** The name and current figures of one server; undefined for an unknown id. */
export async function findServerState(
  db: Db,
  id: string,
): Promise<(ServerState & { name: string }) | undefined> {
  const sql = `select server.name, ${CURRENT} from servers as server where server.id = ?`;
  const [state] = await selectRows<ServerState & { name: string }>(db, sql, [id]);
  return state;
}

/** Current figures of the servers with these ids; unknown ids are left out. */
export async function findServerStates(db: Db, ids: string[]): Promise<ServerState[]> {
  const sql = `select ${CURRENT} from servers as server where server.id = any(?)`;
  return selectRows<ServerState>(db, sql, [ids]);
}

/** One server with its history of a range; `server` is undefined for an unknown id. */
export async function loadServer(
  db: Db,
  id: string,
  range: RangeName = "24h",
): Promise<{ generatedAt: Date | null; times: number[]; intervalS: number; server: Server | undefined }> {
  const { generatedAt, times, servers } = await loadServerBoard(db, range, id);
  return { generatedAt, times, intervalS: RANGES[range].intervalS, server: servers[0] };
}

/** The details of a server's last response, while they are current. */
export async function findDetails(
  db: Db,
  { number, status, polled }: Pick<Server, "number" | "status" | "polled">,
): Promise<Details | undefined> {
  if (!polled || status !== "online") return undefined;
  return db("server_details").where({ server_number: number }).first("map", "version", "country", "players");
}

/** A server's outages since a time, oldest first, as exact as the stored history (see findOutages). */
export async function loadOutages(db: Db, id: string, from: Date): Promise<Outage[]> {
  const [failures, row] = await Promise.all([
    selectFailures(db, id, from),
    selectRow<{ now: number; polled: boolean }>(
      db,
      `select extract(epoch from now())::double precision as now,
              exists (select from servers where id = ? and adapter is not null) as polled`,
      [id],
    ),
  ]);
  return findOutages(failures, row);
}

/** Every server, or the one with an id, with its history of a range. */
export async function loadServerBoard(
  db: Db,
  range: RangeName = "24h",
  id: string | null = null,
): Promise<ServerBoard> {
  const [servers, buckets] = await Promise.all([selectServers(db, id), selectBuckets(db, RANGES[range], id)]);
  const histories = readHistories(buckets);
  return {
    generatedAt: newest([...servers, ...buckets].map((row) => row.checked_at)),
    times: buckets.map((bucket: Bucket) => bucket.start),
    servers: servers.map((server) => ({
      ...server,
      ...(histories.get(server.number) ?? nothingKnown(buckets.length)),
    })),
  };
}

/** How every server has done over the last 90 days, with its rank among all. */
export async function loadStandings(db: Db): Promise<Standings> {
  return readStandings(await selectBuckets(db, STANDING_GRID, null));
}

type ServerRow = Omit<Server, keyof HistoryWithSummary>;

async function selectServers(db: Db, id: string | null): Promise<ServerRow[]> {
  return selectRows<ServerRow>(
    db,
    `select ${CURRENT}, server.number, server.name, server.game, server.address, server.url, server.language,
            server.description, server.descriptions, server.attributes, server.demo,
            server.created_at, server.updated_at, server.place as position,
            server.position as own_position,
            server.group_name, ${IS_POLLED} as polled, ${IS_WATCHED} as watched
       from (${RANKED}) as server
      where ?::text is null or server.id = ?
      order by server.place`,
    [id, id],
  );
}

function newest(times: (Date | null)[]): Date | null {
  return times.reduce((latest, time) => (time && (!latest || time > latest) ? time : latest), null);
}

/**
 * Pauses or resumes the polls of a server; resolves to what that changed, if anything. Nothing is known of a paused server, so
 * it is not down: no outage lasts on, nobody is alerted, and its uptime has a gap.
 */
export async function setPaused(transaction: Db, id: string, isPaused: boolean) {
  const state = {
    status: "unknown",
    offline_since: null,
    missed_polls: 0,
    full_polls: 0,
    refused_place: null,
  };
  const changed = await transaction("servers")
    .where({ id })
    .whereRaw("(paused_at is not null) <> ?", [isPaused])
    .update({ ...state, paused_at: isPaused ? transaction.fn.now() : null });
  return changed > 0 ? { before: { paused: !isPaused }, after: { paused: isPaused } } : undefined;
}

/** Gives the servers the order of their ids. */
export async function orderServers(transaction: Db, ids: readonly string[]): Promise<void> {
  await transaction.raw(
    `update servers t set position = n.place, revision = t.revision + 1,
            updated_at = greatest(clock_timestamp(), t.updated_at + interval '1 microsecond')
       from unnest(?::text[]) with ordinality as n (id, place)
      where n.id = t.id and t.position is distinct from n.place`,
    [[...ids]],
  );
}
