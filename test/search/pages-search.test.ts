import request from "supertest";
import { beforeAll, describe, expect, it } from "vitest";
import { useTestApp } from "../helpers/app.ts";
import { insertRecords } from "../helpers/catalogue.ts";
import { attributes, elements, mainOf, textOf } from "../helpers/html.ts";

const site = useTestApp();

beforeAll(async () => {
  const many = Array.from({ length: 120 }, (_, index) => ({
    id: `gun-${1000 + index}`,
    name: `Gun ${1000 + index}`,
    category: index < 60 ? "Pistols" : index < 61 ? "Rifles" : null,
  }));
  await insertRecords(site.db, "items", many);
  await insertRecords(site.db, "items", [
    { id: "marked-beast", name: "Меченный зверь", popularity: 50 },
    { id: "marked", name: "Меченный", popularity: 99 },
    { id: "swordsman", name: "Старый меченосец", popularity: 99 },
    { id: "dawn", name: "Sword of Dawn", names: { ru: "Меч зари" }, popularity: 2 },
    { id: "wolf", name: "Меч волка" },
    { id: "old", name: "Старый меч", popularity: 1 },
    { id: "whole", name: "Меч" },
  ]);
  await insertRecords(site.db, "vehicles", [
    { id: "411", name: "Infernus", names: { en: "Infernus", ru: "Инфернус" }, category: "Sports cars" },
  ]);
  await insertRecords(site.db, "scripts", [{ id: "gun/shop", name: "Gun shop" }]);
  for (const kind of ["houses", "businesses"] as const) await insertRecords(site.db, kind, [{ id: "1" }]);
  await site.db("servers").insert({ id: "one", name: "One" });
  await site.db("donate_items").insert({ id: "vip", name: "VIP", price: "5", currency: "EUR" });
});

const search = (query: string) => request(site.app).get(`/search?${query}`);

