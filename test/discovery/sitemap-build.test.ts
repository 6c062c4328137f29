import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import {
  latest,
  recordPath,
  type SitemapUrl,
  sitemapKinds,
  sitePages,
  urlsetStreams,
} from "../../src/discovery/sitemap/build-sitemap.ts";
import { robotsText } from "../../src/discovery/sitemap/routes.ts";
import { withPrefix } from "../../src/words/urls.ts";
import { parseXml } from "../helpers/xml.ts";

const BASE_URL = "https://almanac.example";
const CHANGED = new Date("2026-11-21T14:05:06.789Z");

describe("a urlset", () => {
  it("lists each URL with its own lastmod, in the order given", async () => {
    const xml = await urlset([{ path: "/items/411", lastmod: CHANGED }, { path: "/nicknames" }]);
    const lastmod = "2026-11-21T14:05:06.789Z";
    expect(parseXml(xml).urlset.url).toMatchObject([
      { loc: "https://almanac.example/en/items/411", lastmod },
      { loc: "https://almanac.example/ru/items/411", lastmod },
      { loc: "https://almanac.example/items/411", lastmod },
      { loc: "https://almanac.example/en/nicknames" },
      { loc: "https://almanac.example/ru/nicknames" },
      { loc: "https://almanac.example/nicknames" },
    ]);
  });

  it.each([
    ["/", ["/en", "/ru", "/"]],
    ["/items/a&b's", ["/en/items/a&b's", "/ru/items/a&b's", "/items/a&b's"]],
  ])("names the page %s in every language, and the address that leaves it open", async (path, addresses) => {
    const pages: { loc: string; "xhtml:link": Record<string, string>[] }[] = parseXml(
      await urlset([{ path }]),
    ).urlset.url;
    const languages = ["en", "ru", "x-default"];
    const expected = addresses.map((address, at) => ["alternate", languages[at], BASE_URL + address]);
    // Each address is a URL, and each names all of them.
    expect(pages.map(({ loc }) => loc)).toEqual(addresses.map((address) => BASE_URL + address));
    for (const page of pages) expect(page["xhtml:link"].map((link) => Object.values(link))).toEqual(expected);
  });

  it("declares the protocol's namespace, that of the links and UTF-8", async () => {
    const xml = await urlset([{ path: "/" }]);
    expect(xml).toMatch(
      /^<\?xml version="1\.0" encoding="UTF-8"\?><urlset xmlns="http:\/\/www\.sitemaps\.org\/schemas\/sitemap\/0\.9" xmlns:xhtml="http:\/\/www\.w3\.org\/1999\/xhtml">/,
    );
  });

  it.each(["a&b", "<script>", "]]>", "a b/c?d#e", "\u0008", "Ключ", "🚗", 'it\'s "it"', "100%", "%2e"])(
    "carries the id %j so that its address leads back to it",
    async (id) => {
      const xml = await urlset([{ path: recordPath("items", id) }]);
      const url = new URL(parseXml(xml).urlset.url[0].loc);
      expect(decodeURIComponent(url.pathname)).toBe(`/en/items/${id}`);
      expect(url.search + url.hash).toBe("");
    },
  );
});

/** The times of the last change on a site without records. */
const never = Object.fromEntries(sitemapKinds().map((kind) => [kind, undefined])) as unknown as Parameters<
  typeof sitePages
>[0];

describe("the pages that are no record's", () => {
  it("are home, the lists, servers, shop, nicknames and docs", () => {
    const lists = "/items /vehicles /scripts /houses /businesses /houses/map /businesses/map";
    const listed = sitePages(never).map(({ path }) => path);
    expect(listed.join(" ")).toBe(`/ ${lists} /servers /donate /nicknames /docs/api`);
  });

  it("change with the newest record they show, home with the newest of all", () => {
    const later = new Date(CHANGED.getTime() + 1);
    const pages = sitePages({ ...never, items: CHANGED, houses: CHANGED, donate: later });
    const lastmod = Object.fromEntries(pages.map((page) => [page.path, page.lastmod]));
    expect(lastmod).toMatchObject({ "/": later, "/items": CHANGED, "/donate": later });
    expect(lastmod["/houses/map"]).toBe(CHANGED);
    expect(lastmod["/vehicles"]).toBeUndefined();
    expect(lastmod["/nicknames"]).toBeUndefined();
  });

  it("have no time of change on an empty site", () => {
    expect(latest([])).toBeUndefined();
    expect(latest([undefined, null])).toBeUndefined();
  });
});

describe("robots.txt", () => {
  it("names the sitemap absolutely and closes what no search engine should visit", () => {
    const lines = robotsText(BASE_URL).split("\n");
    expect(lines[0]).toBe("User-agent: *");
    expect(lines).toContain("Sitemap: https://almanac.example/sitemap.xml");
    const own = ["/login", "/register", "/profile", "/favorites", "/notifications", "/session"];
    for (const path of [...own, "/en/login", "/ru/profile", "/ru/search"]) {
      for (const asked of [path, `${path}?a=1`, `${path}/a`])
        expect([asked, isClosed(asked)]).toEqual([asked, true]);
    }
    expect(isClosed("/api/items")).toBe(true);
    expect(lines).toContain("Allow: /api/openapi.json");
    expect(isClosed("/")).toBe(false);
    expect(isClosed("/ru/session")).toBe(false);
  });

  it.each(["profiles", "searches", "logins", "sessions", "favorites-of-all", "apiary"])(
    "leaves the pages of a kind of the operator's called %s open",
    (kind) => {
      const asked = [`/${kind}`, `/${kind}/1`, `/ru/${kind}`, `/ru/${kind}?page=2`, `/${kind}.rss`];
      expect(asked.filter(isClosed)).toEqual([]);
    },
  );

  it("closes none of the pages that the sitemap lists", () => {
    const listed = [
      ...sitePages(never).map(({ path }) => path),
      ...sitemapKinds().map((kind) => recordPath(kind, "1")),
    ];
    const russian = listed.map((path) => withPrefix("/ru", path));
    expect([...listed, ...russian].filter(isClosed)).toEqual([]);
  });

  /** As RFC 9309, section 2.2.2, but for rules that allow. */
  function isClosed(path: string): boolean {
    const rules = [...robotsText(BASE_URL).matchAll(/^Disallow: (.+)$/gm)].map((match) => match[1] ?? "");
    return rules.some((rule) => (rule.endsWith("$") ? path === rule.slice(0, -1) : path.startsWith(rule)));
  }
});

function urlset(urls: SitemapUrl[]): Promise<string> {
  return text(stream(urls));
}

function stream(urls: SitemapUrl[]): Readable {
  return urlsetStreams(BASE_URL).reduce<Readable>((source, next) => source.pipe(next), Readable.from(urls));
}
