import type { BrowserContextOptions, Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { formatFor } from "../../src/web/request/format.ts";
import { register, registerByForm, useBrowserSite } from "../helpers/browser.ts";
import type { Reader } from "../helpers/page-types.ts";
import { makeReaders } from "../helpers/readers.ts";

const site = useBrowserSite();

/** Pages with times of several kinds. */
const PAGES = ["/items/weapon-24", "/donate/vip-gold", "/servers/ls-one"];

beforeAll(async () => {
  // The hour that New York has twice.
  const times = { created_at: "2026-11-01T05:30:00Z", updated_at: "2026-11-01T06:30:00Z" };
  await site.database.db("items").where({ id: "weapon-24" }).update(times);
});

/** Exact times of a page, as they are written and as the server means them; ages have a test of their own. */
async function timesOf(page: Page): Promise<{ text: string; at: string; isDate: boolean }[]> {
  return page.locator("time:not([data-age], [data-until])").evaluateAll((elements) =>
    elements.map((element) => ({
      text: (element.textContent ?? "").trim(),
      at: element.getAttribute("datetime") ?? "",
      isDate: element.hasAttribute("data-date"),
    })),
  );
}

function asWritten(zone: string | undefined, { at, isDate }: { at: string; isDate: boolean }): string {
  return isDate ? formatFor("en", zone).date(at) : formatFor("en", zone).time(at);
}

/** Exact times only: `in 3 h` and the like are no times of a zone. */
function exact<Time extends { text: string; isDate: boolean }>(times: Time[]): Time[] {
  return times.filter(({ text, isDate }) => isDate || /\sUTC([+-][\d:]+)?$/.test(text));
}

describe("a visitor", () => {
  it("reads every time and age as clocks in the own zone show it, and which zone that is", async () => {
    const { page, complaints } = await site.visit({ timezoneId: "Asia/Kathmandu" });
    for (const path of PAGES) {
      await page.goto(path);
      const times = exact(await timesOf(page));
      expect(times.length, path).toBeGreaterThan(0);
      for (const time of times) expect(time.text, path).toBe(asWritten("Asia/Kathmandu", time));
      expect(await page.locator(".site-footer").textContent()).toContain(
        "Times are in your time zone (Asia/Kathmandu).",
      );
    }
    await page.goto("/servers/anadolu-rol");
    const age = page.locator("main dd time[data-age]").first();
    const at = String(await age.getAttribute("datetime"));
    const exactly = formatFor("en", "Asia/Kathmandu").time(at);
    expect(await age.textContent()).toMatch(/^(just now|\d+\s(min|h|days) ago)$/);
    expect(await page.locator("main dd time:not([data-age])").first().textContent()).toBe(exactly);
    expect(await age.getAttribute("title")).toBe(exactly);
    expect(await page.locator("[data-week-zone]").textContent()).toBe(
      "in your time zone, Asia/Kathmandu (UTC+5:45)",
    );
    expect(complaints).toEqual([]);
  });

  it("reads the offset of the zone in Russian instead of its English name", async () => {
    const { page } = await site.visit({ timezoneId: "Asia/Vladivostok" });
    await page.goto("/ru/servers/ls-one");
    expect(await page.locator(".site-footer").textContent()).toContain("часовом поясе (UTC+10)");
    expect(await page.locator("main [data-zone-note]").first().textContent()).toContain(
      "Часовой пояс графика: UTC+10",
    );
  });

  it("in New York can distinguish the two hours that their clocks show twice", async () => {
    const { page } = await site.visit({ timezoneId: "America/New_York" });
    await page.goto("/items/weapon-24");
    const texts = (await timesOf(page)).map(({ text }) => text);
    expect(texts).toEqual(
      expect.arrayContaining([
        "1\u00a0Nov\u00a02026, 01:30\u00a0UTC-4",
        "1\u00a0Nov\u00a02026, 01:30\u00a0UTC-5",
      ]),
    );
    expect(await page.locator("time").first().getAttribute("title")).toBe(
      "1\u00a0Nov\u00a02026, 01:30\u00a0UTC-4",
    );
  });

  it("sees no time change and nothing move, however late the script comes", async () => {
    const { page } = await site.visit({ timezoneId: "Asia/Kathmandu" });
    await page.addInitScript(() => {
      const seen = { utc: 0, frames: 0, shift: 0 };
      Object.assign(window, { seen });
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) seen.shift += (entry as unknown as { value: number }).value;
      }).observe({ type: "layout-shift", buffered: true });
      const look = () => {
        seen.frames += 1;
        for (const time of document.querySelectorAll("time")) {
          if (/\sUTC$/.test(time.textContent ?? "")) seen.utc += 1;
        }
        requestAnimationFrame(look);
      };
      requestAnimationFrame(look);
    });
    await page.route("**/times-*.js", async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 600));
      await route.continue();
    });
    for (const path of ["/items/weapon-24", "/donate"]) {
      await page.goto(path);
      const seen = () => page.evaluate(() => (window as unknown as { seen: Record<string, number> }).seen);
      const loaded = await seen();
      await expect.poll(async () => (await seen()).frames).toBeGreaterThan((loaded.frames ?? 0) + 5);
      expect(await seen(), path).toMatchObject({ utc: 0, shift: 0 });
    }
  });
});

