import { readFileSync } from "node:fs";
import { Readable } from "node:stream";
import { beforeEach, describe, expect, it } from "vitest";
import type { ImportOptions } from "../../src/exchange/import/arguments.ts";
import { importRecords } from "../../src/exchange/import/import-records.ts";
import { readRecords } from "../../src/exchange/import/input/formats.ts";
import { parseMappings } from "../../src/exchange/import/records/mapping.ts";
import { ImportRefusedError } from "../../src/exchange/import/report.ts";
import { rollUpHistory } from "../../src/servers/history/roll-up.ts";
import { loadServer } from "../../src/servers/queries.ts";
import { translateText } from "../../src/words/i18n/lazy-text.ts";
import { emptyTables, useTestDatabase } from "../helpers/database.ts";
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

  it("counts a server once that changes in definition and in state", async () => {
    await load([measured, { ...measured, id: "2" }]);
    const records = [
      { ...measured, name: "New", online: 7 },
      { ...measured, id: "2", online: 8 },
    ];
    expect(await load(records)).toMatchObject({ changed: 2, unchanged: 0 });
  });

  it("without a queue does not make one up", async () => {
    await load([{ ...definition, online: 0 }]);
    expect(await server()).toMatchObject({ status: "online", online: 0, queue: null, max_online: null });
  });

  it("for an offline server keeps when it was last online", async () => {
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

  it("finds room in the history on every day that is kept", async () => {
    const ages = [1, 13, 25, 37, 44];
    await load(
      ages.map((hours) => ({ ...at(new Date(noon - hours * HOUR_MS).toISOString(), hours), id: `${hours}` })),
    );
    expect((await history()).map(({ online }) => online).sort((a, b) => a - b)).toEqual(ages);
  });

  it("comes from whatever field it is in", async () => {
    const record = { id: 1, name: "S", up: true, players: 7, seen: noon / 1000 };
    await load([record], {
      mappings: parseMappings("servers", ["status=up", "online=players", "checked_at=seen"]),
    });
    expect(await server()).toMatchObject({ status: "online", online: 7 });
    expect(await times()).toEqual([NOON]);
  });
});

