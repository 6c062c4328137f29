import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { register, useBrowserSite } from "../helpers/browser.ts";

const site = useBrowserSite();

/** A visitor whose service worker keeps all that it has to. */
async function settled(path: string, baseURL = site.url) {
  const visit = await site.visit({ baseURL, serviceWorkers: "allow" });
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
  const whole = expect.arrayContaining(["/offline-language", "/ru/offline"]);
  await expect.poll(() => keptIn(page)).toEqual(whole);
}

/** The paths of everything that the browser's caches hold for the site. */
async function keptIn(page: Page): Promise<string[]> {
  return page.evaluate(async () => {
    const names = await caches.keys();
    const lists = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()));
    return lists.flat().map(({ url }) => new URL(url).pathname);
  });
}

async function cachesIn(page: Page): Promise<string[]> {
  return page.evaluate(() => caches.keys());
}

/** Browsers ask by themselves after a page, though not at once. */
async function askForNext(): Promise<void> {
  const registration = await navigator.serviceWorker.ready;
  await registration.update();
}

/** Whether a version of the service worker is on its way, as the browser says. */
async function isUpdating(): Promise<boolean> {
  const { installing, waiting } = await navigator.serviceWorker.ready;
  return installing !== null || waiting !== null;
}

interface Proxy {
  readonly url: string;
  /** The path that fails; "all": nothing answers, as while the site is being started. */
  lost: string | undefined;
  /** The number of requests for it. */
  asked: number;
  /** The name that the service worker's cache gets. */
  cache: string;
}

