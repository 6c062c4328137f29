/** The database and the processes of a site that is measured; all of it is gone afterwards, however that went. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import type { Knex } from "knex";
import { type DemoLogin, loadDemo } from "../src/commands/demo/load.ts";
import { createDb } from "../src/db/connect.ts";
import { startEmbeddedPostgres } from "../src/db/embedded/start.ts";
import { migrate } from "../src/db/migrate.ts";

/** A process that serves the site. */
export interface Site {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
}

const ROOT = path.join(import.meta.dirname, "..");

/** A benchmark asks more often than any client may. */
const WITHOUT_LIMITS = {
  API_KEY_LIMIT: "0",
  API_ADDRESS_LIMIT: "0",
  API_SESSION_LIMIT: "0",
  PAGE_LIMIT: "0",
};

// What was started ends with this process, also when somebody has seen enough.
const started = new Set<ChildProcess>();
process.once("exit", () => started.forEach((child) => void child.kill("SIGKILL")));
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130));

/** Does some work on an empty, migrated database on a Postgres of its own. */
export async function withDatabase<Result>(
  work: (db: Knex, url: string) => Promise<Result>,
): Promise<Result> {
  return withFolder(async (home) => {
    const postgres = await startEmbeddedPostgres({
      directory: path.join(home, "postgres"),
      log: console.error,
      // For three processes of the site, and who measures them.
      settings: { max_connections: "200" },
    });
    const db = createDb({ url: postgres.url });
    try {
      await migrate(db);
      return await work(db, postgres.url);
    } finally {
      await db.destroy();
      await postgres.stop();
    }
  });
}

/** Does some work with a site, in so many processes. */
export async function withSites<Result>(
  count: number,
  env: NodeJS.ProcessEnv,
  work: (sites: readonly Site[], folder: string) => Promise<Result>,
): Promise<Result> {
  return withFolder(async (folder) => {
    const children: ChildProcess[] = [];
    const sites: Site[] = [];
    try {
      // In one folder, for the secret that signs their sessions.
      while (sites.length < count) {
        const child = startProcess(["serve"], { PORT: "0", DATA_DIR: folder, ...env });
        children.push(child);
        sites.push(await readSite(child));
      }
      return await work(sites, folder);
    } finally {
      await Promise.all(children.map(end));
    }
  });
}

export async function withSite<Result>(
  env: NodeJS.ProcessEnv,
  work: (site: Site, folder: string) => Promise<Result>,
): Promise<Result> {
  return withSites(1, env, ([site], folder) => work(site as Site, folder));
}

/** The site's command line in a process that ends with this one. */
export function startProcess(args: readonly string[], env: NodeJS.ProcessEnv): ChildProcess {
  const child = spawn(process.execPath, ["src/main.ts", ...args], {
    cwd: ROOT,
    env: { ...process.env, LOG_LEVEL: "warn", ...WITHOUT_LIMITS, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  started.add(child);
  child.once("exit", () => started.delete(child));
  return child;
}

export async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  await ended;
}

/** Does some work with a new folder. */
export async function withFolder<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(path.join(tmpdir(), "almanac-bench-"));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Registers an account or logs in to one; resolves to the cookie of its session. */
export async function enter(
  url: string,
  address: "/login" | "/register",
  { name, password }: DemoLogin,
): Promise<string> {
  const body = new URLSearchParams({ name, password });
  const answer = await fetch(url + address, { method: "POST", body, redirect: "manual" });
  const cookie = answer.headers.getSetCookie()[0]?.split(";")[0];
  if (answer.status !== 303 || !cookie) throw new Error(`${address} was answered ${answer.status}`);
  return cookie;
}

/** Waits while the index is built, for at most two minutes: until then searches are answered 503. */
export async function untilSearchable({ url }: Site, headers: Record<string, string>): Promise<void> {
  for (let tries = 1; ; tries++) {
    const { status } = await fetch(`${url}/api/items/search?q=a`, { headers });
    if (status === 200) return;
    if (status !== 503 || tries === 120) throw new Error(`a search was answered ${status}`);
    await delay(1_000);
  }
}

/** Loads the demo data and so many items more, with as many attributes to filter by as a game's own catalogue has. */
export async function fillDemo(db: Knex, items: number): Promise<DemoLogin> {
  const login = await loadDemo(db);
  if (!login) throw new Error("the demo data came without its operator");
  await db.raw(
    `insert into items (id, name, names, category, description, popularity, attributes)
     select 'bulk-' || n, name, jsonb_build_object('en', name, 'ru', 'Предмет ' || word || ' ' || n), 'Category ' || n % 40,
            repeat('An item that somebody in the city may need one day. ', 3), n * 31 % 1000,
            jsonb_build_object('slot', n % 60, 'job', 'job ' || n % 55, 'unit', 'unit ' || n % 51,
              'rarity', (array['common', 'uncommon', 'rare', 'epic', 'legendary'])[1 + n % 5], 'thirst', n % 97,
              'price', n::bigint * 7919 % 100000, 'pack', n % 53, 'hunger', n % 89, 'grow_minutes', n % 71, 'clip', n % 59,
              'alcohol', n % 47, 'weight_kg', n % 997 / 10.0, 'siren', n % 7 = 0, 'city', 'City ' || n / 20 % 50,
              'model', 'model ' || n)
       from (select n, initcap(words[1 + n % 12] || ' ' || words[1 + n / 12 % 12] || ' ' || n) as name,
                    words[1 + n / 144 % 12] as word
               from generate_series(1, ?::integer) as n,
                    (select array['golden', 'iron', 'silver', 'old', 'heavy', 'rusty', 'infernal', 'police', 'racing',
                                  'night', 'desert', 'royal'] as words) as words) as named`,
    [items],
  );
  await db.raw("vacuum analyze");
  return login;
}

async function readSite(child: ChildProcess): Promise<Site> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  if (!child.stdout) throw new Error("the site has no standard output");
  createInterface(child.stdout).on("line", (line) => {
    const address = / is at (http:\S+)/.exec(line)?.[1];
    if (address) resolve(address);
  });
  child.once("exit", (code) => reject(new Error(`the site ended with ${code} before it said where it is`)));
  const url = await promise;
  return { url, port: Number(new URL(url).port), pid: child.pid ?? 0 };
}
