import type { Page } from "playwright-core";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { formatFor } from "../../src/http/format.ts";
import { register, useBrowserSite } from "../helpers/browser.ts";
import { addRecords, addServer, BUCKET_MS, bucketBefore, MINUTE_MS } from "../helpers/servers.ts";

const site = useBrowserSite();
/** Longer than the half minute after which the list asks again, with all of its jitter. */
const NEXT_POLL_MS = 34_000;
let start: number;

beforeAll(async () => {
  const { db } = site.database;
  await db("servers").delete();
  const checked_at = new Date();
  const common = { status: "online", checked_at, last_online_at: checked_at, adapter: "gamedig" };
  const alpha = { name: "Alpha", game: "MTA", language: "pl", address: "127.0.0.1:22003" };
  await addServer(db, { id: "a", ...alpha, online: 5, queue: 0, max_online: 50, ...common });
  await addServer(db, {
    id: "b",
    name: "Beta",
    game: "SA-MP",
    language: "en",
    online: 30,
    queue: 2,
    max_online: 30,
    ...common,
  });
  await addServer(db, {
    id: "c",
    name: "Gamma",
    game: "SA-MP",
    language: "ru",
    online: 12,
    max_online: 40,
    ...common,
  });
  start = await bucketBefore(db, 6);
  await addRecords(db, "a", [
    ...Array.from({ length: 30 }, (_, place) => ({ at: at(place), online: 10 + place, queue: 3 })),
    { at: at(31), status: "offline" as const },
    { at: at(32), status: "offline" as const },
    { at: at(33), online: 50, queue: null },
  ]);
});

/** The beginning of a bucket of five minutes, counted from the first measurement. */
function at(place: number): Date {
  return new Date(start + place * BUCKET_MS);
}

async function listed(page: Page): Promise<string[]> {
  const names = await page.locator(".server-name > a").allTextContents();
  return names.map((name) => name.trim());
}

describe.each([{ javaScriptEnabled: true }, { javaScriptEnabled: false }])(
  "the list, with script: $javaScriptEnabled",
  (options) => {
    it("is sorted by a heading and by the form", async () => {
      const { page, context, complaints } = await site.visit(options);
      await page.goto("/servers");
      expect(await listed(page)).toEqual(["Alpha", "Beta", "Gamma"]);
      await page.getByRole("link", { name: "Online" }).click();
      await page.waitForURL("**/servers?sort=-online");
      expect(await listed(page)).toEqual(["Beta", "Gamma", "Alpha"]);
      expect(await page.locator('th[aria-sort="descending"]').textContent()).toContain("Online");
      await page.getByLabel("Order", { exact: true }).selectOption("Name, Z to A");
      await page.getByRole("button", { name: "Show" }).click();
      await page.waitForURL("**sort=-name**");
      expect(await listed(page)).toEqual(["Gamma", "Beta", "Alpha"]);
      expect(complaints).toEqual([]);
      await context.close();
    });

    it("is filtered, says how many are left, and keeps the order", async () => {
      const { page, context } = await site.visit(options);
      await page.goto("/servers?sort=-online");
      await page.getByLabel("Game").selectOption("SA-MP");
      await page.getByLabel("Not full").check();
      await page.getByRole("button", { name: "Show" }).click();
      await page.waitForURL("**not_full=1**");
      expect(await listed(page)).toEqual(["Gamma"]);
      expect(await page.locator(".server-shown").textContent()).toContain("1 of 3 servers");
      expect(page.url()).toContain("sort=-online");
      await page.getByRole("link", { name: "Show all" }).click();
      await page.waitForURL("**/servers?sort=-online");
      await context.close();
    });

    it("has the user's favorites first", async () => {
      const { page, context } = await site.visit(options);
      await register(page, `fan ${options.javaScriptEnabled}`);
      await page.goto("/servers/c");
      await page.locator("main form.favorite button").click();
      await page.locator('main form.favorite button[aria-pressed="true"]:not([aria-busy])').waitFor();
      await page.goto("/servers");
      await page.getByLabel("Favorites first").check();
      await page.getByRole("button", { name: "Show" }).click();
      await page.waitForURL("**favorites_first=1**");
      expect(await listed(page)).toEqual(["Gamma", "Alpha", "Beta"]);
      await context.close();
    });

    it("leads from range to range of a server", async () => {
      const { page, context, complaints } = await site.visit(options);
      await page.goto("/servers/a");
      for (const [choice, heading] of [
        ["7 days", "The last 7 days"],
        ["1 year", "The last year"],
      ] as const) {
        await page
          .getByRole("navigation", { name: "Range of the chart" })
          .getByRole("link", { name: choice })
          .click();
        await page.getByRole("heading", { name: heading, exact: true }).waitFor();
        expect(await page.locator(".chips [aria-current]").textContent()).toBe(choice);
      }
      expect(page.url()).toContain("?range=1y");
      expect(complaints).toEqual([]);
      await context.close();
    });
  },
);

