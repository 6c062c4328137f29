import { beforeEach, describe, expect, it } from "vitest";
import { importRecords } from "../../src/exchange/import/import-records.ts";
import { nameEntries } from "../../src/records/relations/queries.ts";
import {
  DEEPEST,
  listParts,
  MOST_PARTS,
  type Recipe,
  readRecipe,
} from "../../src/records/relations/recipe.ts";
import { Vocabulary } from "../../src/words/vocabulary/vocabulary.ts";
import { useTestApp } from "../helpers/app.ts";
import { emptyCatalogue, insertRecords, type TestEntry } from "../helpers/catalogue.ts";
import { emptyTables } from "../helpers/database.ts";
import { mainOf, textOf } from "../helpers/html.ts";

const site = useTestApp();

beforeEach(async () => {
  await emptyTables(site.db, "relations");
  await emptyCatalogue(site.db);
});

/** Stores entries and what they are made of: `{ knife: { iron: 2 } }`; null is an unknown count. */
async function make(
  entries: TestEntry[],
  recipes: Record<string, Record<string, number | null>>,
): Promise<void> {
  await insertRecords(site.db, "items", entries);
  const relations = Object.entries(recipes).flatMap(([from, parts]) =>
    Object.entries(parts).map(([to, count]) => {
      return { from: `item:${from}`, kind: "made-of", to: `item:${to}`, count };
    }),
  );
  await importRecords(site.db, "relations", relations);
}

const priced = (id: string, price?: unknown): TestEntry => ({ id, attributes: { price } });

async function recipeOf(id: string): Promise<Recipe> {
  const parts = await listParts(site.db, { kind: "item", id });
  return readRecipe(parts, await nameEntries(site.db, parts, new Vocabulary([])));
}

/** The lines of a recipe, two spaces a level. */
async function treeOf(id: string): Promise<string[]> {
  const { lines } = await recipeOf(id);
  return lines.map(
    ({ part }) =>
      `${"  ".repeat(part.path.length - 2)}${part.count} ${part.id}${part.isCircle ? " again" : ""}`,
  );
}

async function totalsOf(id: string): Promise<Record<string, number>> {
  const { totals } = await recipeOf(id);
  return Object.fromEntries(totals.map(({ part, count }) => [part.id, count]));
}

/** The relations on an entry's page, as text. */
async function pageOf(id: string, prefix = ""): Promise<string> {
  const main = mainOf(await site.page(`${prefix}/items/${id}`));
  return textOf(main.slice(main.indexOf('id="relations"') + 15, main.indexOf("<aside")));
}

