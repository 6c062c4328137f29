import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { register, useBrowserSite } from "../helpers/browser.ts";

const site = useBrowserSite();

const TOGGLE = "**/api/entity_favorites/toggle";
const ITEM = "/items/weapon-24";

/** Whether the server has anything among the user's favorites: what a page shows alone may be hope. */
async function storedFavorites(name: string): Promise<number> {
  const { db } = site.database;
  const { id } = await db("users").where({ name }).first("id");
  const rows = await Promise.all(
    ["server_favorites", "donate_favorites", "entity_favorites"].map((table) =>
      db(table).where({ user_id: id }).count({ n: "*" }).first(),
    ),
  );
  return rows.reduce((sum, row) => sum + Number(row?.n), 0);
}

function starOf(page: Page) {
  return page.locator("main form.favorite button").first();
}

/** Waits until the button says so, and nothing is under way any more. */
async function waitForStar(page: Page, isPressed: boolean): Promise<void> {
  await page
    .locator(`main form.favorite button[aria-pressed="${isPressed}"]:not([aria-busy])`)
    .first()
    .waitFor();
}

function hasFocus(page: Page): Promise<boolean> {
  return starOf(page).evaluate((element) => element === document.activeElement);
}

describe("a favorite in place", () => {
  it("is added by the keyboard and undone by the message, and keeps the focus", async () => {
    const { page, complaints } = await site.visit();
    await register(page, "undoer");
    await page.goto(ITEM);
    await starOf(page).focus();
    await page.keyboard.press("Enter");
    await waitForStar(page, true);
    expect(await hasFocus(page)).toBe(true);
    const message = page.locator("[data-toasts]");
    await message.getByText("was added to your favorites.").waitFor();
    expect(await storedFavorites("undoer")).toBe(1);
    await page.keyboard.press("F8");
    await page.keyboard.press("Enter");
    await waitForStar(page, false);
    await message.getByText("was removed from your favorites.").waitFor();
    expect(await storedFavorites("undoer")).toBe(0);
    expect(await hasFocus(page)).toBe(true);
    expect(complaints).toEqual([]);
  });

  it("counts a double click as one, with and without script", async () => {
    for (const javaScriptEnabled of [true, false]) {
      const name = `doubler ${javaScriptEnabled}`;
      const { page } = await site.visit({ javaScriptEnabled });
      await register(page, name);
      await page.goto(ITEM);
      await starOf(page).dblclick();
      await waitForStar(page, true);
      await page.waitForLoadState();
      expect(await storedFavorites(name)).toBe(1);
      await page.reload();
      expect(await starOf(page).getAttribute("aria-pressed")).toBe("true");
    }
  });

  it("shows the new state at once, the old one if the server refuses, and is sent though the user leaves", async () => {
    const { page, context } = await site.visit();
    await register(page, "refused");
    await page.goto(ITEM);
    let refuse = () => {};
    const isAsked = new Promise<void>((asked) => {
      page.route(TOGGLE, async (route) => {
        asked();
        await new Promise<void>((resolve) => {
          refuse = resolve;
        });
        await route.fulfill({ status: 503, body: "{}" });
      });
    });
    await starOf(page).focus();
    await page.keyboard.press("Enter");
    await isAsked;
    expect(await starOf(page).getAttribute("aria-pressed")).toBe("true");
    refuse();
    await page.getByText("That didn’t work. Please try again.").waitFor();
    expect(await starOf(page).getAttribute("aria-pressed")).toBe("false");
    expect(await hasFocus(page)).toBe(true);
    await page.unroute(TOGGLE);
    await page.getByRole("button", { name: "Try again" }).click();
    await waitForStar(page, true);
    expect(await storedFavorites("refused")).toBe(1);
    await context.setOffline(true);
    await starOf(page).click();
    await page.getByText("You’re offline, so nothing was changed.").waitFor();
    expect(await starOf(page).getAttribute("aria-pressed")).toBe("true");
    await context.setOffline(false);
    const outlivesPage = await page.evaluate(async () => {
      const sent = new Promise((resolve) => {
        window.fetch = async (_address, options) => {
          resolve(options?.keepalive);
          throw new TypeError("not in this test");
        };
      });
      document.querySelector<HTMLElement>("main form.favorite button")?.click();
      return sent;
    });
    expect(outlivesPage).toBe(true);
  });

  it("is up to date on pages that the browser goes back to", async () => {
    const { page } = await site.visit();
    await register(page, "returner");
    await page.goto("/items/weapon-24?from=list");
    await page.goto(ITEM);
    await starOf(page).click();
    await waitForStar(page, true);
    await page.goBack();
    await waitForStar(page, true);
    await starOf(page).click();
    await waitForStar(page, false);
    await page.goForward();
    await waitForStar(page, false);
    await page.evaluate(() => sessionStorage.setItem("favorites", "[null"));
    await page.goBack();
    await page.goForward();
    await starOf(page).click();
    await page.getByText("was added to your favorites.").waitFor();
  });

  it("is added by the log-in form if the session has ended, in the page's language", async () => {
    const { page, context } = await site.visit();
    await register(page, "ended");
    await page.goto(`/ru${ITEM}`);
    await context.clearCookies();
    await starOf(page).click();
    await page.waitForURL("**/ru/login?**");
    await page.getByText("Сеанс закончился").waitFor();
    await page.getByLabel("Имя", { exact: true }).fill("ended");
    await page.getByLabel("Пароль", { exact: true }).fill("a password for tests");
    await page.locator("main form button[type=submit]").click();
    await page.waitForURL(`**/ru${ITEM}`);
    await page.getByText("добавлено в избранное").waitFor();
    await waitForStar(page, true);
    expect(await storedFavorites("ended")).toBe(1);
  });
});

