import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { KNOWN_RELATIONS } from "../../src/records/relations/kinds.ts";
import { BUILT_IN_KINDS, KINDS } from "../../src/words/kinds/kinds.ts";

const FOLDER = new URL("../../seeds/demo/", import.meta.url);
const CATALOGUE = ["items", "vehicles", "scripts", "houses", "businesses"] as const;
const WITH_IDS = [...CATALOGUE, "servers", "donate-items", "discounts"] as const;
const FILES = [...WITH_IDS, "relations"] as const;

/** Vehicles that Russian players, too, call by their Latin model designation. */
const LATIN_VEHICLES = ["PCJ-600", "ZR-350", "BMX", "FCR-900", "NRG-500", "AT-400", "DFT-30", "BF-400"];
/** Top-level domains reserved by RFC 2606: an address below them leads nowhere. */
const RESERVED_TLD = /\.(?:invalid|example)$/;

const id = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]*$/);
const line = z.string().min(1).max(200).trim();
const price = z.string().regex(/^\d+\.\d{2}$/);
const percent = z.string().regex(/^\d+(?:\.\d{1,2})?$/);
const names = z.strictObject({ en: line, ru: line });
const bilingual = { id, name: line, names, category: line.nullable(), image: z.null() };
/** Every text has a Russian one beside it. */
const inRussian = z.strictObject({ ru: line.regex(/[а-яё]/i) });
const record = z.strictObject({
  ...bilingual,
  description: line,
  descriptions: inRussian,
  popularity: z.int().min(0).max(100).nullable(),
  attributes: z.record(z.string().regex(/^[a-z][a-z0-9_]*$/), z.unknown()),
});
const donateItem = z.strictObject({
  ...bilingual,
  description: line,
  descriptions: inRussian,
  price,
  currency: z.literal("EUR"),
  entity_kind: z.enum(BUILT_IN_KINDS.map((kind) => KINDS[kind].one)).optional(),
  entity_id: id.optional(),
});
const discount = z.strictObject({
  id,
  item_key: id,
  percent: percent.optional(),
  price: price.optional(),
  starts_in_hours: z.number(),
  ends_in_hours: z.number().nullable(),
  announced: z.boolean().optional(),
  title: line.nullable(),
  titles: z.strictObject({ en: line, ru: line.regex(/[а-яё]/i) }).optional(),
});
const relation = z.strictObject({
  from: z.string(),
  kind: z.enum(KNOWN_RELATIONS),
  to: z.string(),
  count: z.number().positive().optional(),
  chance: z.number().min(0).max(1).optional(),
});
const period = z.strictObject({ hours_ago: z.number().min(0).max(24), minutes: z.int().positive() });
const server = z.strictObject({
  id,
  name: line,
  game: z.enum(["SA-MP", "open.mp", "FiveM", "RAGE MP", "MTA"]),
  address: z.string().regex(/^[a-z0-9.-]+:\d{2,5}$/),
  url: z.url().nullable(),
  language: z.string().regex(/^[a-z]{2}$/),
  max_online: z.int().positive(),
  popularity: z.number().nullable(),
  description: line,
  descriptions: inRussian,
  demo: z.strictObject({
    base: z.number().min(0).max(1),
    peak: z.number().min(0).max(1),
    peak_hour_utc: z.int().min(0).max(23),
    queue: z.enum(["when_full", "never_reported", "short"]),
    outage: z.array(period),
    gap: z.array(period),
    status: z.enum(["offline", "unknown"]).optional(),
    offline_hours: z.number().positive().max(24).optional(),
  }),
});

const text = (file: string) => readFileSync(new URL(`${file}.json`, FOLDER), "utf8");
const rows = <T>(file: string, schema: z.ZodType<T>): T[] => z.array(schema).parse(JSON.parse(text(file)));
const items = rows("items", record);
const vehicles = rows("vehicles", record);
const scripts = rows("scripts", record);
const houses = rows("houses", record);
const businesses = rows("businesses", record);
const servers = rows("servers", server);
const donateItems = rows("donate-items", donateItem);
const discounts = rows("discounts", discount);
const relations = rows("relations", relation);
const catalogue = { items, vehicles, scripts, houses, businesses };

function repeated(values: string[]): string[] {
  return values.filter((value, index) => values.indexOf(value) !== index);
}

