import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { useBrowserSite } from "../helpers/browser.ts";
import { searchBox, visitAndType } from "../helpers/search-box.ts";

const site = useBrowserSite();

const TYPED = "desert eagle";
const KEY_MS = 30;
const LATEST_MS = 900;

interface LayoutShift extends PerformanceEntry {
  value: number;
  sources: { node?: Node }[];
}

declare global {
  interface Window {
    /** What the list answered each time that it changed, and what stood in the box then. */
    seen: { answered: string; typed: string }[];
    shifts: { value: number; at: number; moved: string[] }[];
  }
}

/** Delays that are the same in each run: the first letters' answers are as likely to come last as first. */
function delays(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state / 2 ** 32) * LATEST_MS;
  };
}

/** Delays every answer by its own time, and records requests and aborted requests. */
async function answerLate(page: Page, seed: number) {
  const delay = delays(seed);
  const asked: string[] = [];
  const givenUp: string[] = [];
  const queryOf = (url: string) => new URL(url).searchParams.get("q") ?? "";
  await page.route("**/api/search/all?*", async (route) => {
    asked.push(queryOf(route.request().url()));
    await new Promise((resolve) => setTimeout(resolve, delay()));
    await route.continue().catch(() => undefined);
  });
  page.on("requestfailed", (request) => {
    if (request.failure()?.errorText === "net::ERR_ABORTED") givenUp.push(queryOf(request.url()));
  });
  return { asked, givenUp };
}

/** Opens a page and waits until its font is there, which moves some letters; resolves to the time there. */
async function open(page: Page, path: string): Promise<number> {
  await page.goto(path, { waitUntil: "networkidle" });
  await page.waitForTimeout(500);
  return page.evaluate(() => performance.now());
}

/** What has moved since. */
function shiftsSince(page: Page, time: number) {
  return page.evaluate((since) => window.shifts.filter(({ at }) => at > since), time);
}

async function watch(page: Page): Promise<void> {
  await page.addInitScript(() => {
    window.seen = [];
    window.shifts = [];
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as LayoutShift[]) {
        const moved = entry.sources.map(({ node }) => node?.textContent?.trim().slice(0, 60) ?? "");
        window.shifts.push({ value: entry.value, at: entry.startTime, moved });
      }
    }).observe({ type: "layout-shift", buffered: true });
    document.addEventListener("DOMContentLoaded", () => {
      new MutationObserver((changes) => {
        // What a screen reader hears, and another part of the page, change by themselves.
        if (!changes.some(({ target }) => (target as Element).matches(".suggestions"))) return;
        const last = document.querySelector(".suggestions:not([hidden]) .suggestions-last")?.textContent;
        const answered = /“(.*)”/.exec(last ?? "")?.[1];
        const typed = document.querySelector<HTMLInputElement>("input[role=combobox]")?.value.trim() ?? "";
        if (answered !== undefined) window.seen.push({ answered, typed });
      }).observe(document.body, { childList: true, subtree: true });
    });
  });
}

describe("typing at 30 ms a key against a server that answers late and out of order", () => {
  it("shows the last query's results and no others", async () => {
    const { page } = await site.visit();
    await watch(page);
    const { asked, givenUp } = await answerLate(page, 1);
    const opened = await open(page, "/nicknames");
    await searchBox(page).pressSequentially(TYPED, { delay: KEY_MS });
    await page.getByRole("option", { name: `All results for “${TYPED}”` }).waitFor();
    await page.waitForTimeout(LATEST_MS + 200);

    const seen = await page.evaluate(() => window.seen);
    expect(seen.length).toBeGreaterThan(0);
    for (const { answered, typed } of seen) expect(answered).toBe(typed);
    expect(seen.at(-1)?.answered).toBe(TYPED);
    expect(await page.locator(".suggestions [role=option]").first().innerText()).toContain("Desert Eagle");

    // The browser itself gave up what had not been answered by the next letter: most, however slow the machine is.
    expect(asked.length).toBeGreaterThan(5);
    expect(new Set(asked).size).toBe(asked.length);
    const shown = new Set(seen.map(({ answered }) => answered));
    const lost = asked.filter((query) => !givenUp.includes(query) && !shown.has(query));
    // An answer may arrive in the moment of the next letter, and is neither given up nor shown.
    expect(lost.length, lost.join()).toBeLessThanOrEqual(1);
    expect(givenUp).not.toContain(TYPED);
    expect(givenUp.length).toBeGreaterThan(asked.length / 2);
    expect(await shiftsSince(page, opened)).toEqual([]);
  });

  it("answers repeated queries from the cache, without a request", async () => {
    const { page } = await site.visit();
    await watch(page);
    const { asked } = await answerLate(page, 4);
    await open(page, "/nicknames");
    const input = searchBox(page);
    await input.fill("des");
    await page.getByRole("option", { name: "All results for “des”" }).waitFor();
    await input.fill("dese");
    await page.getByRole("option", { name: "All results for “dese”" }).waitFor();
    await input.press("Backspace");
    expect(await page.locator(".suggestions [role=option]").last().innerText()).toBe("All results for “des”");
    expect(asked).toEqual(["des", "dese"]);
  });

  it.each(["/", "/vehicles/411"])("moves nothing on the page while results arrive: %s", async (path) => {
    const { page } = await site.visit();
    await watch(page);
    await answerLate(page, 5);
    const opened = await open(page, path);
    const input = searchBox(page);
    // With what was meant, with nothing, with less, with more: the list has another height each time.
    for (const query of ["infrnus", "zzzzqq", "gun", "desert eagle", "byathyec"]) {
      await input.fill(query);
      // Input excuses what moves in the half second after it.
      await page.waitForTimeout(LATEST_MS + 300);
    }
    expect(await page.evaluate(() => window.seen.length)).toBeGreaterThan(2);
    expect(await shiftsSince(page, opened)).toEqual([]);
  });
});

describe("an answer that comes after other letters were typed", () => {
  it("never shows an older answer over a newer one", async () => {
    const { page } = await site.visit();
    await page.route("**/api/search/all?q=pi&*", async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 700));
      await route.continue().catch(() => undefined);
    });
    await page.goto("/");
    const input = searchBox(page);
    await input.pressSequentially("pi", { delay: 10 });
    await page.waitForTimeout(150);
    await input.fill("infernus");
    await page.getByRole("option", { name: "Infernus" }).first().waitFor();
    await page.waitForTimeout(900);
    expect(await page.locator(".suggestions [role=option]").first().textContent()).toContain("Infernus");
  });

  it("does not open what was chosen among the results of other letters", async () => {
    const { page, input } = await visitAndType(site, "infer", "Infernus");
    await page.route("**/api/search/all?*", (route) => setTimeout(() => route.continue(), 2000));
    await input.press("ArrowDown");
    await input.pressSequentially(" rifle");
    expect(await input.getAttribute("aria-activedescendant")).toBeNull();
    await input.press("Enter");
    await page.waitForURL("**/search?q=infer+rifle");
  });

  it("removes results of other letters if the answer is late", async () => {
    const { page, input, option } = await visitAndType(site, "infer", "Infernus");
    await page.route("**/api/search/all?*", (route) => setTimeout(() => route.continue(), 2000));
    await input.pressSequentially("n");
    await option.waitFor({ state: "hidden", timeout: 1500 });
    await option.waitFor();
  });
});
