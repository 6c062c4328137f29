import type { Db } from "../../db/connect.ts";
import { selectRow, selectRows } from "../../db/rows.ts";
import { cutText } from "../../words/text/cut.ts";
import { isObject } from "../../words/text/json.ts";
import { definitionOf, type ImportKind } from "../import/kinds.ts";
import { isTouched, joinRecords } from "./undo.ts";

/** An import, or the undo of one. */
export interface ListedImport {
  readonly id: number;
  readonly kind: ImportKind;
  readonly at: Date;
  readonly source: string | null;
  readonly file: string | null;
  readonly via: "site" | "command";
  readonly user_name: string | null;
  readonly added: number;
  readonly changed: number;
  readonly removed: number;
  readonly words: number;
  /** The number of the import that this one undoes. */
  readonly undo_of: number | null;
  readonly undone_by: number | null;
  /** The ids of two records that were merged, or separated by the undo of that. */
  readonly merged_from: string | null;
  readonly merged_into: string | null;
}

/** The latest imports, below an id. */
export async function listImports(
  db: Db,
  { id, before, limit }: { id?: number; before?: number | undefined; limit: number },
): Promise<ListedImport[]> {
  return selectRows<ListedImport>(
    db,
    `select i.id, i.kind, i.at, i.source, i.file, i.via, i.user_name, i.added, i.changed, i.removed, i.undo_of,
            i.merged_from, i.merged_into,
            coalesce(jsonb_array_length(i.words), 0) as words, u.id as undone_by
       from imports i left join imports u on u.undo_of = i.id
      where i.via is not null and (:id::bigint is null or i.id = :id) and (:before::bigint is null or i.id < :before)
      order by i.id desc limit :limit`,
    { id: id ?? null, before: before ?? null, limit },
  );
}

/** Changes of an import of each sort that are shown. */
export const CHANGES_SHOWN = 50;

interface ChangedRecord {
  readonly id: string;
  readonly action: "added" | "changed" | "removed";
  readonly isTouched: boolean;
  /** The name of the record, or what a relation or a discount shows instead. */
  readonly name: string | null;
  /** Empty unless the record was changed and is there. */
  readonly fields: readonly { readonly field: string; readonly before: string; readonly after: string }[];
}

/** What an import changed: how many records somebody has touched since, and the first of each sort. */
export interface Changes {
  readonly touched: number;
  readonly records: readonly ChangedRecord[];
}

type Row = Readonly<Record<string, unknown>>;

/** The changes of an import against the records as they are now, touched ones first. */
export async function listChanges(db: Db, id: number, kind: ImportKind): Promise<Changes> {
  const { table, content, label = "r.name" } = definitionOf(kind);
  const name = (row: string) => label.replaceAll("r.", `${row}.`);
  const { touched } = await selectRow<{ touched: number }>(
    db,
    `select (count(*) filter (where ${isTouched(kind)}))::int as touched from ${joinRecords(kind)} where c.import_id = :id`,
    { id, kind },
  );
  const rows = await selectRows<Omit<ChangedRecord, "fields"> & { before: Row | null; now: Row | null }>(
    db,
    `select c.id, c.action, s.is_touched as "isTouched", c.before, to_jsonb(t) as now,
            coalesce(${name("t")}, ${name("b")}) as name
       from (select c.id, ${isTouched(kind)} as is_touched,
                    row_number() over (partition by c.action order by ${isTouched(kind)} desc, c.id) as place
               from ${joinRecords(kind)}
              where c.import_id = :id and c.action <> 'kept') s
       join import_changes c on c.import_id = :id and c.id = s.id
       left join ${table} t on t.id = c.id
      cross join lateral jsonb_populate_record(null::${table}, c.before) b
      where s.place <= ${CHANGES_SHOWN}
      order by c.action, s.place`,
    { id, kind },
  );
  const columns = Object.keys(content);
  return {
    touched,
    records: rows.map(({ before, now, ...record }) => ({
      ...record,
      fields: record.action === "changed" && before && now ? changedFields(columns, before, now) : [],
    })),
  };
}

/** The fields that differ, and of those with parts, the parts: `names.ru`. */
function changedFields(columns: readonly string[], before: Row, now: Row): ChangedRecord["fields"] {
  const [were, are] = [flatten(columns, before), flatten(columns, now)];
  return [...new Set([...were.keys(), ...are.keys()])]
    .filter((field) => were.get(field) !== are.get(field))
    .map((field) => ({ field, before: shownText(were, field), after: shownText(are, field) }));
}

function flatten(columns: readonly string[], row: Row): Map<string, string> {
  const entries = columns.flatMap((column): [string, unknown][] => {
    const value = row[column];
    if (!isObject(value)) return [[column, value]];
    return Object.entries(value).map(([key, part]) => [`${column}.${key}`, part]);
  });
  return new Map(entries.map(([field, value]) => [field, textOf(value)]));
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

const LONGEST = 200;

function shownText(values: ReadonlyMap<string, string>, field: string): string {
  return cutText(values.get(field) ?? "", LONGEST);
}
