import { readdir, readFile } from "node:fs/promises";
import type { Knex } from "knex";
import { selectRow } from "../../src/db/rows.ts";
import { tableOf } from "../report.ts";

/** What is measured, by the head of its column. */
export type Sample = Readonly<Record<Column, number>>;

export const COLUMNS = [
  "RSS MB",
  "heap MB",
  "outside MB",
  "files",
  "threads",
  "timers etc.",
  "connections",
  "database MB",
  "tables MB",
  "dead rows",
  "answers MB",
  "kept files",
] as const;
type Column = (typeof COLUMNS)[number];

const MB = 1024 * 1024;

/** @param site where its process tells its metrics, and its DATA_DIR */
export async function takeSample(
  db: Knex,
  { pid, metrics, directory }: { pid: number; metrics: string; directory: string },
): Promise<Sample> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  const told = await (await fetch(metrics)).text();
  const metric = (name: string) => Number(new RegExp(`^${name}(?:{[^}]*})? (\\S+)`, "m").exec(told)?.[1]);
  const { connections, database, tables, dead } = await selectRow<Record<string, number>>(
    db,
    `select (select count(*) from pg_stat_activity where datname = current_database())::int as connections,
            pg_database_size(current_database())::float8 as database,
            (select sum(pg_total_relation_size(oid)) from pg_class where relkind = 'r' and relname <> 'items')::float8
              as tables,
            (select sum(n_dead_tup) from pg_stat_user_tables)::float8 as dead`,
  );
  return {
    "RSS MB": Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024,
    "heap MB": metric("nodejs_heap_size_used_bytes") / MB,
    "outside MB": metric("nodejs_external_memory_bytes") / MB,
    files: (await readdir(`/proc/${pid}/fd`)).length,
    threads: Number(/Threads:\s+(\d+)/.exec(status)?.[1]),
    "timers etc.": metric("nodejs_active_resources_total"),
    connections: connections ?? Number.NaN,
    "database MB": (database ?? Number.NaN) / MB,
    "tables MB": (tables ?? Number.NaN) / MB,
    "dead rows": dead ?? Number.NaN,
    "answers MB": metric("almanac_remembered_answers_bytes") / MB,
    "kept files": (await readdir(directory, { recursive: true })).length,
  };
}

/** The means of the second and the last quarter, and what grew by more than a twentieth. */
export function compareQuarters(samples: readonly Sample[]): string {
  const quarter = Math.max(1, Math.floor(samples.length / 4));
  const mean = (name: Column, part: readonly Sample[]) =>
    part.reduce((sum, sample) => sum + sample[name], 0) / part.length;
  const [second, last] = [samples.slice(quarter, 2 * quarter), samples.slice(-quarter)];
  const rows = COLUMNS.map((name) => {
    const [before, after] = [mean(name, second), mean(name, last)];
    const grew = after > before * 1.05 ? `grew by ${((after / before - 1) * 100).toFixed(0)} %` : "flat";
    return [name, before.toFixed(1), after.toFixed(1), grew];
  });
  return tableOf([["", "second quarter", "last quarter", ""], ...rows]);
}
