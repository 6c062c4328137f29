import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { positionText, readPosition, withoutPosition } from "../../src/records/position.ts";
import { placeGlyph } from "../../src/records/small-map/marks.ts";
import { drawSmallMap } from "../../src/records/small-map/static-map.ts";
import { WHOLE_MAP } from "../../src/settings/look.ts";
import { attributes } from "../helpers/html.ts";

const ROOT = path.join(import.meta.dirname, "../..");
const read = (file: string) => readFileSync(path.join(ROOT, file), "utf8");

/** A demo record with a place. */
interface DemoPlace {
  id: string;
  category: string;
  attributes: Record<string, unknown>;
}

const places: DemoPlace[] = ["houses", "businesses"].flatMap((kind) =>
  JSON.parse(read(`seeds/demo/${kind}.json`)),
);

describe("the demo's land", () => {
  const land = read("public/img/map/land.svg");

  it("has firm ground under each demo house and business", () => {
    const [, path = ""] = /class="coast"[^>]* d="([^"]+)"/.exec(land) ?? [];
    const coasts = path.split("M").filter(Boolean).map(pointsOf);
    expect(coasts.length).toBeGreaterThan(2);
    const wet = places.filter(({ attributes }) => {
      const { x, y } = readPosition(attributes) ?? { x: 0, y: 0 };
      return !coasts.some((coast) => isInside(coast, { x, y: -y }));
    });
    expect(places.length).toBeGreaterThan(100);
    expect(wet.map(({ id }) => id)).toEqual([]);
    expect(coasts.some((coast) => isInside(coast, { x: -1200, y: 0 }))).toBe(false);
  });

  it("weighs less than 60 KB, and takes its colours from the page", () => {
    expect(Buffer.byteLength(land)).toBeLessThan(60_000);
    const colours = [...attributes(land, "fill"), ...attributes(land, "stroke")];
    expect(colours.filter((colour) => !/^(none|var\(--map-[a-z]+\))$/.test(colour))).toEqual([]);
  });
});

describe("placeGlyph", () => {
  it.each([
    ["houses", "Mansions", "place-villa"],
    ["houses", "Особняки", "place-villa"],
    ["houses", "Casinos and hotels", "place-hotel"],
    ["businesses", "Bars and clubs", "place-drinks"],
    ["businesses", "Barber shops", "place-clothes"],
    ["businesses", "Барахолка", "shop"],
    ["businesses", null, "shop"],
    ["houses", "Whatever", "house"],
  ] as const)("of %s: %s is %s", (kind, category, glyph) => {
    expect(placeGlyph(kind, category)).toBe(glyph);
  });

  it("names drawings that there are", () => {
    const drawings = attributes(read("public/img/icons.svg"), "id");
    const named = [...read("src/records/small-map/marks.ts").matchAll(/"(place-[a-z]+)"/g)].map(
      ([, name]) => name,
    );
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter((name) => !drawings.includes(name ?? ""))).toEqual([]);
  });
});

/** The corners of a path `x yl dx dy dx dy…z`. */
function pointsOf(path: string) {
  const [x = 0, y = 0, ...steps] = (path.match(/-?\d+/g) ?? []).map(Number);
  const corners = [{ x, y }];
  for (let index = 0; index < steps.length; index += 2) {
    const last = corners.at(-1) ?? { x, y };
    corners.push({ x: last.x + (steps[index] ?? 0), y: last.y + (steps[index + 1] ?? 0) });
  }
  return corners;
}

/** By how often a line to the west crosses the edge. */
function isInside(corners: readonly { x: number; y: number }[], { x, y }: { x: number; y: number }): boolean {
  const crossings = corners.filter((a, index) => {
    const b = corners[(index + 1) % corners.length] ?? a;
    return a.y > y !== b.y > y && x > ((b.x - a.x) * (y - a.y)) / (b.y - a.y) + a.x;
  });
  return crossings.length % 2 === 1;
}

describe("drawSmallMap", () => {
  const shows = (x: number, y: number) => drawSmallMap(WHOLE_MAP, { x, y, z: undefined }, []).viewBox;

  it("has the place in its middle, and stays within the map at its edges", () => {
    expect(shows(0, 0)).toBe("-1000 -500 2000 1000");
    expect(shows(2990, -2990)).toBe("1000 2000 2000 1000");
    expect(shows(9000, 0)).toBe("8000 -500 2000 1000");
  });
});

describe("a place's attributes", () => {
  it("are left out where a small map says them, and no others", () => {
    expect(withoutPosition({ city: "A", x: 1, y: 2, z: 3 })).toEqual({ city: "A" });
    expect(withoutPosition({ position: [1, 2, 3], x: "west" })).toEqual({ x: "west" });
    expect(withoutPosition({ x: 1, size: 2 })).toEqual({ x: 1, size: 2 });
  });

  it("are text that players can copy", () => {
    expect(positionText({ x: 1234.56, y: -0.01, z: 7 })).toBe("1234.6, 0, 7");
    expect(positionText({ x: 1, y: 2, z: undefined })).toBe("1, 2");
  });
});
