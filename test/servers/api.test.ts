import { beforeEach, describe, expect, it } from "vitest";
import { serverEndpoints } from "../../src/servers/api.ts";
import { type Agent, useTestApp } from "../helpers/app.ts";
import {
  addRecords,
  addServer,
  BUCKET_MS,
  bucketBefore,
  databaseClock,
  HOUR_MS,
  MINUTE_MS,
} from "../helpers/servers.ts";

const BUCKETS = 288;
const site = useTestApp();
let visitor: Agent;

beforeEach(async () => {
  await site.db("servers").delete();
  visitor = site.agent();
  await visitor.get("/session").expect(200);
});

/** What the endpoint answers, checked against the schema that documents it. */
async function ask(path: "/api/data" | "/api/online") {
  const { body } = await visitor.get(path).expect(200);
  const declared = serverEndpoints.find((endpoint) => endpoint.path === path);
  expect(declared?.output.safeParse(body).error).toBeUndefined();
  return body;
}

function minutesAfter(start: number, minutes: number): Date {
  return new Date(start + minutes * MINUTE_MS);
}

describe("a bucket's figures", () => {
  it("leave out records older than the grid and those of the future", async () => {
    await addServer(site.db, { id: "a" });
    const now = await databaseClock(site.db);
    await addRecords(site.db, "a", [
      { at: new Date(now.getTime() - 24 * HOUR_MS - BUCKET_MS), online: 50 },
      { at: new Date(now.getTime() + 2 * MINUTE_MS), online: 60 },
      { at: new Date(now.getTime() + 48 * HOUR_MS), online: 70 },
    ]);
    const body = await ask("/api/data");
    expect(body.servers[0].history.online).toEqual(new Array(BUCKETS).fill(null));
    expect(body.servers[0].peak_24h).toBeNull();
    expect(body.generated_at).toBeNull();
  });
});

describe("the summary of 24 hours", () => {
  it("is null throughout for a server without records", async () => {
    await addServer(site.db, { id: "a" });
    const [server] = (await ask("/api/data")).servers;
    expect(server).toMatchObject({
      online: null,
      queue: null,
      status: "unknown",
      checked_at: null,
      peak_24h: null,
      average_24h: null,
      uptime_24h: null,
    });
    expect(server.history.online).toEqual(new Array(BUCKETS).fill(null));
  });
});

describe("current figures", () => {
  const checked_at = new Date(Date.now() - MINUTE_MS);

  it("are the same in both answers", async () => {
    await addServer(site.db, { id: "a", status: "online", online: 7, queue: 0, max_online: 50, checked_at });
    const figures = {
      online: 7,
      queue: 0,
      max_online: 50,
      status: "online",
      checked_at: checked_at.toISOString(),
    };
    expect((await ask("/api/data")).servers[0]).toMatchObject(figures);
    expect((await ask("/api/online")).servers).toEqual([
      { server_id: "a", last_online_at: null, bots: null, ...figures },
    ]);
  });

  it.each(["offline", "unknown"])(
    "have no count of a server that is %s, whatever was stored",
    async (status) => {
      await addServer(site.db, {
        id: "a",
        status,
        online: 7,
        queue: 3,
        checked_at,
        last_online_at: checked_at,
      });
      for (const path of ["/api/data", "/api/online"] as const) {
        expect((await ask(path)).servers[0]).toMatchObject({ status, online: null, queue: null });
      }
      expect((await ask("/api/online")).servers[0].last_online_at).toBe(checked_at.toISOString());
    },
  );

  it("carry ids as text and addresses as they were stored", async () => {
    await addServer(site.db, {
      id: "411",
      game: "MTA",
      address: "127.0.0.1:22003",
      url: "https://example.invalid/",
    });
    const [server] = (await ask("/api/data")).servers;
    expect(server).toMatchObject({
      server_id: "411",
      name: "Server 411",
      game: "MTA",
      address: "127.0.0.1:22003",
      url: "http://almanac.test/servers/411",
      website: "https://example.invalid/",
    });
  });

  it.each([
    ["14 minutes", { status: "online", online: 7, queue: 1, max_online: 50 }],
    ["16 minutes", { status: "unknown", online: null, queue: null, max_online: 50 }],
  ])(
    "are those of now only for 15 minutes, whether this site polls or imports: %s ago",
    async (age, figures) => {
      const ago = site.db.raw("now() - ?::interval", [age]);
      const state = {
        status: "online",
        online: 7,
        queue: 1,
        max_online: 50,
        checked_at: ago,
        last_online_at: ago,
      };
      await addServer(site.db, { id: "imported", ...state });
      await addServer(site.db, { id: "polled", adapter: "gamedig", ...state });
      for (const path of ["/api/online", "/api/data"] as const) {
        const { servers } = await ask(path);
        expect(servers).toHaveLength(2);
        for (const server of servers) {
          expect(server).toMatchObject(figures);
          expect(server.checked_at).not.toBeNull();
        }
      }
    },
  );
});

