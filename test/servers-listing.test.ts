import { describe, expect, it } from "vitest";
import { emptyHistory } from "../src/servers/history.ts";
import { arrange, choices, nextSort, SORTS, type Sort, totalsOf } from "../src/servers/listing.ts";
import type { Server } from "../src/servers/queries.ts";

let places = 0;

function server(id: string, more: Partial<Server> = {}): Server {
  places += 1;
  return {
    id,
    name: id,
    game: "SA-MP",
    address: null,
    url: null,
    language: "en",
    description: null,
    attributes: {},
    demo: false,
    outdated: false,
    updated_at: new Date(0),
    position: places,
    online: null,
    queue: null,
    max_online: null,
    status: "unknown",
    checked_at: null,
    last_online_at: null,
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
  it("is the default one unless another is asked for", () => {
    expect(order("position")).toEqual(["delta", "alpha", "charlie", "bravo"]);
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
    for (const column of ["name", "game", "online", "queue", "peak"] as const) {
      for (const current of SORTS) expect(SORTS).toContain(nextSort(column, current));
    }
  });
});

describe("the totals", () => {
  it("add up what is known and say of how many", () => {
    const totals = totalsOf([
      server("a", { status: "online", online: 10, queue: 0 }),
      server("b", { status: "online", online: 5, queue: null }),
      server("c", { status: "offline" }),
      server("d", { status: "unknown" }),
    ]);
    expect(totals).toEqual({
      servers: 4,
      online: 15,
      counted: 2,
      queue: 0,
      queues: 1,
      states: { online: 2, offline: 1, unknown: 1 },
    });
  });

  it("leave out figures that are not of now", () => {
    const old = { status: "online", online: 90, queue: 4, outdated: true } as const;
    const totals = totalsOf([server("a", { status: "online", online: 10 }), server("b", old)]);
    expect(totals).toMatchObject({ servers: 2, online: 10, counted: 1, queue: null, queues: 0 });
  });

  it("make no 0 of what nobody knows", () => {
    expect(totalsOf([server("a"), server("b", { status: "offline" })])).toMatchObject({
      online: null,
      queue: null,
    });
    expect(totalsOf([])).toMatchObject({ servers: 0, online: null, queue: null });
  });
});
