import type { Db } from "./connect.ts";
import { selectRow, selectRows } from "./rows.ts";

/** Data that a change of the schema destroys. */
export type Loss =
  | { readonly kind: "table"; readonly table: string; readonly rows: number }
  /** `values`: how many rows have one. */
  | { readonly kind: "column"; readonly table: string; readonly column: string; readonly values: number }
  | { readonly kind: "rows"; readonly table: string; readonly rows: number };

/** Tables and columns by the numbers that Postgres knows them by, which stay when one is renamed. */
type Contents = Map<string, Table>;

interface Table {
  readonly name: string;
  readonly rows: number;
  readonly columns: Map<number, { readonly name: string; readonly values: number }>;
}

/** Runs `change`, which alters the schema in the transaction of `db`, and tells what it has destroyed. */
export async function findLosses(db: Db, change: () => Promise<unknown>): Promise<Loss[]> {
  const before = await readContents(db);
  await change();
  const after = await readContents(db);
  return [...before].flatMap(([oid, table]) => compare(table, after.get(oid)));
}

function compare(before: Table, after: Table | undefined): Loss[] {
  const table = before.name;
  if (!after) return [{ kind: "table", table, rows: before.rows }];
  const columns = [...before.columns]
    .filter(([number]) => !after.columns.has(number))
    .map(([, { name, values }]): Loss => ({ kind: "column", table, column: name, values }));
  const rows = before.rows - after.rows;
  return rows > 0 ? [...columns, { kind: "rows", table, rows }] : columns;
}

/** The rows of partitions are counted with their table; Knex' own list changes with every migration. */
async function readContents(db: Db): Promise<Contents> {
  const rows = await selectRows<{ oid: string; schema: string; name: string; columns: Column[] | null }>(
    db,
    `select c.oid::text, n.nspname as schema, c.relname as name,
            (select json_agg(json_build_object('number', attnum, 'name', attname) order by attnum)
               from pg_attribute where attrelid = c.oid and attnum > 0 and not attisdropped) as columns
       from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where c.relkind in ('r', 'p') and not c.relispartition
        and n.nspname not like 'pg\\_%' and n.nspname <> 'information_schema'
        and c.relname not like 'knex\\_migrations%'
      order by 2, 3`,
  );
  const contents: Contents = new Map();
  for (const { oid, ...table } of rows) contents.set(oid, await count(db, table));
  return contents;
}

interface Column {
  readonly number: number;
  readonly name: string;
}

async function count(
  db: Db,
  { schema, name, columns }: { schema: string; name: string; columns: Column[] | null },
): Promise<Table> {
  const listed = columns ?? [];
  const values = listed.map(() => "count(??)").join(", ");
  const { counts } = await selectRow<{ counts: number[] }>(
    db,
    `select array[count(*)${values && `, ${values}`}]::double precision[] as counts from ??.??`,
    [...listed.map((column) => column.name), schema, name],
  );
  const [all, ...each] = counts;
  return {
    name: schema === "public" ? name : `${schema}.${name}`,
    rows: all ?? 0,
    columns: new Map(
      listed.map((column, index) => [column.number, { name: column.name, values: each[index] ?? 0 }]),
    ),
  };
}
