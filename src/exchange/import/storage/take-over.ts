import type { Knex } from "knex";
import { selectRows } from "../../../db/rows.ts";
import { LEVELS, RECORDS } from "../../../servers/history/levels.ts";
import { isCatalogueKind, singularOf } from "../../../words/kinds/kinds.ts";
import { definitionOf, type ImportKind } from "../kinds.ts";
import { isTakenOver, type WriteScope } from "./comparison.ts";
import { STAGING } from "./staging.ts";

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