/** Every string inside a JSON value, keys included. */
function strings(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (value === null || typeof value !== "object") return [];
  return [...Object.keys(value), ...Object.values(value).flatMap(strings)];
}

describe("every demo file", () => {
  it("is one of the nine kinds that the import reads, or the shop's year of prices", () => {
    const expected = [...FILES, "price-year"].map((file) => `${file}.json`).sort();
    expect(
      readdirSync(FOLDER)
        .filter((file) => file.endsWith(".json"))
        .sort(),
    ).toEqual(expected);
  });

  it.each(FILES)("%s holds one record a line, so that a diff shows what changed", (file) => {
    const lines = text(file).trimEnd().split("\n");
    expect(lines.at(0)).toBe("[");
    expect(lines.at(-1)).toBe("]");
    for (const recordLine of lines.slice(1, -1)) {
      expect(() => JSON.parse(recordLine.replace(/,$/, ""))).not.toThrow();
    }
  });

  it.each(WITH_IDS)("%s has unique ids", (file) => {
    const ids = rows(file, z.looseObject({ id })).map((row) => row.id);
    expect(repeated(ids)).toEqual([]);
  });

  it.each(FILES)("%s has clean text: well-formed, NFC, no control characters, no stray spaces", (file) => {
    const unclean = strings(JSON.parse(text(file))).filter(
      (s) =>
        !s.isWellFormed() ||
        s !== s.normalize("NFC") ||
        // Texts in Markdown have lines.
        /[\p{Cc}\p{Cf}\p{Co}]| {2}/u.test(s.replaceAll("\n", "")) ||
        s !== s.trim(),
    );
    expect(unclean).toEqual([]);
  });
});

describe("names", () => {
  const bilingualFiles = { ...catalogue, donateItems };

  it.each(Object.entries(bilingualFiles))("%s: the name is the English one", (_file, list) => {
    for (const row of list) expect(row.names.en).toBe(row.name);
  });

  it.each(Object.entries(bilingualFiles))("%s: no name is given twice in a language", (_file, list) => {
    expect(repeated(list.map((row) => row.names.en))).toEqual([]);
    expect(repeated(list.map((row) => row.names.ru))).toEqual([]);
  });

  it.each(Object.entries(bilingualFiles))(
    "%s: Russian names are Cyrillic, English ones are not",
    (_file, list) => {
      const latin = list
        .filter((row) => !/\p{Script=Cyrillic}/u.test(row.names.ru))
        .map((row) => row.names.ru);
      expect(latin.filter((name) => !LATIN_VEHICLES.includes(name))).toEqual([]);
      for (const row of list) expect(row.names.en).not.toMatch(/\p{Script=Cyrillic}/u);
    },
  );

  it("mixes no Latin letter into a Cyrillic word", () => {
    const mixed = Object.values(bilingualFiles)
      .flat()
      .flatMap((row) => row.names.ru.match(/[\p{L}]+/gu) ?? [])
      .filter((word) => /\p{Script=Cyrillic}/u.test(word) && /\p{Script=Latin}/u.test(word));
    expect(mixed).toEqual([]);
  });
});

