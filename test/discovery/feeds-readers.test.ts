import { type Atom, type Json, parseFeed, type Rss } from "feedsmith";
import request from "supertest";
import { beforeEach, describe, expect, it } from "vitest";
import { importRecords } from "../../src/exchange/import/import-records.ts";
import { useTestApp } from "../helpers/app.ts";
import { plainSpaces } from "../helpers/html.ts";

const site = useTestApp();

const PISTOL = { id: "pistol", name: "Pistol", names: { ru: "Пистолет" }, category: "Guns" };
const load = (...records: object[]) => importRecords(site.db, "items", records);

/** An entry as a reader has it, whatever the format. */
interface Read {
  id: string | undefined;
  title: string | undefined;
  html: string;
  tags: (string | undefined)[];
  picture: string | undefined;
}

/** A feed reader: it repeats requests with the stored validators, and knows which entries it has shown. */
class Reader {
  readonly #path: string;
  readonly #shown = new Set<string | undefined>();
  #validators: Record<string, string> = {};

  constructor(path: string) {
    this.#path = path;
  }

  /** Resolves to the entries that are new to the reader; undefined for 304. */
  async poll(): Promise<Read[] | undefined> {
    const response = await request(site.app).get(this.#path).set(this.#validators).responseType("blob");
    if (response.status === 304) return undefined;
    expect(response.status).toBe(200);
    const { etag, "last-modified": modified } = response.headers;
    this.#validators = { "If-None-Match": String(etag), ...(modified && { "If-Modified-Since": modified }) };
    const entries = entriesOf(response.body.toString()).filter(({ id }) => !this.#shown.has(id));
    for (const { id } of entries) this.#shown.add(id);
    return entries;
  }
}

function entriesOf(text: string): Read[] {
  const { format, feed } = parseFeed(text);
  if (format === "rss") return ((feed as Rss.Feed<string>).items ?? []).map(fromRss);
  if (format === "atom") return ((feed as Atom.Feed<string>).entries ?? []).map(fromAtom);
  expect(format).toBe("json");
  return ((feed as Json.Feed<string>).items ?? []).map(fromJson);
}

function fromRss(item: Rss.Item<string>): Read {
  return {
    id: item.guid?.value,
    title: item.title,
    html: plainSpaces(item.description ?? ""),
    tags: (item.categories ?? []).map(({ name }) => name),
    picture: item.media?.thumbnails?.[0]?.url,
  };
}

function fromAtom(entry: Atom.Entry<string>): Read {
  return {
    id: entry.id,
    title: entry.title?.value,
    html: plainSpaces(entry.content?.value ?? ""),
    tags: (entry.categories ?? []).map(({ term }) => term),
    picture: entry.media?.thumbnails?.[0]?.url,
  };
}

function fromJson(item: Json.Item<string>): Read {
  return {
    id: item.id,
    title: item.title,
    html: plainSpaces(item.content_html ?? ""),
    tags: item.tags ?? [],
    picture: item.image,
  };
}

beforeEach(async () => {
  for (const table of ["items", "vehicles", "catalogue_tombstones"]) await site.db(table).delete();
});

describe.each(["/items.rss", "/items.atom", "/items.feed.json"])("a reader of %s", (path) => {
  it("shows each change once, in words, over three polls with imports between", async () => {
    const reader = new Reader(path);
    const knife = { id: "knife", name: "Knife" };
    const pictured = { ...PISTOL, image: "/pictures/pistol.png" };
    await load({ ...pictured, attributes: { price: 900 } }, knife);
    const first = await reader.poll();
    expect(first?.map(({ title }) => title).sort()).toEqual(["Knife", "Pistol"]);
    expect(first?.find(({ title }) => title === "Pistol")).toMatchObject({
      tags: ["Guns"],
      picture: "http://almanac.test/pictures/pistol.png",
    });
    expect(await reader.poll()).toBeUndefined();

    await load({ ...pictured, attributes: { price: 750 } }, knife);
    const [change, ...others] = (await reader.poll()) ?? [];
    expect(others).toEqual([]);
    expect(change?.title).toBe("Pistol – Price: 900 → 750");
    expect(change?.html).toContain("<li>Price: 900 → 750</li>");
    expect(await reader.poll()).toBeUndefined();

    const heavier = { ...PISTOL, attributes: { price: 750, weight_kg: 1.5 } };
    await importRecords(site.db, "items", [heavier], { prune: true, force: true });
    const last = (await reader.poll()) ?? [];
    expect(last.map(({ title }) => title).sort()).toEqual(["Pistol", "Removed: Knife"]);
    const pistol = last.find(({ title }) => title === "Pistol");
    expect(pistol?.html).toContain("<li>Weight: 1.5 kg (added)</li>");
    expect(await reader.poll()).toBeUndefined();
  });

  it("takes no entry of another language, kind, category or site for one of this feed", async () => {
    await load(PISTOL);
    await importRecords(site.db, "vehicles", [{ id: "pistol", name: "Pistol" }]);
    const [own] = (await new Reader(path).poll()) ?? [];
    expect(own?.id).toMatch(/^tag:almanac\.test,2026:\/items\/pistol\/2\d{3}-/);
    const others = [`/ru${path}`, `/en${path}`, path.replace("items", "vehicles"), `${path}?category=Guns`];
    const ids = await Promise.all(others.map(async (other) => (await new Reader(other).poll())?.[0]?.id));
    expect(new Set([own?.id, ...ids]).size).toBe(5);
  });
});

describe.each(["/discounts.rss", "/discounts.atom", "/discounts.feed.json"])("a reader of %s", (path) => {
  const starts_at = "2026-01-01T00:00:00Z";
  const SALE = { id: "sale", item_key: "vip", percent: 20, title: "Atumn sale", starts_at };
  const loadSale = (changed: object = {}) => importRecords(site.db, "discounts", [{ ...SALE, ...changed }]);

  beforeEach(async () => {
    for (const table of ["discounts", "discount_runs", "donate_items"]) await site.db(table).delete();
    const item = { id: "vip", name: "VIP", price: 100 };
    await importRecords(site.db, "donate-items", [item], { currency: "EUR" });
  });

  it("sees a discount once, though it is corrected, or removed by mistake and added again", async () => {
    await loadSale();
    const reader = new Reader(path);
    expect(await reader.poll()).toHaveLength(1);
    for (const correction of [
      { title: "Autumn sale" },
      { titles: { ru: "Осенняя распродажа" } },
      { ends_at: "2126-01-01T00:00:00Z" },
      { starts_at: "2026-01-02T00:00:00Z" },
      { announced: true },
      { percent: 25 },
      { percent: undefined, price: 75 },
    ]) {
      expect(await loadSale(correction)).toMatchObject({ changed: 1 });
      expect([correction, (await reader.poll()) ?? []]).toEqual([correction, []]);
    }
    await site.db("discounts").delete();
    expect((await reader.poll()) ?? []).toEqual([]);
    await loadSale();
    expect((await reader.poll()) ?? []).toEqual([]);
  });

  it("sees the next run of a discount as a new entry", async () => {
    await loadSale({ ends_at: "2026-02-01T00:00:00Z" });
    const reader = new Reader(path);
    expect((await reader.poll()) ?? []).toEqual([]);
    await loadSale({ starts_at: "2026-03-01T00:00:00Z", ends_at: "2126-01-01T00:00:00Z" });
    expect(await reader.poll()).toHaveLength(1);
    await loadSale({ starts_at: "2026-03-01T00:00:00Z", ends_at: "2126-02-01T00:00:00Z" });
    expect((await reader.poll()) ?? []).toEqual([]);
    await loadSale({ starts_at: "2026-03-01T00:00:00Z", ends_at: "2026-04-01T00:00:00Z" });
    await loadSale({ starts_at: "2026-05-01T00:00:00Z", ends_at: "2126-02-01T00:00:00Z" });
    expect(await reader.poll()).toHaveLength(1);
  });
});

describe("the formats of a feed", () => {
  it("say the same", async () => {
    await load(
      { ...PISTOL, description: "**Small** & [<b>](https://x.example)" },
      { id: "2", name: "]]> <i>&amp;" },
    );
    const [rss, atom, json] = await Promise.all(
      ["/ru/items.rss", "/ru/items.atom", "/ru/items.feed.json"].map((path) => new Reader(path).poll()),
    );
    expect(rss).toHaveLength(2);
    expect(rss?.map(({ title }) => title).sort()).toEqual(["]]> <i>&amp;", "Пистолет"]);
    expect(atom).toEqual(rss);
    expect(json).toEqual(rss);
  });

  it("have their own types, and are offered by the pages that they belong to", async () => {
    await load(PISTOL);
    const { text } = await request(site.app).get("/items?category=Guns").expect(200);
    const links = [...text.matchAll(/<link rel="alternate" type="([^"]+)" title="([^"]+)" href="([^"]+)">/g)];
    expect(links.map(([, type, title, href]) => [type, title, href])).toEqual(
      ["?category=Guns", ""].flatMap((query) =>
        [
          ["application/rss+xml", "RSS", ".rss"],
          ["application/atom+xml", "Atom", ".atom"],
          ["application/feed+json", "JSON Feed", ".feed.json"],
        ].map(([type, name, ending]) => [
          type,
          `Almanac: new and updated items${query === "" ? "" : " (Guns)"} (${name})`,
          `/items${ending}${query}`,
        ]),
      ),
    );
    for (const [, type, , href] of links) {
      const { headers } = await request(site.app).get(String(href)).expect(200);
      expect(headers["content-type"]).toBe(`${type}; charset=utf-8`);
    }
    const shop = await request(site.app).get("/donate").expect(200);
    expect(shop.text).toContain('href="/discounts.feed.json"');
    expect(shop.text).not.toContain('href="/items.atom"');
    const servers = await request(site.app).get("/servers").expect(200);
    expect(servers.text).not.toContain('type="application/atom+xml"');
  });
});
