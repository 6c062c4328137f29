import { readFileSync } from "node:fs";
import { Readable } from "node:stream";
import { beforeEach, describe, expect, it } from "vitest";
import type { ImportOptions } from "../../src/exchange/import/arguments.ts";
import { importRecords } from "../../src/exchange/import/import-records.ts";
import { readRecords } from "../../src/exchange/import/input/formats.ts";
import { rollUpHistory } from "../../src/servers/history/roll-up.ts";
import { loadServer } from "../../src/servers/queries.ts";
import { useTestDatabase } from "../helpers/database.ts";
import { HOUR_MS, listRecords, MINUTE_MS } from "../helpers/servers.ts";

const database = useTestDatabase();

beforeEach(async () => {
  await database.db.raw("truncate servers cascade");
});

const load = (records: unknown[], options?: ImportOptions) =>
  importRecords(database.db, "servers", records, options);

const definition = {
  id: "1",
  name: "Los Santos One",
  game: "SA-MP",
  address: "play.example:7777",
  url: "samp://play.example:7777",
  language: "ru",
  description: "A world of its own.",
  attributes: { mode: "rp" },
  position: 3,
};
/** Recent enough for the history, and whole seconds. */
const noon = Math.floor(Date.now() / 1000) * 1000 - 3 * HOUR_MS;
const NOON = new Date(noon).toISOString();
const LATER = new Date(noon + 5 * MINUTE_MS).toISOString();

const server = () => database.db("servers").first();
const history = async () => (await listRecords(database.db)).map(({ server_id, ...record }) => record);
const times = async () => (await history()).map(({ checked_at }) => checked_at.toISOString());

describe("a server's definition", () => {
  it("is stored, and is unknown as long as nobody has asked it", async () => {
    expect(await load([definition])).toMatchObject({ added: 1 });
    expect(await server()).toMatchObject({
      ...definition,
      status: "unknown",
      online: null,
      checked_at: null,
    });
    expect(await history()).toEqual([]);
    expect(await load([definition])).toMatchObject({ unchanged: 1, changed: 0 });
  });

  it("that changes is a new revision and leaves the state alone", async () => {
    await load([{ ...definition, online: 5, queue: 0, max_online: 50, checked_at: NOON }]);
    expect(await load([{ ...definition, position: 4 }])).toMatchObject({ changed: 1 });
    expect(await server()).toMatchObject({ position: 4, revision: 2, online: 5, queue: 0, max_online: 50 });
    expect(await times()).toEqual([NOON]);
  });

  it("may tell the number of places alone, which is no measurement", async () => {
    await load([{ ...definition, max_online: 500 }]);
    expect(await server()).toMatchObject({ max_online: 500, status: "unknown", checked_at: null });
    expect(await load([{ ...definition, max_online: 500 }])).toMatchObject({ changed: 0 });
    expect(await load([{ ...definition, max_online: 600 }])).toMatchObject({ changed: 1 });
    expect(await server()).toMatchObject({ max_online: 600, revision: 1 });
    expect(await history()).toEqual([]);
  });
});

