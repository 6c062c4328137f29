import { execFile } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { Answer } from "../../src/servers/poller/adapter.ts";
import { issuesText } from "../../src/servers/poller/adapter.ts";
import { gamedigAdapter } from "../../src/servers/poller/adapters/gamedig.ts";
import { Names, parseAddress } from "../../src/servers/poller/adapters/names.ts";
import { LOOPBACK } from "../helpers/egress.ts";
import {
  type GamePeer,
  startFivemPeer,
  startMinecraftPeer,
  startSourcePeer,
  startTcpPeer,
  startUdpPeer,
} from "../helpers/peers/games.ts";
import { type SampMood, type SampPeer, type SampPeerOptions, startSampPeer } from "../helpers/peers/samp.ts";
import { figuresOnly, MISSED } from "../helpers/poller.ts";

/** For who answers: more than a busy machine takes, and not to be waited for. */
const LIMIT_MS = 8_000;
/** For who does not, where a test waits for the limit itself. */
const SHORT_MS = 500;
const surprises: unknown[] = [];
const surprise = (error: unknown) => surprises.push(error);
const peers: { stop(): Promise<void> }[] = [];

/** What earlier test files of this process left open. */
let foreign: readonly string[] = [];

beforeAll(() => {
  foreign = openHandles();
  process.on("unhandledRejection", surprise);
  process.on("uncaughtExceptionMonitor", surprise);
});

/** No socket and no timer outlives a query, and nothing is thrown where nobody catches it. */
afterEach(async () => {
  await Promise.all(peers.splice(0).map((peer) => peer.stop()));
  await expect.poll(() => leftOpen()).toEqual([]);
  expect(surprises).toEqual([]);
});

afterAll(() => {
  process.off("unhandledRejection", surprise);
  process.off("uncaughtExceptionMonitor", surprise);
});

function leftOpen(): string[] {
  const others = [...foreign];
  return openHandles().filter((kind) => {
    const at = others.indexOf(kind);
    if (at !== -1) others.splice(at, 1);
    return at === -1;
  });
}

function openHandles(): string[] {
  return process
    .getActiveResourcesInfo()
    .filter((kind) => /^(UDPWrap|TCPSocketWrap|TCPServerWrap)$/.test(kind));
}

async function start<T extends { stop(): Promise<void> }>(peer: Promise<T>): Promise<T> {
  peers.push(await peer);
  return peer;
}

function startSamp(options: SampPeerOptions): Promise<SampPeer> {
  return start(startSampPeer(options));
}

async function ask(port: number, options: object, signal = new AbortController().signal): Promise<Answer> {
  const target = {
    id: `peer ${port}`,
    address: `127.0.0.1:${port}`,
    options: { timeout_ms: LIMIT_MS, ...options },
  };
  const answer = (await gamedigAdapter.ask([target], signal, LOOPBACK)).get(target.id);
  if (!answer) throw new Error("no answer for the target");
  return figuresOnly(answer);
}

/** The answer, or that it took more than a part of its limit: it has waited for what it should not. */
function inTime(answer: Promise<Answer>, mostMs = LIMIT_MS / 2): Promise<Answer | "late"> {
  return Promise.race([answer, delay(mostMs, "late" as const, { ref: false })]);
}

function answered(
  online: number | null,
  max_online: number | null,
  queue: number | null = null,
  bots: number | null = null,
): Answer {
  return { kind: "answered", figures: { online, bots, queue, max_online } };
}

/** A game that reports its bots, and has none. */
const withoutBots = (online: number, max_online: number, queue: number | null = null) =>
  answered(online, max_online, queue, 0);

function missed(reason: RegExp): Answer {
  return { kind: "missed", reason: expect.stringMatching(reason) };
}

/** The bytes of buffers that something still refers to: what waits for its collection would count as held. */
function heldBytes(): number {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
  return process.memoryUsage().arrayBuffers;
}

