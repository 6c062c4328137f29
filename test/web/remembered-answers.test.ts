import type { IncomingMessage, RequestListener } from "node:http";
import { setTimeout } from "node:timers/promises";
import express from "express";
import { pino } from "pino";
import request from "supertest";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { createApp, type SiteListener } from "../../src/app.ts";
import { ChangeFeed } from "../../src/db/change-feed.ts";
import type { LiveSearch } from "../../src/search/live-search.ts";
import type { CachedEndpoint } from "../../src/web/answers/cache-lookup.ts";
import { AnswerMemory, rememberAnswers } from "../../src/web/answers/remembered-answers.ts";
import { sendBody } from "../../src/web/answers/send.ts";
import { buildAssets } from "../../src/web/assets/build.ts";
import { knownParameters, readTarget } from "../../src/web/server/target.ts";
import { KnownReaders } from "../../src/web/session/known-readers.ts";
import { createSessions } from "../../src/web/session/session.ts";
import { TEST_CONFIG } from "../helpers/app.ts";
import { insertRecords } from "../helpers/catalogue.ts";
import { useTestDatabase } from "../helpers/database.ts";
import { sendRaw } from "../helpers/raw-http.ts";
import { createTestSearch } from "../helpers/search.ts";

const { baseUrl, sessionSecret: secret } = TEST_CONFIG;
const silent = pino({ level: "silent" });
const endpoints = new Map<string, CachedEndpoint>([
  ["/api/search", { access: "none" }],
  ["/api/items/search", { access: "session-or-key" }],
]);
const endpointAt = (path: string) => endpoints.get(path);

