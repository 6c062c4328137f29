import type { Knex } from "knex";
import { pino } from "pino";
import type { Browser } from "playwright-core";
import { createApp } from "../src/app.ts";
import { buildAssets } from "../src/assets/build.ts";
import { migrate } from "../src/db/migrate.ts";
import { drain, listen } from "../src/http/listen.ts";
import { LiveSearch } from "../src/search/live-search.ts";
import { NO_LIMITS } from "../src/settings/limits.ts";
import { PLAIN_LOOK } from "../src/settings/look.ts";
import { launchChromium } from "../test/helpers/chromium.ts";
import { withThrowAwayDatabase } from "./throw-away-database.ts";

/** Does some work with Chromium and a site in this process, whose database `fill` fills; all are gone afterwards. */
export async function withBrowserSite(
  fill: (db: Knex) => Promise<void>,
  work: (url: string, browser: Browser) => Promise<void>,
): Promise<void> {
  await withThrowAwayDatabase(async (db, databaseUrl) => {
    await migrate(db);
    await fill(db);
    const log = pino({ level: "silent" });
    const search = new LiveSearch({ db, databaseUrl, log });
    await search.refresh();
    const { url, server, answerWith } = await listen({ port: 0, host: "127.0.0.1" });
    const config = {
      siteName: "Almanac",
      look: PLAIN_LOOK,
      baseUrl: url,
      sessionSecret: "for a benchmark only",
      sessionDays: 1,
      sessionIdleDays: 1,
      trustProxy: false,
      mail: { kind: "none" as const },
      imageHosts: [],
      pushServices: [],
      privateAddresses: [],
      limits: NO_LIMITS,
      indexNowEndpoint: undefined,
    };
    answerWith(createApp({ assets: await buildAssets(), config, db, log, search }));
    const browser = await launchChromium();
    await work(url, browser).finally(async () => {
      await browser.close();
      await drain(server);
      await search.close();
    });
  });
}
