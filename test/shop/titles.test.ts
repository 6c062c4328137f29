import request from "supertest";
import { beforeEach, describe, expect, it } from "vitest";
import { discountCommand } from "../../src/commands/discount.ts";
import { importRecords } from "../../src/exchange/import/import-records.ts";
import { parseMappings } from "../../src/exchange/import/records/mapping.ts";
import { feedToken } from "../../src/notifications/feed.ts";
import { renderMail } from "../../src/notifications/mail/render.ts";
import { notifyOfDiscount } from "../../src/notifications/notify.ts";
import { pushPayload } from "../../src/notifications/push/sender.ts";
import { paths } from "../../src/words/urls.ts";
import { type Agent, TEST_CONFIG, useTestApp } from "../helpers/app.ts";
import { runCommand } from "../helpers/cli.ts";
import { emptyTables } from "../helpers/database.ts";
import { formOf, saveThroughPreview } from "../helpers/discount-form.ts";
import { addDiscount, addItem } from "../helpers/donate.ts";
import { mainOf, textOf } from "../helpers/html.ts";

const site = useTestApp();
const TITLES = { en: "Drift week", ru: "Неделя дрифта" };

beforeEach(async () => {
  await emptyTables(site.db, "donate_items, discount_runs, users");
  await addItem(site.db, { id: "elegy", price: "10.00" });
});

const stored = () => site.db("discounts").first("title", "titles");
const open = async (path: string) => (await request(site.app).get(path).expect(200)).text;

/** Adds a discount that runs, one that comes and one that is over, all of these titles. */
async function addAll(titled: { title: string; titles: Record<string, string> }) {
  const discount = { item_key: "elegy", percent: "10", announced: true, ...titled };
  await addDiscount(site.db, { id: "runs", ...discount });
  await addDiscount(site.db, { id: "comes", ...discount, starts: 5, ends: 9 });
  await addDiscount(site.db, { id: "over", ...discount, starts: -9, ends: -5 });
}

describe("the title of a discount on pages", () => {
  it.each(["/donate", "/donate/elegy"])("is in the language of %s", async (path) => {
    await addAll({ title: TITLES.en, titles: TITLES });
    const [english, russian] = [await open(path), await open(`/ru${path}`)];
    expect(english).toContain("Drift week");
    expect(english).not.toContain("Неделя дрифта");
    expect(russian).toContain("Неделя дрифта");
    expect(russian).not.toContain("Drift week");
  });

  it("is the main one, with its language, for readers of another", async () => {
    await addAll({ title: TITLES.ru, titles: { ru: TITLES.ru } });
    expect(await open("/donate")).toContain('<span lang="ru">Неделя дрифта</span>');
    expect(await open("/ru/donate")).not.toContain('lang="ru">Неделя дрифта');
    const html = await open("/donate/elegy");
    // Three tables and the history of prices.
    expect(html.match(/<span lang="ru">Неделя дрифта<\/span>/g)?.length).toBeGreaterThan(3);
  });

  it("has no language where nobody said which it is in", async () => {
    await addAll({ title: "Drift week", titles: {} });
    expect(await open("/ru/donate")).toMatch(/<p>\s*Drift week:/);
  });
});