describe("a recipe", () => {
  it("lists all levels, with multiplied counts", async () => {
    await make([priced("sword"), priced("blade"), priced("grip"), priced("iron", 10), priced("wood", 2.5)], {
      sword: { blade: 2, grip: 1 },
      blade: { iron: 3, wood: 1 },
      grip: { wood: 4 },
    });
    expect(await treeOf("sword")).toEqual(["2 blade", "  6 iron", "  2 wood", "1 grip", "  4 wood"]);
    expect(await totalsOf("sword")).toEqual({ iron: 6, wood: 6 });
    expect(await recipeOf("sword")).toMatchObject({ cost: 75, isCut: false, hasCircle: false, missing: 0 });
  });

  it("counts one part if the count is unknown, and parts of a half", async () => {
    await make(
      ["a", "b", "c"].map((id) => priced(id)),
      { a: { b: null }, b: { c: 0.5 } },
    );
    expect(await totalsOf("a")).toEqual({ c: 0.5 });
    expect(await pageOf("a")).toBe(
      "Connections Made of b Made of one part c All parts c ×0.5 If an amount isn’t known, one is counted.",
    );
  });

  it("lists parts of unknown price, and leaves out the costs if all are unknown", async () => {
    const parts = [priced("dust", 0), priced("glue", "much"), priced("debt", -5)];
    await make([priced("sword", 90), priced("iron", 10), priced("rune"), ...parts, priced("bow", 90)], {
      sword: { iron: 3, rune: 1, dust: 1, glue: 1, debt: 1 },
      bow: { rune: 3 },
    });
    const text = await pageOf("sword");
    expect(text).toContain("Cost of all parts 30 Not counted: price unknown rune dust glue debt Price 90");
    expect(await pageOf("bow")).toBe("Connections Made of rune ×3");
  });

  it("shows a circle once and marks it", async () => {
    await make([priced("egg", 1), priced("hen"), priced("corn", 2)], {
      hen: { egg: 1, corn: 5 },
      egg: { hen: 2 },
    });
    expect(await treeOf("hen")).toEqual(["1 egg", "  2 hen again", "5 corn"]);
    expect(await recipeOf("hen")).toMatchObject({ hasCircle: true, cost: 10 });
    const text = await pageOf("hen");
    expect(text).toContain("hen ×2 Already listed above");
    expect(text).toContain("A part that is made of itself is listed again but not counted.");
  });

  it("ends where an entry is made of itself", async () => {
    await make([priced("seed", 3)], { seed: { seed: 2 } });
    expect(await treeOf("seed")).toEqual(["2 seed again"]);
    expect(await recipeOf("seed")).toMatchObject({ totals: [], cost: undefined });
    expect(await pageOf("seed")).toContain("Made of seed ×2 Already listed above");
  });

  it("leaves out missing parts and theirs, and says so", async () => {
    await make([priced("sword"), priced("iron", 10), priced("ore", 1)], {
      sword: { iron: 1, ghost: 2 },
      ghost: { ore: 5 },
    });
    expect(await treeOf("sword")).toEqual(["1 iron"]);
    expect(await pageOf("sword")).toContain("One part isn’t in the catalog and isn’t counted.");
  });

  it("is cut if it is too deep, and has no totals then", async () => {
    const ids = Array.from({ length: DEEPEST + 2 }, (_, n) => `p${n}`);
    const chain = ids.slice(1).map((id, n) => [`p${n}`, { [id]: 2 }] as const);
    await make(
      ids.map((id) => priced(id, 1)),
      Object.fromEntries(chain),
    );
    expect(await treeOf("p0")).toHaveLength(DEEPEST);
    expect(await recipeOf("p0")).toMatchObject({ isCut: true });
    expect(await recipeOf("p1")).toMatchObject({ isCut: false, cost: 2 ** DEEPEST });
    const text = await pageOf("p0");
    expect(text).toContain("There are more parts than fit here.");
    expect(text).not.toContain("Cost of all parts");
    expect(text).not.toContain("All parts");
  });

  it("is cut if it is too long, without reading the parts of all parts", async () => {
    const level = (n: number) => Array.from({ length: 20 }, (_, index) => `l${n}-${index}`);
    const levels = Array.from({ length: DEEPEST }, (_, n) => level(n));
    const partsOf = (n: number) => Object.fromEntries(level(n + 1).map((part) => [part, 1]));
    const recipes = levels.slice(0, -1).flatMap((ids, n) => ids.map((id) => [id, partsOf(n)] as const));
    const entries = levels.flat().map((id) => priced(id, 1));
    await make(entries, Object.fromEntries(recipes));
    const { lines, isCut } = await recipeOf("l0-0");
    expect(lines).toHaveLength(MOST_PARTS);
    expect(isCut).toBe(true);
    expect(await pageOf("l0-0")).toContain("There are more parts than fit here.");
  });

  it("is a tree of lists that opens and closes without scripts", async () => {
    await make(
      ["a", "b", "c", "d", "e"].map((id) => priced(id)),
      { a: { b: 1, e: 1 }, b: { c: 1 }, c: { d: 1 } },
    );
    const main = mainOf(await site.page("/items/a"));
    for (const name of ["ul", "li", "details", "summary"]) {
      const count = (pattern: string) => [...main.matchAll(new RegExp(pattern, "g"))].length;
      expect([name, count(`<${name}[ >]`)]).toEqual([name, count(`</${name}>`)]);
    }
    expect(await pageOf("a")).toBe(
      "Connections Made of b ×1 Made of one part c ×1 Made of one part d ×1 e ×1 All parts d ×1 e ×1",
    );
    expect(await pageOf("a", "/ru")).toContain("Из чего сделано b ×1 Состоит из 1 части c ×1");
  });

  it("links to the page of all parts if there are too many of them", async () => {
    const ids = Array.from({ length: 30 }, (_, n) => `p${n}`);
    await make([priced("a"), ...ids.map((id) => priced(id, 1))], {
      a: Object.fromEntries(ids.map((id) => [id, 1])),
    });
    const text = await pageOf("a");
    expect(text).toContain("Made of: see all");
    expect(text).not.toContain("Cost of all parts");
  });
});
