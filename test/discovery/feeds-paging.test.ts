import request from "supertest";
import { beforeEach, describe, expect, it } from "vitest";
import { listOlderChanges } from "../../src/catalogue/feed-queries.ts";
import { useTestApp } from "../helpers/app.ts";
import { parseXml } from "../helpers/xml.ts";

const site = useTestApp();

beforeEach(async () => {
  // Each removed record leaves a tombstone.
  for (const table of ["items", "catalogue_tombstones"]) await site.db(table).delete();
});

interface Read {
  ids: string[];
  titles: string[];
  links: Record<string, string>;
  isArchive: boolean;
}

/** A feed of the site by its path or address. */
async function read(address: string): Promise<Read> {
  const path = address.replace("http://almanac.test", "");
  const { text } = await request(site.app).get(path).expect(200);
  const { channel } = parseXml(text).rss;
  const items: { link: string; title: string }[] = channel.item ?? [];
  const links: { "@rel": string; "@href": string }[] = [channel["atom:link"]].flat();
  return {
    ids: items.map(({ link }) => decodeURIComponent(link.split("/").at(-1) ?? "")),
    titles: items.map(({ title }) => title),
    links: Object.fromEntries(links.map((link) => [link["@rel"], link["@href"]])),
    isArchive: "fh:archive" in channel,
  };
}

/** All pages from one on. */
async function readAll(address: string): Promise<{ ids: string[]; addresses: string[] }> {
  const ids: string[] = [];
  const addresses: string[] = [];
  for (let next: string | undefined = address; next !== undefined; ) {
    const page: Read = await read(next);
    ids.push(...page.ids);
    next = page.links["prev-archive"];
    expect(page.links.next).toBe(next);
    if (next !== undefined) addresses.push(next);
    expect(addresses.length).toBeLessThan(400);
  }
  return { ids, addresses };
}

/** What an import does: all its records at one time, which is later than before unless one is given. */
async function importItems(ids: string[], changed: Record<string, unknown> = {}): Promise<void> {
  await site.db.raw(
    `insert into items as t (id, name, category, attributes, created_at, updated_at)
     select id, 'Item ' || id, :category, :attributes::jsonb, now.at, now.at
       from unnest(:ids::text[]) id, (select coalesce(:at::timestamptz, clock_timestamp()) as at) now
     on conflict (id) do update set attributes = excluded.attributes, category = excluded.category,
       revision = t.revision + 1, updated_at = excluded.updated_at`,
    { ids, category: null, attributes: "{}", at: null, ...changed },
  );
}

function numbered(count: number, prefix = "n"): string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}${String(index).padStart(5, "0")}`);
}

describe("a feed that is too short for an import", () => {
  it("leads to all 200 changes, and each page to the next one", async () => {
    await importItems(numbered(200));
    const first = await read("/items.rss");
    expect(first.ids).toHaveLength(50);
    expect(first.links.self).toBe("http://almanac.test/items.rss");
    expect(first.isArchive).toBe(false);
    const { ids } = await readAll("/items.rss");
    expect([...new Set(ids)].sort()).toEqual(numbered(200));
    const page = await read(String(first.links["prev-archive"]));
    expect(page.isArchive).toBe(true);
    expect(page.links.current).toBe("http://almanac.test/items.rss");
    expect(page.links.self).toBe(first.links["prev-archive"]);
  });

  it("names no other page where there is nothing else", async () => {
    await importItems(numbered(50));
    expect((await read("/items.rss")).links).not.toHaveProperty("prev-archive");
    await importItems(["one more"]);
    expect((await read("/items.rss")).links).toHaveProperty("prev-archive");
  });

  it("leads to every removed entry, though only half of the feed may be removed ones", async () => {
    await importItems(numbered(90));
    await site.db("items").whereIn("id", numbered(70)).update({ demo: false });
    await site.db("items").whereIn("id", numbered(70)).delete();
    const first = await read("/items.rss");
    expect(first.titles.filter((title) => title.startsWith("Removed: "))).toHaveLength(25);
    expect(first.titles.filter((title) => !title.startsWith("Removed: "))).toHaveLength(20);
    const { ids } = await readAll("/items.rss");
    expect(new Set(ids)).toEqual(new Set(numbered(90)));
  });

  it("keeps its pages where they are when something new comes", async () => {
    // Where pages begin follows from ids and times: at a time of chance, more of them may begin beside the feed.
    await importItems(numbered(600), { at: "2026-01-01T00:00:00Z" });
    const before = await readAll("/items.rss");
    const old = await Promise.all(before.addresses.slice(1).map(read));
    await importItems(numbered(30, "later"), { at: "2026-01-02T00:00:00Z" });
    const after = await readAll("/items.rss");
    expect(after.addresses.length).toBeGreaterThan(3);
    // Only what lies beside the feed itself may be at a new address.
    const fresh = after.addresses.filter((address) => !before.addresses.includes(address));
    expect(fresh.length).toBeLessThanOrEqual(2);
    expect(await Promise.all(before.addresses.slice(1).map(read))).toEqual(old);
  });

  it("loses nothing for a reader that stops at the first page it knows", async () => {
    await importItems(numbered(300));
    const known = new Set((await readAll("/items.rss")).addresses);
    const changed = [...numbered(300).filter((_, index) => index % 3 === 0), ...numbered(120, "new")];
    await importItems(changed, { attributes: '{"weight": 2}' });
    const seen = new Set<string>();
    for (let next: string | undefined = "/items.rss"; next !== undefined && !known.has(next); ) {
      const page: Read = await read(next);
      for (const id of page.ids) seen.add(id);
      next = page.links["prev-archive"];
    }
    expect(changed.filter((id) => !seen.has(id))).toEqual([]);
  });

  it("has pages that end, though no change among very many is a border", async () => {
    await importItems(numbered(1_200));
    let from: string | undefined = "99999999999999999-a";
    let count = 0;
    while (from !== undefined) {
      const page = await listOlderChanges(site.db, "items", from);
      expect(page.entries.length).toBeLessThanOrEqual(500);
      expect(page.entries.length).toBeGreaterThan(0);
      count += page.entries.length;
      from = page.older;
    }
    expect(count).toBe(1_200);
  });

  it("answers 404 past the end and 400 to what is no page", async () => {
    await importItems(["1"]);
    await request(site.app).get("/items.rss?from=1-a").expect(404);
    for (const bad of ["x", "12", "-1", `1${"0".repeat(17)}-a`, "1-%00"])
      await request(site.app).get(`/items.rss?from=${bad}`).expect(400);
  });
});

describe("the feed of a category", () => {
  it("has what is in it, with pages of its own, and nothing else", async () => {
    await importItems(numbered(120, "gun"), { category: "Guns & more" });
    await importItems(numbered(80, "hat"), { category: "Hats" });
    await site.db("items").where({ id: "gun00007" }).delete();
    const path = "/items.rss?category=Guns+%26+more";
    const { ids, addresses } = await readAll(path);
    expect(new Set(ids)).toEqual(new Set(numbered(120, "gun")));
    expect(addresses.every((address) => address.includes("category=Guns+%26+more"))).toBe(true);
    const { text } = await request(site.app).get(path).expect(200);
    expect(parseXml(text).rss.channel).toMatchObject({
      title: "Almanac: new and updated items (Guns & more)",
      link: "http://almanac.test/items?category=Guns+%26+more",
    });
  });

  it("is 404 for a category that nothing has", async () => {
    await request(site.app).get("/items.rss?category=None+has+it").expect(404);
  });
});
