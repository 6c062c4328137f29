import { execFile } from "node:child_process";
import type { Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Answer } from "../../src/servers/poller/adapter.ts";
import { gamedigAdapter } from "../../src/servers/poller/adapters/gamedig.ts";
import { LOOPBACK } from "../helpers/egress.ts";
import { freePort } from "../helpers/free-port.ts";
import {
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
/** Stopped by the last test, because the others run side by side. */
const peers: { stop(): Promise<void> }[] = [];

/** What earlier test files of this process left open. */
let foreign: readonly string[] = [];

beforeAll(() => {
  foreign = openHandles();
  process.on("unhandledRejection", surprise);
  process.on("uncaughtExceptionMonitor", surprise);
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

const ask = (port: number, options: object, signal?: AbortSignal) =>
  askAt(`127.0.0.1:${port}`, options, signal);

async function askAt(
  address: string | null,
  options: object,
  signal = new AbortController().signal,
): Promise<Answer> {
  const target = { id: `peer ${address}`, address, options: { timeout_ms: LIMIT_MS, ...options } };
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

describe.concurrent("SA-MP", () => {
  const type = "gtasam";

  it("is missed or answers, by its mood", async () => {
    const expected: Partial<Record<SampMood, Answer>> = {
      healthy: answered(12, 100),
      late: answered(12, 100),
      blocksRules: answered(12, 100),
      cp1251: answered(12, 100),
      twice: answered(12, 100),
      losesEverySecond: answered(12, 100),
      truncated: missed(/ends before it should/),
      lyingLength: missed(/ends before it should/),
      // The rest take all of their limit.
      silent: missed(/^no answer within 2000 ms$/),
      garbage: missed(/^no answer within/),
      wrongHeader: missed(/^no answer within/),
      otherPort: missed(/^no answer within/),
      huge: missed(/an answer of 6\d{4} bytes was dropped/),
      flood: missed(/more than any answer needs|no answer within/),
    };
    const moods = Object.keys(expected) as SampMood[];
    const limitOf = (at: number) => (at < moods.indexOf("silent") ? LIMIT_MS : 2_000);
    const answers = moods.map(async (mood, at) => {
      const peer = await startSamp({ mood, lateMs: 300 });
      return [mood, await ask(peer.port, { type, encoding: "win1251", timeout_ms: limitOf(at) })];
    });
    expect(Object.fromEntries(await Promise.all(answers))).toEqual(expected);
  });

  it("with 750 players, above the maximum as well, and on open.mp", async () => {
    const peer = await startSamp({ online: 750, maximum: 1000 });
    expect(await ask(peer.port, { type })).toEqual(answered(750, 1000));
    peer.setPlayers(750, 500);
    expect(await ask(peer.port, { type: "gtasao" })).toEqual(answered(750, 500));
    peer.setPlayers(0, 0);
    expect(await ask(peer.port, { type })).toEqual(answered(0, 0));
    // One packet each, for the counts only.
    expect([peer.requests, peer.requestsOf("i")]).toEqual([3, 3]);
  });

  it("answers a poll that began before it listened", async () => {
    const port = await freePort();
    const poll = ask(port, { type, timeout_ms: LIMIT_MS / 2 });
    await delay(100);
    await startSamp({ port });
    expect(await poll).toEqual(answered(12, 100));
  });
});

describe.concurrent("many at once", () => {
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
      options: { type: "gtasam", timeout_ms: 3_000 },
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
});

describe.concurrent("Source", () => {
  it.each([
    ["counterstrike2", { online: 31, maximum: 64, cut: "zero" as const }, withoutBots(31, 64)],
    ["counterstrike2", { online: 31, maximum: 64, cut: "port" as const }, withoutBots(31, 64)],
    ["counterstrike2", { online: 31, maximum: 64, bare: true }, withoutBots(31, 64)],
    ["rust", { appId: 252490, tags: "mp300,cp298,qp41,v2592" }, withoutBots(298, 300, 41)],
    ["rust", { appId: 252490, tags: "mp300,cp12,qp0,v2592" }, withoutBots(12, 300, 0)],
    ["dayz", { appId: 221100, tags: "battleye,external,lqs9,etm2.0,12:30" }, withoutBots(60, 60, 9)],
    ["dayz", { appId: 221100, tags: "battleye,external" }, withoutBots(60, 60)],
  ])("of %s is online by its info %j, the queue by its tags", async (type, info, expected) => {
    const peer = await start(startSourcePeer({ online: 60, maximum: 60, ...info }));
    expect(await ask(peer.port, { type })).toEqual(expected);
  });

  it("is online by its info, with players and rules unanswered", async () => {
    const peer = await start(startSourcePeer({ online: 31, maximum: 64 }));
    expect(await inTime(ask(peer.port, { type: "counterstrike2" }))).toEqual(withoutBots(31, 64));
  });

  it("answers on another port than the one it is played on", async () => {
    const peer = await start(startSourcePeer({ online: 5, maximum: 10 }));
    const options = { type: "protocol-valve", query_port: peer.port };
    expect(await askAt("127.0.0.1:1", options)).toEqual(withoutBots(5, 10));
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
    const answer = await ask(peer.port, { type: "counterstrike2", timeout_ms: 1_500 });
    expect(answer).toEqual(missed(/no answer/));
  });
});

describe.concurrent("FiveM", () => {
  const json = (value: unknown) => (_: unknown, response: { end(text: string): void }) =>
    response.end(JSON.stringify(value));

  it("tells its queue by its variable", async () => {
    const info = { vars: { sv_queueCount: "17" } };
    const peer = await start(startFivemPeer({ online: 128, maximum: 128, http: json(info) }));
    expect(await ask(peer.port, { type: "gta5f" })).toEqual(answered(128, 128, 17));
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

describe.concurrent("Minecraft", () => {
  const version = { name: "1.21" };

  it.each([
    [{ players: { max: 20, online: 0 }, version, description: "A" }, undefined],
    [{ players: { max: 20, online: 7 }, version, description: "A" }, undefined],
    // Cut into two packets after the first byte, and before the last.
    [{ players: { max: 20, online: 7 }, description: "A".repeat(300) }, 1],
    [{ players: { max: 20, online: 7 }, description: "A".repeat(300) }, -1],
  ])("is answered at once by its status, %#", async (status, cutAt) => {
    const peer = await start(startMinecraftPeer(status, cutAt));
    const { online, max } = status.players;
    expect(await inTime(ask(peer.port, { type: "minecraft" }))).toEqual(answered(online, max));
  });

  it("is online, and makes nothing up from counts that are negative, text or hidden", async () => {
    const peers = [
      { max: -1, online: -5 },
      { max: "many", online: "few" },
      null,
      { max: 20, online: -1 },
    ].map(async (players) => {
      const peer = await start(startMinecraftPeer({ players, version }));
      return ask(peer.port, { type: "minecraft", timeout_ms: LIMIT_MS / 2 });
    });
    const unknown = answered(null, null);
    expect(await Promise.all(peers)).toEqual([unknown, unknown, unknown, answered(null, 20)]);
  });

  it("logs why each of its protocols failed", async () => {
    const peer = await start(startMinecraftPeer("closed for today"));
    const reason =
      /minecraftvanilla: the status is not a JSON object: .*closed for today.*; gamespy3: .*ECONNREFUSED/;
    expect(await ask(peer.port, { type: "minecraft", timeout_ms: 1_000 })).toEqual(missed(reason));
  });
});

describe.concurrent("TCP that means harm", () => {
  const flood = (socket: Socket) => {
    const more = () => {
      if (!socket.destroyed) setImmediate(more);
      if (!socket.destroyed) socket.write("\xff".repeat(65_536));
    };
    more();
  };
  // Four billion strings are announced, in 12 bytes.
  const lie = Buffer.from("000000400c000000ffffffff", "hex");

  it.each([
    // A length of 4 GB is announced and waited for: this is where gamedig would collect it all.
    ["a stream without an end", "battlefield3", flood, /larger than 524288 bytes/],
    ["a stream without an end", "minecraft", flood, /./],
    ["a lie about its length", "battlefield3", (socket: Socket) => void socket.write(lie), /./],
    ["a connection that is closed at once", "openttd", (socket: Socket) => void socket.destroy(), /./],
  ])("%s: %s", async (_, type, serve, reason) => {
    const peer = await start(startTcpPeer(serve));
    const timeout_ms = serve === flood ? 1_500 : SHORT_MS;
    expect(await ask(peer.port, { type, timeout_ms })).toEqual(missed(reason));
  });
});

describe("any game", () => {
  it("survives noise, whatever its protocol makes of it", async () => {
    const heads = "ffffffff49 ffffffff41 ffffffff0a fefd 00000001 45594531 1c feffffff 5c".split(" ");
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

  it("is queried at the address of the record or of its options, which come first", async () => {
    const { port } = await startSamp({});
    const options = { type: "gtasam", timeout_ms: 500 };
    expect(await askAt(`localhost:${port}`, options)).toEqual(answered(12, 100));
    const own = { ...options, host: "127.0.0.1", port };
    expect(await askAt("nobody.invalid:1", own)).toEqual(answered(12, 100));
  });

  it.each([
    [null, {}, /has no address, and its options no "host"/],
    ["http://127.0.0.1/", {}, /not host or host:port/],
    ["127.0.0.1:1", {}, /ECONNREFUSED/],
    ["nobody.invalid:7777", {}, /ENOTFOUND|EAI_AGAIN|no answer/],
    ["127.0.0.1", { type: "teeworlds" }, /^options: type: "teeworlds" is no game/],
  ])("is missed at %j with %j", async (address, options, reason) => {
    const answer = await askAt(address, { type: "gtasam", timeout_ms: 250, ...options });
    expect(answer).toEqual(missed(reason));
  });
});

describe("the end of all queries", () => {
  it("holds no memory of floods", async () => {
    const peer = await startSamp({ mood: "flood" });
    await ask(peer.port, { type: "gtasam", timeout_ms: 250 });
    const before = heldBytes();
    for (let n = 0; n < 10; n++) await ask(peer.port, { type: "gtasam", timeout_ms: 250 });
    // Sockets that have just closed let go of what they read a moment later.
    await expect.poll(() => heldBytes() - before).toBeLessThan(30 * 1024 * 1024);
  });

  it("leaves no socket open, and throws nothing where nobody catches it", async () => {
    await Promise.all(peers.splice(0).map((peer) => peer.stop()));
    await expect.poll(() => leftOpen()).toEqual([]);
    expect(surprises).toEqual([]);
  });
});
