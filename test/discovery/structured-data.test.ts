import request from "supertest";
import { beforeAll, describe, expect, it } from "vitest";
import { useTestApp } from "../helpers/app.ts";
import { emptyCatalogue, insertRecords } from "../helpers/catalogue.ts";
import { plainSpaces } from "../helpers/html.ts";
import { parseXml } from "../helpers/xml.ts";

const site = useTestApp();

beforeAll(async () => {
  await emptyCatalogue(site.db);
  const attributes = { price: 2400, weight_kg: 3.5, note: null, parts: { nested: 1 } };
  await insertRecords(site.db, "items", [
    { id: "ak", name: "AK-47", names: { ru: "Калаш" }, category: "Guns & more", attributes },
    { id: "told", name: "Told", description: "**Says** itself.", attributes },
    { id: "</script><b>", name: "</script><script>alert(1)</script>" },
  ]);
  await site.db("donate_items").insert([
    { id: "vip", name: "VIP", price: "10.00", currency: "EUR", category: "Status" },
    { id: "free", name: "Free", price: null, currency: "EUR" },
  ]);
  const ends_at = "2126-01-02T00:00:00Z";
  await site
    .db("discounts")
    .insert({ id: "d", item_key: "vip", percent: 25, starts_at: "2020-01-01T00:00:00Z", ends_at });
});

async function page(path: string) {
  const { text } = await request(site.app).get(path).expect(200);
  const head = text.slice(0, text.indexOf("</head>"));
  return { text, head };
}

/** The structured data of a page by type. */
async function structured(path: string): Promise<Record<string, Record<string, unknown>>> {
  const { head } = await page(path);
  const blocks = [...head.matchAll(/<script type="application\/ld\+json">(.*?)<\/script>/gs)];
  const data = blocks.flatMap(([, json]) => JSON.parse(String(json)));
  expect(data.every((each) => each["@context"] === "https://schema.org")).toBe(true);
  return Object.fromEntries(data.map((each) => [each["@type"], each]));
}

describe("the structured data of a page", () => {
  it("is the way to an entry, in the page's language", async () => {
    expect((await structured("/ru/items/ak")).BreadcrumbList?.itemListElement).toEqual([
      { "@type": "ListItem", position: 1, name: "Предметы", item: "http://almanac.test/ru/items" },
      {
        "@type": "ListItem",
        position: 2,
        name: "Guns & more",
        item: "http://almanac.test/ru/items?category=Guns+%26+more",
      },
      { "@type": "ListItem", position: 3, name: "Калаш", item: "http://almanac.test/ru/items/ak" },
    ]);
  });

  it("is the entries of a list that search engines index, and of no other", async () => {
    const { ItemList, BreadcrumbList } = await structured("/items");
    expect(BreadcrumbList).toBeUndefined();
    expect(ItemList?.itemListElement).toContainEqual({
      "@type": "ListItem",
      position: expect.any(Number),
      name: "AK-47",
      url: "http://almanac.test/items/ak",
    });
    expect((await structured("/items?category=Guns+%26+more")).BreadcrumbList).toBeDefined();
    expect(await structured("/items?q=ak")).toEqual({});
  });

  it("is a product of the shop with what it costs now, and none without a price", async () => {
    const { Product, BreadcrumbList } = await structured("/donate/vip");
    expect(BreadcrumbList).toBeDefined();
    expect(Product).toMatchObject({ name: "VIP", sku: "vip", category: "Status" });
    expect(Product?.offers).toEqual({
      "@type": "Offer",
      url: "http://almanac.test/donate/vip",
      price: "7.50",
      priceCurrency: "EUR",
      priceValidUntil: "2126-01-02T00:00:00.000Z",
      availability: "https://schema.org/InStock",
    });
    expect(await structured("/donate/free")).not.toHaveProperty("Product");
    expect((await structured("/donate")).ItemList?.itemListElement).toHaveLength(2);
  });

  it("cannot be ended by a name, and needs nothing that the policy forbids", async () => {
    const response = await request(site.app).get("/items").expect(200);
    expect(response.text).not.toContain("<script>alert(1)");
    expect(response.headers["content-security-policy"]).not.toContain("unsafe-inline");
    const names = JSON.stringify((await structured("/items")).ItemList);
    expect(names).toContain("</script><script>alert(1)</script>");
  });
});

