/**
 * Reports what grows while one process answers mixed traffic for an hour: memory, open files, connections, tables.
 *
 * The site has the demo data and `--items` more, with its worker and its poller, on its own Postgres. Visitors read
 * pages and search, programs call the API, users log in and mark favorites. `--written` records change each minute,
 * half of them new; after 1,000 changes a new index is built. Every minute is a row; at the end it compares the means
 * of the second and the last quarter. Linux only.
 *
 * Usage:
 *   node bench/soak.ts [--minutes 60] [--items 1000000] [--rate 40] [--written 50]
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { createKey } from "../src/accounts/keys/queries.ts";
import { loadDemo } from "../src/commands/demo/load.ts";
import { migrate } from "../src/db/migrate.ts";
import { importRecords } from "../src/exchange/import/import-records.ts";
import { freePort } from "../test/helpers/free-port.ts";
import { startSite } from "./ratios/servers.ts";
import { compareQuarters, type Sample, takeSample, writeHead, writeRow } from "./soak/samples.ts";
import { Traffic } from "./soak/traffic.ts";
import { addItems } from "./starvation/site.ts";
import { withThrowAwayDatabase } from "./throw-away-database.ts";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "60" },
    items: { type: "string", default: "1000000" },
    rate: { type: "string", default: "40" },
    written: { type: "string", default: "50" },
  },
});
const MINUTE_MS = 60_000;

await withThrowAwayDatabase(async (db, url) => {
  await migrate(db);
  const login = await loadDemo(db);
  if (!login) throw new Error("the demo data came without its operator");
  await addItems(db, Number(values.items));
  await db.raw("vacuum analyze");
  const operator = await db("users").where({ name: login.name }).first("id");
  const key = String(await createKey(db, operator.id, { name: "soak", expiry: "never" }));
  const directory = await mkdtemp(path.join(tmpdir(), "almanac-soak-"));
  process.env.METRICS_PORT = String(await freePort());
  process.env.LOG_LEVEL ??= "warn";
  // As in the image and the unit.
  process.env.MALLOC_MMAP_THRESHOLD_ ??= "1048576";
  const site = await startSite(url, directory);
  try {
    await site.ask("/api/items/search?q=a");
    const traffic = new Traffic({ port: site.port, key, items: Number(values.items), login });
    const metrics = `http://127.0.0.1:${process.env.METRICS_PORT}/metrics`;
    const samples: Sample[] = [];
    console.log(writeHead());
    traffic.start(Number(values.rate));
    for (let minute = 1; minute <= Number(values.minutes); minute++) {
      await pause(MINUTE_MS);
      await importRecords(db, "items", changedRecords(minute));
      const sample = await takeSample({ db, pid: site.pid ?? 0, metrics, directory });
      samples.push(sample);
      console.log(writeRow(minute, sample, traffic.countsSinceLast()));
    }
    await traffic.stop();
    console.log(`\n${compareQuarters(samples)}\n\n${traffic.summary()}`);
  } finally {
    await site.stop();
    await rm(directory, { recursive: true, force: true });
  }
});

/** Half of them new and half with a new value. */
async function* changedRecords(minute: number) {
  for (let n = 0; n < Number(values.written); n++) {
    const id = n % 2 === 0 ? `soak-${minute}-${n}` : `soak-${n}`;
    yield { id, name: `Soaked ${n}`, attributes: { minute } };
  }
}
