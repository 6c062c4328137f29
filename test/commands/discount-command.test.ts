import { beforeEach, describe, expect, it } from "vitest";
import { discountCommand } from "../../src/commands/discount.ts";
import { UsageError } from "../../src/settings/usage-error.ts";
import { runCommand } from "../helpers/cli.ts";
import { emptyTables, useTestDatabase } from "../helpers/database.ts";
import { addDiscount, addItem, HOUR_MS } from "../helpers/donate.ts";
import { addUser } from "../helpers/users.ts";

const database = useTestDatabase();

beforeEach(async () => {
  await emptyTables(database.db, "donate_items, discount_runs, users");
  await addItem(database.db, { id: "gold", name: "Gold VIP", price: "9.99" });
});

const run = (args: string[]) => runCommand(discountCommand, database.db, args, { isTerminal: true });
/** A discount of the item that every test has. */
const onSale = (id: string, more: object) => addDiscount(database.db, { id, item_key: "gold", ...more });
const stored = (id: string) => database.db("discounts").where({ id }).first();
const inHours = (hours: number) => new Date(Math.floor(Date.now() / 1000) * 1000 + hours * HOUR_MS);

/** Adds a discount and resolves to its id, the command's only result. */
async function add(...options: string[]): Promise<string> {
  const { code, out, err } = await run(["add", "gold", ...options]);
  expect([code, err]).toEqual([0, []]);
  expect(out).toHaveLength(1);
  return out[0] ?? "";
}

describe("discount add", () => {
  it("takes the name of an item in any language and any case, without accents", async () => {
    await addItem(database.db, { id: "boat", name: "Łódź Boat", names: { ru: "Ёлочная шлюпка" } });
    for (const name of ["lodz boat", "ЕЛОЧНАЯ ШЛЮПКА"]) {
      expect(await run(["add", name, "--percent", "5"])).toMatchObject({ code: 0, err: [] });
    }
    expect(await database.db("discounts").distinct("item_key")).toEqual([{ item_key: "boat" }]);
  });

  it("starts at once and has no end unless one is set", async () => {
    const id = await add("--percent", "25", "--title", "Golden days");
    expect(id).toMatch(/^golden-days-[0-9a-f]{8}$/);
    const row = await stored(id);
    expect(row).toMatchObject({ item_key: "gold", percent: "25.00", price: null, ends_at: null });
    expect(row).toMatchObject({ title: "Golden days", announced: false, run: 1, demo: false });
    expect(Math.abs(row.starts_at.getTime() - Date.now())).toBeLessThan(10_000);
    const { rows } = await database.db.raw("select starts_at <= now() as runs from discounts");
    expect(rows).toEqual([{ runs: true }]);
  });

  it("takes times with an offset, or of a zone's clocks", async () => {
    const zoned = ["--starts", "2099-01-31T18:00:00+02:00", "--ends", "2099-02-01T00:00Z"];
    const id = await add("--price", "5", ...zoned);
    expect(await stored(id)).toMatchObject({
      price: "5.00",
      starts_at: new Date("2099-01-31T16:00:00Z"),
      ends_at: new Date("2099-02-01T00:00:00Z"),
    });
    const local = ["--starts", "2098-07-01T18:00", "--ends", "2098-12-01 18:00", "--zone", "Europe/Berlin"];
    expect(await stored(await add("--price", "5", "--announced", ...local))).toMatchObject({
      starts_at: new Date("2098-07-01T16:00:00Z"),
      ends_at: new Date("2098-12-01T17:00:00Z"),
      announced: true,
    });
  });

  it("begins a day at its start and ends one at its end, in UTC or the zone", async () => {
    const days = ["--price", "5", "--starts", "2098-07-01", "--ends", "2098-07-01"];
    expect(await stored(await add(...days))).toMatchObject({
      starts_at: new Date("2098-07-01T00:00:00Z"),
      ends_at: new Date("2098-07-01T23:59:59.999Z"),
    });
    expect(await stored(await add(...days, "--zone", "Europe/Berlin"))).toMatchObject({
      starts_at: new Date("2098-06-30T22:00:00Z"),
      ends_at: new Date("2098-07-01T21:59:59.999Z"),
    });
  });

  it.each([
    [["--percent", "0.01"], "--percent doesn’t lower the item’s price, 9.99 EUR"],
    [["--price", "9.99"], "--price must be below the item’s price, 9.99 EUR"],
    [
      ["--percent", "5", "--starts", "2020-01-01T00:00Z"],
      "--starts is in the past; leave it blank to start now",
    ],
    [["--percent", "5", "--ends", "2020-01-01T00:00Z"], "--ends must be after the start"],
  ])("writes nothing for %j", async (options, message) => {
    const { code, out, err } = await run(["add", "gold", ...options]);
    expect([code, out, err]).toEqual([1, [], [`almanac: ${message}`]]);
    expect(await database.db("discounts")).toEqual([]);
  });

  it("only prints the result in a dry run", async () => {
    await onSale("winner", { price: "5.00" });
    await onSale("loser", { percent: "1" });
    await onSale("past", { percent: "90", starts: -2, ends: -1 });
    const user_id = await addUser(database.db, "Ann");
    await database.db("donate_favorites").insert({ user_id, item_key: "gold" });
    const { code, out } = await run(["add", "gold", "--percent", "25", "--dry-run"]);
    expect(code).toBe(0);
    expect(out).toEqual([
      "item\tgold\tGold VIP",
      "old price\t9.99\tEUR",
      "new price\t7.49\tEUR",
      "starts\tat once",
      "ends\tnever",
      "told\t1",
      "beside\tloser\t9.89\tloses",
      "beside\twinner\t5.00\twins",
    ]);
    expect(await database.db("discounts")).toHaveLength(3);
  });
});

