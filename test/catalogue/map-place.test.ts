import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { HAS_POSITION, readPosition } from "../../src/records/position.ts";
import { useTestApp } from "../helpers/app.ts";

const site = useTestApp();

describe("placeOf", () => {
  it.each([
    ["x, y, z", { x: 1, y: -2, z: 3.5 }, { x: 1, y: -2, z: 3.5 }],
    ["no height", { x: 0, y: 0 }, { x: 0, y: 0, z: undefined }],
    ["pos_x, pos_y", { pos_x: 7, pos_y: 8 }, { x: 7, y: 8, z: undefined }],
    ["an object", { position: { x: 1, y: 2, z: 3 } }, { x: 1, y: 2, z: 3 }],
    ["a list", { position: [1, 2, 3] }, { x: 1, y: 2, z: 3 }],
    ["text, as CSV files hold it", { x: "-1690.8", y: "25" }, { x: -1690.8, y: 25, z: undefined }],
    ["the first spelling that is whole", { x: 1, pos_x: 5, pos_y: 6 }, { x: 5, y: 6, z: undefined }],
  ])("finds %s", (_name, attributes, place) => {
    expect(readPosition(attributes)).toEqual(place);
  });

  it.each([
    ["nothing", {}],
    ["half of one", { x: 1 }],
    ["words", { x: "north", y: "south" }],
    ["blanks", { x: "", y: " " }],
    ["what is no number", { x: true, y: null }],
    ["what no game is as large as", { x: 1e7, y: 0 }],
    ["text of a place", { position: "1, 2" }],
    ["what objects inherit", { position: [] }],
  ])("finds none in %s", (_name, attributes) => {
    expect(readPosition(attributes)).toBeUndefined();
  });
});

describe("the condition in SQL", () => {
  const value = fc.oneof(
    fc.double({ min: -2e7, max: 2e7, noNaN: true }).map((number) => Math.round(number * 1e9) / 1e9),
    fc.constantFrom(0, -0, 1e-9, 9999999.5, "12", "-3.25", "1e3", "1.", ".5", "", "９", null, true),
  );
  const attributes = fc.oneof(
    fc.record({ x: value, y: value }, { requiredKeys: [] }),
    fc.record({ pos_x: value, pos_y: value, x: value }, { requiredKeys: [] }),
    fc.record({ position: fc.oneof(value, fc.array(value), fc.record({ x: value, y: value })) }),
  );

  it("is true for exactly those attributes that hold a place", async () => {
    const samples = fc.sample(attributes, 400);
    const { rows } = await site.db.raw(
      `select (${HAS_POSITION}) as found from unnest(?::jsonb[]) with ordinality as sample (attributes, number) order by number`,
      [samples.map((sample) => JSON.stringify(sample))],
    );
    const found = rows.map((row: { found: boolean | null }) => row.found === true);
    // As Postgres hands them out: JSON has no -0.
    const expected = samples.map((sample) => readPosition(JSON.parse(JSON.stringify(sample))) !== undefined);
    expect(samples.filter((_, index) => found[index] !== expected[index])).toEqual([]);
    expect(new Set(found)).toEqual(new Set([true, false]));
  });
});
