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

const LONG = "The servers are down tonight: [news](https://news.example). ".repeat(4);

const main = (page: Page) => page.locator("main");

describe("the forms in Russian", () => {
  it("write the vocabulary after a preview, which shows it on the pages", async () => {
    const { page, complaints } = await site.visit();
    await enterAsOperator(page);
    await page.goto("/ru/operator/vocabulary/kinds/items");
    const rarity = page.locator("details", { has: page.locator("summary code", { hasText: /^rarity$/ }) });
    await rarity.locator("summary").click();
    await rarity.getByLabel("Название (английский)").first().fill("Scarcity");
    const legendary = rarity.getByRole("group", { name: /^legendary/ });
    await legendary.locator("input[name$='.colour']").fill("#8844cc");
    await legendary.locator("input[name$='.rank']").fill("9");
    await page.locator("input[name=chosen]").fill("weapon-24");
    await page.getByRole("button", { name: "Показать, что получится" }).click();
    await main(page).getByText("Scarcity").first().waitFor();
    await expect(readFile(file)).rejects.toThrow("ENOENT");
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole("button", { name: "Сохранить" }).click();
    expect(await main(page).getByRole("status").textContent()).toContain("Сохранено.");
    expect(JSON.parse(await readFile(file, "utf8")).kinds.items.attributes.rarity).toEqual({
      label: "Scarcity",
      values: { legendary: { colour: "#8844cc", rank: 9 } },
    });
    expect(complaints).toEqual([]);
  });

  it("upload a picture, refuse an animated one with the reason, and remove it", async () => {
    const { page } = await site.visit();
    await enterAsOperator(page);
    await page.goto("/ru/items/weapon-24");
    await page.getByRole("link", { name: "Изменить картинку" }).click();
    expect(await main(page).textContent()).toContain("Картинки пока нет.");
    const frames = await Promise.all(["red", "blue"].map((colour) => square(colour)));
    const gif = await sharp(frames, { join: { animated: true } })
      .gif()
      .toBuffer();
    await upload(page, { name: "two.gif", mimeType: "image/gif", buffer: gif });
    expect(await main(page).textContent()).toContain("two.gif: это анимация;");
    expect(await faultsOf(page)).toEqual([]);
    await upload(page, { name: "eagle.png", mimeType: "image/png", buffer: await square("teal") });
    const large = main(page).locator(".entry-image img");
    await expect.poll(() => large.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(200);
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole("button", { name: "Удалить картинку" }).click();
    expect(await main(page).textContent()).toContain("Картинки пока нет.");
  });
});

describe("several long announcements", () => {
  it("have no faults on a page", async () => {
    const { db } = site.database;
    const announcements = { ANNOUNCEMENT: `${LONG}||Second **text**|ru:Ещё` };
    await saveStored(db, COMMAND, TEST_CONFIG.sessionSecret, announcements);
    const { page, context } = await site.visit();
    await watchShifts(context);
    const notices = main(page).locator("form.notice");
    await expect.poll(() => page.goto("/ru/nicknames?count=1").then(() => notices.count())).toBe(2);
    for (const width of [390, 1280])
      expect(await faultsOfPage(page, "/ru/nicknames?count=1", width)).toEqual([]);
    await saveStored(db, COMMAND, TEST_CONFIG.sessionSecret, { ANNOUNCEMENT: null });
  });
});

describe("the report of a mistake without an account", () => {
  it("has no faults on its form nor on the page after it, on a phone", async () => {
    const { page, context } = await site.visit();
    await watchShifts(context);
    for (const path of ["/ru/suggest/items/weapon-24", "/ru/suggest/items/weapon-24?sent=yes"])
      expect(await faultsOfPage(page, path, 390)).toEqual([]);
  });
});

function square(colour: string): Promise<Buffer> {
  return sharp({ create: { width: 200, height: 200, channels: 3, background: colour } })
    .png()
    .toBuffer();
}

async function upload(
  page: Page,
  picture: { name: string; mimeType: string; buffer: Buffer },
): Promise<void> {
  await page.locator("input[type=file]").setInputFiles(picture);
  await page.getByRole("button", { name: "Загрузить" }).click();
  await page.waitForLoadState();
}

describe("the forms of the vocabulary", () => {
  it("keep what each of two operators typed at the same time", async () => {
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

  it("show mistakes of the text beside it", async () => {
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
