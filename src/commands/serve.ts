import { setTimeout as delay } from "node:timers/promises";
import type { Knex } from "knex";
import type { Logger } from "pino";
import { createApp } from "../app.ts";
import { buildAssets } from "../assets/build.ts";
import type { Config } from "../config.ts";
import { createDb } from "../db/connect.ts";
import { type OpenDatabase, openDatabase, requireMigrated } from "../db/open.ts";
import { loadDemoOnce } from "../demo/load.ts";
import { guardConnections } from "../http/connections.ts";
import { drain, type Listener, listen } from "../http/listen.ts";
import { createLog } from "../http/log-lines.ts";
import { proxyDoubt } from "../http/proxy.ts";
import { LANGUAGES } from "../i18n/languages.ts";
import { missingTexts } from "../i18n/translate.ts";
import { searchLoop, startBackground } from "../jobs/background.ts";
import { startLoops } from "../jobs/loop.ts";
import { LiveSearch } from "../search/live-search.ts";
import { installationSecret } from "../secrets.ts";
import { startPoller } from "../servers/poller/poll.ts";
import { compressAssets } from "../site/serve-assets.ts";
import { Command, type CommandContext } from "./command.ts";
import { stopSignal } from "./stop-signal.ts";

/** Far above what any page needs: a query that takes longer is ended, and its page is answered 503. */
const PAGE_STATEMENT_MS = 5_000;
/** For the site's own work, and for the few queries of a request that look at a whole table. */
const STATEMENT_TIMEOUT_MS = 30_000;
/** Connections for these, so that they and requests cannot take each other's. */
const OWN_POOL = 6;
/** Nobody waits longer for a page. */
const UNREACHABLE_MS = 5_000;

export const serveCommand = new Command("serve")
  .description("Run the site")
  .notes(`
Runs the site until Ctrl-C: the embedded Postgres in DATA_DIR (or the one at DATABASE_URL), the pages, the API, the
background work (not with WORKER=0) and, with POLL=1, the poller of the game servers. All settings come from the
environment; "doctor" shows them as they are understood.
`)
  .does(async ({ context }) => {
    const log = createLog(context.config.logLevel);
    const listener = await listen(context.config);
    guardConnections(listener.server, log);
    try {
      return await serve(context, listener, log);
    } finally {
      await drain(listener.server);
    }
  });

/** The port is held from the first moment, answering 503, so that a second start fails before it touches any data. */
async function serve(context: CommandContext, listener: Listener, log: Logger): Promise<number> {
  const { config, err } = context;
  const database = await openDatabase(
    { ...config, databasePool: OWN_POOL },
    {
      log: err,
      poolLog: (line) => log.debug(line),
      migrate: config.migrateOnStart,
      statementTimeoutMs: STATEMENT_TIMEOUT_MS,
      unreachableMs: UNREACHABLE_MS,
    },
  );
  const db = createDb({
    url: database.url,
    poolMax: config.databasePool,
    statementTimeoutMs: PAGE_STATEMENT_MS,
    unreachableMs: UNREACHABLE_MS,
    log: (line) => log.debug(line),
  });
  const started: Part[] = [{ stop: () => drain(listener.server) }];
  try {
    await requireMigrated(database.db);
    await loseNoRequest(context, listener, await start(context, { database, db, listener, log, started }));
    return 0;
  } finally {
    await stopAll(started)
      .finally(() => db.destroy())
      .finally(() => database.close());
  }
}

/** What runs on the database until it is stopped. */
interface Part {
  stop(): Promise<unknown>;
}

interface Place {
  readonly database: OpenDatabase;
  /** The pool for requests. */
  readonly db: Knex;
  readonly listener: Listener;
  readonly log: Logger;
  /** Each part as soon as it runs, so that a start that fails later leaves none behind. */
  readonly started: Part[];
}

/** Resolves when the site runs, with what tells when it is to stop. */
async function start({ config, out, err }: CommandContext, place: Place): Promise<Stop> {
  const { database, db, listener, log, started } = place;
  const { db: patientDb, url: databaseUrl } = database;
  const login = config.demoData ? await loadDemoOnce(patientDb, err) : undefined;
  // At once: who stops this start before it is through would never learn it.
  if (login) out(`Log in: ${login.name} with the password ${login.password} (shown only this once)`);
  const search = new LiveSearch({ db: patientDb, databaseUrl, log });
  started.push({ stop: () => search.close() });
  const assets = await buildAssets();
  const parts = { db: patientDb, log, config: resolve(config, listener.url) };
  // Who is answered is not cut off, however early the signal comes.
  const stop = expectStop(listener);
  listener.answerWith(createApp({ ...parts, db, patientDb, assets, search, stopping: stop.stopping.signal }));
  started.push(startLoops([searchLoop(search)], log));
  if (config.worker) started.push(startBackground(parts));
  if (config.poll) started.push(startPoller({ db: patientDb, log, intervalMs: config.pollIntervalS * 1000 }));
  await compressAssets(assets);
  warnOfTexts(log);
  const doubt = proxyDoubt(config, listener.url);
  if (doubt !== undefined) log.warn(doubt);
  for (const line of welcome(config, listener.url, database.adopted)) out(line);
  return stop;
}

/** All of them, whatever one of them meets; together, so that it takes as long as the slowest. */
async function stopAll(parts: readonly Part[]): Promise<void> {
  const results = await Promise.allSettled(parts.map((part) => part.stop()));
  const failed = results.find((result) => result.status === "rejected");
  if (failed) throw failed.reason;
}

interface Stop {
  readonly signal: Promise<NodeJS.Signals>;
  /** Aborts when the process is about to end; tells the app. */
  readonly stopping: AbortController;
  /** Aborts when whoever asked for it has asked again. */
  readonly hurry: AbortSignal;
}

function expectStop({ server }: Listener): Stop {
  const hurry = new AbortController();
  const signal = stopSignal(() => {
    hurry.abort();
    server.closeAllConnections();
  });
  return { signal, stopping: new AbortController(), hurry: hurry.signal };
}

/**
 * Waits for the signal to stop. Whoever sends SIGTERM has others that serve meanwhile, and needs some seconds to notice
 * that this process will not any more; Ctrl-C is a person who waits.
 */
async function loseNoRequest(
  { config, err }: CommandContext,
  { sendAway }: Listener,
  { signal: told, stopping, hurry }: Stop,
): Promise<void> {
  const signal = await told;
  stopping.abort();
  sendAway();
  const delayS = signal === "SIGTERM" ? config.shutdownDelayS : 0;
  if (delayS > 0) {
    err(`${signal}: not ready any more, still answering for ${delayS} s.`);
    await delay(delayS * 1000, undefined, { signal: hurry }).catch(() => undefined);
  }
  err(`Stopping after ${signal}: finishing what is under way.`);
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

function welcome(config: Config, url: string, adopted: boolean): string[] {
  const database = config.databaseUrl === undefined ? "embedded Postgres" : "Postgres at DATABASE_URL";
  const shared = adopted ? ", run by another process on this directory" : "";
  return [
    `${config.siteName} is at ${config.baseUrl ?? url}${config.baseUrl ? ` (listening on ${url})` : ""}`,
    `Data:   ${config.dataDir} (${database}${shared})`,
    "Stop:   Ctrl-C",
  ];
}
