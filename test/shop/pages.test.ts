import { beforeEach, describe, expect, it } from "vitest";
import { findShopItems } from "../../src/records/prices/queries.ts";
import { formatFor } from "../../src/web/request/format.ts";
import { useTestApp } from "../helpers/app.ts";
import { addDiscount, addItem, HOUR_MS } from "../helpers/donate.ts";
import { plainSpaces } from "../helpers/html.ts";
import { notifyAll } from "../helpers/notify.ts";

const site = useTestApp();
const { page } = site;
const { time } = formatFor("en");
const EVIL = `<script>alert("x")</script>`;

beforeEach(async () => {
  await site.db("donate_items").delete();
});

/** Names of the items on the shop's page, in order. */
function listed(html: string): string[] {
  return [...html.matchAll(/<h2><a href="\/donate\/[^"]*">([^<]*)<\/a>/g)].map((match) => match[1] ?? "");
}

/** A page's text as a reader sees it. */
function readable(html: string): string {
  // A time is inside its sentence.
  const sentences = html.replace(/<\/?time[^>]*>/g, "");
  return sentences.replace(/<title>.*?<\/title>|<[^>]+>/g, " ").replace(/\s+/g, " ");
}

describe("the shop", () => {
  it("shows the old price, the new price and the end of a discount", async () => {
    await addItem(site.db, { id: "gold", name: "Gold", price: "1234.50" });
    await addDiscount(site.db, { id: "d", item_key: "gold", percent: "10" });
    await site.db("discounts").update({ ends_at: "2099-11-21T14:05:00Z" });
    const html = await page("/donate");
    expect(readable(html)).toContain("−10%");
    expect(readable(html)).toContain("was 1,234.50 EUR now 1,111.05 EUR");
    expect(html).toContain('<s class="price-old"><span class="visually-hidden">was </span>1,234.50 EUR</s>');
    expect(html).toContain(
      'until <time datetime="2099-11-21T14:05:00.000Z">21\u00a0Nov\u00a02099, 14:05\u00a0UTC</time>',
    );
  });

  it("shows an item without a price as a small card", async () => {
    await addItem(site.db, { id: "gold", name: "Gold", price: "5" });
    await addItem(site.db, { id: "air", name: "Air", price: null });
    const [, gold = "", air = ""] = (await page("/donate")).split('<li class="card is-link shop-card');
    expect(gold).toMatch(/^">[\s\S]*thumb is-64/);
    expect(air).toMatch(/^ is-unpriced">[\s\S]*thumb is-32/);
  });

  it("shows how long it still runs, by the database's clock, with the exact time beside it", async () => {
    await addItem(site.db, { id: "gold" });
    await addDiscount(site.db, { id: "d", item_key: "gold", percent: "10", ends: 7.5 });
    const { ends_at } = await site.db("discounts").first();
    for (const path of ["/donate", "/donate/gold"]) {
      const html = await page(path);
      expect(html).toContain(`data-ends="${ends_at.toISOString()}">7\u00a0h left</span>`);
      expect(html).toMatch(
        /until <time datetime="[^"]*">[^<]*\sUTC<\/time> <span class="whole">\(<span [^>]*>7\sh left<\/span>\)/,
      );
    }
  });

  it("shows a coming discount only if the operator announces it", async () => {
    await addItem(site.db, { id: "gold", name: "Gold", price: "10", category: "VIP" });
    await addItem(site.db, { id: "hat", name: "Hat", price: "333", currency: "COINS", category: "Hats" });
    const add = (id: string, item_key: string, starts: number, rest: object) =>
      addDiscount(site.db, { id, item_key, percent: "33", starts, ends: 99, title: id, ...rest });
    await add("later", "gold", 8.5, { announced: true });
    await add("soon", "hat", 3.1, { announced: true });
    await add("secret", "gold", 2, { announced: false });
    await add("running", "gold", -1, { announced: true });
    const comingOn = async (path: string) => readable((await page(path)).split('id="coming-soon"')[1] ?? "");
    const coming = await comingOn("/donate");
    expect(coming).toMatch(
      /Hat soon: 33% off down from 333 COINS 223 COINS starts in 3 h \d min , on .* UTC/,
    );
    expect(coming).toMatch(/Gold later: 33% off down from 10.00 EUR 6.70 EUR starts in 8 h , on/);
    expect(coming.indexOf("Hat soon")).toBeLessThan(coming.indexOf("Gold later"));
    expect(coming).not.toContain("running");
    expect(await page("/donate")).not.toContain("secret");
    expect(await comingOn("/donate?category=Hats")).toMatch(/^((?!Gold later).)*Hat soon((?!Gold later).)*$/);
    const item = readable(await page("/donate/gold"));
    expect(item).toMatch(/Upcoming .* later 33% off 6.70 EUR .* UTC starts in 8 h/);
    expect(item).not.toContain("secret");
    await site.db("discounts").update({ announced: false });
    for (const path of ["/donate", "/donate/gold"])
      expect(await page(path)).not.toMatch(/Upcoming|Coming soon/);
  });

  it("shows that an item has no price, and strikes none when a new one is set", async () => {
    await addItem(site.db, { id: "a", price: null });
    await addItem(site.db, { id: "b", price: null });
    await addDiscount(site.db, { id: "d", item_key: "b", price: "2.50" });
    const html = await page("/donate");
    expect(readable(html)).toContain("Item b 2.50 EUR on sale");
    expect(readable(html)).toContain("Item a price unknown");
    expect(html).not.toContain("price-old");
  });

  it("shows the usual price alone while nothing is discounted", async () => {
    await addItem(site.db, { id: "a", price: "5.00" });
    await addDiscount(site.db, { id: "coming", item_key: "a", percent: "10", starts: 1, ends: 2 });
    await addDiscount(site.db, { id: "past", item_key: "a", percent: "10", starts: -2, ends: -1 });
    await addDiscount(site.db, { id: "dearer", item_key: "a", price: "6.00" });
    const html = await page("/donate");
    expect(readable(html)).toContain("Item a 5.00 EUR");
    expect(html).not.toContain("is-sale");
  });

  it("lists discounted items first, filters by category and returns 404 for an unknown one", async () => {
    expect(readable(await page("/donate"))).toContain("Nothing for sale here yet.");
    await addItem(site.db, { id: "1", name: "Aaa", category: "Hats" });
    await addItem(site.db, { id: "2", name: "Bbb", category: "Cars & boats" });
    await addItem(site.db, { id: "3", name: "Ccc", category: "Cars & boats" });
    await addDiscount(site.db, { id: "d", item_key: "3", percent: "10", ends: null });
    const html = await page("/donate");
    expect(listed(html)).toEqual(["Ccc", "Aaa", "Bbb"]);
    expect(readable(html)).toContain("no end date");
    const path = "/donate?category=Cars+%26+boats";
    expect(html).toContain(`href="${path}"`);
    const cars = await page(path);
    expect(listed(cars)).toEqual(["Ccc", "Bbb"]);
    expect(cars).toContain(`<link rel="canonical" href="http://almanac.test${path}">`);
    expect(readable(await page("/donate?category=Boats", 404))).toContain("There is no category “Boats”.");
  });

  it("has several pages, and shows the last one for a number that is too high", async () => {
    for (let n = 1; n <= 61; n++)
      await addItem(site.db, { id: `i${n}`, name: `Item ${String(n).padStart(2, "0")}` });
    const first = await page("/donate");
    expect(listed(first)).toHaveLength(60);
    expect(first).toContain('href="/donate?page=2"');
    expect(listed(await page("/donate?page=2"))).toEqual(["Item 61"]);
    expect(listed(await page("/donate?page=99"))).toEqual(["Item 61"]);
  });

  it("marks a user's own favorites", async () => {
    await addItem(site.db, { id: "a" });
    await addItem(site.db, { id: "b" });
    const { agent, id } = await site.logIn();
    await site.db("donate_favorites").insert({ user_id: id, item_key: "b" });
    const { text } = await agent.get("/donate").expect(200);
    const states = [...text.matchAll(/name="item_key" value="(\w)">[\s\S]*?aria-pressed="(\w+)"/g)];
    expect(states.map(([, key, pressed]) => [key, pressed])).toEqual([
      ["a", "false"],
      ["b", "true"],
    ]);
    expect(text).toContain('action="/api/donate_favorites/toggle"');
  });
});

describe("an item's page", () => {
  it("shows the item's names, description, price, attributes and category", async () => {
    const names = { en: "Gold VIP", ru: "Золотой VIP" };
    const more = { category: "VIP", description: "Shines.", price: "9.99", attributes: { valid_days: 30 } };
    await addItem(site.db, { id: "gold", name: "Gold VIP", names, ...more });
    const html = await page("/donate/gold");
    const text = readable(html);
    expect(html).toContain('<span lang="ru">Золотой VIP</span>');
    for (const shown of ["Shines.", "9.99 EUR", "Valid days 30"]) expect(text).toContain(shown);
    expect(text).not.toMatch(/Current|Upcoming|Past/);
    expect(html).toContain('href="/donate?category=VIP"');
    expect(html).toContain("<title>Gold VIP · Shop · Almanac</title>");
  });

  it("groups discounts by running, coming and past, and marks the one that sets the price", async () => {
    await addItem(site.db, { id: "gold", price: "9.99" });
    const add = (title: string, terms: object, starts?: number, ends?: number) =>
      addDiscount(site.db, { id: title, item_key: "gold", title, starts, ends, announced: true, ...terms });
    await add("Autumn", { percent: "25" });
    await add("Weekend", { price: "6.99" });
    await add("Second", { percent: "50" }, 9, 10);
    await add("First", { percent: "40" }, 5, 6);
    await add("Secret", { price: "1.00", announced: false }, 7, 8);
    await add("Summer", { price: "8.00" }, -9, -8);
    const text = readable(await page("/donate/gold"));
    const [, running = "", coming = "", past = ""] = text.split(/Current|Upcoming|Past/);
    expect(running).toMatch(/Autumn 25% off 7.49 EUR/);
    expect(running).toMatch(/Weekend \(sets the price\) down to 6.99 EUR 6.99 EUR/);
    expect(coming).toMatch(/First 40% off 5.99 EUR .*Second 50% off 5.00 EUR/);
    expect(past).toMatch(/Summer down to 8.00 EUR/);
    expect(text).not.toContain("Secret");
    expect(text).toContain("was 9.99 EUR now 6.99 EUR");
    expect(text).toContain("You save 3.00 EUR (30%).");
  });

  it("shows what it cost as a chart, with every price in a table", async () => {
    await addItem(site.db, { id: "gold", price: "10", created_at: new Date(Date.now() - 100 * HOUR_MS) });
    const terms = { percent: "50", title: EVIL, starts: -20, ends: -10 };
    await addDiscount(site.db, { id: "d", item_key: "gold", ...terms });
    const html = await page("/donate/gold");
    expect(html).toMatch(/<path class="chart-cost" d="M0 20H[\d.]+V145H[\d.]+V20H720"\/>/);
    expect(readable(html)).toMatch(/Between 5.00 EUR and 10.00 EUR since .* UTC\. Now 10.00 EUR\./);
    expect(readable(html)).toContain("Price paid Full price Times in UTC");
    const table = readable(html.split("All prices as a table")[1] ?? "");
    expect(table).toMatch(
      /UTC 10.00 EUR 10.00 EUR .* UTC 5.00 EUR 10.00 EUR .*script.* UTC 10.00 EUR 10.00 EUR/,
    );
    expect(html).not.toContain(EVIL);
  });

  it("invents nothing before the oldest of very many prices, and shows which of them the table has", async () => {
    await addItem(site.db, { id: "gold", price: "10" });
    await site.db("price_versions").delete();
    // 700 prices, one an hour, each until the next; nothing is shown before the newest 500.
    await site.db.raw(
      `insert into price_versions (item_key, price, currency, valid_from, valid_to)
       select 'gold', 700 - n, 'EUR', now() - make_interval(hours => n),
              case when n > 1 then now() - make_interval(hours => n - 1) end
         from generate_series(1, 700) as n`,
    );
    await addDiscount(site.db, { id: "d", item_key: "gold", percent: "50", starts: -300, ends: -290 });
    await site.db("discount_versions").update({ valid_from: site.db.raw("starts_at") });
    const html = await page("/donate/gold");
    const { rows } = await site.db.raw("select now() - make_interval(hours => 500) as first");
    expect(readable(html)).toContain(`699.00 EUR since ${plainSpaces(time(rows[0].first))}. Now 699.00 EUR.`);
    // Each of the 500 but the first begins with a step, and so do the discount and what follows it.
    expect(html.match(/<path class="chart-cost" d="[^"]*"/)?.[0].match(/V/g)).toHaveLength(499 + 2);
    expect(readable(html)).toContain("Full price");
    expect(readable(html)).toContain("The latest 100 prices as a table");
  });

  it("lists so many of the discounts that run, the one that decides the price among them", async () => {
    await addItem(site.db, { id: "gold", price: "10" });
    await addDiscount(site.db, { id: "best", item_key: "gold", price: "1", title: "Best", starts: -99 });
    for (let n = 0; n < 30; n++) await addDiscount(site.db, { id: `d${n}`, item_key: "gold", percent: "1" });
    const running = readable((await page("/donate/gold")).split("Current")[1] ?? "");
    expect(running).toMatch(/Best \(sets the price\) .* And 11 more\./);
    expect(running.match(/1% off/g)).toHaveLength(19);
  });

  it("shows since when the price is unchanged, and nothing for an item that never had a price", async () => {
    const created = new Date(Date.now() - 100 * 24 * HOUR_MS);
    await addItem(site.db, { id: "gold", price: "10", created_at: created });
    await addItem(site.db, { id: "none", price: null });
    const html = await page("/donate/gold");
    expect(html).not.toContain('<svg class="chart');
    expect(readable(html)).toContain(`The price has not changed since ${plainSpaces(time(created))}`);
    expect(await page("/donate/none")).not.toContain("Price history");
  });

  it("links to the form of a new discount for operators only", async () => {
    await addItem(site.db, { id: "a/b" });
    const path = `/donate/${encodeURIComponent("a/b")}`;
    const link = 'href="/operator/new-discount?item=a%2Fb"';
    expect(await page(path)).not.toContain(link);
    const { agent: user } = await site.logIn();
    expect((await user.get(path)).text).not.toContain(link);
    const { agent: operator } = await site.logIn(await site.createUser({ role: "operator" }));
    expect((await operator.get(path)).text).toContain(link);
  });

  it.each(["nothing", "a%00b", "x".repeat(201)])("returns 404 for the key %s", async (key) => {
    expect(await page(`/donate/${key}`, 404)).toContain("There is no such item in the shop.");
  });
});

describe("where an item is bought", () => {
  it.each([
    [{ buy_url: "https://www.store.example/gold?a=1&b=2", link: "https://other.example/" }, "store.example"],
    [{ link: "http://store.example:8080/gold" }, "store.example:8080"],
  ])("is a button beside the price, and no attribute: %j", async (attributes, host) => {
    await addItem(site.db, { id: "gold", attributes: { ...attributes, uses: 3 } });
    const [address = ""] = Object.values(attributes);
    const html = await page("/donate/gold");
    const [, href, text = ""] =
      /<a class="button is-primary" href="([^"]*)" rel="[^"]*">(.*?)<\/a>/.exec(html) ?? [];
    expect(href).toBe(address.replaceAll("&", "&amp;"));
    expect(readable(text).trim()).toBe(`Buy on ${host}`);
    expect(readable(html)).toContain("Uses 3");
    expect(readable(html)).not.toContain(address);
    expect(await page("/ru/donate/gold")).toContain(`Купить на ${host}`);
  });

  it.each(["javascript:alert(1)", "ask in the game", 7])("is not said by %j", async (link) => {
    await addItem(site.db, { id: "gold", attributes: { link } });
    const html = await page("/donate/gold");
    expect(html).not.toContain("Buy on");
    expect(readable(html)).toContain(`Link ${link}`);
  });
});

describe("the shop's order and selection", () => {
  beforeEach(async () => {
    await addItem(site.db, { id: "a", name: "Aaa", price: "30", category: "Hats" });
    await addItem(site.db, { id: "b", name: "Bbb", price: "10", category: "Hats" });
    await addItem(site.db, { id: "c", name: "Ccc", price: "40", category: "Cars" });
    await addDiscount(site.db, { id: "d", item_key: "c", percent: "50" });
  });

  it("stay in the address, of chips, form and pages alike", async () => {
    const html = await page("/donate?category=Hats&sort=cheapest");
    expect(listed(html)).toEqual(["Bbb", "Aaa"]);
    expect(html).toContain('href="/donate?category=Cars&amp;sort=cheapest"');
    expect(html).toContain('<option value="cheapest" selected>');
    expect(html).toContain('<input type="hidden" name="category" value="Hats">');
    // Search engines need one address for the same items in different orders.
    expect(html).toContain('<link rel="canonical" href="http://almanac.test/donate?category=Hats">');
  });

  it("can be what is discounted alone, with counts of it", async () => {
    const html = await page("/donate?sale=1");
    expect(listed(html)).toEqual(["Ccc"]);
    expect(readable(html)).toMatch(/All 1 Cars 1 Hats 0/);
    expect(readable(html)).toContain("On sale only (1)");
    const none = await page("/donate?sale=1&category=Hats");
    expect(readable(none)).toContain("Nothing here is on sale right now.");
    expect(none).toContain('href="/donate?category=Hats"');
  });

  it.each([
    ["sort=up", "must be one of"],
    ["page=0", "must be a whole number from 1"],
  ])("refuse %s", async (query, message) => {
    expect(await page(`/donate?${query}`, 400)).toContain(message);
  });
});

describe("the entry of the catalogue that an item is", () => {
  it("is linked from its page as long as the catalogue has it", async () => {
    await site.db("vehicles").insert({ id: "411", name: "Infernus", names: { ru: "Инфернус" } });
    await addItem(site.db, { id: "car", entity_kind: "vehicle", entity_id: "411" });
    expect(await page("/donate/car")).toContain('<a href="/vehicles/411">Infernus</a>');
    expect(await page("/ru/donate/car")).toContain('<a href="/ru/vehicles/411" lang="ru">Инфернус</a>');
    await site.db("vehicles").delete();
    expect(await page("/donate/car")).not.toContain("/vehicles/411");
  });
});

describe("the shop in Russian", () => {
  const plain = (html: string) => readable(html).replace(/[\u00a0\u202f]/g, " ");

  beforeEach(async () => {
    await addItem(site.db, {
      id: "gold",
      name: "Gold VIP",
      names: { en: "Gold VIP", ru: "Золотой VIP", de: "Gold-VIP" },
      price: "1234.50",
      created_at: new Date(Date.now() - 100 * HOUR_MS),
    });
    await addDiscount(site.db, { id: "d", item_key: "gold", percent: "10", ends: 3.3 });
    await addDiscount(site.db, { id: "past", item_key: "gold", price: "1000", starts: -9, ends: -8 });
  });

  it("names things in Russian, with the original and its language beside", async () => {
    const html = await page("/ru/donate");
    expect(html).toContain('<html lang="ru"');
    expect(html).toMatch(/<h2><a href="\/ru\/donate\/gold" lang="ru">Золотой VIP<\/a>/);
    expect(html).toContain('<p class="other-name" lang="en" data-second>Gold VIP</p>');
    expect(plain(html)).toContain("−10 %");
    expect(plain(html)).toMatch(
      /раньше 1 234,50 EUR сейчас 1 111,05 EUR −10 % до .* \( осталось 3 ч 1\d мин \)/,
    );
    expect(html).toContain('href="/ru/discounts.rss"');
  });

  it("has all of an item's page in Russian: discounts, chart, table", async () => {
    const html = await page("/ru/donate/gold");
    const text = plain(html);
    expect(html).toContain("<title>Золотой VIP · Магазин · Almanac</title>");
    expect(html).toContain('<li><span lang="de">Gold-VIP</span> <span class="language">немецкий</span></li>');
    expect(text).toContain("Экономия: 123,45 EUR (10 %).");
    expect(text).toMatch(/Действуют сейчас .* Прошедшие .* до 1 000,00 EUR/);
    expect(text).toMatch(/От 1 000,00 EUR до 1 234,50 EUR с .*\. Сейчас 1 111,05 EUR\./);
    expect(text).toContain("Все цены таблицей");
    const english = /\b(?:Price|Discount|From|Until|Amount|About|Changed|Favorite|now|was)\b/;
    expect(plain(html.split('<main id="main"')[1]?.split("</main>")[0] ?? "")).not.toMatch(english);
  });
});

describe("what the shop shows and what a favorite's user is notified of", () => {
  it("is the same price, for prices and percents of every kind", async () => {
    const { id } = await site.createUser();
    const prices = ["0.01", "0.99", "1.15", "3.33", "9.99", "1234.56", null];
    const percents = ["10", "33.33", "66.67", "100"].map((percent) => ({ percent }));
    const terms = [...percents, { price: "0.50" }];
    for (const [row, price] of prices.entries()) {
      for (const [column, term] of terms.entries()) {
        const key = `i${row}-${column}`;
        await addItem(site.db, { id: key, price });
        await addDiscount(site.db, { id: key, item_key: key, ...term });
        await site.db("donate_favorites").insert({ user_id: id, item_key: key });
      }
    }
    await notifyAll(site.db);
    const notifications = await site.db("notifications").select("item_key", "old_price", "new_price");
    const told = new Map(notifications.map((row) => [row.item_key, [row.old_price, row.new_price]]));
    const keys = await site.db("donate_items").pluck("id");
    const shown = (await findShopItems(site.db, keys)).flatMap((item) =>
      item.sale ? [[item.key, [item.price, item.sale.newPrice]] as const] : [],
    );
    expect(shown.length).toBeGreaterThan(25);
    expect(new Map(shown)).toEqual(told);
  });
});
