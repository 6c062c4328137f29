import { afterEach, describe, expect, it, vi } from "vitest";
import { buildKindFeed } from "../../src/catalogue/feed.ts";
import type { FeedEntry } from "../../src/catalogue/feed-queries.ts";
import { buildDiscountsFeed } from "../../src/discovery/feeds/discounts-feed.ts";
import { toRss } from "../../src/discovery/feeds/rss.ts";
import type { ActiveDiscount } from "../../src/records/prices/queries.ts";
import { formatFor } from "../../src/web/request/format.ts";
import { translate } from "../../src/words/i18n/translate.ts";
import { plainText } from "../../src/words/text/prose.ts";
import { NO_WORDS } from "../../src/words/vocabulary/vocabulary.ts";
import { decode } from "../helpers/html.ts";
import { parseXml } from "../helpers/xml.ts";

const SITE = { name: "Almanac", baseUrl: "https://almanac.example", imageHosts: ["pictures.example"] };
const ENGLISH = { language: "en", prefix: "" };
const CHANGED = new Date("2026-11-21T14:05:06.789Z");

/** What has broken feeds before: markup, ends of CDATA, entities, what XML forbids, and what it merely dislikes. */
const HOSTILE = [
  "<script>alert(1)</script>",
  "]]>",
  "a ]]> b ]]> c",
  "<![CDATA[x]]>",
  "Tom & Jerry",
  "&amp;",
  "&amp;amp; &lt;b&gt; &#38;",
  "\"double\" and 'single'",
  "<!-- comment -->",
  "🚗 é Пистолет 手枪",
  "$& $1 $$",
  "-->",
];

afterEach(() => void vi.useRealTimers());

describe("the feed of items", () => {
  it("has a title, an address and the time of its change", () => {
    const { channel, rss } = itemsFeed([item()]);
    expect(rss["@version"]).toBe("2.0");
    expect(channel).toMatchObject({
      title: "Almanac: new and updated items",
      link: "https://almanac.example/items",
      lastBuildDate: "Sat, 21 Nov 2026 14:05:06 GMT",
      ttl: "60",
      language: "en",
      "atom:link": {
        "@href": "https://almanac.example/items.rss",
        "@rel": "self",
        "@type": "application/rss+xml",
      },
    });
    expect(channel.description).not.toBe("");
    expect(rss["@xmlns:atom"]).toBe("http://www.w3.org/2005/Atom");
  });

  it("has an item's name, page, time of change and category", () => {
    const [entry] = itemsFeed([item({ id: "a/b", category: "Guns & more" })]).items;
    expect(entry).toMatchObject({
      title: "Pistol",
      link: "https://almanac.example/items/a%2Fb",
      pubDate: "Sat, 21 Nov 2026 14:05:06 GMT",
      category: "Guns & more",
    });
  });

  it("has the picture in its content and as its thumbnail, at the same absolute address", () => {
    const picture = `${"0f".repeat(16)}_640x360`;
    const url = `https://almanac.example/pictures/${"0f".repeat(16)}-640.jpeg`;
    const { items, rss } = itemsFeed([
      item({ picture, name: 'The "Big" <Tom> & Jerry' }),
      item({ id: "412" }),
    ]);
    expect(rss["@xmlns:media"]).toBe("http://search.yahoo.com/mrss/");
    expect(items[0]["media:thumbnail"]).toEqual({ "@url": url, "@width": "640", "@height": "360" });
    expect(items[0].description).toContain(
      `<img src="${url}" alt="The &#34;Big&#34; &lt;Tom&gt; &amp; Jerry" width="640" height="360">`,
    );
    expect(items[1]["media:thumbnail"]).toBeUndefined();
    expect(items[1].description).not.toContain("<img");
  });

  it("shows the description, a long one by its beginning", () => {
    const words = "word ".repeat(200).trim();
    expect(itemsFeed([item({ description: "Holds  17\nrounds." })]).items[0]?.description).toContain(
      "<p>Holds  17<br />\nrounds.</p>",
    );
    const [, excerpt = ""] =
      /<p>(word[^<]*)<\/p>/.exec(itemsFeed([item({ description: words })]).items[0]?.description) ?? [];
    expect(excerpt).toMatch(/^(word )+word…$/);
    expect([...excerpt].length).toBeLessThanOrEqual(301);
  });

  it("shows the description as HTML, and of a long one whole blocks", () => {
    const long = "rest ".repeat(60);
    const shown = itemsFeed([item({ description: `- **a**\n- b\n\n${long}\n\n[c](javascript:alert(1))` })]);
    expect(shown.items[0]?.description).toContain(
      "<ul>\n<li><strong>a</strong></li>\n<li>b</li>\n</ul>\n<p>…</p>",
    );
    expect(shown.items[0]?.description).not.toContain("rest");
  });
});