describe("an answer that is given again", () => {
  const database = useTestDatabase();
  let search: LiveSearch;
  const imageHosts = ["images.example"];
  let ordinary: SiteListener;
  let remembering: SiteListener;
  let anonymous: string;

  beforeAll(async () => {
    const names = { en: "Heavy pistol", ru: "Тяжёлый пистолет" };
    const many = Array.from({ length: 30 }, (_, n) => ({ id: `pistol-${n}`, name: `Pistol ${n}`, names }));
    await insertRecords(database.db, "items", many);
    await insertRecords(database.db, "vehicles", [{ id: "411", name: "Infernus" }]);
    search = createTestSearch(database, { checkEachSearch: false });
    await search.refresh();
    const { db } = database;
    // While it logs every request, the site remembers nothing.
    const log = pino({ level: "debug" }, { write: () => undefined });
    ordinary = createApp({
      assets: await buildAssets(),
      config: { ...TEST_CONFIG, imageHosts },
      db,
      log,
      search,
    });
    remembering = createApp({
      assets: await buildAssets(),
      config: { ...TEST_CONFIG, imageHosts },
      db,
      log: silent,
      search,
      feed: new ChangeFeed({ db, log: silent, maxAgeMs: 60_000 }),
    });
    const { headers } = await request(ordinary).get("/session");
    anonymous = String(headers["set-cookie"]).split(";")[0] ?? "";
  });
  afterAll(() => search.close());

  const ask = async (app: SiteListener, line: string, headers: readonly string[]) => {
    const raw = await sendRaw(app, [`${line} HTTP/1.1`, "Host: a.test", "Connection: close", ...headers]);
    return { ...raw, headers: raw.headers.replace(/(X-Request-Id|Date): [^\r]*/g, "$1: …") };
  };

  const PATHS = [
    "/api/search?q=pistol",
    "/api/search?q=pi&limit=30",
    "/api/items/search?q=%D0%BF%D0%B8%D1%81%D1%82%D0%BE%D0%BB%D0%B5%D1%82&limit=50",
    "/api/items/search?q=pistol&offset=5",
    "/api/items/search?q=",
    "/api/items/search?q=a&q=b",
    "/api/items/search?q=pistol&limit=0",
    "/api/items/search",
    "/api/items/search?q=pistol&api_key=wrong",
    "/api/items/search?q=pistol&api%5Fkey=wrong",
    "/api/items/search?q=pistol&unknown=1",
    "/api/items/search/?q=pistol",
    "/api/Items/search?q=pistol",
    "/api/vehicles/search?q=inf",
  ];
  const HEADERS: [what: string, make: () => string[]][] = [
    ["nothing", () => []],
    ["an anonymous session", () => [`Cookie: ${anonymous}`]],
    ["an anonymous session among other cookies", () => [`Cookie: theme=dark; ${anonymous}; x=1`]],
    ["a session that was tampered with", () => [`Cookie: ${anonymous.slice(0, -2)}xx`]],
    ["a stored session that is unknown", () => ["Cookie: almanac.sid=s%3Aunknown.signature"]],
    ["a key", () => [`Cookie: ${anonymous}`, "X-API-Key: wrong"]],
    ["an empty key", () => [`Cookie: ${anonymous}`, "X-API-Key:"]],
    ["gzip", () => [`Cookie: ${anonymous}`, "Accept-Encoding: gzip"]],
    ["br", () => [`Cookie: ${anonymous}`, "Accept-Encoding: gzip, deflate, br"]],
    ["refused encodings", () => [`Cookie: ${anonymous}`, "Accept-Encoding: gzip;q=0, identity"]],
    ["If-None-Match: *", () => [`Cookie: ${anonymous}`, "If-None-Match: *"]],
    ["an old ETag", () => [`Cookie: ${anonymous}`, 'If-None-Match: "old"']],
    ["a date", () => [`Cookie: ${anonymous}`, "If-Modified-Since: Sat, 21 Nov 2026 10:00:00 GMT"]],
    ["no-cache", () => [`Cookie: ${anonymous}`, "If-None-Match: *", "Cache-Control: no-cache"]],
    ["an origin", () => [`Cookie: ${anonymous}`, "Origin: https://other.example"]],
  ];

  describe.each(HEADERS)("with %s", (what, make) => {
    // Every path without headers; every header at one path of each access.
    const paths = what === "nothing" ? PATHS : [PATHS[0] ?? "", PATHS[2] ?? "", PATHS[8] ?? ""];
    it.each(paths)("is the same, byte for byte: %s", async (path) => {
      for (const method of what === "nothing" ? ["GET", "HEAD", "OPTIONS", "POST"] : ["GET", "HEAD"]) {
        const expected = await ask(ordinary, `${method} ${path}`, make());
        await ask(remembering, `GET ${path}`, make());
        await ask(remembering, `GET ${path}`, make());
        expect(await ask(remembering, `${method} ${path}`, make())).toEqual(expected);
        expect(await ask(remembering, `${method} ${path}`, make())).toEqual(expected);
      }
    });
  });

  it("costs no third search, whatever the encodings", async () => {
    const searches = vi.spyOn(search, "search");
    for (const encoding of ["identity", "gzip", "br", "br", "gzip"]) {
      const answer = request(remembering).get("/api/items/search?q=pist&limit=20").set("Cookie", anonymous);
      await answer.set("Accept-Encoding", encoding).expect(200);
    }
    expect(searches).toHaveBeenCalledTimes(2);
    searches.mockRestore();
  });

  it("is a 304 to who has it, and to nobody else", async () => {
    const etags = new Set<string>();
    for (const encoding of ["identity", "gzip", "br"]) {
      const get = () =>
        request(remembering).get("/api/search?q=pistol&limit=40").set({ "Accept-Encoding": encoding });
      await get().expect(200);
      await get().expect(200);
      const { etag = "" } = (await get().expect(200)).headers;
      await get().set("If-None-Match", etag).expect(304);
      for (const other of etags) await get().set("If-None-Match", other).expect(200);
      etags.add(etag);
    }
    expect(etags.size).toBe(3);
  });

  it("has an id of its own each time", async () => {
    const ids = new Set<string>();
    for (let n = 0; n < 5; n++) {
      const { headers } = await request(remembering).get("/api/search?q=pis").expect(200);
      expect(headers["x-request-id"]).toMatch(/^[\da-f-]{36}$/);
      ids.add(String(headers["x-request-id"]));
    }
    expect(ids.size).toBe(5);
  });

  it("is never one of a catalogue that was", async () => {
    const total = async () => {
      const answer = await request(remembering).get("/api/items/search?q=lantern").set("Cookie", anonymous);
      return answer.body.total;
    };
    expect([await total(), await total(), await total()]).toEqual([0, 0, 0]);
    await insertRecords(database.db, "items", [{ id: "lantern" }]);
    await search.refresh();
    expect([await total(), await total(), await total()]).toEqual([1, 1, 1]);
  });
});

