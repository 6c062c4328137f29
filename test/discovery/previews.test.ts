import { setTimeout } from "node:timers/promises";
import sharp from "sharp";
import request from "supertest";
import { beforeEach, describe, expect, it } from "vitest";
import { makeSizes } from "../../src/records/pictures/make-sizes.ts";
import { changePicture } from "../../src/records/pictures/operator/queries.ts";
import { DatabaseStore } from "../../src/records/pictures/store.ts";
import { pictureColumn } from "../../src/records/stored-picture.ts";
import { useTestApp } from "../helpers/app.ts";
import { emptyCatalogue, insertRecords } from "../helpers/catalogue.ts";
import { addDiscount, addItem } from "../helpers/donate.ts";
import { askPreview, metaOf, previewPathOf } from "../helpers/previews.ts";
import { addRecords, addServer, BUCKET_MS, bucketBefore, MINUTE_MS } from "../helpers/servers.ts";

const site = useTestApp();
const ask = (path: string) => askPreview(site.app, path);
const pathAt = async (path: string) => previewPathOf(await site.page(path));

beforeEach(async () => {
  await emptyCatalogue(site.db);
  for (const table of ["discounts", "donate_items", "servers"]) await site.db(table).delete();
});

async function withItem(item: Record<string, unknown>, path = "/en/items/1") {
  await emptyCatalogue(site.db);
  await insertRecords(site.db, "items", [{ id: "1", name: "Knife", ...item }]);
  return ask(path);
}

describe("the picture of an entry", () => {
  it("is a small JPEG of 1200 × 630 that caches may keep for a year", async () => {
    const { picture, bytes, meta } = await withItem({ category: "Blades", attributes: { damage: 35 } });
    expect(await sharp(bytes).metadata()).toMatchObject({ format: "jpeg", width: 1200, height: 630 });
    expect(bytes.length).toBeLessThan(60_000);
    expect(picture.headers).toMatchObject({
      "content-type": "image/jpeg",
      "cache-control": "public, max-age=31536000, immutable",
    });
    expect(picture.headers["set-cookie"]).toBeUndefined();
    expect(meta["og:image:alt"]).toBe("Knife · Item · Blades · Damage: 35");
    const again = request(site.app).get(new URL(meta["og:image"] ?? "").pathname);
    await again.set("If-None-Match", picture.headers.etag ?? "").expect(304);
  });

  it("has a new address when what it shows changes, and the old one leads there", async () => {
    const before = new URL((await withItem({ attributes: { damage: 35 } })).meta["og:image"] ?? "").pathname;
    await site.db("items").update({ popularity: 7 });
    expect(await pathAt("/en/items/1")).toBe(before);
    await addItem(site.db, { id: "k", price: "10.00", entity_kind: "item", entity_id: "1" });
    const priced = await pathAt("/en/items/1");
    expect(priced).not.toBe(before);
    // Nothing is kept of the old one by another app, as by another process.
    const led = await request(site.app)
      .get(before.replace(/[0-9a-f]{20}/, "0".repeat(20)))
      .expect(302);
    expect(led.headers).toMatchObject({ location: priced, "cache-control": "no-cache" });
    await addDiscount(site.db, { id: "d", item_key: "k", percent: "25" });
    expect(await pathAt("/en/items/1")).not.toBe(priced);
    const followed = await request(site.app).get(priced).redirects(1).expect(200);
    expect(followed.headers["content-type"]).toBe("image/jpeg");
  });

  it("is in the language of the page, and only of one whose address names it", async () => {
    const { meta } = await withItem({ names: { en: "Knife", ru: "Нож" } }, "/ru/items/1");
    expect(meta["og:image:alt"]).toBe("Нож · Предмет");
    expect(meta).toMatchObject({ "og:locale": "ru_RU", "og:locale:alternate": "en_US" });
    const path = new URL(meta["og:image"] ?? "").pathname;
    const open = await request(site.app)
      .get(path.replace(/^\/ru/, ""))
      .set("Accept-Language", "ru")
      .expect(302);
    expect(open.headers.location).toBe(path);
  });

  it("shows the record's picture", async () => {
    const plain = await withItem({});
    const red = sharp({ create: { width: 300, height: 300, channels: 3, background: "#f00" } });
    const made = await makeSizes(await red.png().toBuffer(), "red.png");
    await new DatabaseStore(site.db).write(made.picture.name, made.files);
    await changePicture(site.db, { kind: "items", id: "1", picture: pictureColumn(made.picture) });
    const { bytes } = await ask("/en/items/1");
    const middle = (picture: Buffer) =>
      sharp(picture).extract({ left: 920, top: 310, width: 1, height: 1 }).raw().toBuffer();
    expect([...(await middle(bytes))].map((value) => value > 200)).toEqual([true, false, false]);
    expect((await middle(plain.bytes))[0]).toBeLessThan(150);
  });

  it("is drawn without a picture that is damaged or gone", async () => {
    const plain = await withItem({});
    const made = { name: "d".repeat(32), width: 300, height: 300 };
    await changePicture(site.db, { kind: "items", id: "1", picture: pictureColumn(made) });
    const gone = await ask("/en/items/1");
    expect(gone.meta["og:image"]).not.toBe(plain.meta["og:image"]);
    expect((await sharp(gone.bytes).metadata()).width).toBe(1200);
    const damaged = { ...made, name: "e".repeat(32) };
    const files = new Map([["640.webp" as const, Buffer.from("RIFF....WEBPVP8 damaged")]]);
    await new DatabaseStore(site.db).write(damaged.name, files);
    await changePicture(site.db, { kind: "items", id: "1", picture: pictureColumn(damaged) });
    expect((await sharp((await ask("/en/items/1")).bytes).metadata()).width).toBe(1200);
  });
});

