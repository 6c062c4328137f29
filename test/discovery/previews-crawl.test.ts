import express from "express";
import request from "supertest";
import { beforeAll, describe, expect, it } from "vitest";
import type { PreviewCard } from "../../src/discovery/previews/card.ts";
import { previewFile } from "../../src/discovery/previews/card.ts";
import { Previews } from "../../src/discovery/previews/previews.ts";
import { PictureFiles } from "../../src/records/pictures/picture-files.ts";
import { DatabaseStore } from "../../src/records/pictures/store.ts";
import { buildAssets } from "../../src/web/assets/build.ts";
import { useTestApp } from "../helpers/app.ts";
import { insertRecords } from "../helpers/catalogue.ts";
import { previewPathOf } from "../helpers/previews.ts";

const site = useTestApp();
const ENTRIES = 32;

describe("a crawler that asks for every picture at once", () => {
  const paths: string[] = [];
  beforeAll(async () => {
    const entries = Array.from({ length: ENTRIES }, (_, n) => ({ id: `e${n}`, name: `Entry ${n}` }));
    await insertRecords(site.db, "items", entries);
    for (const { id } of entries) {
      paths.push(previewPathOf((await request(site.app).get(`/en/items/${id}`).expect(200)).text));
    }
  });

  it("is turned away for a while, and pages are answered meanwhile", async () => {
    const first = await request(site.app)
      .get(paths[0] ?? "")
      .expect(200);
    const crawl = Promise.all(paths.map((path) => request(site.app).get(path)));
    let pages = 0;
    let isOver = false;
    void crawl.then(() => {
      isOver = true;
    });
    while (!isOver) {
      await request(site.app).get("/en/items/e1").expect(200);
      pages += 1;
    }
    const answers = await crawl;
    const refused = answers.filter(({ status }) => status === 503);
    expect(answers.filter(({ status }) => status !== 200 && status !== 503)).toEqual([]);
    expect(refused.length).toBeGreaterThan(ENTRIES - 26 - 1);
    expect(refused.every(({ headers }) => Number(headers["retry-after"]) > 0)).toBe(true);
    expect(refused.every(({ headers }) => headers["cache-control"]?.includes("no-store"))).toBe(true);
    expect(pages).toBeGreaterThan(2);
    // A drawn picture is there at once.
    expect(answers[0]?.body).toEqual(first.body);
  }, 30_000);
});

describe("the memory of pictures", () => {
  it("is bounded in bytes", async () => {
    const previews = new Previews(new PictureFiles(new DatabaseStore(site.db)), await buildAssets(), 100_000);
    const card = (name: string): PreviewCard => ({
      language: "en",
      kicker: "",
      name,
      facts: [],
      glyphs: [],
      look: { siteName: "Almanac", accent: "#ff9e78", logo: "" },
    });
    const app = express();
    app.use((req, _res, next) => {
      Object.assign(req, { pathLanguage: "en", address: "127.0.0.1" });
      next();
    });
    app.get(
      "/:name/:file",
      previews.serve<{ name: string; file: string }>(async ({ params }) => ({
        card: card(params.name),
        path: "/",
      })),
    );
    for (const name of ["one", "two", "three", "four"]) {
      await request(app)
        .get(`/${name}/${previewFile(card(name))}`)
        .expect(200);
      expect(previews.keptBytes).toBeLessThanOrEqual(100_000);
    }
    expect(previews.keptBytes).toBeGreaterThan(0);
  });
});
