import { existsSync } from "node:fs";
import path from "node:path";
import type { Knex } from "knex";
import type { Logger } from "pino";
import { KnownKeys } from "../accounts/keys/known-keys.ts";
import { hasOperator } from "../accounts/queries.ts";
import { createApp } from "../app.ts";
import { ChangeFeed } from "../db/change-feed.ts";
import { createDb, failFast, withOwnConnection } from "../db/connect.ts";
import { announceSite, requireOnlySite } from "../db/known-sites.ts";
import { LiveSettings } from "../db/live-settings.ts";
import { type OpenDatabase, openDatabase, requireMigrated } from "../db/open.ts";
import { REQUEST_LIMITS, requirePooler } from "../db/pooler.ts";
import { logSlowStatements } from "../db/slow-statements.ts";
import { DayCounts } from "../records/counts/day-counts.ts";
import { NonEmptySections } from "../records/non-empty-sections.ts";
import { createPictureStore } from "../records/pictures/store.ts";
import { followAttributes } from "../records/relations/reference-queries.ts";
import { LiveSearch } from "../search/live-search.ts";
import { pollerSettings, startPoller } from "../servers/poller/poll.ts";
import type { Config } from "../settings/config.ts";
import { installationSecret } from "../settings/secrets.ts";
import { sleep } from "../settings/timers.ts";
import { buildAssets } from "../web/assets/build.ts";
import { CallLimits, EXCHANGE_S } from "../web/limits/call-limits.ts";
import type { Metrics } from "../web/metrics/metrics.ts";
import { createMetrics, forProcess, measurePools, serveMetrics } from "../web/metrics/serve-metrics.ts";
import { findProxyWarning } from "../web/server/client-address.ts";
import { guardConnections } from "../web/server/connections.ts";
import { drain, type Listener, listen } from "../web/server/listen.ts";
import { createLog } from "../web/server/log.ts";
import { LANGUAGES } from "../words/i18n/languages.ts";
import { missingTexts } from "../words/i18n/translate.ts";
import { type LiveVocabulary, readSiteVocabulary } from "../words/vocabulary/live.ts";
import { scheduledBackups, sitePlaces } from "./backup/site-places.ts";
import { Command, type CommandContext, stopSignal } from "./command.ts";
import { followSettings, startLoops } from "./jobs/background.ts";
import { measureWork } from "./metrics/measure-work.ts";
import { lastGoodVocabulary, openVocabulary } from "./prepare-own-kinds.ts";
import {
  handedSocket,
  isChild,
  leaveGroup,
  orderToStop,
  placeInGroup,
  type StopOrder,
  tellReady,
} from "./processes/child.ts";
import { MOST_PROCESSES, processCount, serveProcesses } from "./processes/process-group.ts";
import { demoLoop, useDemo } from "./use-demo.ts";

/** Limit for the reads that show whether the database is there. */
const LOOKOUT_MS = 2_000;
/** Limit for the site's own work and for the few requests that read a whole table. */
const STATEMENT_TIMEOUT_MS = 30_000;
/** Connections for that, apart from those of requests. */
const OWN_POOL = 6;
/** No page is worth a longer wait. */
const UNREACHABLE_MS = 5_000;
/** A site with large indexes answers pages after this time, and searches as soon as it can. */
const SEARCH_PATIENCE_MS = 10_000;

/** Connections for requests that are open when the first one comes. */
const AHEAD = 2;

export const serveCommand = new Command("serve")
  .option("--processes <number>", `so many processes on the same port, 1 to ${MOST_PROCESSES}`)
  .notes(`
Runs the site until Ctrl-C: the embedded Postgres in DATA_DIR (or the one at DATABASE_URL), the pages, the API, the
background work (not with WORKER=0) and, with POLL=1, the poller of the game servers. All settings come from the
environment or from .env; "doctor" shows them as they are understood.

With several processes, one that fails is started again, and SIGHUP replaces them one by one, by the code that is there
then, without a moment in which none answers.
`)
  .does<{ processes?: string }, []>(async ({ context, options }) => {
    const count = processCount(options.processes);
    return count > 1 && !isChild() ? serveProcesses(context, count) : serveAlone(context).finally(leaveGroup);
  });