describe("the title of a discount in notices", () => {
  it("is in the language of each feed", async () => {
    await addAll({ title: TITLES.en, titles: TITLES });
    expect(await open("/discounts.rss")).toContain("Drift week");
    expect(await open("/ru/discounts.rss")).toContain("Неделя дрифта");
  });

  it("is in the page's language in the inbox, else with its own", async () => {
    const { agent, id } = await site.logIn();
    await site.db("donate_favorites").insert({ user_id: id, item_key: "elegy" });
    await addAll({ title: TITLES.ru, titles: { ru: TITLES.ru } });
    await notifyOfDiscount(site.db, "runs");
    const inbox = async (path: string) => (await agent.get(path).expect(200)).text;
    expect(await inbox("/ru/notifications")).toContain("<p>Неделя дрифта</p>");
    expect(await inbox("/notifications")).toContain('<span lang="ru">Неделя дрифта</span>');
  });

  it("is in the user's language in the private feed", async () => {
    const { id: userId } = await site.createUser();
    await site.db("users").where({ id: userId }).update({ language: "ru" });
    await site.db("notification_settings").insert({ user_id: userId, feed: true });
    await site.db("donate_favorites").insert({ user_id: userId, item_key: "elegy" });
    await addAll({ title: TITLES.en, titles: TITLES });
    await notifyOfDiscount(site.db, "runs");
    const link = paths.notificationFeed(feedToken(TEST_CONFIG.sessionSecret, { userId, version: 1 }));
    expect(await open(link)).toContain("Неделя дрифта");
  });

  const offer = {
    itemKey: "elegy",
    itemName: "Elegy",
    itemNames: {},
    title: TITLES.en,
    titles: TITLES as Record<string, string>,
    isRegular: false,
    low: null,
    wish: null,
    oldPrice: "10.00",
    newPrice: "9.00",
    currency: "EUR",
    endsAt: null,
  };

  it("is in the user's language in push messages", () => {
    const message = (language: string) => {
      const user = { id: 1, name: "ann", email: null, language, timeZone: null };
      const notification = { id: 1, ...offer, picture: null, image: null };
      return JSON.parse(pushPayload({ id: 1, channel: "push", user, subscription: null, notification })).body;
    };
    expect(message("ru")).toContain("Неделя дрифта");
    expect(message("en")).toContain("Drift week");
  });

  it("is in the user's language in mails, and else says its own", async () => {
    const reader = {
      name: "ann",
      timeZone: null,
      settingsLink: "https://x/s",
      unsubscribeLink: "https://x/u",
    };
    const one = { ...offer, link: "https://x/i", picture: undefined };
    const mailSite = { name: "Site", baseUrl: "https://x", secret: "s" };
    const russian = await renderMail(mailSite, "ru", "discount", { ...reader, offer: one });
    expect(russian.html).toContain(">Неделя дрифта<");
    expect(russian.text).toContain("Неделя дрифта");
    const untranslated = { ...one, title: TITLES.ru, titles: { ru: TITLES.ru } };
    const digest = { ...reader, offers: [untranslated], more: 0, inboxLink: "https://x/n" };
    const english = await renderMail(mailSite, "en", "digest", digest);
    expect(english.html).toMatch(/lang="ru"[^>]*>Неделя дрифта</);
  });
});

describe("an import of discounts", () => {
  const record = { id: "d", item_key: "elegy", percent: "10", starts_at: "2026-01-01" };

  it.each([
    ["an object by language", { title: TITLES }, []],
    ["titles", { titles: TITLES }, []],
    ["columns by language", { "title.en": TITLES.en, "title.ru": TITLES.ru }, []],
    ["mapped fields", { name_en: TITLES.en, name_ru: TITLES.ru }, ["title.en=name_en", "title.ru=name_ru"]],
  ])("takes titles of %s", async (_, titled, map) => {
    const mappings = parseMappings("discounts", map);
    await importRecords(site.db, "discounts", [{ ...record, ...titled }], { mappings });
    expect(await stored()).toEqual({ title: TITLES.en, titles: TITLES });
    const again = await importRecords(site.db, "discounts", [{ ...record, ...titled }], { mappings });
    expect(again).toMatchObject({ changed: 0, unchanged: 1 });
  });

  it("changes a discount whose title in one language did", async () => {
    await importRecords(site.db, "discounts", [{ ...record, title: TITLES }]);
    const changed = { ...record, title: { ...TITLES, ru: "Дрифт" } };
    expect(await importRecords(site.db, "discounts", [changed])).toMatchObject({ changed: 1 });
    expect(await stored()).toEqual({ title: TITLES.en, titles: { ...TITLES, ru: "Дрифт" } });
  });
});