describe("catalogue", () => {
  it("has all 212 vehicle models of the game, 400 to 611, in order", () => {
    expect(vehicles.map((vehicle) => vehicle.id)).toEqual(
      Array.from({ length: 212 }, (_, i) => String(400 + i)),
    );
  });

  it("gives every vehicle its own model name, a category and plausible figures", () => {
    const attributes = z.looseObject({
      model: z.string().regex(/^[a-z0-9]+$/),
      modification_garage: z.enum(["Transfender Doherty", "Loco Low Co.", "Wheel Arch Angels"]).nullable(),
      seats: z.int().min(1).max(9).optional(),
      top_speed_kmh: z.int().min(50).max(250).optional(),
      price: z.int().positive().optional(),
    });
    const models = vehicles.map((vehicle) => attributes.parse(vehicle.attributes).model);
    expect(repeated(models)).toEqual([]);
    expect(vehicles.filter((vehicle) => vehicle.category === null)).toEqual([]);
  });

  it("has a few hundred items in categories of ten or more, each described", () => {
    expect(items.length).toBeGreaterThanOrEqual(300);
    const sizes = new Map<string | null, number>();
    for (const item of items) sizes.set(item.category, (sizes.get(item.category) ?? 0) + 1);
    expect([...sizes].filter(([category, size]) => category === null || size < 10 || size > 60)).toEqual([]);
    expect(items.filter((item) => item.description === null)).toEqual([]);
    expect(repeated(items.map((item) => item.description ?? ""))).toEqual([]);
  });

  it("keys weapons by the game's weapon id", () => {
    const weapons = items.filter((item) => item.id.startsWith("weapon-"));
    expect(weapons.length).toBeGreaterThanOrEqual(39);
    for (const weapon of weapons) expect(weapon.id).toBe(`weapon-${weapon.attributes.weapon_id}`);
  });

  it("makes things out of items that exist, for weapons that exist", () => {
    const made = z.looseObject({
      crafted_from: z.array(z.string()).default([]),
      for_weapons: z.array(z.string()).default([]),
    });
    const known = new Set(items.map((item) => item.id));
    const wanted = items.flatMap((item) => {
      const { crafted_from, for_weapons } = made.parse(item.attributes);
      return [...crafted_from, ...for_weapons];
    });
    expect(wanted.length).toBeGreaterThan(0);
    expect(wanted.filter((other) => !known.has(other))).toEqual([]);
  });

  it("has version, language, commands and day of update for every script", () => {
    const attributes = z.strictObject({
      version: z.string().regex(/^\d+\.\d+\.\d+$/),
      language: z.enum(["Pawn", "Lua", "JavaScript", "Python", "C++"]),
      commands: z.array(z.string().regex(/^\/[a-z]+$/)),
      updated: z.iso.date(),
      home: z.url(),
      setup: z.string().optional(),
    });
    expect(scripts.length).toBeGreaterThanOrEqual(60);
    for (const script of scripts) expect(() => attributes.parse(script.attributes), script.id).not.toThrow();
  });

  it.each([
    ["houses", houses, 60],
    ["businesses", businesses, 40],
  ])("puts %s on the map of San Andreas, each on a spot of its own", (_file, list, least) => {
    const metres = z.number().min(-3000).max(3000);
    const place = z.looseObject({
      city: line,
      zone: line,
      x: metres,
      y: metres,
      z: metres,
      price: z.int().positive(),
    });
    const spots = list.map((row) => place.parse(row.attributes)).map(({ x, y }) => `${x},${y}`);
    expect(spots.length).toBeGreaterThanOrEqual(least);
    expect(repeated(spots)).toEqual([]);
  });
});

describe("relations", () => {
  const known = new Set(
    CATALOGUE.flatMap((kind) => catalogue[kind].map(({ id }) => `${KINDS[kind].one}:${id}`)),
  );

  it("are at least 150, of every kind that the site has words for, each told once", () => {
    expect(relations.length).toBeGreaterThanOrEqual(150);
    expect(new Set(relations.map(({ kind }) => kind))).toEqual(new Set(KNOWN_RELATIONS));
    expect(repeated(relations.map(({ from, kind, to }) => `${from} ${kind} ${to}`))).toEqual([]);
  });

  it("lead from entries that are there to others that are there", () => {
    const ends = relations.flatMap(({ from, to }) => [from, to]);
    expect(ends.filter((end) => !known.has(end))).toEqual([]);
    expect(relations.filter(({ from, to }) => from === to)).toEqual([]);
  });

  it("make crafted items of what their attributes say", () => {
    const made = z.looseObject({ crafted_from: z.array(z.string()) });
    for (const { id, attributes } of items) {
      const crafted = made.safeParse(attributes).data?.crafted_from;
      if (crafted === undefined) continue;
      const parts = relations.filter(({ from, kind }) => from === `item:${id}` && kind === "made-of");
      expect(parts.map(({ to }) => to).sort(), id).toEqual(crafted.map((part) => `item:${part}`).sort());
    }
  });
});

