import { spawn } from "node:child_process";
import { once } from "node:events";
import { tmpdir } from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import { gzipSync } from "node:zlib";
import { beforeEach, describe, expect, it } from "vitest";
import { importCommand } from "../../src/commands/import.ts";
import { UsageError } from "../../src/settings/usage-error.ts";
import { runCommand, useCli } from "../helpers/cli.ts";
import { emptyTables, useTestDatabase } from "../helpers/database.ts";
import { useFolder } from "../helpers/folder.ts";
import { addUser } from "../helpers/users.ts";

const database = useTestDatabase();
const cli = useCli();
const { folder, fileOf } = useFolder();

beforeEach(async () => {
  await emptyTables(database.db, "items, vehicles, donate_items, users");
});

const run = (args: string[], context?: Parameters<typeof runCommand>[3]) =>
  runCommand(importCommand, database.db, args, context);

/** A call that fails before it opens a database. */
async function misuse(args: string[]): Promise<string> {
  const db = () => Promise.reject(new Error("the database was asked for"));
  const error = await run(args, { db }).catch((error: unknown) => error);
  if (error instanceof UsageError) return error.message;
  throw error;
}

/** The summary without its time. */
const withoutTime = ([first = "", ...rest]: string[]) => [first.replace(/ in \d+\.\d s/, ""), ...rest];

const vehicles = fileOf(
  "vehicles.json",
  '[{"id":400,"title":"Landstalker","seats":4},{"id":401,"title":"Bravura"}]',
);

describe("a call", () => {
  it("imports a file and prints what it did", async () => {
    const { code, out, err } = await run(["vehicles", vehicles, "--map", "name=title", "--keep-rest"]);
    expect([code, err]).toEqual([0, []]);
    expect(withoutTime(out)).toEqual([
      "vehicles: 2 records",
      "  added               2",
      "  changed             0",
      "  unchanged           0",
      "  removed             0",
      "  invalid             0",
      expect.stringMatching(/^ {2}undo with: undo-import \d+$/),
    ]);
    expect(await database.db("vehicles").orderBy("id").select("id", "name", "attributes")).toEqual([
      { id: "400", name: "Landstalker", attributes: { seats: 4 } },
      { id: "401", name: "Bravura", attributes: {} },
    ]);
  });

  it("warns of fields that it leaves out and of sources that are nowhere, unless it is to be quiet", async () => {
    const args = ["vehicles", vehicles, "--map=name=title", "--map=category=grop"];
    expect((await run(args)).err).toEqual([
      'warning: no record has the field "grop"',
      "warning: left out: seats (--map or --keep-rest takes them)",
    ]);
    expect((await run([...args, "--quiet"])).err).toEqual([]);
  });

  it("reads standard input, packed or not", async () => {
    expect((await run(["items", "-"], { stdin: '{"id":1,"name":"a"}\n' })).code).toBe(0);
    const file = fileOf("catalogue.ndjson.gz", gzipSync('{"id":2,"name":"b"}\n{"id":3,"name":"c"}\n'));
    expect((await run(["items", file])).code).toBe(0);
    expect(await database.db("items").orderBy("id").pluck("id")).toEqual(["1", "2", "3"]);
  });

  it("reads CSV with options for it", async () => {
    const file = fileOf("shop.csv", "key|label|coins|note\nvip|VIP|-1|\n gold|Gold|9.50|x\n");
    const { code } = await run([
      ...["donate-items", file, "--format", "csv", "--delimiter", "|", "--currency", "coins"],
      ...["--map", "id=key", "--map", "name=label", "--map", "price=coins", "--null", "-1", "--keep-rest"],
    ]);
    expect(code).toBe(0);
    expect(
      await database.db("donate_items").orderBy("id").select("id", "price", "currency", "attributes"),
    ).toEqual([
      { id: "gold", price: "9.50", currency: "COINS", attributes: { note: "x" } },
      { id: "vip", price: null, currency: "COINS", attributes: {} },
    ]);
  });

  it("prints the same on a terminal, and leaves no signal handlers behind", async () => {
    const before = process.listenerCount("SIGINT");
    const { code, out } = await run(["vehicles", vehicles, "--map", "name=title"], { isTerminal: true });
    expect([code, withoutTime(out)[0]]).toEqual([0, "vehicles: 2 records"]);
    expect(process.listenerCount("SIGINT")).toBe(before);
  });
});

