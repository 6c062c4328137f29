import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { Answer } from "../../src/servers/poller/adapter.ts";
import { issuesText } from "../../src/servers/poller/adapter.ts";
import { jsonAdapter } from "../../src/servers/poller/adapters/json.ts";
import { LOOPBACK } from "../helpers/egress.ts";
import { type JsonMood, type JsonPeer, startJsonPeer } from "../helpers/peers/json-list.ts";

/** Elements as TruckersMP's list has them. */
const SIMULATION_1 = {
  id: 1,
  name: "Simulation 1",
  online: true,
  players: 3125,
  queue: 18,
  maxplayers: 4500,
};
const ARCADE = { id: 2, name: "Arcade", online: false, players: 0, queue: 0, maxplayers: 2000 };
const TRUCKS = {
  list: "/response",
  online: "/players",
  queue: "/queue",
  max_online: "/maxplayers",
  up: "/online",
};
const FIGURES = { online: 3125, bots: null, queue: 18, max_online: 4500 };

let peer: JsonPeer;
const surprises: unknown[] = [];
const surprise = (error: unknown) => surprises.push(error);

beforeAll(async () => {
  peer = await startJsonPeer();
  process.on("unhandledRejection", surprise);
  process.on("uncaughtExceptionMonitor", surprise);
});

afterEach(() => {
  peer.setMood("healthy");
  expect(surprises).toEqual([]);
});

afterAll(async () => {
  process.off("unhandledRejection", surprise);
  process.off("uncaughtExceptionMonitor", surprise);
  await peer.stop();
});

async function ask(options: object, signal = new AbortController().signal): Promise<Answer | undefined> {
  const target = { id: "one", address: null, options: { url: peer.url, ...options } };
  return (await jsonAdapter.ask([target], signal, LOOPBACK)).get("one");
}

function askTrucks(options: object = {}) {
  return ask({ ...TRUCKS, where: { "/id": 1 }, timeout_ms: 400, ...options });
}

describe("a list of servers", () => {
  it("answers for the element that is this server", async () => {
    peer.setServers([ARCADE, SIMULATION_1]);
    expect(await askTrucks()).toEqual({ kind: "answered", figures: FIGURES });
    expect(peer.headers).toMatchObject({ accept: "application/json", "user-agent": "Almanac" });
  });

  it("is fetched once for all servers that it has", async () => {
    peer.setServers([ARCADE, { ...ARCADE, id: 3, online: true, players: 5 }, SIMULATION_1]);
    const targets = [1, 2, 3, 4].map((id) => ({
      id: `trucks-${id}`,
      address: null,
      options: { ...TRUCKS, url: peer.url, where: { "/id": id } },
    }));
    expect(new Set(targets.map((target) => jsonAdapter.groupOf(target))).size).toBe(1);
    const before = peer.requests;
    const answers = await jsonAdapter.ask(targets, new AbortController().signal, LOOPBACK);
    expect(peer.requests - before).toBe(1);
    expect(Object.fromEntries(answers)).toEqual({
      "trucks-1": { kind: "answered", figures: FIGURES },
      "trucks-2": { kind: "missed", reason: "/online says that it is not up" },
      "trucks-3": { kind: "answered", figures: { online: 5, bots: null, queue: 0, max_online: 2000 } },
      "trucks-4": { kind: "missed", reason: "no element of the list has /id = 4" },
    });
  });

  it("may be an object of servers, or the whole document", async () => {
    peer.setServers({ a: ARCADE, s: SIMULATION_1 });
    expect(await askTrucks()).toMatchObject({ figures: FIGURES });
    expect(await ask({ where: { "/s/id": 1 }, list: "", online: "/s/players" })).toMatchObject({
      figures: { online: 3125 },
    });
    expect(await ask({ online: "/response/s/players" })).toMatchObject({ figures: { online: 3125 } });
  });

  it("takes digits and numbers, and makes nothing up from the rest", async () => {
    const cases = [
      ["64", 64],
      [0, 0],
      [5001, 5001],
      [-1, null],
      [1.5, null],
      [null, null],
      ["many", null],
      [[1, 2], null],
      [{ now: 5 }, null],
      [1e300, null],
      [true, null],
    ];
    for (const [players, online] of cases) {
      peer.setServers([{ ...SIMULATION_1, players, queue: players }]);
      const figures = { online, bots: null, queue: online, max_online: 4500 };
      expect(await askTrucks(), JSON.stringify(players)).toEqual({ kind: "answered", figures });
    }
  });

  it("leaves the queue unknown where it is not told", async () => {
    peer.setServers([{ id: 1, online: "online", players: 4 }]);
    const figures = { online: 4, bots: null, queue: null, max_online: null };
    expect(await askTrucks()).toEqual({ kind: "answered", figures });
    expect(await askTrucks({ queue: undefined })).toEqual({ kind: "answered", figures });
  });

  it("counts a list of players by its length", async () => {
    peer.setServers({ players: [{ name: "a" }, { name: "b" }] });
    expect(await ask({ online: "/response/players/length" })).toMatchObject({ figures: { online: 2 } });
  });
});

