import { isIP } from "node:net";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { Answer } from "../../src/servers/poller/adapter.ts";
import { web } from "../../src/servers/poller/adapters/download.ts";
import { gamedigAdapter } from "../../src/servers/poller/adapters/gamedig.ts";
import { names } from "../../src/servers/poller/adapters/names.ts";
import { LOOPBACK } from "../helpers/egress.ts";
import {
  type GamePeer,
  startBedrockPeer,
  startQuakePeer,
  startSourcePeer,
  startUdpPeer,
} from "../helpers/peers/games.ts";
import { figuresOnly } from "../helpers/poller.ts";

const peers: GamePeer[] = [];

afterEach(async () => {
  vi.restoreAllMocks();
  await Promise.all(peers.splice(0).map((peer) => peer.stop()));
});

async function start(starting: Promise<GamePeer>): Promise<GamePeer> {
  const peer = await starting;
  peers.push(peer);
  return peer;
}

async function askAt(address: string, options: object): Promise<Answer | undefined> {
  const answer = await askWholeAt(address, options);
  return answer && figuresOnly(answer);
}

async function askWholeAt(address: string, options: object): Promise<Answer | undefined> {
  const target = { id: address, address, options: { timeout_ms: 4_000, ...options } };
  return (await gamedigAdapter.ask([target], new AbortController().signal, LOOPBACK)).get(address);
}

const ask = async (starting: Promise<GamePeer>, type: string, options: object = {}) =>
  askAt(`127.0.0.1:${(await start(starting)).port}`, { type, ...options });

async function detailsOf(starting: Promise<GamePeer>, type: string) {
  const answer = await askWholeAt(`127.0.0.1:${(await start(starting)).port}`, { type });
  return answer?.kind === "answered" ? answer.details : answer;
}

const counts = (online: number | null, max_online: number | null, bots: number | null = null) => ({
  kind: "answered",
  figures: { online, bots, queue: null, max_online },
});

describe("what a server tells beside its counts", () => {
  it("are map and version, in the one answer of a Source server", async () => {
    expect(await detailsOf(startSourcePeer({ online: 2, maximum: 20 }), "counterstrike2")).toEqual({
      map: "de_dust",
      version: "1.0",
      country: null,
      players: [],
    });
  });
});

describe("a Bedrock server", () => {
  const tail = "13253860892328930865;Second;Survival;1;19132;19133;";

  it.each([
    ["has a plain name", `MCPE;Plain;712;1.21.2;37;100;${tail}`],
    ["sends the first six fields only", "MCPE;Plain;712;1.21.2;37;100"],
    ["has a version that is no number", `MCPE;Plain;712;beta;37;100;${tail}`],
    ["has a semicolon in its name", `MCPE;One;two;712;1.21.2;37;100;${tail}`],
    ["has one in a short answer", "MCPE;One;two;712;1.21.2;37;100"],
    ["has one behind a backslash", `MCPE;One\\;two;712;1.21.2;37;100;${tail}`],
    ["has a name that ends with a backslash", `MCPE;One\\;712;1.21.2;37;100;${tail}`],
    ["has a name that looks like counts", `MCPE;A;1;1.20;3;4;B;712;1.21.2;37;100;${tail}`],
    [
      "has a semicolon in its second name",
      `MCPE;Plain;712;1.21.2;37;100;12;One;two;three;Survival;1;19132;19133;`,
    ],
    ["sends more fields than are known", `MCPE;One;two;712;1.21.2;37;100;${tail}0;`],
    ["is of the Education edition", `MCEE;One;two;712;1.21.2;37;100;${tail}`],
  ])("is counted right where it %s", async (_, text) => {
    expect(await ask(startBedrockPeer(text), "mbe")).toEqual(counts(37, 100));
  });

  it.each([
    ["counts are no numbers", `MCPE;One;two;712;1.21.2;many;few;${tail}`],
    ["counts are in two places", "MCPE;One;1;1.20;3;4;5;1;1.21;6;7;8;Second;Survival"],
    ["fields are missing", "MCPE;Plain;712"],
  ])("is online with unknown counts where its %s", async (_, text) => {
    expect(await ask(startBedrockPeer(text), "mbe", { timeout_ms: 1_000 })).toEqual(counts(null, null));
  });
});

describe("bots", () => {
  const rules = { sv_hostname: "Arena", sv_maxclients: 8 };

  it.each([
    [
      "a Source server",
      () => startSourcePeer({ online: 12, bots: 5, maximum: 20 }),
      "counterstrike2",
      7,
      5,
      20,
    ],
    [
      "a full Source server of bots",
      () => startSourcePeer({ online: 9, bots: 9, maximum: 9 }),
      "teamfortress2",
      0,
      9,
      9,
    ],
    ["a Quake 3 server", () => startQuakePeer(rules, [0, 48, 0, 0, 999]), "openarena", 2, 3, 8],
    ["a Quake 3 server without any", () => startQuakePeer(rules, [5]), "protocol-quake3", 1, 0, 8],
  ] as const)("are told apart from people on %s", async (_, begin, type, people, bots, places) => {
    const peer = await start(begin());
    const address = `127.0.0.1:${peer.port}`;
    expect(await askAt(address, { type })).toEqual(counts(people, places, bots));
    expect(await askAt(address, { type, count_bots: true })).toEqual(counts(people + bots, places, bots));
  });

  it("are not taken off the players of a server that counts people only", async () => {
    const server = () => startSourcePeer({ online: 2, bots: 10, maximum: 20 });
    expect(await ask(server(), "counterstrike2")).toEqual(counts(2, 20, 10));
    expect(await ask(server(), "counterstrike2", { count_bots: true })).toEqual(counts(12, 20, 10));
  });
});

