/**
 * Tells 1,000 users of 60 crossings of 20 servers, while the pollers and the workers are killed by SIGKILL at random
 * every few seconds, by e-mail to some of them through a server that refuses a third of the attempts:
 *
 *   node bench/alerts-crash.ts [--users 1000] [--servers 20] [--mailed 50] [--workers 3] [--pollers 2]
 *
 * Exit code 1 unless each crossing was noted once, every user has exactly one notification of each, every e-mail that
 * counts as sent arrived, and each that arrived twice was sent by a worker that died within a second of the mail
 * server's word.
 */
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import type { Knex } from "knex";
import { migrate } from "../src/db/migrate.ts";
import { deliveryStates } from "../test/helpers/fans.ts";
import { findRepetitions, type Mortals, startMortals } from "../test/helpers/mortals.ts";
import { startJsonPeer } from "../test/helpers/peers/json-list.ts";
import { type SmtpProcess, startSmtpProcess } from "../test/helpers/peers/smtp-process.ts";
import {
  addWatchers,
  CROSSINGS_EACH,
  isToldToAll,
  playEvening,
  until,
  wrongAlerts,
  wrongCrossings,
} from "../test/helpers/watchers.ts";
import { withThrowAwayDatabase } from "./throw-away-database.ts";

/** The shortest and the longest lives: a process takes a few seconds before it works. */
const WORKER_LIFE_MS = [15_000, 30_000] as const;
const POLLER_LIFE_MS = [20_000, 40_000] as const;
const INTERVAL_MS = 3_000;

/** Between the mail server's word and the note of it. */
const WINDOW_MS = 1_000;

const { values } = parseArgs({
  options: {
    users: { type: "string", default: "1000" },
    servers: { type: "string", default: "20" },
    mailed: { type: "string", default: "50" },
    workers: { type: "string", default: "3" },
    pollers: { type: "string", default: "2" },
  },
});
const size = { users: Number(values.users), servers: Number(values.servers), mailed: Number(values.mailed) };

process.exitCode = (await withThrowAwayDatabase(measure)) ? 0 : 1;

async function measure(db: Knex, url: string): Promise<boolean> {
  const smtp = await startSmtpProcess({ mood: "refusesSome", some: { refused: 1, of: 3 } });
  const peer = await startJsonPeer();
  const mortals: Mortals[] = [];
  const start = (script: string, ...args: string[]) => {
    const file = fileURLToPath(new URL(`../test/helpers/${script}.ts`, import.meta.url));
    return spawn(process.execPath, [file, url, ...args], { stdio: "ignore" });
  };
  const reports = setInterval(() => void report(db), 10_000);
  try {
    await migrate(db);
    await addWatchers(db, peer.url, size);
    const workers = startMortals(
      Number(values.workers),
      (name) => start("worker-process", smtp.url(name)),
      WORKER_LIFE_MS,
    );
    const pollers = startMortals(
      Number(values.pollers),
      () => start("poller-process", String(INTERVAL_MS)),
      POLLER_LIFE_MS,
    );
    mortals.push(workers, pollers);
    await playEvening(db, peer, size.servers, () => until(() => isToldToAll(db)));
    for (const some of mortals) some.spare();
    await until(() => isToldToAll(db));
    return await judge(db, smtp, workers, pollers);
  } finally {
    clearInterval(reports);
    for (const some of mortals) await some.end();
    await peer.stop();
    await smtp.stop();
  }
}

async function report(db: Knex): Promise<void> {
  const { rows } = await db.raw(
    `select (select count(*) from server_crossings where what <> 'down')::int as crossings,
            (select count(*) from notifications)::int as notifications`,
  );
  console.log(new Date().toISOString(), JSON.stringify({ ...rows[0], ...(await deliveryStates(db)) }));
}

async function judge(db: Knex, smtp: SmtpProcess, workers: Mortals, pollers: Mortals): Promise<boolean> {
  const noted = await wrongCrossings(db);
  const told = await wrongAlerts(db);
  const { rows } = await db.raw(
    `select count(*)::int as notifications, count(distinct crossing_id)::int as crossings,
            round(max(extract(epoch from notification.created_at - crossing.at))::numeric, 1)::text as latest,
            round(percentile_cont(0.5) within group (order by extract(epoch from notification.created_at - crossing.at))::numeric, 1)::text as median
       from notifications notification join server_crossings crossing on crossing.id = notification.crossing_id`,
  );
  const mails = await smtp.mails();
  const arrived = new Set(mails.map(({ messageId }) => messageId));
  const sent: number[] = await db("deliveries").where({ state: "sent" }).pluck("notification_id");
  const missing = sent.filter((id) => !arrived.has(`<notification-${id}@almanac.test>`));
  const repetitions = findRepetitions(mails, workers.lives);
  const unexplained = repetitions.filter(
    ({ diedAfterMs }) => diedAfterMs === undefined || Math.abs(diedAfterMs) > WINDOW_MS,
  );
  const killed = ({ lives }: Mortals) => lives.filter(({ killedAt }) => killedAt !== undefined).length;
  console.log(`kills: ${killed(workers)} of workers, ${killed(pollers)} of pollers`);
  console.log(`crossings: ${rows[0].crossings}; servers with one too many or too few: ${noted.length}`);
  console.log(
    `notifications: ${rows[0].notifications}; pairs of user and crossing without exactly one: ${told.length}`,
  );
  console.log(
    `seconds from the crossing to the notification: median ${rows[0].median}, latest ${rows[0].latest}`,
  );
  console.log(
    `deliveries: ${JSON.stringify(await deliveryStates(db))}; sent and never arrived: ${missing.length}`,
  );
  console.log(
    `arrived again: ${repetitions.length}, of which the sender had not died: ${unexplained.length}`,
  );
  const isComplete = rows[0].notifications >= size.users * size.servers * CROSSINGS_EACH;
  const isExact = noted.length + told.length + missing.length + unexplained.length === 0;
  console.log(isExact && isComplete ? "PASS" : "FAIL");
  return isExact && isComplete;
}
