import { type ChildProcess, execFile, fork } from "node:child_process";
import { once } from "node:events";
import { availableParallelism } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import type { Knex } from "knex";
import { createKey } from "../../src/accounts/keys/queries.ts";
import { enter, type Site, untilSearchable, withDatabase, withSite } from "../site.ts";
import type { BaselineName, Told } from "./baseline.ts";
import { fillItems, fillServers } from "./fill.ts";
import { generateItems, type Item } from "./items.ts";
import type { Caller } from "./lines.ts";
import { startLoadGenerator } from "./load.ts";

const SERVERS = 60;
/** Queries are made from so many of the items. */
const SAMPLE = 20_000;

interface Baselines {
  readonly ports: Record<BaselineName, number>;
  /** What they send from now on. */
  tell(bodies: readonly string[], contentType: string): Promise<void>;
}

/** The site, what it is compared with and the load, each in a process of its own. */
export interface Setting {
  readonly site: Site;
  readonly baselines: Baselines;
  readonly generator: ReturnType<typeof startLoadGenerator>;
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
  return withDatabase(async (db, url) => {
    const items = await fill(db, count);
    return withSite({ DATABASE_URL: url, DEMO_DATA: "0" }, async (site) => {
      const generator = startLoadGenerator();
      // Both of these end when this process disconnects from them.
      const baseline = fork(path.join(import.meta.dirname, "baseline.ts"), [url]);
      try {
        const ports = await replyOf<Baselines["ports"]>(baseline);
        const tell = async (bodies: readonly string[], contentType: string) => {
          baseline.send({ bodies, contentType } satisfies Told);
          await replyOf(baseline);
        };
        const pins = [pin(site.pid, 0), pin(baseline.pid, 0), pin(generator.child.pid, 1)];
        const pinned = (await Promise.all(pins)).every(Boolean);
        const headers = await openCallers(db, site);
        await untilSearchable(site, headers.key);
        return await work({ site, baselines: { ports, tell }, generator, headers, items, db, pinned });
      } finally {
        for (const child of [generator.child, baseline]) child.disconnect();
      }
    });
  });
}

/**
 * Gives a process, all of its threads, a core: servers the first, the load the second. False where that cannot be done
 * (one core, or no `taskset`); a run that mixes both is worse than one that pins nothing.
 */
async function pin(pid: number | undefined, core: 0 | 1): Promise<boolean> {
  if (pid === undefined || availableParallelism() < 2) return false;
  return promisify(execFile)("taskset", ["-a", "-c", "-p", String(core), String(pid)]).then(
    () => true,
    () => false,
  );
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
  await fillServers(db, SERVERS);
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
async function openCallers(db: Knex, { url }: Site): Promise<Setting["headers"]> {
  const cookie = await enter(url, "/register", { name: "reader", password: "a password for one minute" });
  const user = await db("users").where({ name: "reader" }).first("id");
  const key = String(await createKey(db, user.id, { name: "bench", expiry: "never" }));
  // The first page welcomes its reader.
  await fetch(url, { headers: { Cookie: cookie } });
  return { visitor: {}, key: { "X-API-Key": key }, user: { Cookie: cookie } };
}