describe("private places", () => {
  it.each(["sv_privateClients", "sv_privateclients"])("are left out of the maximum (%s)", async (rule) => {
    const server = startQuakePeer({ sv_maxclients: 8, [rule]: 2 }, [0, 0, 30]);
    expect(await ask(server, "openarena")).toEqual(counts(1, 6, 2));
  });

  it("may be all there are", async () => {
    const server = startQuakePeer({ sv_maxclients: 4, sv_privateClients: 9 }, []);
    expect(await ask(server, "openarena")).toEqual(counts(0, 0, 0));
  });
});

describe("a host with IPv6 addresses", () => {
  const status = Buffer.from('\xff\xff\xff\xffstatusResponse\n\\sv_maxclients\\8\n3 40 "A"\n', "latin1");

  it("is queried there if it has no others", async () => {
    const peer = await start(startUdpPeer(() => status, 0, "::1"));
    vi.spyOn(names, "addressesOf").mockResolvedValue([{ address: "::1", family: 6 }]);
    expect(await askAt(`six.test:${peer.port}`, { type: "openarena" })).toEqual(counts(1, 8, 0));
  });
});

describe("a game whose servers are in a list", () => {
  const ragemp = (id: string) => [
    {
      id: "other.test:22005",
      servers: [{ id: "other.test:22005", name: "O", players: { amount: 1, max: 2 } }],
    },
    { id, servers: [{ id, name: "Ours", players: { amount: 37, max: 100 } }] },
  ];
  const ofCluster = [
    {
      id: "cluster.test:22005",
      servers: [
        { id: "cluster.test:22005", name: "One", players: { amount: 1, max: 2 } },
        { id: "127.0.0.7:22005", name: "Ours", players: { amount: 37, max: 100 } },
      ],
    },
  ];
  const altv = (address: string) => [
    { address: "127.0.0.8:22005", name: "O", playersCount: 1, maxPlayersCount: 2 },
    { address, name: "Ours", playersCount: 37, maxPlayersCount: 100 },
  ];
  const minetest = (address: string) => ({
    list: [
      { address: "127.0.0.8", port: 22005, name: "O", clients: 1, clients_max: 2 },
      { address, port: 22005, name: "Ours", clients: 37, clients_max: 100 },
    ],
  });

  /** A list of the Internet, where no test may go. */
  async function askListed(type: string, list: unknown, address: string): Promise<Answer | undefined> {
    vi.spyOn(web, "download").mockResolvedValue(JSON.stringify(list));
    vi.spyOn(names, "addressesOf").mockImplementation(async (host) => {
      if (isIP(host)) return [{ address: host, family: isIP(host) }];
      if (/^(play|alias)\.test\.?$/i.test(host)) return [{ address: "127.0.0.7", family: 4 }];
      throw new Error("ENOTFOUND");
    });
    return askAt(address, { type });
  }

  it.each([
    ["the same name", "play.test:22005", "play.test:22005"],
    ["a name in other letters", "Play.Test:22005", "pLAY.tEST:22005"],
    ["an IP address in the list and a name in the record", "127.0.0.7:22005", "play.test:22005"],
    ["another name of the same machine", "alias.test:22005", "play.test:22005"],
    ["a name with the dot of the root", "play.test:22005", "play.test.:22005"],
    ["another spelling of an IPv6 address", "[::1]:22005", "[0:0:0:0:0:0:0:1]:22005"],
    ["an IPv4 address written as an IPv6 one", "127.0.0.7:22005", "[::ffff:127.0.0.7]:22005"],
  ])("is found by %s", async (_, listed, address) => {
    expect(await askListed("gta5r", ragemp(listed), address)).toEqual(counts(37, 100));
    expect(await askListed("gta5am", altv(listed), address)).toEqual(counts(37, 100));
    expect(await askListed("gta5am", altv(`https://${listed}/`), address)).toEqual(counts(37, 100));
    const host = listed.replace(/:22005$|[[\]]/g, "");
    expect(await askListed("protocol-minetest", minetest(host), address)).toEqual(counts(37, 100));
  });

  it("is found as a part of another", async () => {
    expect(await askListed("gta5r", ofCluster, "play.test:22005")).toEqual(counts(37, 100));
  });

  it("is found by each other list's own words", async () => {
    const beammp = [
      { ip: "127.0.0.7", port: "22005", sname: "Ours", players: "37", maxplayers: "100", playerslist: "" },
    ];
    const vintage = {
      data: [{ serverIP: "127.0.0.7:22005", serverName: "Ours", players: "37", maxPlayers: "100" }],
    };
    const renegade = [
      { IP: "127.0.0.7", Port: 22005, Name: "Ours", Players: 37, Variables: { "Player Limit": 100 } },
    ];
    const broke = {
      servers: [{ Ip: "127.0.0.7", Port: 22005, Name: "Ours", PlayerCount: 37, PlayerLimit: 100 }],
    };
    const lists = { beammp, vintagestory: vintage, renegadex: renegade, brokeprotocol: broke };
    for (const [protocol, list] of Object.entries(lists)) {
      const answer = await askListed(`protocol-${protocol}`, list, "play.test:22005");
      expect(answer, protocol).toEqual(counts(37, 100));
    }
  });

  it("is not found at another port, in a list of other servers or in an answer that is no list", async () => {
    for (const list of [ragemp("play.test:22006"), ragemp("gone.test:22005"), [null, { id: 5 }], {}, null]) {
      expect(await askListed("gta5r", list, "play.test:22005")).toMatchObject({ kind: "missed" });
      expect(await askListed("gta5am", list, "play.test:22005")).toMatchObject({ kind: "missed" });
    }
  });
});
