import { pino } from "pino";
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, onTestFinished } from "vitest";
import { createApp } from "../../src/app.ts";
import { topUpDemoHistory } from "../../src/commands/demo/history-queries.ts";
import type { LiveSearch } from "../../src/search/live-search.ts";
import { buildAssets } from "../../src/web/assets/build.ts";
import type { AppConfig } from "../../src/web/pages/context.ts";
import { drain, type Listener, listen } from "../../src/web/server/listen.ts";
import type { LiveVocabulary } from "../../src/words/vocabulary/live.ts";
import { TEST_CONFIG } from "./app.ts";
import { launchChromium } from "./chromium.ts";
import { createDemoDatabase, type TestDatabase } from "./database.ts";
import { createTestSearch } from "./search.ts";

export interface BrowserSite {
  readonly url: string;
  readonly database: TestDatabase;
  /** Opens a window for a new visitor, and closes it when the test ends. */
  visit(options?: BrowserContextOptions): Promise<Visitor>;
  /** Opens one that stays until the file ends. */
  open(options?: BrowserContextOptions): Promise<Visitor>;
}

interface Visitor {
  readonly page: Page;
  readonly context: BrowserContext;
  /** The errors of its console. */
  readonly complaints: string[];
}

const shared = new Map<boolean, Promise<Browser>>();

/** One browser for all files of a worker: starting it takes two seconds of a core. It ends with the worker. */
async function sharedBrowser(whole: boolean): Promise<Browser> {
  const known = await shared.get(whole);
  if (known?.isConnected()) return known;
  const launched = launchChromium({ whole });
  shared.set(whole, launched);
  return launched;
}

/** The site with its demo data, on a real port, and a real Chromium; `parts` makes parts that a test has its own of. */
export function useBrowserSite(
  settings: Partial<AppConfig> = {},
  parts: () => { vocabulary?: LiveVocabulary } = () => ({}),
): BrowserSite {
  let database: TestDatabase;
  let listener: Listener;
  let search: LiveSearch;
  let browser: Browser;
  beforeAll(async () => {
    database = await createDemoDatabase();
    await topUpDemoHistory(database.db);
    listener = await listen({ port: 0, host: "127.0.0.1" });
    const config = { ...TEST_CONFIG, baseUrl: listener.url, ...settings };
    search = createTestSearch(database);
    const log = pino({ level: "silent" });
    const made = { assets: await buildAssets(), config, db: database.db, log, search, ...parts() };
    listener.answerWith(createApp(made));
    // Only the whole browser has push.
    browser = await sharedBrowser(config.pushServices.length > 0);
  });
  afterAll(async () => {
    await Promise.all(browser?.contexts().map((context) => context.close()) ?? []);
    if (listener) await drain(listener.server);
    await search?.close();
    await database?.drop();
  });
  return {
    get url() {
      return listener.url;
    },
    get database() {
      return database;
    },
    async visit(options) {
      const visitor = await this.open(options);
      onTestFinished(() => visitor.context.close());
      return visitor;
    },
    async open(options = {}) {
      // Each would load all files of the service worker, so it is off unless a test allows it or is about push.
      const serviceWorkers = settings.pushServices === undefined ? "block" : "allow";
      const context = await browser.newContext({ baseURL: listener.url, serviceWorkers, ...options });
      const page = await context.newPage();
      const complaints: string[] = [];
      page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
      page.on("pageerror", (error) => complaints.push(String(error)));
      return { page, context, complaints };
    },
  };
}

const PASSWORD = "a password for tests";

/** Registers an account through the form, and is logged in afterwards. */
export async function registerByForm(page: Page, name: string): Promise<void> {
  await page.goto("/register");
  await page.getByLabel("Name", { exact: true }).fill(name);
  await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await page.locator("main form button[type=submit]").click();
  await page.waitForURL((url) => url.pathname !== "/register");
}

/** The same for who is after something else, by a request: the page stays where it is. */
export async function register(page: Page, name: string): Promise<void> {
  const form = { name, password: PASSWORD };
  const answer = await page.context().request.post("/register", { form, maxRedirects: 0 });
  if (answer.status() !== 303) throw new Error(`not registered: ${answer.status()} ${await answer.text()}`);
}
