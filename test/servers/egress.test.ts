import { createSocket, type Socket } from "node:dgram";
import { promises as dns } from "node:dns";
import { once } from "node:events";
import { type AddressInfo, createServer, type Server } from "node:net";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import type { Answer } from "../../src/servers/poller/adapter.ts";
import { names } from "../../src/servers/poller/adapters/names.ts";
import { UdpExchange } from "../../src/servers/poller/adapters/udp-exchange.ts";
import { ADAPTERS } from "../../src/servers/poller/adapters.ts";
import { type EgressPolicy, INTERNET } from "../../src/web/egress/policy.ts";
import { LOOPBACK, openOnly } from "../helpers/egress.ts";
import { startJsonPeer } from "../helpers/peers/json-list.ts";
import { startSampPeer } from "../helpers/peers/samp.ts";
import { lyingResolver, PRIVATE_HOSTS } from "../helpers/private-hosts.ts";

/** A program on this machine that nobody should reach: one port for TCP and UDP, on all of its addresses. */
let victim: { server: Server; socket: Socket; port: number; visits: number };

beforeAll(async () => {
  const server = createServer((peer) => {
    victim.visits += 1;
    peer.on("error", () => undefined).destroy();
  });
  server.listen(0, "::");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const socket = createSocket("udp6").on("message", () => {
    victim.visits += 1;
  });
  socket.bind(port, "::");
  await once(socket, "listening");
  victim = { server, socket, port, visits: 0 };
});

afterAll(() => {
  victim.server.close();
  victim.socket.close();
});

/** The name server is the attacker's; names and spellings of this machine are the system's. */
beforeEach(() => {
  const lie = lyingResolver();
  const { lookup } = dns;
  const isOfThisMachine = (host: string) => /^[0-9a-fx.:]*$|localhost\.?$/i.test(host);
  vi.spyOn(dns, "lookup").mockImplementation((async (host: string, options: { all: true }) =>
    isOfThisMachine(host) ? lookup(host, options) : lie(host)) as typeof dns.lookup);
});

afterEach(() => {
  vi.restoreAllMocks();
  expect(victim.visits).toBe(0);
});

async function ask(
  adapter: keyof typeof ADAPTERS,
  options: Record<string, unknown>,
  egress: EgressPolicy = INTERNET,
  address: string | null = null,
): Promise<Answer | undefined> {
  const target = { id: "one", address, options: { timeout_ms: 1_000, ...options } };
  return (await ADAPTERS[adapter].ask([target], new AbortController().signal, egress)).get("one");
}

const FIGURE = { online: "/players" };
/** By UDP, TCP, UDP and HTTP, HTTP, and the one that tries TCP and UDP. */
const GAMES = ["gtasam", "openttd", "gta5f", "eco", "minecraft"];

describe("an address that a record names, outside of the Internet", () => {
  it.each(PRIVATE_HOSTS)("is not asked for JSON: %s", async (host) => {
    const answer = await ask("json", { ...FIGURE, url: `http://${host}:${victim.port}/` });
    expect(answer?.kind).toMatch(/refused|missed/);
  });

  it.each(PRIVATE_HOSTS)("is not asked by the protocol of a game: %s", async (host) => {
    const plain = host.replace(/^\[|\]$/g, "");
    for (const type of GAMES) {
      const byOption = ask("gamedig", { type, host: plain, port: victim.port });
      const byQueryPort = ask("gamedig", { type, host: plain, query_port: victim.port });
      const byAddress = ask("gamedig", { type }, INTERNET, `${host}:${victim.port}`);
      const bySix = ask("gamedig", { type, host: plain, port: victim.port, ip_family: 6 });
      for (const answer of await Promise.all([byOption, byQueryPort, byAddress, bySix])) {
        expect(answer?.kind, type).toMatch(/refused|missed/);
      }
    }
  });

  it("is refused with the address and the port that it leads to", async () => {
    const { port } = victim;
    expect(await ask("json", { ...FIGURE, url: `http://loopback.evil.example:${port}/` })).toEqual({
      kind: "refused",
      place: `127.0.0.1:${port}`,
    });
    const options = { type: "gtasam", host: "six.evil.example", ip_family: 6, port };
    expect(await ask("gamedig", options)).toEqual({ kind: "refused", place: `[::1]:${port}` });
  });

  it("is not asked where the name's SRV record leads to it", async () => {
    for (const name of ["127.0.0.1", "localhost", "loopback.evil.example", "one-of-two.evil.example"]) {
      const record = { name, port: victim.port, priority: 0, weight: 0 };
      vi.spyOn(dns, "resolveSrv").mockResolvedValue([record]);
      const answer = await ask("gamedig", { type: "minecraft", host: "nobody.evil.example" });
      expect(answer?.kind).toMatch(/refused|missed/);
    }
    expect(dns.resolveSrv).toHaveBeenCalledWith("_minecraft._tcp.nobody.evil.example");
  });

  it("is the same with only one public address among those of its name", async () => {
    const url = `http://last-of-three.evil.example:${victim.port}/`;
    expect(await ask("json", { ...FIGURE, url })).toMatchObject({ kind: "refused" });
    const options = { type: "gtasam", host: "one-of-two.evil.example", port: victim.port };
    expect(await ask("gamedig", options)).toMatchObject({ kind: "refused" });
  });
});

