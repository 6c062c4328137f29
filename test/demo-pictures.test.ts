import { readdirSync, readFileSync } from "node:fs";
import { XMLParser, XMLValidator } from "fast-xml-parser";
import sharp from "sharp";
import request from "supertest";
import { describe, expect, it } from "vitest";
import { DRAWN_KINDS, type DrawnKind, pictureOf } from "../seeds/demo/pictures/index.ts";
import { draw } from "../seeds/demo/pictures/pen.ts";
import { loadDrawings } from "../src/demo/drawings.ts";
import { DrawnStore } from "../src/demo/drawn-store.ts";
import { loadDemo, loadDemoOnce, removeDemo } from "../src/demo/load.ts";
import { importRecords } from "../src/import/import-records.ts";
import { changePicture } from "../src/pictures/operator/queries.ts";
import { readPicture } from "../src/pictures/read-picture.ts";
import { DatabaseStore } from "../src/pictures/store.ts";
import { storedPicture } from "../src/records/stored-picture.ts";
import { useTestApp } from "./helpers/app.ts";
import { mainOf } from "./helpers/html.ts";

interface DemoRecord {
  id: string;
  name: string;
  category: string | null;
}

const recordsOf = (kind: DrawnKind): DemoRecord[] =>
  JSON.parse(readFileSync(new URL(`../seeds/demo/${kind}.json`, import.meta.url), "utf8"));
const drawingOf = (kind: DrawnKind, id: string) =>
  pictureOf(kind, recordsOf(kind).find((record) => record.id === id) ?? { id, category: null });
const allDrawings = DRAWN_KINDS.flatMap((kind) =>
  recordsOf(kind).map((record) => ({ kind, record, svg: pictureOf(kind, record) })),
);