/** Serves as the only process, or as one of several. */
async function serveAlone(whole: CommandContext): Promise<number> {
  const { config } = whole;
  const { number, joins } = await placeInGroup();
  const context = number === 1 ? whole : { ...whole, config, out: () => undefined };
  if (!isChild()) await requireOnlySite(config);
  const log = createLog(config.logLevel, config.logFormat);
  const place = { port: config.port, host: config.host, socket: handedSocket(config.socketFor) };
  const listener = await listen(place, { isLater: joins });
  guardConnections(listener.server, log);
  const metrics = await createMetrics(config);
  try {
    const readers = await serveMetrics(metrics, forProcess(config.metrics, number));
    return await serve(context, { listener, metrics, log }).finally(() => readers.stop());
  } finally {
    await drain(listener.server);
  }
}

/**
 * The port is taken first and answers 503, so that a second start fails before it touches any data; where others answer
 * already, it is taken last.
 */
async function serve(
  context: CommandContext,
  { listener, metrics, log }: Pick<StartedParts, "listener" | "metrics" | "log">,
): Promise<number> {
  const { config, err } = context;
  // For its mistakes, before anything is made; later starts have a last good one.
  if (!existsSync(lastGoodVocabulary(config))) readSiteVocabulary(config.siteSchema);
  const database = await openDatabase(
    { ...config, databasePool: OWN_POOL },
    {
      log: err,
      poolLog: (line) => log.debug(line),
      migrate: config.migrateOnStart,
      create: true,
      statementTimeoutMs: STATEMENT_TIMEOUT_MS,
      unreachableMs: UNREACHABLE_MS,
      // In a group of processes, the first one does it.
      keepsRunning: !isChild(),
    },
  );
  const { forRequests } = database;
  const pooled = { ...forRequests, pipeline: true, log: (line: string) => log.debug(line) };
  // Its own connection: one that is lost must not be waited for, and one of a full pool neither.
  const feedDb = createDb({ ...pooled, poolMax: 2, limitMs: LOOKOUT_MS });
  const noteRun = metrics?.noteRun.bind(metrics);
  const feed = new ChangeFeed({ db: feedDb, log, noteRun });
  const db = createDb({ ...pooled, poolMax: config.databasePool, ...REQUEST_LIMITS, healthProbe: feed });
  failFast(database.db, feed);
  if (metrics) {
    measureWork(metrics, database.db);
    measurePools(metrics, { requests: db, own: database.db });
  }
  const keys = new KnownKeys({ db, ownDb: database.db, feed, log });
  const counts = new DayCounts({ db: database.db, log });
  const started: Part[] = [{ stop: () => drain(listener.server) }];
  let limits: CallLimits | undefined;
  try {
    await requireMigrated(database.db);
    const secret = resolve(config, listener.url).sessionSecret;
    limits = new CallLimits({ db: database.db, log, secret });
    if (forRequests.isPooled) await requirePooler(db, database.db, { log: err });
    await stopGracefully(
      context,
      listener,
      await start(context, {
        database,
        db,
        counts,
        feed,
        keys,
        limits,
        listener,
        log,
        metrics,
        started,
      }),
    );
    return 0;
  } finally {
    await stopAll(started)
      .finally(() => keys.writeUses())
      .finally(() => counts.write())
      .finally(() => limits?.leave())
      .finally(() => Promise.all([db.destroy(), feedDb.destroy()]))
      .finally(() => database.close());
  }
}

interface Part {
  stop(): Promise<unknown>;
}

interface StartedParts {
  readonly database: OpenDatabase;
  /** The pool for requests. */
  readonly db: Knex;
  readonly counts: DayCounts;
  readonly feed: ChangeFeed;
  readonly keys: KnownKeys;
  readonly limits: CallLimits;
  readonly listener: Listener;
  readonly log: Logger;
  /** undefined: nobody may read them. */
  readonly metrics: Metrics | undefined;
  /** The parts that run by now, to stop them when a later step fails. */
  readonly started: Part[];
}

