import { readFileSync } from "node:fs";
import path from "node:path";
import request from "supertest";
import { beforeAll, describe, expect, it } from "vitest";
import { buildAssets } from "../../src/web/assets/build.ts";
import { useAwayApp, useTestApp } from "../helpers/app.ts";
import { insertRecords } from "../helpers/catalogue.ts";
import { attributes, elements, textOf } from "../helpers/html.ts";
import { addDonateItem, addEntity, addServer } from "../helpers/things.ts";

const assets = await buildAssets();

const site = useTestApp();

const EVIL = `<script>alert(1)</script>"'&`;

/** A record that is an attack in every field that holds text, its id included. */
const EVIL_RECORD = {
  id: EVIL,
  name: EVIL,
  names: { en: EVIL, ru: `${EVIL}ru`, [EVIL]: EVIL },
  category: EVIL,
  description: EVIL,
  image: `/${EVIL}`,
  attributes: { [EVIL]: EVIL, link: `https://example.org/${EVIL}`, nested: { [EVIL]: [EVIL] } },
};

const EVIL_ID = encodeURIComponent(EVIL);

const PAGES = [
  "/",
  "/items",
  "/vehicles",
  "/houses",
  `/items?category=${EVIL_ID}`,
  `/items/${EVIL_ID}`,
  `/scripts/${EVIL_ID}`,
  `/houses/${EVIL_ID}`,
  "/search",
  `/search?q=${EVIL_ID}`,
  `/search?q=${EVIL_ID}&kind=items`,
  "/nicknames",
  "/docs/api",
  "/docs/errors",
];

const FAILURES: [path: string, status: number][] = [
  ["/nothing", 404],
  [`/${EVIL_ID}`, 404],
  [`/items/${EVIL_ID}nope`, 404],
  [`/items?category=${EVIL_ID}nope`, 404],
  [`/items?sort=${EVIL_ID}`, 400],
  [`/nicknames?first=${EVIL_ID}&country=${EVIL_ID}&mode=${EVIL_ID}&count=${EVIL_ID}`, 400],
];

beforeAll(async () => {
  for (const kind of ["items", "vehicles", "scripts", "houses", "businesses"] as const) {
    await insertRecords(site.db, kind, [EVIL_RECORD, { id: "1", name: "Plain", names: { ru: "Простой" } }]);
  }
  await site.db("servers").insert({ id: "one", name: "One" });
  await site.db("donate_items").insert({ id: "vip", name: "VIP", price: "5", currency: "EUR" });
});

