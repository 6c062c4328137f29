import { afterEach, describe, expect, it } from "vitest";
import type { Answer } from "../../src/servers/poller/adapter.ts";
import { gamedigAdapter } from "../../src/servers/poller/adapters/gamedig.ts";
import { LOOPBACK } from "../helpers/egress.ts";
import { type GameServer, startOpenArena, startOpenTtd } from "../helpers/peers/game-servers.ts";
import { figuresOnly } from "../helpers/poller.ts";

/** A server that reads its maps and makes its world has this long on a busy machine. */
const START_MS = 40_000;
const servers: GameServer[] = [];

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.stop()));
});

async function ask(type: string, address: string, options: object = {}): Promise<Answer> {
  const target = { id: address, address, options: { type, ...options } };
  const answer = (await gamedigAdapter.ask([target], new AbortController().signal, LOOPBACK)).get(address);
  if (!answer) throw new Error("no answer for the target");
  return figuresOnly(answer);
}

interface Expected {
  readonly online: number;
  readonly bots: number | null;
  readonly max_online: number;
}

/** Polls until it answers with these figures; what it printed is the message when it never does. */
async function expectFigures(type: string, server: GameServer, { online, bots, max_online }: Expected) {
  const expected = { kind: "answered", figures: { online, bots, queue: null, max_online } };
  const until = Date.now() + START_MS;
  let answer = await ask(type, server.address, { timeout_ms: 1000 });
  while (Date.now() < until && JSON.stringify(answer) !== JSON.stringify(expected)) {
    await new Promise((resolve) => setTimeout(resolve, 250));
    answer = await ask(type, server.address, { timeout_ms: 1000 });
  }
  expect(answer, server.output()).toEqual(expected);
}

async function start(starting: Promise<GameServer>): Promise<GameServer> {
  const server = await starting;
  servers.push(server);
  return server;
}

describe("OpenArena (Quake 3, UDP)", () => {
  it("is online with its players and places, gone when it ends, and back when it is back", async () => {
    const first = await start(startOpenArena({ bots: 2, places: 14 }));
    await expectFigures("openarena", first, { online: 0, bots: 2, max_online: 14 });

    await first.stop();
    const reason = expect.stringMatching(/ECONNREFUSED/);
    expect(await ask("openarena", first.address)).toEqual({ kind: "missed", reason });

    const port = Number(first.address.split(":")[1]);
    const second = await start(startOpenArena({ bots: 0, places: 9, port }));
    await expectFigures("openarena", second, { online: 0, bots: 0, max_online: 9 });
  });

  it("tells bots from people, and has the places that its own browser shows", async () => {
    const server = await start(startOpenArena({ bots: 2, places: 8, privatePlaces: 2 }));
    await expectFigures("openarena", server, { online: 0, bots: 2, max_online: 6 });
    expect(await ask("openarena", server.address, { count_bots: true })).toMatchObject({
      figures: { online: 2, bots: 2, max_online: 6 },
    });
  });

  it("is found by its protocol's name as well, and by a host and query port in the options", async () => {
    const server = await start(startOpenArena({ places: 8 }));
    await expectFigures("protocol-quake3", server, { online: 0, bots: 0, max_online: 8 });
    const query_port = Number(server.address.split(":")[1]);
    expect(await ask("openarena", "nobody.invalid", { host: "127.0.0.1", query_port })).toMatchObject({
      figures: { online: 0, max_online: 8 },
    });
  });
});

describe("OpenTTD (TCP)", () => {
  it("is online with its players and places, and gone when it ends", async () => {
    const server = await start(startOpenTtd({ places: 17 }));
    await expectFigures("openttd", server, { online: 0, bots: null, max_online: 17 });
    await server.stop();
    expect(await ask("openttd", server.address)).toMatchObject({ kind: "missed" });
  });
});

describe("two games at once", () => {
  it("answer for themselves, and a game asked in the wrong protocol does not answer", async () => {
    const arena = await start(startOpenArena({ bots: 1, places: 12 }));
    const trains = await start(startOpenTtd({ places: 5 }));
    await Promise.all([
      expectFigures("openarena", arena, { online: 0, bots: 1, max_online: 12 }),
      expectFigures("openttd", trains, { online: 0, bots: null, max_online: 5 }),
    ]);
    const [inWrong, outWrong] = await Promise.all([
      ask("gtasam", arena.address, { timeout_ms: 1000 }),
      ask("openarena", trains.address, { timeout_ms: 1000 }),
    ]);
    expect([inWrong.kind, outWrong.kind]).toEqual(["missed", "missed"]);
  });
});