/** Resolves when the site runs. What watches and repeats begins last: the set-up would only make it wait and fail. */
async function start(context: CommandContext, place: StartedParts): Promise<Stop> {
  const { config, out, err } = context;
  const { database, db, counts, feed, keys, limits, listener, log, metrics, started } = place;
  const { db: slowQueryDb, url: databaseUrl } = database;
  announceSite(config, { url: listener.url, pid: isChild() ? process.ppid : process.pid });
  const settings = new LiveSettings(resolve(config, listener.url));
  await settings.follow(slowQueryDb);
  const vocabulary = await openVocabulary(settings.config, { db: slowQueryDb, log, err });
  await withOwnConnection({ url: databaseUrl }, (setUp) => useDemo(setUp, context));
  const search = new LiveSearch({
    db: slowQueryDb,
    databaseUrl,
    feed,
    log,
    indexFolder: path.join(config.dataDir, "search"),
  });
  started.push({ stop: () => search.close() });
  const assets = await buildAssets(path.join(config.dataDir, "assets"));
  const sections = new NonEmptySections();
  const pictures = createPictureStore(config, slowQueryDb);
  const parts = { db: slowQueryDb, log };
  // Before the first answer, so that an early signal cuts none off.
  const stop = expectStop(listener);
  // Before the first answer, too: other processes share the limits with this one from now on.
  await limits.exchange();
  const app = createApp({
    ...{ ...parts, config: settings.config, settings },
    db,
    counts,
    feed,
    keys,
    limits,
    metrics,
    slowQueryDb,
    assets,
    pictures,
    search,
    sections,
    vocabulary,
    stopping: stop.stopping.signal,
    writeBackup: async (to, signal) => {
      const { takeBackup } = await import("./backup/take-backup.ts");
      return takeBackup(slowQueryDb, to, { site: sitePlaces(config), signal });
    },
  });
  void search.refresh();
  const connected = connectAhead(db);
  await untilFound(search, AbortSignal.any([stop.atOnce, AbortSignal.timeout(SEARCH_PATIENCE_MS)]));
  await connected;
  started.push(feed);
  await feed.start();
  feed.follow("notice a changed vocabulary", () => vocabulary.noticeChange());
  // Last, because it takes minutes where a large kind gets its first references.
  feed.follow("follow what attributes name", referenceFollower(slowQueryDb, vocabulary, sections));
  // Before the site is ready: from then on no query that fails ends it.
  const isOwned = await hasOperator(slowQueryDb);
  listener.answerWith(app);
  for (const pool of [db, slowQueryDb]) logSlowStatements(pool, { log, slowMs: config.slowStatementMs });
  const ownLoops = [
    { name: "write the use of API keys", everySeconds: 60, run: () => keys.writeUses() },
    { name: "write what was looked at", everySeconds: 60, run: () => counts.write() },
    { name: "share the limits", everySeconds: EXCHANGE_S, run: () => limits.exchangeIfDue() },
  ];
  started.push(startLoops(ownLoops, log, metrics));
  const backups = scheduledBackups(config);
  const moreLoops = [demoLoop(slowQueryDb)];
  if (config.worker)
    started.push(followSettings(settings, { ...parts, metrics, vocabulary, backups, moreLoops }));
  if (config.poll) started.push(startPoller({ db: slowQueryDb, log, ...pollerSettings(config) }));
  warnOfTexts(log);
  const doubt = findProxyWarning(config, listener.url);
  if (doubt !== undefined) log.warn(doubt);
  for (const line of welcome(settings.config, listener.url, database.adopted)) out(line);
  if (!isOwned) out(FIRST_OPERATOR);
  if (!listener.server.listening) {
    await untilFound(search, stop.atOnce);
    await listener.open();
  }
  tellReady();
  return stop;
}

/**
 * Opens connections before the first request. On a busy machine that takes longer than a request may, and a process that
 * replaces another gets requests at once.
 */
async function connectAhead(db: Knex): Promise<void> {
  const connections = Array.from({ length: AHEAD }, () => db.raw("select pg_sleep(0.05)"));
  await Promise.allSettled(connections);
}