describe("the description of an entry", () => {
  const descriptionOf = async (path: string) =>
    /<meta name="description" content="([^"]*)"/.exec((await page(path)).head)?.[1];

  it("describes the entry: its kind, category and figures", async () => {
    expect(plainSpaces((await descriptionOf("/items/ak")) ?? "")).toBe(
      "AK-47: Item, Guns &amp; more. Price: 2,400; Weight: 3.5 kg",
    );
    expect(await descriptionOf("/items/told")).toBe("Told: Says itself.");
  });
});

describe("views of a list", () => {
  it.each([
    ["/items?sort=newest", "/items"],
    ["/items?sort=newest&category=Guns+%26+more", "/items?category=Guns+%26+more"],
    ["/donate?sort=name", "/donate"],
    ["/donate?sale=1", "/donate"],
    ["/servers?sort=name", "/servers"],
  ])("%s is the same to search engines as %s", async (path, canonical) => {
    const { head } = await page(path);
    expect(head).toContain(
      `<link rel="canonical" href="http://almanac.test${canonical.replace("&", "&#38;")}">`,
    );
  });

  it.each(["/items?q=ak", "/items?letter=A", "/donate?q=vip"])("%s is not for them", async (path) => {
    expect((await page(path)).head).toContain('<meta name="robots" content="noindex">');
  });
});

describe("the search of a browser", () => {
  it("is described in the page's language, with suggestions", async () => {
    const { head } = await page("/ru/items");
    expect(head).toContain(
      '<link rel="search" type="application/opensearchdescription+xml" title="Almanac" href="/ru/opensearch.xml">',
    );
    const { text, headers } = await request(site.app).get("/ru/opensearch.xml").buffer().expect(200);
    expect(headers["content-type"]).toBe("application/opensearchdescription+xml; charset=utf-8");
    const { OpenSearchDescription: described } = parseXml(text);
    expect(described).toMatchObject({ ShortName: "Almanac", Language: "ru", InputEncoding: "UTF-8" });
    const urls: { "@type": string; "@template": string }[] = described.Url;
    expect(urls.map((url) => [url["@type"], url["@template"]])).toEqual([
      ["text/html", "http://almanac.test/ru/search?q={searchTerms}"],
      ["application/x-suggestions+json", "http://almanac.test/ru/search/suggestions?q={searchTerms}"],
      ["application/opensearchdescription+xml", "http://almanac.test/ru/opensearch.xml"],
    ]);
  });

  it("suggests names with what they are and where", async () => {
    const asked = request(site.app).get("/ru/search/suggestions?q=ak").responseType("blob");
    const { body, headers } = await asked.expect(200);
    expect(headers["content-type"]).toBe("application/x-suggestions+json; charset=utf-8");
    expect(headers["set-cookie"]).toBeUndefined();
    const [query, names, descriptions, urls] = JSON.parse(body.toString());
    expect(query).toBe("ak");
    expect(names[0]).toBe("Калаш");
    expect(descriptions[0]).toBe("Предмет, Guns & more");
    expect(urls[0]).toBe("http://almanac.test/ru/items/ak");
    expect(new Set([names.length, descriptions.length, urls.length]).size).toBe(1);
  });

  it("has an answer to nothing, and to what is no search", async () => {
    const { text } = await request(site.app).get("/search/suggestions?q=").buffer().expect(200);
    expect(text ?? "").not.toContain("AK");
    await request(site.app).get("/search/suggestions?q=%00").expect(400);
    await request(site.app).post("/search/suggestions").expect(405);
  });
});

describe("/favicon.ico", () => {
  it("leads to the site's icon", async () => {
    const { headers } = await request(site.app).get("/favicon.ico").expect(302);
    const icon = await request(site.app).get(String(headers.location)).expect(200);
    expect(icon.headers["content-type"]).toBe("image/png");
  });
});
