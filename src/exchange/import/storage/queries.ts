import type { Knex } from "knex";
import { selectRow, selectRows } from "../../../db/rows.ts";
import { loweredPrice } from "../../../records/prices/prices.ts";
import { LEVELS, RECORDS } from "../../../servers/history/levels.ts";
import { type LazyText, lazyText } from "../../../words/i18n/lazy-text.ts";
import { isCatalogueKind, singularOf, storedKinds } from "../../../words/kinds/kinds.ts";
import type { ImportOptions } from "../arguments.ts";
import { definitionOf, type ImportKind } from "../kinds.ts";
import { type RecordedImport, recordRemovals } from "./change-queries.ts";
import {
  contentDiffers,
  contentOf,
  isTakenOver,
  mayWrite,
  STAGING,
  stagedState,
  stateDiffers,
  stateOf,
  type WriteScope,
} from "./write-queries.ts";

const MOST_NAMED = 10;

/** The first records that a run would add, change and remove, and the fields that would change. */
export interface Preview {
  readonly added: { id: string; name: string }[];
  readonly changed: { id: string; name: string; fields: string[] }[];
  readonly removed: { id: string; name: string }[];
}

const SHOWN = 20;

/**
 * SQL: true for records whose id is nowhere in the file, not even in an invalid record; of a source, only for those
 * that belong to it.
 */
function isGone(source: string | undefined): string {
  const gone = `not exists (select from ${STAGING} s where s.id = t.id)`;
  return source === undefined ? gone : `${gone} and ${OWN}`;
}

const OWN =
  "exists (select from record_sources p where p.kind = :kind and p.id = t.id and p.source = :source)";

/** How many more records are refused by a check in the database, and the errors of the first ones. */
export interface RefusedRecords {
  readonly refused: number;
  readonly errors: {
    readonly record: number;
    readonly id: string;
    readonly field: string;
    readonly reason: LazyText;
  }[];
}

/** Lifts the time limits meant for requests, and gives memory to sort a million ids, until the transaction ends. */
export async function prepareSession(transaction: Knex.Transaction): Promise<void> {
  await transaction.raw(`
    set local statement_timeout = 0;
    set local idle_in_transaction_session_timeout = 0;
    set local work_mem = '128MB'`);
}

/** Until the transaction ends, no other import of the kind compares or writes. */
export async function lockKind(transaction: Knex.Transaction, kind: ImportKind): Promise<void> {
  await transaction.raw("select pg_advisory_xact_lock(hashtext(?))", [`almanac import ${kind}`]);
}

/** Starts an import that tombstones can name, until `endImport` or the end of the transaction. Resolves to its id. */
export async function beginImport(transaction: Knex.Transaction, kind: ImportKind): Promise<number> {
  const { id } = await selectRow<{ id: number }>(
    transaction,
    "insert into imports (kind, at) values (?, clock_timestamp()) returning id",
    [kind],
  );
  await nameImport(transaction, `${id}`);
  return id;
}

/** Ends an import; one that changed nothing leaves no row. */
export async function endImport(
  transaction: Knex.Transaction,
  id: number,
  { isChange }: { isChange: boolean },
): Promise<void> {
  await nameImport(transaction, "");
  if (!isChange) await transaction("imports").where({ id }).delete();
}

/** Triggers read this (migrations/20261123130000_follow_catalogue_changes.ts). */
async function nameImport(transaction: Knex.Transaction, name: string): Promise<void> {
  await transaction.raw("select set_config('almanac.import_id', ?, true)", [name]);
}

/**
 * Refuses records whose id an earlier record of the file has, valid or not. Reports at most `limit` of them, each at the
 * fields that make the id.
 */
export async function refuseRepeatedIds(
  transaction: Knex.Transaction,
  { field, limit }: { field: string; limit: number },
): Promise<RefusedRecords> {
  const firsts = `select id, min(record) as record from ${STAGING} group by id having count(*) > 1`;
  const rows = await selectRows<{ record: number; id: string; first: number; refused: number }>(
    transaction,
    `select s.record, s.id, f.record as first, (count(*) filter (where s.valid) over ())::int as refused
       from ${STAGING} s join (${firsts}) f on f.id = s.id and f.record < s.record
      order by s.record limit ?`,
    [limit],
  );
  if (rows.length === 0) return { refused: 0, errors: [] };
  await transaction.raw(
    `update ${STAGING} s set valid = false from (${firsts}) f where f.id = s.id and f.record < s.record`,
  );
  const errors = rows.map(({ record, id, first }) => {
    return { record, id, field, reason: lazyText("refusals.repeats", { id: JSON.stringify(id), first }) };
  });
  return { refused: rows[0]?.refused ?? 0, errors };
}

/** A percentage that does not lower the price of its item. */
interface IdlePercent {
  item_price: string;
  currency: string;
  percent: string;
}