/** Waits until every kind can be searched, as others answer until then. */
async function untilFound(search: LiveSearch, atOnce: AbortSignal): Promise<void> {
  while (!Object.values(search.ready).every(Boolean) && !atOnce.aborted) await sleep(50, atOnce);
}

/** Stops all parts at once, even if one fails. */
async function stopAll(parts: readonly Part[]): Promise<void> {
  const results = await Promise.allSettled(parts.map((part) => part.stop()));
  const failed = results.find((result) => result.status === "rejected");
  if (failed) throw failed.reason;
}

/** The settings with defaults filled in. */
function resolve(config: Config, url: string) {
  const sessionSecret = config.sessionSecret ?? installationSecret(config.dataDir);
  return { ...config, baseUrl: config.baseUrl ?? url, sessionSecret };
}

/** Missing texts that the log names. */
const NAMED = 20;

/** An operator's own language may lack texts of a new version. */
export function warnOfTexts(log: Logger): void {
  for (const language of LANGUAGES) {
    const missing = missingTexts(language);
    if (missing.length === 0) continue;
    const named = { language, count: missing.length, missing: missing.slice(0, NAMED) };
    log.warn(named, "texts are missing and shown in English; doctor names all");
  }
}

/** The message of `serve` once it answers. */
export function welcome(config: Config, url: string, adopted: boolean): string[] {
  const database = config.databaseUrl === undefined ? "embedded Postgres" : "Postgres at DATABASE_URL";
  const shared = adopted ? ", run by another process on this directory" : "";
  return [
    `${config.siteName} is at ${config.baseUrl ?? url}${config.baseUrl ? ` (listening on ${url})` : ""}`,
    `Data:   ${config.dataDir} (${database}${shared})`,
    "Stop:   Ctrl-C",
  ];
}

/** For a site without demo data, which nobody can manage yet. */
export const FIRST_OPERATOR =
  "There is no operator yet; to make one: npm run -s almanac -- user create <name> --operator";

export interface Stop {
  readonly ordered: Promise<StopOrder>;
  /** Aborts when the process is about to end. */
  readonly stopping: AbortController;
  /** Aborts at the second signal. */
  readonly atOnce: AbortSignal;
}

export function expectStop({ server }: Listener): Stop {
  const atOnce = new AbortController();
  const cutShort = () => {
    atOnce.abort();
    server.closeAllConnections();
  };
  const ordered = isChild()
    ? orderToStop(cutShort)
    : stopSignal(cutShort).then((signal) => ({ signal, isReplaced: false }));
  return { ordered, stopping: new AbortController(), atOnce: atOnce.signal };
}

/**
 * Waits for the signal to stop. After SIGTERM it answers for some more seconds, until the load balancer has noticed;
 * after Ctrl-C a person waits.
 */
export async function stopGracefully(
  { config, err }: CommandContext,
  { sendAway }: Listener,
  { ordered, stopping, atOnce }: Stop,
): Promise<void> {
  const { signal, isReplaced } = await ordered;
  // The site stays ready if other processes answer on the same port.
  if (!isReplaced) stopping.abort();
  sendAway();
  const delayS = signal === "SIGTERM" ? config.shutdownDelayS : 0;
  if (delayS > 0) {
    err(`${signal}: ${isReplaced ? "replaced" : "not ready any more"}, still answering for ${delayS} s.`);
    await sleep(delayS * 1000, atOnce);
  }
  err(`Stopping after ${signal}: finishing what is under way.`);
}

/**
 * Work for the change feed: makes the database follow the reference attributes of this process's vocabulary, whenever
 * they change. The demo's words count while there are demo records. Processes may disagree until each has read the
 * changed file.
 */
export function referenceFollower(
  db: Knex,
  vocabulary: Pick<LiveVocabulary, "of" | "version">,
  sections: Pick<NonEmptySections, "isDemo">,
): () => Promise<void> {
  let followed: string | undefined;
  return async () => {
    const { isDemo } = sections;
    const current = `${vocabulary.version} ${isDemo}`;
    if (current === followed) return;
    await followAttributes(db, vocabulary.of({ withDefaults: isDemo }).references());
    followed = current;
  };
}
