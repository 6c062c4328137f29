import { describe, expect, it } from "vitest";
import { issuesText } from "../../src/servers/poller/adapter.ts";
import { gamedigAdapter } from "../../src/servers/poller/adapters/gamedig.ts";
import { Names, parseAddress } from "../../src/servers/poller/adapters/names.ts";

describe("a group", () => {
  it("is the server itself, unless one list has all servers of the game", () => {
    const groupOf = (id: string, type: unknown) =>
      gamedigAdapter.groupOf({ id, address: "127.0.0.1", options: { type } });
    expect(groupOf("a", "gtasam")).not.toBe(groupOf("b", "gtasam"));
    expect(groupOf("a", "gta5r")).toBe(groupOf("b", "gta5r"));
    expect(groupOf("a", "gta5r")).not.toBe(groupOf("b", "gta5am"));
    expect(groupOf("a", 5)).not.toBe(groupOf("b", 5));
  });

  it("is refused where there is nothing to ask", () => {
    const groupOf = (address: string | null, options: object) =>
      gamedigAdapter.groupOf({ id: "a", address, options: { type: "gtasam", ...options } });
    expect(() => groupOf(null, {})).toThrow(/has no address/);
    expect(() => groupOf("http://127.0.0.1/", {})).toThrow(/has "http:.*not host or host:port/);
    expect(groupOf(null, { host: "127.0.0.1" })).toContain("a");
  });
});

describe("host names", () => {
  const at = (address: string) => [{ address, family: 4 }];

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
    ["minecarft", /near: .*minecraft/],
    ["counter-strike2", /near: .*counterstrike2/],
    ["constructor", /is no game/],
    ["discord", /is no game/],
    ["", /is no game/],
  ])("name games that are near to %j", (type, message) => {
    const { error } = gamedigAdapter.options.safeParse({ type });
    expect(error && issuesText(error)).toMatch(message);
  });

  it.each([
    ["no type", { type: undefined }],
    ["an unknown key", { requestRules: true }],
    ["an encoding that is none", { encoding: "../x" }],
    ["a port of 0", { port: 0 }],
    ["a port above all", { query_port: 65_536 }],
    ["a host with a port", { host: "127.0.0.1 7777" }],
    ["an unknown encoding", { encoding: "win9999" }],
    ["a port as text", { port: "7777" }],
    ["a host that is an address of the web", { host: "http://a/" }],
    ["a time limit that is too short", { timeout_ms: 100 }],
    ["an IP family that does not exist", { ip_family: 5 }],
  ])("refuse %s", (_, wrong) => {
    expect(gamedigAdapter.options.safeParse({ type: "gtasam", ...wrong }).success).toBe(false);
  });
});

describe("parseAddress", () => {
  it.each([
    ["play.example.org:7777", { host: "play.example.org", port: 7777 }],
    [" 127.0.0.1 ", { host: "127.0.0.1", port: undefined }],
    ["[::1]:7777", { host: "::1", port: 7777 }],
    ["2001:db8::7", { host: "2001:db8::7", port: undefined }],
    ["игра.рф:7777", { host: "игра.рф", port: 7777 }],
  ])("reads %j", (address, expected) => {
    expect(parseAddress(address)).toEqual(expected);
  });

  it.each(["", "host:0", "host:65536", "host:7777:8888", "samp://host:7777", "[::1"])(
    "refuses %j",
    (address) => {
      expect(parseAddress(address)).toBeUndefined();
    },
  );
});
