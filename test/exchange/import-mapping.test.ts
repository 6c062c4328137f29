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

describe("without a mapping", () => {
  it("takes the fields that have our names, and no others", () => {
    const record = { id: 1, name: "Pistol", names: { ru: "Пистолет" }, cost: 5, category: "Guns" };
    expect(shape(record)).toEqual({ id: 1, name: "Pistol", names: { ru: "Пистолет" }, category: "Guns" });
  });

  it("takes names and attributes from columns with dots, as CSV has them", () => {
    const record = { id: "1", "names.ru": "Пистолет", "names.de": "", "attributes.ammo": "17" };
    expect(shape(record)).toEqual({
      id: "1",
      name: "Пистолет",
      names: { ru: "Пистолет" },
      attributes: { ammo: "17" },
    });
  });

  it("tells a field that is there and empty from one that is not there", () => {
    expect(Object.keys(shape({ id: 1, name: "x", category: null, description: "" })).sort()).toEqual([
      "category",
      "description",
      "id",
      "name",
    ]);
  });

  it("does not take inherited properties for fields", () => {
    expect(shape({ id: 1 }, { map: ["name=constructor.name", "category=toString"] })).toEqual({ id: 1 });
  });
});

describe("--map", () => {
  it("reads nested objects and lists", () => {
    const record = {
      typeID: 7,
      name: { en: "Pistol", ru: "Пистолет" },
      tags: ["gun", "small"],
      at: [1.5, 2],
    };
    const map = ["id=typeID", "name=name.en", "names.ru=name.ru", "category=tags.0", "attributes.y=at.1"];
    expect(shape(record, { map })).toEqual({
      id: 7,
      name: "Pistol",
      names: { ru: "Пистолет" },
      category: "gun",
      attributes: { y: 2 },
    });
  });

  it("prefers a field whose own name has the dots", () => {
    expect(shape({ "a.b": 1, a: { b: 2 } }, { map: ["id=a.b"] })).toEqual({ id: 1 });
  });

  it("fills a field with the same text for all", () => {
    expect(shape({ id: 1 }, { map: ["category==Weapons = guns"] })).toEqual({
      id: 1,
      category: "Weapons = guns",
    });
  });

  it("takes the first of several sources that has a value", () => {
    const map = ["name=title|label|=Nameless"];
    expect(shape({ title: "", label: "L" }, { map })).toEqual({ name: "L" });
    expect(shape({ title: "T", label: "L" }, { map })).toEqual({ name: "T" });
    expect(shape({}, { map })).toEqual({ name: "Nameless" });
  });

  it("joins fields by a template", () => {
    const record = { ip: "1.2.3.4", port: 7777, net: { zone: "eu" } };
    const map = ["id=srv-{net.zone}-{port}", "address={ip}:{port}"];
    expect(shape(record, { map }, "servers")).toEqual({ id: "srv-eu-7777", address: "1.2.3.4:7777" });
  });

  it("leaves a joined field empty when one part is", () => {
    expect(shape({ ip: null, port: 7777 }, { map: ["address={ip}:{port}"] }, "servers")).toEqual({
      address: null,
    });
  });

  it("leaves a field out when its source is empty", () => {
    expect(shape({ id: 1, category: "Guns" }, { map: ["category="] })).toEqual({ id: 1 });
  });

  it("goes before the field that has our name", () => {
    const record = { id: 1, online: true, players: 5 };
    expect(shape(record, { map: ["online=players", "status=online"] }, "servers")).toEqual({
      id: 1,
      online: 5,
      status: true,
    });
  });

  it("adds single names and attributes to those of the record, and wins over them", () => {
    const record = { names: { en: "a", ru: "b" }, attributes: { x: 1, y: 2 }, ru: "B", z: 3 };
    expect(shape(record, { map: ["names.ru=ru", "attributes.y=z"] })).toMatchObject({
      names: { en: "a", ru: "B" },
      attributes: { x: 1, y: 3 },
    });
  });

  it("keeps an attribute key like __proto__ a key", () => {
    const record = JSON.parse('{"id":1,"__proto__":{"polluted":1}}');
    const { attributes } = shape(record, { keepRest: true });
    expect(JSON.stringify(attributes)).toBe('{"__proto__":{"polluted":1}}');
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  it.each([
    [["cat=category"], /items have no field "cat"; they have id, name, names/],
    [["price=cost"], /items have no field "price"/],
    [["name"], /say target=source/],
    [["=name"], /say target=source/],
    [["name=a", "name=b"], /--map name is given twice/],
    [["names.ru=a", "names.ru=b"], /--map names.ru is given twice/],
    [["price.x=a"], /have no field "price"/],
    [["popularity.x=a"], /"popularity" has no parts/],
    [["category.x=a"], /"x" is not a language such as en or pt-BR/],
    [["names.=a"], /say names.<key>/],
    [["name=a||b"], /one of the fields is empty/],
    [["name={a"], /every \{ needs its \}/],
    [["name={}"], /every \{ needs its \}/],
  ])("refuses %j", (map, message) => {
    expect(() => parseMappings("items", map)).toThrow(UsageError);
    expect(() => parseMappings("items", map)).toThrow(message);
  });

  it("knows the fields of each kind", () => {
    const fields = (kind: ImportKind) => {
      try {
        parseMappings(kind, ["nonsense=x"]);
      } catch (error) {
        return String(error).replace(/.*they have /, "");
      }
    };
    expect(fields("servers")).toBe(
      "id, name, game, address, url, language, description, descriptions, attributes, position, group_name, adapter, adapter_options, online, queue, max_online, status, checked_at",
    );
    expect(fields("donate-items")).toBe(
      "id, name, names, category, description, categories, descriptions, image, attributes, price, currency, entity_kind, entity_id",
    );
    expect(fields("discounts")).toBe(
      "id, item_key, title, titles, percent, price, starts_at, ends_at, announced",
    );
    expect(fields("houses")).toBe(
      "id, name, names, category, description, categories, descriptions, image, attributes, popularity",
    );
  });
});

describe("warnings", () => {
  it("name sources that no record has, and only those", () => {
    const shaper = shaperOf("items", { map: ["name=titel|title", "category={grop}"], idFrom: "nmae" });
    shaper.shape({ title: "a" });
    shaper.shape({ title: "b" });
    expect(shaper.missingSources()).toEqual(["titel", "grop", "nmae"]);
    shaper.shape({ titel: null, grop: 5, nmae: "x" });
    expect(shaper.missingSources()).toEqual([]);
  });

  it("name fields that nothing was made of", () => {
    const shaper = shaperOf("items", { map: ["name=title"] });
    shaper.shape({ id: 1, title: "a", cost: 5 });
    shaper.shape({ id: 2, title: "b", speed: 5, cost: 7 });
    expect(shaper.fieldsLeftOut()).toEqual(["cost", "speed"]);
  });
});

describe("--null", () => {
  it("means nothing in every field, by its text", () => {
    const nulls = [{ value: "-1" }, { value: "H_DEFAULT" }];
    const record = { id: -1, name: "-1", category: "H_DEFAULT", popularity: -1, description: "-1 or so" };
    expect(shape(record, { nulls })).toEqual({
      id: null,
      name: null,
      category: null,
      popularity: null,
      description: "-1 or so",
    });
  });

  it("means nothing in one field of the source", () => {
    const nulls = [{ field: "cost", value: "-1" }];
    const record = { id: -1, cost: -1, other: -1 };
    expect(shape(record, { nulls, map: ["popularity=cost"], keepRest: true })).toEqual({
      id: -1,
      popularity: null,
      attributes: { other: -1 },
    });
  });

  it("is left out of what is kept", () => {
    expect(
      shape({ id: 1, x: "H_DEFAULT", y: 2, z: "" }, { nulls: [{ value: "H_DEFAULT" }], keepRest: true }),
    ).toEqual({ id: 1, attributes: { y: 2 } });
  });
});

describe("--keep-rest", () => {
  it("keeps what is not mapped under its own name, lists and objects as they are", () => {
    const record = { id: 1, name: "x", cost: 5, at: [1, 2], mods: { a: [true] }, none: null };
    expect(shape(record, { keepRest: true }).attributes).toEqual({
      cost: 5,
      at: [1, 2],
      mods: { a: [true] },
    });
  });

  it("keeps of an object the entries that are not mapped", () => {
    const record = { name: { en: "a", de: "b", sub: { x: 1, y: 2 } } };
    const map = ["name=name.en", "attributes.x=name.sub.x"];
    expect(shape(record, { map, keepRest: true }).attributes).toEqual({
      name: { de: "b", sub: { y: 2 } },
      x: 1,
    });
  });

  it("does not keep again a field whose own name has the dots", () => {
    const record = { "a.b": "x", "a.c": "y" };
    expect(shape(record, { map: ["name=a.b"], keepRest: true })).toEqual({
      name: "x",
      attributes: { "a.c": "y" },
    });
  });

  it("keeps of an object nothing when all of it is mapped", () => {
    const map = ["name=name.en", "names.ru=name.ru"];
    expect(shape({ name: { en: "a", ru: "b" } }, { map, keepRest: true }).attributes).toEqual({});
  });

  it("keeps a list whole unless all of it is mapped", () => {
    const map = ["category=tags.0"];
    expect(shape({ tags: ["a", "b"] }, { map, keepRest: true }).attributes).toEqual({ tags: ["a", "b"] });
    expect(shape({ tags: ["a"] }, { map, keepRest: true }).attributes).toEqual({});
  });

  it("does not put it over the record's own attributes", () => {
    const record = { attributes: { cost: 1 }, cost: 2, speed: 3 };
    expect(shape(record, { keepRest: true }).attributes).toEqual({ cost: 1, speed: 3 });
  });

  it("keeps the field that an id was made of, and an id that is not used", () => {
    const record = { id: -1, name: "Red Door" };
    expect(shape(record, { idFrom: "name", keepRest: true })).toEqual({
      id: "red-door",
      name: "Red Door",
      attributes: { id: -1 },
    });
  });
});

describe("ids made of names", () => {
  it.each([
    ["Red Door", "red-door"],
    ["  Ammunation (Las Venturas, East) ", "ammunation-las-venturas-east"],
    ["Помощь с mapping'ом", "pomoshch-s-mapping-om"],
    ["Ёлка", "yolka"],
    ["Ґанок Қазақ", "ganok-kazak"],
    ["д’Артаньян", "d-artanyan"],
    ["Café Ünïté", "cafe-unite"],
    ["Cafe\u0301", "cafe"],
    ["東京", "dong-jing"],
    ["9mm", "9mm"],
    ["★★★", ""],
    ["", ""],
  ])("%j becomes %j", (text, slug) => {
    expect(createSlug(text)).toBe(slug);
  });

  it("are at most 180 letters, so that a number still fits", () => {
    expect(createSlug("я".repeat(500)).length).toBeLessThanOrEqual(180);
    expect(createSlug(`${"a".repeat(179)} b`)).toBe("a".repeat(179));
  });

  it("get numbers when they repeat, in the order of the file", () => {
    const makeId = createIdMaker();
    const made = ["Ocean Flats", "ocean flats!", "Other", "Ocean-Flats"].map(makeId);
    expect(made).toEqual(["ocean-flats", "ocean-flats-2", "other", "ocean-flats-3"]);
  });

  it("never collide with a name that ends in a number", () => {
    const makeId = createIdMaker();
    expect(["A 2", "A", "A", "A", "A 2", "A 3"].map(makeId)).toEqual([
      "a-2",
      "a",
      "a-3",
      "a-4",
      "a-2-2",
      "a-3-2",
    ]);
  });

  it("are the same in every run", () => {
    const names = Array.from({ length: 500 }, (_, index) => `Name ${index % 37}`);
    expect(names.map(createIdMaker())).toEqual(names.map(createIdMaker()));
    expect(new Set(names.map(createIdMaker())).size).toBe(500);
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

  it("refuse an empty field in the option", () => {
    expect(() => parseIdSources("name,")).toThrow(UsageError);
  });
});