describe("servers", () => {
  it("are a dozen, of every game, in several languages", () => {
    expect(servers).toHaveLength(12);
    expect(new Set(servers.map((entry) => entry.game)).size).toBe(5);
    expect(new Set(servers.map((entry) => entry.language)).size).toBeGreaterThanOrEqual(5);
  });

  it("have addresses of their own that lead nowhere", () => {
    expect(repeated(servers.map((entry) => entry.address))).toEqual([]);
    for (const entry of servers) {
      expect(entry.address.replace(/:\d+$/, "")).toMatch(RESERVED_TLD);
      if (entry.url !== null) expect(new URL(entry.url).hostname).toMatch(RESERVED_TLD);
    }
  });

  it("show every state a server page must draw", () => {
    const profiles = servers.map((entry) => entry.demo);
    expect(profiles.filter((demo) => demo.peak === 1 && demo.queue === "when_full")).not.toEqual([]);
    expect(profiles.filter((demo) => demo.queue === "never_reported")).not.toEqual([]);
    expect(profiles.filter((demo) => demo.outage.length > 0)).not.toEqual([]);
    expect(profiles.filter((demo) => demo.gap.length > 0)).not.toEqual([]);
    expect(profiles.filter((demo) => demo.status === "offline")).not.toEqual([]);
    expect(profiles.filter((demo) => demo.status === "unknown")).not.toEqual([]);
    for (const demo of profiles) expect(demo.peak).toBeGreaterThanOrEqual(demo.base);
  });
});

describe("donate shop", () => {
  const priceOf = new Map(donateItems.map((item) => [item.id, Number(item.price)]));
  const running = discounts.filter(
    ({ starts_in_hours, ends_in_hours }) =>
      starts_in_hours <= 0 && (ends_in_hours ?? Number.POSITIVE_INFINITY) > 0,
  );

  it("sells every thing for more than nothing", () => {
    expect(donateItems.length).toBeGreaterThanOrEqual(30);
    for (const [key, amount] of priceOf) expect(amount, key).toBeGreaterThan(0);
  });

  it("leads from some of them to their entries of the catalogue", () => {
    const linked = donateItems.filter(
      (item) => item.entity_kind !== undefined || item.entity_id !== undefined,
    );
    expect(linked.length).toBeGreaterThan(10);
    for (const { id, entity_kind, entity_id } of linked) {
      const kind = CATALOGUE.find((known) => KINDS[known].one === entity_kind);
      expect(
        catalogue[kind ?? "items"].map((entry) => entry.id),
        id,
      ).toContain(entity_id);
    }
  });

  it("discounts only things that it sells, by percent or to a lower price, never both", () => {
    for (const entry of discounts) {
      const usual = priceOf.get(entry.item_key) ?? Number.NaN;
      expect(
        [entry.percent, entry.price].filter((value) => value !== undefined),
        entry.id,
      ).toHaveLength(1);
      const reduced =
        entry.price === undefined ? usual * (1 - Number(entry.percent) / 100) : Number(entry.price);
      expect(reduced, entry.id).toBeLessThan(usual);
      expect(reduced, entry.id).toBeGreaterThanOrEqual(0);
    }
  });

  it("ends no discount before it starts", () => {
    for (const { id: key, starts_in_hours, ends_in_hours } of discounts) {
      if (ends_in_hours !== null) expect(ends_in_hours, key).toBeGreaterThan(starts_in_hours);
    }
  });

  it("has running, coming and past discounts on the first day", () => {
    expect(running.length).toBeGreaterThanOrEqual(5);
    expect(discounts.filter((entry) => entry.starts_in_hours > 0)).not.toEqual([]);
    expect(discounts.filter((entry) => entry.ends_in_hours !== null && entry.ends_in_hours <= 0)).not.toEqual(
      [],
    );
  });

  it("announces some of what comes, and keeps some to itself", () => {
    const coming = discounts.filter((entry) => entry.starts_in_hours > 0);
    expect(new Set(coming.map(({ announced = false }) => announced))).toEqual(new Set([true, false]));
  });

  it("shows the special cases: open-ended, about to end, two on one thing, a fraction of a cent", () => {
    expect(running.filter((entry) => entry.ends_in_hours === null)).not.toEqual([]);
    expect(running.filter((entry) => entry.ends_in_hours !== null && entry.ends_in_hours < 3)).not.toEqual(
      [],
    );
    expect(repeated(running.map((entry) => entry.item_key))).not.toEqual([]);
    const hundredthsOfCents = running.map((entry) =>
      Math.round((priceOf.get(entry.item_key) ?? 0) * 100 * Number(entry.percent ?? 0)),
    );
    expect(hundredthsOfCents.filter((amount) => amount % 100 !== 0)).not.toEqual([]);
  });
});
