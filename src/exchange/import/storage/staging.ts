import { pipeline } from "node:stream/promises";
import type { Knex } from "knex";
import type { Client } from "pg";
import type * as copyStreams from "pg-copy-streams";
import { lazyPackage } from "../../../settings/lazy-package.ts";
import { definitionOf, type ImportKind } from "../kinds.ts";

const loadCopyStreams = lazyPackage<typeof copyStreams>("pg-copy-streams");

/** One staged record; an invalid one has no row, and is staged only for its id. */
export interface Staged {
  readonly record: number;
  readonly id: string;
  readonly row?: Readonly<Record<string, unknown>>;
}

/** The temporary table of a run: record number, validity, attributes' texts that became numbers, and the columns of the kind. */
export const STAGING = "import_staging";

/** Bytes sent to Postgres at once. */
const CHUNK = 65_536;

const ESCAPES: Record<string, string> = { "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** Creates the temporary table; it is dropped at the latest with the transaction. */
export async function createStaging(transaction: Knex.Transaction, kind: ImportKind): Promise<void> {
  const columns = Object.entries(columnsOf(kind)).map(([name, type]) => `${name} ${type}`);
  await transaction.raw(`create temporary table ${STAGING} (${columns.join(", ")}) on commit drop`);
}

/** Copies rows into the temporary table as fast as Postgres takes them. */
export async function fillStaging(
  transaction: Knex.Transaction,
  kind: ImportKind,
  staged: AsyncIterable<Staged>,
  { isSmall = false }: { isSmall?: boolean | undefined } = {},
): Promise<void> {
  const columns = Object.keys(columnsOf(kind));
  const connection: Client = await transaction.client.acquireConnection(); // inside a transaction: its own
  const copy = connection.query(loadCopyStreams().from(`copy ${STAGING} (${columns.join(", ")}) from stdin`));
  await pipeline(encode(staged, columns), copy);
  if (!isSmall) await transaction.raw(`analyze ${STAGING}`);
}

/** Gives attributes that hold more than numbers the texts back that were read as such. */
export async function restoreTexts(transaction: Knex.Transaction, keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return;
  await transaction.raw(
    `update ${STAGING} set attributes = attributes ||
       (select jsonb_object_agg(key, value) from jsonb_each(texts) where key = any(:keys::text[]))
     where exists (select from jsonb_object_keys(texts) as key where key = any(:keys::text[]))`,
    { keys },
  );
}

/** Drops the temporary table, so that another import can follow in the same transaction. */
export async function dropStaging(transaction: Knex.Transaction): Promise<void> {
  await transaction.raw(`drop table ${STAGING}`);
}

function columnsOf(kind: ImportKind): Record<string, string> {
  const { content, state } = definitionOf(kind);
  const texts: Record<string, string> = "attributes" in content ? { texts: "jsonb" } : {};
  return { record: "integer", valid: "boolean", id: 'text collate "C"', ...texts, ...content, ...state };
}

async function* encode(staged: AsyncIterable<Staged>, columns: string[]): AsyncGenerator<string> {
  let chunk = "";
  for await (const { record, id, row } of staged) {
    const values: Record<string, unknown> = { ...row, record, id, valid: row !== undefined };
    chunk += `${columns.map((column) => encodeValue(values[column])).join("\t")}\n`;
    if (chunk.length < CHUNK) continue;
    yield chunk;
    chunk = "";
  }
  if (chunk !== "") yield chunk;
}

/** https://www.postgresql.org/docs/current/sql-copy.html#id-1.9.3.55.9.2 */
function encodeValue(value: unknown): string {
  if (value === null || value === undefined) return "\\N";
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  return text.replace(/[\\\n\r\t]/g, (character) => ESCAPES[character] ?? character);
}
