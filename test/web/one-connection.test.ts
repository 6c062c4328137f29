import { pino } from "pino";
import request from "supertest";
import { beforeAll, expect, it } from "vitest";
import { KnownKeys } from "../../src/accounts/keys/known-keys.ts";
import { createApp, type SiteListener } from "../../src/app.ts";
import { ChangeFeed } from "../../src/db/change-feed.ts";
import { createDb } from "../../src/db/connect.ts";
import { buildAssets } from "../../src/web/assets/build.ts";
import { kindsWith } from "../../src/words/kinds/kinds.ts";
import { paths } from "../../src/words/urls.ts";
import { TEST_CONFIG, useTestApp } from "../helpers/app.ts";
import { createDemoDatabase } from "../helpers/database.ts";
import { PAGE_TYPES, type Reader } from "../helpers/page-types.ts";

const site = useTestApp({}, undefined, createDemoDatabase);
const MACHINES = [
  ...kindsWith("hasFeed").map((kind) => paths.feed(kind)),
  paths.discountsFeed(),
  ...kindsWith("isPlaced").map((kind) => `${paths.mapPoints(kind)}?bounds=-3000,-3000,3000,3000`),
  `${paths.server("ls-one")}/history.csv`,
  "/vehicles.csv?category=Sport&sort=-a.price",
  "/api/search?q=gold",
  "/api/online",
  "/api/data",
];
/** A page reads more for a user than for a visitor. */
const ASKED: { path: string; reader: Reader }[] = [
  ...PAGE_TYPES.filter(({ isVariant }) => !isVariant).map(({ path, reader }) => ({
    path,
    reader: reader === "visitor" ? ("user" as const) : reader,
  })),
  ...MACHINES.map((path) => ({ path, reader: "visitor" as const })),
];

let app: SiteListener;
const agents = {} as Record<Reader, ReturnType<typeof request.agent>>;

beforeAll(async () => {
  await site.search.refresh();
  const log = pino({ level: "silent" });
  const url = site.db.client.connectionSettings.connectionString;
  const db = createDb({ url, poolMax: 1, connectTimeoutMs: 2_000, pipeline: true });
  const { search } = site;
  const feed = new ChangeFeed({ db: site.db, log });
  const keys = new KnownKeys({ db: site.db, feed, log });
  const own = { slowQueryDb: site.db, keys, search, feed };
  app = createApp({ assets: await buildAssets(), config: TEST_CONFIG, db, log, ...own });
  for (const role of ["user", "operator"] as const) {
    agents[role] = request.agent(app);
    const { name, password } = await site.createUser({ role });
    await agents[role].post("/login").type("form").send({ name, password }).expect(303);
  }
  agents.visitor = request.agent(app);
  await agents.visitor.get("/session");
  return () => db.destroy();
});

it.each(ASKED)("a single connection is enough for $path, asked by a $reader", async ({ path, reader }) => {
  const { status } = await agents[reader].get(path).redirects(0);
  expect(status).toBeLessThan(500);
});