describe("a visitor's favorite", () => {
  it("is added by the form that logs in, shown and undone", async () => {
    const name = "visitor";
    const { page, complaints } = await site.visit();
    await page.goto(ITEM);
    const title = "Desert Eagle";
    await page.locator("main .cluster a[href*='/login']").first().click();
    await page.getByText(`Log in, and ${title} will be added to your favorites.`).waitFor();
    await page.locator("main a[href*='/register']").click();
    await page.getByText(`Register, and ${title} will be added to your favorites.`).waitFor();
    await page.getByLabel("Name", { exact: true }).fill(name);
    await page.getByLabel("Password", { exact: true }).fill("a password for tests");
    await page.locator("main form button[type=submit]").click();
    await page.waitForURL(`**${ITEM}`);
    await page.getByText(`${title} is in your favorites.`).waitFor();
    await waitForStar(page, true);
    expect(await storedFavorites(name)).toBe(1);
    await page.locator("main .notice").getByRole("button", { name: "Undo" }).click();
    await waitForStar(page, false);
    expect(await storedFavorites(name)).toBe(0);
    expect(complaints).toEqual([]);
  });
});

describe("the page of favorites", () => {
  it("keeps a removed row in its place, and restores it", async () => {
    const { page, complaints } = await site.visit();
    await register(page, "lister");
    for (const path of [ITEM, "/servers/ls-one", "/donate/vip-gold"]) {
      await page.goto(path);
      await starOf(page).click();
      await waitForStar(page, true);
    }
    await page.goto("/ru/favorites");
    expect(await page.locator("main form.favorite").count()).toBe(3);
    await starOf(page).click();
    await waitForStar(page, false);
    expect(await storedFavorites("lister")).toBe(2);
    const server = page.locator("main tbody th > a").first();
    const isStruckOut = async () =>
      (await server.evaluate((element) => getComputedStyle(element).textDecorationLine)).includes(
        "line-through",
      );
    expect(await isStruckOut()).toBe(true);
    await page.getByText("убрано из избранного").waitFor();
    await page.getByRole("button", { name: "Отменить" }).click();
    await page.getByText("добавлено в избранное").waitFor();
    expect(await storedFavorites("lister")).toBe(3);
    expect(await isStruckOut()).toBe(false);
    expect(complaints).toEqual([]);
  });
});
