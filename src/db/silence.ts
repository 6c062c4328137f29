import type { Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { counted } from "../settings/counted.ts";

/**
 * A connection whose packets are lost looks like one with a slow query: nothing arrives, and the kernel keeps resending
 * for 15 minutes. So after a few seconds a new connection checks whether the server works on the query. If not, the
 * connection is ended and its query fails; connections that were idle meanwhile leave the pool too.
 */
const SILENT_MS = 2_000;
const LOOK_EVERY_MS = 500;
/** Time for the response of a query that has just ended. */
const ON_THE_WAY_MS = 500;
const ASK_MS = 3_000;

/** Identifies a process of the server, because another process may have the pid by now. */
const BACKEND = "pid || '@' || extract(epoch from backend_start)";

export interface SilenceWatch {
  /** Prepares a new connection by some SQL, and watches it until it ends. */
  begin(connection: pg.ClientBase, sql: string): Promise<void>;
}

/** Properties that pg's types leave out. */
interface Connection extends pg.ClientBase {
  readonly connection: { readonly stream: Socket };
  readonly processID: number;
  readonly readyForQuery: boolean;
}

interface Watched {
  readonly connection: Connection;
  /** The server's process by BACKEND; null behind a pooler; undefined while unknown. */
  backend: string | null | undefined;
  bytesRead: number;
  /** When the last bytes arrived, and since when it has been waiting for some, by `performance.now()`. */
  heardAt: number;
  waitingSince: number | undefined;
}

/**
 * Watches connections with the same settings.
 * @param unreachableMs a query fails after this time without a response while no new connection can be made
 * @param log gets a line for connections that were closed
 */
export function watchSilence(
  settings: pg.ClientConfig,
  { unreachableMs, log }: { unreachableMs: number; log: (line: string) => void },
): SilenceWatch {
  const watched = new Set<Watched>();
  let timer: NodeJS.Timeout | undefined;
  let isAsking = false;

  const tick = () => {
    for (const one of watched) listen(one);
    for (const one of watched) {
      if (one.backend === undefined && silence(one) > (settings.connectionTimeoutMillis ?? ASK_MS)) end(one);
    }
    const silent = [...watched].filter((one) => silence(one) >= SILENT_MS);
    if (silent.length === 0 || isAsking) return;
    isAsking = true;
    void look(silent).finally(() => {
      isAsking = false;
    });
  };

  async function look(silent: Watched[]): Promise<void> {
    const lost = await askServer(settings, silent, () => idleSince(watched, silent));
    const given = lost === "unreachable" ? silent.filter((one) => silence(one) >= unreachableMs) : lost;
    for (const one of given) end(one);
    if (given.length > 0) log(`gave up ${counted(given.length, "silent database connection")}`);
  }

  const remove = (one: Watched) => {
    watched.delete(one);
    if (watched.size === 0) clearInterval(timer);
  };
  return {
    begin: async (client, sql) => {
      const connection = client as unknown as Connection;
      const now = performance.now();
      const one: Watched = { connection, backend: undefined, bytesRead: 0, heardAt: now, waitingSince: now };
      if (watched.size === 0) timer = setInterval(tick, LOOK_EVERY_MS).unref();
      watched.add(one);
      connection.once("end", () => remove(one));
      one.backend = await prepare(connection, sql);
    },
  };
}

async function prepare(connection: Connection, sql: string): Promise<string | null> {
  const own = `select pid, ${BACKEND} as backend from pg_stat_activity where pid = pg_backend_pid()`;
  // Several statements in one query have several results.
  const results = (await connection.query(`${sql};${own}`)) as pg.QueryResult | pg.QueryResult[];
  const [row] = [results].flat().at(-1)?.rows ?? [];
  return row?.pid === connection.processID ? row.backend : null;
}

function listen(one: Watched): void {
  const now = performance.now();
  const { bytesRead } = one.connection.connection.stream;
  const isWaiting = !one.connection.readyForQuery;
  const heard = bytesRead !== one.bytesRead;
  if (heard) one.heardAt = now;
  one.bytesRead = bytesRead;
  if (!isWaiting) one.waitingSince = undefined;
  else if (heard || one.waitingSince === undefined) one.waitingSince = now;
}

/** Milliseconds that a connection has been waiting for a response. */
function silence({ waitingSince }: Watched): number {
  return waitingSince === undefined ? 0 : performance.now() - waitingSince;
}

/** Idle connections whose last bytes are older than the silence of others, so they are likely lost as well. */
function idleSince(watched: Set<Watched>, silent: Watched[]): Watched[] {
  const first = Math.min(...silent.map(({ waitingSince = Number.POSITIVE_INFINITY }) => waitingSince));
  const isIdle = (one: Watched) =>
    one.waitingSince === undefined && one.connection.getTransactionStatus() === "I";
  return [...watched].filter((one) => isIdle(one) && one.heardAt <= first);
}

/** The lost connections among the silent ones, with `others` if there are any; ends their processes on the server. */
async function askServer(
  settings: pg.ClientConfig,
  silent: Watched[],
  others: () => Watched[],
): Promise<Watched[] | "unreachable"> {
  const limits = { connectionTimeoutMillis: ASK_MS, query_timeout: ASK_MS };
  const connection = new pg.Client({ ...settings, ...limits });
  connection.on("error", () => undefined);
  try {
    const since = new Map(silent.map((one) => [one, one.waitingSince]));
    await connection.connect();
    const busy = await findBusy(connection, silent);
    const idle = silent.filter(({ backend }) => typeof backend === "string" && !busy.has(backend));
    if (idle.length === 0) return [];
    await delay(ON_THE_WAY_MS, undefined, { ref: false });
    for (const one of idle) listen(one);
    const lost = idle.filter((one) => silence(one) > 0 && one.waitingSince === since.get(one));
    if (lost.length === 0) return [];
    const all = [...lost, ...others()];
    await letGo(connection, all).catch(() => undefined);
    return all;
  } catch (error) {
    // An error of the server, such as too many connections, proves nothing.
    return error instanceof pg.DatabaseError ? [] : "unreachable";
  } finally {
    connection.connection.stream.destroy();
  }
}

/** The server's processes that are executing a query, except those whose response nobody reads. */
async function findBusy(connection: pg.Client, silent: Watched[]): Promise<Set<string>> {
  const { rows } = await connection.query<{ backend: string }>(
    `select ${BACKEND} as backend from pg_stat_activity
      where ${BACKEND} = any($1)
        and coalesce(state, 'disabled') in ('active', 'fastpath function call', 'disabled')
        and wait_event is distinct from 'ClientWrite'`,
    [silent.map(({ backend }) => backend)],
  );
  return new Set(rows.map(({ backend }) => backend));
}

async function letGo(connection: pg.Client, lost: Watched[]): Promise<void> {
  await connection.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where ${BACKEND} = any($1)`,
    [lost.map(({ backend }) => backend)],
  );
}

function end({ connection }: Watched): void {
  const lost = new Error("the database fell silent on this connection");
  connection.connection.stream.destroy(Object.assign(lost, { code: "ETIMEDOUT" }));
}