const JUDGED_DISCOUNTS = `
  select s.record, case
    when d.id is null then array['item_key', 'no_item', s.item_key]
    when d.price is null and s.percent is not null then array['percent', 'no_price']
    when s.price >= d.price then array['price', 'not_below', d.price::text]
    when idle.percent is not null then array['percent', 'not_lower', d.price::text]
  end as problem
  from ${STAGING} s
    left join donate_items d on d.id = s.item_key
    left join unnest(:prices::numeric[], :currencies::text[], :percents::numeric[]) as idle (price, currency, percent)
      on (idle.price, idle.currency, idle.percent) = (d.price, d.currency, s.percent)
  where s.valid`;

function discountRefusal(problem: string, detail = ""): LazyText {
  if (problem === "no_item") return lazyText("refusals.no_item", { item: JSON.stringify(detail) });
  if (problem === "no_price") return lazyText("refusals.no_price");
  return lazyText(problem === "not_below" ? "refusals.not_below" : "refusals.not_lower", { price: detail });
}

/** Refuses discounts of unknown items, and those that would not lower the price of their item. */
export async function refuseBadDiscounts(
  transaction: Knex.Transaction,
  limit: number,
): Promise<RefusedRecords> {
  await lockDiscountedItems(transaction);
  const idle = await listIdlePercents(transaction);
  const rows = await selectRows<{
    record: number;
    id: string;
    problem: [field: string, problem: string, detail?: string];
    refused: number;
  }>(
    transaction,
    `with bad as (
       update ${STAGING} s set valid = false from (${JUDGED_DISCOUNTS}) j
        where j.record = s.record and j.problem is not null
       returning s.record, s.id, j.problem)
     select *, (count(*) over ())::int as refused from bad order by record limit :limit`,
    {
      limit,
      prices: idle.map(({ item_price }) => item_price),
      currencies: idle.map(({ currency }) => currency),
      percents: idle.map(({ percent }) => percent),
    },
  );
  const errors = rows.map(({ record, id, problem: [field, ...problem] }) => {
    return { record, id, field, reason: discountRefusal(...problem) };
  });
  return { refused: rows[0]?.refused ?? 0, errors };
}

/** Keeps the items of the discounts until the transaction ends, and waits for those that are just being removed. */
async function lockDiscountedItems(transaction: Knex.Transaction): Promise<void> {
  await transaction.raw(
    `select from donate_items where id in (select item_key from ${STAGING} where valid) order by id for key share`,
  );
}

/** Percentages that rounding turns into no discount. Only those of less than a whole coin can be, so only they are computed. */
async function listIdlePercents(transaction: Knex.Transaction): Promise<IdlePercent[]> {
  const rows = await selectRows<IdlePercent>(
    transaction,
    `select distinct d.price as item_price, d.currency, s.percent
       from ${STAGING} s join donate_items d on d.id = s.item_key
      where s.valid and d.price * s.percent < 100`,
  );
  return rows.filter(
    ({ item_price, currency, percent }) =>
      loweredPrice({ price: item_price, currency }, { percent, price: null }) === null,
  );
}

/** Gives each staged relation its place among those of the same kind from the same entry. */
export async function numberRelations(transaction: Knex.Transaction): Promise<void> {
  await transaction.raw(`
    update ${STAGING} s set position = n.position
      from (select record, row_number() over (partition by from_kind, from_id, kind order by record) as position
              from ${STAGING} where valid) n
     where n.record = s.record and n.position > 1`);
}

/** What an operator should know of relations that name an entry that is not there: no warning where all are. */
export async function warnOfDanglingEnds(transaction: Knex.Transaction): Promise<LazyText[]> {
  const ends = ["from", "to"].flatMap((end) => storedKinds().map((kind) => [end, kind] as const));
  const parts = ends.map(
    ([end, kind]) => `
      select record, '${singularOf(kind)}:' || ${end}_id as name from ${STAGING} s
       where valid and ${end}_kind = '${singularOf(kind)}'
         and not exists (select from ${kind} e where e.id = s.${end}_id)`,
  );
  const rows = await selectRows<{ name: string; names: number }>(
    transaction,
    `select name, (count(*) over ())::int as names from (${parts.join(" union all ")}) missing
      group by name order by min(record) limit ${MOST_NAMED}`,
  );
  const [first] = rows;
  if (!first) return [];
  const names = rows.map(({ name }) => name).join(", ");
  const more = first.names - rows.length;
  const all = more > 0 ? lazyText("refusals.and_more", { names, more }) : names;
  return [lazyText("refusals.dangling", { names: all })];
}

