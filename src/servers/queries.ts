import type { Db } from "../db/connect.ts";
import {
  BUCKETS,
  type Bucket,
  emptyHistory,
  type History,
  type HistorySummary,
  INTERVAL_S,
  readHistories,
  summarise,
} from "./history.ts";

export const STATUSES = ["online", "offline", "unknown"] as const;
export type ServerStatus = (typeof STATUSES)[number];

/** The current figures of a server; `online` is null unless it is online, and `queue` where it does not tell. */
export interface ServerState {
  id: string;
  online: number | null;
  queue: number | null;
  max_online: number | null;
  status: ServerStatus;
  checked_at: Date | null;
  last_online_at: Date | null;
}

/** A server as its pages and /api/data show it. */
export interface Server extends ServerState, HistorySummary {
  name: string;
  game: string | null;
  address: string | null;
  url: string | null;
  language: string | null;
  description: string | null;
  attributes: Record<string, unknown>;
  demo: boolean;
  updated_at: Date;
  /** True when the current figures are more than an hour old, which is no longer "now". */
  outdated: boolean;
  /** Place in the default order, from 1. */
  position: number;
  history: History;
}

/** All servers over one grid of times. */
export interface ServerBoard {
  /** Time of the newest record in it; null where there is none. */
  generatedAt: Date | null;
  /** Starts of the buckets, in epoch seconds. */
  times: number[];
  /** In the default order: by `position` where one is set, then by name. */
  servers: Server[];
}

const INTERVAL = `interval '${INTERVAL_S} seconds'`;

const RANKED = `
  select *, row_number() over (order by position nulls last, name collate "C", id)::integer as place from servers`;

const OUTDATED = "server.checked_at < now() - interval '1 hour'";

const CURRENT = `
  server.id, server.status, server.max_online, server.checked_at, server.last_online_at,
  case when server.status = 'online' then server.online end as online,
  case when server.status = 'online' then server.queue end as queue`;

/** Current figures of every server, in the default order. */
export async function listServerStates(
  db: Db,
): Promise<{ generatedAt: Date | null; servers: ServerState[] }> {
  const { rows } = await db.raw(`select ${CURRENT} from (${RANKED}) as server order by server.place`);
  return { generatedAt: newest(rows.map((row: ServerState) => row.checked_at)), servers: rows };
}

/** Every server with its last 24 hours. */
export async function loadServerBoard(db: Db): Promise<ServerBoard> {
  return loadBoard(db, null);
}

/** One server with its last 24 hours; `server` is undefined where there is none of this id. */
export async function loadServer(
  db: Db,
  id: string,
): Promise<{ times: number[]; server: Server | undefined }> {
  const { times, servers } = await loadBoard(db, id);
  return { times, server: servers[0] };
}

async function loadBoard(db: Db, id: string | null): Promise<ServerBoard> {
  const [servers, buckets] = await Promise.all([selectServers(db, id), selectBuckets(db, id)]);
  const histories = readHistories(buckets);
  return {
    generatedAt: newest([...servers, ...buckets].map((row) => row.checked_at)),
    times: buckets.map((bucket) => bucket.start),
    servers: servers.map((server) => {
      const history = histories.get(server.id) ?? emptyHistory();
      return { ...server, ...summarise(history), history };
    }),
  };
}

type ServerRow = Omit<Server, keyof HistorySummary | "history">;

async function selectServers(db: Db, id: string | null): Promise<ServerRow[]> {
  const { rows } = await db.raw(
    `select ${CURRENT}, server.name, server.game, server.address, server.url, server.language, server.description,
            server.attributes, server.demo, server.updated_at, server.place as position,
            coalesce(${OUTDATED}, false) as outdated
       from (${RANKED}) as server
      where ?::text is null or server.id = ?
      order by server.place`,
    [id, id],
  );
  return rows;
}

/**
 * One row for each bucket of the grid, by the database's clock: it is the one that the records were written by.
 * Records of the future (from a poller whose clock runs ahead) are left out.
 *
 * Going bucket by bucket reads the records in the order they lie in and groups a few thousand at a time: at 500
 * servers with a record a minute this takes 0.3 s, a join by server 0.9 s and one grouping of all 0.5 s.
 */
async function selectBuckets(db: Db, id: string | null): Promise<Bucket[]> {
  const { rows } = await db.raw(
    `select extract(epoch from bucket.start)::double precision as start, measured.*
       from generate_series(date_bin(${INTERVAL}, now(), 'epoch') - ${INTERVAL} * ${BUCKETS - 1}, now(), ${INTERVAL})
         as bucket (start)
      cross join lateral (
        select json_agg(server_id) as ids, json_agg(online) as online, json_agg(queue) as queue, json_agg(up) as up,
               max(checked_at) as checked_at
          from (
            select server_id, round(avg(online))::integer as online, round(avg(queue))::integer as queue,
                   bool_or(status = 'online') filter (where status <> 'unknown') as up,
                   max(checked_at) as checked_at
              from online_records
             where checked_at >= bucket.start and checked_at < bucket.start + ${INTERVAL} and checked_at <= now()
               and (?::text is null or server_id = ?)
             group by server_id
          ) as server
      ) as measured
      order by bucket.start`,
    [id, id],
  );
  return rows;
}

function newest(times: (Date | null)[]): Date | null {
  return times.reduce((latest, time) => (time && (!latest || time > latest) ? time : latest), null);
}