describe("the form of a discount", () => {
  const path = "/operator/new-discount";
  const typed = { item: "elegy", kind: "percent", amount: "10", zone: "UTC" };

  let agent: Agent;
  beforeEach(async () => {
    ({ agent } = await site.logIn(await site.createUser({ role: "operator" })));
  });

  it("has a field of the title for each language and keeps them all", async () => {
    const { text: empty } = await agent.get(path).expect(200);
    expect(textOf(mainOf(empty))).toMatch(/Title \(English\).*Title \(Russian\)/);
    await saveThroughPreview(agent, path, { ...typed, title: TITLES.en, "title-ru": TITLES.ru });
    expect(await stored()).toEqual({ title: TITLES.en, titles: TITLES });
    const { id } = await site.db("discounts").first("id");
    const { text } = await agent.get(`/operator/discounts/${id}`).expect(200);
    expect(formOf(text)).toMatchObject({ title: TITLES.en, "title-ru": TITLES.ru });
  });

  it("takes the only title that there is as the main one", async () => {
    await saveThroughPreview(agent, path, { ...typed, title: "", "title-ru": TITLES.ru });
    expect(await stored()).toEqual({ title: TITLES.ru, titles: { ru: TITLES.ru } });
  });

  it("changes no other title than the one that was typed, whatever languages they are in", async () => {
    for (const [title, titles] of [
      ["Drift week", {}],
      ["Driftwoche", { de: "Driftwoche", ru: TITLES.ru }],
      ["Drift week", { de: "Driftwoche", en: "Drift week" }],
    ] as const) {
      await site.db("discounts").delete();
      await addDiscount(site.db, { id: "d", item_key: "elegy", percent: "10", title, titles });
      const form = async () => formOf((await agent.get("/operator/discounts/d").expect(200)).text);
      const change = { ...(await form()), kind: "percent", amount: "20" };
      await saveThroughPreview(agent, "/operator/discounts/d", change);
      expect(await stored()).toEqual({ title, titles });
      if (!("en" in titles)) continue;
      await saveThroughPreview(agent, "/operator/discounts/d", { ...(await form()), "title-ru": TITLES.ru });
      expect(await stored()).toEqual({ title, titles: { ...titles, ru: TITLES.ru } });
    }
  });

  it("marks the field of a title that is too long", async () => {
    const wrong = { ...typed, "title-ru": "ы".repeat(301), step: "preview" };
    const { text: html } = await agent.post(path).type("form").send(wrong).expect(400);
    expect(textOf(mainOf(html))).toContain("Title (Russian)");
    expect(html).toMatch(/id="title-ru"[^>]*aria-invalid="true"/);
  });
});

describe("almanac discount", () => {
  const run = (...args: string[]) => runCommand(discountCommand, site.db, args, { isTerminal: true });

  it("names a discount in several languages, and changes one of them", async () => {
    const add = ["add", "elegy", "--percent", "10", "--title", "Drift week"];
    const { out } = await run(...add, "--title-in", "ru=Неделя дрифта", "--title-in", "pt_br=Semana");
    expect(await stored()).toEqual({ title: "Drift week", titles: { ru: TITLES.ru, "pt-BR": "Semana" } });
    const id = out[0] ?? "";
    await run("change", id, "--title-in", "pt-BR=", "--title-in", "ru=Дрифт");
    expect(await stored()).toEqual({ title: "Drift week", titles: { ru: "Дрифт" } });
    await run("change", id, "--percent", "20");
    expect(await stored()).toEqual({ title: "Drift week", titles: { ru: "Дрифт" } });
    await run("change", id, "--title", "");
    expect(await stored()).toEqual({ title: null, titles: {} });
  });

  it("takes the title of the only language as the main one, and a new main one for its language too", async () => {
    const { out } = await run("add", "elegy", "--percent", "10", "--title-in", "en=Drift week");
    expect(await stored()).toEqual({ title: "Drift week", titles: { en: "Drift week" } });
    await run("change", out[0] ?? "", "--title", "Drift days");
    expect(await stored()).toEqual({ title: "Drift days", titles: {} });
  });

  it("refuses what is no language", async () => {
    await expect(run("add", "elegy", "--percent", "10", "--title-in", "Drift week")).rejects.toThrow(
      "--title-in Drift week: say language=title",
    );
  });
});
