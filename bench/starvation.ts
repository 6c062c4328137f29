/**
 * Checks whether a few connections that request the most expensive addresses keep others waiting.
 *
 * Other clients read a cheap page, toggle a favorite and log in, all the time. They do so alone at first. Then many
 * connections request the five most expensive addresses without a pause, each from its own address. Prints the 99th
 * percentile of the others' waits, and how many were refused. Linux only.
 *
 * Usage:
 *   node bench/starvation.ts [--items 65000] [--seconds 30] [--connections 64]
 */
import { Agent } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import type { DemoLogin } from "../src/commands/demo/load.ts";
import { percentile, tableOf } from "./report.ts";
import { enter, fillDemo, type Site, withDatabase, withSite } from "./site.ts";
import { type Answer, type Asked, ask } from "./traffic.ts";

const { values } = parseArgs({
  options: {
    items: { type: "string", default: "65000" },
    seconds: { type: "string", default: "30" },
    connections: { type: "string", default: "64" },
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
/** Between two of what one does. */
const THINK_MS = 20;
const READERS = 8;

/** The number of requests so far makes each address different. */
let number = 0;

type Times = Map<string, { ms: number[]; refused: number }>;

/** Polling and jobs are work of their own, not a request's. */
const ALONE = { DEMO_DATA: "0", POLL: "0", WORKER: "0", LOG_LEVEL: "silent" };

await withDatabase(async (db, url) => {
  const login = await fillDemo(db, Number(values.items));
  await withSite({ ...ALONE, DATABASE_URL: url }, async (site) => {
    const toggler = { name: "Toggler", password: "a password for one minute" };
    const cookie = await enter(site.url, "/register", toggler);
    const quiet = await readMeanwhile(site, login, cookie);
    const stopAttack = startAttack(site);
    await pause(2_000);
    const beside = await readMeanwhile(site, login, cookie);
    console.log(`\n${values.connections} connections were answered: ${await stopAttack()}\n`);
    const rows = [...beside].map(([what, { ms, refused }]) => {
      const [before, after] = [quiet.get(what)?.ms ?? [], ms].map((each) => percentile(each, 0.99));
      const [alone, now] = [before ?? Number.NaN, after ?? Number.NaN];
      return [
        what,
        `${alone.toFixed(1)} ms`,
        `${now.toFixed(1)} ms`,
        (now / alone).toFixed(1),
        ms.length,
        refused,
      ];
    });
    console.log(tableOf([["", "p99 alone", "p99 beside", "ratio", "asked", "refused"], ...rows]));
  });
});

/** What others wait for each thing that they do, one after the other. */
async function readMeanwhile(site: Site, { name, password }: DemoLogin, cookie: string): Promise<Times> {
  const until = performance.now() + Number(values.seconds) * 1000;
  const times: Times = new Map();
  const people = Array.from({ length: READERS }, async (_, place) => {
    const send = openClient(site.port);
    const note = async (what: string, asked: Asked) => {
      const { status, ms } = await send(asked);
      const entry = times.get(what) ?? { ms: [], refused: 0 };
      entry.ms.push(ms);
      if (status === 0 || status >= 429) entry.refused++;
      times.set(what, entry);
    };
    while (performance.now() < until) {
      await note("a page", { path: "/items/weapon-24" });
      await pause(THINK_MS);
      await note("the log-in's page", { path: "/login" });
      await pause(THINK_MS);
      const form = { kind: "item", entity_id: "weapon-24" };
      const path = "/api/entity_favorites/toggle";
      if (place === 0) await note("a toggle", { path, form, headers: { cookie } });
      if (place === 1) await note("a log-in", { path: "/login", form: { name, password } });
    }
  });
  await Promise.all(people);
  return times;
}

/** Connections that send requests without a pause; the result ends them and returns their answers. */
function startAttack({ port }: Site): () => Promise<string> {
  let stopped = false;
  const counts = new Map<string, number>();
  const attackers = Array.from({ length: Number(values.connections) }, async (_, place) => {
    const send = openClient(port, `127.0.1.${place + 1}`);
    const path = MOST_EXPENSIVE[place % MOST_EXPENSIVE.length] ?? "/";
    while (!stopped) {
      const { status } = await send({ path });
      const key = `${status} ${path.slice(0, 30)}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  });
  return async () => {
    stopped = true;
    await Promise.all(attackers);
    return [...counts].map(([key, count]) => `${count} × ${key}`).join(", ");
  };
}

/** Somebody with a kept connection, from an address such as 127.0.0.2. */
function openClient(port: number, localAddress = "127.0.0.1"): (asked: Asked) => Promise<Answer> {
  const agent = new Agent({ keepAlive: true, localAddress });
  return (asked) => {
    number += 1;
    return ask(port, { ...asked, path: asked.path.replaceAll("{n}", String(number)) }, agent);
  };
}
