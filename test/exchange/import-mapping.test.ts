import { describe, expect, it } from "vitest";
import type { ImportKind } from "../../src/exchange/import/kinds.ts";
import { parseIdSources, parseMappings } from "../../src/exchange/import/records/mapping.ts";
import { createShaper, type ShapeOptions } from "../../src/exchange/import/records/shape.ts";
import { createIdMaker, createSlug } from "../../src/records/slug.ts";
import { UsageError } from "../../src/settings/usage-error.ts";

interface Call extends Omit<ShapeOptions, "mappings" | "idFrom"> {
  map?: string[];
  idFrom?: string;
}

function shaperOf(kind: ImportKind, { map = [], idFrom, ...options }: Call) {
  return createShaper(kind, {
    ...options,
    mappings: parseMappings(kind, map),
    idFrom: idFrom === undefined ? [] : parseIdSources(idFrom),
  });
}

const shape = (record: Record<string, unknown>, call: Call = {}, kind: ImportKind = "items") =>
  shaperOf(kind, call).shape(record);

type Shaped = [record: Record<string, unknown>, call: Call, shaped: object, kind?: ImportKind];

describe("without a mapping", () => {
  it.each<Shaped>([
    [
      { id: 1, name: "Pistol", names: { ru: "Р" }, cost: 5 },
      {},
      { id: 1, name: "Pistol", names: { ru: "Р" } },
    ],
    // Columns with dots, as CSV has them, and a name that comes from the first translation.
    [
      { id: "1", "names.ru": "Пистолет", "names.de": "", "attributes.ammo": "17" },
      {},
      { id: "1", name: "Пистолет", names: { ru: "Пистолет" }, attributes: { ammo: "17" } },
    ],
    [{ id: 1 }, { map: ["name=constructor.name", "category=toString"] }, { id: 1 }],
  ])("reads %j", (record, call, shaped) => {
    expect(shape(record, call)).toEqual(shaped);
  });

  it("distinguishes an empty field from a missing one", () => {
    const fields = Object.keys(shape({ id: 1, name: "x", category: null, description: "" }));
    expect(fields.sort()).toEqual(["category", "description", "id", "name"]);
  });
});

