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
 *   node bench/versions.ts [--changes 10000]
 */
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { withDatabase, withSites } from "./site.ts";
import { fill, makeChanges } from "./versions/changes.ts";
import { History } from "./versions/history.ts";
import { openReaders, readUntil } from "./versions/readers.ts";
import { toggle, withdraw } from "./versions/withdrawals.ts";

const { values } = parseArgs({
  options: {
    changes: { type: "string", default: "10000" },
  },
});
const READERS = 12;

await withDatabase((db, url) =>
  withSites(3, { DATABASE_URL: url, DEMO_DATA: "0" }, async (sites) => {
    const history = new History();
    const done = new AbortController();
    const people = await openReaders(db, sites);
    await fill(db, history);
    // A 404 may be a second old.
    await pause(1_000);
    const reading = Array.from({ length: READERS }, () => readUntil(done.signal, { sites, people, history }));
    const own = [toggle, withdraw].map((act) => act(done.signal, { db, sites, history }));
    await makeChanges(db, history, Number(values.changes)).finally(() => done.abort());
    await Promise.all([...reading, ...own]);
    console.log(history.report());
    if (history.failed) process.exitCode = 1;
  }),
);