describe("a dry run", () => {
  it("shows the changes and writes nothing", async () => {
    await run(["vehicles", vehicles, "--map", "name=title"]);
    const next = fileOf("next.json", '[{"id":400,"name":"Landstalker II"},{"id":402,"name":"Buffalo"}]');
    const { code, out } = await run(["vehicles", next, "--dry-run", "--prune"]);
    expect(code).toBe(0);
    expect(out.slice(0, 3)).toEqual(["+ 402  Buffalo", "~ 400  Landstalker II  (name)", "- 401  Bravura"]);
    expect(out[3]).toMatch(/^vehicles: 2 records in \d\.\d s \(dry run: nothing was written\)$/);
    expect(await database.db("vehicles").orderBy("id").pluck("name")).toEqual(["Landstalker", "Bravura"]);
  });

  it("lists twenty records and counts the others", async () => {
    const records = Array.from({ length: 1030 }, (_, id) => ({ id, name: `Item ${id}` }));
    const { out } = await run(["items", "-", "--dry-run"], { stdin: JSON.stringify(records) });
    expect(out[20]).toBe("+ and 1,010 more");
  });
});

describe("a refusal", () => {
  const bad = fileOf("bad.json", '[{"id":1,"name":"a"},{"id":2,"popularity":"x"},{"id":1,"name":"b"},"x"]');

  it("names every invalid record, writes nothing and ends with 1", async () => {
    const { code, out, err } = await run(["items", bad]);
    expect([code, out]).toEqual([1, []]);
    expect(err).toEqual([
      'record 2: name: is missing; popularity: must be a number of 0 or more, not "x"',
      'record 3: id: "1" repeats that of record 1',
      'record 4: must be an object, not "x"',
      "Nothing was written: 3 of 4 records are not valid; --skip-invalid takes the others.",
    ]);
    expect(await database.db("items").pluck("id")).toEqual([]);
  });

  it("becomes a success with --skip-invalid, which still names the records", async () => {
    const { code, out, err } = await run(["items", bad, "--skip-invalid"]);
    expect([code, err.length]).toEqual([0, 3]);
    expect(out).toContain("  invalid             3");
    expect(await database.db("items").pluck("id")).toEqual(["1"]);
  });

  it("lists fifty records and counts the others", async () => {
    const { err } = await run(["items", "-"], { stdin: JSON.stringify(Array(2000).fill({ id: 1 })) });
    expect(err.filter((line) => line.startsWith("record "))).toHaveLength(50);
    expect(err.slice(-2)).toEqual([
      "and 1,950 more",
      "Nothing was written: 2000 of 2000 records are not valid, so there is nothing to take.",
    ]);
  });

  it("of a broken file ends with 1", async () => {
    const cut = fileOf("cut.json", '[{"id":1,"name":"a"},{"id":2');
    const { code, err } = await run(["items", cut]);
    expect([code, err]).toEqual([1, ["Nothing was written: the file ends within record 2; is it cut off?"]]);
    expect(await database.db("items").pluck("id")).toEqual([]);
  });

  it("of a prune that goes too far ends with 1", async () => {
    await run(["vehicles", vehicles, "--map", "name=title"]);
    const { code, err } = await run(["vehicles", "-", "--prune"], { stdin: "[]" });
    const refused =
      "--prune would remove 2 of the 2 vehicles that are there, more than half; --force does it";
    expect([code, err]).toEqual([1, [`Nothing was written: ${refused}.`]]);
    expect((await run(["vehicles", "-", "--prune", "--force"], { stdin: "[]" })).code).toBe(0);
  });

  it("by the database ends with 1 and prints the database's message", async () => {
    await database.db.raw("alter table items add constraint no_pistols check (name <> 'Pistol')");
    try {
      const { code, err } = await run(["items", "-"], { stdin: '[{"id":1,"name":"Pistol"}]' });
      const refused = 'new row for relation "items" violates check constraint "no_pistols"';
      expect([code, err]).toEqual([1, [`Nothing was written: the database refused: ${refused}.`]]);
    } finally {
      await database.db.raw("alter table items drop constraint no_pistols");
    }
  });
});