describe("discount change", () => {
  it("keeps what no option names, to the microsecond", async () => {
    await onSale("d", { percent: "10", title: "Old", announced: true });
    const { rows: before } = await database.db.raw("select starts_at::text, ends_at::text from discounts");
    expect(await run(["change", "d", "--price", "7"])).toMatchObject({ code: 0, out: ["d"] });
    expect(await stored("d")).toMatchObject({ percent: null, price: "7.00", title: "Old", announced: true });
    expect((await database.db.raw("select starts_at::text, ends_at::text from discounts")).rows).toEqual(
      before,
    );
    await run(["change", "d", "--title", "New", "--hidden"]);
    expect(await stored("d")).toMatchObject({ price: "7.00", title: "New", announced: false, revision: 3 });
  });

  it("moves the end of one that runs, not its start", async () => {
    await onSale("d", { percent: "10" });
    const end = inHours(9).toISOString();
    expect((await run(["change", "d", "--ends", end])).code).toBe(0);
    expect((await stored("d")).ends_at.toISOString()).toBe(end);
    expect((await run(["change", "d", "--ends", "never"])).code).toBe(0);
    expect((await stored("d")).ends_at).toBeNull();
    expect(await run(["change", "d", "--starts", inHours(1).toISOString()])).toMatchObject({
      code: 1,
      err: ["almanac: --starts cannot be moved: the discount has started"],
    });
    expect((await run(["change", "d", "--ends", inHours(-0.2).toISOString()])).err).toEqual([
      "almanac: --ends is in the past",
    ]);
  });

  it("runs one that is over again, as a new run, and only when that is meant", async () => {
    await onSale("d", { percent: "10", starts: -9, ends: -8 });
    const ends = ["--ends", inHours(2).toISOString()];
    for (const options of [["--title", "x"], ends]) {
      await expect(run(["change", "d", ...options])).rejects.toThrow("it is over: name a new start");
    }
    expect((await stored("d")).run).toBe(1);
    expect((await run(["change", "d", "--starts", "now", ...ends])).code).toBe(0);
    expect(await stored("d")).toMatchObject({ run: 2, percent: "10.00" });
    expect((await stored("d")).starts_at.getTime()).toBeGreaterThan(Date.now() - 10_000);
  });
});

