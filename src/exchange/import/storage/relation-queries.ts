import type { Knex } from "knex";
import { selectRows } from "../../../db/rows.ts";
import { singularOf, storedKinds } from "../../../words/kinds/kinds.ts";
import { STAGING } from "./staging.ts";

const MOST_NAMED = 10;

/** Gives each staged relation its place among those of the same kind from the same entry. */
export async function numberRelations(transaction: Knex.Transaction): Promise<void> {
  await transaction.raw(`
    update ${STAGING} s set position = n.position
      from (select record, row_number() over (partition by from_kind, from_id, kind order by record) as position
              from ${STAGING} where valid) n
     where n.record = s.record and n.position > 1`);
}

/** What an operator should know of relations that name an entry that is not there: no warning where all are. */
export async function warnOfDanglingEnds(transaction: Knex.Transaction): Promise<string[]> {
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
  const named = rows.map(({ name }) => name).join(", ");
  const more = first.names > rows.length ? ` and ${first.names - rows.length} more` : "";
  return [`not in the catalogue, so their relations are kept but not shown: ${named}${more}`];
}
