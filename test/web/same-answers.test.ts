import { once } from "node:events";
import { Agent, createServer, type Server, request as send } from "node:http";
import type { AddressInfo } from "node:net";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { pino } from "pino";
import request from "supertest";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { createKey } from "../../src/accounts/keys/queries.ts";
import type { SiteListener } from "../../src/app.ts";
import { ChangeFeed } from "../../src/db/change-feed.ts";
import type { LiveSearch } from "../../src/search/live-search.ts";
import { useTestApp } from "../helpers/app.ts";
import { insertRecords } from "../helpers/catalogue.ts";
import { type Client, type RandomRequest, randomRequests } from "../helpers/random-requests.ts";
import { createTestSearch } from "../helpers/search.ts";
import { addDiscount, addDonateItem, addServer } from "../helpers/things.ts";

/**
 * The site answers from its cache as it would without: the same requests go to a site with the cache and to one
 * without. Set `SAME_ANSWERS=100000 SEED=7` to make it a long run.
 */
const PAIRS = Number(process.env.SAME_ANSWERS ?? 160);
const SEED = Number(process.env.SEED ?? 2);
/** The data changes after so many pairs, and a second passes after a few: both end what is remembered. */
const CHANGED_EVERY = 60;
const SECOND_EVERY = 20;
const AT_ONCE = 4;

const site = useTestApp();
const silent = pino({ level: "silent" });
const feeds: ChangeFeed[] = [];
let apps: { remembering: SiteListener; ordinary: SiteListener };
let servers: { remembering: Server; ordinary: Server };
let search: LiveSearch;
let clients: Client[];
let keys: string[];
const agent = new Agent({ keepAlive: true });

beforeAll(async () => {
  const { db } = site;
  const names = { en: "Knife", ru: "Нож" };
  await insertRecords(db, "items", [
    { id: "knife", names, category: "Tools", attributes: { slot: 1, price: 20 }, popularity: 3 },
    { id: "rope", name: "Rope", category: "Tools", attributes: { slot: 2, price: 5 } },
    { id: "medic", name: "Medic kit" },
  ]);
  await insertRecords(db, "vehicles", [{ id: "411", name: "Infernus" }]);
  await insertRecords(db, "scripts", [{ id: "medic", name: "Medic job" }]);
  await addServer(db, "one", { game: "SA-MP" });
  await addDonateItem(db, "gold", { category: "Tools" });
  await addDiscount(db, "sale", "gold");
  // It looks for changes only on `refresh`: otherwise the site would cache no answer of a search.
  search = createTestSearch(site, { checkEachSearch: false });
  await search.refresh();
  // Ages must not grow between the two answers of a pair.
  vi.useFakeTimers({ toFake: ["performance", "Date"] });
  apps = {
    remembering: await makeSite(silent),
    // While it logs every request, a site remembers nothing.
    ordinary: await makeSite(pino({ level: "debug" }, { write: () => undefined })),
  };
  servers = { remembering: await listen(apps.remembering), ordinary: await listen(apps.ordinary) };
  ({ clients, keys } = await makeClients());
});

afterAll(async () => {
  await search.close();
  vi.useRealTimers();
  agent.destroy();
  for (const server of Object.values(servers)) server.close();
});

async function makeSite(log: typeof silent): Promise<SiteListener> {
  const feed = new ChangeFeed({ db: site.db, log, maxAgeMs: 60_000 });
  feeds.push(feed);
  return site.another({}, { keys: site.keys, log, search, feed });
}

async function listen(app: SiteListener): Promise<Server> {
  const server = createServer(app).listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}

