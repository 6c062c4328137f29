import type { Knex } from "knex";
import { singularOf, storedKinds } from "../../../words/kinds/kinds.ts";
import type { ImportKind } from "../kinds.ts";
import { STAGING } from "./write-queries.ts";

/** SQL: the id of a relation with the ends of the row `r`, as src/exchange/import/records/relation.ts makes it. */
export function relationIdOf(r: string): string {
  const end = (name: string) =>
    `${r}.${name}_kind || ':' || replace(replace(${r}.${name}_id, '%', '%25'), ' ', '%20')`;
  return `concat_ws(' ', ${end("from")}, ${r}.kind, ${end("to")})`;
}

/** SQL: an id, or that of the record that it was merged into. `kind` is the noun of one record. */
function leftOf(kind: string, id: string): string {
  const kinds = storedKinds().map((each) => `when '${singularOf(each)}' then '${each}'`);
  return `coalesce(successor_of(case ${kind} ${kinds.join(" ")} end, ${id}), ${id})`;
}

/** Lets what is imported refer to the record that is left, where it names one that was merged. */
export async function followMerges(transaction: Knex.Transaction, kind: ImportKind): Promise<void> {
  if (kind !== "relations" && kind !== "donate-items") return;
  const [merged] = await transaction("catalogue_tombstones")
    .whereNotNull("merged_into")
    .limit(1)
    .select("id");
  if (!merged) return;
  if (kind === "donate-items") {
    await transaction.raw(
      `update ${STAGING} s set entity_id = ${leftOf("s.entity_kind", "s.entity_id")} where entity_id is not null`,
    );
    return;
  }
  // One of several that become the same relation stays valid, and none that becomes a relation of a record to itself.
  await transaction.raw(
    `update ${STAGING} s set id = n.new_id, from_id = n.from_id, to_id = n.to_id, valid = n.is_first
       from (select r.record, r.new_id, r.from_id, r.to_id, (r.from_kind, r.from_id) <> (r.to_kind, r.to_id)
                    and row_number() over (partition by r.new_id order by r.new_id <> r.id, r.record) = 1 as is_first
               from (select m.*, ${relationIdOf("m")} as new_id
                       from (select record, id, from_kind, ${leftOf("from_kind", "from_id")} as from_id, kind, to_kind,
                                    ${leftOf("to_kind", "to_id")} as to_id
                               from ${STAGING} where valid) m) r) n
      where n.record = s.record and s.valid and n.new_id <> s.id`,
  );
}