describe("discount end", () => {
  it("ends what runs, withdraws what comes, and leaves what is over", async () => {
    await onSale("running", { percent: "10" });
    await onSale("open", { percent: "10", ends: null });
    await onSale("coming", { percent: "10", starts: 1, ends: 2 });
    await onSale("past", { percent: "10", starts: -2, ends: -1 });
    expect(await run(["end", "running"])).toMatchObject({ code: 0, out: ["running\tended"] });
    expect(await run(["end", "open"])).toMatchObject({ code: 0, out: ["open\tended"] });
    expect(await run(["end", "coming"])).toMatchObject({ code: 0, out: ["coming\twithdrawn"] });
    expect(await run(["end", "past"])).toMatchObject({ code: 1, err: ["almanac: past is over already"] });
    expect(await run(["end", "coming"])).toMatchObject({
      code: 1,
      err: ["almanac: there is no discount coming"],
    });
    const { rows } = await database.db.raw("select id, ends_at <= now() as over from discounts order by id");
    expect(rows).toEqual(["open", "past", "running"].map((id) => ({ id, over: true })));
  });
});

describe("discount list", () => {
  it("prints a line for each, what runs first, then what comes, then what is past", async () => {
    await onSale("past", { price: "5", starts: -2, ends: -1, title: "A" });
    await onSale("later", { percent: "20", starts: 3, ends: null });
    await onSale("soon", { percent: "20", starts: 1, ends: 99 });
    await onSale("open", { percent: "10", ends: null });
    await onSale("ending", { percent: "25", title: "Golden days" });
    const { out } = await run(["list"]);
    expect(out.map((line) => line.split("\t").slice(0, 6))).toEqual([
      ["ending", "running", "gold", "25%", "7.49", "EUR"],
      ["open", "running", "gold", "10%", "8.99", "EUR"],
      ["soon", "coming", "gold", "20%", "7.99", "EUR"],
      ["later", "coming", "gold", "20%", "7.99", "EUR"],
      ["past", "past", "gold", "to 5.00", "5.00", "EUR"],
    ]);
    const { starts_at, ends_at } = await stored("ending");
    expect(out[0]?.split("\t").slice(6)).toEqual([
      starts_at.toISOString(),
      ends_at.toISOString(),
      "Golden days",
    ]);
    const ids = async (...options: string[]) =>
      (await run(["list", ...options])).out.map((line) => line.split("\t", 1)[0]);
    expect(await ids("--phase", "coming")).toEqual(["soon", "later"]);
    expect(await ids("--search", "golden")).toEqual(["ending"]);
    expect(await ids("--search", "%")).toEqual([]);
  });

  it("finds words of any letters in titles and names, in another case and without accents", async () => {
    await addItem(database.db, { id: "boat", name: "Łódź Boat", names: { ru: "Ёлочная шлюпка" } });
    await addDiscount(database.db, { id: "d", item_key: "boat", percent: "5", title: "Große Straße" });
    await database.db("discounts").update({ titles: { ja: "ピストル" } });
    for (const text of ["STRASSE lodz", "ЕЛОЧН", "ぴすとる"])
      expect((await run(["list", "--search", text])).out).toEqual([expect.stringMatching(/^d\t/)]);
  });
});

describe("a call that makes no sense", () => {
  it.each([
    [[], "say what to do: list, add, change, end"],
    [["add"], "missing required argument 'item'"],
    [["end", "d", "--percent", "5"], "unknown option '--percent'"],
    [["list", "--phase", "over"], "Allowed choices are running, coming, past"],
    [["add", "gold"], "say how much is taken off: --percent or --price"],
    [
      ["add", "gold", "--percent", "5", "--price", "5"],
      "'--percent <n>' cannot be used with option '--price <n>'",
    ],
    [
      ["add", "gold", "--percent", "5", "--announced", "--hidden"],
      "'--announced' cannot be used with option '--hidden'",
    ],
    [["add", "gold", "--percent", "5", "--starts", "2099-01-01T18:00"], "has no time zone"],
    [["add", "gold", "--percent", "5", "--starts", "tomorrow"], "must be a time such as"],
    [["add", "gold", "--percent", "5", "--starts", "2099-01-01T18:00", "--zone", "Mars"], "is no time zone"],
    [["add", "gold", "--percent", "5", "--title", "--dry-run"], "--title needs a value"],
  ])("is refused: %j", async (args, message) => {
    const error = await run(args).catch((error: unknown) => error);
    expect((error as Error).message).toContain(message);
    expect(error).toBeInstanceOf(UsageError);
    expect(await database.db("discounts")).toEqual([]);
  });
});