describe("SA-MP", () => {
  const type = "gtasam";

  it.each<[SampMood, Answer, number?]>([
    ["healthy", answered(12, 100)],
    ["late", answered(12, 100)],
    ["blocksRules", answered(12, 100)],
    ["cp1251", answered(12, 100)],
    ["twice", answered(12, 100)],
    ["silent", missed(/^no answer within 500 ms$/), SHORT_MS],
    ["garbage", missed(/^no answer within/), SHORT_MS],
    ["wrongHeader", missed(/^no answer within/), SHORT_MS],
    ["otherPort", missed(/^no answer within/), SHORT_MS],
    ["truncated", missed(/ends before it should/)],
    ["lyingLength", missed(/ends before it should/)],
    ["huge", missed(/an answer of 6\d{4} bytes was dropped/), SHORT_MS],
    ["flood", missed(/more than any answer needs|no answer within/), SHORT_MS],
  ])("in the mood %s", async (mood, expected, timeout_ms = LIMIT_MS) => {
    const peer = await startSamp({ mood, lateMs: 300 });
    expect(await ask(peer.port, { type, encoding: "win1251", timeout_ms })).toEqual(expected);
  });

  it("with 750 players, above the maximum as well", async () => {
    const peer = await startSamp({ online: 750, maximum: 1000 });
    expect(await ask(peer.port, { type })).toEqual(answered(750, 1000));
    peer.setPlayers(750, 500);
    expect(await ask(peer.port, { type })).toEqual(answered(750, 500));
    peer.setPlayers(0, 0);
    expect(await ask(peer.port, { type })).toEqual(answered(0, 0));
  });

  it("may be open.mp", async () => {
    const peer = await startSamp({});
    expect(await ask(peer.port, { type: "gtasao" })).toEqual(answered(12, 100));
  });

  it("sends one packet, for the counts only", async () => {
    const peer = await startSamp({});
    await ask(peer.port, { type });
    expect([peer.requests, peer.requestsOf("i")]).toEqual([1, 1]);
  });

  it("loses every second packet and is never missed", async () => {
    const peer = await startSamp({ mood: "losesEverySecond" });
    for (let poll = 0; poll < 2; poll++) {
      expect(await ask(peer.port, { type, timeout_ms: 10_000 })).toEqual(answered(12, 100));
    }
  });

  it("answers a poll that began before it listened", async () => {
    const before = await startSamp({});
    const { port } = before;
    await before.stop();
    peers.pop();
    const poll = ask(port, { type });
    await new Promise((resolve) => setTimeout(resolve, 100));
    await startSamp({ port });
    expect(await poll).toEqual(answered(12, 100));
  });
});

