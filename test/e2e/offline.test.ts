import type { BrowserContext, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { register, useBrowserSite } from "../helpers/browser.ts";

const site = useBrowserSite();

/** A visitor whose service worker keeps all that it has to. */
async function settled(path: string) {
  const visit = await site.visit();
  await visit.page.goto(path);
  await workerKeeps(visit.page);
  return visit;
}

async function workerKeeps(page: Page): Promise<void> {
  await page.evaluate(async () => {
    await navigator.serviceWorker.ready;
    if (!navigator.serviceWorker.controller) {
      await new Promise((resolve) => navigator.serviceWorker.addEventListener("controllerchange", resolve));
    }
  });
  await expect.poll(async () => (await keptIn(page)).includes("/offline-language")).toBe(true);
}

/** The paths of everything that the browser's caches hold for the site. */
async function keptIn(page: Page): Promise<string[]> {
  return page.evaluate(async () => {
    const names = await caches.keys();
    const lists = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()));
    return lists.flat().map(({ url }) => new URL(url).pathname);
  });
}

async function goOffline(context: BrowserContext, offline: boolean): Promise<void> {
  await context.setOffline(offline);
}

describe("a reader who goes off-line", () => {
  it.each([
    ["in the language of the path", "/en/items", "/ru/servers", "Нет соединения"],
    ["in that of the last page where the path leaves it open", "/ru/items", "/servers", "Нет соединения"],
  ])("sees so on the page that was wanted, %s", async (_name, first, wanted, title) => {
    const { page, context } = await settled(first);
    await goOffline(context, true);
    await page.goto(wanted);
    expect(await page.getByRole("heading", { level: 1 }).innerText()).toBe(title);
    expect(new URL(page.url()).pathname).toBe(wanted);
    const looks = await page.evaluate(() => ({
      band: getComputedStyle(document.querySelector("header") as Element).backgroundColor,
      logo: (document.querySelector("img") as HTMLImageElement).naturalWidth > 0,
      font: document.fonts.check('16px "Onest"'),
    }));
    expect(looks).toEqual({ band: "rgb(18, 48, 47)", logo: true, font: true });
    await context.close();
  });

  it("tries again by the button, and by itself once the network is back", async () => {
    const { page, context } = await settled("/en/items");
    await goOffline(context, true);
    await page.goto("/en/servers");
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("heading", { name: "No connection" }).waitFor();
    await goOffline(context, false);
    await page.getByRole("heading", { level: 1, name: "Servers" }).waitFor();
    await context.close();
  });
});

describe("what the service worker keeps", () => {
  it("is the page for who is not online and its files: no other page, no answer of the API, no error", async () => {
    const { page, context } = await settled("/en/items");
    await register(page, "private reader");
    await page.goto("/profile");
    await page.goto("/en/items/there-is-none");
    await page.evaluate(() => fetch("/api/search?q=deer"));
    const kept = await keptIn(page);
    const others = kept.filter(
      (path) => !/^\/(assets\/.+-\w{8,}\.\w+|(en|ru)\/offline|offline-language)$/.test(path),
    );
    expect(others).toEqual([]);
    expect(kept).toContain("/ru/offline");
    await context.close();
  });

  it("goes when another version comes", async () => {
    const { page, context } = await settled("/en/items");
    await page.evaluate(() => caches.open("offline-0123456789"));
    await page.evaluate(async () => {
      const registration = await navigator.serviceWorker.ready;
      await registration.unregister();
    });
    await page.goto("/en/servers");
    await expect.poll(() => page.evaluate(() => caches.keys())).toHaveLength(1);
    await context.close();
  });
});

describe("where the browser keeps nothing", () => {
  it("works as without a service worker", async () => {
    const { page, context, complaints } = await site.visit();
    await context.addInitScript("CacheStorage.prototype.open = () => Promise.reject(new Error('blocked'))");
    await page.goto("/en/items");
    await page.evaluate(() => navigator.serviceWorker.ready);
    const [worker] = context.serviceWorkers();
    await worker?.evaluate("caches.open = () => Promise.reject(new Error('full'))");
    await worker?.evaluate(
      "caches.keys().then((names) => Promise.all(names.map((name) => caches.delete(name))))",
    );
    await page.goto("/en/servers");
    expect(await page.getByRole("heading", { level: 1 }).innerText()).toBe("Servers");
    await page.goto("/en/vehicles");
    expect(complaints).toEqual([]);
    await goOffline(context, true);
    await expect(page.goto("/en/scripts")).rejects.toThrow(/ERR_/);
    await context.close();
  });
});
