import { requireMigrated } from "../db/open.ts";
import { logSlowStatements } from "../db/slow-statements.ts";
import { pollerSettings, startPoller } from "../servers/poller/poll.ts";
import { createMetrics, serveMetrics } from "../web/metrics/serve-metrics.ts";
import { createLog } from "../web/server/log.ts";
import { Command, stopSignal } from "./command.ts";
import { measureWork } from "./metrics/measure-work.ts";

export const pollCommand = new Command("poll")
  .notes(`
Asks every server that has an adapter for its players, each POLL_INTERVAL_S seconds, and keeps the answers in the
history. "serve" does the same beside the site with POLL=1. Several processes may run on one database: one of them
polls and the others wait, and when it ends another takes over within two intervals.
`)
  .does(async ({ context: { config, db, err } }) => {
    const database = await db({ keepsRunning: true });
    await requireMigrated(database);
    const log = createLog(config.logLevel, config.logFormat);
    logSlowStatements(database, { log, slowMs: config.slowStatementMs });
    const metrics = await createMetrics(config);
    if (metrics) measureWork(metrics, database);
    const readers = await serveMetrics(metrics, config.metrics);
    const poller = startPoller({ db: database, log, ...pollerSettings(config) });
    try {
      err(`Polling every ${config.pollIntervalS} s; stop with Ctrl-C.`);
      await stopSignal(() => process.exit(130));
    } finally {
      await Promise.all([poller.stop(), readers.stop()]);
    }
    return 0;
  });
