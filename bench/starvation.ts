/**
 * Checks whether a few connections that request the most expensive addresses keep others waiting.
 *
 * `--only` keeps the addresses that contain a text. Other clients read a cheap page, toggle a favorite and log in,
 * all the time: first alone, then beside many connections that request the five most expensive addresses without a
 * pause. Each attacker has its own address, as on the net. Prints the 99th percentile of the others' waits, and how
 * many were refused. Then it requests `--addresses` different addresses and prints the memory of the process. Linux
 * only.
 *
 * Usage:
 *   node bench/starvation.ts [--items 65000] [--seconds 30] [--connections 64] [--only search]
 *     [--addresses 1000000]
 */
import { readFile } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { Client } from "./starvation/client.ts";
import { type MeasuredSite, withMeasuredSite } from "./starvation/site.ts";

const { values } = parseArgs({
  options: {
    items: { type: "string", default: "65000" },
    seconds: { type: "string", default: "30" },
    connections: { type: "string", default: "64" },
    addresses: { type: "string", default: "0" },
    only: { type: "string", default: "" },
  },
});

/** The paths that cost most CPU with 65,000 items; `{n}` is another number each time, so that nothing is cached. */
const MOST_EXPENSIVE = [
  "/items?page=1000&{n}",
  "/items?q=golden{n}&a.rarity=rare&sort=name",
  "/servers/ls-one?range=30d&{n}",
  "/sitemap-items-1.xml?{n}",
  `/search?q=${encodeURIComponent("goldne iorn slivre hevay rustyy infenrus poilce racnig nihgt ".repeat(3))}{n}`,
];
const TOGGLE = {
  path: "/api/entity_favorites/toggle",
  reader: "user",
  form: { kind: "item", entity_id: "weapon-24" },
} as const;
/** Between two of what one does. */
const THINK_MS = 20;
const READERS = 8;
const NOBODY = { visitor: "", user: "", operator: "" };

type Times = Map<string, { ms: number[]; refused: number }>;

await withMeasuredSite(Number(values.items), async (site) => {
  const quiet = await readMeanwhile(site);
  const attack = startAttack(site.origin);
  await pause(2_000);
  const beside = await readMeanwhile(site);
  const answers = await attack.stop();
  console.log(`\n${values.connections} connections were answered: ${answers}\n`);
  console.log(
    "| | p99 alone | p99 beside | ratio | asked | refused |\n| --- | --- | --- | --- | --- | --- |",
  );
  for (const [what, { ms, refused }] of beside) {
    const alone = p99(quiet.get(what)?.ms ?? []);
    const cells = [
      `${alone.toFixed(1)} ms`,
      `${p99(ms).toFixed(1)} ms`,
      (p99(ms) / alone).toFixed(1),
      ms.length,
      refused,
    ];
    console.log(`| ${[what, ...cells].join(" | ")} |`);
  }
  await askForMany(site, Number(values.addresses));
});

/** What others wait for each thing that they do, one after the other. */
async function readMeanwhile(site: MeasuredSite): Promise<Times> {
  const until = performance.now() + Number(values.seconds) * 1000;
  const times: Times = new Map();
  const { name, password } = site.login;
  const all = { "a page": "/items/weapon-24", "the log-in's page": "/login" };
  const people = Array.from({ length: READERS }, async (_, place) => {
    const client = place === 0 ? await openUser(site) : new Client(site.origin, NOBODY);
    const note = async (what: string, asked: Promise<{ status: number }>) => {
      const start = performance.now();
      const { status } = await asked;
      const entry = times.get(what) ?? { ms: [], refused: 0 };
      entry.ms.push(performance.now() - start);
      if (status >= 429) entry.refused++;
      times.set(what, entry);
    };
    while (performance.now() < until) {
      for (const [what, path] of Object.entries(all)) {
        await note(what, client.ask({ path, reader: "visitor" }));
        await pause(THINK_MS);
      }
      if (place === 0) await note("a toggle", client.ask(TOGGLE));
      if (place === 1)
        await note("a log-in", client.ask({ path: "/login", reader: "visitor", form: { name, password } }));
    }
    client.close();
  });
  await Promise.all(people);
  return times;
}

async function openUser({ origin }: MeasuredSite): Promise<Client> {
  const body = new URLSearchParams({
    name: `Toggler_${Date.now() % 100_000}`,
    password: "a password for one minute",
  });
  const answer = await fetch(`${origin}/register`, { method: "POST", body, redirect: "manual" });
  const [cookie] = answer.headers.getSetCookie();
  return new Client(origin, { ...NOBODY, user: cookie?.split(";")[0] ?? "" });
}

/** Connections that send requests without a pause; `stop` ends them and returns their answers. */
function startAttack(origin: string): { stop(): Promise<string> } {
  let stopped = false;
  const counts = new Map<string, number>();
  const attackers = Array.from({ length: Number(values.connections) }, async (_, place) => {
    const client = new Client(origin, NOBODY, `127.0.1.${place + 1}`);
    const wanted = MOST_EXPENSIVE.filter((path) => path.includes(values.only));
    const path = wanted[place % wanted.length] ?? "/";
    while (!stopped) {
      const { status } = await client.ask({ path, reader: "visitor" });
      const key = `${status} ${path.slice(0, 30)}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    client.close();
  });
  return {
    async stop() {
      stopped = true;
      await Promise.all(attackers);
      return [...counts].map(([key, count]) => `${count} × ${key}`).join(", ");
    },
  };
}

async function askForMany({ origin, pid }: MeasuredSite, addresses: number): Promise<void> {
  const step = Math.ceil(addresses / 5);
  if (addresses > 0) console.log(`\n${await memoryOf(pid)} MB of memory before`);
  for (let asked = 0; asked < addresses; asked += step) {
    const clients = Array.from({ length: 32 }, async () => {
      const client = new Client(origin, NOBODY);
      for (let n = 0; n < step / 32; n++)
        await client.ask({ path: "/api/search?q=gold{n}", reader: "visitor" });
      client.close();
    });
    await Promise.all(clients);
    console.log(`${await memoryOf(pid)} MB after ${asked + step} addresses`);
  }
}

async function memoryOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024);
}

function p99(times: number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? Number.NaN;
}