/** Reads what a run is about to do, before anything is written. */
export async function readPreview(
  transaction: Knex.Transaction,
  scope: WriteScope,
  { prune = false, origin }: Pick<ImportOptions, "prune" | "origin">,
): Promise<Preview> {
  const { table, label: name = "r.name" } = definitionOf(scope.kind);
  const label = (alias: string) => name.replaceAll("r.", `${alias}.`);
  const staged = `from ${STAGING} s left join ${table} t on t.id = s.id where s.valid`;
  const bindings = { kind: scope.kind, source: origin?.source ?? null };
  const select = <Row extends object>(sql: string) =>
    selectRows<Row>(transaction, `${sql} limit ${SHOWN}`, bindings);
  return {
    added: await select(`select s.id, ${label("s")} as name ${staged} and t.id is null order by s.record`),
    changed: await select(
      `select s.id, ${label("s")} as name, ${changedFields(scope)} as fields ${staged} and t.id is not null
          and ${mayWrite(scope, "t")}
          and (${isTakenOver(scope, "t")} or ${contentDiffers(scope, "t", "s")} or ${stateDiffers(scope, "t", "s")})
        order by s.record`,
    ),
    removed: prune
      ? await select(
          `select t.id, ${label("t")} as name from ${table} t where ${isGone(origin?.source)} order by t.id`,
        )
      : [],
  };
}

function changedFields(scope: WriteScope): string {
  const columns = [...contentOf(scope), ...stateOf(scope)];
  const fields = columns.map(
    (column) => `case when t.${column} is distinct from ${staged(scope, column)} then '${column}' end`,
  );
  return `array_remove(array[${fields.join(", ")}]::text[], null)`;
}

function staged(scope: WriteScope, column: string): string {
  return stateOf(scope).includes(column) ? stagedState("s", column) : `s.${column}`;
}

/** How many records there are of a kind, or of a source, and how many of them are not in the file. */
export async function countGone(
  transaction: Knex.Transaction,
  kind: ImportKind,
  source: string | undefined,
): Promise<{ there: number; gone: number }> {
  const { table } = definitionOf(kind);
  // Two counts: within one, Postgres would check the condition row by row instead of joining.
  return selectRow<{ there: number; gone: number }>(
    transaction,
    `select (select count(*) from ${table} t where ${source === undefined ? "true" : OWN})::int as there,
            (select count(*) from ${table} t where ${isGone(source)})::int as gone`,
    { kind, source: source ?? null },
  );
}

/** Deletes records that are not in the file; resolves to how many favorites and discounts went with them. */
export async function removeGone(
  transaction: Knex.Transaction,
  kind: ImportKind,
  { source, recorded }: { source: string | undefined; recorded: RecordedImport | undefined },
): Promise<{ favorites: number; discounts: number }> {
  const { table, dependents = [] } = definitionOf(kind);
  const counts = { favorites: 0, discounts: 0 };
  const bindings = { kind, source: source ?? null };
  for (const { what, table: dependent, column } of dependents) {
    if (what === undefined) continue;
    const row = await selectRow<{ count: number }>(
      transaction,
      `select count(*)::int as count from ${dependent} d join ${table} t on t.id = d.${column} where ${isGone(source)}`,
      bindings,
    );
    counts[what] = row.count;
  }
  if (recorded) await recordRemovals(transaction, recorded, isGone(source), source);
  await transaction.raw(`delete from ${table} t where ${isGone(source)}`, bindings);
  return counts;
}

/** The ids of demo records that the staged ones take over. */
export async function listTakenOver(transaction: Knex.Transaction, scope: WriteScope): Promise<string[]> {
  const { table } = definitionOf(scope.kind);
  const rows = await selectRows<{ id: string }>(
    transaction,
    `select t.id::text as id from ${table} t join ${STAGING} s on s.id = t.id where s.valid and ${isTakenOver(scope, "t")}`,
  );
  return rows.map(({ id }) => id);
}

/** Removes the demo's past, relations and discounts of records that are the operator's own now. */
export async function forgetDemo(
  transaction: Knex.Transaction,
  kind: ImportKind,
  ids: readonly string[],
  at: string,
): Promise<void> {
  const word = isCatalogueKind(kind) ? singularOf(kind) : kind;
  for (const statement of statementsFor(kind))
    await transaction.raw(statement, { kind, word, ids: [...ids], at });
}

function statementsFor(kind: ImportKind): string[] {
  if (kind === "donate-items") return PRICES;
  if (kind === "servers") return POLLS;
  if (!isCatalogueKind(kind)) return [];
  return [
    "delete from catalogue_revisions where kind = :kind and entry_id = any(:ids)",
    `delete from relations where demo
        and (from_kind = :word and from_id = any(:ids) or to_kind = :word and to_id = any(:ids))`,
  ];
}

const PRICES = [
  "delete from discounts where demo and item_key = any(:ids)",
  `delete from discount_versions v where item_key = any(:ids)
      and not exists (select from discounts d where d.id = v.discount_id)`,
  "delete from price_versions where item_key = any(:ids) and valid_to is not null",
  "update price_versions set valid_from = cast(:at as timestamptz) where item_key = any(:ids)",
];

const OF_SERVERS = "server_number in (select number from servers where id = any(:ids))";

const POLLS = [
  ...[RECORDS.table, ...Object.values(LEVELS).map(({ table }) => table), "server_crossings"].map(
    (table) => `delete from ${table} where ${OF_SERVERS}`,
  ),
  `update servers set status = 'unknown', checked_at = null, last_online_at = null, online = null, queue = null,
          max_online = null, bots = null, full_polls = 0
    where id = any(:ids)`,
];
