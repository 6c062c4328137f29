import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Knex } from "knex";
import { createKey } from "../../src/accounts/keys/queries.ts";
import { migrate } from "../../src/db/migrate.ts";
import { withThrowAwayDatabase } from "../throw-away-database.ts";
import type { BaselineName, Told } from "./baseline.ts";
import { pin } from "./cores.ts";
import { fillItems } from "./database.ts";
import { fillServers } from "./fill-history.ts";
import { generateItems, type Item } from "./items.ts";
import type { Caller } from "./lines.ts";
import { LoadGenerator } from "./load.ts";
import { end, endWithUs, type Site, startSite } from "./servers.ts";

const SERVERS = 60;
/** Queries are made from so many of the items. */
const SAMPLE = 20_000;

interface Baselines {
  readonly ports: Record<BaselineName, number>;
  tell(told: Told): Promise<void>;
}

/** The site, what it is compared with and the load, each in a process of its own. */
export interface Setting {
  readonly site: Site;
  readonly baselines: Baselines;
  readonly generator: LoadGenerator;
  readonly headers: Record<Caller, Record<string, string>>;
  readonly items: readonly Item[];
  readonly db: Knex;
  /** Whether servers and load have a core each. */
  readonly pinned: boolean;
}

/** Does some work over so many items and 60 servers with a day of history; all of it is gone afterwards. */
export async function withSetting<Result>(
  count: number,
  work: (setting: Setting) => Promise<Result>,
): Promise<Result> {
  return withThrowAwayDatabase(async (db, url) => {
    await migrate(db);
    const items = await fill(db, count);
    const directory = await mkdtemp(path.join(tmpdir(), "almanac-bench-"));
    const generator = new LoadGenerator();
    const site = await startSite(url, directory);
    const baseline = fork(path.join(import.meta.dirname, "baseline.ts"), [url]);
    endWithUs(baseline);
    try {
      const ports = await replyOf<Baselines["ports"]>(baseline);
      const tell = async (told: Told) => {
        baseline.send(told);
        await replyOf(baseline);
      };
      const pins = [pin(site.pid, "server"), pin(baseline.pid, "server"), pin(generator.pid, "load")];
      const pinned = (await Promise.all(pins)).every(Boolean);
      const headers = await openCallers(db, site);
      // The search answers 503 until its index is ready; this asks again until then.
      await site.ask("/api/items/search?q=a");
      return await work({ site, baselines: { ports, tell }, generator, headers, items, db, pinned });
    } finally {
      generator.close();
      await Promise.all([site.stop(), end(baseline)]);
      await rm(directory, { recursive: true, force: true });
    }
  });
}

/** The next message of a child. @throws Error when it ends instead */
async function replyOf<Reply>(child: ChildProcess): Promise<Reply> {
  const answered = new AbortController();
  const ended = once(child, "exit", { signal: answered.signal }).then(([code]) => {
    throw new Error(`the baseline ended with ${code}`);
  });
  try {
    const [reply] = await Promise.race([once(child, "message", { signal: answered.signal }), ended]);
    return reply;
  } finally {
    ended.catch(() => undefined);
    answered.abort();
  }
}

async function fill(db: Knex, count: number): Promise<Item[]> {
  const items: Item[] = [];
  const step = Math.ceil(count / SAMPLE);
  await fillItems(db, sampled(generateItems(count), step, items));
  await db.transaction((transaction) => fillServers(transaction, { servers: SERVERS, days: 1 }));
  await db.raw("vacuum analyze");
  return items;
}

function* sampled(items: Iterable<Item>, step: number, sample: Item[]): Generator<Item> {
  for (const item of items) {
    if ((Number(item.id) - 1) % step === 0) sample.push(item);
    yield item;
  }
}

/** A user who is logged in, and a key of that user. */
async function openCallers(db: Knex, { port }: Site): Promise<Setting["headers"]> {
  const answer = await fetch(`http://127.0.0.1:${port}/register`, {
    method: "POST",
    body: new URLSearchParams({ name: "reader", password: "a password for one minute" }),
    redirect: "manual",
  });
  const cookie = answer.headers.getSetCookie()[0]?.split(";")[0];
  const user = await db("users").where({ name: "reader" }).first("id");
  const key = user && (await createKey(db, user.id, { name: "bench", expiry: "never" }));
  if (cookie === undefined || key === undefined) throw new Error(`no user was made (${answer.status})`);
  // The first page welcomes its reader.
  await fetch(`http://127.0.0.1:${port}/`, { headers: { Cookie: cookie } });
  return { visitor: {}, key: { "X-API-Key": key }, user: { Cookie: cookie } };
}
