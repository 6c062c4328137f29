import type { IncomingMessage, RequestListener } from "node:http";
import { setTimeout } from "node:timers/promises";
import express from "express";
import { pino } from "pino";
import request from "supertest";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { ChangeFeed } from "../../src/db/change-feed.ts";
import type { CachedEndpoint } from "../../src/web/answers/cache-lookup.ts";
import { AnswerMemory, rememberAnswers } from "../../src/web/answers/remembered-answers.ts";
import { sendBody } from "../../src/web/answers/send.ts";
import { knownParameters, readTarget } from "../../src/web/server/target.ts";
import { KnownReaders } from "../../src/web/session/known-readers.ts";
import { createSessions } from "../../src/web/session/session.ts";
import { TEST_CONFIG, useTestApp } from "../helpers/app.ts";
import { insertRecords } from "../helpers/catalogue.ts";
import { useTestDatabase } from "../helpers/database.ts";
import { openSearch } from "../helpers/search.ts";

const { baseUrl, sessionSecret: secret } = TEST_CONFIG;
const silent = pino({ level: "silent" });
const endpoints = new Map<string, CachedEndpoint>([
  ["/api/search", { access: "none" }],
  ["/api/items/search", { access: "session-or-key" }],
]);
const endpointAt = (path: string) => endpoints.get(path);

describe("a cached answer of the search", () => {
  const site = useTestApp();

  it("is dropped after a change of the catalogue", async () => {
    const search = openSearch(site);
    await search.refresh();
    const feed = new ChangeFeed({ db: site.db, log: silent, maxAgeMs: 60_000 });
    const app = await site.another({}, { search, feed });
    const found = async () => (await request(app).get("/api/search?q=lantern").expect(200)).body.items.length;
    expect([await found(), await found(), await found()]).toEqual([0, 0, 0]);
    await insertRecords(site.db, "items", [{ id: "lantern" }]);
    await search.refresh();
    expect([await found(), await found(), await found()]).toEqual([1, 1, 1]);
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
    expect(await ask(2, "/api/search?q=a", { "Accept-Encoding": "gzip" })).toEqual([2, 2]);
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

  it("is not for who may be logged in, and nothing of what they were answered", async () => {
    isStored = true;
    expect(await ask(3, "/api/search?q=a")).toEqual([1, 2, 3]);
    isStored = false;
    expect(await ask(3, "/api/search?q=a")).toEqual([4, 5, 5]);
    isStored = true;
    expect(await ask(1, "/api/search?q=a")).toEqual([6]);
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
        await setTimeout(200);
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
    const [begun, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    whileMaking = () => {
      begun.resolve();
      return answered.promise;
    };
    const renewed = ask(1, "/api/search?q=a");
    await begun.promise;
    expect(await ask(1, "/api/search?q=a")).toEqual([2]);
    answered.resolve();
    expect(await renewed).toEqual([3]);
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