/** The text of each group's results, with brackets round what is marked. */
function marked(html: string): string[] {
  return elements(html.replaceAll("<mark>", "[").replaceAll("</mark>", "]"), "li")
    .map(textOf)
    .filter((text) => /^\[?(Gun|In\[?f|Ин)/.test(text));
}

function hits(html: string): string[] {
  return marked(html).map((text) => text.replace(/[[\]]/g, ""));
}

describe("/search", () => {
  it("groups what it found by kind, shows the best few of each and leads to all of them", async () => {
    const { text } = await search("q=gun").expect(200);
    expect(elements(text, "h2").map(textOf)).toEqual(["Items 100+", "Scripts 1"]);
    expect(text).toContain('href="/scripts/gun%2Fshop"');
    expect(hits(text)).toHaveLength(9);
    expect(attributes(text, "href")).toContain("/search?q=gun&kind=items");
    expect(textOf(text)).toContain("All items (100+)");
    expect(textOf(text)).not.toContain("All scripts (1)");
  });

  it("shows the reader's name first and the main one beside it", async () => {
    const { text } = await request(site.app).get("/ru/search?q=infer").expect(200);
    expect(hits(text)).toEqual(["Инфернус Infernus Спорткары"]);
    expect(attributes(text, "href")).toContain("/ru/vehicles/411");
  });

  it.each([
    ["infern", "[Infern]us Sports cars"],
    ["инфер", "Infernus [Инфер]нус Sports cars"],
    ["411", "Infernus [411] Sports cars"],
    ["fern", "In[fern]us Sports cars"],
    ["byathy", "Infernus [Инферн]ус Sports cars"],
    ["infrnus", "[Inf]e[rnus] Sports cars"],
    ["infernuss", "[Infernus] Sports cars"],
  ])("marks what was typed: %s", async (query, expected) => {
    const { text } = await search(`q=${encodeURIComponent(query)}`).expect(200);
    expect(marked(text)).toEqual([expected]);
  });

  it("suggests a query if no name has the typed text", async () => {
    const { text } = await search("q=infrnus").expect(200);
    expect(textOf(mainOf(text))).toContain(
      "No results for “infrnus”. These names are close. Did you mean: Infernus",
    );
    expect(text).toContain('<a href="/search?q=Infernus" lang="en">Infernus</a>');
    const keys = await request(site.app).get("/ru/search?q=byathyec").expect(200);
    expect(textOf(mainOf(keys.text))).toContain("Возможно, вы имели в виду: инфернус");
    expect((await search("q=infernus")).text).not.toContain("Did you mean");
  });

  it("hands what is opened to the list of what was opened last", async () => {
    const { text } = await request(site.app).get("/ru/search?q=infernus").expect(200);
    const [kept = ""] = attributes(text, "data-found");
    expect(JSON.parse(kept)).toEqual({
      path: "/vehicles/411",
      name: "Infernus",
      names: { en: "Infernus", ru: "Инфернус" },
      kind: "vehicles",
    });
  });

  it("keeps what was typed in its form and its title", async () => {
    const { text } = await search("q=%22gun%22").expect(200);
    expect(text).toContain('name="q" value="&#34;gun&#34;"');
    expect(textOf(elements(text, "title")[0] ?? "")).toBe('Search: "gun" · Almanac');
  });

  it("explains what to do when the query is blank or missing", async () => {
    for (const query of ["", "q=", "q=%20%20"]) {
      const { text } = await search(query).expect(200);
      expect(textOf(mainOf(text))).toContain(
        "Type all or part of a name in any language, or an ID. Search covers: Items,",
      );
      expect(text).not.toContain('class="tabs"');
    }
  });

  it("says when nothing was found, and where to look instead", async () => {
    const { text } = await search("q=zzz").expect(200);
    expect(textOf(mainOf(text))).toMatch(/^No results for “zzz”/);
    expect(textOf(mainOf(text))).toContain(
      "Search covers: Items, Vehicles, Scripts, Houses, Businesses, Servers, Shop, Pages.",
    );
    expect(textOf(mainOf(text))).not.toContain("Not covered by search");
    const ways = ["/vehicles", "/houses", "/businesses", "/servers", "/donate"];
    expect(attributes(mainOf(text), "href")).toEqual(expect.arrayContaining(ways));
  });

  it("has one search box, which shows categories as the vocabulary has them", async () => {
    const { text } = await request(site.app).get("/ru/search?q=gun");
    expect(text.match(/role="search"/g)).toHaveLength(1);
    expect(text).toContain("&#34;Food&#34;:{&#34;text&#34;:&#34;Еда&#34;");
    const english = (await request(site.app).get("/search?q=gun")).text;
    expect(english).toMatch(
      /&#34;Food&#34;:\{&#34;text&#34;:&#34;Food&#34;,[^}]*&#34;glyph&#34;:&#34;[\w-]+&#34;/,
    );
  });

  it("stays out of search engines with a query, and is found without", async () => {
    expect((await search("q=gun")).text).toContain('content="noindex"');
    expect((await search("")).text).not.toContain("noindex");
  });
});

describe("/search of one kind", () => {
  it("shows 50 a page, in the order of the search, each once, and the last page past the end", async () => {
    const pages = [];
    for (const page of [1, 2, 3]) pages.push(hits((await search(`q=gun&kind=items&page=${page}`)).text));
    expect(pages.map((page) => page.length)).toEqual([50, 50, 20]);
    expect(new Set(pages.flat()).size).toBe(120);
    expect(pages[0]?.[0]).toBe("Gun 1000 Pistols");
    const { text } = await search("q=gun&kind=items&page=99").expect(200);
    expect(hits(text)).toHaveLength(20);
    expect(text).toContain(`aria-label="Page 3, current"`);
  });

  it("marks the kind that is shown and keeps the query on the way to others", async () => {
    const { text } = await search("q=gun&kind=vehicles").expect(200);
    expect(text).toMatch(/<a href="\/search\?q=gun&amp;kind=vehicles" aria-current="page">Vehicles<\/a>/);
    expect(attributes(text, "href")).toContain("/search?q=gun");
    expect(textOf(mainOf(text))).toContain("No vehicles match “gun”");
  });
});

describe("/search of one category", () => {
  const links = (html: string) =>
    elements(html, "a")
      .map(textOf)
      .filter((text) => /^(All|Pistols|Rifles)( \d+)?$/.test(text));

  it("shows what of the kind is in it, page by page", async () => {
    const { text } = await search("q=gun&kind=items&category=Pistols&page=2").expect(200);
    expect(elements(text, "h2").map(textOf)).toEqual(["Items 60"]);
    expect(hits(text)).toHaveLength(10);
    expect(attributes(text, "href")).toContain("/search?q=gun&kind=items&category=Pistols");
  });

  it("is offered beside the others, with how many it has", async () => {
    const { text } = await search("q=gun&kind=items").expect(200);
    expect(links(text)).toEqual(["All", "Pistols 60", "Rifles 1"]);
    const narrowed = await search("q=gun&kind=items&category=Rifles");
    expect(links(narrowed.text)).toEqual(["All", "Pistols 60", "Rifles 1"]);
    expect(narrowed.text).toMatch(/category=Rifles" aria-current="true"/);
    expect(links((await search("q=infernus&kind=vehicles")).text)).toEqual([]);
  });

  it("leads to the list with all filters, and to other kinds without the category", async () => {
    const { text } = await search("q=gun&kind=items&category=Rifles").expect(200);
    const hrefs = attributes(text, "href");
    expect(hrefs).toContain("/items?q=gun&category=Rifles");
    expect(hrefs).toContain("/search?q=gun&kind=scripts");
    expect(hrefs).toContain("/search?q=gun");
  });

  it("that has none says so, with a way back", async () => {
    const { text } = await search("q=gun&kind=items&category=Nothing").expect(200);
    expect(hits(text)).toEqual([]);
    expect(attributes(text, "href")).toContain("/search?q=gun&kind=items");
  });
});

describe("a whole word", () => {
  /** As the rule has them for `меч`: whole words before beginnings, whatever is popular. */
  const ORDER = ["whole", "dawn", "wolf", "marked", "marked-beast", "old", "swordsman"];
  const q = encodeURIComponent("меч");
  const answered = async (path: string) => {
    const { body } = await request(site.app).get(`${path}?q=${q}&limit=20`).expect(200);
    return body.items.map(({ id }: { id: string }) => id);
  };

  it("is nearer than a beginning, in the API that the box asks too", async () => {
    for (const path of ["/api/search", "/api/search/all"]) expect(await answered(path), path).toEqual(ORDER);
  });

  it.each([`/search?q=${q}`, `/search?q=${q}&kind=items`, `/items?q=${q}`])("is so on %s", async (path) => {
    const hrefs = attributes(mainOf((await request(site.app).get(path).expect(200)).text), "href");
    const shown = hrefs.flatMap((href) => /^\/items\/([\w-]+)$/.exec(href)?.[1] ?? []);
    expect([...new Set(shown)]).toEqual(ORDER);
  });

  it("is so of records that have changed since the index was built", async () => {
    await site.db("items").where({ id: "wolf" }).update({ name: "Меч вепря", revision: 2 });
    await site.db("items").where({ id: "marked" }).update({ name: "Меченый", revision: 2 });
    expect(await answered("/api/search")).toEqual(ORDER);
  });
});

describe("bad input", () => {
  it.each(["kind=planets&q=a", "q=a&q=b", "q=%00", "page=0&q=a", "page=x&q=a", `q=${"x".repeat(201)}`])(
    "is a 400 page: ?%s",
    async (query) => {
      const { text } = await search(query).expect(400);
      expect(textOf(text)).toContain("Bad input");
    },
  );
});
