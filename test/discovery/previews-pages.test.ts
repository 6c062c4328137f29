import sharp from "sharp";
import request from "supertest";
import { beforeAll, describe, expect, it } from "vitest";
import { loadDemo } from "../../src/commands/demo/load.ts";
import { LANGUAGES } from "../../src/words/i18n/languages.ts";
import { LiveVocabulary } from "../../src/words/vocabulary/live.ts";
import { useTestApp } from "../helpers/app.ts";
import { insertRecords } from "../helpers/catalogue.ts";
import { kind, makeTables, useOwnKinds } from "../helpers/own-kinds.ts";
import { PAGE_TYPES } from "../helpers/page-types.ts";
import { askPreview, metaOf, previewPathOf } from "../helpers/previews.ts";

const file = useOwnKinds();
const site = useTestApp({}, () => ({ vocabulary: new LiveVocabulary({ file: file.path }) }));

const ARTICLES = ["item", "vehicle", "script", "house", "business", "item-recipe"];
const ABOUT_A_RECORD = [...ARTICLES, "server", "server-week", "donate-item"];
/** A picture takes a third of a second to draw: one for each thing that draws them. */
const DRAWN = ["item", "house", "server", "donate-item", "home"];
/** In turns of the languages. Nobody links to a page that the service worker keeps. */
const pages = PAGE_TYPES.filter(({ reader, name }) => reader === "visitor" && name !== "offline")
  .filter(({ name, isVariant }) => !isVariant || ABOUT_A_RECORD.includes(name))
  .map((page, index) => ({ ...page, language: LANGUAGES[index % LANGUAGES.length] ?? "en" }));

beforeAll(async () => {
  await makeTables(site.db);
  await site.db.transaction(async (transaction) => void (await loadDemo(transaction)));
  await insertRecords(site.db, kind("quests"), [{ id: "wolves", name: "Hunt the wolves" }]);
  await site.search.refresh();
});

describe("what chats show of links", () => {
  it.each(pages)("$name in $language", async ({ name, path, status, language }) => {
    const address = path === "/" ? `/${language}` : `/${language}${path}`;
    const { text } = await request(site.app)
      .get(address)
      .expect(status ?? 200);
    const meta = metaOf(text);
    expect(meta).toMatchObject({
      "og:site_name": "Almanac",
      "og:type": ARTICLES.includes(name) ? "article" : "website",
      "og:title": expect.stringMatching(/\S/),
      "og:description": expect.stringMatching(/\S/),
      "og:url": expect.stringMatching(/^http:\/\/almanac\.test\//),
      "og:locale": language === "ru" ? "ru_RU" : "en_US",
      "og:locale:alternate": language === "ru" ? "en_US" : "ru_RU",
      "og:image": expect.stringMatching(new RegExp(`^http://almanac\\.test/${language}/`)),
      "og:image:type": "image/jpeg",
      "og:image:width": "1200",
      "og:image:height": "630",
      "og:image:alt": expect.stringMatching(/\S/),
      "twitter:card": "summary_large_image",
      "twitter:image:alt": meta["og:image:alt"],
    });
    const isOwn = !new URL(meta["og:image"] ?? "").pathname.startsWith(`/${language}/preview/`);
    expect(isOwn).toBe(ABOUT_A_RECORD.includes(name));
    if (!DRAWN.includes(name)) return;
    const { bytes, picture } = await askPreview(site.app, address, status);
    expect(picture.headers["content-type"]).toBe("image/jpeg");
    expect(picture.headers["cache-control"]).toContain("immutable");
    expect(bytes.length).toBeLessThan(60_000);
    expect(await sharp(bytes).metadata()).toMatchObject({ format: "jpeg", width: 1200, height: 630 });
  });

  it("an entry of a kind of the operator's own", async () => {
    const { meta } = await askPreview(site.app, "/ru/quests/wolves");
    expect(meta["og:image:alt"]).toBe("Hunt the wolves · Квест");
  });
});

it("a page whose address names no language has the picture in the language that it is shown in", async () => {
  const { text } = await request(site.app).get("/items/weapon-24").set("Accept-Language", "ru").expect(200);
  expect(previewPathOf(text)).toMatch(/^\/ru\/items\/weapon-24\/preview\//);
});