describe("what is remembered", () => {
  const database = useTestDatabase();
  let app: RequestListener;

  let count: number;
  let isTimeSensitive: boolean;
  let isRandom: boolean;
  let epoch: number;
  let isAnonymous: boolean;
  let isStored: boolean;
  let uses: string[];
  const liveKeys = new Map<string, number>();
  let status: number;
  /** What happens while the n-th answer is made. */
  let whileMaking: (n: number) => unknown;

  const makeApp = (log = silent) => {
    [count, epoch, isAnonymous, isStored, status, isTimeSensitive] = [0, 1, true, false, 200, false];
    isRandom = false;
    whileMaking = () => undefined;
    uses = [];
    liveKeys.clear();
    const readers = new KnownReaders({
      db: database.db,
      findSession: async () => undefined,
      findFavorites: async () => new Map(),
    });
    const cookieOf = () => "unknown";
    const sessions = { isStored: () => isStored, isAnonymous: () => isAnonymous, cookieOf, readers };
    const front = rememberAnswers({
      endpointAt,
      sessions,
      keys: {
        cached: () => undefined,
        find: async (key) => liveKeys.get(key),
        noteUse: (key) => uses.push(key),
      },
      feed: new ChangeFeed({ db: database.db, log, maxAgeMs: 60_000 }),
      epoch: () => epoch,
      siteEpoch: () => 0,
      announcementsKey: () => "",
      log,
    });
    const made = express().use(async (req, res) => {
      const n = ++count;
      await whileMaking(n);
      const answer = { type: "text/plain", body: `answer ${n}`, cacheControl: "no-cache" };
      await sendBody(req, res.status(status), {
        ...answer,
        dependsOn: isRandom ? undefined : ["search"],
        isTimeSensitive,
      });
    });
    const read = (req: IncomingMessage) => readTarget(req, () => knownParameters({ q: 0 }));
    app = (req, res) => front(read(req), res, () => made(req, res));
  };
  beforeEach(() => makeApp());

  /** The numbers of the answers to the same request, made so many times. */
  const ask = async (times: number, path: string, headers: Record<string, string> = {}) => {
    const numbers: number[] = [];
    for (let n = 0; n < times; n++) {
      const { text } = await request(app).get(path).set(headers);
      numbers.push(Number(text.replace("answer ", "")));
    }
    return numbers;
  };

  it("needs two requests for it", async () => {
    expect(await ask(4, "/api/search?q=a")).toEqual([1, 2, 2, 2]);
    expect(await ask(4, "/api/search?q=b")).toEqual([3, 4, 4, 4]);
    expect(await ask(2, "/api/search?q=a")).toEqual([2, 2]);
  });

  it("serves HEAD as well", async () => {
    await ask(2, "/api/search?q=a");
    const head = () => request(app).head("/api/search?q=a").set("Accept-Encoding", "gzip");
    await head().expect(200).expect("Content-Length", "8");
    expect(count).toBe(2);
  });

  it.each(["/api/searches?q=a", "/api/search/?q=a", "/api/online"])(
    "is nothing of another path: %s",
    async (path) => {
      expect(await ask(3, path)).toEqual([1, 2, 3]);
    },
  );

  it("is forgotten at a change", async () => {
    expect(await ask(3, "/api/search?q=a")).toEqual([1, 2, 2]);
    epoch++;
    expect(await ask(2, "/api/search?q=a")).toEqual([3, 3]);
  });

  it("is nothing that was begun before a change", async () => {
    whileMaking = (n) => {
      if (n === 2) epoch++;
    };
    expect(await ask(4, "/api/search?q=a")).toEqual([1, 2, 3, 3]);
  });

  it("is nothing but a success", async () => {
    status = 404;
    expect(await ask(3, "/api/search?q=a")).toEqual([1, 2, 3]);
  });

  it("is only for callers with access to the path", async () => {
    expect(await ask(3, "/api/items/search?q=a")).toEqual([1, 2, 2]);
    isAnonymous = false;
    expect(await ask(2, "/api/items/search?q=a")).toEqual([3, 4]);
    isAnonymous = true;
    expect(await ask(1, "/api/items/search?q=a")).toEqual([2]);
  });

  it("is not for who may be logged in, and nothing of what they were answered", async () => {
    isStored = true;
    expect(await ask(3, "/api/search?q=a")).toEqual([1, 2, 3]);
    isStored = false;
    expect(await ask(3, "/api/search?q=a")).toEqual([4, 5, 5]);
    isStored = true;
    expect(await ask(1, "/api/search?q=a")).toEqual([6]);
  });

  it.each([
    "q=a&api_key=b&api_key=c",
    "api_key=b&q=a&%61pi_key=b",
    "api_key&q=a",
    "q=a&%61pi_key=b",
    "q=a&api%5fkey",
  ])("is nothing of a request that may have a key: %s", async (query) => {
    expect(await ask(3, `/api/search?${query}`)).toEqual([1, 2, 3]);
  });

  it("is also for who has a live key, as a private answer, and counts as a use of it", async () => {
    liveKeys.set("live", 7);
    expect(await ask(2, "/api/items/search?q=a")).toEqual([1, 2]);
    const withKey = () => request(app).get("/api/items/search?q=a").set("X-API-Key", "live");
    await withKey().expect(200, "answer 2").expect("Cache-Control", "private, no-cache");
    isAnonymous = false;
    expect(await ask(1, "/api/items/search?q=a&api_key=live")).toEqual([2]);
    expect(uses).toEqual(["live", "live"]);
  });

  it.each(["wrong", ""])("is not for a request with a wrong key: %j", async (key) => {
    expect(await ask(3, "/api/search?q=a")).toEqual([1, 2, 2]);
    expect(await ask(2, "/api/search?q=a", { "X-API-Key": key })).toEqual([3, 4]);
    expect(uses).toEqual([]);
  });

  it("is nothing while the log wants a line of each request", async () => {
    makeApp(pino({ level: "debug" }, { write: () => undefined }));
    expect(await ask(3, "/api/search?q=a")).toEqual([1, 2, 3]);
  });

  describe("by many at once", () => {
    const askTogether = (times: number) =>
      Promise.all(Array.from({ length: times }, () => ask(1, "/api/search?q=a"))).then((all) => all.flat());

    it("is made by one request for all that wait", async () => {
      whileMaking = () => setTimeout(50);
      expect(await askTogether(20)).toEqual(Array(20).fill(1));
      expect(await ask(2, "/api/search?q=a")).toEqual([1, 1]);
    });

    it("is made by another one where the first one's cannot be kept", async () => {
      whileMaking = (n) => {
        status = n === 1 ? 500 : 200;
        return setTimeout(20);
      };
      const answers = await askTogether(5);
      expect(new Set(answers)).toEqual(new Set([1, 2]));
    });

    it("is made for all at once where the first one's is for its asker alone", async () => {
      isRandom = true;
      let [underWay, most] = [0, 0];
      whileMaking = async () => {
        most = Math.max(most, ++underWay);
        await setTimeout(50);
        underWay--;
      };
      expect(new Set(await askTogether(6)).size).toBe(6);
      expect(most).toBe(5);
    });
  });

  it("is renewed by one request while others are given what is still true", async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    onTestFinished(() => void vi.useRealTimers());
    isTimeSensitive = true;
    expect(await ask(3, "/api/search?q=a")).toEqual([1, 2, 2]);
    vi.advanceTimersByTime(650);
    whileMaking = () => setTimeout(100);
    const [renewed, old] = await Promise.all([
      ask(1, "/api/search?q=a"),
      setTimeout(30).then(() => ask(1, "/api/search?q=a")),
    ]);
    expect([renewed, old]).toEqual([[3], [2]]);
    expect(await ask(1, "/api/search?q=a")).toEqual([3]);
  });

  it("is not older than a second where it shows a time", async () => {
    isTimeSensitive = true;
    expect(await ask(2, "/api/search?q=a")).toEqual([1, 2]);
    await setTimeout(950);
    expect(await ask(1, "/api/search?q=a")).toEqual([3]);
  });
});

