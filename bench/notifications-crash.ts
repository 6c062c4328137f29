/**
 * Tells 200 users of 50 discounts by three workers (`almanac worker`) that are killed by SIGKILL at random every few
 * seconds, by mail through a server that refuses a third of the attempts:
 *
 *   node bench/notifications-crash.ts [--users 200] [--discounts 50] [--processes 3] [--seconds 120]
 *
 * The workers are killed for so many seconds and then left alone. Each life of one logs in to the mail server under a
 * name of its own, so that of a mail that came twice it is known who had sent it the first time, and when that one
 * died. The waits of jobs that failed are cut short, for nobody has the hours that they grow to. Exit code 1 unless
 * every user has exactly one notification of each discount of their favorites, every mail arrived, and each that
 * arrived twice was sent by a worker that died within a second of the mail server's word.
 */
import { spawn } from "node:child_process";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import type { Knex } from "knex";
import { migrate } from "../src/db/migrate.ts";
import { toggleFavorite } from "../src/favorites/queries.ts";
import { addDiscountsOfAll, addFans, deliveryStates, letTimePass, wrongPairs } from "../test/helpers/fans.ts";
import { findRepetitions, type Mortals, startMortals } from "../test/helpers/mortals.ts";
import { type SmtpProcess, startSmtpProcess } from "../test/helpers/peers/smtp-process.ts";
import { withThrowAwayDatabase } from "./throw-away-database.ts";

const ROOT = path.join(import.meta.dirname, "..");

/** The shortest and the longest life of a worker: it takes a second or two before it works. */
const LIFE_MS = [4_000, 9_000] as const;

/** Between the mail server's word and the note of it. */
const WINDOW_MS = 1_000;

/** After the last kill, the jobs of the dead are free after twenty seconds; everything else takes seconds. */
const PATIENCE_MS = 600_000;

const { values } = parseArgs({
  options: {
    users: { type: "string", default: "200" },
    discounts: { type: "string", default: "50" },
    processes: { type: "string", default: "3" },
    seconds: { type: "string", default: "120" },
  },
});
const [users, discounts, processes, seconds] = [
  values.users,
  values.discounts,
  values.processes,
  values.seconds,
].map(Number) as [number, number, number, number];

process.exitCode = (await withThrowAwayDatabase(measure)) ? 0 : 1;

async function measure(db: Knex, url: string): Promise<boolean> {
  const smtp = await startSmtpProcess({ mood: "refusesSome", some: { refused: 1, of: 3 } });
  let mortals: Mortals | undefined;
  try {
    await migrate(db);
    await addFans(db, users, discounts);
    await addDiscountsOfAll(db, seconds * 0.8);
    mortals = startMortals(processes, (name) => startWorker(url, smtp.url(name)), LIFE_MS);
    await killFor(db, seconds);
    mortals.spare();
    const done = await settle(db);
    return (await judge(db, smtp, mortals)) && done;
  } finally {
    await mortals?.end();
    await smtp.stop();
  }
}

function startWorker(databaseUrl: string, smtpUrl: string) {
  return spawn(process.execPath, ["src/main.ts", "worker"], {
    cwd: ROOT,
    env: {
      PATH: process.env.PATH,
      DATABASE_URL: databaseUrl,
      SMTP_URL: smtpUrl,
      BASE_URL: "https://almanac.test",
      SESSION_SECRET: "a session secret that only this benchmark knows",
      LOG_LEVEL: "error",
    },
    stdio: ["ignore", "ignore", "ignore"],
  });
}

/** Meanwhile users add and remove favorites, so that some are told by that. */
async function killFor(db: Knex, forSeconds: number): Promise<void> {
  const end = Date.now() + forSeconds * 1000;
  for (let ticks = 0; Date.now() < end; ticks += 1) {
    await letTimePass(db);
    const { id } = await db("users").orderByRaw("random()").first("id");
    await toggleFavorite(db, id, "donate", `item-${1 + Math.floor(Math.random() * discounts)}`);
    if (ticks % 50 === 0) await report(db);
    await delay(200);
  }
}

async function settle(db: Knex): Promise<boolean> {
  const end = Date.now() + PATIENCE_MS;
  for (let ticks = 1; Date.now() < end; ticks += 1) {
    await letTimePass(db);
    const untold = await db("discounts").whereNull("told_at");
    if (untold.length === 0 && !(await deliveryStates(db)).waiting) return true;
    if (ticks % 20 === 0) await report(db);
    await delay(500);
  }
  return false;
}

async function report(db: Knex): Promise<void> {
  const { rows } = await db.raw("select count(*)::int as notifications from notifications");
  console.log(
    new Date().toISOString(),
    `notifications ${rows[0].notifications} deliveries ${JSON.stringify(await deliveryStates(db))}`,
  );
}

async function judge(db: Knex, smtp: SmtpProcess, { lives }: Mortals): Promise<boolean> {
  const wrong = await wrongPairs(db);
  const notifications: number[] = await db("notifications").pluck("id");
  const states = await deliveryStates(db);
  const mails = await smtp.mails();
  const arrived = new Set(mails.map(({ messageId }) => messageId));
  const missing = notifications.filter((id) => !arrived.has(`<notification-${id}@almanac.test>`));
  const repetitions = findRepetitions(mails, lives);
  const inWindow = repetitions.filter(
    ({ diedAfterMs }) => diedAfterMs !== undefined && Math.abs(diedAfterMs) <= WINDOW_MS,
  );
  const kills = lives.filter(({ killedAt }) => killedAt !== undefined).length;
  const delays = repetitions.map(({ diedAfterMs }) => diedAfterMs ?? Number.NaN).sort((a, b) => a - b);
  console.log(`kills: ${kills}, of ${lives.length} workers`);
  console.log(
    `notifications: ${notifications.length}; pairs of user and discount without exactly one: ${wrong.length}`,
  );
  console.log(`deliveries: ${JSON.stringify(states)}; attempts at the mail server: ${await smtp.attempts()}`);
  console.log(
    `mails taken over: ${mails.length}, different ones: ${arrived.size}, never arrived: ${missing.length}`,
  );
  console.log(
    `taken over again: ${repetitions.length}, of which the sender had died in the window: ${inWindow.length}`,
  );
  console.log(`ms from the acceptance to the sender's death: ${JSON.stringify(delays)}`);
  const isExact = wrong.length === 0 && missing.length === 0 && inWindow.length === repetitions.length;
  const isSettled = states.sent === notifications.length;
  console.log(isExact && isSettled ? "PASS" : "FAIL");
  return isExact && isSettled;
}
