import { describe, expect, it } from "vitest";
import { connectLink, webLink } from "../../src/servers/links.ts";

function link(game: string | null, address: string | null, url: string | null = null): string | undefined {
  return connectLink({ game, address, url });
}

describe("a link that joins a server", () => {
  it.each([
    ["SA-MP", "samp://play.example:7777"],
    ["SA-MP 0.3.7", "samp://play.example:7777"],
    ["San Andreas Multiplayer", "samp://play.example:7777"],
    ["open.mp", "omp://play.example:7777"],
    ["FiveM", "fivem://connect/play.example:7777"],
    ["RedM", "redm://connect/play.example:7777"],
    ["alt:V", "altv://connect/play.example%3A7777"],
    ["RAGE MP", "rage://v/connect?ip=play.example:7777"],
    ["MTA", "mtasa://play.example:7777"],
    ["Multi Theft Auto", "mtasa://play.example:7777"],
    ["Counter-Strike 2", "steam://connect/play.example:7777"],
    ["Rust", "steam://connect/play.example:7777"],
  ])("is made for %s", (game, wanted) => {
    expect(link(game, "play.example:7777")).toBe(wanted);
  });

  it.each([null, "Minecraft", "OpenArena", "Rustic Chess", "TruckersMP"])("is not for %s", (game) => {
    expect(link(game, "play.example:7777")).toBeUndefined();
  });

  it.each([
    "play.example",
    "play.example:65536",
    "play.example:7777/../x",
    "play.example:7777?x=1",
    "user@play.example:7777",
    "javascript:alert(1)",
    "-play.example:7777",
    '"><script>:1',
    "",
  ])("is not made of the address %j", (address) => {
    expect(link("SA-MP", address)).toBeUndefined();
  });

  it("takes addresses of both kinds", () => {
    expect(link("SA-MP", "127.0.0.1:1")).toBe("samp://127.0.0.1:1");
    expect(link("alt:V", "[::1]:7788")).toBe("altv://connect/%5B%3A%3A1%5D%3A7788");
  });

  it("is the record's own where that is one of a launcher", () => {
    expect(link("SA-MP", "play.example:7777", "samp://other.example:1")).toBe("samp://other.example:1");
    expect(link(null, null, "fivem://connect/abc")).toBe("fivem://connect/abc");
    expect(link("SA-MP", "play.example:7777", "https://example.invalid/")).toBe("samp://play.example:7777");
    expect(link(null, null, "javascript:alert(1)")).toBeUndefined();
  });
});

describe("a link to a web page", () => {
  it("is missing if it would do anything else", () => {
    expect(webLink("https://example.invalid/a b")).toBe("https://example.invalid/a%20b");
    expect(webLink("http://example.invalid")).toBe("http://example.invalid/");
    for (const url of ["javascript:alert(1)", "data:text/html,x", "samp://a:1", "no address", "", null]) {
      expect(webLink(url), String(url)).toBeUndefined();
    }
  });
});
