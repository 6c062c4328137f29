import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { importRecords } from "../../src/exchange/import/import-records.ts";
import { ImportRefusedError } from "../../src/exchange/import/report.ts";
import { type Agent, useTestApp } from "../helpers/app.ts";
import { emptyTables } from "../helpers/database.ts";
import { inputsOf } from "../helpers/html.ts";
import { addDiscount, addDonateItem, addEntity } from "../helpers/things.ts";

const site = useTestApp();
const PAGE = "/operator/records/donate-items/vip";
const NEW = "/operator/new-record/donate-items";

let operator: Agent;

beforeAll(async () => {
  operator = (await site.logIn(await site.createUser({ role: "operator" }))).agent;
});

beforeEach(async () => {
  await emptyTables(site.db, "donate_items, items, catalogue_tombstones, audit_log");
  await addDonateItem(site.db, "vip", { picture: "aa-1x1-0-webp" });
});

const open = async (path = PAGE) => inputsOf((await operator.get(path).expect(200)).text);
const send = (fields: object, path = PAGE) => operator.post(path).type("form").send(fields);
const stored = (id = "vip") => site.db("donate_items").where({ id }).first();
const remove = async (action: string) =>
  send({ ...(await open(`${PAGE}/remove`)), action }, `${PAGE}/remove`).expect(303);

describe("the form of a shop item", () => {
  it("adds one with price, currency, entry and a link to buy it", async () => {
    await addEntity(site.db, "items", "knife");
    const entry = { entity_kind: "item", entity_id: "knife" };
    const fields = { id: "new", name: "New", price: "12.50", currency: "eur", ...entry };
    const buy_url = "https://pay.test/new";
    const link = { "attributes.buy_url": buy_url };
    await send({ ...(await open(NEW)), ...fields, ...link }, NEW).expect(303);
    expect(await stored("new")).toMatchObject({ ...fields, currency: "EUR", attributes: { buy_url } });
    expect(await site.page("/donate/new")).toContain(`href="${buy_url}"`);
  });

  it("lists the fields that are wrong, and keeps the typed values", async () => {
    const wrong = { price: "-1", currency: "", entity_kind: "item" };
    const { text } = await send({ ...(await open()), ...wrong }).expect(400);
    expect(inputsOf(text)).toMatchObject(wrong);
    expect(text).toContain('id="field-price-error"');
    const noLink = { "attributes.buy_url": "javascript:alert(1)" };
    expect((await send({ ...(await open()), ...noLink }).expect(400)).text).toContain(
      "Link to buy must be an address that begins with http:// or https://",
    );
    expect(await stored()).toMatchObject({ price: "100.00" });
  });

  it("takes a price as price alerts do: with a decimal comma, but not with one before three digits", async () => {
    await send({ ...(await open()), price: "1 234,50" }).expect(303);
    expect(await stored()).toMatchObject({ price: "1234.50" });
    const { text } = await send({ ...(await open()), price: "145,000" }).expect(400);
    expect(text).toContain("Price is ambiguous");
    expect(await stored()).toMatchObject({ price: "1234.50" });
  });

  it("shows errors in Russian, like the form of an entry", async () => {
    await addEntity(site.db, "items", "knife");
    const wrong = { name: "x".repeat(301), price: "-1", currency: "1", image: "x", entity_kind: "cat" };
    for (const [path, count] of [
      [PAGE, 6],
      ["/operator/records/items/knife", 2],
    ] as const) {
      const { text } = await send({ ...(await open(path)), ...wrong }, `/ru${path}`).expect(400);
      const errors = [...text.matchAll(/class="field-error"[^>]*>([^<]+)</g)].map(([, error]) => error);
      expect(errors).toHaveLength(count);
      expect(errors.join("\n")).toContain("можно не больше 300 символов, а здесь 301");
      expect(errors.join("\n")).not.toMatch(/\b(is|must|not|or|that|be)\b/);
    }
  });

  it("records the price before and after", async () => {
    await send({ ...(await open()), price: "90" }).expect(303);
    expect(await site.db("audit_log").first()).toMatchObject({
      ...{ action: "record.changed", subject: "donate-items/vip" },
      ...{ before: { price: "100.00" }, after: { price: "90.00" } },
    });
  });
});

describe("a removed shop item", () => {
  it.each(["hide", "remove"])("can be restored with its picture after %s", async (action) => {
    await addDiscount(site.db, "sale", "vip");
    const before = await stored();
    await remove(action);
    expect(await stored()).toBeUndefined();
    await send({}, `${PAGE}/restore`).expect(303);
    const { updated_at, created_at, revision, ...same } = before;
    expect(await stored()).toMatchObject(same);
    expect(await site.db("catalogue_tombstones")).toEqual([]);
  });

  it("is ignored by imports while it is hidden, with its discounts", async () => {
    const record = { id: "vip", name: "Imported", price: 5, currency: "EUR" };
    await remove("hide");
    await importRecords(site.db, "donate-items", [record]);
    expect(await stored()).toBeUndefined();
    const discount = { id: "sale", item_key: "vip", percent: 10, starts_at: "2026-01-01" };
    await expect(importRecords(site.db, "discounts", [discount])).rejects.toThrow(ImportRefusedError);
    await send({}, `${PAGE}/restore`).expect(303);
    await remove("remove");
    await importRecords(site.db, "donate-items", [record]);
    expect(await stored()).toMatchObject({ name: "Imported" });
  });
});
