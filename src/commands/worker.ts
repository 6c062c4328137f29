import { LiveSettings } from "../db/live-settings.ts";
import { requireMigrated } from "../db/open.ts";
import { logSlowStatements } from "../db/slow-statements.ts";
import { installationSecret } from "../settings/secrets.ts";
import { createMetrics, serveMetrics } from "../web/metrics/serve-metrics.ts";
import { buildUrl } from "../web/server/listen.ts";
import { createLog } from "../web/server/log.ts";
import { scheduledBackups } from "./backup/site-places.ts";
import { Command, stopSignal } from "./command.ts";
import { followSettings, startLoops } from "./jobs/background.ts";
import { measureWork } from "./metrics/measure-work.ts";
import { openVocabulary } from "./prepare-own-kinds.ts";
import { demoLoop } from "./use-demo.ts";

export const workerCommand = new Command("worker")
  .notes(`
Tells of discounts that begin, delivers notifications and e-mails, rolls up histories, removes what has expired. "serve"
does the same beside the site unless WORKER=0; several processes may do it at once. The settings are those of the site:
BASE_URL and SESSION_SECRET (or the DATA_DIR that keeps it) make the links of mails.
`)
  .does(async ({ context: { config, db: open, err } }) => {
    const log = createLog(config.logLevel, config.logFormat);
    const db = await open({ poolLog: (line) => log.debug(line), keepsRunning: true });
    await requireMigrated(db);
    logSlowStatements(db, { log, slowMs: config.slowStatementMs });
    const baseUrl = config.baseUrl ?? buildUrl(config);
    const sessionSecret = config.sessionSecret ?? installationSecret(config.dataDir);
    const settings = new LiveSettings({ ...config, baseUrl, sessionSecret });
    await settings.follow(db);
    const vocabulary = await openVocabulary(settings.config, { db, log, err });
    const metrics = await createMetrics(config);
    if (metrics) measureWork(metrics, db);
    const readers = await serveMetrics(metrics, config.metrics);
    const noticeSettings = {
      name: "notice changed settings",
      everySeconds: 1,
      run: () => settings.follow(db),
    };
    const loops = startLoops([noticeSettings], log, metrics);
    const background = followSettings(settings, {
      db,
      log,
      metrics,
      vocabulary,
      moreLoops: [demoLoop(db)],
      backups: scheduledBackups(config),
    });
    try {
      err("Working; stop with Ctrl-C.");
      await stopSignal(() => process.exit(130));
    } finally {
      await Promise.all([loops.stop(), background.stop(), readers.stop()]);
    }
    return 0;
  });
