import type { Db } from "../db/connect.ts";
import { selectRows } from "../db/rows.ts";
import type { CatalogueKind } from "../words/kinds/kinds.ts";

/** How many records of a large kind are sampled. */
const LOOKED_AT = 50_000;

type Table = CatalogueKind | "donate_items";

/** The attributes that records of a kind or of the shop have, with the different texts of each, at most 200 a key. */
export async function listAttributes(db: Db, table: Table): Promise<Map<string, string[]>> {
  const rows = await selectRows<{ key: string; values: string[] }>(
    db,
    `with looked as (select attributes from ${table} limit ${LOOKED_AT}),
     held as (select distinct key, case when jsonb_typeof(value) in ('array', 'object') then null else value #>> '{}' end as value
                from looked, jsonb_each(attributes))
     select key, (array_agg(value order by value) filter (where char_length(value) <= 100))[1:200] as values
       from held group by key`,
  );
  return new Map(rows.map(({ key, values }) => [key, values ?? []]));
}

/** The categories of a table, at most 1,000. */
export async function listCategoryWords(db: Db, table: Table): Promise<string[]> {
  return db(table).distinct("category").whereNotNull("category").limit(1_000).pluck("category");
}
