import request from "supertest";
import { beforeEach, describe, expect, it } from "vitest";
import { LiveVocabulary } from "../../src/words/vocabulary/live.ts";
import { useReadKey } from "../helpers/api-reads.ts";
import { useTestApp } from "../helpers/app.ts";
import { emptyCatalogue, insertRecords } from "../helpers/catalogue.ts";
import { emptyTables } from "../helpers/database.ts";
import { addItem } from "../helpers/donate.ts";
import { addServer } from "../helpers/servers.ts";

const rarity = { label: { ru: "Редкость" }, values: { rare: { label: { ru: "редкий" } } } };
const vocabulary = new LiveVocabulary({
  defaults: {
    categories: { Guns: { label: { en: "Firearms", ru: "Огнестрел" } } },
    kinds: { items: { attributes: { rarity, internal: { hidden: true } } } },
  },
});
const site = useTestApp({}, () => ({ vocabulary }));
const reads = useReadKey(site);
const ask = reads.get;

beforeEach(async () => {
  await emptyCatalogue(site.db);
  await emptyTables(site.db, "servers, donate_items, catalogue_tombstones");
});

const idsOf = ({ records }: { records: { id: string }[] }) => records.map(({ id }) => id);

describe("records by their ids", () => {
  it("come in the requested order, each once, with the unknown and removed ids", async () => {
    await insertRecords(site.db, "items", [{ id: "a" }, { id: "b" }, { id: "c" }, { id: "gone" }]);
    await site.db("items").where({ id: "gone" }).delete();
    const { removed_at } = await site.db("catalogue_tombstones").first();
    const { body } = await ask("/api/items?ids=c,never,a,, c ,gone,b,a,never&limit=1").expect(200);
    expect(idsOf(body)).toEqual(["c", "a", "b"]);
    expect(body).toMatchObject({ total: 3, next: null, unknown: ["never"] });
    expect(body.removed).toEqual([{ id: "gone", removed_at: removed_at.toISOString() }]);
  });

  it("are 200 at most, of whatever kind", async () => {
    const ids = Array.from({ length: 201 }, (_, n) => `${n}`);
    const records = ids.map((id) => ({ id }));
    await insertRecords(site.db, "houses", records);
    const { body } = await ask(`/api/houses?ids=${ids.slice(1)}`).expect(200);
    expect(idsOf(body)).toEqual(ids.slice(1));
    const refused = await ask(`/api/houses?ids=${ids}`).expect(400);
    expect(refused.body.errors).toMatchObject([{ param: "ids", message: "must be at most 200 IDs" }]);
    // A repeated one counts once.
    await ask(`/api/houses?ids=${ids.slice(1)},5`).expect(200);
    await addServer(site.db, { id: "one" });
    await addServer(site.db, { id: "two" });
    await addItem(site.db, { id: "vip" });
    expect(idsOf((await ask("/api/servers?ids=two,one,no").expect(200)).body)).toEqual(["two", "one"]);
    expect((await ask("/api/donate-items?ids=vip,no").expect(200)).body.unknown).toEqual(["no"]);
  });

  it("are 400 if no record can have them", async () => {
    for (const ids of ["a,%00", `a,${"x".repeat(201)}`]) await ask(`/api/items?ids=${ids}`).expect(400);
    const { body } = await ask("/api/items?ids='%20or%201=1,%F0%9F%98%80,{},%25").expect(200);
    expect(body.unknown).toEqual(["' or 1=1", "😀", "{}", "%"]);
  });
});

describe("fields", () => {
  beforeEach(() =>
    insertRecords(site.db, "items", [
      { id: "a", name: "A", attributes: { rarity: "rare", "x.y": 1, internal: 2 } },
    ]),
  );
  const fields = async (list: string) => (await ask(`/api/items?fields=${list}`).expect(200)).body.records[0];

  it("leave out all others", async () => {
    expect(await fields("name,id")).toEqual({ id: "a", name: "A" });
    expect(await fields("attributes.x.y,attributes.none,id")).toEqual({ id: "a", attributes: { "x.y": 1 } });
    expect(await fields("attributes,attributes.x.y")).toEqual({ attributes: { rarity: "rare", "x.y": 1 } });
    const { body } = await ask("/api/items?ids=a,b&fields=id").expect(200);
    expect(body).toMatchObject({ records: [{ id: "a" }], unknown: ["b"] });
  });

  it("are 400 with a list of valid ones if they do not exist", async () => {
    for (const wrong of ["id,nme", "constructor", "__proto__", ","]) {
      const { body } = await ask(`/api/items?fields=${wrong}`).expect(400);
      expect(body.errors[0].message).toMatch(/^must be one of kind, id, name,/);
    }
    expect(await fields("attributes.")).toEqual({ attributes: {} });
  });

  it("never show what the operator hides", async () => {
    expect(await fields("attributes.internal")).toEqual({ attributes: {} });
    expect((await ask("/api/items/a").expect(200)).body.attributes).toEqual({ rarity: "rare", "x.y": 1 });
    const more = ["b", "c", "d"].map((id, n) => ({ id, attributes: { internal: n, shown: n } }));
    await insertRecords(site.db, "items", more);
    await ask("/api/items?sort=a.shown&a.shown=2").expect(200);
    const { body } = await ask("/api/items?a.internal=2").expect(400);
    expect(body.errors[0].message).toMatch(/available: .*shown/);
    expect(body.errors[0].message).not.toContain("internal");
    await ask("/api/items?sort=a.internal").expect(400);
  });
});

