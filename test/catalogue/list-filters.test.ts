import request from "supertest";
import { beforeEach, describe, expect, it } from "vitest";
import { useTestApp } from "../helpers/app.ts";
import { emptyCatalogue, insertRecords, type TestEntry } from "../helpers/catalogue.ts";
import { attributes, elements, mainOf, textOf } from "../helpers/html.ts";

const site = useTestApp();

beforeEach(() => emptyCatalogue(site.db));

/** A fleet where every combination of the tests' filters matches other vehicles. */
const FLEET: TestEntry[] = [
  { id: "bus", category: "Public", attributes: { seats: 8, price: 50_000, city: "LS", siren: false } },
  { id: "coach", category: "Public", attributes: { seats: 8, price: 60_000, city: "SF" } },
  { id: "van", category: "Cars", attributes: { seats: 4, price: 20_000, city: "LS" } },
  { id: "saloon", category: "Cars", attributes: { seats: 4, price: 10_000, city: "LV" } },
  { id: "police", category: "Cars", attributes: { seats: 4, city: "LS", siren: true, top_speed_kmh: 200 } },
  {
    id: "roadster",
    category: "Cars",
    attributes: { seats: 2, price: 30_000, city: "SF", top_speed_kmh: 240 },
  },
  { id: "bike", category: "Bikes", attributes: { seats: 2, price: 5_000, city: "LS", top_speed_kmh: 190 } },
  { id: "moped", category: "Bikes", attributes: { seats: 2, price: 1_000.5, city: "LV", top_speed_kmh: 90 } },
  { id: "cart", category: "Bikes", attributes: { seats: 8, price: "free", city: "LV" } },
];

const fleet = () => insertRecords(site.db, "vehicles", FLEET);

const page = (query: string, status = 200) => request(site.app).get(`/vehicles?${query}`).expect(status);

/** The names of the list, in its order. */
async function names(query: string, status = 200): Promise<string[]> {
  const { text } = await page(query, status);
  return elements(elements(text, "tbody")[0] ?? "", "a").map(textOf);
}

/** The options of a facet as they are read: `2 3`. */
async function options(legend: string, query: string): Promise<string[]> {
  const { text } = await page(query);
  const facet = elements(text, "fieldset").find((held) => elements(held, "legend").map(textOf)[0] === legend);
  return elements(facet ?? "", "li").map(textOf);
}

async function chips(query: string): Promise<string[]> {
  const { text } = await page(query);
  const list = text.slice(text.indexOf('class="list-chips"'));
  return elements(list.slice(0, list.indexOf("</ul>")), "li").map(textOf);
}

/** The address that a button of a list leads to: its form is sent as a browser sends it. */
async function step(text: string, label: string): Promise<string> {
  const form = text.slice(text.indexOf('id="list-view"'));
  const fields = form.slice(0, form.indexOf("</form>")).match(/<input[^>]*>/g) ?? [];
  const buttons = text.match(/<button[^>]*form="list-view"[^>]*>.*?<\/button>/gs) ?? [];
  const button = buttons.find((one) => textOf(one) === label) ?? "";
  const pairs = [...fields, button].map((markup) =>
    ["name", "value"].map((name) => attributes(markup, name)[0] ?? ""),
  );
  const query = new URLSearchParams(pairs as [string, string][]);
  const { headers } = await request(site.app)
    .get(`${/action="([^"]*)"/.exec(form)?.[1]}?${query}`)
    .expect(303);
  expect(headers["cache-control"]).toBe("no-store");
  return headers.location ?? "";
}

describe("values to choose from", () => {
  it("are words in the reader's language, and no identifiers", async () => {
    const jobs = ["taxi_driver", "taxi_driver", "tow_truck_man", "tow_truck_man", "A_B"];
    const records = jobs.map((job, index) => ({ id: `v${index}`, attributes: { job } }));
    await insertRecords(site.db, "vehicles", records);
    expect(await options("Job", "a.job=taxi_driver")).toEqual(["A_B 1", "taxi driver 2", "tow truck man 2"]);
    expect(await chips("a.job=tow_truck_man")).toContain("Job: tow truck man");
    const text = await site.page("/ru/vehicles?a.job=taxi_driver");
    expect(elements(text, "fieldset").map(textOf).join()).toContain("таксист 2");
  });
});

