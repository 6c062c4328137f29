import { describe, expect, it } from "vitest";
import { attributeRows } from "../src/catalogue/attributes.ts";
import { otherNames, shownImage } from "../src/catalogue/entry.ts";

describe("attributes as lines of a table", () => {
  it.each([
    [{ top_speed_kmh: 140 }, "Top speed", "140 km/h"],
    [{ fuel_percent: 12.5 }, "Fuel", "12.5 %"],
    [{ price: 1234567 }, "Price", "1,234,567"],
    [{ radius: -14.61456 }, "Radius", "-14.6146"],
    [{ kmh: 5 }, "Kmh", "5"],
    [{ items_s: 3 }, "Items", "3 s"],
  ])("%j: a figure with its unit", (attributes, label, text) => {
    expect(attributeRows(attributes)).toEqual([{ label, text, level: 0, type: "number" }]);
  });

  it("reads no unit out of the name of a text", () => {
    expect(attributeRows({ size_m: "big" })).toEqual([
      { label: "Size m", level: 0, type: "text", text: "big" },
    ]);
  });

  it("opens a group for what is nested, one level deeper each time", () => {
    expect(attributeRows({ a: { b: { c: { d: 1 } } } })).toEqual([
      { label: "A", level: 0, type: "group", text: "" },
      { label: "B", level: 1, type: "group", text: "" },
      { label: "C", level: 2, type: "text", text: "D: 1" },
    ]);
  });

  it("keeps a plain list on one line and numbers a list of objects", () => {
    expect(attributeRows({ colours: ["red", 5, true, null] })[0]?.text).toBe("red, 5, yes, –");
    expect(
      attributeRows({ mods: [{ id: 1 }, { id: 2 }] }).map((row) => [row.label, row.level, row.text]),
    ).toEqual([
      ["Mods", 0, ""],
      ["1", 1, ""],
      ["Id", 2, "1"],
      ["2", 1, ""],
      ["Id", 2, "2"],
    ]);
  });

  it.each([{}, [], "", null])("shows %j as a dash", (value) => {
    expect(attributeRows({ value })).toEqual([{ label: "Value", level: 0, type: "text", text: "–" }]);
  });

  it("takes keys that mean something to JavaScript as keys", () => {
    const parsed = JSON.parse('{"__proto__": 1, "constructor": {"x": 2}}');
    expect(attributeRows(parsed).map((row) => row.text)).toEqual(["1", "", "2"]);
  });

  it.each([
    ["https://example.org", "link"],
    ["http://example.org/a b", "text"],
    ["see https://example.org", "text"],
    ["data:text/html,x", "text"],
  ])("%s is a %s", (url, type) => {
    expect(attributeRows({ url })[0]?.type).toBe(type);
  });
});

describe("names and images", () => {
  it("leave out the main name and sort by locale", () => {
    const names = { ru: "Нож", de: "Messer", en: "Knife" };
    expect(otherNames({ name: "Knife", names })).toEqual([
      { locale: "de", language: "German", name: "Messer" },
      { locale: "ru", language: "Russian", name: "Нож" },
    ]);
  });

  it("show no image that is none", () => {
    expect(shownImage(null)).toBeUndefined();
    expect(shownImage("https://")).toBeUndefined();
  });
});
