import { describe, expect, it } from "vitest";
import type { ImportKind } from "../../src/exchange/import/kinds.ts";
import { createRecordReader } from "../../src/exchange/import/records/record-reader.ts";
import { connectLink, LAUNCHERS } from "../../src/servers/links.ts";
import { translateText } from "../../src/words/i18n/lazy-text.ts";

/** The errors of a record, a line for each. */
function errorsOf(kind: ImportKind, record: unknown): string[] {
  const { errors } = createRecordReader(kind, {}).read(record);
  return (errors ?? []).map(({ field, reason }) => `${field}: ${translateText(reason)}`);
}

function rowOf(kind: ImportKind, record: Record<string, unknown>) {
  const { row, errors } = createRecordReader(kind, {}).read(record);
  if (!row) throw new Error(JSON.stringify(errors));
  return row;
}

const item = (fields: Record<string, unknown>) => rowOf("items", { id: "1", name: "Pistol", ...fields });
const itemErrors = (fields: Record<string, unknown>) =>
  errorsOf("items", { id: "1", name: "Pistol", ...fields });

describe("ids", () => {
  it.each([
    [7, "7"],
    [1.5, "1.5"],
    ["  M4 ", "M4"],
    ["/Lotus/Types/Items/Thing", "/Lotus/Types/Items/Thing"],
    ["Ключ", "Ключ"],
    // A letter outside the basic plane counts as one.
    ["😀".repeat(200), "😀".repeat(200)],
  ])("takes %j as %j", (given, id) => {
    expect(item({ id: given }).id).toBe(id);
  });

  it.each([
    [null, "id: is missing"],
    [".", 'id: must not be ".": no address could lead to it'],
    ["..", 'id: must not be "..": no address could lead to it'],
    ["a\u0001b", "id: has a control character"],
    ["a\u0000b", "id: has a NUL character"],
    ["a\ud800b", "id: has half of a surrogate pair"],
    ["x".repeat(201), "id: must be at most 200 characters long, not 201"],
    [2 ** 53, "id: is a number too large to be exact; give it as text"],
    [true, "id: must be text, not true"],
    [["a"], "id: must be text, not a list"],
    ["\u200b", "id: has no visible character"],
  ])("refuses %j", (given, problem) => {
    expect(itemErrors({ id: given })).toEqual([problem]);
  });
});

describe("names", () => {
  it.each([
    ["  Heavy\r\n \t Pistol\u00a0II ", "Heavy Pistol II"],
    ["Cafe\u0301", "Caf\u00e9"],
    ["שלום\u200f! می\u200cخواهم \u061c1", "שלום\u200f! می\u200cخواهم \u061c1"],
    [205, "205"],
  ])("stores %j as %j", (name, stored) => {
    expect(item({ name, names: { ru: name } })).toMatchObject({ name: stored, names: { ru: stored } });
  });

  it.each([..."\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"])(
    "loses the mark %j, which reverses the letters after it",
    (mark) => {
      const turned = `A${mark}b`;
      const attributes = { a: turned, b: [turned] };
      expect(item({ name: turned, names: { ru: turned }, category: turned, attributes })).toMatchObject({
        ...{ name: "Ab", names: { ru: "Ab" }, category: "Ab" },
        attributes: '{"a":"Ab","b":["Ab"]}',
      });
      expect(itemErrors({ name: mark })).toEqual(["name: has no visible character"]);
    },
  );

  it.each([
    [null, "name: is missing"],
    ["\u200b\u200b", "name: has no visible character"],
    ["\u3164 \u2800\u115f\uffa0", "name: has no visible character"],
    ["x".repeat(301), "name: must be at most 300 characters long, not 301"],
    ["a\u0007", "name: has a control character"],
    [{ en: "Pistol" }, "name: must be text, not an object"],
  ])("refuses %j", (given, problem) => {
    expect(itemErrors({ name: given })).toEqual([problem]);
  });

  it("comes from the English translation, or else from the first one, if the record has no name", () => {
    expect(rowOf("items", { id: 1, names: { ru: "Пистолет", en: "Pistol" } }).name).toBe("Pistol");
    const row = rowOf("items", { id: 1, names: { de: "", ru: "Пистолет", fr: "Pistolet" } });
    expect(row).toMatchObject({ name: "Пистолет", names: { ru: "Пистолет", fr: "Pistolet" } });
    expect(item({}).names).toEqual({});
  });
});

