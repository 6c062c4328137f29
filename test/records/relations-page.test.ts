import { pino } from "pino";
import request from "supertest";
import { beforeEach, describe, expect, it } from "vitest";
import { ChangeFeed } from "../../src/db/change-feed.ts";
import { importRecords } from "../../src/exchange/import/import-records.ts";
import { useTestApp } from "../helpers/app.ts";
import { emptyCatalogue, insertRecords } from "../helpers/catalogue.ts";
import { emptyTables } from "../helpers/database.ts";
import { attributes, elements, textOf } from "../helpers/html.ts";

const site = useTestApp();

beforeEach(async () => {
  await emptyTables(site.db, "relations");
  await emptyCatalogue(site.db);
  await insertRecords(site.db, "items", [
    { id: "knife", name: "Knife", names: { ru: "Нож" } },
    { id: "iron", name: "Iron", names: { ru: "Железо" } },
    { id: "wood", name: "Wood" },
  ]);
  await insertRecords(site.db, "businesses", [{ id: "shop", name: "Harbour shop" }]);
});

const relate = (records: unknown[]) => importRecords(site.db, "relations", records);

/** The groups on an entry's page: each heading with the lines below it. */
const groupsOf = async (path: string) => groupsIn(await site.page(path));

function groupsIn(text: string): Record<string, string[]> {
  const start = text.indexOf('<h2 id="relations">');
  if (start === -1) return {};
  const sections = elements(text.slice(start, text.indexOf("<aside")), "section");
  return Object.fromEntries(
    sections.map((section) => [
      elements(section, "h3").map(textOf).join(),
      elements(section, "li").map((line) => textOf(line).replace(/\s+/g, " ").trim()),
    ]),
  );
}

describe("the page of an entry", () => {
  it("shows its relations at both ends, with counts, chances and other kinds, in the reader's language", async () => {
    await relate([
      { from: "item:knife", kind: "made-of", to: "item:wood", count: 3 },
      { from: "item:knife", kind: "made-of", to: "item:iron", count: 1200, chance: 0.125 },
      { from: "item:knife", kind: "sold-at", to: "business:shop", chance: 0.0001 },
    ]);
    expect(await groupsOf("/items/knife")).toEqual({
      "Made of": ["Wood ×3", "Iron ×1,200 · 12.5%"],
      "Sold at": ["Harbour shop 0.01% Business"],
    });
    expect(await groupsOf("/items/iron")).toEqual({ "Used for": ["Knife ×1,200 · 12.5%"] });
    expect(await groupsOf("/businesses/shop")).toEqual({ Sells: ["Knife 0.01% Item"] });
    await emptyTables(site.db, "relations");
    await relate([{ from: "item:knife", kind: "made-of", to: "item:iron", count: 2.5, chance: 0.5 }]);
    expect(await groupsOf("/ru/items/knife")).toEqual({ "Из чего сделано": ["Железо ×2,5 · 50 %"] });
    expect(await groupsOf("/ru/items/iron")).toEqual({ "Для чего нужно": ["Нож ×2,5 · 50 %"] });
  });

  it("has known kinds before others, and relations from it before relations to it", async () => {
    await relate([
      { from: "item:knife", kind: "Taught by", to: "item:wood" },
      { from: "item:knife", kind: "sold-at", to: "business:shop" },
      { from: "item:iron", kind: "made-of", to: "item:knife" },
      { from: "item:iron", kind: "constructor", to: "item:knife" },
      { from: "item:knife", kind: "made-of", to: "item:iron" },
    ]);
    const headings = ["Made of", "Sold at", "Taught by", "Used for", "Linked here as “Constructor”"];
    expect(Object.keys(await groupsOf("/items/knife"))).toEqual(headings);
    expect(await groupsOf("/items/wood")).toEqual({ "Linked here as “Taught by”": ["Knife"] });
  });

  it("links to the other entries, in the language of the page", async () => {
    await insertRecords(site.db, "houses", [{ id: "map" }, { id: 'a/"b"?' }]);
    await relate([
      { from: "item:knife", kind: "found-in", to: "house:map" },
      { from: "item:knife", kind: "found-in", to: 'house:a/"b"?' },
    ]);
    const text = await site.page("/ru/items/knife");
    const hrefs = attributes(text.slice(text.indexOf('<h2 id="relations">')), "href");
    const links = hrefs.filter((href) => !href.startsWith("/assets/")).slice(0, 2);
    expect(links).toEqual(["/ru/houses/~map", "/ru/houses/a%2F%22b%22%3F"]);
    for (const link of links) await site.page(link);
  });

  it("escapes names", async () => {
    await insertRecords(site.db, "items", [{ id: "evil", name: "<script>alert(1)</script>" }]);
    await relate([{ from: "item:knife", kind: "made-of", to: "item:evil" }]);
    expect(await site.page("/items/knife")).not.toContain("<script>alert");
    expect(await groupsOf("/items/knife")).toEqual({ "Made of": ["<script>alert(1)</script>"] });
  });

  it("hides a relation while one of its ends is missing", async () => {
    await relate([
      { from: "item:knife", kind: "made-of", to: "item:steel" },
      { from: "item:ghost", kind: "made-of", to: "item:knife" },
      { from: "item:ghost", kind: "made-of", to: "item:steel" },
    ]);
    expect(await site.page("/items/knife")).not.toContain('id="relations"');
    await insertRecords(site.db, "items", [{ id: "steel", name: "Steel" }]);
    expect(await groupsOf("/items/knife")).toEqual({ "Made of": ["Steel"] });
    await site.db("items").where({ id: "steel" }).delete();
    expect(await groupsOf("/items/knife")).toEqual({});
  });

  it("shows an entry that is related to itself, at both ends", async () => {
    await relate([{ from: "item:knife", kind: "upgrade-of", to: "item:knife" }]);
    expect(await groupsOf("/items/knife")).toEqual({ "Upgrade of": ["Knife"], "Upgrades to": ["Knife"] });
  });
});