describe("a dry run", () => {
  it("names the fields of state that would change, and keeps no history", async () => {
    await load([{ ...definition, online: 5, checked_at: NOON }]);
    const { changed, preview } = await load(
      [{ ...definition, game: "open.mp", online: 6, checked_at: LATER }],
      { dryRun: true },
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

  it("never take the place of real ones", async () => {
    await load([{ ...definition, online: 5, checked_at: NOON }]);
    const before = await server();
    expect(await load([{ ...definition, online: 9, checked_at: LATER }], { demo: true })).toMatchObject({
      changed: 0,
    });
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

/** The errors of an import of a record with these fields. */
async function refusalsOf(fields: object): Promise<string[]> {
  const run = load([{ id: "1", name: "One", ...fields }]);
  const error = await run.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ImportRefusedError)) throw error ?? new Error("the import was not refused");
  const problems = error.summary.invalidRecords.flatMap((invalid) => invalid.problems);
  return problems.map(({ field, reason }) => `${field}: ${translateText(reason)}`);
}

describe("how a server is polled", () => {
  it("is stored as it is written, and is nothing new when it comes again", async () => {
    expect(await load([record])).toMatchObject({ added: 1 });
    expect(await server()).toMatchObject({ adapter: "gamedig", adapter_options: samp, status: "unknown" });
    const reordered = { timeout_ms: 1500, type: "gtasam", encoding: "win1251" };
    expect(await load([{ ...record, adapter_options: reordered }])).toMatchObject({ unchanged: 1 });
  });

  it("that changes is a new revision", async () => {
    await load([record]);
    expect(await load([{ ...record, adapter_options: { type: "gtasao" } }])).toMatchObject({ changed: 1 });
    expect(await server()).toMatchObject({ revision: 2, adapter_options: { type: "gtasao" } });
  });

  it("stays where a file does not tell it, and goes where the file's field is empty", async () => {
    await load([record]);
    await load([{ id: "1", name: "Renamed" }]);
    expect(await server()).toMatchObject({ adapter: "gamedig", adapter_options: samp });
    await load([{ id: "1", name: "Renamed", adapter: "", adapter_options: null }]);
    expect(await server()).toMatchObject({ adapter: null, adapter_options: {} });
  });

  it("is nobody, where nothing tells", async () => {
    await load([{ id: "1", name: "One" }]);
    expect(await server()).toMatchObject({ adapter: null, adapter_options: {} });
  });

  it("comes as JSON text in a CSV file", async () => {
    const csv =
      'id,name,address,adapter,adapter_options\n1,One,play.example:7777,gamedig,"{""type"":""gtasam""}"\n2,Two,,,\n';
    expect(await load(readRecords(Readable.from([Buffer.from(csv)]), { format: "csv" }))).toMatchObject({
      added: 2,
    });
    expect(await database.db("servers").orderBy("id").select("adapter", "adapter_options")).toEqual([
      { adapter: "gamedig", adapter_options: { type: "gtasam" } },
      { adapter: null, adapter_options: {} },
    ]);
  });

  it("can be the same for all servers of a file", async () => {
    const mappings = parseMappings("servers", ["adapter==gamedig", 'adapter_options=={"type":"gtasam"}']);
    await load([{ id: "1", name: "One", address: "play.example:7777" }], { mappings });
    expect(await server()).toMatchObject({ adapter: "gamedig", adapter_options: { type: "gtasam" } });
  });

  it("may be a JSON document of many servers", async () => {
    const options = {
      url: "https://list.example/servers",
      list: "/response",
      where: { "/id": 7 },
      online: "/players",
    };
    await load([{ id: "1", name: "One", adapter: "json", adapter_options: options }]);
    expect(await server()).toMatchObject({ adapter: "json", adapter_options: options });
  });
});

describe("a definition that nobody could poll is refused, and says why", () => {
  const options = (adapter_options: unknown, adapter = "gamedig") => refusalsOf({ adapter, adapter_options });

  it("an adapter that there is not", async () => {
    expect(await options({}, "samp")).toEqual(['adapter: must be one of gamedig, json, not "samp"']);
    expect(await options({}, "constructor")).toEqual([
      'adapter: must be one of gamedig, json, not "constructor"',
    ]);
  });

  it("options without an adapter, and an adapter without its options", async () => {
    expect(await refusalsOf({ adapter_options: samp })).toEqual([
      "adapter_options: are there, and no adapter that they are for",
    ]);
    expect(await refusalsOf({ adapter: "gamedig" })).toEqual(["adapter_options.type: is missing"]);
  });

  it("each bad option by its name, all at once, with the record's other faults", async () => {
    const bad = { type: 7, timeot: 4, port: 70_000, timeout_ms: "slow" };
    expect(await refusalsOf({ name: " ", adapter: "gamedig", adapter_options: bad })).toEqual(
      expect.arrayContaining(["name: is missing"]),
    );
    expect((await options(bad)).sort()).toEqual([
      "adapter_options.port: must be at most 65535, not 70000",
      'adapter_options.timeout_ms: must be a number, not "slow"',
      "adapter_options.type: must be text, not 7",
      'adapter_options: has no option "timeot"',
    ]);
  });

  it("a game that there is not, with those that may be meant", async () => {
    expect(await options({ type: "samp" })).toEqual([
      expect.stringMatching(/^adapter_options\.type: "samp" is no game .* gtasam/),
    ]);
  });

  it.each([["samp"], ["[1]"], [[1]], [7], ["{"], [true]])("options that are no object: %j", async (value) => {
    expect(await options(value)).toEqual([
      expect.stringMatching(/^adapter_options: must be an object such as \{"type":"gtasam"\}, not /),
    ]);
  });

  it("options that cannot be stored", async () => {
    expect(await options({ type: "gtasam\0" })).toEqual(["adapter_options: has a NUL character"]);
  });
});