async function makeClients(): Promise<{ keys: string[]; clients: Client[] }> {
  const user = await site.createUser();
  const cookieOf = (headers: Record<string, string>) => String(headers["set-cookie"]).split(";")[0] ?? "";
  const logIn = async ({ name, password }: { name: string; password: string }) => {
    const answer = await request(site.app).post("/login").type("form").send({ name, password }).expect(303);
    // The first page takes the message that the log-in has left.
    const cookie = cookieOf(answer.headers);
    await request(site.app).get("/favorites").set("Cookie", cookie).expect(200);
    return cookie;
  };
  const abroad = await site.createUser();
  await site.db("users").where({ id: abroad.id }).update({ language: "ru", time_zone: "Asia/Tokyo" });
  const operator = await site.createUser({ role: "operator" });
  const live = String(await createKey(site.db, user.id, { name: "live", expiry: "never" }));
  const revoked = String(await createKey(site.db, user.id, { name: "revoked", expiry: "never" }));
  await site.db("api_keys").where({ user_id: user.id, name: "revoked" }).del();
  const anonymous = cookieOf((await request(site.app).get("/session")).headers);
  return {
    keys: [live, revoked, "x", ""],
    clients: [
      {},
      {},
      { cookie: anonymous },
      { cookie: `theme=dark; ${anonymous}` },
      { cookie: `${anonymous.slice(0, -2)}xx` },
      { cookie: await logIn(user) },
      { cookie: await logIn(abroad) },
      { cookie: await logIn(operator) },
      { cookie: "almanac.sid=s%3Aunknown.signature" },
      { "x-api-key": live },
      { "x-api-key": revoked },
      { "x-api-key": "" },
      { "x-api-key": live, cookie: anonymous },
    ],
  };
}

/** These differ between any two answers. A streamed answer has no length until it is cached. */
const OWN_HEADERS = /^(date|x-request-id|connection|keep-alive|content-length|transfer-encoding)$/i;
const DECODERS: Record<string, (body: Buffer) => Buffer> = { br: brotliDecompressSync, gzip: gunzipSync };

interface Answer {
  readonly status: number | undefined;
  readonly headers: string[];
  readonly body: string;
}

function ask(server: Server, { method, target, headers }: RandomRequest): Promise<Answer> {
  const { port } = server.address() as AddressInfo;
  return new Promise((resolve, reject) => {
    const call = send({ agent, host: "127.0.0.1", port, method, path: target, headers }, async (res) => {
      const chunks: Buffer[] = [];
      for await (const chunk of res) chunks.push(chunk);
      const pairs = res.rawHeaders.flatMap((name, at) =>
        at % 2 === 0 && !OWN_HEADERS.test(name) ? [`${name}: ${res.rawHeaders[at + 1]}`] : [],
      );
      const decode = DECODERS[res.headers["content-encoding"] ?? ""] ?? ((body) => body);
      const sent = Buffer.concat(chunks);
      const body = (sent.length === 0 ? sent : decode(sent)).toString();
      resolve({
        status: res.statusCode,
        headers: pairs.toSorted(),
        body: body.replaceAll(String(res.headers["x-request-id"]), "…"),
      });
    });
    call.on("error", reject);
    call.end();
  });
}

function askBoth(each: RandomRequest): Promise<[remembered: Answer, made: Answer]> {
  return Promise.all([ask(servers.remembering, each), ask(servers.ordinary, each)]);
}

/** What differs, each with some text around the first place: whole pages would hide it. */
function differences(remembered: Answer, made: Answer): string[][] {
  const sides = [remembered, made];
  const texts = sides.map(({ status, headers, body }) => [String(status), headers.join("\n"), body]);
  return [0, 1, 2].flatMap((part) => {
    const [one = "", other = ""] = texts.map((text) => text[part]);
    if (one === other) return [];
    const at = [...one].findIndex((letter, index) => letter !== other[index]);
    const from = Math.max(0, (at === -1 ? one.length : at) - 80);
    return [[one, other].map((text) => text.slice(from, from + 200))];
  });
}

/** Five minutes of the database's clock end while an answer is remembered: the series then begin a bucket later. */
const SERIES = /\/api\/data|history\.csv|\/servers\/one/;

/** Changes a record, and waits until both sites know. */
async function changeData(n: number): Promise<void> {
  await site
    .db("items")
    .where({ id: "rope" })
    .update({ name: `Rope ${n}`, revision: n + 2 });
  await site
    .db("donate_items")
    .where({ id: "gold" })
    .update({ name: `Gold ${n}` });
  await search.refresh();
  for (const each of feeds) await each.confirm();
}

