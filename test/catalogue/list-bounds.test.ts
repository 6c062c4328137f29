import { beforeEach, describe, expect, it } from "vitest";
import { FILTERS_AT_MOST } from "../../src/catalogue/filters.ts";
import { useTestApp } from "../helpers/app.ts";
import { emptyCatalogue, insertRecords, type TestEntry } from "../helpers/catalogue.ts";
import { attributes, elements, mainOf, textOf } from "../helpers/html.ts";

const site = useTestApp();

beforeEach(() => emptyCatalogue(site.db));

const { facets: FACETS, values: VALUES, ranges: RANGES } = FILTERS_AT_MOST;

const page = (query: string, status = 200) => site.page(`/items?${query}`, status);

const namesIn = (text: string) => elements(elements(text, "tbody")[0] ?? "", "a").map(textOf);

/** The boxes that are ticked, as `name=value`. */
const tickedIn = (text: string) =>
  [...text.matchAll(/name="(a\.[^"]+)" value="([^"]*)" checked/g)].map(
    ([, name, value]) => `${name}=${value}`,
  );

/** The values of a facet with their figures, as they are read. */
function optionsIn(text: string, legend: string): string[] {
  const facet = elements(text, "fieldset").find((held) => elements(held, "legend").map(textOf)[0] === legend);
  return elements(facet ?? "", "li").map(textOf);
}

/** Records with twelve facets of twenty values, and six figures. */
const rich = (count: number): TestEntry[] =>
  Array.from({ length: count }, (_, n) => ({
    id: `i${String(n).padStart(3, "0")}`,
    attributes: {
      ...Object.fromEntries(Array.from({ length: 12 }, (_, facet) => [`part_${facet}`, `value ${n % 20}`])),
      ...Object.fromEntries(Array.from({ length: 6 }, (_, range) => [`figure_${range}`, n + 0.5])),
    },
  }));

const ticks = (facet: number, count: number) =>
  Array.from({ length: count }, (_, n): [string, string] => [`a.part_${facet}`, `value ${n}`]);
const ranges = (count: number) =>
  Array.from({ length: count }, (_, n): [string, string] => [`min.figure_${n}`, "1"]);
const queryOf = (pairs: [string, string][]) => `${new URLSearchParams(pairs)}`;
const TOO_MANY = "Too many filters:";

type Pairs = [string, string][];

describe("the filters of a list", () => {
  beforeEach(() => insertRecords(site.db, "items", rich(100)));

  it.each<[what: string, most: Pairs, more: Pairs]>([
    ["values together", [...ticks(0, VALUES / 2), ...ticks(1, VALUES / 2)], [["a.part_2", "value 1"]]],
    [
      "facets",
      [0, 1, 10, 11, 2, 3, 4, 5, 6, 7].slice(0, FACETS).flatMap((facet) => ticks(facet, 2)),
      [...ticks(8, 1), ...ticks(9, 1)],
    ],
    ["ranges", ranges(RANGES), [["min.figure_5", "90"]]],
  ])("have a limit of %s: those above it are ignored with a message", async (_what, most, more) => {
    const whole = await page(queryOf(most));
    expect(whole).not.toContain(TOO_MANY);
    const text = await page(queryOf([...most, ...more]), 400);
    expect(textOf(mainOf(text))).toContain(TOO_MANY);
    expect(namesIn(text)).toEqual(namesIn(whole));
    expect(tickedIn(text)).toEqual(tickedIn(whole));
    const russian = await site.page(`/ru/items?${queryOf([...most, ...more])}`, 400);
    expect(textOf(mainOf(russian))).toContain("Слишком много фильтров сразу");
  });

  it("are kept in the order of the form", async () => {
    const text = await page(queryOf([...ticks(3, 20), ...ticks(1, 20), ...ticks(0, 10)]), 400);
    expect(tickedIn(text)).toHaveLength(VALUES);
    expect(tickedIn(text).filter((tick) => tick.startsWith("a.part_3"))).toHaveLength(10);
  });

  it("may be ten values of an attribute with too many to offer", async () => {
    const figures = (count: number) =>
      queryOf(Array.from({ length: count }, (_, n) => ["a.figure_0", String(n + 0.5)]));
    expect(namesIn(await page(figures(10)))).toHaveLength(10);
    const text = await page(figures(11), 400);
    expect(textOf(mainOf(text))).toContain(TOO_MANY);
    expect(namesIn(text)).toHaveLength(10);
  });

  it("do not make the page much larger in any number", async () => {
    const { length } = await page("");
    const values = Array.from({ length: 50 }, (_, n) => `${n < 20 ? "value " : "made up "}${n}`);
    const flood = Array.from({ length: 11 }, (_, facet) =>
      values.map((value): [string, string] => [`a.part_${facet}`, value]),
    );
    const text = await page(queryOf(flood.flat()), 400);
    expect(text.length).toBeLessThan(2 * length);
  });

  it("are repeated by few links, however many filters and categories there are", async () => {
    const value = (n: number) => `${"длинное значение ".repeat(3)}${n}`;
    const long = Array.from({ length: 400 }, (_, n) => ({
      id: `long${n}`,
      category: `Category ${n % 200}`,
      attributes: { a_text: value(n % 30), b_text: value(n % 10) },
    }));
    await insertRecords(site.db, "items", long);
    const values = (key: string, count: number) =>
      Array.from({ length: count }, (_, n): [string, string] => [`a.${key}`, value(n)]);
    const most = [...values("a_text", 30), ...values("b_text", 10)];
    const main = mainOf(await page(queryOf(most)));
    expect(attributes(main, "href").filter((href) => href.length > 1_000).length).toBeLessThan(25);
    expect(elements(main, "button").length).toBeGreaterThan(240);
  });

  it("use one connection, and few lists", async () => {
    await page("");
    const lists: { sql: string; __knexUid: string }[] = [];
    const note = (query: { sql: string; __knexUid: string }) => {
      if (query.sql.includes('from "items"')) lists.push(query);
    };
    site.db.on("query", note);
    await page(queryOf([...[0, 1, 2, 3, 4].flatMap((facet) => ticks(facet, 2)), ...ranges(2)]));
    site.db.off("query", note);
    expect(new Set(lists.map((query) => query.__knexUid)).size).toBe(1);
    expect(lists.length).toBeGreaterThan(1);
    expect(lists.length).toBeLessThanOrEqual(6);
  });

  it("show counts of the first three facets, and a note that the others have none", async () => {
    const text = await page(queryOf([0, 1, 2, 3].flatMap((facet) => ticks(facet, 2))));
    expect(optionsIn(text, "Part 2").slice(0, 2)).toEqual(["value 0 5", "value 1 5"]);
    expect(optionsIn(text, "Part 3")).toHaveLength(20);
    expect(optionsIn(text, "Part 3").slice(0, 2)).toEqual(["value 0", "value 1"]);
    expect(textOf(mainOf(text))).toContain("some values have no counts");
    expect(await page(queryOf(ticks(0, 2)))).not.toContain("some values have no counts");
  });
});

