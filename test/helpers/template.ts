import type { Knex } from "knex";
import { createDb } from "../../src/db/connect.ts";
import { PATIENT } from "./patience.ts";

/** The server of a run: its superuser, and whom the site works as. */
export interface TestServer {
  readonly adminUrl: string;
  readonly siteUrl: string;
}

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
export async function makeTemplate(server: TestServer, { name, from, fill }: Template): Promise<void> {
  const { adminUrl, siteUrl } = server;
  const admin = createDb({ url: adminUrl, poolMax: 1, ...PATIENT });
  try {
    await createDatabase(admin, { name, from, siteUrl });
    try {
      await fillDatabase(siteUrl, name, fill);
    } catch (error) {
      // Half of a template would be taken for a whole one.
      await admin.raw("drop database ?? with (force)", [name]);
      throw error;
    }
    await admin.raw("alter database ?? with allow_connections false", [name]);
  } finally {
    await admin.destroy();
  }
}

/**
 * Postgres copies the files of a database at a third of the cost of writing all pages to the log, which is what it does
 * unless told. An operator's server may be older than the choice, which came with version 15.
 */
const STRATEGY = process.env.TEST_DATABASE_URL ? "" : "strategy file_copy";

/** Postgres gives up after five seconds while a session of the template is left; on a busy machine one ends later. */
const TRIES = 12;

/** A database of the site's role, as the embedded one is. */
export async function createDatabase(
  admin: Knex,
  { name, from, siteUrl, options = "" }: { name: string; from: string; siteUrl: string; options?: string },
): Promise<void> {
  const owner = decodeURIComponent(new URL(siteUrl).username);
  const sql = owner === "" ? "create database ?? template ??" : "create database ?? template ?? owner ??";
  const values = owner === "" ? [name, from] : [name, from, owner];
  for (let tries = 1; ; tries++) {
    try {
      await admin.raw(`${sql} ${STRATEGY} ${options}`, values);
      return;
    } catch (error) {
      const isInUse = (error as { code?: string }).code === "55006";
      if (!isInUse || tries === TRIES) throw error;
    }
  }
}

async function fillDatabase(siteUrl: string, name: string, fill: Template["fill"]): Promise<void> {
  const url = new URL(siteUrl);
  url.pathname = `/${name}`;
  const db = createDb({ url: url.href, ...PATIENT });
  await fill(db).finally(() => db.destroy());
}