describe("the open list", () => {
  const db = () => site.database.db("servers");
  const rowOf = (page: Page, id: string) => page.locator(`[data-server-id="${id}"]`);

  beforeEach(async () => {
    await db().where({ id: "a" }).update({ status: "online", online: 5, queue: 0 });
    await db().where({ id: "late" }).delete();
  });

  /** An open list whose clock is the test's, and what it asks the API. */
  async function openList(path = "/servers") {
    const visit = await site.visit();
    const { page } = visit;
    await page.clock.install();
    const answers: number[] = [];
    page.on("response", (response) => {
      if (response.url().endsWith("/api/online")) answers.push(response.status());
    });
    await page.goto(path);
    /** Lets the list ask once more. */
    const next = async () => {
      const before = answers.length;
      await page.clock.fastForward(NEXT_POLL_MS);
      await expect.poll(() => answers.length).toBe(before + 1);
    };
    /** Lets half an hour go by, with time for every answer that should not be asked for. */
    const pass = async () => {
      for (let minutes = 0; minutes < 30; minutes += 10) {
        await page.waitForTimeout(150);
        await page.clock.fastForward(10 * MINUTE_MS);
      }
      await page.waitForTimeout(150);
    };
    return { ...visit, answers, next, pass };
  }

  it("gives a count that it saw no age that is not its own", async () => {
    const { page, context, next } = await openList();
    const online = rowOf(page, "a").locator(".server-online");
    const last = (time: string) => site.database.db.raw(`now() - interval '${time}'`);
    await db()
      .where({ id: "a" })
      .update({ status: "online", online: 9, last_online_at: last("3 hours") });
    await next();
    await db().where({ id: "a" }).update({ status: "offline" });
    await next();
    expect(await online.innerText()).toMatch(/^9 online [23] h ago$/);
    await db()
      .where({ id: "a" })
      .update({ online: 7, last_online_at: last("1 minute") });
    await next();
    expect(await online.innerText()).toMatch(/^online (just now|\d+ min ago)$/);
    await context.close();
  });

  it("writes new figures into its rows, and nothing else moves", async () => {
    const { page, context, complaints, next, answers } = await openList("/servers?sort=-online");
    const link = rowOf(page, "a").getByRole("link", { name: "Alpha", exact: true });
    await link.focus();
    await db().where({ id: "a" }).update({ online: 50, queue: 7 });
    await next();
    await rowOf(page, "a").getByText("full").waitFor();
    expect(await rowOf(page, "a").locator(".server-online").innerText()).toBe("50 / 50");
    expect(await rowOf(page, "a").locator(".server-queue").innerText()).toBe("7");
    expect(await page.locator("[data-totals]").textContent()).toContain(
      "92 players online on 3 of 3 servers, 9 waiting",
    );
    expect(await listed(page)).toEqual(["Beta", "Gamma", "Alpha"]);
    expect(await link.evaluate((element) => element === document.activeElement)).toBe(true);
    expect(await page.locator("[data-server-news]").textContent()).toBe("");
    await next();
    expect(answers).toEqual([200, 304]);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it("tells a screen reader of a status that changed, once, and keeps the last good figures", async () => {
    const last_online_at = new Date(Date.now() - 2 * MINUTE_MS);
    await db().where({ id: "a" }).update({ last_online_at });
    const { page, context, next } = await openList();
    await db().where({ id: "a" }).update({ status: "offline", checked_at: new Date() });
    await next();
    const news = page.locator("[data-server-news]");
    await expect.poll(() => news.textContent()).toBe("Alpha is offline.");
    expect(await news.getAttribute("role")).toBe("status");
    expect(await rowOf(page, "a").locator(".server-online").innerText()).toMatch(/^5 online \d min ago$/);
    expect(await rowOf(page, "a").locator(".server-queue").innerText()).toBe("–");
    // The next answers would tell the page the time: only without them is the test's clock the one that it believes.
    await page.getByRole("button", { name: "Pause updates" }).click();
    await page.clock.fastForward(10 * MINUTE_MS);
    await expect
      .poll(() => rowOf(page, "a").locator(".server-online").innerText())
      .toMatch(/^5 online 1\d min ago$/);
    await context.close();
  });

  it("says quietly that a server has come, in a filtered list as well", async () => {
    const { page, context, next } = await openList("/servers?game=MTA");
    const changed = page.getByRole("link", { name: "The list has changed: load it again" });
    await next();
    expect(await changed.isVisible()).toBe(false);
    await addServer(site.database.db, { id: "late", name: "Late", game: "MTA" });
    await next();
    await changed.waitFor();
    expect(await listed(page)).toEqual(["Alpha"]);
    await changed.click();
    await page.getByRole("link", { name: "Late", exact: true }).waitFor();
    expect(page.url()).toContain("?game=MTA");
    await context.close();
  });

  it("asks nothing while it is hidden, and at once when it is shown again", async () => {
    const { page, context, next, pass, answers } = await openList();
    const show = (visible: boolean) =>
      page.evaluate((hidden) => {
        Object.defineProperty(document, "hidden", { configurable: true, value: hidden });
        document.dispatchEvent(new Event("visibilitychange"));
      }, !visible);
    await next();
    await page.waitForTimeout(150);
    await show(false);
    await pass();
    expect(answers).toHaveLength(1);
    await show(true);
    await page.clock.runFor(1);
    await expect.poll(() => answers.length).toBe(2);
    await context.close();
  });

  it("stops when it is told to, and goes on", async () => {
    const { page, context, pass, answers } = await openList();
    const button = page.getByRole("button", { name: "Pause updates" });
    await button.click();
    expect(await button.getAttribute("aria-pressed")).toBe("true");
    await pass();
    expect(answers).toHaveLength(0);
    await button.click();
    await page.clock.runFor(1);
    await expect.poll(() => answers.length).toBe(1);
    await context.close();
  });

  it("waits longer and longer while the site does not answer", async () => {
    const { page, context, next, answers } = await openList();
    await page.route("**/api/online", (route) => route.fulfill({ status: 503, body: "{}" }));
    await next();
    await page.clock.fastForward(NEXT_POLL_MS);
    await page.waitForTimeout(200);
    expect(answers).toHaveLength(1);
    await next();
    await page.clock.fastForward(2 * NEXT_POLL_MS);
    await page.waitForTimeout(200);
    expect(answers).toEqual([503, 503]);
    expect(await rowOf(page, "a").locator(".server-online").innerText()).toBe("5 / 50");
    await context.close();
  });
});

describe("a server's chart", () => {
  const options = { timezoneId: "UTC" };
  const clock = (place: number) => at(place).toISOString().slice(11, 16);

  async function openChart(path: string, more = {}) {
    const visit = await site.visit({ ...options, ...more });
    await visit.page.goto(path);
    const plot = visit.page.getByRole("application");
    await plot.locator("canvas").waitFor();
    return { ...visit, plot, output: visit.page.locator(".chart-readout") };
  }

  it("is read by keyboard: exact values, told politely", async () => {
    const { page, context, plot, output, complaints } = await openChart("/servers/a");
    await plot.focus();
    await page.keyboard.press("End");
    expect(await output.textContent()).toMatch(/: not measured$/);
    expect(await output.getAttribute("aria-live")).toBe("polite");
    await page.keyboard.press("Home");
    const grid = JSON.parse((await page.locator("[data-chart]").getAttribute("data-chart")) ?? "");
    const first = (start / 1000 - grid.from) / 300;
    for (let left = first; left >= 12; left -= 12) await page.keyboard.press("PageDown");
    for (let left = first % 12; left > 0; left -= 1) await page.keyboard.press("ArrowRight");
    expect(await output.textContent()).toContain(`, ${clock(0)}–${clock(1)}: 10 online, 3 in the queue`);
    await page.keyboard.press("ArrowRight");
    expect(await output.textContent()).toContain(`, ${clock(1)}–${clock(2)}: 11 online, 3 in the queue`);
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("ArrowLeft");
    expect(await output.textContent()).toContain(`${clock(-1)}–${clock(0)}: not measured`);
    for (let place = -1; place < 31; place += 1) await page.keyboard.press("ArrowRight");
    expect(await output.textContent()).toContain(`${clock(31)}–${clock(32)}: offline`);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it("is read by the pointer, without telling all of it", async () => {
    const { context, plot, output } = await openChart("/servers/a");
    const hint = await output.textContent();
    await plot.locator(".u-over").hover();
    await expect.poll(() => output.textContent()).not.toBe(hint);
    expect(await output.getAttribute("aria-live")).toBe("off");
    await context.close();
  });

  it.each(["7d", "30d"])("of %s tells mean, lowest and highest", async (range) => {
    const { page, context, plot, output } = await openChart(`/servers/a?range=${range}`);
    await plot.focus();
    await page.keyboard.press("End");
    for (let back = 0; back < 16; back += 1) {
      if (/ online on average \(\d+ to \d+\)/.test((await output.textContent()) ?? "")) break;
      await page.keyboard.press("ArrowLeft");
    }
    expect(await output.textContent()).toMatch(/ online on average \(\d+ to \d+\)/);
    await context.close();
  });

  it("bridges no gap: forty minutes without a measurement have neither line nor ground", async () => {
    const { db } = site.database;
    await addServer(db, { id: "gap", name: "Gap" });
    const measured = Array.from({ length: 40 }, (_, place) => place).filter(
      (place) => place < 16 || place >= 24,
    );
    await addRecords(
      db,
      "gap",
      measured.map((place) => ({ at: at(place), online: 20 })),
    );
    const { page, context, plot } = await openChart("/servers/gap", { colorScheme: "light" });
    await db("servers").where({ id: "gap" }).delete();
    const grid = JSON.parse((await page.locator("[data-chart]").getAttribute("data-chart")) ?? "");
    const shares = Array.from(
      { length: 40 },
      (_, place) => (start / 1000 - grid.from) / 86_400 + (place + 0.5) / 288,
    );
    /** How many pixels of each bucket's column, axes aside, are greener than they are red: of the line and its ground. */
    const drawn = await plot.evaluate((host, places) => {
      const canvas = host.querySelector("canvas") as HTMLCanvasElement;
      const [whole, over] = [canvas, host.querySelector(".u-over") as Element].map((part) =>
        part.getBoundingClientRect(),
      );
      if (!whole || !over) return [];
      const context = canvas.getContext("2d") as CanvasRenderingContext2D;
      return places.map((share) => {
        const x = Math.round(((over.left - whole.left + share * over.width) / whole.width) * canvas.width);
        const [top, height] = [over.top - whole.top, over.height].map((length) =>
          Math.floor((length / whole.height) * canvas.height),
        ) as [number, number];
        const { data } = context.getImageData(x, top, 1, height);
        const pixels = Array.from({ length: height }, (_, y) => [data[4 * y] ?? 0, data[4 * y + 1] ?? 0]);
        return pixels.filter(([red = 0, green = 0]) => green - red > 15).length;
      });
    }, shares);
    expect(drawn.slice(16, 24)).toEqual(Array(8).fill(0));
    // A line may begin and end half a pixel away from where its first and last count are.
    for (const pixels of [...drawn.slice(1, 15), ...drawn.slice(25, 39)]) expect(pixels).toBeGreaterThan(0);
    await context.close();
  });

  it("follows the colour scheme and the width of the window", async () => {
    const { page, context, plot } = await openChart("/servers/a", { colorScheme: "light" });
    const picture = () =>
      plot.locator("canvas").evaluate((canvas) => (canvas as HTMLCanvasElement).toDataURL());
    const light = await picture();
    await page.emulateMedia({ colorScheme: "dark" });
    await expect.poll(picture).not.toBe(light);
    await page.setViewportSize({ width: 390, height: 800 });
    await expect
      .poll(() => plot.locator("canvas").evaluate((canvas) => canvas.clientWidth))
      .toBeLessThan(391);
    await context.close();
  });

  it("is the server's SVG on paper and where the library does not arrive", async () => {
    const { page, context } = await openChart("/servers/a");
    expect(await page.locator("svg.chart").isVisible()).toBe(false);
    await page.emulateMedia({ media: "print" });
    expect(await page.locator("svg.chart").isVisible()).toBe(true);
    expect(await page.getByRole("application").isVisible()).toBe(false);
    await page.emulateMedia({ media: "screen" });
    await page.route("**/vendor/**", (route) => route.abort());
    await page.reload({ waitUntil: "networkidle" });
    expect(await page.locator("svg.chart").isVisible()).toBe(true);
    expect(await page.locator(".chart-readout").count()).toBe(0);
    await context.close();
  });
});

describe("times", () => {
  const timezoneId = "Asia/Kolkata";

  it("are the viewer's, with the zone named, hours of the week included", async () => {
    const { page, context, complaints } = await site.visit({ timezoneId });
    await page.goto("/servers/a", { waitUntil: "networkidle" });
    const text = (await page.locator("main").textContent()) ?? "";
    expect(await page.locator(".outages").innerText()).not.toMatch(/UTC(?!\+5:30)/);
    expect(await page.locator(".facts").first().innerText()).not.toMatch(/UTC(?!\+5:30)/);
    expect(text).toContain("Times of the chart are those of Asia/Kolkata.");
    expect(await page.locator(".heat-map thead th").first().textContent()).toBe("00:30");
    const week = await page.locator("#week-what").textContent();
    expect(week).toContain("in your time zone, Asia/Kolkata (UTC+5:30)");
    const outage = await page.locator(".outages tbody tr").first().innerText();
    expect(outage).toContain(formatFor(timezoneId).time(at(31)));
    expect(complaints).toEqual([]);
    await context.close();
  });

  it("are UTC, and it says so, where script is blocked", async () => {
    const { page, context } = await site.visit({ javaScriptEnabled: false, timezoneId });
    await page.goto("/servers/a");
    expect(await page.locator("main").textContent()).toContain("Times of the chart are UTC.");
    expect(await page.locator("svg.chart").isVisible()).toBe(true);
    expect(await page.locator(".heat-map thead th").first().textContent()).toBe("00");
    await page.getByText("The same figures as a table").click();
    expect(await page.locator(".figures").textContent()).toContain("UTC");
    await context.close();
  });
});

describe.each([
  { width: 1280, colorScheme: "light" as const },
  { width: 390, colorScheme: "dark" as const },
])("the servers' pages at $width pixels, $colorScheme", ({ width, colorScheme }) => {
  it("fit the window without a complaint of the browser", async () => {
    const { page, context, complaints } = await site.visit({ viewport: { width, height: 844 }, colorScheme });
    const faults: string[] = [];
    for (const path of [
      "/servers",
      "/servers/a",
      "/servers/a?range=7d",
      "/servers/a?range=30d",
      "/servers/a?range=1y",
    ]) {
      await page.goto(path, { waitUntil: "networkidle" });
      for (const summary of await page.locator("main summary").all()) await summary.click();
      const wide = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
      if (wide > 0) faults.push(`${path} is ${wide} pixels too wide`);
    }
    expect([...faults, ...complaints]).toEqual([]);
    await context.close();
  });
});
