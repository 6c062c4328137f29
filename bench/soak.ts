/**
 * Reports what grows while one process answers mixed traffic for an hour: memory, open files, connections, tables.
 *
 * The site has the demo data and `--items` more, with its worker and its poller, on its own Postgres. Visitors read
 * pages and search, programs call the API, users log in and mark favorites. Fifty records change each minute,
 * half of them new. Every minute is a row; at the end it compares the means of the second and the last quarter. Linux
 * only.
 *
 * Usage:
 *   node bench/soak.ts [--minutes 60] [--items 1000000] [--rate 40]
 */
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { createKey } from "../src/accounts/keys/queries.ts";
import { importRecords } from "../src/exchange/import/import-records.ts";
import { freePort } from "../test/helpers/free-port.ts";
import { tableOf } from "./report.ts";
import { fillDemo, untilSearchable, withDatabase, withSite } from "./site.ts";
import { COLUMNS, compareQuarters, type Sample, takeSample } from "./soak/samples.ts";
import { SoakTraffic } from "./soak/traffic.ts";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "60" },
    items: { type: "string", default: "1000000" },
    rate: { type: "string", default: "40" },
  },
});
const MINUTE_MS = 60_000;
const WRITTEN = 50;

await withDatabase(async (db, url) => {
  const login = await fillDemo(db, Number(values.items));
  const operator = await db("users").where({ name: login.name }).first("id");
  const key = String(await createKey(db, operator.id, { name: "soak", expiry: "never" }));
  const metricsPort = await freePort();
  // The threshold as in the image and the unit.
  const env = { DATABASE_URL: url, METRICS_PORT: `${metricsPort}`, MALLOC_MMAP_THRESHOLD_: "1048576" };
  await withSite({ ...env, DEMO_DATA: "0" }, async (site, directory) => {
    const { port, pid } = site;
    await untilSearchable(site, { "X-API-Key": key });
    const traffic = new SoakTraffic({ port, key, items: Number(values.items), login });
    const metrics = `http://127.0.0.1:${metricsPort}/metrics`;
    const samples: Sample[] = [];
    console.log(tableOf([["minute", ...COLUMNS, "answers", "p99 ms", "failed"]]));
    const stop = traffic.start(Number(values.rate));
    for (let minute = 1; minute <= Number(values.minutes); minute++) {
      await pause(MINUTE_MS);
      await importRecords(db, "items", changedRecords(minute));
      const sample = await takeSample(db, { pid, metrics, directory });
      samples.push(sample);
      const cells = [minute, ...COLUMNS.map((name) => sample[name].toFixed(0)), ...traffic.countsSinceLast()];
      console.log(`| ${cells.join(" | ")} |`);
    }
    await stop();
    console.log(`\n${compareQuarters(samples)}\n\n${traffic.summary()}`);
  });
});

/** Half of them new and half with a new value. */
async function* changedRecords(minute: number) {
  for (let n = 0; n < WRITTEN; n++) {
    const id = n % 2 === 0 ? `soak-${minute}-${n}` : `soak-${n}`;
    yield { id, name: `Soaked ${n}`, attributes: { minute } };
  }
}