describe("names by language", () => {
  it("has languages in the form of BCP 47, and no empty translations", () => {
    const names = { EN: "a", pt_br: "b", "zh-hans": "c", "sr-latn-rs": "d", "es-419": "e", "uk ": "f" };
    expect(item({ names: { ...names, ru: "", de: null, fr: "  " } }).names).toEqual({
      ...{ en: "a", "pt-BR": "b", "zh-Hans": "c", "sr-Latn-RS": "d", "es-419": "e", uk: "f" },
    });
  });

  it.each([
    [{ english: "x" }, "names.english: is not a language such as en or pt-BR"],
    [{ en: 5, ru: ["x"] }, "names.ru: must be text, not a list"],
    [{ en: "a", EN: "b" }, "names.EN: en is there with another name"],
    [["x"], "names: must be an object of languages and names, not a list"],
  ])("refuses %j", (names, problem) => {
    expect(itemErrors({ names })).toEqual([problem]);
  });
});

describe("texts", () => {
  it("keeps a description as it is, up to 20,000 characters, and an empty category as null", () => {
    const description = "# Title\n\n* **bold**\t<b>&amp;</b>\r\n".padEnd(20_000, "я");
    expect(item({ description, category: " " })).toMatchObject({ description, category: null });
    expect(itemErrors({ description: `${description}я` })).toEqual([
      "description: must be at most 20000 characters long, not 20001",
    ]);
  });

  it("refuses control characters and halves of surrogate pairs", () => {
    expect(itemErrors({ description: "a\u0008", category: "\ud800" })).toEqual([
      "category: has half of a surrogate pair",
      "description: has a control character",
    ]);
  });
});

describe("images and addresses", () => {
  it.each(["https://cdn.example/a%20b.png?x=1", "http://cdn.example/a.png", "/assets/img/a.png"])(
    "takes the image %s as it is",
    (image) => {
      expect(item({ image }).image).toBe(image);
    },
  );

  it.each([
    "javascript:alert(1)",
    "//evil.example/a.png",
    "/\\evil.example/a.png",
    "image.png",
    "https://cdn.example/a b.png",
    "https://",
    5,
  ])("refuses the image %j", (image) => {
    expect(itemErrors({ image })).toEqual([expect.stringMatching(/^image: /)]);
  });

  it.each([
    "https://play.example/",
    "samp://play.example:7777",
    "mtasa://1.2.3.4:22003",
    "fivem://connect/x",
  ])("takes a server's address for players %s", (url) => {
    expect(rowOf("servers", { id: 1, name: "S", url }).url).toBe(url);
  });

  it.each(LAUNCHERS)("takes %s, which pages link to", (scheme) => {
    const url = `${scheme}//play.example:7777`;
    expect(rowOf("servers", { id: 1, name: "S", url }).url).toBe(url);
    expect(connectLink({ game: null, address: null, url })).toBe(url);
  });

  it.each(["javascript:alert(1)", "vbscript:x", "file:///etc/passwd", "play.example"])(
    "refuses a server's url %s",
    (url) => {
      expect(errorsOf("servers", { id: 1, name: "S", url })).toEqual([expect.stringMatching(/^url: /)]);
    },
  );
});

describe("numbers", () => {
  it.each([
    [12, 12],
    ["12", 12],
    ["1e3", 1000],
    [0, 0],
  ])("takes the popularity %j", (given, popularity) => {
    expect(item({ popularity: given }).popularity).toBe(popularity);
  });

  it.each([
    ...["0x10", "NaN", "Infinity", "1,5", "12abc", "-1", "1e999"],
    ...[-1, Number.NaN, Number.POSITIVE_INFINITY, true],
  ])("refuses the popularity %j", (popularity) => {
    expect(itemErrors({ popularity })).toEqual([
      expect.stringMatching(/^popularity: must be a number of 0 or more, not /),
    ]);
  });

  it.each([
    ["5", 5],
    [0, 0],
  ])("takes the count %j", (given, online) => {
    expect(rowOf("servers", { id: 1, name: "S", online: given }).online).toBe(online);
  });

  it.each([1.5, "1.5", -1, "many", true, 2 ** 31])("refuses the count %j", (online) => {
    expect(errorsOf("servers", { id: 1, name: "S", online })).toEqual([
      expect.stringMatching(/^online: must be a whole number/),
    ]);
  });
});

