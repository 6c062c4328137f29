import type { Db } from "../../db/connect.ts";
import { listStoredKinds } from "../../db/own-kinds.ts";
import { selectRow, selectRows } from "../../db/rows.ts";
import { STATUS } from "../../servers/queries.ts";
import { BUILT_IN_KINDS } from "../../words/kinds/kinds.ts";

export interface ServerState {
  readonly version: string;
  /** On disk. */
  readonly bytes: number;
  /** A standby, or a database that is configured to refuse writes. */
  readonly isReadOnly: boolean;
  readonly connections: number;
  readonly maxConnections: number;
  /** Seconds since the oldest open transaction on this database began; 0 for none. */
  readonly oldestTransactionS: number;
  /** Queries of this database that wait for a lock. */
  readonly blocked: number;
}

/** The state of the database server. */
export async function readServerState(db: Db): Promise<ServerState> {
  return selectRow(
    db,
    `select current_setting('server_version') as version,
            pg_database_size(current_database())::float8 as bytes,
            pg_is_in_recovery() or current_setting('transaction_read_only') = 'on' as "isReadOnly",
            count(*)::int as connections,
            current_setting('max_connections')::int as "maxConnections",
            coalesce(extract(epoch from now() - min(xact_start)
              filter (where datname = current_database() and pid <> pg_backend_pid())), 0)::float8 as "oldestTransactionS",
            (count(*) filter (where datname = current_database() and wait_event_type = 'Lock'))::int as blocked
       from pg_stat_activity where backend_type = 'client backend'`,
  );
}

export interface LetterState {
  readonly encoding: string;
  readonly ctype: string;
  /** Whether `lower` changes letters outside ASCII; only known for UTF8. */
  readonly foldsLetters: boolean;
  /** Whether names are sorted by ICU, not by code point. */
  readonly sortsNames: boolean;
}

/** What the database knows of letters. */
export async function readLetterState(db: Db): Promise<LetterState> {
  const state = await selectRow<Omit<LetterState, "foldsLetters">>(
    db,
    `select pg_encoding_to_char(encoding) as encoding, datctype as ctype,
            coalesce((select bool_or(collprovider = 'i') from pg_collation where collname = 'name_order'), true)
              as "sortsNames"
       from pg_database where datname = current_database()`,
  );
  if (state.encoding !== "UTF8") return { ...state, foldsLetters: false };
  const { folds } = await selectRow<{ folds: boolean }>(db, "select lower('Ж') = 'ж' as folds");
  return { ...state, foldsLetters: folds };
}

/** The largest tables with their indexes; of a partitioned one all parts together. */
export async function listLargestTables(db: Db, limit: number): Promise<{ name: string; bytes: number }[]> {
  return selectRows(
    db,
    `select coalesce(parent.relname, child.relname) as name,
            sum(pg_total_relation_size(child.oid))::float8 as bytes
       from pg_class child
       left join pg_inherits on pg_inherits.inhrelid = child.oid
       left join pg_class parent on parent.oid = pg_inherits.inhparent
      where child.relkind = 'r' and child.relnamespace = 'public'::regnamespace
      group by 1 order by 2 desc, 1 limit ?`,
    [limit],
  );
}

/** Records of each kind, the operator's own included, of servers and of the shop. */
export async function countRecords(db: Db): Promise<{ kind: string; count: number }[]> {
  const own = (await listStoredKinds(db)).map(({ kind }) => kind);
  const kinds = [...new Set([...BUILT_IN_KINDS, ...own, "servers"])].map((kind) => [kind, kind]);
  const tables = [...kinds, ["shop items", "donate_items"]];
  const counts = tables.map((_, at) => `select ${at} as at, ? as kind, count(*)::int as count from ??`);
  const bindings = tables.flat();
  return selectRows(
    db,
    `select kind, count from (${counts.join(" union all ")}) counted where count > 0 order by at`,
    bindings,
  );
}

/** Players of all servers that are online, and how many servers are not. */
export async function readPlayers(db: Db): Promise<{ players: number; online: number; servers: number }> {
  return selectRow(
    db,
    `select coalesce(sum(online) filter (where ${STATUS} = 'online'), 0)::int as players,
            (count(*) filter (where ${STATUS} = 'online'))::int as online, count(*)::int as servers
       from servers as server`,
  );
}
