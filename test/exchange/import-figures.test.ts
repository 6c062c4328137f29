import { beforeEach, describe, expect, it } from "vitest";
import { importCommand } from "../../src/commands/import.ts";
import { type DecimalComma, readFigure } from "../../src/records/figures.ts";
import { loadConfig } from "../../src/settings/config.ts";
import { runCommand } from "../helpers/cli.ts";
import { emptyTables, useTestDatabase } from "../helpers/database.ts";
import { useFolder } from "../helpers/folder.ts";

const database = useTestDatabase();
const { fileOf } = useFolder();

beforeEach(async () => {
  await emptyTables(database.db, "items, houses, donate_items");
});

/** Imports a text with the attributes that it has; `words` is the vocabulary of all kinds' attributes. */
async function run(kind: string, text: string, { words = {}, args = ["--keep-rest"] } = {}) {
  const vocabulary = fileOf("site.json", JSON.stringify({ attributes: words }));
  const config = loadConfig({ SITE_SCHEMA: vocabulary });
  const context = { config, stdin: text };
  const { code, out, err } = await runCommand(importCommand, database.db, [kind, "-", ...args], context);
  return { code, out, warnings: err.filter((line) => line.startsWith("warning: ")) };
}

async function valuesOf(key: string, kind = "items"): Promise<unknown[]> {
  const rows: { attributes: Record<string, unknown> }[] = await database.db(kind).orderBy("id");
  return rows.map(({ attributes }) => attributes[key]);
}

/** A CSV file of items with one attribute; cells with a comma get quotes. */
function column(values: readonly string[], delimiter = ","): string {
  const rows = values.map((value, index) => {
    const cell = value.includes(delimiter) ? `"${value}"` : value;
    return [index, `Item ${index}`, cell].join(delimiter);
  });
  return [["id", "name", "value"].join(delimiter), ...rows].join("\n");
}

describe("numbers of a CSV file", () => {
  it.each<[values: string[], stored: unknown[], delimiter?: string]>([
    [["12", "-7", "1.5"], [12, -7, 1.5], ","],
    [["−5", " 6 ", "1 200", "1\u202f300"], [-5, 6, 1200, 1300], ","],
    [["1,200.50", "3.25"], [1200.5, 3.25], ","],
    [["12", "13", "n/a", "-"], [12, 13, "n/a", "-"], ","],
    [["10,5", "-3,25", "7"], [10.5, -3.25, 7], ";"],
    [["1 200,00", "1.300,50", "1.400"], [1200, 1300.5, 1400], ";"],
    [["-1037.123", "123.456"], [-1037.123, 123.456], ";"],
  ])("become numbers: %j", async (values, stored, delimiter = ",") => {
    expect(await run("items", column(values, delimiter))).toMatchObject({ code: 0, warnings: [] });
    expect(await valuesOf("value")).toEqual(stored);
  });

  it.each([
    ["007", "123"],
    ["76561198000000001", "5"],
    ["1.9", "1.10"],
    ["1.2.3", "1.2.4"],
    ["192.168.1.1", "10"],
  ])("stay text if they are codes: %s, %s", async (...values) => {
    await run("items", column(values));
    expect(await valuesOf("value")).toEqual(values);
  });

  it.each(["phone", "item_id", "steamId", "modelCode", "zip"])("stay text in %s", async (key) => {
    await run("items", column(["5551234", "123"]).replace("value", key));
    expect(await valuesOf(key)).toEqual(["5551234", "123"]);
  });

  it.each<[values: string[], why: string, delimiter?: string]>([
    [["12", "1,5"], '"1,5" has a comma, which is a decimal comma only where ; separates the cells'],
    [["1,200", "12"], '"1,200" may have a decimal mark or one between thousands'],
    [["255,128,000", "1"], '"255,128,000" may have a decimal mark or one between thousands'],
    [["1.200", "1.300"], '"1.200" may have a decimal mark or one between thousands', ";"],
    [["45%", "7%"], '"45%" would not be written so again'],
    [["+5", "-3"], '"+5" would not be written so again'],
    [["45%", "7%"], '"45%" would not be written so again'],
    [["495 123 456", "495 123 457"], '"495 123 456" would not be written so again'],
    [["12", "13", "12-14"], '"12-14" is no number'],
    [["1.9", "1.10"], '"1.10" may be a version'],
  ])("stay text with a warning if they are ambiguous: %j", async (values, why, delimiter = ",") => {
    const { warnings } = await run("items", column(values, delimiter));
    expect(warnings).toEqual([
      `warning: attributes.value: ${why}, so all values are kept as text; "type": "number" in the vocabulary takes the numbers, "text" none`,
    ]);
    expect(await valuesOf("value")).toEqual(values);
  });

  it("stay text if the vocabulary says so, or names their values", async () => {
    await run("items", column(["12", "13"]), { words: { value: { type: "text" } } });
    expect(await valuesOf("value")).toEqual(["12", "13"]);
    const values = { "1": "Police", "2": "Medics" };
    await run("items", column(["1", "2"]), { words: { value: { values } } });
    expect(await valuesOf("value")).toEqual(["1", "2"]);
  });

  it.each<[words: object, values: string[], stored: unknown[]]>([
    [{ type: "number" }, ["007", "+5", "1e3", "n/a"], [7, 5, 1000, "n/a"]],
    [{ type: "number" }, ["76561198000000001"], ["76561198000000001"]],
    [{ type: "number", unit: "%" }, ["45%", "7"], [45, 7]],
    [{ type: "share" }, ["7%", "0.5"], [0.07, 0.5]],
    [{ type: "money", currency: "EUR" }, ["1 200", "3.50"], [1200, 3.5]],
    [{ type: "duration", countedIn: "seconds" }, ["90", "1,234,567"], [90, "1,234,567"]],
    [{ type: "date" }, ["1700000000", "2026-01-31"], [1_700_000_000, "2026-01-31"]],
  ])("are read one by one as %j", async (value, values, stored) => {
    await run("items", column(values), { words: { value } });
    expect(await valuesOf("value")).toEqual(stored);
  });

  it("are listed if the vocabulary's type does not fit", async () => {
    const words = { value: { type: "number" } };
    const { warnings } = await run("items", column(["12", "1,5", "fast"]), { words });
    const comma = "it has a comma, which is a decimal comma only where ; separates the cells";
    expect(warnings).toEqual([
      `warning: attributes.value: "1,5" and 1 more are no numbers and kept as text (${comma})`,
    ]);
  });

  it("are read in the site's own fields and coordinates too, with a decimal comma or separated thousands", async () => {
    const text = 'id;name;price\n1;Skin;"1 200,00"\n2;Hat;3,5\n';
    expect(await run("donate-items", text, { args: ["--currency", "EUR"] })).toMatchObject({ code: 0 });
    expect(await database.db("donate_items").orderBy("id").pluck("price")).toEqual(["1200.00", "3.50"]);
    const points = 'id,name,price\n1,Skin,"1,200.50"\n2,Hat,1 300.50\n';
    expect(await run("donate-items", points, { args: ["--currency", "EUR"] })).toMatchObject({ code: 0 });
    expect(await database.db("donate_items").orderBy("id").pluck("price")).toEqual(["1200.50", "1300.50"]);
    await run("houses", "id;name;x;y\n1;Villa;10,5;20,5\n");
    expect([await valuesOf("x", "houses"), await valuesOf("y", "houses")]).toEqual([[10.5], [20.5]]);
  });
});

