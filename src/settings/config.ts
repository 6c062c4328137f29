import path from "node:path";
import { z } from "zod";
import { backupSettings } from "./backups.ts";
import { databaseSettings } from "./database.ts";
import { egressSettings } from "./egress.ts";
import { limitSettings } from "./limits.ts";
import { lookSettings } from "./look.ts";
import { mailSetting } from "./mail.ts";
import { metricsSettings } from "./metrics.ts";
import { withoutPassword } from "./secrets.ts";
import { serverSettings } from "./server.ts";
import { addSettingsFile, ConfigError, type Environment, meantSetting, withSecretFiles } from "./sources.ts";
import { textSettings } from "./texts.ts";
import { flag, hosts, wholeNumber } from "./values.ts";

/** The name of a site without one. */
export const UNNAMED = "Almanac";

const sessionSettings = {
  SESSION_SECRET: z.string().min(32, "must be at least 32 characters").optional().meta({
    accepts: "at least 32 characters",
    unset: "generated in `DATA_DIR`",
    description: "Signs session cookies. Every process of one site needs the same.",
    isSecret: true,
  }),
  SESSION_DAYS: wholeNumber(1, 400).default(30).meta({
    description: "How many days a log-in lasts at most.",
  }),
  SESSION_IDLE_DAYS: wholeNumber(1, 400).default(7).meta({
    description: "How many days it lasts without a request; never longer than `SESSION_DAYS`.",
  }),
};

export const siteSettings = {
  SITE_NAME: z.string().max(60).default(UNNAMED).meta({
    accepts: "at most 60 characters",
    description: "The name in titles and feeds.",
  }),
  ...lookSettings,
  ...textSettings,
  SITE_SCHEMA: z.string().optional().meta({
    accepts: "a file",
    unset: "`site.json` in `DATA_DIR`",
    description:
      "The vocabulary: names, units, colours and order of the game's data, and kinds of your own ([vocabulary.md](vocabulary.md)).",
  }),
  ANONYMOUS_REPORTS: flag().default(false).meta({
    description: "Whether visitors can report mistakes without an account.",
  }),
  SECTIONS_OFF: z
    .string()
    .transform((text) => text.split(",").flatMap((word) => word.trim().toLowerCase() || []))
    .default([])
    .meta({
      accepts: "some of `nicknames`, `shop`, `discounts`, `map` and the kinds: `items`, `quests`",
      description:
        "Sections to switch off. Their pages, feeds and endpoints answer 404 and nothing links to them. Their records stay and can still be imported.",
    }),
  IMAGE_HOSTS: hosts().default([]).meta({
    description:
      "Hosts that pages may load pictures of records from. A picture on another host becomes a link.",
  }),
};

const workSettings = {
  WORKER: flag().default(true).meta({
    description: "Whether `serve` also runs the jobs. `0` leaves them to processes of the command `worker`.",
  }),
  POLL: flag().optional().meta({
    unset: "`1` embedded, `0` external",
    description: "Whether `serve` also polls the game servers, unless another process does.",
  }),
  POLL_INTERVAL_S: wholeNumber(10, 300).default(60).meta({
    description: "How often each game server is polled, in seconds.",
  }),
};

const logSettings = {
  LOG_LEVEL: z.enum(["fatal", "error", "warn", "info", "debug", "silent"]).default("info").meta({
    description:
      "`debug` logs every request. The log and the [security log](security-log.md) go to standard error.",
  }),
  LOG_FORMAT: z.enum(["text", "json"]).default("text").meta({
    description:
      "`text` is for people. With `json`, `serve`, `worker` and `poll` write one JSON object a line to standard error, for a collector.",
  }),
  ...metricsSettings,
};

/** Settings that nobody writes by hand. */
const programSettings = {
  LISTEN_PID: wholeNumber(0, 4_194_304).optional().meta({
    accepts: "a process",
    description: "systemd sets it to the process that it opened a socket for.",
  }),
  LISTEN_FDS: wholeNumber(0, 1).default(0).meta({
    description: "systemd sets it to the number of sockets that it opened.",
  }),
  NODE_ENV: z.string().optional().meta({
    accepts: "a name",
    description:
      "`npm run dev` sets it to `development`: without `SMTP_URL`, e-mails become files in `DATA_DIR`.",
  }),
};

/** Every setting, as docs/settings.md groups them. */
export const SETTING_GROUPS = {
  "Address and proxy": serverSettings,
  "Database and files": databaseSettings,
  "Log-in": sessionSettings,
  "The site": siteSettings,
  Backups: backupSettings,
  Limits: limitSettings,
  "Background work": workSettings,
  "Mail and other outgoing requests": egressSettings,
  "Log and metrics": logSettings,
  "Set by other programs": programSettings,
} as const satisfies Record<string, z.ZodRawShape>;

/** Every setting. An empty value counts as missing. */
const settings = z.object({
  ...serverSettings,
  ...databaseSettings,
  ...sessionSettings,
  ...siteSettings,
  ...backupSettings,
  ...limitSettings,
  ...workSettings,
  ...egressSettings,
  ...logSettings,
  ...programSettings,
});

/** The name of every setting. */
export const SETTINGS = Object.keys(settings.shape);

/** Secrets, which may also be given as NAME_FILE, the path of a file with the value. */
const SECRETS = Object.entries(settings.shape).flatMap(([name, schema]) =>
  schema.meta()?.isSecret ? [name] : [],
);

/** The effective settings. */
export type Config = ReturnType<typeof loadConfig>;

/**
 * Reads the settings from an environment, and from a file, whose settings are added to the environment. They are frozen,
 * with defaults filled in and paths made absolute.
 * @throws ConfigError naming every setting that is wrong, one line each; values of secrets are never repeated.
 */
