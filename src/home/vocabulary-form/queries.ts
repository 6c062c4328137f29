import type { Db } from "../../db/connect.ts";
import { selectRows } from "../../db/rows.ts";
import { type CatalogueKind, catalogueKinds } from "../../words/kinds/kinds.ts";

/** How many records of a large kind are sampled. */
const LOOKED_AT = 20_000;
const KEYS_AT_MOST = 500;
const CATEGORIES_AT_MOST = 2_000;

/** An attribute with any kind of value, and the first and the last value as examples. */
export interface HeldAttribute {
  readonly key: string;
  readonly present: number;
  readonly first: string | null;
  readonly last: string | null;
}

/** The attributes of a kind's records, the most frequent first. */
export async function listHeldAttributes(db: Db, kind: CatalogueKind): Promise<HeldAttribute[]> {
  return selectRows<HeldAttribute>(
    db,
    `with looked as materialized (select attributes from ${kind} limit ${LOOKED_AT}),
     held as (select key, nullif(left(value #>> '{}', 60), '') collate "C" as text from looked, jsonb_each(attributes))
     select key, count(*)::integer as present, min(text) as first, max(text) as last
       from held group by key order by present desc, key limit ${KEYS_AT_MOST}`,
  );
}

/** The categories of all kinds and of the shop, with the number of their records. */
export async function listHeldCategories(db: Db): Promise<{ category: string; present: number }[]> {
  const tables = [...catalogueKinds(), "donate_items"]
    .map((table) => `select category from ${table} where category is not null`)
    .join(" union all ");
  return selectRows<{ category: string; present: number }>(
    db,
    `select category, count(*)::integer as present from (${tables}) as held
      group by category order by present desc, category limit ${CATEGORIES_AT_MOST}`,
  );
}
