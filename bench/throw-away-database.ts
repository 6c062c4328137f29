import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Knex } from "knex";
import { createDb } from "../src/db/connect.ts";
import { startEmbeddedPostgres } from "../src/db/embedded/start.ts";

/** Does some work on an empty database on a Postgres of its own; both are gone afterwards, however that went. */
export async function withThrowAwayDatabase<Result>(
  work: (db: Knex, url: string) => Promise<Result>,
): Promise<Result> {
  const home = await mkdtemp(path.join(tmpdir(), "almanac-bench-"));
  const postgres = await startEmbeddedPostgres({
    directory: path.join(home, "postgres"),
    log: console.error,
    // For three processes of the site, and who measures them.
    settings: { max_connections: "200" },
  });
  const db = createDb({ url: postgres.url });
  try {
    return await work(db, postgres.url);
  } finally {
    await db.destroy();
    await postgres.stop();
    await rm(home, { recursive: true, force: true });
  }
}