describe("a bad mood is a miss, with its reason, in time", () => {
  it.each<[JsonMood, RegExp]>([
    ["silent", /^no answer within 400 ms$/],
    ["error", /HTTP status 500/],
    ["html", /not JSON: "<html>Maintenance/],
    ["invalid", /not JSON/],
    ["object", /no element of the list has \/id = 1/],
    ["duplicate", /2 elements of the list/],
    ["endless", /larger than 5242880 bytes/],
    ["drip", /^no answer within 400 ms$/],
    ["bomb", /larger than 5242880 bytes/],
    ["large", /larger than 5242880 bytes/],
    ["reset", /socket hang up/],
    ["upgrade", /closed without an answer/],
    ["redirectLoop", /more than 3 redirects/],
    ["redirectAway", /file: is neither/],
  ])("%s", async (mood, reason) => {
    peer.setServers([SIMULATION_1]);
    peer.setMood(mood);
    const answer = await askTrucks({
      timeout_ms: ["bomb", "endless", "large"].includes(mood) ? 10_000 : 400,
    });
    expect(answer).toEqual({ kind: "missed", reason: expect.stringMatching(reason) });
    await expect.poll(() => peer.connections()).toBe(0);
  });

  it("and these are none", async () => {
    peer.setServers([SIMULATION_1]);
    for (const mood of ["gzip", "redirect", "late"] as const) {
      peer.setMood(mood);
      expect(await askTrucks({ timeout_ms: 10_000 }), mood).toMatchObject({ figures: FIGURES });
    }
  });

  it("a gigabyte that unpacks from a megabyte is not held in memory", async () => {
    peer.setMood("bomb");
    const before = process.memoryUsage().rss;
    for (let i = 0; i < 3; i++) await askTrucks({ timeout_ms: 3000 });
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 * 1024);
  });

  it("options that do not fit are a miss of that server alone", async () => {
    peer.setServers([SIMULATION_1]);
    const targets = [
      { id: "bad", address: null, options: { url: peer.url, online: "players" } },
      { id: "good", address: null, options: { url: peer.url, ...TRUCKS, where: { "/id": 1 } } },
    ];
    const answers = await jsonAdapter.ask(targets, new AbortController().signal, LOOPBACK);
    expect(answers.get("bad")).toEqual({
      kind: "missed",
      reason: expect.stringMatching(/^options: online: /),
    });
    expect(answers.get("good")).toMatchObject({ figures: FIGURES });
  });
});

describe("options", () => {
  const VALID = { url: "http://127.0.0.1:8080/servers", online: "/players" };

  it("fill in the time limit", () => {
    expect(jsonAdapter.options.parse(VALID)).toEqual({ ...VALID, timeout_ms: 2000 });
  });

  it.each([
    ["no address", { url: undefined }, /url/],
    ["a file", { url: "file:///etc/passwd" }, /http: or https:/],
    ["a password in the address", { url: "http://user:secret@127.0.0.1/" }, /user name or password/],
    ["a pointer without a slash", { online: "players" }, /JSON Pointer/],
    ["a pointer to everything", { online: "" }, /starts with/],
    ["a pointer with a wrong escape", { online: "/a~2b" }, /JSON Pointer/],
    ["a pointer out of the document", { online: "/__proto__/players" }, /__proto__/],
    ["no pointer to the players", { online: undefined }, /online/],
    ["a list without where", { list: "/response" }, /where.*which of its elements/],
    ["where without a condition", { where: {} }, /at least one/],
    ["where by a name", { where: { id: 1 } }, /JSON Pointer/],
    ["where by an object", { where: { "/id": { a: 1 } } }, /where/],
    ["an unknown key", { onlin: "/players" }, /onlin/],
    ["a time limit that is too long", { timeout_ms: 60_000 }, /timeout_ms/],
  ])("refuse %s", (_, wrong, message) => {
    const { success, error } = jsonAdapter.options.safeParse({ ...VALID, ...wrong });
    expect(success).toBe(false);
    expect(error && issuesText(error)).toMatch(message);
  });
});