describe("facets with one value in all of the kind", () => {
  beforeEach(() =>
    insertRecords(site.db, "vehicles", [
      { id: "police", attributes: { siren: true, seats: 4, armed: true } },
      { id: "tank", attributes: { armed: true, seats: 2 } },
      { id: "van", attributes: { unit: "piece", seats: 4 } },
      { id: "bus", attributes: { unit: "piece", seats: 4 } },
      { id: "car", attributes: { seats: 2 } },
      { id: "cab", attributes: { seats: 2 } },
    ]),
  );

  const legends = async (query: string) => elements(mainOf((await page(query)).text), "legend").map(textOf);

  it("are one group, each with its name and its count, whatever a filter leaves of the others", async () => {
    expect(await legends("")).toEqual(["Seats", "Features"]);
    expect(await options("Features", "")).toEqual(["Armed 2", "Unit: piece 2", "Siren 1"]);
    expect(elements(await site.page("/ru/vehicles"), "legend").map(textOf)).toContain("Особенности");
    expect(await legends("a.siren=true")).toEqual(["Seats", "Features"]);
    expect(await options("Seats", "a.siren=true")).toEqual(["4 1"]);
  });
});

describe("filters by attribute", () => {
  beforeEach(fleet);

  it.each([
    ["a.seats=4", "police saloon van"],
    ["a.city=LS", "bike bus police van"],
    ["a.siren=true", "police"],
    ["a.siren=false", "bus"],
    // Values of one facet are alternatives; facets narrow each other.
    ["a.seats=4&a.seats=2", "bike moped police roadster saloon van"],
    ["a.seats=4&a.city=LS", "police van"],
    // A range has both its ends, and nothing without a figure.
    ["min.price=10000&max.price=30000", "roadster saloon van"],
    ["min.price=10000.5&max.price=29999", "van"],
    ["max.price=1000.5", "moped"],
    ...["10 000", "10,000", "10000.0", "1e4", "+10000"].map((figure) => [
      `max.price=${encodeURIComponent(figure)}`,
      "bike moped saloon",
    ]),
  ])("list for ?%s: %s", async (query, expected) => {
    expect((await names(query)).join(" ")).toBe(expected);
  });

  it("keep a list out of search engines, which know the unfiltered one", async () => {
    const { text } = await page("a.seats=4&category=Cars");
    expect(text).toContain('<meta name="robots" content="noindex">');
    expect(text).toContain('<link rel="canonical" href="http://almanac.test/vehicles?category=Cars">');
    const { text: category } = await page("category=Cars");
    expect(category).not.toContain("noindex");
  });
});

describe("the counts of values", () => {
  beforeEach(fleet);

  it("are those of the filtered list, with each chosen value", async () => {
    expect(await options("Seats", "")).toEqual(["2 3", "4 3", "8 3"]);
    expect(await options("City", "")).toEqual(["LS 4", "LV 3", "SF 2"]);
    expect(await options("City", "a.seats=4&a.city=SF")).toEqual(["LS 2", "LV 1", "SF 0"]);
  });

  it("are shown for categories too", async () => {
    const { text } = await page("a.seats=4&category=Bikes");
    const nav = elements(text, "nav").find((nav) => nav.includes("Categories")) ?? "";
    expect(elements(nav, "button").map(textOf)).toEqual(["All", "Cars 3"]);
    expect(await step(text, "Cars 3")).toBe("/vehicles?category=Cars&a.seats=4");
    expect(await step(text, "All")).toBe("/vehicles?a.seats=4");
  });

  it("change with the records", async () => {
    await site.db("vehicles").where({ id: "coach" }).delete();
    expect(await options("City", "")).toEqual(["LS 4", "LV 3", "SF 1"]);
    expect(await options("City", "category=Public")).toEqual(["LS 1"]);
  });
});