describe("the picture of an item of the shop", () => {
  it("says the price, the one before and until when", async () => {
    await addItem(site.db, { id: "vip", name: "VIP", price: "10.00", category: "Status" });
    await addDiscount(site.db, { id: "d", item_key: "vip", percent: "25", title: "Autumn", ends: 30 });
    const { ends_at } = await site.db("discounts").first();
    const { meta, bytes } = await ask("/en/donate/vip");
    const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", timeZone: "UTC" }).format(ends_at);
    expect(meta["og:image:alt"]).toMatch(
      new RegExp(`^VIP · Shop · Status · 7\\.50.EUR · until ${day}.\\w+.\\d{4}, \\d\\d:\\d\\d.UTC$`),
    );
    expect((await sharp(bytes).metadata()).width).toBe(1200);
  });
});

describe("the picture of a server", () => {
  it("shows the time of its players, and changes every five minutes, not with each poll", async () => {
    // They are not to be over while this test runs.
    const left = BUCKET_MS - (Date.now() % BUCKET_MS);
    if (left < 20_000) await setTimeout(left);
    const columns = { max_online: 200, status: "online", checked_at: new Date() } as const;
    await addServer(site.db, { id: "one", name: "One", ...columns });
    const at = await bucketBefore(site.db, 1);
    const measure = (after: number, online: number) =>
      addRecords(site.db, "one", [{ at: new Date(at + after), online, max_online: 200 }]);
    await measure(0, 120);
    const { meta } = await ask("/en/servers/one");
    const until = new Date(at + BUCKET_MS).toISOString().slice(11, 16);
    expect(meta["og:image:alt"]).toMatch(
      new RegExp(`^One · Server · 120 of 200 players · at \\d+.\\w+.\\d{4}, ${until}.UTC$`),
    );
    const before = meta["og:image"];
    await site.db("servers").update({ checked_at: new Date(Date.now() + MINUTE_MS), online: 121 });
    expect((await ask("/en/servers/one")).meta["og:image"]).toBe(before);
    expect((await ask("/en/servers/one?range=7d")).meta["og:image"]).toBe(before);
    // What the running five minutes have so far changes with each poll.
    await addRecords(site.db, "one", [{ at: new Date(await bucketBefore(site.db, 0)), online: 199 }]);
    expect((await ask("/en/servers/one")).meta["og:image"]).toBe(before);
    await measure(BUCKET_MS, 130);
    const after = await ask("/en/servers/one");
    expect(after.meta["og:image"]).not.toBe(before);
    expect(after.meta["og:image:alt"]).toContain("130 of 200 players");
  }, 60_000);

  it("tells no figures where none are known, and that a server was offline", async () => {
    await addServer(site.db, { id: "one", name: "One" });
    expect((await ask("/en/servers/one")).meta["og:image:alt"]).toBe("One · Server");
    const at = await bucketBefore(site.db, 1);
    await addRecords(site.db, "one", [{ at: new Date(at), status: "offline" }]);
    expect((await ask("/en/servers/one")).meta["og:image:alt"]).toMatch(/^One · Server · offline · at /);
  });
});

describe("pages about no record", () => {
  it("have the site's picture, in their language", async () => {
    // One after the other: on a busy machine, pictures that are requested at once are refused.
    const home = await ask("/en");
    const russian = await ask("/ru/items");
    expect(metaOf(await site.page("/en/items"))["og:image"]).toBe(home.meta["og:image"]);
    expect(russian.meta["og:image"]).not.toBe(home.meta["og:image"]);
    expect(home.bytes.equals(russian.bytes)).toBe(false);
    expect(home.meta["twitter:card"]).toBe("summary_large_image");
    const missing = await request(site.app).get("/en/items/none").expect(404);
    expect(metaOf(missing.text)["og:image"]).toBe(home.meta["og:image"]);
  });
});