describe("many at once", () => {
  it("never mistakes the answer of one server for another's", async () => {
    const all = await Promise.all(
      Array.from({ length: 150 }, (_, n) =>
        startSamp({
          online: n,
          maximum: 1000 + n,
          mood: n % 10 === 9 ? "silent" : n % 10 === 8 ? "late" : "healthy",
        }),
      ),
    );
    const targets = all.map(({ port }, n) => ({
      id: `server-${n}`,
      address: `127.0.0.1:${port}`,
      options: { type: "gtasam", timeout_ms: 4_000 },
    }));
    const answers = await gamedigAdapter.ask(targets, new AbortController().signal, LOOPBACK);
    for (const [n, { id }] of targets.entries()) {
      expect(figuresOnly(answers.get(id) ?? MISSED), id).toEqual(
        n % 10 === 9 ? missed(/no answer/) : answered(n, 1000 + n),
      );
    }
  });

  it("leaves a late answer behind with the query that it belongs to", async () => {
    const peer = await startSamp({ mood: "late", online: 1 });
    expect(await ask(peer.port, { type: "gtasam", timeout_ms: SHORT_MS })).toEqual(missed(/no answer/));
    peer.setMood("healthy");
    peer.setPlayers(2);
    expect(await ask(peer.port, { type: "gtasam" })).toEqual(answered(2, 100));
  });

  it("stops when it is aborted", async () => {
    const peer = await startSamp({ mood: "silent" });
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 50);
    const answer = await ask(peer.port, { type: "gtasam" }, stop.signal);
    expect(answer).toEqual(missed(/the poll was stopped/));
    expect(await ask(peer.port, { type: "gtasam" }, stop.signal)).toEqual(missed(/the poll was stopped/));
  });

  it("leaves nothing behind that keeps a process alive", async () => {
    const peer = await startSamp({ mood: "silent" });
    const adapter = new URL("../../src/servers/poller/adapters/gamedig.ts", import.meta.url);
    const script = `
      import { gamedigAdapter } from ${JSON.stringify(adapter.href)};
      const stop = new AbortController();
      setTimeout(() => stop.abort(), 100);
      const targets = ["gtasam", "gta5f", "minecraft", "openttd", "dayz", "battlefield3"].map((type) => (
        { id: type, address: "127.0.0.1:${peer.port}", options: { type, timeout_ms: 10000 } }));
      await gamedigAdapter.ask(targets, stop.signal, { opened: [{ range: "127.0.0.1/32" }] });
      const ended = performance.now();
      process.on("exit", () => process.stdout.write(String(performance.now() - ended)));`;
    const { stdout } = await promisify(execFile)(process.execPath, [
      ...["--input-type=module", "--eval", script],
    ]);
    // Half of their limit: a socket or a timer that is left would keep the process for all of it.
    expect(Number(stdout)).toBeLessThan(5_000);
  });

  it("holds no memory of floods", async () => {
    const peer = await startSamp({ mood: "flood" });
    await ask(peer.port, { type: "gtasam", timeout_ms: 250 });
    const before = heldBytes();
    for (let n = 0; n < 10; n++) await ask(peer.port, { type: "gtasam", timeout_ms: 250 });
    // Sockets that have just closed let go of what they read a moment later.
    await expect.poll(() => heldBytes() - before).toBeLessThan(30 * 1024 * 1024);
  });
});

describe("Source", () => {
  it.each(["zero", "port"] as const)("is online where the last %s of its info is missing", async (cut) => {
    const peer = await start(startSourcePeer({ online: 31, maximum: 64, cut }));
    expect(await ask(peer.port, { type: "counterstrike2", timeout_ms: 10_000 })).toEqual(withoutBots(31, 64));
  });

  it("is online by its info, with players and rules unanswered", async () => {
    const peer = await start(startSourcePeer({ online: 31, maximum: 64 }));
    expect(await inTime(ask(peer.port, { type: "counterstrike2" }))).toEqual(withoutBots(31, 64));
  });

  it("may leave out the extra data flag", async () => {
    const peer = await start(startSourcePeer({ online: 31, maximum: 64, bare: true }));
    expect(await ask(peer.port, { type: "counterstrike2" })).toEqual(withoutBots(31, 64));
  });

  it.each([
    ["rust", { appId: 252490, tags: "mp300,cp298,qp41,v2592" }, withoutBots(298, 300, 41)],
    ["rust", { appId: 252490, tags: "mp300,cp12,qp0,v2592" }, withoutBots(12, 300, 0)],
    ["dayz", { appId: 221100, tags: "battleye,external,lqs9,etm2.0,12:30" }, withoutBots(60, 60, 9)],
    ["dayz", { appId: 221100, tags: "battleye,external" }, withoutBots(60, 60)],
  ])("tells the queue of %s by its tags %j", async (type, info, expected) => {
    const peer = await start(startSourcePeer({ online: 60, maximum: 60, ...info }));
    expect(await ask(peer.port, { type })).toEqual(expected);
  });

  it("answers on another port than the one it is played on", async () => {
    const peer = await start(startSourcePeer({ online: 5, maximum: 10 }));
    const options = { type: "protocol-valve", query_port: peer.port };
    const target = { id: "beside", address: "127.0.0.1:1", options };
    const answers = await gamedigAdapter.ask([target], new AbortController().signal, LOOPBACK);
    expect(figuresOnly(answers.get("beside") ?? MISSED)).toEqual(withoutBots(5, 10));
  });

  it("is found at the game's usual distance, and at once the next time", async () => {
    const peer = await start(startSourcePeer({ online: 5, maximum: 10 }));
    // DayZ's query port is 24,714 above its own.
    const played = peer.port - 24_714;
    if (played < 1) throw new Error(`port ${peer.port} is too low for this test`);
    expect(await ask(played, { type: "dayz" })).toEqual(withoutBots(5, 10));
    // The game's own port comes first; without an answer it would use up its share of the limit.
    expect(await inTime(ask(played, { type: "dayz" }), LIMIT_MS / 3)).toEqual(withoutBots(5, 10));
  });

  it("does not unpack what is compressed", async () => {
    const compressed = Buffer.from("feffffff010000800100000500000000000000425a68", "hex");
    const peer = await start(startUdpPeer(() => compressed));
    expect(await ask(peer.port, { type: "counterstrike2" })).toEqual(missed(/no answer/));
  });
});