describe("a chosen filter", () => {
  beforeEach(fleet);

  it("is ticked and filled in as it was typed", async () => {
    const { text } = await page("a.seats=4&min.price=10%20000");
    expect(text).toMatch(/name="a\.seats" value="4" checked/);
    expect(text).not.toMatch(/name="a\.seats" value="2" checked/);
    expect(text).toMatch(/value="10 000" id="facet-\d+-min" name="min\.price"/);
  });

  it("is listed with a button that leads to the list without it", async () => {
    const query = "category=Cars&a.seats=2&a.seats=4&min.price=5000&max.price=30000&sort=-a.price&page=1";
    expect(await chips(query)).toEqual(["Cars", "Seats: 2", "Seats: 4", "Price: 5,000 to 30,000", "Reset"]);
    const { text } = await page(query);
    const price = "min.price=5000&max.price=30000&sort=-a.price";
    const withoutPrice = "/vehicles?category=Cars&a.seats=2&a.seats=4&sort=-a.price";
    expect(await step(text, "Price: 5,000 to 30,000")).toBe(withoutPrice);
    expect(await step(text, "Seats: 2")).toBe(`/vehicles?category=Cars&a.seats=4&${price}`);
    expect(await step(text, "Cars")).toBe(`/vehicles?a.seats=2&a.seats=4&${price}`);
    expect(attributes(mainOf(text), "href")).toContain("/vehicles?sort=-a.price");
  });

  it("stays on every page and in every order of the list", async () => {
    const many = Array.from({ length: 60 }, (_, n) => ({ id: `n${n}`, attributes: { seats: 9, price: n } }));
    await insertRecords(site.db, "vehicles", many);
    const { text } = await page("a.seats=9&min.price=1");
    const links = attributes(mainOf(text), "href");
    expect(links).toContain("/vehicles?a.seats=9&min.price=1&page=2");
    expect(links).toContain("/vehicles?a.seats=9&min.price=1&sort=-a.price");
    expect(await names("a.seats=9&min.price=1&page=2")).toHaveLength(9);
  });
});

describe("an invalid filter", () => {
  beforeEach(fleet);

  it.each([
    ["min.price=abc", "Enter a number"],
    ["max.price=1;2", "Enter a number"],
    ["min.price=1e999999", "Enter a number"],
    ["min.price=1e309", "Enter a number"],
    ["min.price=30000&max.price=10", "Must not be lower"],
    ["a.seats=many", "A value was ignored"],
    ["a.siren=perhaps", "A value was ignored"],
    ["a.city=%00", "A value was ignored"],
  ])("is explained at its field, and the others work: ?%s", async (query, message) => {
    const { text } = await page(`${query}&a.city=LS`, 400);
    const facet = elements(text, "fieldset").find((held) => held.includes("field-error"));
    expect(textOf(facet ?? "")).toContain(message);
    expect(text).toMatch(/name="a\.city" value="LS" checked/);
    const listed = await names(`${query}&a.city=LS`, 400);
    expect(listed).toContain("bus");
    expect(listed).not.toContain("coach");
  });
});

describe("a value of an attribute that is a range now", () => {
  it("still filters, and stays in the form", async () => {
    const prices = [1, 2, 3, 4].map((price) => ({ id: `p${price}`, attributes: { price } }));
    await insertRecords(site.db, "vehicles", prices);
    expect(await names("a.price=2&a.price=4")).toEqual(["p2", "p4"]);
    expect(await names("a.price=2&a.price=4&max.price=3")).toEqual(["p2"]);
    expect(await options("Price", "a.price=2&a.price=4")).toEqual(["2", "4"]);
    expect(await chips("a.price=2&max.price=3")).toEqual(["Price: 2", "Price: up to 3", "Reset"]);
    const { text } = await page("a.price=2&max.price=3");
    expect(await step(text, "Price: up to 3")).toBe("/vehicles?a.price=2");
    expect(await step(text, "Price: 2")).toBe("/vehicles?max.price=3");
  });
});