describe("prices", () => {
  const priceOf = (price: unknown) =>
    rowOf("donate-items", { id: 1, name: "VIP", currency: "EUR", price }).price;
  const priceErrors = (price: unknown) =>
    errorsOf("donate-items", { id: 1, name: "VIP", currency: "EUR", price });

  it.each([
    ["9.99", "9.99"],
    [9.99, "9.99"],
    ["1.5000", "1.5"],
    ["007.10", "7.1"],
    [" 5 ", "5"],
    ["0", "0"],
    ["999999999999.99", "999999999999.99"],
    [null, null],
    ["", null],
  ])("takes %j as exactly %j", (given, price) => {
    expect(priceOf(given)).toBe(price);
  });

  it.each([
    ["1.999", 'price: has more than two digits after the decimal point: "1.999"'],
    [0.1 + 0.2, "price: has more than two digits after the decimal point: 0.30000000000000004"],
    ["1,50", 'price: must be a number such as 12.50, not "1,50"'],
    ["1e3", 'price: must be a number such as 12.50, not "1e3"'],
    ["0x10", 'price: must be a number such as 12.50, not "0x10"'],
    ["-0.01", 'price: must be 0 or more, not "-0.01"'],
    ["1000000000000", 'price: is too large: "1000000000000"'],
    [true, "price: must be a number such as 12.50, not true"],
  ])("refuses %j", (given, problem) => {
    expect(priceErrors(given)).toEqual([problem]);
  });

  it("writes the currency in capitals and refuses what is no code", () => {
    const currencyOf = (currency: unknown) =>
      rowOf("donate-items", { id: 1, name: "VIP", currency }).currency;
    expect(currencyOf("coins")).toBe("COINS");
    expect(errorsOf("donate-items", { id: 1, name: "VIP", currency: "€" })).toEqual([
      'currency: must be a code of 2 to 12 letters such as EUR, not "€"',
    ]);
    expect(errorsOf("donate-items", { id: 1, name: "VIP" })).toEqual(["currency: is missing"]);
  });
});

describe("times", () => {
  const base = { id: 1, item_key: "vip", percent: 10 };
  const startOf = (starts_at: unknown) => rowOf("discounts", { ...base, starts_at }).starts_at;

  it.each([
    ["2026-01-31T18:00:00Z", "2026-01-31T18:00:00.000Z"],
    ["2026-01-31T18:00:00.5+02:00", "2026-01-31T16:00:00.500Z"],
    ["2026-01-31", "2026-01-31T00:00:00.000Z"],
    [1_767_225_600, "2026-01-01T00:00:00.000Z"],
    ["1767225600", "2026-01-01T00:00:00.000Z"],
    [1_767_225_600_123, "2026-01-01T00:00:00.123Z"],
  ])("takes %j", (given, time) => {
    expect(startOf(given)).toBe(time);
  });

  it.each([
    ...["2026-01-31T18:00:00", "2026-02-30", "2026-13-01T00:00:00Z", "31.01.2026", "tomorrow", "20260131"],
    ...[20_260_131, -5, 1.5, true],
  ])("refuses %j", (starts_at) => {
    expect(errorsOf("discounts", { ...base, starts_at })).toEqual([
      expect.stringMatching(/^starts_at: must be a time such as /),
    ]);
  });

  it.each(["9999-12-31T23:59:59-00:01", 253_402_300_800_000, "0000-01-01", "0001-01-01T00:00:00+00:01"])(
    "refuses %j, which is not in the years 1 to 9999",
    (starts_at) => {
      expect(errorsOf("discounts", { ...base, starts_at })).toEqual([
        expect.stringMatching(/^starts_at: must be a time such as .*, in the years 1 to 9999, not /),
      ]);
    },
  );
});

