/**
 * Tells 100,000 users of one discount, who have its item as a favorite, half of them by mail:
 *
 *   node bench/notifications-100k.ts [--favorites 100000]
 *
 * Beside the telling, another job is added every 100 ms, and a favorite of the same item every 50 ms. Prints the time,
 * the statements, the longest transaction, the memory that came on top, how long the other jobs and the favorites took,
 * and, for comparison, what one INSERT a row takes. Exit code 1 unless everybody was told exactly once.
 */
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import type { Knex } from "knex";
import { pino } from "pino";
import { addJobs } from "../src/db/jobs.ts";
import { migrate } from "../src/db/migrate.ts";
import { toggleFavorite } from "../src/favorites/queries.ts";
import { startJobs } from "../src/jobs/run.ts";
import { addNotifyJobs, notifyTasks } from "../src/notifications/notify.ts";
import { withThrowAwayDatabase } from "./throw-away-database.ts";

const { values } = parseArgs({ options: { favorites: { type: "string", default: "100000" } } });
const favorites = Number(values.favorites);

process.exitCode = (await withThrowAwayDatabase(measure)) ? 0 : 1;

async function measure(db: Knex): Promise<boolean> {
  await migrate(db);
  await addUsers(db);
  await notifyAll(db);
  const { rows } = await db.raw(`
    select count(*)::int as users, count(distinct (user_id, discount_id, run))::int as different from notifications`);
  await insertOneByOne(db);
  const expected = await db("donate_favorites").where({ item_key: "item" }).count("user_id as count").first();
  const isExact = rows[0].users === expected?.count && rows[0].different === expected?.count;
  console.log(`notifications: ${rows[0].users} for ${expected?.count} favorites`);
  console.log(isExact ? "PASS" : "FAIL");
  return isExact;
}

/** Every other user wants a mail; 300 more have no favorite yet. */
async function addUsers(db: Knex): Promise<void> {
  await db.raw("insert into donate_items (id, name, price, currency) values ('item', 'Item', 100, 'EUR')");
  await db.raw(
    `insert into users (name, name_key, password_hash, confirmed_email)
     select 'user-' || n, 'user-' || n, '$argon2id$none', 'user-' || n || '@example.test' from generate_series(1, ?::int) n`,
    [favorites + 300],
  );
  await db.raw(
    "insert into notification_settings (user_id, email) select id, 'each' from users where id % 2 = 0",
  );
  await db.raw(
    "insert into donate_favorites (user_id, item_key) select id, 'item' from users order by id limit ?",
    [favorites],
  );
  await db.raw("vacuum analyze");
}

async function notifyAll(db: Knex): Promise<void> {
  const statements = countStatements(db);
  const others: number[] = [];
  let done = false;
  const jobs = startJobs({
    db,
    log: pino({ level: "error" }),
    tasks: {
      ...notifyTasks({ db }),
      deliver_by_push: async (payload) => {
        others.push(Date.now() - (payload as { at: number }).at);
      },
    },
  });
  await delay(1_000);
  await db("discounts").insert({ id: "sale", item_key: "item", percent: 20, starts_at: db.fn.now() });
  const memory = watchMemory();
  const longest = watchTransactions(db, () => done);
  statements.reset();
  const begun = performance.now();
  await addNotifyJobs(db);
  const [toggles] = await Promise.all([
    toggleMeanwhile(db, () => done),
    addOtherJobs(db, () => done),
    untilTold(db).then(() => {
      done = true;
    }),
  ]);
  const seconds = (performance.now() - begun) / 1000;
  const counted = statements.read();
  console.log(
    `time: ${seconds.toFixed(1)} s for ${favorites} favorites, half of them with a mail to deliver`,
  );
  console.log(`statements of telling: ${JSON.stringify(counted)}`);
  console.log(`longest transaction: ${await longest} ms`);
  console.log(`memory: ${memory.stop()} MB more at the peak`);
  console.log(`other jobs waited: ${describe(others)}`);
  console.log(`favorites added meanwhile took: ${describe(toggles)}`);
  await jobs.stop();
}