/** Sends a request so often that its answer is remembered. */
async function remember(each: RandomRequest): Promise<Answer> {
  let last: Answer | undefined;
  for (let times = 0; times < 4; times += 1) last = await ask(servers.remembering, each);
  return last as Answer;
}

const get = (target: string, headers: Client = {}): RandomRequest => ({ method: "GET", target, headers });

/** Requests that a cache could take for each other. */
const TARGETS = [
  ...["/api/search?q=knife", "/api/items/search?q=%D0%BD%D0%BE%D0%B6&limit=50", "/api/search?q=kn&limit=30"],
  ...["?q=knife&offset=5", "?q=", "?q=a&q=b", "?q=knife&limit=0", "", "?q=knife&api_key=wrong"].map(
    (query) => `/api/items/search${query}`,
  ),
  ...["?q=knife&api%5Fkey=wrong", "?q=knife&unknown=1", "/?q=knife"].map((end) => `/api/items/search${end}`),
  ...["/api/Items/search?q=knife", "/api/vehicles/search?q=inf"],
];
const CONDITIONS: Client[] = [
  ...["gzip", "gzip, deflate, br", "gzip;q=0, identity"].map((coding) => ({ "accept-encoding": coding })),
  ...["*", '"old"'].map((tag) => ({ "if-none-match": tag })),
  { "if-modified-since": "Sat, 21 Nov 2026 10:00:00 GMT" },
  { "if-none-match": "*", "cache-control": "no-cache" },
  { origin: "https://other.example" },
];

async function expectSame(each: RandomRequest): Promise<void> {
  await remember({ ...each, method: "GET" });
  const [remembered, made] = await askBoth(each);
  expect(differences(remembered, made), JSON.stringify(each)).toEqual([]);
}

it.each(TARGETS)("answers every method at %s from memory as it does without", async (target) => {
  for (const method of ["GET", "HEAD", "OPTIONS", "POST"]) await expectSame({ method, target, headers: {} });
});

it("answers from memory as it does without, for all credentials and conditions", async () => {
  const anonymous = clients[2];
  const all = [...clients, ...CONDITIONS.map((condition) => ({ ...anonymous, ...condition }))];
  for (const headers of all)
    for (const target of [TARGETS[0] ?? "", TARGETS[1] ?? "", TARGETS[8] ?? ""])
      for (const method of ["GET", "HEAD"]) await expectSame({ method, target, headers });
});

it("makes no third search for a query, and gives each answer an id of its own", async () => {
  const searches = vi.spyOn(search, "search");
  const ids = new Set<string>();
  for (const encoding of ["identity", "gzip", "br", "br", "gzip"]) {
    const asked = request(apps.remembering)
      .get("/api/items/search?q=kni&limit=20")
      .set(clients[2] ?? {});
    const { headers } = await asked.set("Accept-Encoding", encoding).expect(200);
    ids.add(String(headers["x-request-id"]));
  }
  expect(searches).toHaveBeenCalledTimes(2);
  expect(ids.size).toBe(5);
});

it("sends 304 from memory for the ETag of the same encoding alone", async () => {
  const etags = new Set<string>();
  for (const encoding of ["identity", "gzip", "br"]) {
    const ask = () => request(apps.remembering).get("/ru/items/knife").set("Accept-Encoding", encoding);
    for (const _time of [1, 2]) await ask().expect(200);
    const { etag = "" } = (await ask().expect(200)).headers;
    await ask().set("If-None-Match", etag).expect(304);
    for (const other of etags) await ask().set("If-None-Match", other).expect(200);
    etags.add(etag);
  }
  expect(etags.size).toBe(3);
});

