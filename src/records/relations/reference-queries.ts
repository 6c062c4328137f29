import type { Knex } from "knex";
import type { Db } from "../../db/connect.ts";
import { selectRows } from "../../db/rows.ts";
import { singularOf } from "../../words/kinds/kinds.ts";
import type { ReferenceAttribute } from "../../words/vocabulary/references.ts";
import { referenceRelation } from "./kinds.ts";

/** An attribute that the database follows; see migrations/20261125170000_refer_by_attributes.ts. */
interface FollowedAttribute {
  kind: string;
  one: string;
  key: string;
  to_kind: string;
  to_one: string;
  is_list: boolean;
  id_field: string;
  count_field: string;
}

/** The lock for changing the followed attributes; writers of records share it. */
const LOCK = "almanac reference attributes";

/**
 * Makes the database follow these attributes and no others: builds the relations of new ones from all records, and
 * deletes those of others. Resolves to whether anything changed. One of several processes works, and the next ones find
 * nothing to do.
 */
export async function followAttributes(
  db: Knex,
  references: readonly ReferenceAttribute[],
): Promise<boolean> {
  const wanted = references.map(toFollowed);
  if (isSame(await listFollowed(db), wanted)) return false;
  return db.transaction(async (transaction) => {
    // No statement timeout, because a large kind takes long, and waits for a running import.
    await transaction.raw("set local statement_timeout = 0");
    await transaction.raw("select pg_advisory_xact_lock(hashtext(?))", [LOCK]);
    const followed = await listFollowed(transaction);
    const gone = without(followed, wanted);
    const added = without(wanted, followed);
    for (const { kind, key } of gone) {
      await transaction("attribute_relations")
        .where({ kind: referenceRelation({ kind, key }) })
        .delete();
      await transaction("reference_attributes").where({ kind, key }).delete();
    }
    for (const attribute of added) {
      await transaction("reference_attributes").insert(attribute);
      await transaction.raw("select make_references(?, ?)", [attribute.kind, attribute.key]);
    }
    if (added.length > 0) await transaction.raw("analyze attribute_relations");
    return gone.length + added.length > 0;
  });
}

async function listFollowed(db: Db): Promise<FollowedAttribute[]> {
  return selectRows<FollowedAttribute>(db, "select * from reference_attributes order by kind, key");
}

function toFollowed({
  kind,
  key,
  toKind,
  isList,
  idField,
  countField,
}: ReferenceAttribute): FollowedAttribute {
  return {
    kind,
    one: singularOf(kind),
    key,
    to_kind: toKind,
    to_one: singularOf(toKind),
    is_list: isList,
    id_field: idField,
    count_field: countField,
  };
}

function isSame(some: readonly FollowedAttribute[], others: readonly FollowedAttribute[]): boolean {
  return without(some, others).length === 0 && without(others, some).length === 0;
}

/** The items of one list that are not in another. */
function without(
  some: readonly FollowedAttribute[],
  others: readonly FollowedAttribute[],
): FollowedAttribute[] {
  const known = new Set(others.map(textOf));
  return some.filter((each) => !known.has(textOf(each)));
}

function textOf(attribute: FollowedAttribute): string {
  const { kind, one, key, to_kind, to_one, is_list, id_field, count_field } = attribute;
  return JSON.stringify([kind, one, key, to_kind, to_one, is_list, id_field, count_field]);
}

/** How many records of a large kind are sampled. */
const LOOKED_AT = 50_000;
const EXAMPLES = 3;

/** How many different missing entries an attribute names, with some of them. */
export async function findUnknown(db: Db, reference: ReferenceAttribute) {
  const { kind, key, toKind, isList, idField, countField } = reference;
  const rows = await selectRows<{ said: string; unknown: number }>(
    db,
    `select said, (count(*) over ())::int as unknown
       from (select distinct v.said
               from (select attributes -> :key as value from ${kind} limit ${LOOKED_AT}) e
              cross join lateral references_in(e.value, :isList, :idField, :countField) v
              where e.value is not null) named
      where not exists (select from ${toKind} where id = named.said)
        and (select count(*) from (
              select from ${toKind} where name collate name_order = named.said limit 2) n) <> 1
      order by said limit ${EXAMPLES}`,
    { key, isList, idField, countField },
  );
  return { unknown: rows[0]?.unknown ?? 0, examples: rows.map(({ said }) => said) };
}
