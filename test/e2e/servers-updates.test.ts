import type { Page } from "playwright-core";
import { beforeEach, describe, expect, it } from "vitest";
import { useBrowserSite } from "../helpers/browser.ts";
import { addRecords, addServer, databaseClock, MINUTE_MS } from "../helpers/servers.ts";
import { useThreeServers } from "../helpers/three-servers.ts";

const site = useBrowserSite();
useThreeServers(site);
/** Longer than the half minute after which a page asks again, with all of its jitter. */
const NEXT_POLL_MS = 34_000;

async function listed(page: Page): Promise<string[]> {
  const names = await page.locator(".server-name > a").allTextContents();
  return names.map((name) => name.trim());
}

describe("the figures of an open page", () => {
  const db = () => site.database.db("servers");
  const rowOf = (page: Page, id: string) => page.locator(`[data-server-id="${id}"]`);
  /** Its count may say "5 online 3 min ago" beside whatever its status is. */
  const statusOf = (page: Page, id: string) => rowOf(page, id).locator("[data-part=status]");

  beforeEach(async () => {
    await db().where({ id: "a" }).update({ status: "online", online: 5, queue: 0 });
    await db().where({ id: "late" }).delete();
  });

  /** An open page whose clock is the test's, and what it asks the API. */
  async function openList(path = "/servers", options = {}) {
    const visit = await site.visit(options);
    const { page } = visit;
    await page.clock.install();
    const answers: number[] = [];
    page.on("response", (response) => {
      if (response.url().endsWith("/api/online")) answers.push(response.status());
    });
    const parts: number[] = [];
    page.on("requestfinished", async (request) => {
      if (request.url().endsWith("?live=1")) parts.push((await request.response())?.status() ?? 0);
    });
    await page.goto(path);
    /** Lets the list ask once more. */
    const next = async () => {
      const before = answers.length;
      await page.clock.fastForward(NEXT_POLL_MS);
      await expect.poll(() => answers.length).toBe(before + 1);
      // Until the page has the parts that changed, it does not think of the next question.
      const changes = answers.filter((status) => status === 200).length;
      await expect.poll(() => parts.length).toBe(changes);
    };
    /** Lets half an hour go by, with time for every answer that should not be requested. */
    const pass = async () => {
      for (let minutes = 0; minutes < 30; minutes += 10) {
        await page.waitForTimeout(150);
        await page.clock.fastForward(10 * MINUTE_MS);
      }
      await page.waitForTimeout(150);
    };
    return { ...visit, answers, parts, next, pass };
  }

  it("gives a count that it saw no age that is not its own", async () => {
    const { page, next } = await openList();
    const online = rowOf(page, "a").locator(".server-online");
    const last = (time: string) => site.database.db.raw(`now() - interval '${time}'`);
    await db()
      .where({ id: "a" })
      .update({ status: "online", online: 9, last_online_at: last("3 hours") });
    await next();
    await db().where({ id: "a" }).update({ status: "offline" });
    await next();
    await expect.poll(() => online.innerText()).toMatch(/^9 online [23]\sh ago$/);
    await db()
      .where({ id: "a" })
      .update({ online: 7, last_online_at: last("1 minute") });
    await next();
    await expect.poll(() => online.innerText()).toMatch(/^7 online (just now|\d+\smin ago)$/);
  });

  it("writes new figures into its rows, and nothing else moves", async () => {
    const { page, complaints, next, answers } = await openList("/servers?sort=-online");
    const link = rowOf(page, "a").getByRole("link", { name: "Alpha", exact: true });
    await link.focus();
    await db().where({ id: "a" }).update({ online: 50, queue: 7 });
    await next();
    await statusOf(page, "a").getByText("full").waitFor();
    await expect.poll(() => rowOf(page, "a").locator(".server-online").innerText()).toBe("50 / 50");
    await expect.poll(() => rowOf(page, "a").locator(".server-queue").innerText()).toBe("7");
    await expect
      .poll(() => page.locator("[data-totals]").textContent())
      .toContain("92 players online on 3 of 3 servers. 9 queuing");
    expect(await listed(page)).toEqual(["Beta", "Gamma", "Alpha"]);
    expect(await link.evaluate((element) => element === document.activeElement)).toBe(true);
    expect(await page.locator("[data-server-news]").textContent()).toBe("");
    await next();
    expect(answers).toEqual([200, 304]);
    expect(complaints).toEqual([]);
  });

  it("tells a screen reader of a status that changed, once, and keeps the last good figures", async () => {
    const last_online_at = new Date(Date.now() - 2 * MINUTE_MS);
    await db().where({ id: "a" }).update({ last_online_at });
    const { page, next } = await openList();
    await db().where({ id: "a" }).update({ status: "offline", checked_at: new Date() });
    await next();
    const news = page.locator("[data-server-news]");
    await expect.poll(() => news.textContent()).toBe("Alpha is offline.");
    expect(await news.getAttribute("role")).toBe("status");
    await expect
      .poll(() => rowOf(page, "a").locator(".server-online").innerText())
      .toMatch(/^5 online \d\smin ago$/);
    await expect.poll(() => rowOf(page, "a").locator(".server-queue").innerText()).toBe("–");
    // The next answers would tell the page the time: only without them is the test's clock the one that it believes.
    await page.getByRole("button", { name: "Pause updates" }).click();
    await page.clock.fastForward(10 * MINUTE_MS);
    await expect
      .poll(() => rowOf(page, "a").locator(".server-online").innerText())
      .toMatch(/^5 online 1\d\smin ago$/);
  });

  it("says quietly that a server has come, in a filtered list as well", async () => {
    const { page, next } = await openList("/servers?game=MTA");
    const changed = page.getByRole("link", { name: "The list has changed: reload it" });
    await next();
    expect(await changed.isVisible()).toBe(false);
    await addServer(site.database.db, { id: "late", name: "Late", game: "MTA" });
    await next();
    await changed.waitFor();
    expect(await listed(page)).toEqual(["Alpha"]);
    await changed.click();
    await page.getByRole("link", { name: "Late", exact: true }).waitFor();
    expect(page.url()).toContain("?game=MTA");
  });

  it("asks nothing while it is hidden, and at once when it is shown again", async () => {
    const { page, next, pass, answers } = await openList();
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
  });

  it("stops and continues on request", async () => {
    const { page, pass, answers } = await openList();
    const button = page.getByRole("button", { name: "Pause updates" });
    await button.click();
    expect(await button.getAttribute("aria-pressed")).toBe("true");
    await pass();
    expect(answers).toHaveLength(0);
    await button.click();
    await page.clock.runFor(1);
    await expect.poll(() => answers.length).toBe(1);
  });

  it("waits longer and longer while the site does not answer", async () => {
    const { page, next, answers } = await openList();
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
  });

  it("announces at most a minute's changes at once, and nothing that has reverted", async () => {
    await db().update({ last_online_at: new Date() });
    const { page, next } = await openList();
    const news = page.locator("[data-server-news]");
    await db().where({ id: "a" }).update({ status: "offline" });
    await next();
    await expect.poll(() => news.textContent()).toBe("Alpha is offline.");
    await db().whereIn("id", ["b", "c"]).update({ status: "offline" });
    await next();
    await statusOf(page, "c").getByText("offline").waitFor();
    expect(await news.textContent()).toBe("Alpha is offline.");
    await db().where({ id: "c" }).update({ status: "online" });
    await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
    await page.clock.runFor(1);
    await statusOf(page, "c").getByText("online").waitFor();
    expect(await news.textContent()).toBe("Alpha is offline.");
    await page.clock.fastForward(MINUTE_MS / 2);
    await expect.poll(() => news.textContent()).toBe("Beta is offline.");
    await db().update({ status: "online" });
  });

  it("stands still without a network, says so beside the figures' age, and asks at once with one", async () => {
    const { page, context, next, pass, answers } = await openList("/ru/servers");
    await next();
    const state = page.locator("[data-updates]");
    expect(await state.textContent()).toBe("Последние данные:");
    await context.setOffline(true);
    await expect.poll(() => state.textContent()).toBe("Нет сети, обновление остановлено. Данные:");
    await pass();
    expect(answers).toHaveLength(1);
    await expect.poll(() => page.locator("[data-age=newest]").textContent()).toMatch(/^3\d\sмин назад$/);
    await context.setOffline(false);
    await page.clock.runFor(1);
    await expect.poll(() => answers.length).toBe(2);
    await expect.poll(() => state.textContent()).toBe("Последние данные:");
  });

  it.each(["/servers", "/servers/a"])(
    "are put in where they differ, and nowhere else, on %s",
    async (path) => {
      const last_online_at = new Date(Date.now() - 3 * 60 * MINUTE_MS);
      await db().whereNot({ id: "a" }).update({ status: "offline", offline_since: last_online_at });
      await db()
        .where({ id: "a" })
        .update({ status: "offline", offline_since: last_online_at, last_online_at });
      const { page, next, complaints } = await openList(path, { timezoneId: "Asia/Kathmandu" });
      await page.evaluate(() => {
        const changed: string[] = [];
        Object.assign(window, { changed });
        const observer = new MutationObserver((mutations) => {
          for (const { target } of mutations) {
            const part = (target as Element).closest?.("[data-part]");
            // Ages are written by the clock, in place.
            if (!part || target.nodeName === "TIME") continue;
            changed.push(part.getAttribute("data-part") ?? "");
          }
        });
        observer.observe(document.body, { childList: true, subtree: true });
      });
      const changed = () =>
        page.evaluate(() => [...new Set((window as unknown as { changed: string[] }).changed)]);
      await next();
      expect(await changed()).toEqual([]);
      await db().where({ id: "a" }).update({ status: "online", online: 6 });
      await next();
      await expect
        .poll(async () => (await changed()).sort())
        .toEqual(
          path === "/servers"
            ? ["online", "queue", "status", "totals"]
            : ["facts", "last", "online", "queue", "status"],
        );
      expect(complaints).toEqual([]);
      await db().update({ status: "online", offline_since: null, last_online_at: new Date() });
    },
  );

  it("of a server's own page come with its history, unless somebody reads that", async () => {
    const { page, complaints, next } = await openList("/servers/a");
    await page.locator(".chart-figure.is-live").waitFor();
    const peak = page.locator("[data-follow=history] dd").first();
    const before = await peak.innerText();
    const now = () => site.database.db.raw("now()");
    const measure = async (online: number) => {
      await addRecords(site.database.db, "a", [{ at: await databaseClock(site.database.db), online }]);
      await db().where({ id: "a" }).update({ online, checked_at: now() });
      // An answer may be a second old, and a history that was is not asked for again for five minutes.
      await page.waitForTimeout(1_100);
    };
    await measure(444);
    await next();
    expect(await peak.innerText()).toBe(before);
    await measure(445);
    await page.clock.fastForward(5 * MINUTE_MS);
    await expect.poll(() => peak.innerText()).toBe("445");
    await page.locator(".chart-figure.is-live .uplot").waitFor();
    expect(await page.locator(".uplot").count()).toBe(1);

    await page.locator(".chart-plot").focus();
    await page.clock.fastForward(6 * MINUTE_MS);
    await measure(446);
    await next();
    await page.waitForTimeout(300);
    expect(await peak.innerText()).toBe("445");
    expect(complaints).toEqual([]);
  });
});