describe("2,000 relations of one entry", () => {
  it("are shown in part on its page, and all of them on pages of their own", async () => {
    const things = Array.from({ length: 2000 }, (_, n) => ({ id: `t${n}`, name: `Thing ${n}` }));
    await insertRecords(site.db, "items", things);
    // A missing one does not count.
    const ids = ["ghost", ...things.map(({ id }) => id)];
    const contained = ids.map((id) => ({ from: "item:iron", kind: "contains", to: `item:${id}` }));
    await relate([...contained, { from: "item:iron", kind: "sold-at", to: "business:shop" }]);
    const text = await site.page("/items/iron");
    const groups = groupsIn(text);
    expect(groups).toMatchObject({ "Sold at": ["Harbour shop Business"] });
    expect(groups.Contains).toHaveLength(24);
    const [all = ""] = attributes(text, "href").filter((href) => href.includes("/relations?"));
    expect(text).toContain("Contains: see all</a>");
    const first = await site.page(all.replaceAll("&amp;", "&"));
    expect(textOf(elements(first, "main")[0] ?? "")).toContain("2,000 entries");
    const seen = new Set<string>();
    for (let page = 1; page <= 20; page++) {
      const links = attributes(await site.page(`${all}&page=${page}`), "href");
      for (const href of links.filter((link) => link.startsWith("/items/t"))) seen.add(href);
    }
    expect(seen.size).toBe(2000);
  });
});

describe("the page of a group", () => {
  it("is of one kind in one direction", async () => {
    await relate([
      { from: "item:knife", kind: "made-of", to: "item:iron", count: 2 },
      { from: "item:iron", kind: "made-of", to: "item:wood" },
    ]);
    const text = await site.page("/items/iron/relations?relation=made-of&direction=to");
    expect(elements(text, "h1").map(textOf)).toEqual(["Used for"]);
    expect(text).toContain('href="/items/knife"');
    expect(text).not.toContain('href="/items/wood"');
    expect(text).toContain('<meta name="robots" content="noindex');
  });

  it("is 404 for unknown entries and empty groups, and 400 for invalid requests", async () => {
    const get = (query: string, status: number, id = "iron") =>
      site.page(`/items/${id}/relations?${query}`, status);
    await get("relation=made-of&direction=to", 404);
    await get("relation=made-of&direction=to", 404, "none");
    for (const wrong of ["", "relation=made-of&direction=up", "relation=made-of&direction=to&page=0"])
      await get(wrong, 400);
    await get("relation=%00&direction=to", 400);
    expect(await get("relation=%3Cscript%3E&direction=to", 404)).not.toContain("<script>");
  });
});

describe("a cached page", () => {
  it("changes at both ends when a relation changes", async () => {
    const feed = new ChangeFeed({ db: site.db, log: pino({ level: "silent" }), maxAgeMs: 0 });
    const app = await site.another({}, { feed });
    const page = async (path: string) => {
      // The second request caches the answer.
      for (let n = 0; n < 3; n++) await request(app).get(path);
      return groupsIn((await request(app).get(path).expect(200)).text);
    };
    expect(await page("/items/knife")).toEqual({});
    expect(await page("/items/iron")).toEqual({});
    await relate([{ from: "item:knife", kind: "sold-at", to: "item:iron" }]);
    expect(await page("/items/knife")).toEqual({ "Sold at": ["Iron"] });
    expect(await page("/items/iron")).toEqual({ Sells: ["Knife"] });
    await relate([{ from: "item:knife", kind: "sold-at", to: "item:iron", count: 4 }]);
    expect(await page("/items/iron")).toEqual({ Sells: ["Knife ×4"] });
    await site.db("relations").delete();
    expect(await page("/items/knife")).toEqual({});
    expect(await page("/items/iron")).toEqual({});
  });
});
