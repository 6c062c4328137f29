import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { KNOWN_RELATIONS } from "../../src/records/relations/kinds.ts";
import { KINDS } from "../../src/words/kinds/kinds.ts";

const FOLDER = new URL("../../seeds/demo/", import.meta.url);
const CATALOGUE = ["items", "vehicles", "scripts", "houses", "businesses"] as const;
const FILES = [...CATALOGUE, "servers", "donate-items", "discounts", "relations"] as const;
/** Top-level domains reserved by RFC 2606: an address below them leads nowhere. */
const RESERVED_TLD = /\.(?:invalid|example)$/;

const line = z.string().min(1).max(200).trim();
/** Every text has a Russian one beside it. */
const described = { description: line, descriptions: z.strictObject({ ru: line.regex(/[а-яё]/i) }) };
const record = z.looseObject({
  id: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]*$/),
  names: z.strictObject({ en: line, ru: line }),
  category: line.nullable(),
  image: z.null(),
  ...described,
});
const entry = record.extend({ attributes: z.record(z.string().regex(/^[a-z][a-z0-9_]*$/), z.unknown()) });
const donateItem = record.extend({ entity_kind: z.string().optional(), entity_id: z.string().optional() });
const server = z.looseObject({
  game: z.enum(["SA-MP", "open.mp", "FiveM", "RAGE MP", "MTA"]),
  address: z.string().regex(/^[a-z0-9.-]+:\d{2,5}$/),
  url: z.url().nullable(),
  language: z.string().regex(/^[a-z]{2}$/),
  ...described,
});
const relation = z.strictObject({
  from: z.string(),
  kind: z.enum(KNOWN_RELATIONS),
  to: z.string(),
  count: z.number().positive().optional(),
  chance: z.number().min(0).max(1).optional(),
});

function rows<T>(file: string, schema: z.ZodType<T>): T[] {
  return z.array(schema).parse(JSON.parse(readFileSync(new URL(`${file}.json`, FOLDER), "utf8")));
}

const catalogue = Object.fromEntries(CATALOGUE.map((kind) => [kind, rows(kind, entry)] as const));
const { items = [], houses = [], businesses = [] } = catalogue;
const servers = rows("servers", server);
const relations = rows("relations", relation);

function repeated(values: string[]): string[] {
  return values.filter((value, index) => values.indexOf(value) !== index);
}

describe("the demo files", () => {
  it("are the nine kinds that the import reads, and the shop's year of prices", () => {
    const expected = [...FILES, "price-year"].map((file) => `${file}.json`).sort();
    const files = readdirSync(FOLDER).filter((file) => file.endsWith(".json"));
    expect(files.sort()).toEqual(expected);
  });

  it("have a few hundred items in categories of ten or more, each described in its own words", () => {
    expect(items.length).toBeGreaterThanOrEqual(300);
    const sizes = new Map<string | null, number>();
    for (const item of items) sizes.set(item.category, (sizes.get(item.category) ?? 0) + 1);
    expect([...sizes].filter(([category, size]) => category === null || size < 10 || size > 60)).toEqual([]);
    expect(repeated(items.map((item) => item.description))).toEqual([]);
  });

  it.each([
    ["houses", houses, 60],
    ["businesses", businesses, 40],
  ])("put %s on the map of San Andreas, each on a spot of its own", (_file, list, least) => {
    const metres = z.number().min(-3000).max(3000);
    const place = z.looseObject({ city: line, zone: line, x: metres, y: metres, z: metres });
    const spots = list.map((row) => place.parse(row.attributes)).map(({ x, y }) => `${x},${y}`);
    expect(spots.length).toBeGreaterThanOrEqual(least);
    expect(repeated(spots)).toEqual([]);
  });

  it("link shop items to entries that exist", () => {
    const linked = rows("donate-items", donateItem).filter((item) => item.entity_id !== undefined);
    expect(linked.length).toBeGreaterThan(10);
    for (const { id, entity_kind, entity_id } of linked) {
      const kind = CATALOGUE.find((known) => KINDS[known].one === entity_kind) ?? "items";
      expect(
        catalogue[kind]?.map((known) => known.id),
        id,
      ).toContain(entity_id);
    }
  });

  it("have servers of every game, in several languages, whose addresses lead nowhere", () => {
    expect(new Set(servers.map(({ game }) => game)).size).toBe(5);
    expect(new Set(servers.map(({ language }) => language)).size).toBeGreaterThanOrEqual(5);
    expect(repeated(servers.map(({ address }) => address))).toEqual([]);
    for (const { address, url } of servers) {
      expect(address.replace(/:\d+$/, "")).toMatch(RESERVED_TLD);
      if (url !== null) expect(new URL(url).hostname).toMatch(RESERVED_TLD);
    }
  });
});

describe("the relations of the demo", () => {
  it("are of every kind that the site has words for, and lead from entries to others", () => {
    const known = new Set(
      CATALOGUE.flatMap((kind) => catalogue[kind]?.map(({ id }) => `${KINDS[kind].one}:${id}`) ?? []),
    );
    expect(relations.length).toBeGreaterThanOrEqual(150);
    expect(new Set(relations.map(({ kind }) => kind))).toEqual(new Set(KNOWN_RELATIONS));
    expect(relations.filter(({ from, to }) => !known.has(from) || !known.has(to) || from === to)).toEqual([]);
  });

  it("make crafted items of what their attributes say, for weapons that exist", () => {
    const made = z.looseObject({
      crafted_from: z.array(z.string()).default([]),
      for_weapons: z.array(z.string()).default([]),
    });
    const ids = items.map(({ id }) => id);
    for (const { id, attributes } of items) {
      const { crafted_from, for_weapons } = made.parse(attributes);
      expect(ids, id).toEqual(expect.arrayContaining(for_weapons));
      if (crafted_from.length === 0) continue;
      const parts = relations.filter(({ from, kind }) => from === `item:${id}` && kind === "made-of");
      expect(parts.map(({ to }) => to).sort(), id).toEqual(crafted_from.map((part) => `item:${part}`).sort());
    }
  });
});