describe.each([...PAGES.map((path) => [path, 200] as const), ...FAILURES])("%s", (path, status) => {
  let page: request.Response;
  let text = "";
  beforeAll(async () => {
    page = await request(site.app).get(path);
    ({ text } = page);
  });

  it("has its status, no cookie, and is 304 to who knows it", async () => {
    expect([page.status, page.type]).toEqual([status, "text/html"]);
    expect(page.headers["set-cookie"]).toBeUndefined();
    if (status !== 200) return;
    const { headers } = await request(site.app).get(path).expect(200);
    expect(headers.etag).toMatch(/^"[\w-]+"$/);
    const again = request(site.app).get(path).set("If-None-Match", String(headers.etag));
    expect((await again.expect(304)).headers["set-cookie"]).toBeUndefined();
  });

  it("is a whole page: language, title, one h1, canonical address, one main", () => {
    expect(text).toMatch(/<html lang="en" /);
    expect(elements(text, "title")[0]?.trim()).toMatch(/Almanac$/);
    expect(elements(text, "h1").map(textOf).filter(Boolean)).toHaveLength(1);
    expect(text.match(/<link rel="canonical" href="http:\/\/almanac\.test\/[^"]*">/g)).toHaveLength(1);
    expect(text.match(/<main id="main"/g)).toHaveLength(1);
  });

  it("shows what looks like markup as text", () => {
    expect(text).not.toContain("<script>");
    expect(text).not.toContain("alert(1)</");
    // A quote that breaks out of its attribute leaves the payload's end behind as an attribute of its own.
    expect(text).not.toMatch(/<[^>]*"'/);
  });

  it("has ids that are used once, and refers to no other", () => {
    const ids = attributes(text, "id");
    expect(new Set(ids).size).toBe(ids.length);
    const named = ["for", "aria-labelledby", "aria-describedby"].flatMap((name) => attributes(text, name));
    const used = named.flatMap((value) => value.split(" "));
    expect(used.filter((id) => !ids.includes(id))).toEqual([]);
  });
});

describe("a visitor", () => {
  it("finds feeds, search, sections and accounts on every page", async () => {
    const { text } = await request(site.app).get("/docs/errors");
    const hrefs = attributes(text, "href");
    const sections = ["/items", "/vehicles", "/scripts", "/houses", "/businesses", "/servers", "/donate"];
    const others = ["/nicknames", "/items.rss", "/discounts.rss", "/sitemap.xml", "/docs/api", "/register"];
    expect(hrefs).toEqual(expect.arrayContaining([...sections, ...others]));
    expect(text).toContain('<form class="search-box" role="search" action="/search" method="get"');
    // A feed reader is offered what the page is about, and this one is about nothing that has a feed.
    expect(text).not.toContain('type="application/rss+xml"');
    expect(/<body>\s*<a class="skip-link" href="#main">/.test(text)).toBe(true);
  });

  it("has one search box, on a page that is not there too", async () => {
    for (const path of ["/items", "/nowhere", "/items/nothing", "/search", "/"])
      expect((await request(site.app).get(path)).text.match(/role="search"/g), path).toHaveLength(1);
  });

  it("comes back to the same page after logging in, but not to the log-in page itself", async () => {
    const list = await request(site.app).get("/items?sort=newest");
    expect(attributes(list.text, "href")).toContain(
      `/login?next=${encodeURIComponent("/items?sort=newest")}`,
    );
    const login = await request(site.app).get("/login");
    expect(attributes(login.text, "href")).toContain("/login");
  });

  it("sees which section a page belongs to", async () => {
    const { text } = await request(site.app).get(`/vehicles/1`);
    expect(text).toMatch(/<a href="\/vehicles" aria-current="true">/);
    expect(text.match(/<a href="\/\w+" aria-current/g)).toHaveLength(1);
  });
});

describe("a logged-in user", () => {
  it("has an account menu with name and log-out, and private pages", async () => {
    const { agent, name } = await site.logIn();
    const { text, headers } = await agent.get("/items").expect(200);
    expect(headers["cache-control"]).toContain("private");
    expect(text).toContain(name);
    expect(text).toContain('<form method="post" action="/logout">');
    expect(attributes(text, "href")).toEqual(
      expect.arrayContaining(["/favorites", "/notifications", "/profile"]),
    );
    expect(text).not.toContain("Log in</a>");
  });
});

describe("the demo notice", () => {
  it("is there while there is demo data, and only then", async () => {
    const page = async () => (await request(await site.another()).get("/docs/errors")).text;
    const notice = "made-up demo data";
    expect(await page()).not.toContain(notice);
    await insertRecords(site.db, "items", [{ id: "demo", demo: true }]);
    expect(await page()).toContain(notice);
    await site.db("items").where({ id: "demo" }).delete();
  });
});

describe("without its database", () => {
  const away = useAwayApp();

  it("a page is a whole 503 page with a way home", async () => {
    const { text } = await request(away.app).get("/items").expect(503);
    expect(elements(text, "h1").map(textOf)).toEqual(["Not available right now"]);
    expect(text).toContain("Back to the home page");
  });

  it("what needs no database still answers", async () => {
    await request(away.app).get("/nicknames").expect(200);
    await request(away.app).get("/docs/api").expect(200);
    await request(away.app).get("/nothing").expect(404);
    await request(away.app).get(assets.url("css/web/site.css")).expect(200);
  });
});

describe("the files that pages refer to", () => {
  it("are all there", async () => {
    const { agent } = await site.logIn();
    const files = new Set<string>();
    for (const path of ["/", "/items/1", "/nicknames", "/servers"]) {
      const { text } = await agent.get(path);
      const addresses = ["href", "src"].flatMap((name) => attributes(text, name));
      for (const address of addresses)
        if (address.startsWith("/assets/")) files.add(address.split("#")[0] ?? "");
    }
    expect(files.size).toBeGreaterThan(8);
    for (const file of files) await request(site.app).get(file).expect(200);
  });

  it("hold every icon that a view asks for", async () => {
    const sprite = readFileSync(path.join(import.meta.dirname, "../../public/img/icons.svg"), "utf8");
    const ids = attributes(sprite, "id");
    const { agent } = await site.logIn();
    for (const page of ["/", "/items?q=a", "/items/1", "/search?q=a"]) {
      const used = [...(await agent.get(page)).text.matchAll(/icons-\w+\.svg#([\w-]+)/g)].map(
        (match) => match[1],
      );
      expect(used.length).toBeGreaterThan(0);
      for (const name of used) expect(ids).toContain(name);
    }
  });
});

describe("the canonical address of a page", () => {
  beforeAll(async () => {
    await addServer(site.db, "a/b");
    await addDonateItem(site.db, "a/b");
    await addEntity(site.db, "items", "a/b");
  });

  it.each([
    ["//", "/"],
    ["/?utm_source=x", "/"],
    ["/servers/", "/servers"],
    ["/nicknames/", "/nicknames"],
    ["/docs/api/", "/docs/api"],
    ["/items/", "/items"],
    ["/items/a%2fb/", "/items/a%2Fb"],
    ["/servers/%61%2fb/", "/servers/a%2Fb"],
    ["/donate/%61%2fb", "/donate/a%2Fb"],
  ])("of %s is %s", async (path, canonical) => {
    const { text } = await request(site.app).get(path).expect(200);
    expect(text).toContain(`<link rel="canonical" href="http://almanac.test${canonical}">`);
  });
});