describe("the drawings", () => {
  it("are there for every item, vehicle and shop item of the demo", () => {
    expect(allDrawings.length).toBe(440 + 212 + 36);
    expect(allDrawings.filter(({ svg }) => svg === undefined).map(({ record }) => record.id)).toEqual([]);
  });

  it("tell every vehicle from the others, and every item from the others", () => {
    for (const kind of ["items", "vehicles"] as const) {
      const byPicture = Map.groupBy(recordsOf(kind), (record) => pictureOf(kind, record));
      const alike = [...byPicture.values()].filter((records) => records.length > 1);
      expect(alike.map((records) => records.map(({ name }) => name))).toEqual([]);
    }
    expect(drawingOf("items", "weapon-30")).not.toBe(drawingOf("items", "weapon-24"));
  });

  it("show what the shop sells as the catalogue does", () => {
    expect(drawingOf("donate-items", "bike-nrg")).toBe(drawingOf("vehicles", "522"));
  });

  it("are small, well-formed SVG of shapes only, without text, scripts or anything from elsewhere", async () => {
    const known = [
      "svg",
      "defs",
      "linearGradient",
      "stop",
      "clipPath",
      "g",
      "path",
      "rect",
      "circle",
      "ellipse",
    ];
    const parser = new XMLParser({ ignoreAttributes: true, alwaysCreateTextNode: false });
    const elements = (node: unknown): string[] =>
      node === null || typeof node !== "object"
        ? []
        : Object.entries(node).flatMap(([name, inner]) => [
            ...(/^\d+$/.test(name) ? [] : [name]),
            ...elements(inner),
          ]);
    for (const [index, { record, svg = "" }] of allDrawings.entries()) {
      expect(XMLValidator.validate(svg), record.id).toBe(true);
      expect(
        elements(parser.parse(svg)).filter((name) => !known.includes(name)),
        record.id,
      ).toEqual([]);
      expect(svg.replaceAll("http://www.w3.org/2000/svg", ""), record.id).not.toMatch(
        /href|https?:|data:|url\((?!#)|\son\w+=|NaN|undefined/i,
      );
      expect(svg.length, record.id).toBeLessThan(24_000);
      // What it refuses unread is above. To draw all of them takes half a minute.
      if (index % 8 === 0) await readPicture(Buffer.from(svg), `${record.id}.svg`);
    }
  });

  it("use each gradient that they define, and define each that they use", () => {
    for (const { record, svg = "" } of allDrawings) {
      const defined = [...svg.matchAll(/<(?:linearGradient|clipPath) id="([^"]+)"/g)].map(([, id]) => id);
      const used = new Set([...svg.matchAll(/url\(#([^)]+)\)/g)].map(([, id]) => id));
      expect(defined.toSorted(), record.id).toEqual([...used].toSorted());
    }
  });

  it("keep what they show inside the tile", async () => {
    for (const { record, svg = "" } of allDrawings.filter((_each, index) => index % 23 === 0)) {
      const { data, info } = await sharp(Buffer.from(svg)).raw().toBuffer({ resolveWithObject: true });
      const alphaAt = (x: number, y: number) => data[(y * info.width + x) * info.channels + 3];
      expect([alphaAt(2, 2), alphaAt(320, 320)], record.id).toEqual([0, 255]);
    }
  });

  it("say which line of a drawing nobody can draw", () => {
    expect(() => draw("red c 1 2 3\nreddish c 1 2 3")).toThrow("reddish c 1 2 3");
    expect(() => draw("red q 1 2 3")).toThrow("red q 1 2 3");
    expect(() => draw("red c 1 two 3")).toThrow("no number");
  });
});

const site = useTestApp();
const load = () => site.db.transaction(async (transaction) => void (await loadDemo(transaction)));
const pictureIn = async (table: string, id: string) =>
  (await site.db(table).where({ id }).first("picture", "revision"))?.picture as string | null;

describe("the demo's pictures on the site", () => {
  it("are on pages as soon as the demo is loaded, in every size, and take no room in the store", async () => {
    await load();
    for (const table of ["items", "vehicles", "donate_items"])
      expect(await site.db(table).whereNull("picture").pluck("id")).toEqual([]);
    expect(await site.db("houses").whereNotNull("picture")).toEqual([]);

    const page = await request(site.app).get("/en/vehicles?sort=name");
    const [, src] = /<img class="thumb[^>]* src="([^"]+)"/.exec(mainOf(page.text)) ?? [];
    expect(src).toMatch(/^\/pictures\/[0-9a-f]{32}-(32|64)\.webp$/);
    const name = storedPicture(await pictureIn("vehicles", "411"))?.name;
    for (const [file, type] of [
      ["32.webp", "webp"],
      ["64.webp", "webp"],
      ["128.webp", "webp"],
      ["640.webp", "webp"],
      ["640.avif", "heif"],
    ]) {
      const { body, headers } = await request(site.app).get(`/pictures/${name}-${file}`).expect(200);
      const { format, width, height } = await sharp(body).metadata();
      expect({ format, width, height }).toEqual({
        format: type,
        width: Number.parseInt(file ?? "", 10),
        height: width,
      });
      expect(headers["cache-control"]).toContain("immutable");
    }
    expect(await site.db("picture_files")).toEqual([]);
  });

  it("come to records that an earlier version loaded, as no new revision, and leave the operator's own alone", async () => {
    await load();
    await site.db("items").update({ picture: null });
    await importRecords(site.db, "items", [{ id: "weapon-30", name: "Kalash" }]);
    const chosen = `${"a".repeat(32)}_10x10`;
    await changePicture(site.db, { kind: "items", id: "weapon-31", picture: chosen });
    await site
      .db("settings")
      .where({ key: "demo" })
      .update({ value: { state: "loaded", files: "others" } });
    expect(await loadDemoOnce(site.db)).toBeUndefined();
    expect(await pictureIn("items", "weapon-24")).toMatch(/_640x640$/);
    expect(await pictureIn("items", "weapon-30")).toBeNull();
    expect(await pictureIn("items", "weapon-31")).toBe(chosen);
    expect(await site.db("items").where({ id: "weapon-24" }).first("revision")).toEqual({ revision: 1 });
  });

  it("are not written where the demo was removed", async () => {
    await load();
    await removeDemo(site.db);
    expect(await site.db("items").whereNotNull("picture")).toEqual([]);
    await importRecords(site.db, "items", [{ id: "weapon-24", name: "Mine" }]);
    await loadDemoOnce(site.db);
    expect(await pictureIn("items", "weapon-24")).toBeNull();
  });

  it("leave other pictures to the store", async () => {
    const inner = new DatabaseStore(site.db);
    const store = new DrawnStore(inner);
    const name = "0".repeat(32);
    await store.write(name, new Map([["32.webp", Buffer.from("mine")]]));
    expect((await inner.read(name, "32.webp"))?.toString()).toBe("mine");
    expect((await store.read(name, "32.webp"))?.toString()).toBe("mine");
    expect(await store.read("f".repeat(32), "32.webp")).toBeUndefined();
  });

  it("are drawn once for all that ask at once", async () => {
    const store = new DrawnStore(new DatabaseStore(site.db));
    const [name = ""] = (await loadDrawings()).byName.keys();
    const answers = await Promise.all(Array.from({ length: 20 }, () => store.read(name, "64.webp")));
    expect(new Set(answers).size).toBe(1);
  });
});

it("every file of the drawings is one that a person can read through", () => {
  const folder = new URL("../seeds/demo/pictures/", import.meta.url);
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) =>
    file.endsWith(".ts"),
  );
  expect(files.length).toBeGreaterThan(30);
  const lines = (file: string) => readFileSync(new URL(file, folder), "utf8").split("\n").length;
  expect(files.filter((file) => lines(file) > 300)).toEqual([]);
});
