import { Readable } from "node:stream";
import { beforeEach, describe, expect, it } from "vitest";
import type { ImportOptions } from "../../src/exchange/import/arguments.ts";
import { importRecords } from "../../src/exchange/import/import-records.ts";
import { readRecords } from "../../src/exchange/import/input/formats.ts";
import { parseMappings } from "../../src/exchange/import/records/mapping.ts";
import { ImportRefusedError } from "../../src/exchange/import/report.ts";
import { translateText } from "../../src/words/i18n/lazy-text.ts";
import { useTestDatabase } from "../helpers/database.ts";

const database = useTestDatabase();

beforeEach(async () => {
  await database.db.raw("truncate servers cascade");
});

const load = (records: Iterable<unknown> | AsyncIterable<unknown>, options?: ImportOptions) =>
  importRecords(database.db, "servers", records, options);

const server = () => database.db("servers").first();

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
