import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import sharp, { type Sharp } from "sharp";
import request from "supertest";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { importRecords } from "../../src/exchange/import/import-records.ts";
import { collectPictures } from "../../src/records/pictures/collect.ts";
import { PictureError, readPicture } from "../../src/records/pictures/read-picture.ts";
import { DatabaseStore, FolderStore } from "../../src/records/pictures/store.ts";
import { useTestApp } from "../helpers/app.ts";
import { zipOf } from "../helpers/attack-files.ts";
import { attributes, mainOf } from "../helpers/html.ts";
import { parseXml } from "../helpers/xml.ts";

const site = useTestApp();
let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), "almanac-pictures-"));
});
afterAll(() => rm(directory, { recursive: true }));

function square(colour: string, side = 100, height = side): Sharp {
  return sharp({ create: { width: side, height, channels: 4, background: colour } });
}

const SVG =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 10 5"><path fill="url(#a)" d="M0 0h10v5z"/></svg>';

describe("a file that is given as a picture", () => {
  it.each([
    ["a.png", () => square("red").png().toBuffer()],
    ["a.JPG", () => square("red").jpeg().toBuffer()],
    ["a.webp", () => square("red").webp().toBuffer()],
    ["a.gif", () => square("red").gif().toBuffer()],
    ["a.avif", () => square("red", 16).avif().toBuffer()],
    ["a.svg", async () => Buffer.from(SVG)],
    ["a.svg", async () => Buffer.from(`<?xml version="1.0"?>\n<!-- drawn -->\n${SVG}`)],
    ["without-ending", () => square("red").png().toBuffer()],
  ])("can be %s", async (name, make) => {
    await expect((await readPicture(await make(), name)).webp().toBuffer()).resolves.toBeInstanceOf(Buffer);
  });

  const svgWith = (inside: string) => async () =>
    Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9">${inside}</svg>`);

  it.each([
    ["a.svg", () => square("red").jpeg().toBuffer(), "is JPEG, but its name ends in .svg"],
    ["a.svg", svgWith("<svg:script xlink:href='#a'/>"), "a script"],
    ["a.svg", svgWith('<rect onload="alert(1)"/>'), "an event handler"],
    ["a.svg", svgWith("<foreignObject><body/></foreignObject>"), "a foreignObject"],
    ["a.svg", svgWith('<image href="https://evil.test/a.png"/>'), "a link"],
    ["a.svg", svgWith('<image xlink:href="file:///etc/passwd"/>'), "a link"],
    ["a.svg", svgWith('<rect fill="url(https://evil.test/#a)"/>'), "an outside address"],
    ["a.svg", async () => Buffer.from(`<!DOCTYPE svg [<!ENTITY a "aaaa">]>${SVG}`), "a document type"],
  ])("is refused as %s (%#)", async (name, make, reason) => {
    const error = await readPicture(await make(), name).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(PictureError);
    expect(String(error)).toContain(reason);
  });
});

const storeOf = (name: string) => new FolderStore(path.join(directory, name));

describe("the pictures of a folder or an archive", () => {
  it("are kept in all sizes, once, whatever their name, and read again without being made", async () => {
    const folder = path.join(directory, "plain");
    await mkdir(path.join(folder, "deep/er"), { recursive: true });
    const red = await square("red", 300, 150).png().toBuffer();
    await writeFile(path.join(folder, "a.png"), red);
    await writeFile(path.join(folder, "deep/er/b.png"), red);
    await writeFile(path.join(folder, ".DS_Store"), "rubbish");
    const root = path.join(directory, "store");
    const { pictures, refused } = await collectPictures(folder, new FolderStore(root));
    expect(refused).toEqual([]);
    expect(pictures.of("a")).toMatch(/^[0-9a-f]{32}_300x150$/);
    const others = [pictures.of("/deep/er/b"), pictures.of("b"), pictures.of("x", "b.png")];
    expect(others).toEqual(Array(3).fill(pictures.of("a")));
    expect(pictures.of("nothing")).toBeUndefined();
    const files = (await readdir(root, { recursive: true })).filter((file) => /-\d+\.webp$/.test(file));
    const sizes = files.map((file) => file.replace(/.*-/, "")).sort();
    expect(sizes).toEqual(["128.webp", "32.webp", "64.webp", "640.webp"]);
    const again = await collectPictures(folder, new FolderStore(root));
    expect(again.pictures.of("a")).toBe(pictures.of("a"));
  });

  it("are checked to their end in a dry run, which keeps none", async () => {
    const folder = path.join(directory, "dry");
    await mkdir(folder);
    const red = await square("red", 300, 150).png().toBuffer();
    await writeFile(path.join(folder, "whole.png"), red);
    await writeFile(path.join(folder, "cut.png"), red.subarray(0, red.length - 40));
    const root = path.join(directory, "dry-store");
    const dry = await collectPictures(folder, new FolderStore(root), { dryRun: true });
    expect(dry.refused).toEqual([{ name: "cut.png", reason: "is damaged" }]);
    await expect(readdir(root)).rejects.toThrow("ENOENT");
    const kept = await collectPictures(folder, new FolderStore(root));
    expect(kept.pictures.of("whole")).toBe(dry.pictures.of("whole"));
  });

  it("are taken with the ending of another type, and listed", async () => {
    const folder = path.join(directory, "misnamed");
    await mkdir(folder);
    await writeFile(path.join(folder, "ak.png"), await square("red").webp().toBuffer());
    await writeFile(path.join(folder, "m4.jpeg"), await square("blue").png().toBuffer());
    await writeFile(path.join(folder, "uzi.gif"), await square("green").gif().toBuffer());
    const { pictures, refused, misnamed } = await collectPictures(folder, storeOf("misnamed-store"));
    expect([refused, misnamed]).toEqual([[], ["ak.png is WebP", "m4.jpeg is PNG"]]);
    expect(pictures.of("ak")).toMatch(/^[0-9a-f]{32}_/);
  });

  it.each([
    ["UTF-8", Buffer.from("Щит.png"), "Щит"],
    ["CP866", Buffer.from([0x99, 0xa8, 0xe2, 0x20, 0x32, 0x2e, 0x70, 0x6e, 0x67]), "Щит 2"],
    ["CP437", Buffer.from("caf\x82.png", "latin1"), "café"],
  ])("have names in %s if an archive does not say which", async (_encoding, name, id) => {
    const archive = path.join(directory, "names.zip");
    await writeFile(archive, zipOf([{ name, bytes: await square("red").png().toBuffer() }]));
    const { pictures } = await collectPictures(archive, storeOf("names-store"));
    expect(pictures.of(id)).toMatch(/^[0-9a-f]{32}_/);
  });

  it("are refused one by one with a reason, and the others taken", async () => {
    const archive = path.join(directory, "attack.zip");
    const zeros = Buffer.alloc(30 * 1024 * 1024);
    const zip = zipOf([
      { name: "good.png", bytes: await square("green").png().toBuffer() },
      { name: "bomb.png", bytes: zeros },
      { name: "dense.png", bytes: zeros.subarray(0, 10 * 1024 * 1024) },
      { name: "liar.png", bytes: zeros.subarray(0, 2 * 1024 * 1024), size: 5_000 },
      { name: "cut.png", bytes: (await square("red").png().toBuffer()).subarray(0, 60) },
      { name: "nested.zip", bytes: zipOf([{ name: "x.png", bytes: zeros }]) },
    ]);
    await writeFile(archive, zip);
    const { pictures, refused } = await collectPictures(archive, storeOf("store"));
    expect(pictures.count).toBe(1);
    expect(refused.map(({ name, reason }) => `${name}: ${reason}`)).toEqual([
      "bomb.png: is 30 MB; the limit is 20",
      "cut.png: is damaged",
      "dense.png: is compressed too much for a picture",
      "liar.png: cannot be unpacked",
      "nested.zip: isn’t a PNG, JPEG, WebP, GIF, AVIF or SVG picture",
    ]);
  });

  it("must exist, and be one of the two", async () => {
    const store = new DatabaseStore(site.db);
    await expect(collectPictures(path.join(directory, "none"), store)).rejects.toThrow(/no such folder/);
    const text = path.join(directory, "text.zip");
    await writeFile(text, "text");
    await expect(collectPictures(text, store)).rejects.toThrow(/neither a folder nor a ZIP archive/);
  });
});

describe("a record with a picture", () => {
  const store = () => new DatabaseStore(site.db);
  const record = { id: "/weapons/ak", name: "AK", category: "Rifles" };
  let folder: string;

  beforeAll(async () => {
    folder = path.join(directory, "of-records");
    await mkdir(folder);
    await writeFile(path.join(folder, "ak.png"), await square("blue", 400, 200).png().toBuffer());
    await writeFile(path.join(folder, "lost.png"), await square("grey").png().toBuffer());
  });

  const load = async (records: object[]) => {
    const { pictures } = await collectPictures(folder, store());
    return importRecords(site.db, "items", records, { pictures });
  };

  it("shows it on its page, in lists and in the search, with space for it", async () => {
    const summary = await load([record, { id: "bare", name: "Bare" }]);
    expect(summary.warnings).toEqual(['1 picture is of no record of the file: "lost"']);
    const entry = await site.page("/items/%2Fweapons%2Fak");
    expect(entry).toMatch(
      /<source type="image\/avif" srcset="\/pictures\/[0-9a-f]{32}-640\.avif"><img src="\/pictures\/[0-9a-f]{32}-640\.webp" alt="AK" width="400" height="200"/,
    );
    const list = mainOf(await site.page("/items"));
    expect(list).toMatch(
      /<img class="thumb is-32" src="\/pictures\/[0-9a-f]{32}-32\.webp" srcset="\/pictures\/[0-9a-f]{32}-64\.webp 2x" width="32" height="32" alt=""/,
    );
    expect(list).toMatch(/<span class="thumb is-32" data-kind="items"><svg/);
    const found = await request(site.app).get("/api/search?q=AK").expect(200);
    const address = /^http:\/\/almanac\.test\/pictures\/[0-9a-f]{32}-128\.webp$/;
    expect(found.body.items[0].image_url).toMatch(address);
  });

  it("is unchanged by a second import, and stays if a file has none for it", async () => {
    expect(await load([record, { id: "bare", name: "Bare" }])).toMatchObject({ changed: 0, unchanged: 2 });
    await rm(path.join(folder, "ak.png"));
    expect(await load([record])).toMatchObject({ changed: 0, unchanged: 1 });
    await writeFile(path.join(folder, "ak.png"), await square("black").png().toBuffer());
    expect(await load([record])).toMatchObject({ changed: 1 });
  });

  it("may contain its file's name", async () => {
    await load([{ ...record, image: "lost.png" }]);
    const { picture, image } = await site.db("items").where({ id: record.id }).first();
    expect(picture).toMatch(/_100x100$/);
    expect(image).toBeNull();
  });

  it("is cached for ever under an address with its content's name", async () => {
    const images = attributes(await site.page("/items"), "src");
    const [small = ""] = images.filter((src) => src.startsWith("/pictures/"));
    const answer = await request(site.app).get(small).expect(200).expect("Content-Type", "image/webp");
    expect(answer.headers["cache-control"]).toBe("public, max-age=31536000, immutable");
    expect(answer.headers["x-content-type-options"]).toBe("nosniff");
    expect(answer.headers["set-cookie"]).toBeUndefined();
    await request(site.app).get(small).set("If-None-Match", String(answer.headers.etag)).expect(304);
    const { width, height } = await sharp(answer.body).metadata();
    expect([width, height]).toEqual([32, 32]);
    const large = small.replace("32.webp", "640.avif");
    const made = await request(site.app).get(large).expect(200).expect("Content-Type", "image/avif");
    expect(await sharp(made.body).metadata()).toMatchObject({ width: 100, height: 100, format: "heif" });
  });

  it("is served as JPEG on white to older programs, and stored once made", async () => {
    await writeFile(path.join(folder, "glass.png"), await square("#00000000", 400, 200).png().toBuffer());
    await load([{ id: "glass", name: "Glass", image: "glass.png" }]);
    const { picture } = await site.db("items").where({ id: "glass" }).first();
    const name = picture.slice(0, 32);
    for (const [side, width, height] of [[640, 400, 200] as const, [128, 128, 64] as const]) {
      const address = `/pictures/${name}-${side}.jpeg`;
      const made = await request(site.app).get(address).expect(200).expect("Content-Type", "image/jpeg");
      expect(made.headers["cache-control"]).toBe("public, max-age=31536000, immutable");
      expect(await sharp(made.body).metadata()).toMatchObject({ width, height, format: "jpeg" });
      expect((await sharp(made.body).stats()).channels.map(({ min }) => min)).toEqual([255, 255, 255]);
      expect(await store().read(name, `${side}.jpeg`)).toEqual(made.body);
    }
  });

  it("is in the feed, where a new picture is a new revision", async () => {
    const entries = async () => {
      const { rss } = parseXml(await site.page("/items.rss"));
      return rss.channel.item.find(({ title }: { title: string }) => title === "Glass");
    };
    const before = await entries();
    const address = before["media:thumbnail"]["@url"];
    expect(address).toMatch(/^http:\/\/almanac\.test\/pictures\/[0-9a-f]{32}-640\.jpeg$/);
    await request(site.app).get(new URL(address).pathname).expect(200);
    await load([{ id: "glass", name: "Glass", image: "glass.png" }]);
    expect(await entries()).toEqual(before);
    await load([{ id: "glass", name: "Glass", image: "lost.png" }]);
    const after = await entries();
    expect(after["media:thumbnail"]["@url"]).not.toBe(address);
    expect(after.guid).not.toEqual(before.guid);
  });

  it.each(["nothing", `${"0".repeat(32)}-32.webp`, `${"0".repeat(32)}-33.webp`, "..%2f..%2fsecret-32.webp"])(
    "is not found under %s",
    async (name) => {
      await request(site.app).get(`/pictures/${name}`).expect(404);
    },
  );
});
