import { describe, expect, it } from "vitest";
import { emptyHistory } from "../../src/servers/history/ranges.ts";
import { arrange, nextSort, SORTS, type Sort } from "../../src/servers/listing.ts";
import type { Server } from "../../src/servers/queries.ts";

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
    group_name: null,
    paused: false,
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
