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

/** Where a button of a list leads: its form is sent as a browser sends it. */
async function step(text: string, label: string): Promise<string> {
  const form = text.slice(text.indexOf('id="list-view"'));
  const fields = form.slice(0, form.indexOf("</form>")).match(/<input[^>]*>/g) ?? [];
  const pairOf = (markup: string): [string, string] => [
    attributes(markup, "name")[0] ?? "",
    attributes(markup, "value")[0] ?? "",
  ];
  const buttons = [...text.matchAll(/<button[^>]*form="list-view"[^>]*>.*?<\/button>/gs)].map(
    ([button]) => button,
  );
  const button = buttons.find((one) => textOf(one) === label) ?? "";
  const path = /action="([^"]*)"/.exec(form)?.[1];
  const { headers } = await request(site.app)
    .get(`${path}?${new URLSearchParams([...fields, button].map(pairOf))}`)
    .expect(303);
  expect(headers["cache-control"]).toBe("no-store");
  return headers.location ?? "";
}

describe("values to choose from", () => {
  it("are words in the reader's language, and no identifiers", async () => {
    const jobs = ["taxi_driver", "taxi_driver", "tow_truck_man", "tow_truck_man", "A_B"];
    await insertRecords(
      site.db,
      "vehicles",
      jobs.map((job, index) => ({ id: `v${index}`, attributes: { job } })),
    );
    expect(await options("Job", "a.job=taxi_driver")).toEqual(["A_B 1", "taxi driver 2", "tow truck man 2"]);
    expect(await chips("a.job=tow_truck_man")).toContain("Job: tow truck man");
    const { text } = await request(site.app).get("/ru/vehicles?a.job=taxi_driver").expect(200);
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

  const legends = async (query: string) => {
    const { text } = await page(query);
    return elements(mainOf(text), "legend").map(textOf);
  };

  it("stand in one group, each with its name and its count", async () => {
    expect(await legends("")).toEqual(["Seats", "Features"]);
    expect(await options("Features", "")).toEqual(["Armed 2", "Unit: piece 2", "Siren 1"]);
    const { text } = await request(site.app).get("/ru/vehicles").expect(200);
    expect(elements(text, "legend").map(textOf)).toContain("Особенности");
  });

  it("are those alone: what a filter leaves one value of stays in its place", async () => {
    expect(await legends("a.siren=true")).toEqual(["Seats", "Features"]);
    expect(await options("Seats", "a.siren=true")).toEqual(["4 1"]);
  });
});

describe("filters by attribute", () => {
  beforeEach(fleet);

  it("leave what has the value", async () => {
    expect(await names("a.seats=4")).toEqual(["police", "saloon", "van"]);
    expect(await names("a.city=LS")).toEqual(["bike", "bus", "police", "van"]);
    expect(await names("a.siren=true")).toEqual(["police"]);
    expect(await names("a.siren=false")).toEqual(["bus"]);
  });

  it("are one or the other within a facet, and both of two facets", async () => {
    expect(await names("a.seats=4&a.seats=2")).toEqual([
      "bike",
      "moped",
      "police",
      "roadster",
      "saloon",
      "van",
    ]);
    expect(await names("a.seats=4&a.city=LS")).toEqual(["police", "van"]);
    expect(await names("a.seats=4&a.seats=2&a.city=LS&category=Cars")).toEqual(["police", "van"]);
  });

  it("take both ends of a range in, and leave out what has no figure", async () => {
    expect(await names("min.price=10000&max.price=30000")).toEqual(["roadster", "saloon", "van"]);
    expect(await names("min.price=10000.5&max.price=29999")).toEqual(["van"]);
    expect(await names("max.price=1000.5")).toEqual(["moped"]);
    expect(await names("min.price=60000")).toEqual(["coach"]);
    expect(await names("min.price=60001")).toEqual([]);
  });

  it.each(["10 000", "10,000", "10000.0", "1e4", "+10000"])("read %s as a number", async (figure) => {
    expect(await names(`max.price=${encodeURIComponent(figure)}`)).toEqual(["bike", "moped", "saloon"]);
  });

  it("stay out of search engines, as which the unfiltered list is known", async () => {
    const { text } = await page("a.seats=4&category=Cars");
    expect(text).toContain('<meta name="robots" content="noindex">');
    expect(text).toContain('<link rel="canonical" href="http://almanac.test/vehicles?category=Cars">');
    const { text: category } = await page("category=Cars");
    expect(category).not.toContain("noindex");
  });
});

describe("the counts beside values", () => {
  beforeEach(fleet);

  it("are those of the whole list without a filter", async () => {
    expect(await options("Seats", "")).toEqual(["2 3", "4 3", "8 3"]);
    expect(await options("City", "")).toEqual(["LS 4", "LV 3", "SF 2"]);
  });

  it("keep a value that is ticked, though nothing that is left has it", async () => {
    expect(await options("City", "a.seats=4&a.city=SF")).toEqual(["LS 2", "LV 1", "SF 0"]);
  });

  it("count the categories likewise", async () => {
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

describe("what is filtered by", () => {
  beforeEach(fleet);

  it("is ticked and filled in as it was typed", async () => {
    const { text } = await page("a.seats=4&min.price=10%20000");
    expect(text).toMatch(/name="a\.seats" value="4" checked/);
    expect(text).not.toMatch(/name="a\.seats" value="2" checked/);
    expect(text).toMatch(/value="10 000" id="facet-\d+-min" name="min\.price"/);
  });

  it("is listed, each with a button that leads to the list without it", async () => {
    const query = "category=Cars&a.seats=2&a.seats=4&min.price=5000&max.price=30000&sort=-a.price&page=1";
    expect(await chips(query)).toEqual(["Cars", "Seats: 2", "Seats: 4", "Price: 5,000 to 30,000", "Reset"]);
    const { text } = await page(query);
    const links = attributes(mainOf(text), "href");
    const price = "min.price=5000&max.price=30000&sort=-a.price";
    expect(await step(text, "Price: 5,000 to 30,000")).toBe(
      "/vehicles?category=Cars&a.seats=2&a.seats=4&sort=-a.price",
    );
    expect(await step(text, "Seats: 2")).toBe(`/vehicles?category=Cars&a.seats=4&${price}`);
    expect(await step(text, "Cars")).toBe(`/vehicles?a.seats=2&a.seats=4&${price}`);
    expect(links).toContain("/vehicles?sort=-a.price");
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

describe("a filter that cannot be understood", () => {
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
  ])("is said beside its field, and the others work: ?%s", async (query, message) => {
    const { text } = await page(`${query}&a.city=LS`, 400);
    const facet = elements(text, "fieldset").find((held) => held.includes("field-error"));
    expect(textOf(facet ?? "")).toContain(message);
    expect(text).toMatch(/name="a\.city" value="LS" checked/);
    const listed = await names(`${query}&a.city=LS`, 400);
    expect(listed).toContain("bus");
    expect(listed).not.toContain("coach");
  });
});

describe("a value of what has become a range", () => {
  it("is filtered by as before, and stays in the form", async () => {
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

  it("goes up and down, with what has none at the end both ways, by name where they are equal", async () => {
    const unknown = ["bus", "cart", "coach", "saloon", "van"];
    expect(await names("sort=a.top_speed_kmh")).toEqual(["moped", "bike", "police", "roadster", ...unknown]);
    expect(await names("sort=-a.top_speed_kmh")).toEqual(["roadster", "police", "bike", "moped", ...unknown]);
    expect((await names("sort=-a.seats")).slice(0, 4)).toEqual(["bus", "cart", "coach", "police"]);
  });

  it("is offered for every attribute with figures, and marked in the head of its column", async () => {
    const { text } = await page("sort=-a.price");
    for (const value of ["a.price", "-a.seats", "a.top_speed_kmh"]) {
      expect(text).toContain(`<option value="${value}">`);
    }
    expect(text).toContain('<option value="-a.price" selected>Price: highest first');
    expect(text).not.toContain('value="a.city"');
    expect(text).toMatch(/aria-sort="descending"><a href="\/vehicles\?sort=a\.price"/);
    expect(text.match(/aria-sort/g)).toHaveLength(1);
  });
});

describe("the columns", () => {
  it("show a day as a date, with room for all of it", async () => {
    const updated = ["2026-06-23", "2026-11-05", "2025-01-31"];
    await insertRecords(
      site.db,
      "scripts",
      updated.map((day, at) => ({ id: `${at}`, attributes: { updated: day } })),
    );
    const { text } = await request(site.app).get("/scripts").expect(200);
    expect(text).toMatch(/<td data-label="Last release" class="">23\u00a0Jun\u00a02026<\/td>/);
    expect(text).toMatch(/<th scope="col" class="chars-11">Last release<\/th>/);
  });

  it("are what most of the records tell, figures with their unit at the right", async () => {
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
    const guns = [1, 2, 3].map((clip) => ({
      id: `g${clip}`,
      category: "Guns",
      attributes: { clip, price: clip },
    }));
    const tools = Array.from({ length: 30 }, (_, n) => tool(`t${n}`, n));
    await insertRecords(site.db, "items", [...tools, ...guns]);
    const heads = async (path: string) => {
      const { text } = await request(site.app).get(path).expect(200);
      return elements(elements(text, "thead")[0] ?? "", "th")
        .map(textOf)
        .slice(path.includes("category") ? 2 : 3);
    };
    expect(await heads("/items")).toEqual(["Price"]);
    expect((await heads("/items?category=Guns")).sort()).toEqual(["Clip", "Price"]);
  });
});

describe("any names and values", () => {
  it.each([`it's "50 %" & more?`, "🚗 <b>", "__proto__", "a.b.min", "page", "100%_\\", "constructor"])(
    "come back from the address as they are: %s",
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
      expect(attributes(mainOf(text), "href").some((href) => href.startsWith(`/vehicles.csv?${query}`))).toBe(
        true,
      );
      expect(text).not.toContain("<b>");
    },
  );

  it.each([
    "a.seats=1".concat("&a.seats=2".repeat(500)),
    "min.price=1&min.price=2",
    `a.city=${"x".repeat(5000)}`,
  ])("in any number: ?%s", async (query) => {
    await fleet();
    const { status } = await request(site.app).get(`/vehicles?${query}`);
    expect([200, 400]).toContain(status);
  });
});
