import { readdirSync, readFileSync } from "node:fs";
import { XMLParser, XMLValidator } from "fast-xml-parser";
import sharp from "sharp";
import request from "supertest";
import { describe, expect, it } from "vitest";
import { loadDemoOnce, PICTURED_KINDS } from "../../src/commands/demo/load.ts";
import { useDemo } from "../../src/commands/use-demo.ts";
import { createDb } from "../../src/db/connect.ts";
import { importRecords } from "../../src/exchange/import/import-records.ts";
import { removeDemo } from "../../src/records/demo-records.ts";
import { changePicture } from "../../src/records/pictures/operator/queries.ts";
import { readPicture } from "../../src/records/pictures/read-picture.ts";
import { storedPicture } from "../../src/records/stored-picture.ts";
import { loadConfig } from "../../src/settings/config.ts";
import { useTestApp } from "../helpers/app.ts";
import { createDemoDatabase } from "../helpers/database.ts";
import { mainOf } from "../helpers/html.ts";

const FOLDER = new URL("../../seeds/demo/", import.meta.url);
const idsOf = (kind: string): string[] =>
  JSON.parse(readFileSync(new URL(`${kind}.json`, FOLDER), "utf8")).map(({ id }: { id: string }) => id);
const svgOf = (kind: string, id: string) =>
  readFileSync(new URL(`pictures/${kind}/${id}.svg`, FOLDER), "utf8");
const pictures = PICTURED_KINDS.flatMap((kind) =>
  idsOf(kind).map((id) => ({ kind, id, svg: svgOf(kind, id) })),
);

describe("the demo's pictures", () => {
  it.each(PICTURED_KINDS)("are one file for each of the %s", (kind) => {
    const files = readdirSync(new URL(`pictures/${kind}/`, FOLDER));
    expect(files.toSorted()).toEqual(
      idsOf(kind)
        .map((id) => `${id}.svg`)
        .toSorted(),
    );
  });

  it("are small, well-formed SVG of shapes only, without text, scripts or anything from elsewhere", async () => {
    const known = ["svg", "defs", "linearGradient", "stop", "clipPath", "filter", "feColorMatrix", "use"];
    const shapes = ["g", "path", "rect", "circle", "ellipse"];
    const parser = new XMLParser({ ignoreAttributes: true, alwaysCreateTextNode: false });
    const elements = (node: unknown): string[] =>
      node === null || typeof node !== "object"
        ? []
        : Object.entries(node).flatMap(([name, inner]) => [
            ...(/^\d+$/.test(name) ? [] : [name]),
            ...elements(inner),
          ]);
    for (const [index, { id, svg }] of pictures.entries()) {
      expect(XMLValidator.validate(svg), id).toBe(true);
      const others = elements(parser.parse(svg)).filter((name) => ![...known, ...shapes].includes(name));
      expect(others, id).toEqual([]);
      expect(svg.replaceAll("http://www.w3.org/2000/svg", ""), id).not.toMatch(
        /href="[^#]|https?:|data:|url\((?!#)|\son\w+=|NaN|undefined/i,
      );
      expect(svg.length, id).toBeLessThan(8_000);
      // To draw all of them takes half a minute.
      if (index % 24 === 0) await readPicture(Buffer.from(svg), `${id}.svg`);
    }
  });
});

const site = useTestApp({}, undefined, createDemoDatabase);
const pictureIn = async (table: string, id: string) =>
  (await site.db(table).where({ id }).first("picture", "revision"))?.picture as string | null;

describe("the demo's pictures on the site", () => {
  it("are on pages as soon as the demo is loaded, and made in a size when it is first requested", async () => {
    for (const table of ["items", "vehicles", "donate_items"])
      expect(await site.db(table).whereNull("picture").pluck("id")).toEqual([]);
    expect(await site.db("houses").whereNotNull("picture")).toEqual([]);

    const page = await request(site.app).get("/en/vehicles?sort=name");
    const [, src] = /<img class="thumb[^>]* src="([^"]+)"/.exec(mainOf(page.text)) ?? [];
    expect(src).toMatch(/^\/pictures\/[0-9a-f]{32}-(32|64)\.webp$/);
    expect(await site.db("picture_files").distinct("file").pluck("file")).toEqual(["640.svg"]);
    const name = storedPicture(await pictureIn("vehicles", "411"))?.name;
    await request(site.app).get(`/pictures/${name}-640.svg`).expect(404);
    for (const [file, type] of [
      ["32.webp", "webp"],
      ["64.webp", "webp"],
      ["128.webp", "webp"],
      ["640.webp", "webp"],
      ["640.avif", "heif"],
      ["640.jpeg", "jpeg"],
      ["128.jpeg", "jpeg"],
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
    expect(await site.db("picture_files").where({ name })).toHaveLength(8);
  });

  it("come to records that an earlier version loaded, as no new revision, and leave the operator's own alone", async () => {
    await site.db("items").update({ picture: null });
    await importRecords(site.db, "items", [{ id: "weapon-30", name: "Kalash" }]);
    const chosen = `${"a".repeat(32)}_10x10`;
    await changePicture(site.db, { kind: "items", id: "weapon-31", picture: chosen });
    await site
      .db("settings")
      .where({ key: "demo" })
      .update({ value: { state: "loaded", files: "others" } });
    expect(await loadDemoOnce(site.db)).toBeUndefined();
    const { name = "" } = storedPicture(await pictureIn("items", "weapon-24")) ?? {};
    await request(site.app).get(`/pictures/${name}-64.webp`).expect(200);
    expect(await pictureIn("items", "weapon-30")).toBeNull();
    expect(await pictureIn("items", "weapon-31")).toBe(chosen);
    expect(await site.db("items").where({ id: "weapon-24" }).first("revision")).toEqual({ revision: 1 });
  });

  it("come back to a store that lost them, also where no demo is wanted, until the demo is removed", async () => {
    await site.db("picture_files").delete();
    // A start has one connection for its set-up.
    const db = createDb({ url: site.db.client.connectionSettings.connectionString, poolMax: 1 });
    const config = loadConfig({ DEMO_DATA: "0", PICTURES: "database" });
    const ignore = () => undefined;
    await useDemo(db, { config, isTerminal: false, out: ignore, err: ignore }).finally(() => db.destroy());
    expect(await site.db("picture_files").count()).toEqual([{ count: 682 }]);
    await site.db.transaction(removeDemo);
    await site.db("picture_files").delete();
    expect(await site.db("items").where({ demo: true })).toEqual([]);
    await importRecords(site.db, "items", [{ id: "weapon-24", name: "Mine" }]);
    await loadDemoOnce(site.db);
    expect(await site.db("picture_files")).toEqual([]);
    expect(await pictureIn("items", "weapon-24")).toBeNull();
  });
});