describe("--map", () => {
  it.each<Shaped>([
    // Nested objects and lists.
    [
      { typeID: 7, name: { en: "Pistol", ru: "Пистолет" }, tags: ["gun", "small"], at: [1.5, 2] },
      { map: ["id=typeID", "name=name.en", "names.ru=name.ru", "category=tags.0", "attributes.y=at.1"] },
      { id: 7, name: "Pistol", names: { ru: "Пистолет" }, category: "gun", attributes: { y: 2 } },
    ],
    // A field whose own name has the dots comes first.
    [{ "a.b": 1, a: { b: 2 } }, { map: ["id=a.b"] }, { id: 1 }],
    // The same text for all.
    [{ id: 1 }, { map: ["category==Weapons = guns"] }, { id: 1, category: "Weapons = guns" }],
    // The first of several sources that has a value.
    [{ title: "", label: "L" }, { map: ["name=title|label|=Nameless"] }, { name: "L" }],
    [{}, { map: ["name=title|label|=Nameless"] }, { name: "Nameless" }],
    // Templates, which are empty if one part is.
    [
      { ip: "1.2.3.4", port: 7777, net: { zone: "eu" } },
      { map: ["id=srv-{net.zone}-{port}", "address={ip}:{port}"] },
      { id: "srv-eu-7777", address: "1.2.3.4:7777" },
      "servers",
    ],
    [{ ip: null, port: 7777 }, { map: ["address={ip}:{port}"] }, { address: null }, "servers"],
    // A field without a source is left out.
    [{ id: 1, category: "Guns" }, { map: ["category="] }, { id: 1 }],
    // A mapping wins over the field of the same name.
    [
      { id: 1, online: true, players: 5 },
      { map: ["online=players", "status=online"] },
      { id: 1, online: 5, status: true },
      "servers",
    ],
    [
      { names: { en: "a", ru: "b" }, attributes: { x: 1, y: 2 }, ru: "B", z: 3 },
      { map: ["names.ru=ru", "attributes.y=z"] },
      { name: "a", names: { en: "a", ru: "B" }, attributes: { x: 1, y: 3 } },
    ],
  ])("reads %j with %j", (record, call, shaped, kind = "items") => {
    expect(shape(record, call, kind)).toEqual(shaped);
  });

  it("keeps an attribute key like __proto__ a key", () => {
    const record = JSON.parse('{"id":1,"__proto__":{"polluted":1}}');
    const { attributes } = shape(record, { keepRest: true });
    expect(JSON.stringify(attributes)).toBe('{"__proto__":{"polluted":1}}');
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  it.each([
    [["cat=category"], /items have no field "cat"; they have id, name, names/],
    [["name"], /say target=source/],
    [["=name"], /say target=source/],
    [["names.ru=a", "names.ru=b"], /--map names.ru is given twice/],
    [["name=a", "name=b"], /--map name is given twice/],
    [["price.x=a"], /have no field "price"/],
    [["popularity.x=a"], /"popularity" has no parts/],
    [["category.x=a"], /"x" is not a language such as en or pt-BR/],
    [["names.=a"], /say names.<key>/],
    [["name=a||b"], /one of the fields is empty/],
    [["name={a"], /every \{ needs its \}/],
  ])("refuses %j", (map, message) => {
    expect(() => parseMappings("items", map)).toThrow(UsageError);
    expect(() => parseMappings("items", map)).toThrow(message);
  });

  it("warns of the sources that no record has", () => {
    const shaper = shaperOf("items", { map: ["name=titel|title", "category={grop}"], idFrom: "nmae" });
    shaper.shape({ title: "a" });
    shaper.shape({ title: "b" });
    expect(shaper.missingSources()).toEqual(["titel", "grop", "nmae"]);
    shaper.shape({ titel: null, grop: 5, nmae: "x" });
    expect(shaper.missingSources()).toEqual([]);
  });
});

describe("--null", () => {
  it.each<Shaped>([
    [
      { id: -1, name: "-1", category: "H_DEFAULT", popularity: -1, description: "-1 or so" },
      { nulls: [{ value: "-1" }, { value: "H_DEFAULT" }] },
      { id: null, name: null, category: null, popularity: null, description: "-1 or so" },
    ],
    [
      { id: -1, cost: -1, other: -1 },
      { nulls: [{ field: "cost", value: "-1" }], map: ["popularity=cost"], keepRest: true },
      { id: -1, popularity: null, attributes: { other: -1 } },
    ],
    [
      { id: 1, x: "H_DEFAULT", y: 2, z: "" },
      { nulls: [{ value: "H_DEFAULT" }], keepRest: true },
      { id: 1, attributes: { y: 2 } },
    ],
  ])("empties fields of %j with %j", (record, call, shaped) => {
    expect(shape(record, call)).toEqual(shaped);
  });
});

describe("--keep-rest", () => {
  it.each<[record: Record<string, unknown>, map: string[], attributes: object]>([
    // Lists and objects stay as they are.
    [
      { cost: 5, at: [1, 2], mods: { a: [true] }, none: null },
      [],
      { cost: 5, at: [1, 2], mods: { a: [true] } },
    ],
    [
      { name: { en: "a", de: "b", sub: { x: 1, y: 2 } } },
      ["name=name.en", "attributes.x=name.sub.x"],
      { name: { de: "b", sub: { y: 2 } }, x: 1 },
    ],
    // A field whose own name has dots is kept or mapped as a whole.
    [{ "a.b": "x", "a.c": "y" }, ["name=a.b"], { "a.c": "y" }],
    // Nothing is left of an object that is mapped completely.
    [{ name: { en: "a", ru: "b" } }, ["name=name.en", "names.ru=name.ru"], {}],
    // A list is kept whole unless all of it is mapped.
    [{ tags: ["a", "b"] }, ["category=tags.0"], { tags: ["a", "b"] }],
    [{ tags: ["a"] }, ["category=tags.0"], {}],
    // The record's own attributes win.
    [{ attributes: { cost: 1 }, cost: 2, speed: 3 }, [], { cost: 1, speed: 3 }],
  ])("keeps of %j what %j does not map", (record, map, attributes) => {
    expect(shape(record, { map, keepRest: true }).attributes).toEqual(attributes);
  });

  it("keeps the field that an id was made of, and an id that is not used", () => {
    const record = { id: -1, name: "Red Door" };
    const shaped = { id: "red-door", name: "Red Door", attributes: { id: -1 } };
    expect(shape(record, { idFrom: "name", keepRest: true })).toEqual(shaped);
  });
});

describe("ids made of names", () => {
  it.each([
    ["Red Door", "red-door"],
    ["  Ammunation (Las Venturas, East) ", "ammunation-las-venturas-east"],
    ["Помощь с mapping'ом", "pomoshch-s-mapping-om"],
    ["Ґанок Қазақ", "ganok-kazak"],
    ["д’Артаньян", "d-artanyan"],
    ["Cafe\u0301", "cafe"],
    ["東京", "dong-jing"],
    ["★★★", ""],
  ])("%j becomes %j", (text, slug) => {
    expect(createSlug(text)).toBe(slug);
  });

  it("are at most 180 letters, so that a number still fits", () => {
    expect(createSlug("я".repeat(500)).length).toBeLessThanOrEqual(180);
    expect(createSlug(`${"a".repeat(179)} b`)).toBe("a".repeat(179));
  });

  it.each([
    ["Ocean Flats, ocean flats!, Other, Ocean-Flats", "ocean-flats, ocean-flats-2, other, ocean-flats-3"],
    // Names that end in a number never collide with them.
    ["A 2, A, A, A, A 2, A 3", "a-2, a, a-3, a-4, a-2-2, a-3-2"],
  ])("get numbers when they repeat: %s", (names, ids) => {
    expect(names.split(", ").map(createIdMaker()).join(", ")).toBe(ids);
  });

  it("can have several fields and a prefix", () => {
    const call = { idFrom: "=zone,city,name" };
    expect(shape({ city: "Los Santos", name: "Idlewood" }, call).id).toBe("zone-los-santos-idlewood");
    expect(shape({ name: "Idlewood" }, call).id).toBe("zone-idlewood");
  });

  it("are not made of a prefix alone, nor of nothing", () => {
    expect(shape({ name: "" }, { idFrom: "=zone,name" }).id).toBeNull();
    expect(shape({ name: "★" }, { idFrom: "name" }).id).toBeNull();
    expect(shape({}, { idFrom: "name" }).id).toBeNull();
  });
});
