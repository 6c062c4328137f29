import { isDeepStrictEqual } from "node:util";
import type { Knex } from "knex";
import type { Logger } from "pino";
import { removeEndedGrants } from "../../accounts/keys/grant-queries.ts";
import { removeDeadKeys } from "../../accounts/keys/queries.ts";
import { removeOldKeyUses } from "../../accounts/keys/use-queries.ts";
import { accountMailTasks } from "../../accounts/mail-tasks.ts";
import { removeExpired } from "../../accounts/queries.ts";
import { removeOldActions } from "../../db/audit-queries.ts";
import { removeOldChanges } from "../../db/change-feed.ts";
import { removeGivenUpJobs, type Tasks } from "../../db/jobs.ts";
import type { LiveSettings } from "../../db/live-settings.ts";
import { runAs } from "../../db/work.ts";
import { tellIndexNow } from "../../discovery/sitemap/indexnow.ts";
import { addDueFetches, fetchTasks } from "../../exchange/imports/sources.ts";
import { removeOldImports, uploadTasks } from "../../exchange/imports/uploads.ts";
import { forgetOldChanges } from "../../exchange/sync/changes-queries.ts";
import { removeOldAnswers } from "../../exchange/write/answer-queries.ts";
import { addAlertJobs, alertTasks } from "../../notifications/alerts/alert-jobs.ts";
import { addLostJobs, dropEnded } from "../../notifications/deliveries-queries.ts";
import { removeOldDigests } from "../../notifications/email/digest-queries.ts";
import { removeOldNotifications } from "../../notifications/inbox-queries.ts";
import type { Mailer } from "../../notifications/mail/mail.ts";
import { createMailer, measureMailer } from "../../notifications/mail/mailer.ts";
import { addNotifyJobs, notifyTasks } from "../../notifications/notify.ts";
import { channelTasks } from "../../notifications/tasks.ts";
import { removeOldEvents } from "../../notifications/webhooks/delivery-queries.ts";
import { fanOut } from "../../notifications/webhooks/fan-out.ts";
import { webhookMailTasks } from "../../notifications/webhooks/mail-tasks.ts";
import { notifyOfWishes } from "../../notifications/wishes.ts";
import { removeOldCrossings } from "../../servers/crossings.ts";
import { rollUpHistory } from "../../servers/history/roll-up.ts";
import type { Config } from "../../settings/config.ts";
import type { StorableConfig } from "../../settings/stored.ts";
import { runEvery } from "../../settings/timers.ts";
import { removeOldWindows } from "../../web/limits/queries.ts";
import type { Metrics } from "../../web/metrics/metrics.ts";
import { LiveVocabulary } from "../../words/vocabulary/live.ts";
import type { ScheduledBackups } from "../backup/scheduled.ts";
import type { PoolSilence } from "./pools.ts";
import { startJobs } from "./run.ts";

export interface BackgroundOptions {
  readonly db: Knex;
  readonly log: Logger;
  readonly config: JobsConfig;
  readonly metrics?: Metrics | undefined;
  /** The operator's words, which imports read values by. */
  readonly vocabulary?: LiveVocabulary;
  /** More loops, which the command brings. */
  readonly moreLoops?: readonly Loop[];
  /** Backups that the site writes by itself; undefined: none. */
  readonly backups?: ScheduledBackups | undefined;
  /** For tests: how long a dead process keeps its jobs. */
  readonly silence?: PoolSilence;
}

/** Starts the loops and jobs of `serve` and `worker`, in any number of processes. `stop` takes a few seconds at most. */
export function startBackground({
  db,
  log,
  config,
  metrics,
  vocabulary,
  moreLoops = [],
  backups,
  silence,
}: BackgroundOptions): { stop(): Promise<void> } {
  const { siteName, baseUrl, mailFrom: from } = config;
  const ownMailer = createMailer(config.mail, { from, siteName, baseUrl, log });
  const mailer = ownMailer && metrics ? measureMailer(metrics, ownMailer) : ownMailer;
  const tasks = allTasks({ db, log, config, mailer, vocabulary });
  const jobs = startJobs({ db, log, silence, tasks });
  const stopping = new AbortController();
  const backupLoop = {
    name: "look for a backup to write",
    everySeconds: 60,
    // Loaded only where backups are wanted: they bring an embedded Postgres.
    run: async () => {
      if (!backups) return;
      const { backUpIfDue } = await import("../backup/scheduled.ts");
      await backUpIfDue(db, backups, { log, signal: stopping.signal });
    },
  };
  const all = [...backgroundLoops(db), ...moreLoops, backupLoop, ...indexNowLoops(db, config)];
  const loops = startLoops(all, log, metrics);
  return {
    // Together: closing the mailer ends jobs that wait for a stalled mail server.
    stop: async () => {
      stopping.abort();
      await Promise.all([loops.stop(), jobs.stop(), mailer?.close()]);
    },
  };
}

/** The background with the effective settings: it is started again after a change of those that it uses. */
export function followSettings(
  settings: LiveSettings<JobsConfig & StorableConfig>,
  options: Omit<BackgroundOptions, "config">,
): { stop(): Promise<void> } {
  const used = ({ mail, mailFrom, siteName }: JobsConfig) => ({ mail, mailFrom, siteName });
  let { config } = settings;
  let running = Promise.resolve(startBackground({ ...options, config }));
  let isStopped = false;
  settings.onChange(() => {
    if (isStopped || isDeepStrictEqual(used(settings.config), used(config))) return;
    config = settings.config;
    running = running.then(async (background) => {
      await background.stop();
      return isStopped ? background : startBackground({ ...options, config });
    });
  });
  return {
    stop: async () => {
      isStopped = true;
      await (await running).stop();
    },
  };
}

