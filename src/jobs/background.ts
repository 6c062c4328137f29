import type { Knex } from "knex";
import type { Logger } from "pino";
import { removeExpired } from "../accounts/queries.ts";
import { removeDeadKeys } from "../api-keys/queries.ts";
import { removeGivenUpJobs } from "../db/jobs.ts";
import { topUpDemoHistory } from "../demo/history-queries.ts";
import { createMailer } from "../mail/mailer.ts";
import { addLostJobs, dropEnded } from "../notifications/deliveries-queries.ts";
import { removeOldDigests } from "../notifications/email/digest-queries.ts";
import { removeOldNotifications } from "../notifications/queries.ts";
import { addTellingJobs } from "../notifications/telling.ts";
import type { LiveSearch } from "../search/live-search.ts";
import { rollUpHistory } from "../servers/history/roll-up.ts";
import { type Loop, startLoops } from "./loop.ts";
import type { PoolSilence } from "./pools.ts";
import { startJobs } from "./run.ts";
import { allTasks, type JobsConfig } from "./tasks.ts";

export interface BackgroundOptions {
  readonly db: Knex;
  readonly log: Logger;
  readonly config: JobsConfig;
  /** For tests: how long a dead process keeps its jobs. */
  readonly silence?: PoolSilence;
}

/**
 * Starts what runs beside the requests, in `serve` and in `worker` alike: the loops that look after the database, and
 * the jobs. Any number of processes may do so on one database. `stop` takes a few seconds at most.
 */
export function startBackground({ db, log, config, silence }: BackgroundOptions): { stop(): Promise<void> } {
  const { siteName, baseUrl, mailFrom: from } = config;
  const mailer = createMailer(config.mail, { from, siteName, baseUrl, log });
  const tasks = allTasks({ db, log, config, mailer });
  const jobs = startJobs({ db, log, silence, tasks });
  const loops = startLoops(backgroundLoops(db), log);
  return {
    // Together: a mail server that stalls is let go of, and the jobs that wait for it end.
    stop: async () => {
      await Promise.all([loops.stop(), jobs.stop(), mailer?.close()]);
    },
  };
}

/**
 * Each is one statement or safe to repeat, and what it does is due again and again, whoever did it last: jobs are for
 * what must be done once.
 */
function backgroundLoops(db: Knex): Loop[] {
  return [
    { name: "look for discounts that began", everySeconds: 5, run: () => addTellingJobs(db) },
    { name: "add the jobs of deliveries that lost theirs", everySeconds: 300, run: () => addLostJobs(db) },
    { name: "drop deliveries of discounts that are over", everySeconds: 300, run: () => dropEnded(db) },
    { name: "remove jobs that were given up", everySeconds: 3600, run: () => removeGivenUpJobs(db) },
    { name: "remove expired sessions and counters", everySeconds: 600, run: () => removeExpired(db) },
    { name: "remove dead API keys", everySeconds: 3600, run: () => removeDeadKeys(db) },
    { name: "remove old notifications", everySeconds: 600, run: () => removeOldNotifications(db) },
    { name: "remove old daily mails", everySeconds: 3600, run: () => removeOldDigests(db) },
    { name: "roll up the servers' history", everySeconds: 60, run: () => rollUpHistory(db) },
    { name: "continue the demo servers' history", everySeconds: 60, run: () => topUpDemoHistory(db) },
  ];
}

/** Keeps the searches of a process that answers requests up to date. */
export function searchLoop(search: LiveSearch): Loop {
  return { name: "notice catalogue changes", everySeconds: 0.5, run: () => search.noticeChanges() };
}
