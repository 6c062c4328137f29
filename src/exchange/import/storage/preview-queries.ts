import type { Knex } from "knex";
import { selectRows } from "../../../db/rows.ts";
import { definitionOf } from "../kinds.ts";
import {
  contentDiffers,
  contentOf,
  isTakenOver,
  mayWrite,
  stagedState,
  stateDiffers,
  stateOf,
  type WriteScope,
} from "./comparison.ts";
import { IS_GONE } from "./prune-queries.ts";
import { STAGING } from "./staging.ts";

/** The first records that a run would add, change and remove, and the fields that would change. */
export interface Preview {
  readonly added: { id: string; name: string }[];
  readonly changed: { id: string; name: string; fields: string[] }[];
  readonly removed: { id: string; name: string }[];
}

const SHOWN = 20;

/** Reads what a run is about to do, before anything is written. */
export async function readPreview(
  transaction: Knex.Transaction,
  scope: WriteScope,
  prune: boolean,
): Promise<Preview> {
  const { table, label: name = "r.name" } = definitionOf(scope.kind);
  const label = (alias: string) => name.replaceAll("r.", `${alias}.`);
  const staged = `from ${STAGING} s left join ${table} t on t.id = s.id where s.valid`;
  const select = <Row extends object>(sql: string) => selectRows<Row>(transaction, `${sql} limit ${SHOWN}`);
  return {
    added: await select(
      `select s.id, ${label("s")} as name ${staged} and (t.id is null or ${isTakenOver(scope, "t")}) order by s.record`,
    ),
    changed: await select(
      `select s.id, ${label("s")} as name, ${changedFields(scope)} as fields ${staged} and t.id is not null
          and not ${isTakenOver(scope, "t")} and ${mayWrite(scope, "t")} and (${contentDiffers(scope, "t", "s")} or ${stateDiffers(scope, "t", "s")})
        order by s.record`,
    ),
    removed: prune
      ? await select(`select t.id, ${label("t")} as name from ${table} t where ${IS_GONE} order by t.id`)
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
