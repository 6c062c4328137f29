/**
 * What the site answers while its database is away, and how soon it answers in full afterwards.
 *
 *   node bench/database-away.ts [--seconds 60] [--rate 200]
 *
 * Two rounds, over the demo data: the database is stopped; the network swallows everything. Before, during and after,
 * the site gets so many requests a second at a steady pace, whatever it has answered so far: pages and answers that it
 * remembers, for visitors, with a key and logged in; what it never made before; and what writes. The table says for
 * each how many were answered, how many of those from memory with their `Age`, how many were refused with 503 and
 * Retry-After, what else came, and the longest that one took.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { startEmbeddedPostgres } from "../src/db/embedded/start.ts";
import { startForwarder } from "./database-away/forwarder.ts";
import { KINDS, openAsker } from "./database-away/kinds.ts";
import { Tally } from "./database-away/tally.ts";
import { withSite } from "./site.ts";

const { values } = parseArgs({
  options: { seconds: { type: "string", default: "60" }, rate: { type: "string", default: "200" } },
});
const AWAY_MS = Number(values.seconds) * 1000;
const REST_MS = 5_000;
const TICK_MS = 20;

const home = await mkdtemp(path.join(tmpdir(), "almanac-bench-"));
const directory = path.join(home, "postgres");
const start = () => startEmbeddedPostgres({ directory, log: console.error });
let postgres = await start();
const forwarder = await startForwarder(postgres.url);
try {
  await withSite(
    async (site) => {
      const ask = await openAsker(site, postgres.url);
      for (const round of ["stopped", "silent"] as const) {
        await load("before", ask, REST_MS);
        if (round === "stopped") await Promise.all([forwarder.refuse(), postgres.stop()]);
        else forwarder.swallow();
        await load(round, ask, AWAY_MS);
        if (round === "stopped") postgres = await start();
        await forwarder.forward(postgres.url);
        const back = performance.now();
        const after = load(`after it was ${round}`, ask, REST_MS);
        while ((await ask(KINDS["never made before"])).status !== 404) await pause(20);
        console.log(`\nin full again after ${(performance.now() - back).toFixed(0)} ms`);
        await after;
      }
    },
    { DATABASE_URL: forwarder.url, DEMO_DATA: "1", MIGRATE_ON_START: "1", LOG_LEVEL: "fatal" },
  );
} finally {
  forwarder.close();
  await postgres.stop();
  await rm(home, { recursive: true, force: true });
}

/** Asks for all kinds in turn at a steady pace, and prints the table once the last is answered. */
async function load(title: string, ask: Awaited<ReturnType<typeof openAsker>>, forMs: number): Promise<void> {
  const tally = new Tally();
  const kinds = Object.entries(KINDS);
  const answers: Promise<void>[] = [];
  const began = performance.now();
  const due = () => ((performance.now() - began) / 1000) * Number(values.rate);
  while (performance.now() - began < forMs) {
    while (answers.length < due()) {
      const [name, kind] = kinds[answers.length % kinds.length] ?? expectKind();
      answers.push(tally.take(name, ask(kind)));
    }
    await pause(TICK_MS);
  }
  await Promise.all(answers);
  console.log(`\n## ${title}: ${answers.length} requests in ${forMs / 1000} s\n\n${tally.table()}`);
}

function expectKind(): never {
  throw new Error("there are no kinds");
}