describe("FiveM", () => {
  const json = (value: unknown) => (_: unknown, response: { end(text: string): void }) =>
    response.end(JSON.stringify(value));

  it.each([
    ["the variable", { vars: { sv_queueCount: "17" } }, 17],
    ["a text", { vars: { Queue: "3 in queue" } }, 3],
    ["nothing", { vars: {} }, null],
    ["nonsense", { vars: { sv_queueCount: "-5" } }, null],
  ])("tells its queue by %s", async (_, info, queue) => {
    const peer = await start(startFivemPeer({ online: 128, maximum: 128, http: json(info) }));
    expect(await ask(peer.port, { type: "gta5f" })).toEqual(answered(128, 128, queue));
  });

  it("is online when its HTTP is blocked, refuses, fails, hangs or never ends", async () => {
    const bodies = [
      undefined,
      (_: unknown, response: { destroy(): void }) => void response.destroy(),
      (_: unknown, response: { writeHead(status: number): { end(): void } }) =>
        void response.writeHead(500).end(),
      json("text"),
      json(null),
      () => undefined,
      (_: unknown, response: { write(text: string): void }) => {
        setInterval(() => response.write(" ".repeat(65_536)), 1).unref();
      },
    ];
    for (const http of bodies) {
      const peer = await start(startFivemPeer({ online: 12, maximum: 64, ...(http && { http }) }));
      const answer = ask(peer.port, { type: "gta5f", timeout_ms: 3_000 });
      expect(await inTime(answer, 2_700), String(http)).toEqual(answered(12, 64));
    }
  });

  it("is believed about its players, not counted by a list that it does not send", async () => {
    const reply = Buffer.from("\xff\xff\xff\xffinfoResponse\n\\clients\\33\\sv_maxclients\\48", "latin1");
    const peer = await start(startUdpPeer(() => reply));
    expect(await ask(peer.port, { type: "gta5f" })).toEqual(answered(33, 48));
  });
});

describe("Minecraft", () => {
  it("is answered by its status, an empty server included", async () => {
    for (const online of [0, 7]) {
      const status = { version: { name: "1.21" }, players: { max: 20, online }, description: "A" };
      const peer = await start(startMinecraftPeer(status));
      expect(await inTime(ask(peer.port, { type: "minecraft" }))).toEqual(answered(online, 20));
    }
  });

  it.each([
    ["negative", { max: -1, online: -5 }],
    ["text", { max: "many", online: "few" }],
    ["hidden", null],
  ])("is online, and makes nothing up from counts that are %s", async (_, players) => {
    const peer = await start(startMinecraftPeer({ players, version: { name: "1.21" } }));
    expect(await ask(peer.port, { type: "minecraft", timeout_ms: 10_000 })).toEqual(answered(null, null));
  });

  it.each([1, -1])("is online where its status is cut into two packets at byte %d", async (cutAt) => {
    const status = { players: { max: 20, online: 7 }, description: "A".repeat(300) };
    const peer = await start(startMinecraftPeer(status, cutAt));
    expect(await inTime(ask(peer.port, { type: "minecraft" }))).toEqual(answered(7, 20));
  });

  it("logs why each of its protocols failed", async () => {
    const peer = await start(startMinecraftPeer("closed for today"));
    const reason =
      /minecraftvanilla: the status is not a JSON object: .*closed for today.*; gamespy3: .*ECONNREFUSED/;
    expect(await ask(peer.port, { type: "minecraft", timeout_ms: 1_000 })).toEqual(missed(reason));
  });

  it("logs for each of its protocols that there was no answer", async () => {
    const peer = await start(startUdpPeer(() => undefined));
    const reason = /^minecraftvanilla: TCP .*; gamespy3: no answer; minecraftbedrock: no answer$/;
    expect(await ask(peer.port, { type: "minecraft", timeout_ms: SHORT_MS })).toEqual(missed(reason));
  });

  it("keeps the maximum where the players are unreadable", async () => {
    const peer = await start(startMinecraftPeer({ players: { max: 20, online: -1 }, description: "A" }));
    expect(await ask(peer.port, { type: "minecraft", timeout_ms: 10_000 })).toEqual(answered(null, 20));
  });
});

