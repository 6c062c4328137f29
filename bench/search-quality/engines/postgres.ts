import pg from "pg";
import type { CatalogueRecord } from "../catalogue.ts";
import { ANSWERS, type Engine, type Reply } from "./engine.ts";

/** $1 is the text, $2 and $3 are patterns for text that holds it and that begins with it. */
const ILIKE = `
  select id, min(name) as label from bench_names
   where name ilike $2 or id ilike $2
   group by id
   order by bool_or(lower(id) = lower($1)) desc, bool_or(name ilike $3) desc, min(char_length(name)), id
   limit ${ANSWERS}`;

const SIMILARITY = `
  select id, min(name) as label from bench_names
   where name % $1
   group by id order by max(similarity(name, $1)) desc, id limit ${ANSWERS}`;

const WORD_SIMILARITY = `
  select id, min(name) as label from bench_names
   where $1 <% name
   group by id order by max(word_similarity($1, name)) desc, min(char_length(name)), id limit ${ANSWERS}`;

/** The engines, and how to let go of the connection that they share. */
export interface PostgresSearches {
  engines: Engine[];
  close(): Promise<void>;
}

/**
 * What Postgres has for it, over a temporary table of all names with the GIN indexes that the manual advises: ILIKE,
 * names that begin with the text and short ones first, and pg_trgm's similarity and word similarity with their
 * default limits. https://www.postgresql.org/docs/current/pgtrgm.html
 */
export async function createPostgresSearches(
  url: string,
  records: readonly CatalogueRecord[],
): Promise<PostgresSearches> {
  // Not from a pool, which would close the connection, and with it the table, while the other engines are measured.
  const client = new pg.Client({ connectionString: url, application_name: "bench" });
  await client.connect();
  await fillTable(client, records);
  const engines = [
    { name: "ILIKE", search: (text: string) => ask(client, ILIKE, patterns(text)) },
    { name: "similarity", search: (text: string) => ask(client, SIMILARITY, [text]) },
    { name: "word similarity", search: (text: string) => ask(client, WORD_SIMILARITY, [text]) },
  ];
  return { engines, close: () => client.end() };
}

async function fillTable(client: pg.Client, records: readonly CatalogueRecord[]): Promise<void> {
  const rows = records.flatMap(({ id, name, names }) =>
    [...new Set([name, ...Object.values(names)])].map((each) => [id, each]),
  );
  await client.query("create extension if not exists pg_trgm");
  await client.query("create temporary table bench_names (id text not null, name text not null)");
  await client.query("insert into bench_names select * from unnest($1::text[], $2::text[])", [
    rows.map(([id]) => id),
    rows.map(([, name]) => name),
  ]);
  await client.query("create index on bench_names using gin (name gin_trgm_ops)");
  await client.query("create index on bench_names using gin (id gin_trgm_ops)");
  await client.query("analyze bench_names");
}

function patterns(text: string): string[] {
  const escaped = text.replace(/[\\%_]/g, "\\$&");
  return [text, `%${escaped}%`, `${escaped}%`];
}

async function ask(client: pg.Client, sql: string, values: string[]): Promise<Reply> {
  const { rows } = await client.query<Reply["answers"][number]>(sql, values);
  return { answers: rows };
}