/** Stands before the site; before each test it is whole again. */
function useProxy(): Proxy {
  const proxy = { url: "", lost: undefined as string | undefined, asked: 0, cache: "" };
  let server: Server;
  beforeAll(async () => {
    server = createServer(async (req, res) => {
      if (proxy.lost === "all" || req.url === proxy.lost) {
        proxy.asked += 1;
        return proxy.lost === "all" ? req.socket.destroy() : res.writeHead(503).end();
      }
      const answer = await fetch(new URL(req.url ?? "", site.url));
      const body = Buffer.from(await answer.arrayBuffer());
      const type = answer.headers.get("content-type") ?? "";
      res.writeHead(answer.status, { "Content-Type": type, "Cache-Control": "no-cache" });
      const isWorker = req.url === "/service-worker.js";
      res.end(isWorker ? body.toString().replace(/"offline-\w+"/, JSON.stringify(proxy.cache)) : body);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    proxy.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  beforeEach(() => {
    Object.assign(proxy, { lost: undefined, asked: 0, cache: "offline-one" });
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  return proxy;
}

describe("a reader who goes offline", () => {
  it("reads so in the language of the path or the last page, and gets the page once online again", async () => {
    const { page, context } = await settled("/en/nicknames");
    await context.setOffline(true);
    await page.goto("/ru/servers");
    const heading = page.getByRole("heading", { level: 1 });
    expect(await heading.innerText()).toBe("Нет соединения");
    expect(new URL(page.url()).pathname).toBe("/ru/servers");
    const looks = await page.evaluate(() => ({
      band: getComputedStyle(document.querySelector("header") as Element).backgroundColor,
      logo: (document.querySelector("img") as HTMLImageElement).naturalWidth > 0,
      font: document.fonts.check('16px "Onest"'),
    }));
    expect(looks).toEqual({ band: "rgb(18, 48, 47)", logo: true, font: true });
    const again = page.waitForEvent("load");
    await page.getByRole("link", { name: "Повторить" }).click();
    await again;
    await page.getByRole("heading", { level: 1, name: "Нет соединения" }).waitFor();
    await context.setOffline(false);
    await page.getByRole("heading", { level: 1, name: "Серверы" }).waitFor();
    await context.setOffline(true);
    await page.goto("/nicknames");
    expect(await heading.innerText()).toBe("Нет соединения");
  });
});

describe("what the service worker keeps", () => {
  it("is the offline page with its files, but no other page, no response of the API and no error", async () => {
    const { page } = await settled("/en/nicknames");
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
  });

  it("is removed when another version comes", async () => {
    const { page } = await settled("/en/nicknames");
    await page.evaluate(() => caches.open("offline-0123456789"));
    await page.evaluate(async () => {
      const registration = await navigator.serviceWorker.ready;
      await registration.unregister();
    });
    await page.goto("/en/servers");
    await expect.poll(() => cachesIn(page)).not.toContain("offline-0123456789");
    expect(await keptIn(page)).toContain("/ru/offline");
  });
});

describe("a reader whose site does not answer for a while", () => {
  const proxy = useProxy();

  it("sees the page by itself once it does, though the network was never lost", async () => {
    const { page } = await settled("/en/nicknames", proxy.url);
    proxy.lost = "all";
    await page.goto("/en/servers");
    await page.getByRole("heading", { level: 1, name: "You’re offline" }).waitFor();
    proxy.asked = 0;
    await expect.poll(() => proxy.asked).toBeGreaterThan(0);
    expect(await page.getByRole("heading", { level: 1 }).innerText()).toBe("You’re offline");
    // Something stands before it that says so, and is not shown instead.
    Object.assign(proxy, { lost: "/en/servers", asked: 0 });
    await expect.poll(() => proxy.asked, { timeout: 30_000 }).toBeGreaterThan(0);
    expect(await page.getByRole("heading", { level: 1 }).innerText()).toBe("You’re offline");
    proxy.lost = undefined;
    await page.getByRole("heading", { level: 1, name: "Servers" }).waitFor({ timeout: 60_000 });
  });
});

describe("a service worker", () => {
  const proxy = useProxy();

  it("cannot keep all at first, serves pages all the same, and retries with the next page", async () => {
    proxy.lost = "/ru/offline";
    const { page, context } = await site.visit({ baseURL: proxy.url, serviceWorkers: "allow" });
    await page.goto("/en/nicknames");
    await page.evaluate(() => navigator.serviceWorker.ready);
    await expect.poll(() => proxy.asked).toBeGreaterThan(0);
    expect(await keptIn(page)).not.toContain("/en/offline");
    proxy.lost = undefined;
    await page.goto("/en/login");
    await workerKeeps(page);
    await context.setOffline(true);
    await page.goto("/en/servers");
    await page.getByRole("heading", { level: 1, name: "You’re offline" }).waitFor();
  });

  it("cannot keep all as an update, and leaves its place to the one before until it can", async () => {
    const { page, context } = await settled("/en/nicknames", proxy.url);
    Object.assign(proxy, { lost: "/ru/offline", cache: "offline-two" });
    await page.evaluate(askForNext);
    await expect.poll(() => proxy.asked).toBeGreaterThan(0);
    await expect.poll(() => page.evaluate(isUpdating)).toBe(false);
    expect(await cachesIn(page)).toContain("offline-one");
    await context.setOffline(true);
    await page.goto("/en/servers");
    await page.getByRole("heading", { level: 1, name: "You’re offline" }).waitFor();
    await context.setOffline(false);
    proxy.lost = undefined;
    await page.goto("/en/scripts");
    // Again and again: on a busy machine an answer may be too late for one try.
    const afterAsking = async () => {
      await page.evaluate(askForNext).catch(() => undefined);
      return cachesIn(page);
    };
    await expect.poll(afterAsking).not.toContain("offline-one");
    expect(await keptIn(page)).toContain("/ru/offline");
  });
});

describe("where the browser keeps nothing", () => {
  it("works as without a service worker", async () => {
    const { page, context, complaints } = await site.visit({ serviceWorkers: "allow" });
    await context.addInitScript("CacheStorage.prototype.open = () => Promise.reject(new Error('blocked'))");
    await page.goto("/en/nicknames");
    await page.evaluate(() => navigator.serviceWorker.ready);
    const [worker] = context.serviceWorkers();
    await worker?.evaluate("caches.open = () => Promise.reject(new Error('full'))");
    await worker?.evaluate(
      "caches.keys().then((names) => Promise.all(names.map((name) => caches.delete(name))))",
    );
    await page.goto("/en/servers");
    expect(await page.getByRole("heading", { level: 1 }).innerText()).toBe("Servers");
    await page.goto("/en/login");
    expect(complaints).toEqual([]);
    await context.setOffline(true);
    await expect(page.goto("/en/scripts")).rejects.toThrow(/ERR_/);
  });
});
