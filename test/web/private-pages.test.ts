import { pino } from "pino";
import request from "supertest";
import { beforeAll, describe, expect, it } from "vitest";
import { KnownKeys } from "../../src/accounts/keys/known-keys.ts";
import type { SiteListener } from "../../src/app.ts";
import { ChangeFeed } from "../../src/db/change-feed.ts";
import { createDb } from "../../src/db/connect.ts";
import { SHARED } from "../../src/web/answers/cache-policy.ts";
import { kindsWith } from "../../src/words/kinds/kinds.ts";
import { paths } from "../../src/words/urls.ts";
import { type Agent, useTestApp } from "../helpers/app.ts";
import { createDemoDatabase } from "../helpers/database.ts";
import { elements } from "../helpers/html.ts";
import { PAGE_TYPES, type Reader } from "../helpers/page-types.ts";

const site = useTestApp({}, undefined, createDemoDatabase);
/** The site with a single connection: a page that needs a second one while it holds the first is not answered. */
let app: SiteListener;
const agents = {} as Record<Reader, Agent>;

beforeAll(async () => {
  await site.search.refresh();
  const log = pino({ level: "silent" });
  const db = createDb({ url: site.url, poolMax: 1, connectTimeoutMs: 2_000, pipeline: true });
  const feed = new ChangeFeed({ db: site.db, log });
  const keys = new KnownKeys({ db: site.db, feed, log });
  app = await site.another({}, { db, slowQueryDb: site.db, keys, feed });
  agents.visitor = request.agent(app);
  for (const role of ["user", "operator"] as const) {
    agents[role] = request.agent(app);
    const { cookie } = await site.logIn(await site.createUser({ role }));
    agents[role].jar.setCookie(cookie, "127.0.0.1", "/");
  }
  return () => db.destroy();
});

const CACHE = "cache-control";
const RESOURCE = "cross-origin-resource-policy";

const TYPES = PAGE_TYPES.filter(({ isVariant }) => !isVariant);
const own = TYPES.filter(({ reader }) => reader !== "visitor");
/** The off-line page is the same for everybody, whoever asks. */
const open = TYPES.filter(({ reader, path }) => reader === "visitor" && path !== paths.offline());

describe("a page that needs a log-in", () => {
  it.each(own)("is private, and the log-in leads back to it: $name", async ({ path, reader, status }) => {
    const { headers, text } = await agents[reader].get(path).expect(Number(status));
    expect([headers[CACHE], headers[RESOURCE]]).toEqual(["no-store", "same-origin"]);
    expect(text).toContain('<meta name="robots" content="noindex">');
    const { headers: elsewhere } = await agents.visitor.get(path).expect(303);
    const location = `/login?next=${encodeURIComponent(path)}`;
    expect(elsewhere).toMatchObject({ [CACHE]: "no-store", location });
  });

  it("is stored nowhere where it is refused, or is not there", async () => {
    for (const path of ["/operator", "/operator/deliveries", "/notifications/999"]) {
      const { headers } = await agents.user.get(path);
      expect([path, headers[CACHE]]).toEqual([path, "no-store"]);
    }
  });
});

describe("a page for everybody", () => {
  it.each(open)("is for shared caches unless somebody is logged in: $name", async ({ path, status }) => {
    const asVisitor = await agents.visitor.get(path).expect(Number(status));
    const isIndexed = !/<meta name="robots" content="noindex">/.test(asVisitor.text) && status === 200;
    const isSecret = asVisitor.headers[CACHE] === "no-store";
    const kept = isIndexed ? SHARED : isSecret ? "no-store" : "private, no-cache";
    const loaded = isIndexed ? "cross-origin" : "same-origin";
    expect([asVisitor.headers[CACHE], asVisitor.headers[RESOURCE]]).toEqual([kept, loaded]);
    const asUser = await agents.user.get(path).redirects(0);
    // A log-in form leads on who has logged in.
    if (asUser.status === 303) return expect(asUser.headers[CACHE]).toBe("no-store");
    // Not no-store: the browser's Back shows such a page as it was left.
    const keptFor = isSecret ? "no-store" : "private, no-cache";
    expect([asUser.headers[CACHE], asUser.headers[RESOURCE]]).toEqual([keptFor, "same-origin"]);
  });

  it.each(["api_key=alm_x", "%61pi%5Fkey=alm_x"])("is private with a key in its address: %s", async (key) => {
    for (const path of ["/", "/items?q=a", "/items/weapon-24"]) {
      const { headers } = await request(app).get(`${path}${path.includes("?") ? "&" : "?"}${key}`);
      expect([path, headers[CACHE]]).toEqual([path, "private, no-cache"]);
      expect(headers["referrer-policy"]).toBe("strict-origin");
    }
    const { headers } = await request(app).get(`/houses/map/points?${key}`).expect(200);
    expect(headers[CACHE]).toBe("private, no-cache");
  });
});

describe("a page that answers a form", () => {
  it.each([
    ["/login", "name=nobody&password=wrong", 401],
    ["/register", "name=x", 400],
    ["/login/forgotten", "email=x", 200],
    ["/profile/password", "current_password=x", 400],
    ["/profile/keys", "name=", 400],
    ["/profile/keys", "name=key&expiry=never", 200],
    ["/nowhere", "a=b", 405],
  ])("is stored nowhere: %s with %s", async (path, body, status) => {
    const { headers, text } = await agents.user.post(path).type("form").send(body).expect(status);
    expect([headers[CACHE], headers[RESOURCE]]).toEqual(["no-store", "same-origin"]);
    expect(elements(text, "h1")).toHaveLength(1);
  });

  it("is stored nowhere if it leads on to another page", async () => {
    const saved = await agents.user.post("/profile/locale").type("form").send("language=en&time_zone=");
    expect([saved.status, saved.headers[CACHE]]).toEqual([303, "no-store"]);
  });
});

it.each([
  ...kindsWith("hasFeed").map((kind) => paths.feed(kind)),
  paths.discountsFeed(),
  ...kindsWith("isPlaced").map((kind) => `${paths.mapPoints(kind)}?bounds=-3000,-3000,3000,3000`),
  `${paths.server("ls-one")}/history.csv`,
  "/vehicles.csv?category=Sport&sort=-a.price",
  "/api/search?q=gold",
  "/api/online",
  "/api/data",
])("a single connection is enough for a program that asks for %s", async (path) => {
  const visitor = request.agent(app);
  await visitor.get("/session").expect(200);
  expect((await visitor.get(path)).status).toBeLessThan(500);
});
