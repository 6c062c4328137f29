import { describe, expect, it } from "vitest";
import { emptyHistory } from "../../src/servers/history/ranges.ts";
import {
  arrange,
  choices,
  isFiltered,
  type Listing,
  listUrl,
  nextSort,
  SORTS,
  type Sort,
} from "../../src/servers/listing.ts";
import type { Server } from "../../src/servers/queries.ts";
import { localPaths, paths } from "../../src/words/urls.ts";

let places = 0;

function server(id: string, more: Partial<Server> = {}): Server {
  places += 1;
  return {
    id,
    number: places,
    name: id,
    game: "SA-MP",
    address: null,
    url: null,
    language: "en",
    description: null,
    descriptions: {},
    attributes: {},
    demo: false,
    created_at: new Date(0),
    own_position: null,
    updated_at: new Date(0),
    position: places,
    online: null,
    bots: null,
    queue: null,
    max_online: null,
    status: "unknown",
    checked_at: null,
    last_online_at: null,
    figures: { online: null, bots: null, queue: null, max_online: null },
    offline_since: null,
    polled: true,
    watched: true,
    peak: null,
    average: null,
    uptime: null,
    history: emptyHistory(),
    ...more,
  };
}

const servers = [
  server("delta", { online: 5, queue: 0, peak: 9, game: "MTA", language: "pl" }),
  server("alpha", { online: null, queue: null, peak: null, game: null, language: null }),
  server("charlie", { online: 30, queue: null, peak: 31 }),
  server("bravo", { online: 5, queue: 7, peak: 31 }),
];

function order(sort: Sort): string[] {
  return arrange(servers, { sort }).map(({ id }) => id);
}

describe("the order of the list", () => {
  it("is the site's, on request", () => {
    expect(order("position")).toEqual(["delta", "alpha", "charlie", "bravo"]);
  });

  it("of the site begins with those that are online, each part as the operator has ordered it", () => {
    const states = ["offline", "online", "unknown", "online"] as const;
    const mixed = states.map((status, index) => server(`s${index}`, { status, online: index }));
    const names = (sort: Sort) => arrange(mixed, { sort }).map(({ id }) => id);
    expect(names("position")).toEqual(["s1", "s3", "s0", "s2"]);
    expect(names("name")).toEqual(["s0", "s1", "s2", "s3"]);
  });

  it("is by name, both ways", () => {
    expect(order("name")).toEqual(["alpha", "bravo", "charlie", "delta"]);
    expect(order("-name")).toEqual(["delta", "charlie", "bravo", "alpha"]);
  });

  it("puts what is not known last, both ways", () => {
    expect(order("online").at(-1)).toBe("alpha");
    expect(order("-online").at(-1)).toBe("alpha");
    expect(order("-queue")).toEqual(["bravo", "delta", "alpha", "charlie"]);
    expect(order("queue")).toEqual(["delta", "bravo", "alpha", "charlie"]);
    expect(order("game").at(-1)).toBe("alpha");
  });

  it("keeps the default order among equals, both ways", () => {
    expect(order("online")).toEqual(["delta", "bravo", "charlie", "alpha"]);
    expect(order("-online")).toEqual(["charlie", "delta", "bravo", "alpha"]);
    expect(order("-peak")).toEqual(["charlie", "bravo", "delta", "alpha"]);
  });

  it("has a user's favorites first on request, each part in the requested order", () => {
    const favorites = new Set(["alpha", "bravo"]);
    const names = (listing: Listing) => arrange(servers, listing, { favorites }).map(({ id }) => id);
    expect(names({ sort: "-name", favorites_first: "1" })).toEqual(["bravo", "alpha", "delta", "charlie"]);
    expect(names({ sort: "-name" })).toEqual(["delta", "charlie", "bravo", "alpha"]);
  });

  it("leaves its argument alone", () => {
    const before = servers.map(({ id }) => id);
    order("-name");
    expect(servers.map(({ id }) => id)).toEqual(before);
  });
});

