import request from "supertest";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { importRecords } from "../../src/exchange/import/import-records.ts";
import { loadConfig } from "../../src/settings/config.ts";
import { OTHER_SECTIONS, setHiddenSections } from "../../src/words/kinds/hidden-sections.ts";
import { BUILT_IN_KINDS } from "../../src/words/kinds/kinds.ts";
import { LiveVocabulary } from "../../src/words/vocabulary/live.ts";
import { useTestApp } from "../helpers/app.ts";
import { insertRecords } from "../helpers/catalogue.ts";
import { attributes } from "../helpers/html.ts";

hide(["vehicles", "houses", "map", "shop", "nicknames"]);
const SAFE_OF = { label: "Safe of", type: "entry", kind: "houses" } as const;
const vocabulary = new LiveVocabulary({
  defaults: { kinds: { items: { attributes: { safe_of: SAFE_OF } } } },
});
const site = useTestApp({}, () => ({ vocabulary }));

/** Paths of what is switched off, in any language. */
const HIDDEN =
  /^(\/[a-z]{2})?\/(vehicles|houses|donate|discounts|nicknames|businesses\/map|operator\/(new-)?discount)/;

beforeAll(async () => {
  const { db } = site;
  await insertRecords(db, "items", [{ id: "key", name: "Golden key", attributes: { safe_of: "villa" } }]);
  await insertRecords(db, "houses", [{ id: "villa", name: "Golden villa" }]);
  await insertRecords(db, "vehicles", [{ id: "bus", name: "Golden bus" }]);
  await insertRecords(db, "businesses", [{ id: "bar", name: "Golden bar", attributes: { x: 1, y: 2 } }]);
  await importRecords(db, "servers", [{ id: "one", name: "Golden server", game: "SA-MP" }]);
  const shown = { entity_kind: "item", entity_id: "key" };
  await importRecords(db, "donate-items", [
    { id: "gold", name: "Golden offer", price: 5, currency: "EUR", ...shown },
  ]);
  await importRecords(db, "discounts", [{ id: "d", item_key: "gold", percent: 5, starts_at: "2020-01-01" }]);
  await importRecords(db, "relations", [{ from: "item:key", kind: "opens", to: "house:villa" }]);
});

describe("sections that are switched off", () => {
  it.each([
    ...["/vehicles", "/vehicles/bus", "/vehicles.rss", "/vehicles/compare", "/en/houses/villa"],
    ...["/houses/map", "/businesses/map", "/donate", "/donate/gold", "/discounts.rss"],
    ...["/nicknames", "/api/nickname-generator", "/api/vehicles", "/api/vehicles/bus"],
    ...["/api/vehicles/search?q=bus", "/api/donate-items", "/api/discounts"],
    ...["/sitemap-houses-1.xml", "/sitemap-donate-1.xml"],
  ])("are not at %s", async (path) => {
    await request(site.app).get(path).expect(404);
  });

  it("are linked from no page", async () => {
    const { agent } = await site.logIn(await site.createUser({ role: "operator" }));
    const pages = [
      ...["/", "/items", "/items/key", "/businesses", "/businesses/bar", "/servers", "/servers/one"],
      ...["/search?q=golden", "/search?q=discount", "/docs/api", "/docs/cards", "/favorites"],
      ...["/notifications", "/notifications/webhooks", "/notifications/settings", "/profile"],
      ...["/operator", "/operator/deliveries", "/operator/vocabulary", "/operator/webhooks"],
    ];
    for (const page of pages) {
      const { text } = await agent.get(page).expect(200);
      const links = ["href", "action", "value"].flatMap((name) => attributes(text, name));
      const hidden = links.filter((link) => HIDDEN.test(new URL(link, "http://x").pathname));
      expect(hidden, page).toEqual([]);
    }
    await agent.get("/operator/discounts").expect(404);
  });

  it("are in no sitemap, no search and no description of the API", async () => {
    const { text: sitemap } = await request(site.app).get("/sitemap.xml").expect(200);
    const listed = [...sitemap.matchAll(/<loc>([^<]*)<\/loc>/g)].map(([, url = ""]) => new URL(url).pathname);
    expect(listed).toContain("/items/key");
    expect(listed.filter((path) => HIDDEN.test(path))).toEqual([]);
    const { body: all } = await request(site.app).get("/api/search/all?q=golden").expect(200);
    expect(all).toMatchObject({ shop: [], items: [{ id: "key" }], servers: [{ id: "one" }] });
    expect(Object.keys(all)).not.toContain("vehicles");
    const { body: pages } = await request(site.app).get("/api/search/all?q=nicknames").expect(200);
    expect(pages.pages).toEqual([]);
    const { body: document } = await request(site.app).get("/api/openapi.json").expect(200);
    const paths = Object.keys(document.paths);
    expect(paths).toContain("/api/items/search");
    expect(paths.filter((path) => /vehicles|houses|donate|discounts|nickname/.test(path))).toEqual([]);
  });
});

describe("a site of servers alone", () => {
  hide([...BUILT_IN_KINDS, ...OTHER_SECTIONS]);
  const servers = useTestApp();

  it("answers every page that is left", async () => {
    await importRecords(servers.db, "servers", [{ id: "one", name: "Golden server", game: "SA-MP" }]);
    const { agent } = await servers.logIn(await servers.createUser({ role: "operator" }));
    const pages = [
      "/",
      "/servers",
      "/servers/one",
      "/search?q=golden",
      "/favorites",
      "/docs/api",
      "/profile",
    ];
    const others = ["/operator", "/notifications", "/notifications/webhooks", "/operator/vocabulary"];
    const apis = ["/api/search?q=golden", "/api/search/all?q=golden", "/api/servers", "/api/data"];
    for (const path of [...pages, ...others, "/sitemap.xml", ...apis, "/api/openapi.json"]) {
      const { status, text } = await agent.get(path);
      expect([path, status]).toEqual([path, 200]);
      const links = path.startsWith("/api") ? [] : attributes(text, "href");
      expect(
        links.filter((link) => /\/(items|nicknames|donate|discounts)/.test(link)),
        path,
      ).toEqual([]);
    }
  });
});

describe("the setting SECTIONS_OFF", () => {
  it("names sections with commas between", () => {
    const { sectionsOff } = loadConfig({ SECTIONS_OFF: "Nicknames, houses,map" });
    expect(sectionsOff).toEqual(["nicknames", "houses", "map"]);
    expect(loadConfig({}).sectionsOff).toEqual([]);
  });
});

/** Switches sections off for the tests here; the worker goes on with other files, which have all. */
function hide(sections: readonly string[]): void {
  beforeAll(() => setHiddenSections(sections));
  afterAll(() => setHiddenSections([]));
}