describe("hostile text", () => {
  it.each(HOSTILE)("%j arrives as it was, as title, category and site name", (text) => {
    const { channel, items } = itemsFeed([item({ name: text, category: text })], { name: text });
    expect(items[0]).toMatchObject({ title: text, category: text });
    expect(channel.title).toBe(`${text}: new and updated items`);
  });

  it.each(HOSTILE)("%j in a description is text in its HTML, never markup", (text) => {
    const html: string = itemsFeed([item({ name: "x", category: text, description: text })]).items[0]
      ?.description;
    expect(html.match(/<\/?[a-z!][^>]*>/g)?.every((tag) => /^<\/?p>$/.test(tag))).toBe(true);
    const paragraphs = [...html.matchAll(/<p>(.*?)<\/p>/g)].map((match) => decode(match[1] ?? ""));
    expect(paragraphs[0]).toContain(`Category: ${text}.`);
    expect(paragraphs[1]).toBe(plainText(text));
  });

  it.each(["\u0000", "\u0008", "\u000b", "\u001f", "\ufffe", "\uffff"])(
    "%j, which XML forbids, is left out",
    (bad) => {
      const [entry] = itemsFeed([item({ name: `a${bad}b`, category: `c${bad}d`, description: `e${bad}f` })], {
        name: `g${bad}`,
      }).items;
      expect(entry).toMatchObject({ title: "ab", category: "cd" });
      expect(entry?.description).toMatch(/<p>e ?f<\/p>$/);
    },
  );

  it("a lone surrogate becomes the replacement character", () => {
    const [entry] = itemsFeed([item({ name: "a\ud83d", description: "\ude97b" })]).items;
    expect(entry?.title).toBe("a\ufffd");
    expect(entry?.description).toContain("<p>\ufffdb</p>");
  });
});

describe("the feed of discounts", () => {
  it("has a title, an address and the time of its change", () => {
    const { channel } = discountsFeed([], CHANGED);
    expect(channel).toMatchObject({
      title: "Almanac: discounts in the shop",
      link: "https://almanac.example/donate",
      lastBuildDate: "Sat, 21 Nov 2026 14:05:06 GMT",
      ttl: "15",
      "atom:link": { "@href": "https://almanac.example/discounts.rss", "@rel": "self" },
    });
    expect(Date.parse(discountsFeed([], null).channel.lastBuildDate)).toBe(0);
  });

  it("tells the item, old and new price, and until when in words and as ISO time", () => {
    const [entry] = discountsFeed([discount({ item_key: "vip 30" })]).items;
    expect(entry).toMatchObject({
      title: "VIP: 399.20 EUR, down from 499.00 EUR",
      link: "https://almanac.example/donate/vip%2030",
    });
    expect(entry?.description).toBe(
      "<p>Autumn sale</p><p>399.20 EUR, down from 499.00 EUR.</p>" +
        "<p>Until 30\u00a0Nov\u00a02026, 23:59\u00a0UTC (2026-11-30T23:59:00.000Z).</p>",
    );
  });

  it("has the price of an item when another discount of it is lower", () => {
    const [entry] = discountsFeed([discount({ current_price: "300.00" })]).items;
    expect(entry?.description).toContain("It costs 300.00 EUR now");
    expect(discountsFeed([discount()]).items[0]?.description).not.toContain("It costs");
  });

  it.each(HOSTILE)("carries %j as the name of an item and as a title", (text) => {
    const [entry] = discountsFeed([discount({ item_name: text, title: text })]).items;
    expect(entry?.title).toBe(`${text}: 399.20 EUR, down from 499.00 EUR`);
    expect(decode(/^<p>(.*?)<\/p>/.exec(entry?.description)?.[1] ?? "")).toBe(text);
  });
});

function itemsFeed(items: FeedEntry[], { name = SITE.name, reader = ENGLISH } = {}) {
  return read(kindRss(items, { name, reader }));
}

function kindRss(entries: FeedEntry[], { name = SITE.name, reader = ENGLISH } = {}) {
  const { language } = reader;
  const words = {
    ...{ language, t: translate(language), format: formatFor(language) },
    ...{ vocabulary: NO_WORDS, categoryName: (category: string) => category },
  };
  return toRss(
    buildKindFeed({ ...SITE, name }, reader, { kind: "items" }, { entries, older: undefined }, words),
  );
}

function discountsFeed(discounts: ActiveDiscount[], changedAt: Date | null = CHANGED, reader = ENGLISH) {
  return read(toRss(buildDiscountsFeed(SITE, reader, discounts, changedAt)));
}

function read(xml: string) {
  const { rss } = parseXml(xml);
  return { rss, channel: rss.channel, items: rss.channel.item ?? [] };
}

function item(changed: Partial<FeedEntry> = {}): FeedEntry {
  return {
    ...{ id: "411", name: "Pistol", category: "Weapons", description: "A small weapon." },
    ...{ names: {}, descriptions: {}, attributes: {}, picture: null, image: null, popularity: null },
    ...{ revision: 1, updated_at: CHANGED, created_at: CHANGED, demo: false, is_removed: false, last: null },
    ...changed,
  };
}

function discount(changed: Partial<ActiveDiscount> = {}): ActiveDiscount {
  const day = (date: string) => new Date(`2026-11-${date}Z`);
  return {
    ...{ id: "autumn", title: "Autumn sale", titles: {}, percent: "20.00", run: 1 },
    ...{ item_key: "vip", item_name: "VIP", item_names: {}, item_category: null },
    ...{ item_picture: null, item_image: null, currency: "EUR" },
    ...{ old_price: "499.00", new_price: "399.20", current_price: "399.20" },
    ...{ starts_at: day("20T00:00:00"), ends_at: day("30T23:59:00") },
    ...{ created_at: day("01T00:00:00"), updated_at: day("01T00:00:00") },
    ...changed,
  };
}