describe("the filters", () => {
  it("keep the servers of a game, of a language, or of both", () => {
    const kept = (wanted: { game?: string; language?: string }) =>
      arrange(servers, { sort: "position", ...wanted }).map(({ id }) => id);
    expect(kept({ game: "SA-MP" })).toEqual(["charlie", "bravo"]);
    expect(kept({ language: "pl" })).toEqual(["delta"]);
    expect(kept({ game: "SA-MP", language: "pl" })).toEqual([]);
  });

  it("of marks keep only servers that are online now", () => {
    const states = [
      server("full", { status: "online", online: 50, max_online: 50, queue: 3 }),
      server("over", { status: "online", online: 60, max_online: 50, queue: 0 }),
      server("empty", { status: "online", online: 0, max_online: 50 }),
      server("unlimited", { status: "online", online: 7 }),
      server("silent", { status: "online", max_online: 50 }),
      server("offline", { status: "offline", max_online: 50 }),
      server("unknown"),
    ];
    const kept = (listing: Partial<Listing>) =>
      arrange(states, { sort: "position", ...listing }).map(({ id }) => id);
    expect(kept({ not_full: "1" })).toEqual(["empty", "unlimited", "silent"]);
    expect(kept({ not_empty: "1" })).toEqual(["full", "over", "unlimited"]);
    expect(kept({ has_queue: "1" })).toEqual(["full"]);
    expect(kept({ not_full: "1", not_empty: "1" })).toEqual(["unlimited"]);
  });

  it("keep what was found, and of that what fits the others", () => {
    const kept = (listing: Partial<Listing>, found?: string[]) =>
      arrange(servers, { sort: "-online", ...listing }, { found }).map(({ id }) => id);
    expect(kept({}, ["bravo", "charlie"])).toEqual(["charlie", "bravo"]);
    expect(kept({ game: "MTA" }, ["bravo", "delta"])).toEqual(["delta"]);
    expect(kept({}, [])).toEqual([]);
    expect(kept({})).toHaveLength(4);
  });

  it("offer each value once, in order, and none for what is not told", () => {
    expect(choices(servers, "game")).toEqual(["MTA", "SA-MP"]);
    expect(choices(servers, "language")).toEqual(["en", "pl"]);
  });
});

describe("a heading's link", () => {
  it("begins with the largest figure and with the first name, then turns round", () => {
    expect(nextSort("online", "position")).toBe("-online");
    expect(nextSort("online", "-online")).toBe("online");
    expect(nextSort("online", "online")).toBe("-online");
    expect(nextSort("name", "position")).toBe("name");
    expect(nextSort("name", "name")).toBe("-name");
    expect(nextSort("name", "-name")).toBe("name");
  });

  it("leads only to orders that exist", () => {
    for (const column of ["name", "game", "online", "queue", "peak", "average", "uptime"] as const) {
      for (const current of SORTS) expect(SORTS).toContain(nextSort(column, current));
    }
  });
});

describe("the address of a view", () => {
  it("holds the requested fields only", () => {
    expect(listUrl({ sort: "-online" }, paths)).toBe("/servers");
    expect(listUrl({ sort: "online", game: "SA-MP", not_full: "1", q: "los santos" }, paths)).toBe(
      "/servers?q=los+santos&game=SA-MP&not_full=1&sort=online",
    );
    expect(listUrl({ sort: "position" }, localPaths("/ru"))).toBe("/ru/servers?sort=position");
  });

  it("tells a filtered list from one in another order", () => {
    expect(isFiltered({ sort: "-online", favorites_first: "1" })).toBe(false);
    expect(isFiltered({ sort: "position", has_queue: "1" })).toBe(true);
    expect(isFiltered({ sort: "position", q: "los" })).toBe(true);
    expect(isFiltered({ sort: "position", q: "" })).toBe(false);
  });
});
