import request from "supertest";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { checkPoller } from "../../src/commands/status/checks.ts";
import { startPoller } from "../../src/servers/poller/poll.ts";
import { loadConfig } from "../../src/settings/config.ts";
import { type EgressPolicy, INTERNET } from "../../src/web/egress/policy.ts";
import { useTestApp } from "../helpers/app.ts";
import { openOnly } from "../helpers/egress.ts";
import { mainOf, textOf } from "../helpers/html.ts";
import { captureLog } from "../helpers/log.ts";
import { type JsonPeer, startJsonPeer } from "../helpers/peers/json-list.ts";
import { recordsOf, serverRow } from "../helpers/poller.ts";
import { addWriteKey } from "../helpers/write-keys.ts";

const site = useTestApp();
const INTERVAL_MS = 2_000;
const PATIENCE = { timeout: 30_000, interval: 50 };

/** A program on this machine that counts in JSON, as an internal service may. */
let peer: JsonPeer;
let key: string;

beforeAll(async () => {
  peer = await startJsonPeer({ servers: { players: 41 } });
  ({ key } = await addWriteKey(site.db, (await site.createUser()).id));
});

afterAll(() => peer.stop());

beforeEach(async () => {
  await site.db.raw("truncate servers cascade");
});

function poll(egress: EgressPolicy) {
  const sink = captureLog();
  const poller = startPoller({ db: site.db, log: sink.log, intervalMs: INTERVAL_MS, egress });
  onTestFinished(() => poller.stop());
  return { ...sink, stop: poller.stop };
}

async function put(options: object): Promise<void> {
  const record = {
    name: "Own",
    adapter: "json",
    adapter_options: { online: "/response/players", ...options },
  };
  await request(site.app).put("/api/servers/own").set("X-API-Key", key).send(record).expect(201);
}

async function readOperatorPage(language = ""): Promise<string> {
  const { agent } = await site.logIn(await site.createUser({ role: "operator" }));
  return textOf(mainOf((await agent.get(`${language}/operator`).expect(200)).text));
}

describe("a server that the write API puts at a private address", () => {
  it("is not asked, and operators see where it leads and which setting opens that", async () => {
    const { host } = new URL(peer.url);
    await put({ url: peer.url });
    const { lines, stop } = poll(INTERNET);
    await expect.poll(() => serverRow(site.db, "own"), PATIENCE).toMatchObject({ refused_place: host });
    await stop();
    expect(peer.requests).toBe(0);
    const untouched = { status: "unknown", online: null, checked_at: null, missed_polls: 0 };
    expect(await serverRow(site.db, "own")).toMatchObject(untouched);
    expect(await recordsOf(site.db, "own")).toEqual([]);
    const line = { server: "own", address: host, msg: expect.stringContaining("PRIVATE_ADDRESSES") };
    expect(lines.filter(({ address }) => address === host)).toEqual([expect.objectContaining(line)]);
    expect(await readOperatorPage()).toContain(
      `One server isn’t polled, because its address isn’t on the internet: Own (${host}). If it’s on your own network, allow the address in PRIVATE_ADDRESSES.`,
    );
    expect(await readOperatorPage("/ru")).toContain(`недоступен из интернета — Own (${host})`);
    expect(await checkPoller(site.db)).toEqual([
      ["warn", expect.stringMatching(`^1 server not polled.*Own \\(${host}\\); PRIVATE_ADDRESSES opens`)],
    ]);
    const { text } = await request(site.app).get("/api/servers/own").set("X-API-Key", key).expect(200);
    expect(text).not.toContain("refused");
  });

  it("is polled once the operator has opened the address, and is no longer a concern", async () => {
    await put({ url: peer.url });
    await site.db("servers").update({ refused_place: "127.0.0.1:1" });
    poll(openOnly(peer.url));
    await expect
      .poll(() => serverRow(site.db, "own"), PATIENCE)
      .toMatchObject({ status: "online", online: 41, refused_place: null });
    expect(await readOperatorPage()).not.toContain("PRIVATE_ADDRESSES");
    expect(await checkPoller(site.db)).toEqual([["ok", "servers are polled: 1"]]);
  });
});

describe("PRIVATE_ADDRESSES", () => {
  const read = (text: string) => loadConfig({ PRIVATE_ADDRESSES: text }).privateAddresses;

  it("opens nothing unless it is set", () => {
    expect(loadConfig({}).privateAddresses).toEqual([]);
  });

  it("takes addresses and networks of both families, each with a port or without", () => {
    expect(
      read("127.0.0.1:7777, 192.168.1.0/24,10.0.0.0/8:27015, ::1, fd00::/8, [::1]:7777, [fd00::/8]:1"),
    ).toEqual([
      { range: "127.0.0.1/32", port: 7777 },
      { range: "192.168.1.0/24", port: undefined },
      { range: "10.0.0.0/8", port: 27015 },
      { range: "::1/128", port: undefined },
      { range: "fd00::/8", port: undefined },
      { range: "::1/128", port: 7777 },
      { range: "fd00::/8", port: 1 },
    ]);
  });

  it.each([
    ...["localhost", "127.1", "0x7f.0.0.1", "2130706433", "127.0.0.1/33", "127.0.0.1:0", "127.0.0.1:65536"],
    ...["127.0.0.1:", "127.0.0.1,", "http://127.0.0.1", "::1/129", "[::1", "10.0.0.0/a", "*", "10.0.0.0/8/8"],
  ])("refuses %s, and says what it takes", (text) => {
    expect(() => read(text)).toThrow(/^PRIVATE_ADDRESSES: must be addresses or networks/);
  });
});