describe("attributes", () => {
  it("keeps values of any JSON type, and a literal backslash-u as the text that it is", () => {
    const attributes = { seats: 4, tags: ["a", { b: null }], fast: true, ключ: "значение", a: "\\u0000" };
    expect(JSON.parse(String(item({ attributes }).attributes))).toEqual(attributes);
  });

  it("may have 64 KB as JSON and not a byte more", () => {
    const text = "x".repeat(65_536 - '{"a":""}'.length);
    expect(itemErrors({ attributes: { a: text } })).toEqual([]);
    expect(itemErrors({ attributes: { a: `${text}x` } })).toEqual([
      "attributes: must have at most 65536 bytes as JSON, not 65537",
    ]);
  });

  it.each([
    [["x"], "attributes: must be an object, not a list"],
    [{ a: ["x\u0000"] }, "attributes: has a NUL character"],
    [{ a: { b: "\ud800" } }, "attributes: has half of a surrogate pair"],
    [{ "\u0000": 1 }, "attributes: has a NUL character"],
    [JSON.parse('{"a":1e999}'), "attributes: has a number too large to store"],
    [JSON.parse(`{"a":${"[".repeat(40)}${"]".repeat(40)}}`), "attributes: is nested deeper than 32 levels"],
  ])("refuses %j", (attributes, problem) => {
    expect(itemErrors({ attributes })).toEqual([problem]);
  });
});

describe("a server's state", () => {
  const server = (fields: Record<string, unknown>) => rowOf("servers", { id: 1, name: "S", ...fields });

  it.each<[fields: Record<string, unknown>, ...state: unknown[]]>([
    [{ online: 5 }, "online", 5, null],
    [{ queue: 0 }, "online", null, 0],
    [{ max_online: 50 }, null, null, null],
    [{ status: true, online: 5 }, "online", 5, null],
    [{ status: "Offline", online: 0, queue: 3, max_online: 50 }, "offline", null, null],
    [{ status: "false", online: 7 }, "offline", null, null],
    [{ status: "unknown", online: 7 }, "unknown", null, null],
  ])("is read from %j as %s, with %j online and %j waiting", (fields, status, online, queue) => {
    const row = server(fields);
    expect([row.status, row.online, row.queue, row.max_online]).toEqual([
      ...[status, online, queue],
      fields.max_online ?? null,
    ]);
  });

  it("refuses another status, a measurement of the future, and an address with a space", () => {
    const later = new Date(Date.now() + 3_600_000).toISOString();
    const wrong = { status: "up", checked_at: later, address: "a b" };
    expect(errorsOf("servers", { id: 1, name: "S", ...wrong })).toEqual([
      'address: must have no space, not "a b"',
      'status: must be online, offline or unknown (or true, false), not "up"',
      `checked_at: is in the future: "${later}"`,
    ]);
  });
});

describe("a discount", () => {
  const base = { id: "d", item_key: "vip", starts_at: "2026-01-01" };

  it.each<[fields: object, problems: unknown[]]>([
    [{}, ["percent: is missing, and price too: a discount has one of the two"]],
    [{ percent: 5, price: "1.00" }, ["percent: is there, and price too: a discount has one of the two"]],
    ...[0, 100.01, "101", 33.333].map((percent): [object, unknown[]] => [
      { percent },
      [expect.stringMatching(/^percent: /)],
    ]),
    [{ percent: 5, ends_at: "2026-01-01T00:00:00Z" }, ["ends_at: must be after starts_at"]],
    [{ percent: 5, item_key: "", starts_at: null }, ["item_key: is missing", "starts_at: is missing"]],
  ])("is refused with %j", (fields, problems) => {
    expect(errorsOf("discounts", { ...base, ...fields })).toEqual(problems);
  });

  it.each([
    ["100", "100"],
    [12.5, "12.5"],
  ])("takes %j percent, without an end", (percent, stored) => {
    expect(rowOf("discounts", { ...base, percent, ends_at: null })).toMatchObject({
      ...{ percent: stored, ends_at: null },
    });
  });
});

describe("a record", () => {
  it("reports errors between fields together with those of single fields", () => {
    const record = { id: "d", item_key: "vip", starts_at: "2026-01-02", ends_at: "2026-01-01" };
    expect(errorsOf("discounts", record)).toEqual([
      "percent: is missing, and price too: a discount has one of the two",
      "ends_at: must be after starts_at",
    ]);
    expect(errorsOf("discounts", { ...record, percent: "x", price: "y", ends_at: "z" })).toEqual([
      'percent: must be a number such as 12.50, not "x"',
      'price: must be a number such as 12.50, not "y"',
      expect.stringMatching(/^ends_at: must be a time/),
      "percent: is there, and price too: a discount has one of the two",
    ]);
  });

  it.each([[[1, 2]], [null]])("must be an object, not %j", (record) => {
    expect(errorsOf("items", record)).toEqual([expect.stringMatching(/^: must be an object, not /)]);
  });
});
