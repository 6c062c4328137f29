import type { Knex } from "knex";
import { copyRows } from "../../../db/copy-rows.ts";
import { selectRow, selectRows } from "../../../db/rows.ts";
import { CROSSINGS, fullPollsAfter, WAS } from "../../../servers/crossings.ts";
import { RAW_HOURS } from "../../../servers/history/levels.ts";
import { ensurePartitions, rewindHistory } from "../../../servers/history/roll-up.ts";
import { definitionOf, type ImportKind } from "../kinds.ts";

/** One staged record with its columns; an invalid one has none, and is staged only for its id. */
export interface Staged {
  readonly record: number;
  readonly id: string;
  readonly valid: boolean;
  readonly [column: string]: unknown;
}

/** The temporary table of a run: record number, validity, attributes' texts that became numbers, and the columns of the kind. */
export const STAGING = "import_staging";

export interface WriteScope {
  readonly kind: ImportKind;
  /** The columns that the file has; others keep their values. */
  readonly provided: readonly string[];
  /** Marks the records as demo records, and leaves others alone. */
  readonly demo: boolean;
  /** Demo records that the file names become records of the file alone, as if they had not been there. */
  readonly takesOver: boolean;
}

const MEASURED = ["status", "online", "queue"];

/** The time of all changes of a run. It is read under the lock, so it never goes back. */
export async function readClock(transaction: Knex.Transaction): Promise<string> {
  const row = await selectRow<{ now: string }>(transaction, "select clock_timestamp()::text as now");
  return row.now;
}

/**
 * Adds new staged records and overwrites those whose content differs. Resolves to how many of each. A demo record that is
 * taken over begins again with its first revision.
 */
export async function writeStaged(
  transaction: Knex.Transaction,
  scope: WriteScope,
  at: string,
): Promise<{ added: number; changed: number }> {
  const { table, content } = definitionOf(scope.kind);
  const columns = contentOf(scope);
  const isTaken = isTakenOver(scope, "t");
  const isNews = `(${mayWrite(scope, "o")} and (${isTakenOver(scope, "o")} or ${contentDiffers(scope, "o", "s")}))`;
  // `excluded` has the default for columns that are not in the file.
  const others = Object.keys(content).filter((column) => !columns.includes(column));
  const left = others.map((column) => {
    const isReset = column === "picture" ? `${isTaken} and not ${isUploaded(table)}` : isTaken;
    return `${column} = case when ${isReset} then excluded.${column} else t.${column} end`;
  });
  return selectRow<{ added: number; changed: number }>(
    transaction,
    `with written as (
       insert into ${table} as t (id, ${columns.join(", ")}, demo, created_at, updated_at)
       select s.id, ${columns.map((column) => `s.${column}`).join(", ")}, :demo, n.now, n.now
         from ${STAGING} s
         cross join (select cast(:at as timestamptz) as now) n
         left join ${table} o on o.id = s.id
        where s.valid and (o.id is null or ${isNews})
        order by s.id
       on conflict (id) do update set
         ${[...columns.map((column) => `${column} = excluded.${column}`), ...left].join(", ")},
         demo = excluded.demo,
         revision = case when ${isTaken} then 1 else t.revision + 1 end,
         created_at = case when ${isTaken} then excluded.created_at else t.created_at end,
         updated_at = greatest(excluded.updated_at, t.updated_at + interval '1 microsecond')
       returning id)
     -- This is the table as it was before.
     select (count(*) filter (where o.id is null))::int as added, count(o.id)::int as changed
       from written left join ${table} o on o.id = written.id`,
    { at, demo: scope.demo },
  );
}

/** SQL: whether an operator gave a row (`t`) its picture by hand. */
function isUploaded(table: string): string {
  return `exists (select from picture_uploads u
                   where u.kind = '${table}' and u.id = t.id and u.picture is not distinct from t.picture)`;
}

/**
 * Keeps the picture of records without a file, unless it is the demo's. Also keeps an operator's picture, unless the
 * file differs from the picture that it replaced: importing the same pictures again undoes no upload.
 */
export async function keepPictures(transaction: Knex.Transaction, scope: WriteScope): Promise<void> {
  const { table } = definitionOf(scope.kind);
  await transaction.raw(
    `update ${STAGING} s set picture = t.picture
       from ${table} t
       left join picture_uploads u on u.kind = :table and u.id = t.id and u.picture is not distinct from t.picture
      where t.id = s.id and s.picture is distinct from t.picture
        and (s.picture is null and t.picture is not null and (u.id is not null or not ${isTakenOver(scope, "t")})
          or u.id is not null and s.picture is not distinct from u.replaced)`,
    { table },
  );
}

