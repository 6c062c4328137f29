import { readFileSync } from "node:fs";
import { Readable } from "node:stream";
import { beforeEach, describe, expect, it } from "vitest";
import type { ImportOptions } from "../../src/exchange/import/arguments.ts";
import { importRecords } from "../../src/exchange/import/import-records.ts";
import { readRecords } from "../../src/exchange/import/input/formats.ts";
import { rollUpHistory } from "../../src/servers/history/roll-up.ts";
import { loadServer } from "../../src/servers/queries.ts";
import { emptyTables, useTestDatabase } from "../helpers/database.ts";
import { problemsOf } from "../helpers/refused-imports.ts";
import { HOUR_MS, listRecords, MINUTE_MS } from "../helpers/servers.ts";

const database = useTestDatabase();

beforeEach(async () => {
  await emptyTables(database.db, "servers");
});

const load = (records: Iterable<unknown> | AsyncIterable<unknown>, options?: ImportOptions) =>
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
  it("is stored, with an unknown state until a measurement", async () => {
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

  it("gets a new revision when it changes, and keeps its state", async () => {
    await load([{ ...definition, online: 5, queue: 0, max_online: 50, checked_at: NOON }]);
    expect(await load([{ ...definition, position: 4 }])).toMatchObject({ changed: 1 });
    expect(await server()).toMatchObject({ position: 4, revision: 2, online: 5, queue: 0, max_online: 50 });
    expect(await times()).toEqual([NOON]);
  });

  it("may have the number of slots alone, which is no measurement", async () => {
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

  it("can be imported as they stand", async () => {
    const texts = [...lists].map(([, text = ""]) => text);
    expect(texts).toHaveLength(2);
    for (const text of texts) {
      await emptyTables(database.db, "servers");
      const records = readRecords(Readable.from([Buffer.from(text)]));
      const { invalid, added, warnings } = await importRecords(database.db, "servers", records);
      expect({ invalid, warnings, added }).toEqual({
        invalid: 0,
        warnings: [],
        added: JSON.parse(text).length,
      });
    }
    expect(readFileSync("docs/servers.md", "utf8")).not.toContain("```jsonc");
  });
});

describe("a measurement", () => {
  const measured = { ...definition, online: 5, queue: 0, max_online: 50 };

  it("sets the state and enters the history at the time of the import", async () => {
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

  it("changes the state but not the revision, and nothing if it is the same", async () => {
    await load([measured]);
    const before = await server();
    expect(await load([measured])).toMatchObject({ changed: 0, unchanged: 1 });
    expect(await server()).toEqual(before);
    expect(await history()).toHaveLength(1);
    expect(await load([{ ...measured, online: 6 }])).toMatchObject({ changed: 1, unchanged: 0 });
    const after = await server();
    expect(after).toMatchObject({ online: 6, revision: 1, updated_at: before.updated_at });
    expect((await history()).map(({ online }) => online)).toEqual([5, 6]);
  });

  it("counts a server once that changes in definition and in state", async () => {
    await load([measured, { ...measured, id: "2" }]);
    const records = [
      { ...measured, name: "New", online: 7 },
      { ...measured, id: "2", online: 8 },
    ];
    expect(await load(records)).toMatchObject({ changed: 2, unchanged: 0 });
  });

  it("of an offline server keeps when it was last online", async () => {
    await load([{ ...measured, checked_at: NOON }]);
    await load([{ ...measured, status: "offline", online: 0, checked_at: LATER }]);
    const row = await server();
    expect(row).toMatchObject({ status: "offline", online: null, queue: null, max_online: 50 });
    expect([row.checked_at, row.last_online_at].map((time) => time.toISOString())).toEqual([LATER, NOON]);
    expect((await history()).map(({ status, online }) => [status, online])).toEqual([
      ["online", 5],
      ["offline", null],
    ]);
  });

  it("is unknown for a server without figures in a file of measurements", async () => {
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

  it("is kept at that time, corrects one of the same time, and is ignored if a later one is known", async () => {
    const online = async () => (await history()).map((record) => record.online);
    await load([at(NOON, 5)]);
    expect(await load([at(NOON, 6)])).toMatchObject({ changed: 1 });
    expect([await times(), await online()]).toEqual([[NOON], [6]]);
    expect(await load([at(LATER, 6)])).toMatchObject({ changed: 1 });
    for (const known of [at(LATER, 6), at(NOON, 7)])
      expect(await load([known])).toMatchObject({ changed: 0, unchanged: 1 });
    expect([await times(), await online()]).toEqual([
      [NOON, LATER],
      [6, 6],
    ]);
    expect(await server()).toMatchObject({ online: 6 });
  });

  it("enters the history even after a roll-up of its time", async () => {
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

  it("has a place in the history on every day that is kept", async () => {
    const ages = [1, 13, 25, 37, 44];
    await load(
      ages.map((hours) => ({ ...at(new Date(noon - hours * HOUR_MS).toISOString(), hours), id: `${hours}` })),
    );
    expect((await history()).map(({ online }) => online).sort((a, b) => a - b)).toEqual(ages);
  });
});

describe("a dry run", () => {
  it("lists the fields of state that would change, and keeps no history", async () => {
    await load([{ ...definition, online: 5, checked_at: NOON }]);
    const next = { ...definition, game: "open.mp", online: 6, checked_at: LATER };
    const { changed, preview } = await load([next], { dryRun: true });
    const fields = ["game", "online"];
    expect([changed, preview?.changed]).toEqual([1, [{ id: "1", name: "Los Santos One", fields }]]);
    expect(await times()).toEqual([NOON]);
  });
});

describe("demo servers", () => {
  it("lose the demo's figures and history when they are imported", async () => {
    await load([{ ...definition, online: 9, max_online: 50, checked_at: NOON }], { demo: true });
    expect(await times()).toEqual([NOON]);
    const { id, name, game } = definition;
    expect(await load([{ id, name, game }])).toMatchObject({ added: 0, changed: 1 });
    const unknown = { status: "unknown", online: null, max_online: null, checked_at: null };
    expect(await server()).toMatchObject({
      ...{ ...unknown, last_online_at: null, demo: false, revision: 1, address: null },
    });
    expect(await times()).toEqual([]);
    await load([{ ...definition, online: 3, checked_at: LATER }]);
    expect(await times()).toEqual([LATER]);
  });

  it("never replace real ones", async () => {
    await load([{ ...definition, online: 5, checked_at: NOON }]);
    const before = await server();
    const demo = { ...definition, online: 9, checked_at: LATER };
    expect(await load([demo], { demo: true })).toMatchObject({ changed: 0 });
    expect(await server()).toEqual(before);
    expect(await times()).toEqual([NOON]);
  });
});

const samp = { type: "gtasam", encoding: "win1251", timeout_ms: 1500 };
const record = {
  id: "1",
  name: "One",
  address: "play.example:7777",
  adapter: "gamedig",
  adapter_options: samp,
};

describe("how a server is polled", () => {
  it("is stored as it is written, and gets a new revision when it changes", async () => {
    const options = { url: "https://list.example/servers", where: { "/id": 7 }, online: "/players" };
    const json = { id: "2", name: "Two", adapter: "json", adapter_options: options };
    expect(await load([record, json])).toMatchObject({ added: 2 });
    const stored = () =>
      database.db("servers").orderBy("id").select("adapter", "adapter_options", "revision");
    const second = { adapter: "json", adapter_options: options, revision: 1 };
    expect(await stored()).toEqual([{ adapter: "gamedig", adapter_options: samp, revision: 1 }, second]);
    const reordered = { timeout_ms: 1500, type: "gtasam", encoding: "win1251" };
    expect(await load([{ ...record, adapter_options: reordered }])).toMatchObject({ unchanged: 1 });
    expect(await load([{ ...record, adapter_options: { type: "gtasao" } }])).toMatchObject({ changed: 1 });
    const first = { adapter: "gamedig", adapter_options: { type: "gtasao" }, revision: 2 };
    expect(await stored()).toEqual([first, second]);
  });

  it("stays if a file has no such field, and is removed if the field is empty", async () => {
    await load([record]);
    await load([{ id: "1", name: "Renamed" }]);
    expect(await server()).toMatchObject({ adapter: "gamedig", adapter_options: samp });
    await load([{ id: "1", name: "Renamed", adapter: "", adapter_options: null }]);
    expect(await server()).toMatchObject({ adapter: null, adapter_options: {} });
  });

  it("is JSON text in a CSV file", async () => {
    const csv =
      'id,name,address,adapter,adapter_options\n1,One,play.example:7777,gamedig,"{""type"":""gtasam""}"\n2,Two,,,\n';
    const rows = readRecords(Readable.from([Buffer.from(csv)]), { format: "csv" });
    expect(await load(rows)).toMatchObject({ added: 2 });
    expect(await database.db("servers").orderBy("id").select("adapter", "adapter_options")).toEqual([
      { adapter: "gamedig", adapter_options: { type: "gtasam" } },
      { adapter: null, adapter_options: {} },
    ]);
  });
});

describe("a definition that nobody could poll is refused", () => {
  const bad = { type: 7, timeot: 4, port: 70_000, timeout_ms: "slow" };

  it.each([
    [{ adapter: "samp", adapter_options: {} }, ['adapter: must be one of gamedig, json, not "samp"']],
    [{ adapter_options: samp }, ["adapter_options: are there, and no adapter that they are for"]],
    [{ adapter: "gamedig" }, ["adapter_options.type: is missing"]],
    [
      { name: " ", adapter: "gamedig", adapter_options: bad },
      [
        "adapter_options.port: must be at most 65535, not 70000",
        'adapter_options.timeout_ms: must be a number, not "slow"',
        "adapter_options.type: must be text, not 7",
        'adapter_options: has no option "timeot"',
        "name: is missing",
      ],
    ],
    [
      { adapter: "gamedig", adapter_options: { type: "samp" } },
      [expect.stringMatching(/^adapter_options\.type: "samp" is no game .* gtasam/)],
    ],
    [{ adapter: "gamedig", adapter_options: { type: "gtasam\0" } }, ["adapter_options: has a NUL character"]],
    ...["samp", [1]].map((adapter_options): [object, unknown[]] => [
      { adapter: "gamedig", adapter_options },
      [expect.stringMatching(/^adapter_options: must be an object such as \{"type":"gtasam"\}, not /)],
    ]),
  ])("with its reasons: %j", async (fields, reasons) => {
    const problems = await problemsOf(load([{ id: "1", name: "One", ...fields }]));
    expect(problems.sort()).toEqual(reasons);
  });
});
