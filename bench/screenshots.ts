/**
 * Pictures of every page type for somebody to look at: both languages, light and dark, wide and narrow.
 * Usage: node bench/screenshots.ts <folder> [part of a page type's name]
 */
import { mkdir } from "node:fs/promises";
import path from "node:path";
import pLimit from "p-limit";
import { LANGUAGES } from "../src/words/i18n/languages.ts";
import { launchChromium } from "../test/helpers/chromium.ts";
import { PAGE_TYPES, type Reader } from "../test/helpers/page-types.ts";
import { enter, fillDemo, withDatabase, withSite } from "./site.ts";

const [folder, part = ""] = process.argv.slice(2);
if (folder === undefined) throw new Error("say which folder the pictures go to");
await mkdir(folder, { recursive: true });

await withDatabase(async (db, databaseUrl) => {
  const login = await fillDemo(db, 0);
  await withSite({ DATABASE_URL: databaseUrl }, async ({ url }) => {
    const reader = { name: "reader", password: "a password for pictures" };
    const cookies: Record<Reader, string> = {
      visitor: "",
      user: await enter(url, "/register", reader),
      operator: await enter(url, "/login", login),
    };
    for (const [address, form] of [
      ["/api/donate_favorites/toggle", { item_key: "vip-gold" }],
      ["/api/favorites/toggle", { server_id: "ls-one" }],
      ["/api/entity_favorites/toggle", { kind: "item", entity_id: "weapon-24" }],
    ] as const) {
      const headers = { cookie: cookies.user };
      const answer = await fetch(url + address, { method: "POST", headers, body: new URLSearchParams(form) });
      if (!answer.ok) throw new Error(`${address} was answered ${answer.status}`);
    }
    const browser = await launchChromium();
    // A window for each width stays open: to open one takes Chromium as long as a page does.
    const albums = LANGUAGES.flatMap((language) =>
      [1280, 390].flatMap((width) =>
        (["visitor", "user", "operator"] as const).map((who) => ({ language, width, who })),
      ),
    );
    // Three at a time: a part of the time is waiting for the site.
    await pLimit(3).map(albums, async ({ language, width, who }) => {
      const context = await browser.newContext({ baseURL: url, viewport: { width, height: 900 } });
      const [name = "", value = ""] = cookies[who].split("=");
      if (name) await context.addCookies([{ name, value, url }]);
      const page = await context.newPage();
      for (const type of PAGE_TYPES.filter((each) => each.reader === who && each.name.includes(part))) {
        for (const colorScheme of ["light", "dark"] as const) {
          await page.emulateMedia({ colorScheme });
          await page.goto(`/${language}${type.path}`, { waitUntil: "networkidle" });
          const file = path.join(folder, `${type.name}.${language}.${colorScheme}.${width}.png`);
          await page.screenshot({ path: file, fullPage: true });
        }
      }
      await context.close();
    });
    await browser.close();
  });
});
