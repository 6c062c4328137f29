import type { Knex } from "knex";
import request from "supertest";
import { beforeAll, describe, expect, it } from "vitest";
import { toggleFavorite } from "../../src/accounts/favorites/queries.ts";
import { countPolledServers } from "../../src/commands/metrics/queries.ts";
import { readPlayers } from "../../src/commands/status/queries.ts";
import { importRecords } from "../../src/exchange/import/import-records.ts";
import { useTestApp } from "../helpers/app.ts";
import { elements, textOf } from "../helpers/html.ts";
import { addRecords, addServer, MINUTE_MS } from "../helpers/servers.ts";

const site = useTestApp();

/** A server as it was when it was measured last. */
async function addMeasured(id: string, minutes: number, state: object): Promise<void> {
  const at = new Date(Date.now() - minutes * MINUTE_MS);
  const figures = {
    status: "online",
    queue: 9,
    bots: 4,
    max_online: 2300,
    checked_at: at,
    last_online_at: at,
  };
  await addServer(site.db, { id, name: `Server ${id}`, ...figures, ...state });
}

beforeAll(async () => {
  await addMeasured("old", 35, { online: 2055 });
  await addMeasured("fresh", 2, { online: 7 });
  await addMeasured("dark", 35, { status: "offline", online: 12, offline_since: new Date() });
  await addRecords(site.db, "dark", [
    { at: new Date(Date.now() - 40 * MINUTE_MS), status: "offline" },
    { at: new Date(Date.now() - 35 * MINUTE_MS), status: "offline" },
  ]);
});

const page = async (path: string) => textOf((await request(site.app).get(path).expect(200)).text);

/** The state in every JSON answer. */
const UNKNOWN = { status: "unknown", online: null, bots: null, queue: null, max_online: 2300 };

describe("figures of 35 minutes ago", () => {
  it("are the last known ones in the list, not part of the totals, and not filtered as current", async () => {
    const { text: html } = await request(site.app).get("/servers").expect(200);
    const row = elements(html, "tr")
      .map(textOf)
      .find((text) => text.includes("Server old"));
    expect(row).toContain("unknown");
    expect(row).toContain("2,055 online 35 min ago");
    expect(row).not.toMatch(/2,055 \/ 2,300|4 bots|full/);
    expect(textOf(html)).toContain(
      "7 players online on 1 of 3 servers. 9 queuing (one server reports a queue).",
    );
    expect(textOf(html)).toContain("Servers unknown: 2.");
    expect(await page("/servers?has_queue=1")).not.toContain("Server old");
  });

  it("are the last known ones on the server's page", async () => {
    const text = await page("/servers/old");
    expect(text).toContain("Online – Queue –");
    expect(text).toContain("Latest figures: 2,055 of 2,300 online, 9 in the queue, 35 min ago");
  });

  it("say no more that a server is offline, nor that its outage goes on", async () => {
    const text = await page("/servers/dark");
    expect(text).toContain("Server dark");
    expect(text).not.toMatch(/Offline since|ongoing/);
  });

  it("are unknown in every answer of the API", async () => {
    const keyed = async (path: string) => (await (await site.logIn()).agent.get(path).expect(200)).body;
    for (const path of ["/api/online", "/api/data"]) {
      const { servers } = await keyed(path);
      for (const id of ["old", "dark"])
        expect(servers.find(({ server_id }: { server_id: string }) => server_id === id)).toMatchObject(
          UNKNOWN,
        );
    }
    expect(await keyed("/api/servers/old")).toMatchObject(UNKNOWN);
    expect(
      (await keyed("/api/servers?sort=id")).records.map(({ status }: { status: string }) => status),
    ).toEqual(["unknown", "online", "unknown"]);
    const { servers } = await keyed("/api/search/all?q=old");
    expect(servers).toEqual([expect.objectContaining({ id: "old", ...UNKNOWN })]);
  });

  it("are not those of now for whoever has it as a favorite, on a badge or in a search", async () => {
    const { agent, id } = await site.logIn();
    await toggleFavorite(site.db, id, "server", "old");
    for (const path of ["/favorites", "/"]) {
      const text = textOf((await agent.get(path).expect(200)).text);
      expect(text, path).toMatch(/Server old unknown/);
      expect(text, path).not.toContain("2,055");
    }
    expect((await request(site.app).get("/servers/old/badge.svg")).body.toString()).toContain("unknown");
    expect(await page("/search?q=old")).not.toContain("2,055");
  });

  it("are not counted by the commands and the metrics", async () => {
    expect(await readPlayers(site.db)).toEqual({ players: 7, online: 1, servers: 3 });
    await polledBy(site.db, "gamedig");
    const states = (await countPolledServers(site.db)).map(({ status, count }) => [status, count]);
    expect(Object.fromEntries(states)).toEqual({ online: 1, unknown: 2 });
  });
});

async function polledBy(db: Knex, adapter: string): Promise<void> {
  await db("servers").update({ adapter });
}

describe("bots", () => {
  it("stand beside the people, on the pages and in the API", async () => {
    expect(await page("/servers/fresh")).toContain("7 / 2,300 4 bots");
    expect(await page("/ru/servers")).toContain("4 бота");
    const { agent } = await site.logIn();
    for (const path of ["/api/online", "/api/data"]) {
      const { servers } = (await agent.get(path).expect(200)).body;
      expect(servers.find(({ online }: { online: number }) => online === 7)).toMatchObject({ bots: 4 });
    }
    expect((await agent.get("/api/servers/fresh").expect(200)).body).toMatchObject({ online: 7, bots: 4 });
  });

  it("are unknown once figures are imported, which tell no bots", async () => {
    await addMeasured("fed", 2, { online: 3 });
    await importRecords(site.db, "servers", [{ id: "fed", name: "Server fed", status: "online", online: 5 }]);
    expect(await site.db("servers").where({ id: "fed" }).first()).toMatchObject({ online: 5, bots: null });
  });
});
