import { createHmac, randomBytes } from "node:crypto";
import type { Knex } from "knex";
import { pino } from "pino";
import request from "supertest";
import { afterAll, beforeAll } from "vitest";
import { KnownKeys } from "../../src/accounts/keys/known-keys.ts";
import { hashPassword } from "../../src/accounts/passwords.ts";
import { insertUser } from "../../src/accounts/queries.ts";
import { createApp, type SiteListener } from "../../src/app.ts";
import { ChangeFeed } from "../../src/db/change-feed.ts";
import { createDb } from "../../src/db/connect.ts";
import { insertSession, type Role } from "../../src/db/sessions.ts";
import type { WriteBackup } from "../../src/home/operator/pages.ts";
import type { DayCounts } from "../../src/records/counts/day-counts.ts";
import type { LiveSearch } from "../../src/search/live-search.ts";
import { loadConfig } from "../../src/settings/config.ts";
import { buildAssets } from "../../src/web/assets/build.ts";
import type { Metrics } from "../../src/web/metrics/metrics.ts";
import type { AppConfig } from "../../src/web/pages/context.ts";
import type { LiveVocabulary } from "../../src/words/vocabulary/live.ts";
import { createTestDatabase, useTestDatabase } from "./database.ts";
import { createTestSearch } from "./search.ts";

/** A client that keeps its cookies, as a browser does. */
export type Agent = ReturnType<typeof request.agent>;

type AppParts = Parameters<typeof createApp>[0];

export interface TestUser {
  id: number;
  name: string;
  password: string;
}

export interface TestApp {
  /** The whole site; `request(site.app).get("/")` asks it as somebody without cookies. */
  readonly app: SiteListener;
  readonly db: Knex;
  /** The URL of its database. */
  readonly url: string;
  /** Reads the feed for each key; writes uses when told to. */
  readonly keys: KnownKeys;
  readonly search: LiveSearch;
  agent(): Agent;
  /** The page or text that somebody without cookies is sent. */
  page(path: string, status?: number): Promise<string>;
  /** Makes a user, named at random unless told; `role` is `user` by default. */
  createUser(wanted?: Partial<TestUser> & { role?: Role }): Promise<TestUser>;
  /** Begins a session of a user, a new one unless told, as the log-in form does but without hashing the password. */
  logIn(user?: TestUser): Promise<TestUser & { agent: Agent; cookie: string }>;
  /** Another app over the same database and search, as another process has it, with some settings and parts of its own. */
  another(settings?: Partial<AppConfig>, parts?: Partial<AppParts>): Promise<SiteListener>;
  /** Sends a form, without a session unless `headers` has its cookie. */
  post(path: string, fields?: string | object, headers?: Record<string, string>): request.Test;
}

/** Settings of the site under test. */
export const TEST_CONFIG: AppConfig = {
  baseUrl: "http://almanac.test",
  siteName: "Almanac",
  look: loadConfig({}).look,
  sessionDays: 30,
  sessionIdleDays: 7,
  sessionSecret: "a session secret that only tests know",
  trustProxy: false,
  homeText: undefined,
  announcements: [],
  anonymousReports: false,
  sectionsOff: [],
  mail: { kind: "none" },
  mailFrom: undefined,
  given: {},
  imageHosts: [],
  pushServices: [],
  privateAddresses: [],
  limits: { key: 0, address: 0, session: 0, pages: 0, windowS: 60 },
  indexNowEndpoint: undefined,
};

/**
 * The whole site over a database of its own, for a test file or for the `describe` that calls this. `parts` replaces
 * parts of the app. With `createDemoDatabase` the site has the demo data.
 */
export function useTestApp(
  settings: Partial<AppConfig> = {},
  parts: () => {
    vocabulary?: LiveVocabulary;
    counts?: DayCounts;
    metrics?: Metrics;
    writeBackup?: WriteBackup;
  } = () => ({}),
  createDatabase = createTestDatabase,
): TestApp {
  const database = useTestDatabase(createDatabase);
  const config = { ...TEST_CONFIG, ...settings };
  let search: LiveSearch;
  let app: SiteListener;
  let keys: KnownKeys;
  beforeAll(async () => {
    search = createTestSearch(database);
    const log = pino({ level: "silent" });
    const feed = new ChangeFeed({ db: database.db, log, maxAgeMs: 0 });
    keys = new KnownKeys({ db: database.db, feed, log });
    app = await buildApp(config, { db: database.db, feed, keys, search, ...parts() });
  });
  afterAll(() => search?.close());
  return {
    get app() {
      return app;
    },
    get db() {
      return database.db;
    },
    get url() {
      return database.url;
    },
    get keys() {
      return keys;
    },
    get search() {
      return search;
    },
    agent: () => request.agent(app),
    page: async (path, status = 200) => (await request(app).get(path).expect(status)).text,
    createUser: async ({ name = randomName(), password = PASSWORD, role } = {}) => {
      const hash = password === PASSWORD ? await hashed() : await hashPassword(password);
      const id = await insertUser(database.db, { name, role }, hash);
      if (id === undefined) throw new Error(`the name ${name} is taken`);
      return { id, name, password };
    },
    async logIn(user) {
      const { id, name, password } = user ?? (await this.createUser());
      const { sessionDays: days, sessionIdleDays: idleDays, sessionSecret, baseUrl } = config;
      const sid = randomBytes(24).toString("base64url");
      const content = JSON.stringify({ userId: id });
      const row = await insertSession(database.db, { sid, userId: id, content }, { days, idleDays });
      if (row === undefined) throw new Error(`${name} may not log in`);
      const signature = createHmac("sha256", sessionSecret).update(sid).digest("base64").replace(/=+$/, "");
      const prefix = baseUrl.startsWith("https:") ? "__Host-" : "";
      const cookie = `${prefix}almanac.sid=${encodeURIComponent(`s:${sid}.${signature}`)}`;
      const agent = this.agent();
      agent.jar.setCookie(cookie, "127.0.0.1", "/");
      return { id, name, password, agent, cookie };
    },
    another: (changed = {}, given = {}) =>
      buildApp({ ...config, ...changed }, { db: database.db, search, ...given }),
    post: (path, fields = {}, headers = {}) => request(app).post(path).set(headers).type("form").send(fields),
  };
}

/** A site whose database is away: nothing listens on that port, so that every query fails at once. */
export function useAwayApp(): { readonly app: SiteListener } {
  const url = "postgres://nobody:x@127.0.0.1:1/nothing";
  const db = createDb({ url });
  const search = createTestSearch({ db, url });
  let app: SiteListener;
  beforeAll(async () => {
    app = await buildApp(TEST_CONFIG, { db, search });
  });
  afterAll(async () => {
    await search.close();
    await db.destroy();
  });
  return {
    get app() {
      return app;
    },
  };
}

async function buildApp(config: AppConfig, parts: Pick<AppParts, "db" | "search"> & Partial<AppParts>) {
  return createApp({ assets: await buildAssets(), config, log: pino({ level: "silent" }), ...parts });
}

/** The password of all users, unless a test wants another one: it is hashed once. */
export const PASSWORD = "a password for tests";
let hash: Promise<string> | undefined;

function hashed(): Promise<string> {
  hash ??= hashPassword(PASSWORD);
  return hash;
}

function randomName(): string {
  return `user-${randomBytes(5).toString("hex")}`;
}
