import { beforeEach, describe, expect, it } from "vitest";
import type { ImportOptions } from "../../src/exchange/import/arguments.ts";
import { importRecords } from "../../src/exchange/import/import-records.ts";
import { useTestApp } from "../helpers/app.ts";
import { emptyCatalogue, insertRecords } from "../helpers/catalogue.ts";
import { emptyTables } from "../helpers/database.ts";
import { addDiscount, addItem } from "../helpers/donate.ts";
import { attributes, elements, textOf } from "../helpers/html.ts";
import { problemsOf } from "../helpers/refused-imports.ts";

const site = useTestApp();

beforeEach(async () => {
  await emptyCatalogue(site.db);
  await emptyTables(site.db, "donate_items");
});

/** The panel of the shop on an entry's page, or "". */
const offersOn = async (path: string) =>
  elements(await site.page(path), "section").find((section) => section.includes('id="offers"')) ?? "";

const infernus = { id: "411", name: "Infernus" };
const key = (rest: object) => ({ id: "car", name: "Infernus key", names: { ru: "Ключ" }, ...rest });
const ofInfernus = { entity_kind: "vehicle", entity_id: "411" };

describe("what the shop sells of an entry", () => {
  beforeEach(() => insertRecords(site.db, "vehicles", [infernus, { id: "412" }]));

  it("is absent without items of the entry, and has the price and a link with one", async () => {
    await addItem(site.db, { id: "other", entity_kind: "vehicle", entity_id: "412" });
    await addItem(site.db, { id: "item", entity_kind: "item", entity_id: "411" });
    expect(await offersOn("/vehicles/411")).toBe("");
    await addItem(site.db, { id: "car", name: "Infernus key", ...ofInfernus, price: "12.50" });
    const offers = await offersOn("/vehicles/411");
    expect(textOf(offers)).toBe("In the shop Infernus key 12.50 EUR");
    expect(attributes(offers, "href")).toContain("/donate/car");
  });

  it("has both prices and the end of a discount while it runs", async () => {
    await addItem(site.db, { id: "dear", name: "A dear one", ...ofInfernus, price: "99.00" });
    await addItem(site.db, { id: "car", name: "Infernus key", names: { ru: "Ключ" }, ...ofInfernus });
    await addDiscount(site.db, { id: "d", item_key: "car", percent: "25", ends: 3.01 });
    expect(textOf(await offersOn("/vehicles/411"))).toMatch(
      /^On sale now Infernus key was 10\.00 EUR now 7\.50 EUR −25% until .* UTC \( 3 h left \) A dear one 99\.00 EUR$/,
    );
    expect(textOf(await offersOn("/ru/vehicles/411"))).toMatch(
      /^Сейчас со скидкой Ключ .*10,00 EUR .*7,50 EUR −25 %/,
    );
  });

  it("has the full price before and after the discount", async () => {
    await addItem(site.db, { id: "car", ...ofInfernus });
    await addDiscount(site.db, { id: "past", item_key: "car", percent: "25", starts: -2, ends: -1 });
    await addDiscount(site.db, { id: "coming", item_key: "car", percent: "25", starts: 1, ends: 2 });
    expect(textOf(await offersOn("/vehicles/411"))).toMatch(/^In the shop .*10\.00 EUR$/);
  });
});

describe("the entry that an imported item belongs to", () => {
  const load = (records: object[], options?: ImportOptions) =>
    importRecords(site.db, "donate-items", records, { currency: "EUR", ...options });
  const linkOf = () =>
    site.db("donate_items").where({ id: "car" }).first("entity_kind", "entity_id", "revision");
  const BOTH = "an entry of the catalogue is told by both";

  it("is stored before there is such an entry, and shown from then on", async () => {
    await load([key({ price: 5, ...ofInfernus })]);
    expect(await linkOf()).toEqual({ ...ofInfernus, revision: 1 });
    await insertRecords(site.db, "vehicles", [infernus]);
    expect(textOf(await offersOn("/vehicles/411"))).toContain("5.00 EUR");
  });

  it("stays if a file has neither field, and is removed if a file leaves both blank", async () => {
    await load([key(ofInfernus)]);
    await load([key({ price: 7 })]);
    expect(await linkOf()).toMatchObject(ofInfernus);
    await load([key({ entity_id: "" })]);
    expect(await linkOf()).toMatchObject({ entity_kind: null, entity_id: null });
  });

  it.each([
    [{ entity_kind: "vehicle" }, `entity_id: is missing, and entity_kind is there: ${BOTH}`],
    [{ entity_id: "411" }, `entity_kind: is missing, and entity_id is there: ${BOTH}`],
    [
      { entity_kind: "server", entity_id: "1" },
      'entity_kind: must be one of item, vehicle, script, house, business, not "server"',
    ],
  ])("is refused: %j", async (fields, problem) => {
    expect(await problemsOf(load([key(fields)]))).toEqual([problem]);
  });
});