describe("a user", () => {
  it("has the browser's zone from the registration on, under its current name", async () => {
    const { page } = await site.visit({ timezoneId: "Europe/Kiev" });
    await registerByForm(page, "from kyiv");
    const row = await site.database.db("users").where({ name: "from kyiv" }).first("time_zone");
    expect(row.time_zone).toBe("Europe/Kyiv");
  });

  it("reads every time in the chosen zone in any browser", async () => {
    const { page, complaints } = await site.visit({ timezoneId: "Asia/Kathmandu" });
    await register(page, "traveller");
    const chosen = { time_zone: "America/St_Johns" };
    await site.database.db("users").where({ name: "traveller" }).update(chosen);
    for (const path of [...PAGES, "/profile"]) {
      await page.goto(path);
      const html = await page.content();
      expect(html).toContain("Times are in America/St_Johns");
      for (const [, at = "", text] of html.matchAll(/<time datetime="([^"]*T[^"]*)">([^<]*\sUTC[^<]*)</g))
        expect(text, path).toBe(formatFor("en", "America/St_Johns").time(at));
      expect(html, path).not.toMatch(/\d\d:\d\d\sUTC</);
    }
    expect(complaints).toEqual([]);
  });

  it("shows UTC to a user who has chosen it, in any browser's zone", async () => {
    const { page } = await site.visit({ timezoneId: "Asia/Kathmandu" });
    await register(page, "universal");
    await site.database.db("users").where({ name: "universal" }).update({ time_zone: "UTC" });
    await page.goto("/items/weapon-24");
    const times = exact(await timesOf(page));
    expect(times.length).toBeGreaterThan(0);
    for (const time of times) expect(time.text).toBe(asWritten(undefined, time));
    expect(await page.locator("main time[title]").count()).toBe(0);
  });

  it("reads times in the zone of the browser by default, and the profile suggests that zone", async () => {
    const { page } = await site.visit({ timezoneId: "Asia/Kathmandu" });
    await register(page, "undecided");
    await site.database.db("users").where({ name: "undecided" }).update({ time_zone: null });
    await page.goto("/items/weapon-24");
    for (const time of exact(await timesOf(page))) expect(time.text).toBe(asWritten("Asia/Kathmandu", time));
    await page.goto("/profile");
    await page.getByText("Your browser is set to Asia/Kathmandu").waitFor();
    const hint = page.getByText("Used for times on pages and in e-mails.");
    expect(await hint.isVisible()).toBe(false);
    await page.getByRole("button", { name: "Use it" }).click();
    expect(await page.getByLabel("Time zone", { exact: true }).inputValue()).toBe("Asia/Kathmandu");
    await page.getByRole("button", { name: "Save language and time zone" }).click();
    await page.getByText("Language and time zone were saved.").waitFor();
    expect(await page.getByText("Your browser is set to").isVisible()).toBe(false);
    expect(await hint.isVisible()).toBe(true);
    const row = await site.database.db("users").where({ name: "undecided" }).first("time_zone");
    expect(row.time_zone).toBe("Asia/Kathmandu");
  });
});

let readers: Record<Reader, BrowserContextOptions>;
beforeAll(async () => {
  readers = await makeReaders(site);
});

const windows = new Map<string, Page>();

/** One window for each reader and way: to open one takes Chromium as long as a page does. */
async function windowOf(reader: Reader, options: BrowserContextOptions): Promise<Page> {
  const key = JSON.stringify([reader, options]);
  const known = windows.get(key);
  if (known) return known;
  const { page } = await site.open({
    ...readers[reader],
    ...options,
  });
  windows.set(key, page);
  return page;
}

const NO_SCRIPT: BrowserContextOptions = { javaScriptEnabled: false };

/** The labels of an axis with their places. */
function axisOf(page: Page): Promise<string[]> {
  return page
    .locator("svg.chart .chart-hour-label")
    .evaluateAll((labels) => labels.map((label) => `${label.getAttribute("x")} ${label.textContent}`));
}

describe("a chart", () => {
  it.each(["/servers/ls-one", "/servers/ls-one?range=7d", "/donate/vip-gold"])(
    "names the zone of its axis, and is the same for a browser there and a user who chose that zone: %s",
    async (path) => {
      const zone = "Asia/Kathmandu";
      const browser = await windowOf("visitor", { timezoneId: zone });
      const plain = await windowOf("visitor", NO_SCRIPT);
      const chosen = await windowOf("operator", NO_SCRIPT);
      await site.database.db("users").where({ name: "keeper" }).update({ time_zone: zone });
      for (const page of [browser, plain, chosen]) await page.goto(path);
      await site.database.db("users").where({ name: "keeper" }).update({ time_zone: null });
      expect((await axisOf(browser)).length).toBeGreaterThan(1);
      expect(await axisOf(browser)).not.toEqual(await axisOf(plain));
      const textOf = (labels: string[]) => labels.map((label) => label.replace(/^\S+ /, ""));
      expect(textOf(await axisOf(browser))).toEqual(textOf(await axisOf(chosen)));
      for (const [page, named] of [
        [browser, zone],
        [plain, "UTC"],
      ] as const)
        expect(await page.locator("[data-zone-note]").allTextContents()).toContainEqual(
          expect.stringMatching(new RegExp(`(Chart times are|Times) in ${named}`)),
        );
      await browser.emulateMedia({ media: "print" });
      expect(await browser.locator("svg.chart .chart-hour-label").first().isVisible()).toBe(true);
      await browser.emulateMedia({ media: null });
    },
  );
});