describe("a name whose addresses change", () => {
  it("is polled at the checked address, or not at all", async () => {
    const list = await startJsonPeer({ host: "127.0.0.2", servers: { players: 7 } });
    const game = await startSampPeer({ online: 7 });
    const { port } = new URL(list.url);
    const only = (range: string) => ({ opened: [{ range, port: undefined }] });
    const askList = () =>
      ask(
        "json",
        { online: "/response/players", url: `http://changing.example:${port}/` },
        only("127.0.0.2/32"),
      );
    const askGame = () =>
      ask("gamedig", { type: "gtasam", host: "changing.example", port: game.port }, only("127.0.0.1/32"));
    const lookup = vi.spyOn(names, "addressesOf");
    const leads = (address: string) => lookup.mockResolvedValue([{ address, family: 4 }]);
    leads("127.0.0.2");
    expect(await askList()).toMatchObject({ kind: "answered", figures: { online: 7 } });
    expect(await askGame()).toMatchObject({ kind: "refused" });
    leads("127.0.0.1");
    expect(await askList()).toEqual({ kind: "refused", place: `127.0.0.1:${port}` });
    expect(await askGame()).toMatchObject({ kind: "answered", figures: { online: 7 } });
    // One look-up per connection: it connects to the checked address.
    expect(lookup).toHaveBeenCalledTimes(4);
    await Promise.all([list.stop(), game.stop()]);
  });
});

describe("an address that the operator has opened", () => {
  it("leads to no other port or machine by a redirect", async () => {
    const locations = ["127.0.0.1", "127.0.0.2", "localhost", "0.0.0.0", "[::ffff:127.0.0.1]", "2130706433"];
    for (const elsewhere of [...locations, "169.254.169.254", "loopback.evil.example"]) {
      const location = `http://${elsewhere}:${victim.port}/`;
      const list = await startJsonPeer({ mood: "redirectTo", location });
      const answer = await ask("json", { ...FIGURE, url: list.url }, openOnly(list.url));
      await list.stop();
      const reason = expect.stringMatching(/^redirected: .* is not on the Internet$/);
      expect(answer, elsewhere).toEqual({ kind: "missed", reason });
    }
  });

  it("leads to another one that is open by a redirect", async () => {
    const other = await startJsonPeer({ servers: { players: 5 } });
    const list = await startJsonPeer({ mood: "redirectTo", location: other.url });
    const answer = await ask("json", { online: "/response/players", url: list.url }, LOOPBACK);
    await Promise.all([other.stop(), list.stop()]);
    expect(answer).toMatchObject({ figures: { online: 5 } });
  });

  it("is polled at that port alone", async () => {
    const game = await startSampPeer({ online: 3 });
    const opened = openOnly(`http://127.0.0.1:${game.port}`);
    const at = (port: number) => ask("gamedig", { type: "gtasam", host: "127.0.0.1", port }, opened);
    expect(await at(game.port)).toMatchObject({ figures: { online: 3 } });
    expect(await at(victim.port)).toEqual({ kind: "refused", place: `127.0.0.1:${victim.port}` });
    for (const type of GAMES) {
      expect(
        await ask("gamedig", { type, host: "127.0.0.1", query_port: victim.port }, opened),
      ).toMatchObject({ kind: "refused" });
    }
    await game.stop();
  });

  it("is not connected to at a port of the protocol's own that is not open", async () => {
    // Voice is at one port, and queries are answered at 10011.
    const opened = openOnly(`http://127.0.0.1:${victim.port}`);
    const options = { type: "teamspeak3", host: "127.0.0.1", query_port: victim.port };
    expect(await ask("gamedig", options, opened)).toEqual({ kind: "refused", place: "127.0.0.1:10011" });
  });

  it("is checked again before each packet", async () => {
    const exchange = new UdpExchange(1_000, (address, port) => {
      throw new Error(`not ${address}:${port}`);
    });
    const { port } = victim;
    await expect(exchange.send(Buffer.from("hi"), "127.0.0.1", port)).rejects.toThrow(
      `not 127.0.0.1:${port}`,
    );
    exchange.close();
  });

  it("shows that the victim is there to be reached", async () => {
    await ask("json", { ...FIGURE, url: `http://127.0.0.1:${victim.port}/` }, LOOPBACK);
    expect(victim.visits).toBe(1);
    for (const type of GAMES)
      await ask("gamedig", { type, host: "127.0.0.1", query_port: victim.port, timeout_ms: 300 }, LOOPBACK);
    expect(victim.visits).toBeGreaterThan(GAMES.length);
    victim.visits = 0;
  });
});