describe("a file without a list of records", () => {
  const refused = async (stdin: string, ...options: string[]) => {
    const { code, out, err } = await run(["items", "-", ...options], { stdin });
    expect([code, out]).toEqual([1, []]);
    return err.at(-1);
  };

  it("is an error, except for an empty list", async () => {
    const empty = "Nothing was written: the file is empty; a list without records is written [].";
    expect(await refused("")).toBe(empty);
    const error = '{"error":"rate limit"}';
    expect(await refused(error)).toMatch(/^Nothing was written: 1 of 1 records are not valid/);
    expect(await refused(error, "--skip-invalid")).toMatch(/so there is nothing to take\.$/);
    expect((await run(["items", "-"], { stdin: "[]" })).code).toBe(0);
  });

  it("explains how to read a list inside an object, and the explanation works", async () => {
    const stdin = JSON.stringify({ total: 1, items: [{ id: 1, name: "a" }], page: { size: [10] } });
    const advice = "Perhaps the file is an object with a list in it, read by --records items.";
    expect(await refused(stdin)).toBe(advice);
    const { code, err } = await run(["items", "-", "--records", "items"], { stdin });
    expect([code, err]).toEqual([0, []]);
    expect(await database.db("items").pluck("id")).toEqual(["1"]);
  });
});

describe("removed favorites", () => {
  it("are counted in the summary", async () => {
    await run(["items", "-"], { stdin: '[{"id":1,"name":"a"},{"id":2,"name":"b"}]' });
    const user_id = await addUser(database.db, "Ann");
    await database.db("entity_favorites").insert({ user_id, item_id: "1" });
    const { out } = await run(["items", "-", "--prune"], { stdin: '[{"id":2,"name":"b"}]' });
    expect(out).toContain("  removed             1  (and with them 1 favorite)");
  });
});

describe("--json", () => {
  it("prints the summary as one object", async () => {
    const { code, out } = await run(["vehicles", vehicles, "--map", "name=title", "--json"]);
    const summary = JSON.parse(out.join("\n"));
    expect(code).toBe(0);
    expect(summary).toEqual({
      ...{ file: vehicles, import: expect.any(Number), written: true, kind: "vehicles", dry_run: false },
      ...{ records: 2, added: 2, changed: 0, unchanged: 0, removed: 0, invalid: 0, invalid_records: [] },
      ...{ removed_favorites: 0, removed_discounts: 0, words: 0, seconds: expect.any(Number) },
      warnings: ["left out: seats (--map or --keep-rest takes them)"],
    });
  });

  it("reports that nothing was written, and why", async () => {
    const print = async (stdin: string, ...options: string[]) => {
      const { code, out } = await run(["items", "-", "--json", ...options], { stdin });
      return { code, ...JSON.parse(out.join("\n")) };
    };
    expect(await print('[{"id":1}]')).toMatchObject({
      ...{ code: 1, written: false, added: 0, invalid: 1 },
      error: "1 of 1 records are not valid, so there is nothing to take",
      invalid_records: [{ record: 1, id: "1", problems: [{ field: "name", reason: "is missing" }] }],
    });
    const broken = { code: 1, file: "-", written: false, error: expect.stringContaining("cut off") };
    expect(await print("[")).toMatchObject(broken);
    expect(await print('[{"id":1,"name":"a"}]', "--dry-run")).toMatchObject({
      ...{ code: 0, written: false, dry_run: true, added: 1 },
      preview: { added: [{ id: "1", name: "a" }] },
    });
  });
});