describe("the examples of docs/servers.md", () => {
  const lists = readFileSync("docs/servers.md", "utf8").matchAll(/```json\n(\[\n[\s\S]*?)```/g);

  it.each([...lists].map(([, text = ""]) => text))("can be imported as they stand (%#)", async (text) => {
    const records = readRecords(Readable.from([Buffer.from(text)]));
    const { invalid, added, warnings } = await importRecords(database.db, "servers", records);
    expect({ invalid, warnings }).toEqual({ invalid: 0, warnings: [] });
    expect(added).toBe(JSON.parse(text).length);
  });

  it("are two", () => {
    expect(readFileSync("docs/servers.md", "utf8").match(/^```jsonc?\n\[/gm)).toHaveLength(2);
    expect(readFileSync("docs/servers.md", "utf8")).not.toContain("```jsonc");
  });
});

describe("a measurement", () => {
  const measured = { ...definition, online: 5, queue: 0, max_online: 50 };

  it("sets the state and is kept in the history at the time of the import", async () => {
    const before = Date.now();
    await load([measured]);
    const row = await server();
    expect(row).toMatchObject({ status: "online", online: 5, queue: 0, max_online: 50, revision: 1 });
    expect(row.checked_at.getTime()).toBeGreaterThanOrEqual(before - 1000);
    expect(row.last_online_at).toEqual(row.checked_at);
    expect(await history()).toEqual([
      { checked_at: row.checked_at, status: "online", online: 5, queue: 0, max_online: 50 },
    ]);
  });

  it("that says the same again changes nothing", async () => {
    await load([measured]);
    const before = await server();
    expect(await load([measured])).toMatchObject({ changed: 0, unchanged: 1 });
    expect(await server()).toEqual(before);
    expect(await history()).toHaveLength(1);
  });

  it("that says something else is a change of state, but no new revision", async () => {
    await load([measured]);
    const before = await server();
    expect(await load([{ ...measured, online: 6 }])).toMatchObject({ changed: 1, unchanged: 0 });
    const after = await server();
    expect(after).toMatchObject({ online: 6, revision: 1, updated_at: before.updated_at });
    expect((await history()).map(({ online }) => online)).toEqual([5, 6]);
  });

  it("without a queue does not make one up", async () => {
    await load([{ ...definition, online: 0 }]);
    expect(await server()).toMatchObject({ status: "online", online: 0, queue: null, max_online: null });
  });

  it("is unknown for a server that is not in a file of measurements", async () => {
    await load([measured, { ...measured, id: "2" }]);
    await load([
      { id: 1, name: "Los Santos One" },
      { ...measured, id: "2", online: 9 },
    ]);
    expect(await server()).toMatchObject({ id: "1", status: "unknown", online: null });
  });
});

describe("a measurement with a time", () => {
  const at = (checked_at: string, online: number) => ({ ...definition, online, checked_at });

  it("is kept at that time, also when the figures are the same as before", async () => {
    await load([at(NOON, 5)]);
    expect(await load([at(LATER, 5)])).toMatchObject({ changed: 1 });
    expect(await times()).toEqual([NOON, LATER]);
    expect(await load([at(LATER, 5)])).toMatchObject({ changed: 0 });
    expect(await times()).toEqual([NOON, LATER]);
  });

  it("corrects the one of the same time", async () => {
    await load([at(NOON, 5)]);
    expect(await load([at(NOON, 6)])).toMatchObject({ changed: 1 });
    expect((await history()).map(({ online }) => online)).toEqual([6]);
  });

  it("changes nothing when a later one is known", async () => {
    await load([at(LATER, 5)]);
    expect(await load([at(NOON, 6)])).toMatchObject({ changed: 0, unchanged: 1 });
    expect(await server()).toMatchObject({ online: 5 });
    expect(await times()).toEqual([LATER]);
  });

  it("is of the history also where that was rolled up before", async () => {
    await load([at(NOON, 5)]);
    await rollUpHistory(database.db);
    const bucket = () => database.db("online_five_minutes").first("known", "online_sum");
    expect(await bucket()).toEqual({ known: 1, online_sum: 5 });
    await load([at(NOON, 6)]);
    await rollUpHistory(database.db);
    expect(await bucket()).toEqual({ known: 1, online_sum: 6 });
    const { server: loaded } = await loadServer(database.db, "1");
    expect(loaded?.history.online.filter((count) => count !== null)).toEqual([6]);
  });

  it("sets the state alone when it is older than two days", async () => {
    const old = new Date(noon - 46 * HOUR_MS).toISOString();
    expect(await load([at(old, 5)])).toMatchObject({ added: 1 });
    expect(await server()).toMatchObject({ status: "online", online: 5, checked_at: new Date(old) });
    expect(await history()).toEqual([]);
    await load([at(NOON, 6)]);
    expect(await times()).toEqual([NOON]);
  });
});

describe("a dry run", () => {
  it("names the fields of state that would change, and keeps no history", async () => {
    await load([{ ...definition, online: 5, checked_at: NOON }]);
    const { changed, preview } = await load(
      [{ ...definition, game: "open.mp", online: 6, checked_at: LATER }],
      {
        dryRun: true,
      },
    );
    expect([changed, preview?.changed]).toEqual([
      1,
      [{ id: "1", name: "Los Santos One", fields: ["game", "online"] }],
    ]);
    expect(await times()).toEqual([NOON]);
  });
});

describe("demo servers", () => {
  it("that are imported begin without the demo's figures and history", async () => {
    await load([{ ...definition, online: 9, max_online: 50, checked_at: NOON }], { demo: true });
    expect(await times()).toEqual([NOON]);
    const { id, name, game } = definition;
    expect(await load([{ id, name, game }])).toMatchObject({ added: 1, changed: 0 });
    const unknown = {
      status: "unknown",
      online: null,
      max_online: null,
      checked_at: null,
      last_online_at: null,
    };
    expect(await server()).toMatchObject({ ...unknown, demo: false, revision: 1, address: null });
    expect(await times()).toEqual([]);
    await load([{ ...definition, online: 3, checked_at: LATER }]);
    expect(await times()).toEqual([LATER]);
  });
});
