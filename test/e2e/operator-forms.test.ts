import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Page } from "playwright-core";
import sharp from "sharp";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { COMMAND } from "../../src/db/audit-queries.ts";
import { saveStored } from "../../src/db/site-settings-queries.ts";
import { LiveVocabulary } from "../../src/words/vocabulary/live.ts";
import { TEST_CONFIG } from "../helpers/app.ts";
import { register, useBrowserSite } from "../helpers/browser.ts";
import { faultsByAxe, faultsOfHtml, faultsOfPage, faultsOfReflow, watchShifts } from "./page-faults.ts";

const directory = await mkdtemp(path.join(tmpdir(), "almanac-forms-"));
const file = path.join(directory, "site.json");
const vocabulary = new LiveVocabulary({ file });
const site = useBrowserSite({ anonymousReports: true }, () => ({ vocabulary }));

afterAll(() => rm(directory, { recursive: true }));

beforeEach(async () => {
  await rm(file, { force: true });
  await vocabulary.noticeChange();
  await site.database.db("items").where({ id: "weapon-24" }).update({ picture: null });
});

let operators = 0;

async function enterAsOperator(page: Page): Promise<void> {
  const name = `operator-${++operators}`;
  await register(page, name);
  await site.database.db("users").where({ name }).update({ role: "operator" });
}

/** What is wrong with a page that no address leads to. */
async function faultsOf(page: Page): Promise<string[]> {
  const faults = [...(await faultsOfHtml(await page.content())), ...(await faultsByAxe(page))];
  for (const width of [1280, 390]) faults.push(...(await faultsOfReflow(page, width)));
  return faults.filter((fault) => !OF_THE_BROWSER.test(fault));
}

/** What the browser adds when it writes the document out: `hidden=""`, and no line break at the end. */
const OF_THE_BROWSER =
  /^(doctype|attribute-boolean-style|attribute-empty-style|void-style|no-trailing-whitespace|no-raw-characters)/;

const WORDS = {
  en: {
    vocabulary: "Vocabulary",
    items: "Items",
    label: "Name (English)",
    preview: "Show a preview",
    save: "Save",
    saved: "Saved.",
    change: "Change picture",
    upload: "Upload",
    remove: "Remove picture",
    moves: "two.gif is animated;",
    none: "No picture yet.",
    dismiss: "Dismiss",
    second: "Second text",
    mistake: "Report a mistake",
    wrong: "What is wrong?",
    nothing: "Correct a value, or describe what is wrong.",
    send: "Send",
    thanks: "Thank you.",
  },
  ru: {
    vocabulary: "Словарь игры",
    items: "Предметы",
    label: "Название (английский)",
    preview: "Показать, что получится",
    save: "Сохранить",
    saved: "Сохранено.",
    change: "Изменить картинку",
    upload: "Загрузить",
    remove: "Удалить картинку",
    moves: "two.gif: это анимация;",
    none: "Картинки пока нет.",
    dismiss: "Скрыть",
    second: "Ещё",
    mistake: "Сообщить об ошибке",
    wrong: "В чём ошибка?",
    nothing: "Исправьте значение или опишите, что не так.",
    send: "Отправить",
    thanks: "Спасибо!",
  },
} as const;

const LONG = "The servers are down tonight: [news](https://news.example). ".repeat(4);

const READERS = [
  { language: "en", javaScriptEnabled: false },
  { language: "ru", javaScriptEnabled: true },
] as const;

const main = (page: Page) => page.locator("main");