describe("sorting by figures", () => {
  beforeEach(fleet);

  it("works in both directions, with missing figures last and equal ones by name", async () => {
    const unknown = ["bus", "cart", "coach", "saloon", "van"];
    expect(await names("sort=a.top_speed_kmh")).toEqual(["moped", "bike", "police", "roadster", ...unknown]);
    expect(await names("sort=-a.top_speed_kmh")).toEqual(["roadster", "police", "bike", "moped", ...unknown]);
    expect((await names("sort=-a.seats")).slice(0, 4)).toEqual(["bus", "cart", "coach", "police"]);
  });

  it("is offered for every attribute with figures, and marked in its column's head", async () => {
    const { text } = await page("sort=-a.price");
    for (const value of ["a.price", "-a.seats", "a.top_speed_kmh"])
      expect(text).toContain(`<option value="${value}">`);
    expect(text).toContain('<option value="-a.price" selected>Price: highest first');
    expect(text).not.toContain('value="a.city"');
    expect(text).toMatch(/aria-sort="descending"><a href="\/vehicles\?sort=a\.price"/);
    expect(text.match(/aria-sort/g)).toHaveLength(1);
  });
});

describe("the columns", () => {
  it("show a day as a date, with enough space", async () => {
    const updated = ["2026-06-23", "2026-11-05", "2025-01-31"];
    const scripts = updated.map((day, at) => ({ id: `${at}`, attributes: { updated: day } }));
    await insertRecords(site.db, "scripts", scripts);
    const text = await site.page("/scripts");
    expect(text).toMatch(/<td data-label="Last release" class="">23\u00a0Jun\u00a02026<\/td>/);
    expect(text).toMatch(/<th scope="col" class="chars-11">Last release<\/th>/);
  });

  it("are the attributes of most records, figures with their unit at the right", async () => {
    await fleet();
    const { text } = await page("");
    const heads = elements(elements(text, "thead")[0] ?? "", "th").map(textOf);
    expect(heads).toEqual(["Compare", "Name ▲", "Category", "Price", "Seats", "Top speed", "City"]);
    expect(text).toMatch(/<td data-label="Top speed" class="num">240\u00a0km\/h<\/td>/);
    expect(text).toMatch(/<td data-label="City" class="">LV<\/td>/);
    expect(text).toMatch(/<td data-label="Top speed" class="num is-missing">–<\/td>/);
  });

  it("are those of the category", async () => {
    const tool = (id: string, price: number) => ({ id, category: "Tools", attributes: { price } });
    const gun = (clip: number) => ({ id: `g${clip}`, category: "Guns", attributes: { clip, price: clip } });
    const tools = Array.from({ length: 30 }, (_, n) => tool(`t${n}`, n));
    await insertRecords(site.db, "items", [...tools, ...[1, 2, 3].map(gun)]);
    const heads = async (path: string) => {
      const head = elements(await site.page(path), "thead")[0] ?? "";
      return elements(head, "th")
        .map(textOf)
        .slice(path.includes("category") ? 2 : 3);
    };
    expect(await heads("/items")).toEqual(["Price"]);
    expect((await heads("/items?category=Guns")).sort()).toEqual(["Clip", "Price"]);
  });
});

describe("any names and values", () => {
  it.each([`a"b\\c's "50 %" & more?`, "🚗 <b>", "__proto__", "a.b.min", "page", "$.x || true", "1"])(
    "are read from the address as they are: %s",
    async (odd) => {
      const held = JSON.parse(`{${JSON.stringify(odd)}: ${JSON.stringify(odd)}}`);
      await insertRecords(site.db, "vehicles", [
        { id: "one", attributes: held },
        { id: "two", attributes: held },
        { id: "three", attributes: {} },
      ]);
      const query = `${new URLSearchParams([[`a.${odd}`, odd]])}`;
      expect(await names(query)).toEqual(["one", "two"]);
      const { text } = await page(query);
      expect(attributes(text, "value")).toContain(odd);
      const links = attributes(mainOf(text), "href");
      expect(links.some((href) => href.startsWith(`/vehicles.csv?${query}`))).toBe(true);
      expect(text).not.toContain("<b>");
    },
  );
});
