import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import request from "supertest";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LiveVocabulary } from "../../src/words/vocabulary/live.ts";
import { useTestApp } from "../helpers/app.ts";
import { emptyCatalogue, insertRecords } from "../helpers/catalogue.ts";
import { elements, mainOf, textOf } from "../helpers/html.ts";

/** Named so that English and Russian put them in opposite orders. */
const WORDS = {
  categories: { Boats: { label: { ru: "Яхты" } }, Planes: { label: { ru: "Аэропланы" } } },
  attributes: {
    tuning: { values: { Alpha: { label: { ru: "Яркий" } }, Beta: { label: { ru: "Алый" } } } },
  },
};

let directory: string;
let vocabulary: LiveVocabulary;

beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), "almanac-reading-order-"));
  const file = path.join(directory, "site.json");
  await writeFile(file, JSON.stringify(WORDS));
  vocabulary = new LiveVocabulary({ file });
});
afterAll(() => rm(directory, { recursive: true }));

describe("what a reader chooses from comes in the order of their language", () => {
  const site = useTestApp({}, () => ({ vocabulary }));
  beforeAll(async () => {
    await emptyCatalogue(site.db);
    const records = ["Boats", "Boats", "Planes", "Planes"].map((category, place) => ({
      id: String(place),
      category,
      attributes: { tuning: place % 2 === 0 ? "Alpha" : "Beta", x: place, y: place },
    }));
    await insertRecords(site.db, "vehicles", records);
    await insertRecords(site.db, "businesses", records);
    const items = records.map(({ id, category }) => ({
      id,
      name: id,
      category,
      price: "5",
      currency: "EUR",
    }));
    await site.db("donate_items").insert(items);
  });

  async function orderOf(address: string, words: readonly string[]): Promise<string[]> {
    const { text } = await request(site.app).get(address).expect(200);
    const choices = ["nav", "fieldset", "select"].flatMap((name) => elements(mainOf(text), name));
    const found = textOf(choices.join(" ")).match(new RegExp(words.join("|"), "g"));
    return [...new Set(found)];
  }

  it.each(["/vehicles", "/businesses/map", "/donate"])("the categories of %s", async (address) => {
    expect(await orderOf(`/en${address}`, ["Boats", "Planes"])).toEqual(["Boats", "Planes"]);
    expect(await orderOf(`/ru${address}`, ["Яхты", "Аэропланы"])).toEqual(["Аэропланы", "Яхты"]);
  });

  it("the values of a filter", async () => {
    expect(await orderOf("/en/vehicles", ["Alpha", "Beta"])).toEqual(["Alpha", "Beta"]);
    expect(await orderOf("/ru/vehicles", ["Яркий", "Алый"])).toEqual(["Алый", "Яркий"]);
  });
});
