import request from "supertest";
import { beforeEach, describe, expect, it } from "vitest";
import { FILTERS_AT_MOST } from "../../src/catalogue/filters.ts";
import { useTestApp } from "../helpers/app.ts";
import { emptyCatalogue, insertRecords, type TestEntry } from "../helpers/catalogue.ts";
import { attributes, elements, mainOf, textOf } from "../helpers/html.ts";

const site = useTestApp();

beforeEach(() => emptyCatalogue(site.db));

const { facets: FACETS, values: VALUES, ranges: RANGES } = FILTERS_AT_MOST;

const page = async (query: string, status = 200) =>
  (await request(site.app).get(`/items?${query}`).expect(status)).text;

const namesIn = (text: string) => elements(elements(text, "tbody")[0] ?? "", "a").map(textOf);

/** The boxes that are ticked, as `name=value`. */
const tickedIn = (text: string) =>
  [...text.matchAll(/name="(a\.[^"]+)" value="([^"]*)" checked/g)].map(
    ([, name, value]) => `${name}=${value}`,
  );

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

describe("what a list is filtered by at once", () => {
  beforeEach(() => insertRecords(site.db, "items", rich(100)));

  it.each([
    [
      "values of all facets together",
      [...ticks(0, VALUES / 2), ...ticks(1, VALUES / 2)],
      [["a.part_2", "value 1"]],
    ],
    [
      "facets",
      [0, 1, 10, 11, 2, 3, 4, 5, 6, 7].slice(0, FACETS).flatMap((facet) => ticks(facet, 2)),
      [...ticks(8, 1), ...ticks(9, 1)],
    ],
    ["ranges", ranges(RANGES), [["min.figure_5", "90"]]],
  ] as [string, [string, string][], [string, string][]][])(
    "is bounded in %s: as many as may be are answered, the rest is left out and told",
    async (_what, most, more) => {
      const whole = await page(queryOf(most));
      expect(whole).not.toContain(TOO_MANY);
      const text = await page(queryOf([...most, ...more]), 400);
      expect(textOf(mainOf(text))).toContain(TOO_MANY);
      expect(namesIn(text)).toEqual(namesIn(whole));
      expect(tickedIn(text)).toEqual(tickedIn(whole));
      const { text: russian } = await request(site.app)
        .get(`/ru/items?${queryOf([...most, ...more])}`)
        .expect(400);
      expect(textOf(mainOf(russian))).toContain("Слишком много фильтров сразу");
    },
  );

  it("keeps the first in the order of the form", async () => {
    const text = await page(queryOf([...ticks(3, 20), ...ticks(1, 20), ...ticks(0, 10)]), 400);
    expect(tickedIn(text)).toHaveLength(VALUES);
    expect(tickedIn(text).filter((tick) => tick.startsWith("a.part_3"))).toHaveLength(10);
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

  it("is looked for where there are too many values to offer", async () => {
    const prices = Array.from({ length: 40 }, (_, n) => ({ id: `p${n}`, attributes: { price: n } }));
    await insertRecords(site.db, "items", prices);
    expect(namesIn(await page("a.price=2&a.price=39"))).toEqual(["p2", "p39"]);
    const text = await page("a.price=2&a.price=40", 400);
    expect(textOf(mainOf(text))).toContain(LEFT_OUT);
    expect(namesIn(text)).toEqual(["p2"]);
  });
});