describe("TCP that means harm", () => {
  const flood = (socket: { write(text: string): boolean; destroyed: boolean; once: unknown }) => {
    const more = () => {
      if (!socket.destroyed) setImmediate(more);
      if (!socket.destroyed) socket.write("\xff".repeat(65_536));
    };
    more();
  };

  it.each([
    // A length of 4 GB is announced and waited for: this is where gamedig would collect it all.
    ["battlefield3", /larger than 524288 bytes/],
    ["minecraft", /./],
    ["openttd", /./],
    ["starmade", /./],
  ])("%s: a stream without an end", async (type, reason) => {
    const peer = await start(startTcpPeer(flood));
    expect(await ask(peer.port, { type, timeout_ms: 1_500 })).toEqual(missed(reason));
  });

  it("a count of four billion strings in an answer of 12 bytes", async () => {
    const answer = Buffer.alloc(12);
    answer.writeUInt32LE(0x40000000, 0);
    answer.writeUInt32LE(12, 4);
    answer.writeUInt32LE(0xffffffff, 8);
    const peer = await start(startTcpPeer((socket) => void socket.write(answer)));
    expect(await ask(peer.port, { type: "battlefield3", timeout_ms: SHORT_MS })).toMatchObject({
      kind: "missed",
    });
  });

  it("a connection that is closed at once", async () => {
    const peer = await start(startTcpPeer((socket) => void socket.destroy()));
    expect(await ask(peer.port, { type: "openttd", timeout_ms: SHORT_MS })).toMatchObject({ kind: "missed" });
  });
});