describe("lang", () => {
  beforeEach(async () => {
    const names = { en: "Rifle", ru: "Винтовка" };
    const attributes = { rarity: "rare", seats: 2 };
    await insertRecords(site.db, "items", [{ id: "a", name: "Rifle", names, category: "Guns", attributes }]);
    await site.db("items").update({ description: "Long.", descriptions: { ru: "Длинная." } });
  });

  it("translates names, descriptions and labels, and keeps values", async () => {
    const { body } = await ask("/api/items/a?lang=ru").expect(200);
    expect(body).toMatchObject({
      ...{ name: "Винтовка", description: "Длинная.", category: "Guns" },
      attributes: { rarity: "rare", seats: 2 },
      labels: { category: "Огнестрел", attributes: { rarity: "Редкость" }, values: { rarity: "редкий" } },
    });
    const list = await ask("/api/items?lang=ru-RU&fields=name").expect(200);
    expect(list.body.records).toEqual([{ name: "Винтовка" }]);
  });

  it("falls back to the main texts for an unknown language, and has no labels by default", async () => {
    const { body } = await ask("/api/items/a?lang=de").expect(200);
    expect(body).toMatchObject({ name: "Rifle", description: "Long.", labels: { category: "Firearms" } });
    expect((await ask("/api/items/a").expect(200)).body).not.toHaveProperty("labels");
  });

  it("is 400 if it is invalid", async () => {
    for (const wrong of ["../en", "ru_RU", "x".repeat(36)]) {
      const { body } = await ask(`/api/items/a?lang=${wrong}`).expect(400);
      expect(body.errors).toMatchObject([{ param: "lang" }]);
    }
  });
});

describe("CSV", () => {
  beforeEach(() =>
    insertRecords(site.db, "houses", [
      {
        id: "a",
        name: 'Villa "Sol", big\nand =old',
        names: { ru: "Вилла" },
        image: "/images/a.png",
        attributes: { price: -1.5, garage: true, tags: ["a", 1], x: 1, y: 2 },
      },
      { id: "=1+1", name: "@home", attributes: { note: "-5" } },
    ]),
  );

  it("is the list as one table, by address or by Accept", async () => {
    const query = "sort=id&fields=id,name,names,place,attributes,images";
    const { text, headers } = await ask(`/api/houses.csv?${query}`).expect(200);
    expect(headers["content-type"]).toBe("text/csv; charset=utf-8");
    expect(text.split("\r\n")).toEqual([
      "id,name,names.ru,place.x,place.y,place.z,attributes.garage,attributes.note,attributes.price,attributes.tags,attributes.x,attributes.y,images",
      `'=1+1,'@home,,,,,,-5,,,,,`,
      `a,"Villa ""Sol"", big\nand =old",Вилла,1,2,,true,,-1.5,"[""a"",1]",1,2,http://almanac.test/images/a.png`,
      "",
    ]);
    const path = "/api/houses?sort=id&fields=id,attributes.price,attributes.none";
    const accepted = await ask(path).set("Accept", "text/csv");
    expect(accepted.text).toBe("id,attributes.price,attributes.none\r\n'=1+1,,\r\na,-1.5,\r\n");
    expect(accepted.headers.vary).toMatch(/\bAccept$/);
  });

  it("quotes the empty cell of a single column, because readers skip blank lines", async () => {
    const { text } = await ask("/api/houses.csv?sort=id&fields=attributes.note").expect(200);
    expect(text).toBe('attributes.note\r\n-5\r\n""\r\n');
  });

  it("has the columns of the schema, whatever the records have", async () => {
    await addItem(site.db, { id: "vip" });
    const { text } = await ask("/api/donate-items.csv").expect(200);
    const head = text.split("\r\n")[0];
    expect(head).toContain(",price,currency,discount.id,");
    expect(head).toContain(",lows.ever.price,lows.ever.since,lows.lately.price,");
    const { text: none } = await ask("/api/vehicles.csv").expect(200);
    expect(none).toMatch(/^kind,id,name,category,.*\r\n$/);
  });

  it("is served beside JSON, never instead of it", async () => {
    for (let n = 0; n < 2; n++) {
      expect((await ask("/api/houses")).type).toBe("application/json");
      expect((await ask("/api/houses").set("Accept", "text/csv")).type).toBe("text/csv");
      expect((await ask("/api/houses").set("Accept", "text/*")).type).toBe("text/csv");
      expect((await ask("/api/houses.csv")).type).toBe("text/csv");
    }
    const tagOf = async (path: string) => String((await ask(path)).headers.etag);
    await ask("/api/houses.csv")
      .set("If-None-Match", await tagOf("/api/houses.csv"))
      .expect(304);
    await ask("/api/houses.csv")
      .set("If-None-Match", await tagOf("/api/houses"))
      .expect(200);
  });

  it("links to its next page, and accepts the key in the address", async () => {
    const path = `/api/houses.csv?limit=1&api_key=${reads.key}`;
    const { headers, text } = await request(site.app).get(path).expect(200);
    expect(text.split("\r\n")).toHaveLength(3);
    const next = /^<http:\/\/almanac\.test\/api\/houses\.csv\?limit=1&cursor=[\w-]+>; rel="next"$/;
    expect(headers.link).toMatch(next);
    await request(site.app).get("/api/houses.csv").expect(401);
  });
});
