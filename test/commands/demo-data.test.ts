import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { KNOWN_RELATIONS } from "../../src/records/relations/kinds.ts";
import { BUILT_IN_KINDS, KINDS } from "../../src/words/kinds/kinds.ts";

const FOLDER = new URL("../../seeds/demo/", import.meta.url);
const CATALOGUE = ["items", "vehicles", "scripts", "houses", "businesses"] as const;
const WITH_IDS = [...CATALOGUE, "servers", "donate-items", "discounts"] as const;
const FILES = [...WITH_IDS, "relations"] as const;
/** Top-level domains reserved by RFC 2606: an address below them leads nowhere. */
const RESERVED_TLD = /\.(?:invalid|example)$/;

const id = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]*$/);
const line = z.string().min(1).max(200).trim();
const price = z.string().regex(/^\d+\.\d{2}$/);
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
const relations = rows("relations", relation);
const catalogue = { items, vehicles, scripts, houses, businesses };

function repeated(values: string[]): string[] {
  return values.filter((value, index) => values.indexOf(value) !== index);
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

  it.each(WITH_IDS)("%s has unique ids", (file) => {
    const ids = rows(file, z.looseObject({ id })).map((row) => row.id);
    expect(repeated(ids)).toEqual([]);
  });
});

describe("catalogue", () => {
  it("has a few hundred items in categories of ten or more, each described", () => {
    expect(items.length).toBeGreaterThanOrEqual(300);
    const sizes = new Map<string | null, number>();
    for (const item of items) sizes.set(item.category, (sizes.get(item.category) ?? 0) + 1);
    expect([...sizes].filter(([category, size]) => category === null || size < 10 || size > 60)).toEqual([]);
    expect(items.filter((item) => item.description === null)).toEqual([]);
    expect(repeated(items.map((item) => item.description ?? ""))).toEqual([]);
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
});

describe("donate shop", () => {
  const priceOf = new Map(donateItems.map((item) => [item.id, Number(item.price)]));

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
});