export function loadConfig(env: Environment, file?: string) {
  const fromFile = file === undefined ? [] : addSettingsFile(env, file);
  const given = withSecretFiles(env, SECRETS);
  const parsed = settings.safeParse(given);
  const wrong = parsed.error?.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`) ?? [];
  const mistakes = [...wrong, ...findMistyped(given, fromFile)];
  if (!parsed.success || mistakes.length > 0) throw new ConfigError(mistakes.join("\n"));
  const value = parsed.data;
  const embedded = value.DATABASE_URL === undefined;
  if (embedded && value.DATABASE_DIRECT_URL !== undefined)
    throw new ConfigError("DATABASE_DIRECT_URL: wants DATABASE_URL too, the same database through a pooler");
  return Object.freeze({
    port: value.PORT,
    host: value.HOST,
    /** The process that systemd opened a socket for, to listen on instead. */
    socketFor: value.LISTEN_FDS === 1 ? value.LISTEN_PID : undefined,
    baseUrl: value.BASE_URL,
    /** undefined: the embedded Postgres. */
    databaseUrl: value.DATABASE_URL,
    /** undefined: `databaseUrl` leads through no pooler. */
    databaseDirectUrl:
      value.DATABASE_DIRECT_URL === value.DATABASE_URL ? undefined : value.DATABASE_DIRECT_URL,
    dataDir: path.resolve(value.DATA_DIR),
    // An operator's own database gets demo records only on request.
    demoData: value.DEMO_DATA ?? embedded,
    migrateOnStart: value.MIGRATE_ON_START ?? embedded,
    sessionSecret: value.SESSION_SECRET,
    sessionDays: value.SESSION_DAYS,
    sessionIdleDays: Math.min(value.SESSION_IDLE_DAYS, value.SESSION_DAYS),
    siteName: value.SITE_NAME,
    look: {
      /** `#rrggbb`; undefined: the design's own. */
      accent: value.SITE_ACCENT,
      /** undefined: the design's own. */
      logo: value.SITE_LOGO,
      links: value.SITE_LINKS,
      /** undefined: a grid. */
      mapImage: value.MAP_IMAGE,
      mapBounds: value.MAP_BOUNDS,
    },
    homeText: value.HOME_TEXT,
    announcements: value.ANNOUNCEMENT,
    pictures: value.PICTURES,
    // Only with a directory: nobody wants a disk to be filled that they did not name.
    backups:
      value.BACKUP_DIR === undefined
        ? undefined
        : {
            directory: path.resolve(value.BACKUP_DIR),
            everyH: value.BACKUP_EVERY_H,
            kept: value.BACKUP_KEEP,
            secrets: value.BACKUP_SECRETS,
            trial: value.BACKUP_TRIAL,
          },
    siteSchema: {
      file: path.resolve(value.SITE_SCHEMA ?? `${value.DATA_DIR}/site.json`),
      isRequired: value.SITE_SCHEMA !== undefined,
    },
    anonymousReports: value.ANONYMOUS_REPORTS,
    sectionsOff: value.SECTIONS_OFF,
    imageHosts: value.IMAGE_HOSTS,
    trustProxy: value.TRUST_PROXY,
    limits: {
      key: value.API_KEY_LIMIT,
      address: value.API_ADDRESS_LIMIT,
      session: value.API_SESSION_LIMIT,
      pages: value.PAGE_LIMIT,
      windowS: value.LIMIT_WINDOW_S,
    },
    metrics: { token: value.METRICS_TOKEN, port: value.METRICS_PORT, host: value.METRICS_HOST },
    databasePool: value.DATABASE_POOL,
    slowStatementMs: value.SLOW_STATEMENT_MS,
    // With an external database, the poller may run in a process of its own.
    poll: value.POLL ?? embedded,
    pollIntervalS: value.POLL_INTERVAL_S,
    worker: value.WORKER,
    shutdownDelayS: value.SHUTDOWN_DELAY_S,
    mail: mailSetting(value),
    mailFrom: value.MAIL_FROM,
    pushServices: value.PUSH_SERVICES,
    privateAddresses: value.PRIVATE_ADDRESSES,
    indexNowEndpoint: value.INDEXNOW_ENDPOINT,
    /** The settings of the environment and the file as they are written: nobody can change them in the browser. */
    given,
    logLevel: value.LOG_LEVEL,
    logFormat: value.LOG_FORMAT,
  });
}

/** The effective settings, with asterisks for passwords. */
export function describeConfig(config: Config): Record<string, unknown> {
  const { given, ...shown } = config;
  const { databaseUrl, databaseDirectUrl, mail } = config;
  return {
    ...shown,
    databaseUrl: databaseUrl === undefined ? "embedded" : withoutPassword(databaseUrl),
    databaseDirectUrl: databaseDirectUrl && withoutPassword(databaseDirectUrl),
    mail: mail.kind === "smtp" ? { ...mail, url: withoutPassword(mail.url) } : mail,
    sessionSecret: config.sessionSecret ? "***" : "generated",
    metrics: { ...config.metrics, token: config.metrics.token && "***" },
  };
}

/** A line for each name that no setting has, but nearly. */
function findMistyped(given: Environment, fromFile: readonly string[]): string[] {
  const known = [...SETTINGS, ...SECRETS.map((name) => `${name}_FILE`)];
  return Object.keys(given).flatMap((name) => {
    const meant = meantSetting(name, known, fromFile.includes(name));
    return meant === undefined ? [] : [`${name}: there is none of this name; ${meant} is meant`];
  });
}