/** Marks unchanged records as demo records or not, which makes no new revision. */
export async function markOwn(transaction: Knex.Transaction, scope: WriteScope): Promise<void> {
  const { table } = definitionOf(scope.kind);
  await transaction.raw(
    `update ${table} t set demo = :demo from ${STAGING} s
      where s.id = t.id and s.valid and ${mayWrite(scope, "t")} and t.demo <> :demo`,
    { demo: scope.demo },
  );
}

/** How many known servers change in state only. */
export async function countStateChanges(transaction: Knex.Transaction, scope: WriteScope): Promise<number> {
  const row = await selectRow<{ count: number }>(
    transaction,
    `select count(*)::int as count from ${STAGING} s join servers t on t.id = s.id
      where s.valid and ${mayWrite(scope, "t")} and not ${isTakenOver(scope, "t")}
        and ${stateDiffers(scope, "t", "s")} and not ${contentDiffers(scope, "t", "s")}`,
  );
  return row.count;
}

/** Writes new states of servers, adds recent measurements to the history, and notes what servers crossed by them. */
export async function writeStates(
  transaction: Knex.Transaction,
  scope: WriteScope,
  at: string,
): Promise<void> {
  const columns = stateOf(scope);
  if (columns.length === 0) return;
  const set = columns.map((column) => `${column} = ${stagedState("s", column)}`).join(", ");
  const isNews = `s.valid and ${mayWrite(scope, "t")} and ${stateDiffers(scope, "t", "s")}`;
  if (!isMeasured(scope)) {
    await transaction.raw(`update servers t set ${set} from ${STAGING} s where s.id = t.id and ${isNews}`);
    return;
  }
  await ensurePartitions(transaction, await listDays(transaction, at));
  const checked = "coalesce(s.checked_at, cast(:at as timestamptz))";
  const isOnline = "s.status = 'online'";
  const slots = columns.includes("max_online") ? "s.max_online" : "t.max_online";
  const fullPolls = fullPollsAfter(
    { was: "t", now: "s", slots },
    { offline: "s.status = 'offline'", measured: isOnline },
  );
  const row = await selectRow<{ oldest: Date | null }>(
    transaction,
    `with was as materialized (
       select t.number, ${WAS("t")} from ${STAGING} s join servers t on t.id = s.id where ${isNews} for no key update of t
     ), measured as (
       update servers t set ${set}, bots = null, checked_at = ${checked}, full_polls = ${fullPolls},
         last_online_at = case when ${isOnline} then greatest(t.last_online_at, ${checked}) else t.last_online_at end
         from ${STAGING} s, was where s.id = t.id and was.number = t.number and ${isNews}
       returning t.number, t.id, t.checked_at as at, t.status, coalesce(${isOnline}, false) as has_figures,
                 t.online, t.queue, t.max_online, was.was_status, was.was_full_polls, was.was_online, was.was_queue
     ), recorded as (
       insert into online_records (server_number, checked_at, status, online, queue, max_online)
       select number, at, status, online, queue, max_online from measured where at >= ${RECORDED_SINCE}
       on conflict (server_number, checked_at) do update set
         status = excluded.status, online = excluded.online, queue = excluded.queue, max_online = excluded.max_online
       returning checked_at
     ), ${CROSSINGS}
     select min(checked_at) as oldest from recorded`,
    { at },
  );
  if (row.oldest !== null) await rewindHistory(transaction, row.oldest);
}

/** SQL: older measurements set the state but stay out of the history, which is rolled up by then. */
const RECORDED_SINCE = `cast(:at as timestamptz) - interval '${RAW_HOURS} hours'`;

/** One time of each day on which measurements enter the history. */
async function listDays(transaction: Knex.Transaction, at: string): Promise<Date[]> {
  const rows = await selectRows<{ time: Date }>(
    transaction,
    `select min(checked_at) as time from ${STAGING} where valid and checked_at >= ${RECORDED_SINCE}
      group by date_bin('1 day', checked_at, 'epoch')`,
    { at },
  );
  return rows.map((row) => row.time);
}

/**
 * Updates the planner's statistics and flushes the pending lists of GIN indexes, instead of waiting for autovacuum.
 * Each search in such an index also reads its pending list, up to 4 MB.
 */
export async function refreshStatistics(transaction: Knex.Transaction, kind: ImportKind): Promise<void> {
  const { table } = definitionOf(kind);
  await transaction.raw(`analyze ${table}`);
  await transaction.raw(
    `select gin_clean_pending_list(indexes.oid) from pg_index
       join pg_class as indexes on indexes.oid = indexrelid join pg_am on pg_am.oid = relam
      where indrelid = '${table}'::regclass and amname = 'gin' and pg_has_role(relowner, 'usage')`,
  );
}