describe.each(READERS)("in $language, with script: $javaScriptEnabled", ({ language, javaScriptEnabled }) => {
  const words = WORDS[language];

  it("the vocabulary is written in a form, seen beforehand, and then on the pages", async () => {
    const { page, complaints } = await site.visit({ javaScriptEnabled });
    await enterAsOperator(page);
    await page.goto(`/${language}/operator`);
    await main(page).getByRole("link", { name: words.vocabulary }).first().click();
    await main(page).getByRole("link", { name: words.items, exact: true }).click();
    const rarity = page.locator("details", { has: page.locator("summary code", { hasText: /^rarity$/ }) });
    await rarity.locator("summary").click();
    await rarity.getByLabel(words.label).first().fill("Scarcity");
    const legendary = rarity.getByRole("group", { name: /^legendary/ });
    await legendary.locator("input[name$='.colour']").fill("#8844cc");
    await legendary.locator("input[name$='.rank']").fill("9");
    await page.locator("input[name=chosen]").fill("weapon-24");
    await page.getByRole("button", { name: words.preview }).click();
    await main(page).getByText("Scarcity").first().waitFor();
    await expect(readFile(file)).rejects.toThrow("ENOENT");
    if (javaScriptEnabled) expect(await faultsOf(page)).toEqual([]);
    await page.getByRole("button", { name: words.save }).click();
    expect(await main(page).getByRole("status").textContent()).toContain(words.saved);
    expect(JSON.parse(await readFile(file, "utf8")).kinds.items.attributes.rarity).toEqual({
      label: "Scarcity",
      values: { legendary: { colour: "#8844cc", rank: 9 } },
    });
    await page.goto("/en/items?sort=name");
    expect(await main(page).textContent()).toContain("Scarcity");
    expect(complaints).toEqual([]);
  });

  it("a picture is uploaded, refused with its reason, and removed", async () => {
    const { page } = await site.visit({ javaScriptEnabled });
    await enterAsOperator(page);
    await page.goto(`/${language}/items/weapon-24`);
    await page.getByRole("link", { name: words.change }).click();
    expect(await main(page).textContent()).toContain(words.none);
    const frames = await Promise.all(["red", "blue"].map((colour) => square(colour)));
    const gif = await sharp(frames, { join: { animated: true } })
      .gif()
      .toBuffer();
    await send(page, words.upload, { name: "two.gif", mimeType: "image/gif", buffer: gif });
    expect(await main(page).textContent()).toContain(words.moves);
    if (javaScriptEnabled) expect(await faultsOf(page)).toEqual([]);
    await send(page, words.upload, {
      name: "eagle.png",
      mimeType: "image/png",
      buffer: await square("teal"),
    });
    const large = main(page).locator(".entry-image img");
    await expect.poll(() => large.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(200);
    if (javaScriptEnabled) expect(await faultsOf(page)).toEqual([]);
    await page.goto(`/${language}/items/weapon-24`);
    expect(await main(page).locator(".entry-image img").count()).toBe(1);
    await page.getByRole("link", { name: words.change }).click();
    await page.getByRole("button", { name: words.remove }).click();
    expect(await main(page).textContent()).toContain(words.none);
  });

  it("announcements are dismissed one by one on a phone, without script", async () => {
    const viewport = { width: 390, height: 844 };
    const { db } = site.database;
    await saveStored(db, COMMAND, TEST_CONFIG.sessionSecret, {
      ANNOUNCEMENT: `${LONG}||Second **text**|ru:Ещё`,
    });
    const { page } = await site.visit({ javaScriptEnabled: false, viewport });
    const announcements = main(page).locator("form.notice");
    const count = () => page.goto(`/${language}/items?q=a`).then(() => announcements.count());
    await expect.poll(count).toBe(2);
    await announcements.first().getByRole("button", { name: words.dismiss }).click();
    expect(page.url()).toContain(`/${language}/items?q=a`);
    expect(await announcements.allTextContents()).toEqual([expect.stringContaining(words.second)]);
    const scripted = await site.visit();
    await watchShifts(scripted.context);
    for (const width of [390, 1280])
      expect(await faultsOfPage(scripted.page, `/${language}/items`, width)).toEqual([]);
    await saveStored(db, COMMAND, TEST_CONFIG.sessionSecret, { ANNOUNCEMENT: null });
  });

  it("a mistake is reported on a phone, without an account and without script", async () => {
    const viewport = { width: 390, height: 844 };
    const { page } = await site.visit({ javaScriptEnabled: false, viewport });
    await page.goto(`/${language}/items/weapon-24`);
    await main(page).getByRole("link", { name: words.mistake }).click();
    await page.getByRole("button", { name: words.send }).click();
    expect(await main(page).getByRole("alert").textContent()).toBe(words.nothing);
    await page.getByLabel(words.wrong).fill("It fires faster");
    await page.getByRole("button", { name: words.send }).click();
    expect(await main(page).getByRole("status").textContent()).toContain(words.thanks);
    await main(page).getByRole("link").last().click();
    expect(new URL(page.url()).pathname).toBe(`/${language}/items/weapon-24`);
    const scripted = await site.visit();
    await watchShifts(scripted.context);
    const form = `/${language}/suggest/items/weapon-24`;
    for (const path of [form, `${form}?sent=yes`])
      expect(await faultsOfPage(scripted.page, path, viewport.width)).toEqual([]);
  });
});

function square(colour: string): Promise<Buffer> {
  return sharp({ create: { width: 200, height: 200, channels: 3, background: colour } })
    .png()
    .toBuffer();
}

async function send(
  page: Page,
  button: string,
  picture: { name: string; mimeType: string; buffer: Buffer },
): Promise<void> {
  await page.locator("input[type=file]").setInputFiles(picture);
  await page.getByRole("button", { name: button }).click();
  await page.waitForLoadState();
}

describe("two operators in their own windows", () => {
  it("keep what both typed", async () => {
    const [one, two] = [await site.visit(), await site.visit()];
    for (const { page } of [one, two]) {
      await enterAsOperator(page);
      await page.goto("/en/operator/vocabulary/categories");
    }
    const firearms = (page: Page) =>
      page.getByRole("group", { name: /^Firearms/ }).getByLabel("Name (English)");
    await firearms(one.page).fill("Guns");
    await firearms(two.page).fill("Rifles");
    for (const { page } of [one, two]) await page.getByRole("button", { name: "Show a preview" }).click();
    for (const { page } of [one, two]) await page.getByRole("button", { name: "Save" }).click();
    expect(await firearms(two.page).inputValue()).toBe("Rifles");
    expect(await main(two.page).textContent()).toContain("was changed to “Guns” by someone else");
    expect(await faultsOf(two.page)).toEqual([]);
    expect(JSON.parse(await readFile(file, "utf8")).categories.Firearms.label).toBe("Guns");
    await two.page.getByRole("button", { name: "Show a preview" }).click();
    await two.page.getByRole("button", { name: "Save" }).click();
    expect(JSON.parse(await readFile(file, "utf8")).categories.Firearms.label).toBe("Rifles");
  });

  it("see mistakes of the text beside it", async () => {
    await writeFile(file, "{}");
    const { page } = await site.visit();
    await enterAsOperator(page);
    await page.goto("/ru/operator/vocabulary/text");
    const typed = '{\n  "kinds": { "itmes": {} }\n}';
    await page.locator("#text").fill(typed);
    await page.getByRole("button", { name: "Показать, что получится" }).click();
    expect(await main(page).textContent()).toContain("Строка 2");
    expect(await page.locator("#text").inputValue()).toBe(typed);
    expect(await faultsOf(page)).toEqual([]);
  });
});