describe("the memory", () => {
  const answer = (bytes: number) => ({ bytes });
  const held = (memory: AnswerMemory<{ bytes: number }>, ...keys: string[]) =>
    keys.filter((key) => memory.get(key) !== undefined);

  it("has room for so many answers, and removes the one that was not asked for the longest", () => {
    const memory = new AnswerMemory({ entries: 3, bytes: 1e6 });
    for (const key of ["a", "b", "c"]) memory.set(key, answer(1));
    expect(held(memory, "a")).toEqual(["a"]);
    memory.set("d", answer(1));
    expect(held(memory, "a", "b", "c", "d")).toEqual(["a", "c", "d"]);
  });

  it("has room for so many bytes, also when the same answer comes again", () => {
    const memory = new AnswerMemory({ entries: 100, bytes: 50_000 });
    for (let n = 0; n < 100; n++) memory.set("same", answer(10_000));
    for (const key of ["a", "b", "c"]) memory.set(key, answer(10_000));
    expect(held(memory, "same", "a", "b", "c")).toEqual(["same", "a", "b", "c"]);
    memory.set("large", answer(30_000));
    expect(held(memory, "same", "a", "b", "c", "large")).toEqual(["c", "large"]);
    memory.set("too large", answer(60_000));
    expect(held(memory, "too large")).toEqual([]);
  });

  it("keeps repeated queries, and hardly anything else", () => {
    const memory = new AnswerMemory();
    const keys = Array.from({ length: 2_000 }, (_, n) => `/api/search?q=${n}`);
    expect(keys.filter((key) => memory.wants(key))).toEqual([]);
    expect(keys.filter((key) => memory.wants(key)).length).toBeGreaterThan(1_900);
  });
});

describe("an anonymous session that was found right once", () => {
  const database = useTestDatabase();

  it("ends when it says so", async () => {
    const sessions = createSessions({
      db: database.db,
      baseUrl,
      secret,
      days: 1,
      idleDays: 1,
      findFavorites: async () => new Map(),
    });
    const app = express().use((req, res) => {
      if (req.path === "/session") sessions.issueAnonymous(req, res);
      res.json(sessions.isAnonymous(req));
    });
    const agent = request(app);
    const { headers } = await agent.get("/session").expect(200, "false");
    const ask = () => agent.get("/").set("Cookie", String(headers["set-cookie"]));
    await ask().expect(200, "true");
    await ask().expect(200, "true");
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 25 * 3_600_000 });
    await ask().expect(200, "false");
    vi.useRealTimers();
  });
});
