/**
 * Pictures of every page type for somebody to look at: both languages, light and dark, wide and narrow.
 * Usage: node bench/screenshots.ts <folder> [part of a page type's name]
 */
import { mkdir } from "node:fs/promises";
import path from "node:path";
import type { Browser, BrowserContextOptions } from "playwright-core";
import { LANGUAGES } from "../src/words/i18n/languages.ts";
import { launchChromium } from "../test/helpers/chromium.ts";
import { PAGE_TYPES, type Reader } from "../test/helpers/page-types.ts";
import { type RunningSite, withSite } from "./site.ts";

const READERS: readonly Reader[] = ["visitor", "user", "operator"];

const [folder, part = ""] = process.argv.slice(2);
if (folder === undefined) throw new Error("say which folder the pictures go to");
await mkdir(folder, { recursive: true });

await withSite(async (site) => {
  const browser = await launchChromium();
  const readers = await makeReaders(browser, site);
  // A window for each width stays open: to open one takes Chromium as long as a page does.
  const albums = LANGUAGES.flatMap((language) =>
    [1280, 390].flatMap((width) => READERS.map((reader) => ({ language, width, reader }))),
  );
  const takeAlbum = async ({ language, width, reader }: (typeof albums)[number]) => {
    const viewport = { width, height: 900 };
    const context = await browser.newContext({ ...readers[reader], baseURL: site.url, viewport });
    const page = await context.newPage();
    for (const { name, path: address } of PAGE_TYPES.filter((type) => type.reader === reader)) {
      if (!name.includes(part)) continue;
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        await page.goto(`/${language}${address}`, { waitUntil: "networkidle" });
        const file = path.join(folder, `${name}.${language}.${colorScheme}.${width}.png`);
        await page.screenshot({ path: file, fullPage: true });
      }
    }
    await context.close();
  };
  // Three at a time: a part of the time is waiting for the site.
  const takeAlbums = async () => {
    for (let next = albums.pop(); next; next = albums.pop()) await takeAlbum(next);
  };
  await Promise.all([takeAlbums(), takeAlbums(), takeAlbums()]);
  await browser.close();
});

async function makeReaders(
  browser: Browser,
  { url, login }: RunningSite,
): Promise<Record<Reader, BrowserContextOptions>> {
  const visit = async (address: string, name: string, password: string) => {
    const context = await browser.newContext({ baseURL: url });
    const page = await context.newPage();
    await page.goto(address);
    await page.locator("main input[name=name]").fill(name);
    await page.locator("main input[name=password]").fill(password);
    await page.locator("main form button[type=submit]").click();
    await page.waitForURL((here) => here.pathname !== address);
    return { page, context };
  };
  const user = await visit("/en/register", "reader", "a password for pictures");
  for (const address of ["/en/donate/vip-gold", "/en/servers/ls-one", "/en/items/weapon-24"]) {
    await user.page.goto(address);
    await user.page.locator("main form.favorite button").first().click();
    await user.page.waitForTimeout(500);
  }
  const operator = await visit("/en/login", login.name, login.password);
  return {
    visitor: {},
    user: { storageState: await user.context.storageState() },
    operator: { storageState: await operator.context.storageState() },
  };
}