describe("a value that no record has", () => {
  const LEFT_OUT = "A value was ignored: no entry has it.";

  it("is refused beside its field, and is in no link", async () => {
    await insertRecords(site.db, "items", rich(40));
    const text = await page("a.part_0=value+1&a.part_0=made+up&a.part_1=gone", 400);
    const problems = elements(text, "fieldset").filter((facet) => facet.includes("field-error"));
    expect(problems.map((facet) => textOf(elements(facet, "legend")[0] ?? ""))).toEqual(["Part 0", "Part 1"]);
    expect(problems.every((facet) => textOf(facet).includes(LEFT_OUT))).toBe(true);
    expect(namesIn(text)).toEqual(["i001", "i021"]);
    expect(mainOf(text)).not.toMatch(/made(\+|%20| )up/);
    expect(attributes(mainOf(text), "href").filter((href) => href.includes("part_1"))).toEqual([]);
  });

  it("is searched for if there are too many values to offer", async () => {
    const prices = Array.from({ length: 40 }, (_, n) => ({ id: `p${n}`, attributes: { price: n } }));
    await insertRecords(site.db, "items", prices);
    expect(namesIn(await page("a.price=2&a.price=39"))).toEqual(["p2", "p39"]);
    const text = await page("a.price=2&a.price=40", 400);
    expect(textOf(mainOf(text))).toContain(LEFT_OUT);
    expect(namesIn(text)).toEqual(["p2"]);
  });

  it("is searched for if the offered values are those of a sample", async () => {
    await site.db.raw(
      `truncate items cascade;
       alter table items disable trigger user;
       insert into items (id, name, attributes)
       select n, 'Item ' || n, jsonb_build_object('slot', case when n in (20001, 20002) then 'rare' else 'slot ' || n % 3 end)
         from generate_series(1, 60000) as n;
       alter table items enable trigger user;
       update catalogue_versions set version = version + 1 where kind = 'items'`,
    );
    // The sample is the same each time, and these two are not in it.
    await site.db.raw("analyze items");
    expect(optionsIn(await page(""), "Slot").join()).not.toContain("rare");
    expect(namesIn(await page("a.slot=rare"))).toEqual(["Item 20001", "Item 20002"]);
    const text = await page("a.slot=rare&a.slot=none", 400);
    expect(textOf(mainOf(text))).toContain(LEFT_OUT);
    expect(namesIn(text)).toHaveLength(2);
  });
});

describe("values in a path of the database", () => {
  it("are numbers of any size and sign, but no texts or lists of numbers", async () => {
    const figures = [-5, 0, 5e-324, 1e-7, 1e21, 1e300, 12.5];
    const held = figures.map((figure) => ({ id: `n${figure}`, attributes: { temperature: figure } }));
    const texts = [
      { id: "text", attributes: { temperature: "12.5" } },
      { id: "list", attributes: { temperature: [12.5] } },
    ];
    await insertRecords(site.db, "items", [...held, ...texts]);
    for (const figure of figures) {
      expect(namesIn(await page(`a.temperature=${encodeURIComponent(figure)}`))).toEqual([`n${figure}`]);
    }
    expect(namesIn(await page("min.temperature=-5&max.temperature=0"))).toEqual(["n-5", "n0"]);
    const range = `min.temperature=12.5&max.temperature=${encodeURIComponent("1e21")}`;
    expect(namesIn(await page(range))).toEqual(["n1e+21", "n12.5"]);
  });
});