describe("a bad call", () => {
  it.each([
    [[], /missing required argument 'kind'/],
    [["weapons", vehicles], /there is no kind "weapons"; there are items, vehicles/],
    [["items", vehicles, "other.json"], /too many arguments.*: items, .*, other\.json/],
    [["items", "missing.json"], /cannot read missing\.json \(ENOENT\)/],
    [["items", tmpdir()], /it is a directory/],
    [["items", vehicles, "--format", "xml"], /Allowed choices are json, ndjson, csv/],
    [["items", vehicles, "--records", "a..b"], /say the key of the list, such as items or data\.items/],
    [
      ["items", vehicles, "--records", "a", "--format", "csv"],
      /a JSON object with a list in it, not for csv/,
    ],
    [["items", vehicles, "--delimiter", "||"], /say one character, or tab/],
    [["items", vehicles, "--currency", "EUR"], /--currency is for donate-items/],
    [["donate-items", vehicles, "--currency", "€"], /say a code of 2 to 12 letters/],
    [["items", vehicles, "--force"], /--force goes with --prune/],
    [["items", vehicles, "--id-from", "name", "--map", "id=x"], /exclude each other/],
    [["items", vehicles, "--id-from", ""], /one of the fields is empty/],
    [["items", vehicles, "--map"], /option '--map <target=source>' argument missing/],
  ])("is refused: %j", async (args, message) => {
    expect(await misuse(args)).toMatch(message);
  });
});

describe("the process", () => {
  const isCopying = async () => {
    const copying = database.db("pg_stat_activity").whereLike("query", "copy import_staging%");
    const ofTest = copying.whereRaw("datname = current_database()").where({ state: "active" });
    return (await ofTest.pluck("pid")).length > 0;
  };

  it("reports after Ctrl-C that nothing was written, and ends with 1", async () => {
    const child = spawn(process.execPath, ["src/main.ts", "import", "items", "-"], {
      cwd: path.join(import.meta.dirname, "../.."),
      env: { PATH: process.env.PATH, DATABASE_URL: database.url },
      stdio: ["pipe", "ignore", "pipe"],
    });
    const err = text(child.stderr);
    child.stdin.on("error", () => undefined);
    for (let id = 0; id < 20_000; id++) child.stdin.write(`${JSON.stringify({ id, name: `Item ${id}` })}\n`);
    await expect.poll(isCopying).toBe(true);
    const ended = once(child, "exit");
    child.kill("SIGINT");
    expect(await ended).toEqual([1, null]);
    expect(await err).toContain("Nothing was written: interrupted.");
    expect(await database.db("items").pluck("id")).toEqual([]);
  });
});

describe("relative paths", () => {
  it("start in the folder of the user", async () => {
    fileOf("here.csv", "id,name\n1,A\n");
    fileOf("names.csv", "id,alias\n1,Ace\n");
    expect(await run(["items", "here.csv", "--aliases", "names.csv"], { folder })).toMatchObject({ code: 0 });
    expect(await database.db("items").first()).toMatchObject({ attributes: { aliases: ["Ace"] } });
    const images = run(["items", "here.csv", "--images", "no-pictures"], { folder });
    await expect(images).rejects.toThrow(`--images ${path.join(folder, "no-pictures")}: there is no such`);
    expect(await run(["items", "-"], { folder, stdin: "id,name\n1,B\n" })).toMatchObject({ code: 0 });
  });

  it("start in the folder of the user even if npm runs the command elsewhere", async () => {
    const gone = { npm_lifecycle_event: "almanac", INIT_CWD: "/no/such/folder" };
    await cli.run(gone, "import", "items", "x.csv");
    expect(cli.err).toContain("/no/such/folder/x.csv");
    await cli.run({ ...gone, npm_lifecycle_event: "test" }, "import", "items", "x.csv");
    expect(cli.err).not.toContain("/no/such/folder");
    await cli.run(gone, "backup", "--verify", "x.tar");
    expect(cli.err).toContain("/no/such/folder/x.tar");
  });
});
