import { readFileSync } from "node:fs";
import request from "supertest";
import { beforeAll, describe, expect, it } from "vitest";
import { translateText } from "../../src/words/i18n/lazy-text.ts";
import { CATEGORY_GLYPHS } from "../../src/words/kinds/glyphs.ts";
import { LiveVocabulary } from "../../src/words/vocabulary/live.ts";
import { readVocabulary } from "../../src/words/vocabulary/read.ts";
import { useTestApp } from "../helpers/app.ts";
import { emptyCatalogue, insertRecords } from "../helpers/catalogue.ts";

const demo = {
  categories: {
    Swords: { label: { ru: "Мечи" }, glyph: "sword", colour: "#ffff00" },
    Rings: { glyph: "ring" },
    Inns: { glyph: "key", colour: "#3344aa" },
  },
} as const;

describe("the glyphs of categories", () => {
  const site = useTestApp({}, () => ({ vocabulary: new LiveVocabulary({ defaults: demo }) }));
  const page = site.page;
  const thumbs = (html: string) =>
    [...html.matchAll(/<span class="(thumb[^"]*)"[^>]*>\s*<svg[^>]*><use href="[^"#]*#([^"]+)"/g)].map(
      ([, classes, glyph]) => `${classes} ${glyph}`,
    );

  beforeAll(async () => {
    await emptyCatalogue(site.db);
    await insertRecords(site.db, "items", [
      { id: "1", name: "Sword", category: "Swords", attributes: {} },
      { id: "2", name: "Sworded ring", category: "Rings", attributes: {} },
      { id: "3", name: "Sworn oath", category: "Oaths", attributes: {} },
      { id: "4", name: "Sworn", category: null, attributes: {} },
    ]);
    await insertRecords(site.db, "businesses", [
      { id: "inn", name: "Inn", category: "Inns", attributes: { x: 1, y: 2 } },
    ]);
    await site.search.refresh();
  });

  it("are each in the sheet of drawings", () => {
    const sheet = readFileSync(new URL("../../public/img/icons.svg", import.meta.url), "utf8");
    const missing = CATEGORY_GLYPHS.filter((name) => !sheet.includes(`<symbol id="${name}" `));
    expect(missing).toEqual([]);
  });

  it("are in lists, searches and comparisons in their colour; other categories have the kind's", async () => {
    const expected = ["tint-ffff00 sword", "ring", "box", "box"].map((glyph) => `thumb is-32 ${glyph}`);
    expect(thumbs(await page("/items")).sort()).toEqual([...expected].sort());
    expect(thumbs(await page("/search?q=sw&kind=items")).sort()).toEqual([...expected].sort());
    expect(thumbs(await page("/compare/items?id=1"))).toEqual(["thumb is-64 tint-ffff00 sword"]);
  });

  it("have a rule in the sheet of colours, readable on light backgrounds even in yellow", async () => {
    const [, sheet = ""] = /href="([^"]*tints[^"]*)"/.exec(await page("/items")) ?? [];
    expect(await page(sheet)).toMatch(
      /\.tint-ffff00\{--own:light-dark\(#(?!ffff00)[0-9a-f]{6},#[0-9a-f]{6}\)\}/,
    );
  });

  it("reach the search box, with or without a label", async () => {
    const [, data = ""] = /data-categories="([^"]*)"/.exec(await page("/items")) ?? [];
    expect(JSON.parse(data.replaceAll("&#34;", '"'))).toMatchObject({
      Swords: { text: "Swords", glyph: "sword", tint: "tint-ffff00" },
      Rings: { text: "Rings", glyph: "ring" },
    });
  });

  it("replace a missing picture on cards, if the category has its own", async () => {
    expect(await page("/items/1/card")).toMatch(
      /hover-card-picture tint-ffff00"[^>]*><svg[^>]*><use href="[^"]*icons[^"]*#sword"/,
    );
    expect(await page("/items/3/card")).not.toContain("<svg");
  });

  it("are the signs of the map, in their colour if no price has one", async () => {
    const { body } = await request(site.app).get("/businesses/map/points").expect(200);
    expect(body.points).toMatchObject([{ id: "inn", glyph: "key", tint: "tint-3344aa" }]);
    expect(await page("/businesses/map")).toMatch(
      /class="map-sign tint-3344aa">\s*<svg[^>]*><use href="[^"]*#key"/,
    );
  });

  it("must be known; a mistake names the nearest", () => {
    const { mistakes } = readVocabulary('{"categories":{"Swords":{"glyph":"swrd","colour":"sometimes"}}}');
    expect(mistakes?.map(({ message }) => translateText(message))).toEqual([
      expect.stringMatching(/must be one of armour,.*not "swrd" \(perhaps "sword"\)/),
      'must be an opaque CSS color such as #b3341b, not "sometimes"',
    ]);
  });
});
