import { Readable } from "node:stream";
import request from "supertest";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { importRecords } from "../../src/exchange/import/import-records.ts";
import { readRecords } from "../../src/exchange/import/input/formats.ts";
import { parseMappings } from "../../src/exchange/import/records/mapping.ts";
import { readVocabulary } from "../../src/words/vocabulary/read.ts";
import { useTestApp } from "../helpers/app.ts";
import { emptyCatalogue } from "../helpers/catalogue.ts";
import { addServer } from "../helpers/things.ts";
import { addWriteKey } from "../helpers/write-keys.ts";

/** The same word in one code point for the last letter (NFC), and in two (NFD). */
const [ONE, TWO] = ["café", "cafe\u0301"];
const [SHORT_I, TWO_PARTS] = ["Чай", "Чаи\u0306"];

const site = useTestApp();
let key: string;

beforeAll(async () => {
  ({ key } = await addWriteKey(site.db, (await site.createUser()).id));
});

beforeEach(() => emptyCatalogue(site.db));

const stored = () => site.db("items").select("id", "name", "category", "attributes").orderBy("id");
const MENU = { id: ONE, name: SHORT_I, category: ONE, attributes: { [ONE]: [SHORT_I, { [SHORT_I]: ONE }] } };
const OTHER_FORM = {
  id: TWO,
  name: TWO_PARTS,
  category: TWO,
  attributes: { [TWO]: [TWO_PARTS, { [TWO_PARTS]: TWO }] },
};

describe("an import of text in two Unicode forms", () => {
  const escaped = JSON.stringify([OTHER_FORM]).replace(/[\u0300-\uffff]/g, (letter) => {
    return `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });

  it.each([
    ["as letters", JSON.stringify([OTHER_FORM])],
    ["escaped", escaped],
    ["as CSV", `id,name,category,attributes.${TWO}\n${TWO},${TWO_PARTS},${TWO},${TWO_PARTS}\n`],
  ])("stores one record in NFC, %s", async (_, text) => {
    await importRecords(site.db, "items", [MENU]);
    await importRecords(site.db, "items", readRecords(Readable.from([Buffer.from(text)])));
    const [menu, ...others] = await stored();
    expect(others).toEqual([]);
    expect(menu).toMatchObject({ id: ONE, name: SHORT_I, category: ONE });
    expect(Object.keys(menu.attributes)).toEqual([ONE]);
    if (!text.startsWith("id,")) expect(menu).toEqual(MENU);
  });

  it("finds a field of either form by --map", async () => {
    const records = [{ id: 1, [TWO]: "Name" }];
    await importRecords(site.db, "items", records, { mappings: parseMappings("items", [`name=${ONE}`]) });
    await importRecords(site.db, "items", [{ id: 2, [ONE]: "Name" }], {
      mappings: parseMappings("items", [`name=${TWO}`, `attributes.${TWO}=${TWO}`]),
    });
    expect(await stored()).toMatchObject([{ name: "Name" }, { name: "Name", attributes: { [ONE]: "Name" } }]);
  });
});

describe("a request in another Unicode form", () => {
  const other = encodeURIComponent(TWO);

  it("reads the same record, page and list", async () => {
    await importRecords(site.db, "items", [MENU, { id: "tea", name: "Tea" }]);
    const read = await request(site.app).get(`/api/items/${other}`).set("X-API-Key", key).expect(200);
    expect(read.body.id).toBe(ONE);
    await request(site.app).get(`/items/${other}`).expect(200);
    await request(site.app).get(`/items/cafe%cc%81`).expect(200);
    const list = await request(site.app)
      .get(`/api/items?category=${other}`)
      .set("X-API-Key", key)
      .expect(200);
    expect(list.body.records.map(({ id }: { id: string }) => id)).toEqual([ONE]);
    const page = await request(site.app).get(`/items?category=${other}`).expect(200);
    expect(page.text).not.toContain("/items/tea");
    expect(page.text).toContain(`/items/${encodeURIComponent(ONE)}`);
  });

  it("writes the same record", async () => {
    await importRecords(site.db, "items", [MENU]);
    const body = { id: TWO, name: TWO };
    await request(site.app).put(`/api/items/${other}`).set("X-API-Key", key).send(body).expect(200);
    await request(site.app)
      .post("/api/items")
      .set("X-API-Key", key)
      .send({ records: [body] })
      .expect(200);
    expect(await stored()).toMatchObject([{ id: ONE, name: ONE }]);
  });

  it("removes an attribute by a patch with its key", async () => {
    await importRecords(site.db, "items", [MENU]);
    await request(site.app)
      .patch(`/api/items/${other}`)
      .set("X-API-Key", key)
      .set("Content-Type", "application/merge-patch+json")
      .send(JSON.stringify({ attributes: { [TWO]: null, [TWO_PARTS]: TWO_PARTS } }))
      .expect(200);
    expect(await stored()).toMatchObject([{ attributes: { [SHORT_I]: SHORT_I } }]);
    expect(Object.keys((await stored())[0].attributes)).toEqual([SHORT_I]);
  });

  it("marks the same server by a body of JSON and of a form", async () => {
    await addServer(site.db, ONE);
    const { agent } = await site.logIn();
    const toggle = () => agent.post("/api/favorites/toggle");
    const added = await toggle().send({ server_id: TWO }).expect(200);
    expect(added.body).toEqual({ server_id: ONE, favorite: true });
    const removed = await toggle().type("form").send({ server_id: TWO }).expect(200);
    expect(removed.body).toEqual({ server_id: ONE, favorite: false });
  });
});

describe("a vocabulary in another Unicode form", () => {
  it("is about the same attributes and categories", () => {
    const read = readVocabulary(JSON.stringify({ categories: { [TWO]: { label: "Café" } } }));
    expect(JSON.stringify(read)).not.toContain(TWO);
  });
});
