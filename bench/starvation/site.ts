import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { createInterface } from "node:readline";
import type { Knex } from "knex";
import { type DemoLogin, loadDemo } from "../../src/commands/demo/load.ts";
import { migrate } from "../../src/db/migrate.ts";
import { WITHOUT_LIMITS } from "../site.ts";
import { withThrowAwayDatabase } from "../throw-away-database.ts";

const ROOT = path.join(import.meta.dirname, "../..");

/** A site in a process of its own, on a Postgres of its own. */
export interface MeasuredSite {
  readonly origin: string;
  /** The process that answers. */
  readonly pid: number;
  /** The process that all of Postgres' are children of. */
  readonly postmaster: number;
  readonly login: DemoLogin;
  readonly db: Knex;
}

/** Does some work against a site with the demo data and so many items more; site and data are gone afterwards. */
export async function withMeasuredSite<Result>(
  items: number,
  work: (site: MeasuredSite) => Promise<Result>,
): Promise<Result> {
  return withThrowAwayDatabase(async (db, url) => {
    await migrate(db);
    const login = await loadDemo(db);
    if (!login) throw new Error("the demo data came without its operator");
    if (items > 0) await addItems(db, items);
    await db.raw("vacuum analyze");
    const child = spawn(process.execPath, ["src/main.ts", "serve"], {
      cwd: ROOT,
      // Polling and jobs are work of their own, not a request's.
      env: {
        ...process.env,
        ...WITHOUT_LIMITS,
        PORT: "0",
        DATABASE_URL: url,
        POLL: "0",
        WORKER: "0",
        LOG_LEVEL: "silent",
      },
      stdio: ["ignore", "pipe", "inherit"],
    });
    const ended = once(child, "exit");
    try {
      const origin = await readOrigin(createInterface({ input: child.stdout }));
      return await work({ origin, pid: child.pid ?? 0, postmaster: await findPostmaster(db), login, db });
    } finally {
      child.kill("SIGINT");
      await ended;
    }
  });
}

async function readOrigin(lines: AsyncIterable<string>): Promise<string> {
  let origin: string | undefined;
  for await (const line of lines) {
    origin ??= / is at (http:\S+)/.exec(line)?.[1];
    if (line.startsWith("Stop:") && origin !== undefined) return origin;
  }
  throw new Error("the site did not start");
}

async function findPostmaster(db: Knex): Promise<number> {
  const { rows } = await db.raw("select pg_backend_pid() as pid");
  const status = await readFile(`/proc/${rows[0].pid}/status`, "utf8");
  return Number(/^PPid:\s+(\d+)/m.exec(status)?.[1]);
}

/** Items with as many attributes to filter by as a game's own catalogue has. */
export async function addItems(db: Knex, items: number): Promise<void> {
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
}