/** Creates the temporary table; it is dropped at the latest with the transaction. */
export async function createStaging(transaction: Knex.Transaction, kind: ImportKind): Promise<void> {
  const columns = Object.entries(columnsOf(kind)).map(([name, type]) => `${name} ${type}`);
  await transaction.raw(`create temporary table ${STAGING} (${columns.join(", ")}) on commit drop`);
}

/** Copies records into the temporary table. */
export async function fillStaging(
  transaction: Knex.Transaction,
  kind: ImportKind,
  staged: AsyncIterable<Staged>,
  { isSmall = false }: { isSmall?: boolean | undefined } = {},
): Promise<void> {
  await copyRows(transaction, STAGING, Object.keys(columnsOf(kind)), staged);
  if (!isSmall) await transaction.raw(`analyze ${STAGING}`);
}

/** Gives attributes that hold more than numbers the texts back that were read as such. */
export async function restoreTexts(transaction: Knex.Transaction, keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return;
  await transaction.raw(
    `update ${STAGING} set attributes = attributes ||
       (select jsonb_object_agg(key, value) from jsonb_each(texts) where key = any(:keys::text[]))
     where exists (select from jsonb_object_keys(texts) as key where key = any(:keys::text[]))`,
    { keys },
  );
}

/** Drops the temporary table, so that another import can follow in the same transaction. */
export async function dropStaging(transaction: Knex.Transaction): Promise<void> {
  await transaction.raw(`drop table ${STAGING}`);
}

function columnsOf(kind: ImportKind): Record<string, string> {
  const { content, state } = definitionOf(kind);
  const texts: Record<string, string> = "attributes" in content ? { texts: "jsonb" } : {};
  return { record: "integer", valid: "boolean", id: 'text collate "C"', ...texts, ...content, ...state };
}

/** The columns that the file sets and whose change makes a new revision. */
export function contentOf({ kind, provided }: WriteScope): string[] {
  const { content, whole = [], together = [] } = definitionOf(kind);
  const joint = together.some((column) => provided.includes(column)) ? together : [];
  const decided = [...provided, ...whole, ...joint];
  return Object.keys(content).filter((column) => decided.includes(column));
}

/** True if the file has states of servers, and not only their records. */
function isMeasured({ provided }: WriteScope): boolean {
  return MEASURED.some((column) => provided.includes(column));
}

/** The columns of a server's state that the file sets; a measurement sets all of its own. */
export function stateOf(scope: WriteScope): string[] {
  if (scope.kind !== "servers") return [];
  const columns = scope.provided.includes("max_online") ? ["max_online"] : [];
  return isMeasured(scope) ? [...MEASURED, ...columns] : columns;
}

/** SQL: whether two rows, by alias, have different content. */
export function contentDiffers(scope: WriteScope, a: string, b: string): string {
  return differs(
    contentOf(scope),
    (column) => `${a}.${column}`,
    (column) => `${b}.${column}`,
  );
}

/**
 * SQL: whether the staged state of a server replaces the known one. A measurement with a time does if it is later or a
 * correction, never if it is older; one without a time does if it differs.
 */
export function stateDiffers(scope: WriteScope, known: string, staged: string): string {
  const columns = stateOf(scope);
  const other = differs(
    columns,
    (column) => `${known}.${column}`,
    (column) => stagedState(staged, column),
  );
  if (!isMeasured(scope)) return other;
  return `case
    when ${staged}.checked_at is null then ${other}
    when ${known}.checked_at is null or ${staged}.checked_at > ${known}.checked_at then true
    when ${staged}.checked_at = ${known}.checked_at then ${other}
    else false end`;
}

/** SQL: the value of a state column in a staged row; a missing status is unknown. */
export function stagedState(staged: string, column: string): string {
  return column === "status" ? `coalesce(${staged}.status, 'unknown')` : `${staged}.${column}`;
}

/** SQL: whether this run makes a demo record the operator's own. */
export function isTakenOver({ takesOver }: WriteScope, known: string): string {
  return takesOver ? `${known}.demo` : "false";
}

/** SQL: whether this run may overwrite a row. */
export function mayWrite({ demo }: WriteScope, known: string): string {
  return demo ? `${known}.demo` : "true";
}

function differs(columns: string[], a: (column: string) => string, b: (column: string) => string): string {
  if (columns.length === 0) return "false";
  return `((${columns.map(a).join(", ")}) is distinct from (${columns.map(b).join(", ")}))`;
}
