import fc from "fast-check";
import request from "supertest";
import { beforeEach, describe, expect, it } from "vitest";
import { clusterPoints, type MapPoint } from "../../src/catalogue/map/clusters.ts";
import { TEST_CONFIG, useTestApp } from "../helpers/app.ts";
import { emptyCatalogue, insertRecords, type TestEntry } from "../helpers/catalogue.ts";
import { attributes, elements, mainOf, textOf } from "../helpers/html.ts";

const site = useTestApp();

beforeEach(() => emptyCatalogue(site.db));

const page = async (path: string, status = 200) => mainOf(await site.page(path, status));

/** A house at a place. */
function house(id: string, x: number, y: number, more: Partial<TestEntry> = {}): TestEntry {
  return { id, attributes: { x, y }, ...more };
}

/** The points that the dots of the picture are drawn at, of all prices. */
function dots(html: string): string[] {
  return [...html.matchAll(/<path id="dots-\d" d="([^"]*)"/g)].flatMap(([, path = ""]) =>
    path.split("M").filter(Boolean),
  );
}

const linksIn = (html: string) => attributes(html, "href");

function rows(html: string): string[] {
  return elements(html, "tr").slice(1).map(textOf);
}

describe("a map's page", () => {
  it("says so when nothing has coordinates", async () => {
    await insertRecords(site.db, "houses", [{ id: "nowhere" }, { id: "half", attributes: { x: 1 } }]);
    const html = await page("/en/houses/map");
    expect(textOf(html)).toContain("No houses have coordinates yet");
    expect(html).not.toContain('<svg class="map-picture"');
  });

  it("draws each place that it lists, north up, and lists name, coordinates and price", async () => {
    const attributes = { x: 100.25, y: -200, price: 145000 };
    const villa = { id: "h1", name: "Villa", category: "Villas", attributes };
    await insertRecords(site.db, "houses", [villa, house("h2", -5, 7, { name: "Hut" }), { id: "nowhere" }]);
    const html = await page("/en/houses/map");
    expect(dots(html).sort()).toEqual(["-5 -7h0", "100.25 200h0"]);
    expect(rows(html)).toEqual([
      "Hut -5, 7 – Show on map : Hut",
      "Villa Villas 100.3, -200 145,000 Show on map : Villa",
    ]);
    expect(html).toContain('aria-label="Map with 2 houses, all named in the list."');
    expect(linksIn(html)).toContain("/en/houses/h1");
  });

  it("is there for businesses as well, and for no other kind", async () => {
    await insertRecords(site.db, "businesses", [house("b", 1, 2)]);
    expect(dots(await page("/en/businesses/map"))).toEqual(["1 -2h0"]);
    await request(site.app).get("/en/items/map").expect(404);
  });

  it("has names in the reader's language, with the original for users who know it too", async () => {
    const names = { en: "Villa", ru: "Вилла" };
    await insertRecords(site.db, "houses", [house("h", 1, 2, { name: "Villa", names })]);
    const html = await page("/ru/houses/map");
    expect(rows(html)).toEqual(["Вилла Villa 1, 2 На карте : Вилла"]);
    expect(html).toContain('lang="ru">Вилла</a>');
    expect(html).toContain('<span class="other-name" lang="en" data-second>Villa</span>');
  });

  it("filters by category, and offers those that have places", async () => {
    await insertRecords(site.db, "houses", [
      house("a", 1, 1, { category: "Flats" }),
      house("b", 2, 2, { category: "Villas" }),
      { id: "c", category: "Boats" },
    ]);
    const html = await page("/en/houses/map?category=Villas");
    expect(dots(html)).toEqual(["2 -2h0"]);
    expect(rows(html)).toEqual(["b 2, 2 Show on map : b"]);
    expect(elements(html, "option").map(textOf)).toEqual(["All categories", "Flats", "Villas"]);
    expect(html).toContain('<option value="Villas" selected>');
    const boats = textOf(await page("/en/houses/map?category=Boats", 404));
    expect(boats).toContain("Nothing in the category “Boats”");
  });

  it("shows the entry of a link on the picture, in words and in the list", async () => {
    await insertRecords(site.db, "houses", [house("a/1", 30, 40, { name: "Hut" }), house("b", 2, 2)]);
    const html = await page("/en/houses/map?at=a%2F1");
    expect(html).toContain('<circle class="map-chosen" cx="30" cy="-40"');
    expect(textOf(html)).toContain("Marked on the map: Hut 30, 40");
    expect(html.match(/<tr data-place="a\/1" aria-current="true">/g)).toHaveLength(1);
    const other = await page("/en/houses/map");
    expect(other).not.toContain("map-chosen");
    expect(linksIn(other)).toContain("/en/houses/map?at=a%2F1#map");
  });

  it("is 404 for an entry that is not on the map", async () => {
    await insertRecords(site.db, "houses", [house("a", 1, 1), { id: "nowhere" }]);
    for (const id of ["gone", "nowhere"]) {
      const html = await page(`/en/houses/map?at=${id}`, 404);
      expect(textOf(html)).toContain(`Nothing on this map has the ID “${id}”.`);
    }
  });

  it("lists a place off the map, and does not draw it", async () => {
    const places = [house("in", 3000, -3000), house("out", 3000.5, 0, { name: "Far" })];
    await insertRecords(site.db, "houses", places);
    const html = await page("/en/houses/map?at=out");
    expect(dots(html)).toEqual(["3000 3000h0"]);
    expect(rows(html)).toContain("Far 3000.5, 0 off the map");
    expect(textOf(html)).toContain("Far is off the map, at 3000.5, 0.");
  });

  it.each([
    ["?at=", 200],
    ["?category=%00", 400],
    ["?page=0", 400],
  ])("answers %s with %i like any list", async (query, status) => {
    await site.page(`/houses/map${query}`, status);
  });
});