it.each([
  "application/json;q=0, */*",
  "text/csv",
  "text/*, application/json;q=0.1",
  "*/*, application/json;q=0",
])("keeps the CSV of one client from clients that ask for JSON: %s", async (accept) => {
  const key = { "x-api-key": keys[0] ?? "" };
  const csv = await remember(get("/api/items", { ...key, accept }));
  expect(csv.headers).toContain("Content-Type: text/csv; charset=utf-8");
  const json = await remember(get("/api/items", key));
  expect(json.headers).toContain("Content-Type: application/json; charset=utf-8");
  expect(await ask(servers.remembering, get("/api/items", { ...key, accept }))).toEqual(csv);
});

it("takes what a value holds for no parameter of its own", async () => {
  const key = keys[0] ?? "";
  for (const target of [
    `/api/search/all?q=medic%3Fapi_key%3Dx`,
    `/api/search/all?q=medic%3Fapi_key%3Dx&api_key=${key}`,
  ])
    await remember(get(target, { "x-api-key": key }));
  const { body } = await remember(get("/api/search/all?q=medic", { "x-api-key": key }));
  expect(JSON.parse(body).query).toBe("medic");
});

it.each([
  "http://x/api/online",
  "HTTP://almanac.test/api/online",
  "http://x/api/online?z=1",
  "/api/online#x",
])("does not answer %s from memory without a key that is live", async (target) => {
  await remember(get(target, { "x-api-key": keys[0] ?? "" }));
  expect(await ask(servers.remembering, get(target))).toMatchObject({ status: 401 });
  expect(await ask(servers.remembering, get(target, { "x-api-key": "x" }))).toMatchObject({ status: 401 });
  const withKey = target.replace(/(?=#|$)/, `${target.includes("?") ? "&" : "?"}api_key=x`);
  expect(await ask(servers.remembering, get(withKey))).toMatchObject({ status: 401 });
});

it.each(["/ru/items/knife", "/servers"])(
  "makes no new page of %s for parameters that it does not know",
  async (path) => {
    const { body } = await remember(get(path));
    const render = vi.spyOn(apps.remembering.express, "render");
    for (const extra of [
      "utm_source=a&z=2",
      "constructor=1",
      "API_KEY=x",
      `api_key=${keys[0]}`,
      "%7A=3",
      "z",
    ]) {
      const target = `${path}?${extra}`;
      expect((await ask(servers.remembering, get(target))).body, target).toBe(body);
      await ask(servers.remembering, get(target));
    }
    const pages = render.mock.calls.filter(([view]) => view === "web/layout/page").length;
    // Once for addresses with a key: those pages stay out of shared caches.
    expect(pages).toBeLessThanOrEqual(2);
  },
);

it(
  `answers ${PAIRS} random requests from memory as it does without, seed ${SEED}`,
  async () => {
    const requests = randomRequests({ seed: SEED, clients, keys });
    const statuses = new Map<number, number>();
    for (let done = 0; done < PAIRS; done += AT_ONCE) {
      if (done % CHANGED_EVERY === 0) await changeData(done / CHANGED_EVERY);
      if (done % SECOND_EVERY === 0) vi.advanceTimersByTime(1_000);
      const batch = Array.from({ length: AT_ONCE }, () => requests.next().value);
      await Promise.all(
        batch.map(async (each, at) => {
          let [remembered, made] = await askBoth(each);
          if (SERIES.test(each.target) && differences(remembered, made).length > 0) {
            vi.advanceTimersByTime(1_000);
            [remembered, made] = await askBoth(each);
          }
          expect(differences(remembered, made), `pair ${done + at}: ${JSON.stringify(each)}`).toEqual([]);
          statuses.set(made.status ?? 0, (statuses.get(made.status ?? 0) ?? 0) + 1);
        }),
      );
    }
    // A generator whose requests are all refused would prove nothing.
    expect(statuses.get(200)).toBeGreaterThan(PAIRS / 3);
    expect(statuses.get(401)).toBeGreaterThan(PAIRS / 50);
    expect(statuses.get(400)).toBeGreaterThan(PAIRS / 50);
  },
  Math.max(240_000, PAIRS * 60),
);
