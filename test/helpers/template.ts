import type { Knex } from "knex";
import { createDb } from "../../src/db/connect.ts";
import { PATIENT } from "./patience.ts";

interface Template {
  name: string;
  /** The database that it is a clone of. */
  from: string;
  fill(db: Knex): Promise<unknown>;
}

/**
 * Makes a database that others are cloned from. Closed to connections, because a database cannot be cloned while
 * anybody is connected to it.
 */
export async function makeTemplate(adminUrl: string, { name, from, fill }: Template): Promise<void> {
  const admin = createDb({ url: adminUrl, poolMax: 1, ...PATIENT });
  try {
    await admin.raw("create database ?? template ??", [name, from]);
    await fillDatabase(adminUrl, name, fill);
    await admin.raw("alter database ?? with allow_connections false", [name]);
  } finally {
    await admin.destroy();
  }
}

async function fillDatabase(adminUrl: string, name: string, fill: Template["fill"]): Promise<void> {
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  const db = createDb({ url: url.href, ...PATIENT });
  await fill(db).finally(() => db.destroy());
}

/** The name of the run's database with the demo data. */
export function demoTemplate(databasePrefix: string): string {
  return `${databasePrefix}_demo`;
}
