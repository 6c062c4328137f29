import type { Server } from "node:http";
import { parseArgs } from "node:util";
import { type Logger, pino } from "pino";
import { createApp } from "../app.ts";
import { buildAssets } from "../assets/build.ts";
import { compressAssets } from "../assets/serve.ts";
import type { Config } from "../config.ts";
import { openDatabase, requireMigrated } from "../db/open.ts";
import { type DemoLogin, loadDemoOnce } from "../demo/load.ts";
import { drain, type Listener, listen } from "../http/listen.ts";
import { LANGUAGES } from "../i18n/languages.ts";
import { missingTexts } from "../i18n/translate.ts";
import { searchLoop, startBackground } from "../jobs/background.ts";
import { startLoops } from "../jobs/loop.ts";
import { createLiveSearch } from "../search/live-search.ts";
import { installationSecret } from "../secrets.ts";
import { startPoller } from "../servers/poller/poll.ts";
import type { Command, CommandContext } from "./command.ts";
import { stopSignal } from "./stop-signal.ts";

/** Far above what any page needs. */
const STATEMENT_TIMEOUT_MS = 30_000;
/** Nobody waits longer for a page. */
const UNREACHABLE_MS = 5_000;

export const serveCommand: Command = {
  name: "serve",
  summary: "Run the site",
  usage: `
Usage: npm run -s almanac -- serve

Runs the site until Ctrl-C: the embedded Postgres in DATA_DIR (or the one at DATABASE_URL), the pages, the API, the
background work (not with WORKER=0) and, with POLL=1, the poller of the game servers. All settings come from the environment; "doctor"
shows them as they are understood.
`,
  async run(args, context) {
    parseArgs({ args, options: {} });
    const log = pino({ level: context.config.logLevel }, pino.destination(2));
    const listener = await listen(context.config);
    try {
      return await serve(context, listener, log);
    } finally {
      await drain(listener.server);
    }
  },
};

/** The port is held from the first moment, answering 503, so that a second start fails before it touches any data. */
async function serve({ config, out, err }: CommandContext, listener: Listener, log: Logger): Promise<number> {
  const database = await openDatabase(config, {
    log: err,
    poolLog: (line) => log.debug(line),
    migrate: config.migrateOnStart,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    unreachableMs: UNREACHABLE_MS,
  });
  try {
    await requireMigrated(database.db);
    const login = config.demoData ? await loadDemoOnce(database.db, err) : undefined;
    const search = createLiveSearch({ db: database.db, databaseUrl: database.url, log });
    const assets = await buildAssets();
    const parts = { db: database.db, log, config: resolve(config, listener.url) };
    listener.answerWith(createApp({ ...parts, assets, search }));
    const loops = startLoops([searchLoop(search)], log);
    const background = config.worker ? startBackground(parts) : undefined;
    const poller = config.poll
      ? startPoller({ db: database.db, log, intervalMs: config.pollIntervalS * 1000 })
      : undefined;
    await compressAssets(assets);
    warnOfTexts(log);
    for (const line of welcome(config, listener.url, database.adopted, login)) out(line);
    err(
      `Stopping after ${await stopSignal(() => forceClose(listener.server))}: finishing what is under way.`,
    );
    await Promise.all([drain(listener.server), loops.stop(), background?.stop(), poller?.stop()]);
    await search.close();
    return 0;
  } finally {
    await database.close();
  }
}

/** A language of the operator's own lags behind a new version of the site. */
function warnOfTexts(log: Logger): void {
  for (const language of LANGUAGES) {
    const missing = missingTexts(language);
    if (missing.length > 0) log.warn({ language, missing }, "texts are missing and shown in English");
  }
}

/** With what the settings may leave open. */
function resolve(config: Config, url: string) {
  const sessionSecret = config.sessionSecret ?? installationSecret(config.dataDir, "session-secret");
  return { ...config, baseUrl: config.baseUrl ?? url, sessionSecret };
}

function welcome(config: Config, url: string, adopted: boolean, login: DemoLogin | undefined): string[] {
  const database = config.databaseUrl === undefined ? "embedded Postgres" : "Postgres at DATABASE_URL";
  const shared = adopted ? ", run by another process on this directory" : "";
  return [
    `${config.siteName} is at ${config.baseUrl ?? url}${config.baseUrl ? ` (listening on ${url})` : ""}`,
    `Data:   ${config.dataDir} (${database}${shared})`,
    ...(login ? [`Log in: ${login.name} with the password ${login.password} (shown only this once)`] : []),
    "Stop:   Ctrl-C",
  ];
}

function forceClose(server: Server): void {
  server.closeAllConnections();
}