describe("coordinates", () => {
  it("are listed if they cannot be read", async () => {
    const { warnings } = await run("houses", 'id,name,x,y\n1,Villa,"10,5",--350\n');
    expect(warnings.join("\n")).toContain('attributes.x: "10,5" is no number');
    expect(warnings.join("\n")).toContain('attributes.y: "--350" is no number');
  });

  it.each([
    ["-350", 350],
    ["350", -350],
  ])("are inverted by a minus before their field: %s", async (z, y) => {
    const args = ["--map", "attributes.x=x", "--map", "attributes.y=-{z}"];
    await run("houses", `id,name,x,z\n1,Villa,1,${z}\n`, { args });
    expect(await valuesOf("y", "houses")).toEqual([y]);
  });
});

describe("the axes of the map", () => {
  it.each<[axes: string, place: object]>([
    ["x,-z", { x: 100, y: -300, z: 64 }],
    ["x,z", { x: 100, y: 300, z: 64 }],
    ["x,-y", { x: 100, y: -64, z: 300 }],
    ["-y, +x", { x: -64, y: 100, z: 300 }],
  ])("are those of the game: %s", async (axes, place) => {
    const spellings = [
      { x: 100, y: 64, z: 300 },
      { pos_x: "100", pos_y: "64", pos_z: "300" },
      { position: { x: 100, y: 64, z: 300 } },
      { position: [100, 64, 300] },
    ];
    const records = spellings.map((where, id) => ({ id, name: `House ${id}`, rooms: 2, ...where }));
    const args = ["--keep-rest", `--axes=${axes}`];
    expect(await run("houses", JSON.stringify(records), { args })).toMatchObject({ code: 0, warnings: [] });
    const stored = await database.db("houses").orderBy("id").pluck("attributes");
    expect(stored).toEqual(spellings.map(() => ({ rooms: 2, ...place })));
  });

  it("do not change a place with an unknown axis, and need no height", async () => {
    const args = ["--keep-rest", "--axes", "x,-z"];
    await run("houses", '[{"id":"a","name":"A","x":1,"y":2},{"id":"b","name":"B","x":1,"z":-0.0}]', { args });
    expect(await database.db("houses").orderBy("id").pluck("attributes")).toEqual([
      { x: 1, y: 2 },
      { x: 1, y: 0 },
    ]);
  });

  it.each(["x", "x,x", "x,-x", "x,w", "x,y,z", ""])("are refused as %j", async (axes) => {
    await expect(run("houses", "[]", { args: [`--axes=${axes}`] })).rejects.toThrow("--axes");
  });

  it("belong to kinds on the map", async () => {
    const refused = run("items", "[]", { args: ["--axes", "x,z"] });
    await expect(refused).rejects.toThrow("--axes is for kinds on the map");
  });
});

describe("numbers in quotes in JSON", () => {
  it("become numbers like those without quotes", async () => {
    const text = '[{"id":"a","name":"A","speed":"197"},{"id":"b","name":"B","speed":12.5}]';
    await run("items", text);
    expect(await valuesOf("speed")).toEqual([197, 12.5]);
  });
});

describe("a number as it is written", () => {
  it.each<[written: string, comma: DecimalComma, text: string | undefined]>([
    ["1'234.5", "no", "1234.5"],
    ["1’234’567", "no", "1234567"],
    [".5", "no", "0.5"],
    ["1E+05", "no", "1e5"],
    ["1 23", "no", undefined],
    ["1.234.567,8", "yes", "1234567.8"],
    ["1,5", "seldom", "1.5"],
    ["1.234", "seldom", "1.234"],
    ["1.234", "yes", "1234"],
    ["--5", "no", undefined],
    [".", "no", undefined],
  ])("reads %j, with decimal commas: %s", (written, comma, text) => {
    const figure = readFigure(written, comma);
    expect(typeof figure === "object" ? figure.text : figure).toBe(text);
  });
});