/** Statements that this process sends, by what they are about. */
function countStatements(db: Knex): { reset(): void; read(): Record<string, number> } {
  let counts: Record<string, number> = {};
  const kinds: [string, RegExp][] = [
    ["insert notifications", /insert into notifications/],
    ["add jobs", /graphile_worker\.add_jobs/],
    ["hold the discount", /from "discounts".*for share of "discount", "item"$/],
  ];
  db.on("query", ({ sql, bindings }: { sql: string; bindings?: unknown[] }) => {
    // The toggles beside it use the same statements for one user.
    if (sql.includes("insert into notifications") && !sql.includes('"donate_favorites"')) return;
    if (sql.includes("add_jobs") && String(bindings?.[0]).length < 1_000) return;
    const kind = kinds.find(([, pattern]) => pattern.test(sql))?.[0];
    if (kind !== undefined) counts[kind] = (counts[kind] ?? 0) + 1;
  });
  return {
    reset: () => {
      counts = {};
    },
    read: () => counts,
  };
}

/** The longest transaction in milliseconds, as the server sees it, looked at every 5 ms. */
async function watchTransactions(db: Knex, isDone: () => boolean): Promise<number> {
  let longest = 0;
  while (!isDone()) {
    const { rows } = await db.raw(`
      select coalesce(max(extract(epoch from clock_timestamp() - xact_start) * 1000), 0)::int as ms from pg_stat_activity
       where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()`);
    longest = Math.max(longest, rows[0].ms);
    await delay(5);
  }
  return longest;
}

function watchMemory(): { stop(): number } {
  const before = process.memoryUsage.rss();
  let peak = before;
  const timer = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
  }, 20);
  return {
    stop: () => {
      clearInterval(timer);
      return Math.round((peak - before) / 2 ** 20);
    },
  };
}

async function addOtherJobs(db: Knex, isDone: () => boolean): Promise<void> {
  while (!isDone()) {
    await addJobs(db, [{ task: "deliver_by_push", payload: { at: Date.now() } }]);
    await delay(100);
  }
}

async function toggleMeanwhile(db: Knex, isDone: () => boolean): Promise<number[]> {
  const times: number[] = [];
  const newcomers: number[] = await db("users").orderBy("id", "desc").limit(300).pluck("id");
  for (const id of newcomers) {
    if (isDone()) break;
    const begun = performance.now();
    await toggleFavorite(db, id, "donate", "item");
    times.push(performance.now() - begun);
    await delay(50);
  }
  return times;
}

async function untilTold(db: Knex): Promise<void> {
  while (!(await db("discounts").whereNotNull("told_at").first("id"))) await delay(20);
}

/** What this does not do: a statement for each user. */
async function insertOneByOne(db: Knex): Promise<void> {
  const users: number[] = await db("users")
    .orderBy("id")
    .limit(Math.ceil(favorites / 10))
    .pluck("id");
  await db("discounts").insert({ id: "baseline", item_key: "item", percent: 10, starts_at: db.fn.now() });
  const begun = performance.now();
  for (const user_id of users) {
    await db("notifications").insert({
      user_id,
      discount_id: "baseline",
      item_key: "item",
      item_name: "Item",
      new_price: "90.00",
      currency: "EUR",
    });
  }
  const seconds = (performance.now() - begun) / 1000;
  await db("notifications").where({ discount_id: "baseline" }).delete();
  console.log(
    `one INSERT a row, without deliveries: ${(seconds * 10).toFixed(1)} s for as many (a tenth was measured)`,
  );
}

function describe(times: number[]): string {
  const sorted = [...times].sort((a, b) => a - b);
  const at = (share: number) =>
    Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0);
  return `median ${at(0.5)} ms, 99 % ${at(0.99)} ms, longest ${at(1)} ms (${sorted.length})`;
}