describe("the colours of a map", () => {
  it("show prices in steps, with a legend", async () => {
    const prices = [100, 200, 300, 400, 500, 600, 700, 800];
    const houses = prices.map((price) =>
      house(`h${price}`, price, 0, { attributes: { x: price, y: 0, price } }),
    );
    await insertRecords(site.db, "houses", houses);
    const html = await page("/en/houses/map");
    const [, legend = ""] = /<dl class="map-legend">([\s\S]*?)<\/dl>/.exec(html) ?? [];
    expect(textOf(legend)).toBe("Price under 300 300 to 500 500 to 600 600 and up");
    expect(html).toContain('<path id="dots-2" d="M300 0h0M400 0h0"');
    const { body } = await request(site.app).get("/houses/map/points").expect(200);
    const steps = Object.fromEntries(body.points.map(({ id, step }: MapPoint) => [id, step]));
    expect(steps).toMatchObject({ h200: 1, h300: 2, h500: 3, h600: 4 });
  });
});

describe("the ground of a map", () => {
  it("is the demo's land under demo places only", async () => {
    await insertRecords(site.db, "houses", [house("a", 1, 1, { demo: true })]);
    await insertRecords(site.db, "businesses", [house("b", 1, 1)]);
    for (const path of ["/en/houses/map", "/en/houses/a"]) {
      const html = await page(path);
      expect(html).toMatch(/<use href="\/assets\/img\/map\/land-[0-9a-f]{10}\.svg#land" x="-3000" y="-3000"/);
      expect(html).not.toContain("map-grid");
    }
    for (const path of ["/en/businesses/map", "/en/businesses/b"]) {
      const html = await page(path);
      expect(html).toContain("map-grid");
      expect(html).not.toContain("#land");
    }
  });
});

describe("the points for the script", () => {
  it("are those of the picture, with the words of the popup", async () => {
    await insertRecords(site.db, "houses", [
      house("a/1", 30.04, 40, { name: "Hut", names: { ru: "Хижина" }, category: "Hut" }),
      house("out", 9000, 0),
    ]);
    const { body, headers } = await request(site.app).get("/ru/houses/map/points").expect(200);
    expect(body.points).toEqual([
      {
        ...{ id: "a/1", href: "/ru/houses/a%2F1", name: "Хижина", lang: "ru", other: { name: "Hut" } },
        ...{ category: "Hut", x: 30.04, y: 40, glyph: "place-cabin" },
      },
    ]);
    expect(headers["cache-control"]).toBe("public, no-cache");
    expect(headers.vary).toContain("Accept-Encoding");
  });
});

describe("with an operator's map", () => {
  const file = "public/img/icons/icon-192.png";
  const mapImage = { file, type: "image/png", size: undefined } as const;
  const mapBounds = { west: 0, south: -50, east: 200, north: 50 };
  const own = useTestApp({ look: { ...TEST_CONFIG.look, mapImage, mapBounds } });

  it("shows the picture to the edges of its bounds, from the site itself", async () => {
    await insertRecords(own.db, "houses", [house("a", 10, 20, { demo: true }), house("out", -1, 0)]);
    const { text } = await request(own.app).get("/en/houses/map").expect(200);
    expect(text).toContain('viewBox="0 -50 200 100"');
    const [, image = ""] = /<image href="([^"]+)" x="0" y="-50" width="200" height="100"/.exec(text) ?? [];
    expect(image).toMatch(/^\/assets\/look\/map-[0-9a-f]{10}\.png$/);
    const answer = await request(own.app).get(image).expect(200);
    expect(answer.headers["content-type"]).toBe("image/png");
    expect(answer.headers["cache-control"]).toContain("immutable");
    expect(text).not.toContain("map-grid");
    expect(dots(text)).toEqual(["10 -20h0"]);
  });
});

describe("clusterPoints", () => {
  const at = (x: number, y: number) => ({ x, y });

  it("merges near points at the first of them, also across the edges of its fields", () => {
    const [a, b, c] = [at(0, 0), at(6, 8), at(100, 0)];
    expect(clusterPoints([a, b, c], 11)).toEqual([
      { ...a, points: [a, b] },
      { ...c, points: [c] },
    ]);
    expect(clusterPoints([a, b, c], 10)).toHaveLength(3);
    expect(clusterPoints([at(-1, -1), at(1, 1)], 10)).toHaveLength(1);
    expect(clusterPoints([at(9.9, 0), at(10.1, 0)], 10)).toHaveLength(1);
    // A point belongs to the nearest of several.
    const [first, second, near] = [at(0, 0), at(12, 0), at(7, 0)];
    const clusters = clusterPoints([first, second, near], 10).map(({ points }) => points);
    expect(clusters).toEqual([[first], [second, near]]);
  });

  it("puts each point into one cluster, and clusters out of reach of each other", () => {
    const axis = fc.integer({ min: -500, max: 500 });
    const points = fc.array(fc.record({ x: axis, y: axis }), { maxLength: 60 });
    const sample = fc.property(points, fc.integer({ min: 1, max: 300 }), (points, reach) => {
      const clusters = clusterPoints(points, reach);
      const gaps = clusters.flatMap((a, i) =>
        clusters.slice(i + 1).map((b) => Math.hypot(a.x - b.x, a.y - b.y)),
      );
      expect(new Set(clusters.flatMap((cluster) => cluster.points))).toEqual(new Set(points));
      expect(clusters.flatMap((cluster) => cluster.points)).toHaveLength(points.length);
      expect(gaps.filter((gap) => gap < reach)).toEqual([]);
    });
    fc.assert(sample);
  });
});