describe("the default order", () => {
  it("is by position where one is set, then by name, then by id", async () => {
    await addServer(site.db, { id: "d", name: "Same" });
    await addServer(site.db, { id: "c", name: "Same" });
    await addServer(site.db, { id: "b", name: "Zebra", position: 2 });
    await addServer(site.db, { id: "a", name: "Zulu", position: 1 });
    await addServer(site.db, { id: "e", name: "Alpha" });
    const wanted = ["a", "b", "e", "c", "d"];
    const { servers } = await ask("/api/data");
    expect(servers.map((server: { server_id: string }) => server.server_id)).toEqual(wanted);
    expect(servers.map((server: { position: number }) => server.position)).toEqual([1, 2, 3, 4, 5]);
    const online = await ask("/api/online");
    expect(online.servers.map((server: { server_id: string }) => server.server_id)).toEqual(wanted);
  });
});

describe("generated_at", () => {
  it("is the time of the newest record, not of the request", async () => {
    await addServer(site.db, { id: "a" });
    await addServer(site.db, { id: "b" });
    const start = await bucketBefore(site.db, 6);
    await addRecords(site.db, "a", [{ at: minutesAfter(start, 1), online: 1 }]);
    await addRecords(site.db, "b", [{ at: minutesAfter(start, 3), status: "offline" }]);
    expect((await ask("/api/data")).generated_at).toBe(minutesAfter(start, 3).toISOString());
  });

  it("is that of the current figures where those are newer, or all there is", async () => {
    const checked_at = new Date("2026-03-01T10:00:00.000Z");
    await addServer(site.db, { id: "a", status: "offline", checked_at });
    await addServer(site.db, { id: "b" });
    expect((await ask("/api/data")).generated_at).toBe("2026-03-01T10:00:00.000Z");
    expect((await ask("/api/online")).generated_at).toBe("2026-03-01T10:00:00.000Z");
  });
});

describe("validators", () => {
  /** Twice within one bucket; where one has just ended, once more. */
  async function askTwice() {
    for (;;) {
      const [first, second] = [await visitor.get("/api/data"), await visitor.get("/api/data")];
      if (first.body.to === second.body.to) return [first, second] as const;
    }
  }

  it("stay the same until there is a new record", async () => {
    await addServer(site.db, { id: "a" });
    const start = await bucketBefore(site.db, 6);
    await addRecords(site.db, "a", [{ at: minutesAfter(start, 1), online: 1 }]);
    const [first, second] = await askTwice();
    expect(second.text).toBe(first.text);
    expect(second.headers.etag).toBe(first.headers.etag);
    expect(first.headers.etag).toMatch(/^"[^"]+"$/);
    expect(first.headers["cache-control"]).toBe("private, no-cache");
    await addRecords(site.db, "a", [{ at: minutesAfter(start, 6), online: 2 }]);
    expect((await visitor.get("/api/data")).headers.etag).not.toBe(first.headers.etag);
  });
});
