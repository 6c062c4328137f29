import { parse } from "csv-parse/sync";
import request from "supertest";
import { beforeEach, describe, expect, it } from "vitest";
import { BUILT_IN_KINDS } from "../../src/words/kinds/kinds.ts";
import { useTestApp } from "../helpers/app.ts";
import { emptyCatalogue, insertRecords, type TestEntry } from "../helpers/catalogue.ts";
import { attributes, mainOf } from "../helpers/html.ts";

const site = useTestApp();

beforeEach(() => emptyCatalogue(site.db));

/** The rows of a list's file by the titles of its columns. */
async function rowsOf(path: string, delimiter = ","): Promise<Record<string, string>[]> {
  return parse(await site.page(path), { bom: true, columns: true, delimiter });
}

async function namesIn(path: string): Promise<string[]> {
  return (await rowsOf(path)).map(({ Name = "" }) => Name);
}

describe("the file of a list", () => {
  it.each(BUILT_IN_KINDS)("of %s is a CSV to download, but not for search engines", async (kind) => {
    await insertRecords(site.db, kind, [{ id: "7", name: "Seven" }]);
    const { headers, text } = await request(site.app).get(`/${kind}.csv`).expect(200);
    expect(headers["content-type"]).toBe("text/csv; charset=utf-8");
    expect(headers["content-disposition"]).toBe(`attachment; filename=${kind}.csv`);
    expect(headers["x-robots-tag"]).toBe("noindex");
    expect(headers["cache-control"]).toBe("private, no-cache");
    expect(text).toMatch(/^\ufeffID,Name,Original name,Category,/);
    expect(text.endsWith(`http://almanac.test/${kind}/7\r\n`)).toBe(true);
  });

  it("has the list's columns, with plain figures and times in UTC", async () => {
    const comet = {
      ...{ id: "a", name: "Comet", names: { ru: "Комета" }, category: "Sport", popularity: 5 },
      attributes: { price: 1234567.5, top_speed_kmh: 193, class: "S" },
      ...{ created_at: "2026-01-01T00:00:00Z", updated_at: "2026-02-03T04:05:06Z" },
    };
    const other = { id: "b", attributes: { price: 2, top_speed_kmh: 90, class: "A" } };
    await insertRecords(site.db, "vehicles", [comet, other]);
    expect((await rowsOf("/vehicles.csv?sort=popularity"))[0]).toEqual({
      ...{ ID: "a", Name: "Comet", "Original name": "Comet", Category: "Sport", Price: "1234567.5" },
      ...{ "Top speed, km/h": "193", Class: "S", Popularity: "5", Updated: "2026-02-03T04:05:06.000Z" },
      Address: "http://almanac.test/vehicles/a",
    });
  });

  it("is in the reader's language, with semicolons if numbers have a decimal comma", async () => {
    const comet = { id: "a", name: "Comet; fast", names: { ru: "Комета" } };
    await insertRecords(site.db, "vehicles", [
      { ...comet, attributes: { price: 1234567.5, note: "a, b" } },
      { id: "b", name: "1,5", attributes: { price: -2, note: "c" } },
    ]);
    const rows = await rowsOf("/ru/vehicles.csv", ";");
    expect(rows.map((row) => [row.Название, row["Исходное название"], row.Цена])).toEqual([
      ["Комета", "Comet; fast", "1234567,5"],
      ["1,5", "1,5", "-2"],
    ]);
    expect(rows[0]?.Ссылка).toBe("http://almanac.test/ru/vehicles/a");
  });

  it("has every row of the result in the list's order, and no other", async () => {
    const entries = Array.from({ length: 450 }, (_, place): TestEntry => {
      const number = String(place).padStart(3, "0");
      const category = place % 2 === 0 ? "Even" : "Odd";
      return { id: number, name: `Car ${number}`, category, popularity: place };
    });
    await insertRecords(site.db, "vehicles", entries);
    const names = entries.map(({ name = "" }) => name);
    expect(await namesIn("/vehicles.csv?page=3")).toEqual(names);
    expect(await namesIn("/vehicles.csv?sort=popularity")).toEqual(names.toReversed());
    const even = names.filter((_, place) => place % 2 === 0);
    expect(await namesIn("/vehicles.csv?category=Even")).toEqual(even);
  });

  it("keeps the list's search and filters", async () => {
    const price = (price: number) => ({ attributes: { price } });
    await insertRecords(site.db, "vehicles", [
      { id: "1", name: "Comet", ...price(10) },
      { id: "2", name: "Comet GT", ...price(30) },
      { id: "3", name: "Bus", ...price(40) },
    ]);
    await site.search.refresh();
    expect(await namesIn("/vehicles.csv?min.price=20&sort=-a.price")).toEqual(["Bus", "Comet GT"]);
    expect(await namesIn("/vehicles.csv?q=comet&min.price=20")).toEqual(["Comet GT"]);
  });

  it("cannot make a spreadsheet calculate, and keeps numbers", async () => {
    const names = ['=HYPERLINK("http://evil.test","x")', "+1+1", "-1-1", "@SUM(A1)", "\t=1", "＝1+1"];
    const records = [...names, "-5", "a-b"].map((name, place) => ({
      ...{ id: `${place}`, name, attributes: { depth: -place - 0.5 } },
    }));
    await insertRecords(site.db, "vehicles", records);
    const rows = await rowsOf("/vehicles.csv");
    const byId = new Map(rows.map(({ ID = "", Name, Depth }) => [ID, [Name, Depth]]));
    for (const [place, name] of names.entries())
      expect(byId.get(`${place}`)).toEqual([`'${name}`, `-${place}.5`]);
    expect(byId.get("6")).toEqual(["-5", "-6.5"]);
    expect(byId.get("7")).toEqual(["a-b", "-7.5"]);
  });

  it("redirects a wrong filter to the list, which shows the error", async () => {
    await insertRecords(site.db, "vehicles", [
      { id: "1", attributes: { price: 1 } },
      { id: "2", attributes: { price: 2 } },
    ]);
    const { headers } = await request(site.app).get("/vehicles.csv?min.price=much").expect(303);
    expect(headers.location).toBe("/vehicles?min.price=much");
    await request(site.app).get("/vehicles.csv?page=0").expect(400);
  });
});

describe("the link to a list's file", () => {
  it("keeps the list's search, filters and sort, but not its page", async () => {
    const entries = Array.from({ length: 60 }, (_, place) => ({ id: `${place}`, category: "Cars" }));
    await insertRecords(site.db, "vehicles", entries);
    const linked = async (path: string) => {
      const { text } = await request(site.app).get(path);
      return attributes(mainOf(text), "href").filter((href) => href.includes(".csv"));
    };
    expect(await linked("/vehicles?category=Cars&sort=newest&page=2")).toEqual([
      "/vehicles.csv?category=Cars&sort=newest",
    ]);
    expect(await linked("/ru/vehicles")).toEqual(["/ru/vehicles.csv"]);
    expect(await linked("/vehicles?q=nothing-like-it")).toEqual([]);
  });
});