describe("any game", () => {
  it("survives noise, whatever its protocol makes of it", async () => {
    const heads = [
      "ffffffff49",
      "ffffffff41",
      "ffffffff0a",
      "fefd",
      "00000001",
      "45594531",
      "1c",
      "feffffff",
      "5c",
    ];
    const noise = (n: number, length: number) =>
      Buffer.concat([
        Buffer.from(heads[n % heads.length] ?? "", "hex"),
        Buffer.from(Array.from({ length }, (_, at) => (n * 17 + at * at * 31) % 256)),
      ]);
    let n = 0;
    const peer = await start(startUdpPeer(() => noise(n++, (n * 37) % 900)));
    const types =
      "gtasamta quake quake2 openarena doom3 battlefield2 battlefield1942 unrealtournament2003 savage2 mumble gtasam armagetronadvanced rfactor c2d m2m jc2m starsiege s2ats xonotic warsow hexen2 counterstrike15 squad44 mbe unrealtournament3 ventrilo teamspeak2 vcm";
    const known = types.split(" ").filter((type) => gamedigAdapter.options.safeParse({ type }).success);
    expect(known.length).toBeGreaterThan(20);
    const targets = known.flatMap((type) =>
      Array.from({ length: 8 }, (_, round) => ({
        id: `${type} ${round}`,
        address: null,
        options: { type, host: "127.0.0.1", query_port: peer.port, timeout_ms: 300 },
      })),
    );
    const answers = await gamedigAdapter.ask(targets, new AbortController().signal, LOOPBACK);
    expect(answers.size).toBe(targets.length);
    for (const [id, answer] of answers) {
      if (answer.kind !== "answered") continue;
      for (const figure of Object.values(answer.figures)) {
        expect(figure === null || (Number.isSafeInteger(figure) && figure >= 0), id).toBe(true);
      }
    }
  });

  it("needs an address from somewhere", async () => {
    const ask = async (address: string | null, options: object) => {
      const target = { id: "a", address, options: { type: "gtasam", timeout_ms: 250, ...options } };
      return (await gamedigAdapter.ask([target], new AbortController().signal, LOOPBACK)).get("a");
    };
    expect(await ask(null, {})).toEqual(missed(/has no address, and its options no "host"/));
    expect(await ask("http://127.0.0.1/", {})).toEqual(missed(/not host or host:port/));
    expect(await ask("127.0.0.1:1", {})).toEqual(missed(/ECONNREFUSED/));
    expect(await ask("nobody.invalid:7777", {})).toEqual(missed(/ENOTFOUND|EAI_AGAIN|no answer/));
    expect(await ask("127.0.0.1", { type: "teeworlds" })).toEqual(
      missed(/^options: type: "teeworlds" is no game/),
    );
  });

  it("prefers its options to the address of the record", async () => {
    const peer: GamePeer = await startSamp({});
    const options = { type: "gtasam", host: "127.0.0.1", port: peer.port, timeout_ms: 500 };
    const target = { id: "a", address: "nobody.invalid:1", options };
    const answers = await gamedigAdapter.ask([target], new AbortController().signal, LOOPBACK);
    expect(figuresOnly(answers.get("a") ?? MISSED)).toEqual(answered(12, 100));
  });

  it("queries the server itself, unless one list has all servers of the game", () => {
    const groupOf = (id: string, type: unknown) =>
      gamedigAdapter.groupOf({ id, address: "127.0.0.1", options: { type } });
    expect(groupOf("a", "gtasam")).not.toBe(groupOf("b", "gtasam"));
    expect(groupOf("a", "gta5r")).toBe(groupOf("b", "gta5r"));
    expect(groupOf("a", "gta5r")).not.toBe(groupOf("b", "gta5am"));
    expect(groupOf("a", 5)).not.toBe(groupOf("b", 5));
  });

  it("is in no group where there is nothing to ask", () => {
    const groupOf = (address: string | null, options: object) =>
      gamedigAdapter.groupOf({ id: "a", address, options: { type: "gtasam", ...options } });
    expect(() => groupOf(null, {})).toThrow(/has no address/);
    expect(() => groupOf("http://127.0.0.1/", {})).toThrow(/has "http:.*not host or host:port/);
    expect(groupOf(null, { host: "127.0.0.1" })).toContain("a");
  });
});

describe("host names", () => {
  const at = (address: string) => [{ address, family: 4 }];

  it("are resolved", async () => {
    const peer = await startSamp({});
    const target = {
      id: "a",
      address: `localhost:${peer.port}`,
      options: { type: "gtasam", timeout_ms: 500 },
    };
    const answers = await gamedigAdapter.ask([target], new AbortController().signal, LOOPBACK);
    expect(figuresOnly(answers.get("a") ?? MISSED)).toEqual(answered(12, 100));
  });

  it("are looked up once at a time, and cached for a minute", async () => {
    const asked: ((addresses: { address: string; family: number }[]) => void)[] = [];
    let now = 0;
    const names = new Names(
      () => new Promise((resolve) => asked.push(resolve)),
      () => now,
    );
    const first = [names.addressesOf("play.example"), names.addressesOf("play.example")];
    expect(asked.length).toBe(1);
    asked[0]?.(at("192.0.2.1"));
    expect(await Promise.all(first)).toEqual([at("192.0.2.1"), at("192.0.2.1")]);
    now = 61_000;
    expect(await names.addressesOf("play.example")).toEqual(at("192.0.2.1"));
    now = 200_000;
    expect(await names.addressesOf("play.example")).toEqual(at("192.0.2.1"));
    expect(asked.length).toBe(2);
    asked[1]?.(at("192.0.2.2"));
    await new Promise((resolve) => setTimeout(resolve, 1));
    expect(await names.addressesOf("play.example")).toEqual(at("192.0.2.2"));
    expect(asked.length).toBe(2);
  });

  it("are looked up again a minute after a failure, and keep the last address", async () => {
    let now = 0;
    let lookups = 0;
    const names = new Names(
      async () => {
        lookups += 1;
        if (lookups === 2) return at("192.0.2.1");
        throw new Error("ENOTFOUND");
      },
      () => now,
    );
    await expect(names.addressesOf("a.example")).rejects.toThrow("ENOTFOUND");
    await expect(names.addressesOf("a.example")).rejects.toThrow("ENOTFOUND");
    expect(lookups).toBe(1);
    for (now = 61_000; now < 400_000; now += 61_000) {
      expect(await names.addressesOf("a.example")).toEqual(at("192.0.2.1"));
    }
    expect(lookups).toBeGreaterThan(3);
  });
});

describe("options", () => {
  it("fill in what is not given", () => {
    expect(gamedigAdapter.options.parse({ type: "gtasam" })).toEqual({
      type: "gtasam",
      timeout_ms: 2000,
      count_bots: false,
    });
  });

  it.each([
    ["samp", /near: gtasam/],
    ["fivem", /near: gta5f/],
    ["mtasa", /near: gtasamta/],
    ["minecarft", /near: .*minecraft/],
    ["counter-strike2", /near: .*counterstrike2/],
    ["constructor", /is no game/],
    ["protocol-nonsense", /is no game/],
    ["trackmania2", /is no game/],
    ["discord", /is no game/],
    ["", /is no game/],
  ])("name games that are near to %j", (type, message) => {
    const { error } = gamedigAdapter.options.safeParse({ type });
    expect(error && issuesText(error)).toMatch(message);
  });

  it.each([
    ["no type", { type: undefined }],
    ["an unknown key", { requestRules: true }],
    ["an unknown encoding", { encoding: "win9999" }],
    ["an encoding that is none", { encoding: "../x" }],
    ["a port of 0", { port: 0 }],
    ["a port above all", { query_port: 65_536 }],
    ["a port as text", { port: "7777" }],
    ["a host with a port", { host: "127.0.0.1 7777" }],
    ["a host that is an address of the web", { host: "http://a/" }],
    ["a time limit that is too short", { timeout_ms: 100 }],
    ["a time limit that is too long", { timeout_ms: 10_001 }],
    ["an IP family that does not exist", { ip_family: 5 }],
  ])("refuse %s", (_, wrong) => {
    expect(gamedigAdapter.options.safeParse({ type: "gtasam", ...wrong }).success).toBe(false);
  });

  it.each(["win1251", "utf8", "latin1", "windows-1251", "cp1251", "gbk", "ucs2"])(
    "know the encoding %s",
    (encoding) => {
      expect(gamedigAdapter.options.safeParse({ type: "gtasam", encoding }).success).toBe(true);
    },
  );
});

describe("parseAddress", () => {
  it.each([
    ["play.example.org:7777", { host: "play.example.org", port: 7777 }],
    [" 127.0.0.1 ", { host: "127.0.0.1", port: undefined }],
    ["[::1]:7777", { host: "::1", port: 7777 }],
    ["[2001:db8::7]", { host: "2001:db8::7", port: undefined }],
    ["2001:db8::7", { host: "2001:db8::7", port: undefined }],
    ["игра.рф:7777", { host: "игра.рф", port: 7777 }],
  ])("reads %j", (address, expected) => {
    expect(parseAddress(address)).toEqual(expected);
  });

  it.each([
    "",
    ":7777",
    "host:",
    "host:0",
    "host:65536",
    "host:7777:8888",
    "samp://host:7777",
    "a b",
    "[::1",
    "host:7x",
  ])("refuses %j", (address) => {
    expect(parseAddress(address)).toBeUndefined();
  });
});