/** Recurring work that is safe to repeat; work that must be done once is a job. */
function backgroundLoops(db: Knex): Loop[] {
  return [
    { name: "look for discounts that began", everySeconds: 5, run: () => addNotifyJobs(db) },
    { name: "look for crossings of servers", everySeconds: 2, run: () => addAlertJobs(db) },
    { name: "look for prices that somebody wished for", everySeconds: 5, run: () => notifyOfWishes(db) },
    { name: "add the jobs of deliveries that lost theirs", everySeconds: 300, run: () => addLostJobs(db) },
    { name: "drop deliveries of what is over", everySeconds: 300, run: () => dropEnded(db) },
    { name: "make messages for webhooks", everySeconds: 2, run: () => fanOut(db) },
    { name: "remove old messages of webhooks", everySeconds: 3600, run: () => removeOldEvents(db) },
    { name: "remove jobs that were given up", everySeconds: 3600, run: () => removeGivenUpJobs(db) },
    { name: "remove expired sessions and counters", everySeconds: 600, run: () => removeExpired(db) },
    { name: "remove old windows of limits", everySeconds: 600, run: () => removeOldWindows(db) },
    { name: "remove old uses of API keys", everySeconds: 3600, run: () => removeOldKeyUses(db) },
    { name: "remove old lines of the audit log", everySeconds: 3600, run: () => removeOldActions(db) },
    { name: "remove dead API keys", everySeconds: 3600, run: () => removeDeadKeys(db) },
    { name: "remove old answers of writes", everySeconds: 3600, run: () => removeOldAnswers(db) },
    { name: "remove ended grants of API keys", everySeconds: 3600, run: () => removeEndedGrants(db) },
    { name: "remove old notes of changes", everySeconds: 3600, run: () => removeOldChanges(db) },
    { name: "forget old changes of the catalogue", everySeconds: 3600, run: () => forgetOldChanges(db) },
    {
      name: "remove uploads and what old imports replaced",
      everySeconds: 600,
      run: () => removeOldImports(db),
    },
    { name: "look for sources to fetch", everySeconds: 30, run: () => addDueFetches(db) },
    { name: "remove old notifications", everySeconds: 600, run: () => removeOldNotifications(db) },
    { name: "remove old daily mails", everySeconds: 3600, run: () => removeOldDigests(db) },
    { name: "roll up the servers' history", everySeconds: 60, run: () => rollUpHistory(db) },
    { name: "remove old crossings of servers", everySeconds: 600, run: () => removeOldCrossings(db) },
  ];
}

/** Tells a search engine what changed, where the operator wants that. */
function indexNowLoops(db: Knex, { indexNowEndpoint: endpoint, baseUrl, sessionSecret }: JobsConfig): Loop[] {
  if (endpoint === undefined) return [];
  const site = { endpoint, baseUrl, secret: sessionSecret };
  return [{ name: "tell IndexNow of changes", everySeconds: 60, run: () => tellIndexNow(db, site) }];
}

/** The settings for jobs, with defaults filled in. */
type JobsConfig = Pick<
  Config,
  "siteName" | "mail" | "mailFrom" | "imageHosts" | "pushServices" | "privateAddresses" | "indexNowEndpoint"
> & {
  baseUrl: string;
  /** Signs the links of mails. */
  sessionSecret: string;
};

export interface TaskContext {
  readonly db: Knex;
  readonly log: Logger;
  readonly config: JobsConfig;
  /** undefined: this process leaves jobs that send mail to others. */
  readonly mailer: Mailer | undefined;
  readonly vocabulary?: LiveVocabulary | undefined;
}

/** The tasks of all features, by name. */
export function allTasks({ db, log, config, mailer, vocabulary = new LiveVocabulary() }: TaskContext): Tasks {
  const { siteName: name, baseUrl, imageHosts, sessionSecret: secret } = config;
  const site = { name, baseUrl, imageHosts, secret };
  return {
    ...notifyTasks({ db }),
    ...alertTasks({ db }),
    ...uploadTasks({ db, vocabulary }),
    ...fetchTasks({ db, vocabulary, egress: { opened: config.privateAddresses } }),
    ...channelTasks({ db, log, site, mailer, config }),
    ...(mailer && {
      ...accountMailTasks({ db, mailer, site, log }),
      ...webhookMailTasks({ db, mailer, site, log }),
    }),
  };
}

/** Work repeated in one process; it must be safe to run in several processes at once. */
export interface Loop {
  name: string;
  /** Seconds between the end of one run and the start of the next. */
  everySeconds: number;
  run(): Promise<unknown>;
}

/** Runs each loop at once and after every pause. A failure is logged and tried again. `stop` waits for open runs. */
export function startLoops(loops: Loop[], log: Logger, metrics?: Metrics): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const running = loops.map((loop) =>
    runEvery(() => runLogged(loop, log, metrics), loop.everySeconds * 1000, stopping.signal),
  );
  return {
    stop: async () => {
      stopping.abort();
      await Promise.all(running);
    },
  };
}

async function runLogged({ name, run }: Loop, log: Logger, metrics?: Metrics): Promise<void> {
  try {
    await runAs(() => ({ loop: name }), run);
    metrics?.noteRun(name, true);
  } catch (error) {
    metrics?.noteRun(name, false);
    log.warn({ err: error, loop: name }, "a background run failed");
  }
}
