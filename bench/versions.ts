/**
 * Checks whether three processes on one Postgres give answers that are outdated, of two versions, or another user's.
 *
 * Every change writes the same number into all records of a page, in one transaction, and records its commit time.
 * Clients read at random, as visitors, with a key or logged in. An answer with two numbers is of two versions. An
 * answer is outdated if its number was replaced more than a second before it began. A user's page must have their
 * name and nobody else's. Meanwhile a user toggles a favorite and reads it back, and the bench revokes keys and
 * sessions, which must work nowhere a second later. Exits with 1 if anything is wrong.
 *
 * Usage:
 *   node bench/versions.ts [--changes 10000] [--every 20] [--readers 12]
 */
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import type { Knex } from "knex";
import { migrate } from "../src/db/migrate.ts";
import { withThrowAwayDatabase } from "./throw-away-database.ts";
import { fill, makeChanges } from "./versions/changes.ts";
import { History } from "./versions/history.ts";
import { readUntil } from "./versions/readers.ts";
import { openReaders, withSites } from "./versions/sites.ts";
import { toggle, withdraw } from "./versions/withdrawals.ts";

const { values } = parseArgs({
  options: {
    changes: { type: "string", default: "10000" },
    every: { type: "string", default: "20" },
    readers: { type: "string", default: "12" },
  },
});

await withThrowAwayDatabase(async (db: Knex, url) => {
  await migrate(db);
  await withSites(url, 3, async (sites) => {
    const history = new History();
    const done = new AbortController();
    const people = await openReaders(db, sites);
    await fill(db, history);
    // A 404 may be a second old.
    await pause(1_000);
    const changing = makeChanges(db, history, {
      count: Number(values.changes),
      everyMs: Number(values.every),
    });
    const reading = Array.from({ length: Number(values.readers) }, () =>
      readUntil(done.signal, { sites, people, history }),
    );
    const own = [toggle(done.signal, { db, sites, history }), withdraw(done.signal, { db, sites, history })];
    await changing.finally(() => done.abort());
    await Promise.all([...reading, ...own]);
    console.log(history.report());
    if (history.failed) process.exitCode = 1;
  });
});
