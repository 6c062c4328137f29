import { pipeline } from "node:stream/promises";
import type { Knex } from "knex";
import type { Client } from "pg";
import type * as copyStreams from "pg-copy-streams";
import { lazyPackage } from "../settings/lazy-package.ts";

const loadCopyStreams = lazyPackage<typeof copyStreams>("pg-copy-streams");

/** Characters sent to Postgres at once. */
const CHUNK = 65_536;

const ESCAPES: Record<string, string> = { "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t" };

type Row<Column extends string> = { readonly [column in Column]?: unknown };
type Rows<Column extends string> = Iterable<Row<Column>> | AsyncIterable<Row<Column>>;

/**
 * Copies rows into a table as fast as Postgres takes them. Objects are written as JSON, and dates as in JSON. A missing
 * value is null.
 */
export async function copyRows<Column extends string>(
  transaction: Knex.Transaction,
  table: string,
  columns: readonly Column[],
  rows: Rows<Column>,
): Promise<void> {
  // Within a transaction, this is its own connection.
  const connection: Client = await transaction.client.acquireConnection();
  const copy = connection.query(loadCopyStreams().from(`copy ${table} (${columns.join(", ")}) from stdin`));
  await pipeline(encode(columns, rows), copy);
}

async function* encode<Column extends string>(
  columns: readonly Column[],
  rows: Rows<Column>,
): AsyncGenerator<string> {
  let chunk = "";
  for await (const row of rows) {
    chunk += `${columns.map((column) => encodeValue(row[column])).join("\t")}\n`;
    if (chunk.length < CHUNK) continue;
    yield chunk;
    chunk = "";
  }
  if (chunk !== "") yield chunk;
}

/** https://www.postgresql.org/docs/current/sql-copy.html#id-1.9.3.55.9.2 */
function encodeValue(value: unknown): string {
  if (value === null || value === undefined) return "\\N";
  if (value instanceof Date) return value.toISOString();
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  return text.replace(/[\\\n\r\t]/g, (character) => ESCAPES[character] ?? character);
}
