import type { Page, Request, Route } from "playwright-core";
import { describe, expect, it } from "vitest";
import { HAS_POSITION } from "../../src/records/position.ts";
import { register, useBrowserSite } from "../helpers/browser.ts";
import { HOUR_MS } from "../helpers/donate.ts";
import { useThreeServers } from "../helpers/three-servers.ts";

const site = useBrowserSite();
useThreeServers(site);

/** Longer than the half minute after which a page asks for servers' figures again, with all of its jitter. */
const NEXT_POLL_MS = 34_000;

const announced = (page: Page) => page.locator("#list-status").textContent();
const focused = (page: Page) => page.evaluate(() => document.activeElement?.id);
const namesIn = async (page: Page, selector: string) =>
  (await page.locator(selector).allTextContents()).map((name) => name.trim());

/** Counts what a live region is given to read, from now on. */
async function countAnnouncements(page: Page): Promise<() => Promise<string[]>> {
  await page.evaluate(() => {
    const said: string[] = [];
    Object.assign(window, { said });
    const region = document.getElementById("list-status");
    const note = () => said.push(region?.textContent ?? "");
    if (region) new MutationObserver(note).observe(region, { childList: true, characterData: true });
  });
  return () => page.evaluate(() => ("said" in window ? (window.said as string[]) : []));
}

/** Holds requests back until the test releases them. */
async function holdBack(page: Page, address: RegExp): Promise<Route[]> {
  const held: Route[] = [];
  await page.route(address, (route) => void held.push(route));
  return held;
}

describe("the list of servers, filtered in place", () => {
  const servers = (page: Page) => namesIn(page, ".server-name > a");

  it("follows each choice, keeps the focus and says the count once", async () => {
    const { page, complaints } = await site.visit();
    await page.goto("/servers");
    const said = await countAnnouncements(page);
    await page.getByLabel("Not full").focus();
    await page.keyboard.press("Space");
    await expect.poll(() => servers(page)).toEqual(["Gamma", "Alpha"]);
    expect(await said()).toEqual(["2 of 3 servers"]);
    expect(await focused(page)).toBe("filter-not_full");
    expect(new URL(page.url()).search).toBe("?not_full=1");
    await page.getByLabel("Sort", { exact: true }).selectOption("Name, A to Z");
    await expect.poll(() => servers(page)).toEqual(["Alpha", "Gamma"]);
    expect(new URL(page.url()).search).toBe("?sort=name&not_full=1");
    expect(await page.getByRole("link", { name: "Log in", exact: true }).getAttribute("href")).toContain(
      "not_full",
    );
    await page.goBack();
    await page.goBack();
    await expect.poll(() => servers(page)).toEqual(["Beta", "Gamma", "Alpha"]);
    expect(await page.getByLabel("Not full").isChecked()).toBe(false);
    expect(await page.getByRole("link", { name: "Show all", exact: true }).count()).toBe(0);
    await page.goForward();
    await expect.poll(() => servers(page)).toEqual(["Gamma", "Alpha"]);
    expect(await page.getByLabel("Not full").isChecked()).toBe(true);
    // The other one has no known figures.
    expect(await page.locator(".server-day svg").count()).toBe(1);
    expect(complaints).toEqual([]);
  });

  it("writes new figures into the rows that came, and none that are older than they are", async () => {
    const { page } = await site.visit();
    await page.clock.install();
    const figures = () => page.locator('[data-server-id="a"] .server-online').innerText();
    const set = (online: number) => site.database.db("servers").where({ id: "a" }).update({ online });
    const next = async () => {
      const answer = page.waitForResponse("**/api/online");
      await page.clock.fastForward(NEXT_POLL_MS);
      await answer;
    };
    await page.goto("/servers");
    await set(6);
    await next();
    await expect.poll(figures).toBe("6 / 50");
    await page.getByLabel("Game").selectOption("MTA");
    await expect.poll(() => servers(page)).toEqual(["Alpha"]);
    await set(7);
    await next();
    await expect.poll(figures).toBe("7 / 50");
    // The response to an older request, which arrives after the newest one.
    const held = await holdBack(page, /not_empty=1/);
    await page.getByLabel("Not empty").check();
    await expect.poll(() => held.length).toBe(1);
    const old = await held[0]?.fetch();
    await set(8);
    await next();
    await expect.poll(figures).toBe("8 / 50");
    await held[0]?.fulfill({ response: old });
    await expect.poll(() => page.url()).toContain("not_empty=1");
    expect(await figures()).toBe("8 / 50");
    await set(5);
  });

  it("shows the last request, whichever answer comes last", async () => {
    const { page } = await site.visit();
    await page.goto("/servers");
    const ended: string[] = [];
    const note = (request: Request) => ended.push(request.url());
    page.on("requestfinished", note).on("requestfailed", note);
    const held = await holdBack(page, /game=SA-MP$/);
    await page.getByLabel("Game").selectOption("SA-MP");
    await expect.poll(() => held.length).toBe(1);
    await page.getByLabel("Game").selectOption("MTA");
    await expect.poll(() => servers(page)).toEqual(["Alpha"]);
    await held[0]?.continue().catch(() => undefined);
    await expect.poll(() => ended.some((url) => url.endsWith("game=SA-MP"))).toBe(true);
    await page.evaluate(
      () => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))),
    );
    expect(await announced(page)).toBe("1 of 3 servers");
    expect(await servers(page)).toEqual(["Alpha"]);
  });
});

describe("the shop, filtered in place", () => {
  const items = (page: Page) => namesIn(page, ".shop h2");

  it("follows what is typed and ticked, in the reader's own time, and goes back", async () => {
    const { page, complaints } = await site.visit({ timezoneId: "Asia/Kathmandu" });
    await page.clock.install();
    const ends_at = new Date(Date.now() + 20.5 * HOUR_MS);
    await site.database.db("discounts").where({ id: "autumn-gold" }).update({ percent: 50, ends_at });
    await site.database.db("discounts").where({ id: "platinum-night" }).delete();
    await page.goto("/donate");
    const search = page.getByLabel("Search the shop");
    await search.pressSequentially("gold vop 30");
    await page.clock.runFor(1000);
    await expect.poll(() => items(page)).toEqual(["Gold VIP, 30 days"]);
    expect(new URL(page.url()).search).toBe("?q=gold+vop+30");
    expect(await announced(page)).toBe("1 item");
    expect(await focused(page)).toBe("list-q");
    expect(await page.getByLabel("Sort", { exact: true }).inputValue()).toBe("");
    expect(await page.locator(".shop time").innerText()).toMatch(/UTC\+5:45$/);
    await page.clock.fastForward("02:00:00");
    await page.locator(".shop").getByText("18 h left").waitFor();
    await search.fill("");
    await page.clock.runFor(1000);
    await expect.poll(async () => (await items(page)).length).toBeGreaterThan(10);
    await page.getByLabel(/On sale only/).check();
    await expect.poll(() => page.url()).toContain("sale=1");
    expect(await focused(page)).toBe("shop-sale");
    expect(await page.locator(".shop .badge.is-sale").count()).toBe((await items(page)).length);
    await page.goBack();
    await expect.poll(() => page.getByLabel(/On sale only/).isChecked()).toBe(false);
    expect(await page.locator("#coming-soon").count()).toBe(1);
    expect(complaints).toEqual([]);
  });

  it("has favorites that were toggled before the answer came, and can be toggled after", async () => {
    const { page } = await site.visit();
    await register(page, "shopper in place");
    await page.goto("/donate");
    const star = () => page.locator('.shop form.favorite[data-name="Gold VIP, 30 days"] button');
    const pressed = () => star().getAttribute("aria-pressed");
    const held = await holdBack(page, /sort=name/);
    await page.getByLabel("Sort", { exact: true }).selectOption("By name");
    await expect.poll(() => held.length).toBe(1);
    const old = await held[0]?.fetch();
    await star().click();
    await page.getByText("Gold VIP, 30 days was added to your favorites.").waitFor();
    await held[0]?.fulfill({ response: old });
    await expect.poll(() => page.url()).toContain("sort=name");
    expect(await pressed()).toBe("true");
    await star().click();
    await expect.poll(pressed).toBe("false");
  });

  it("stays as it was without an answer, on the way back too, and can retry", async () => {
    const { page } = await site.visit();
    await page.goto("/donate");
    await page.getByLabel("Sort", { exact: true }).selectOption("By name");
    await expect.poll(() => page.url()).toContain("sort=name");
    const before = await items(page);
    await page.route(/\/donate/, (route) => route.fulfill({ status: 503, body: "busy" }));
    await page.goBack();
    await page.getByText("The site isn’t responding, so the list hasn’t changed.").waitFor();
    expect(await items(page)).toEqual(before);
    await page.unroute(/\/donate/);
    await page.getByRole("button", { name: "Try again" }).click();
    await expect.poll(() => page.getByLabel("Sort", { exact: true }).inputValue()).toBe("");
    expect(await items(page)).not.toEqual(before);
  });
});

describe("a map, filtered in place", () => {
  /** How many places in sight are marked, alone or in a cluster, which shows its number. */
  const marked = (page: Page) =>
    page
      .locator(".map-marker, .map-cluster")
      .evaluateAll((signs) =>
        signs.reduce((sum, sign) => sum + (Number.parseInt(sign.textContent, 10) || 1), 0),
      );
  /** Where the land is in the map's box, once it has come to rest. */
  async function placeOfLand(page: Page) {
    const land = page.locator(".map-land");
    await (await land.elementHandle())?.waitForElementState("stable");
    return land.evaluate((element) => {
      const { x, y, width } = element.getBoundingClientRect();
      const box = element.closest(".map")?.getBoundingClientRect();
      if (!box) throw new Error("no map");
      return [x - box.x, y - box.y, width].map(Math.round);
    });
  }

  async function openMap(page: Page): Promise<void> {
    await page.goto("/houses/map");
    await page.locator(".map.is-live").waitFor();
  }

  it("has other markers and is where it was, and goes back", async () => {
    const { page, complaints } = await site.visit({ reducedMotion: "reduce" });
    const placed = site.database.db("houses").where({ category: "Mansions" }).whereRaw(HAS_POSITION);
    const mansions = Number((await placed.count("* as n").first())?.n);
    await openMap(page);
    await page.getByRole("region", { name: "Map of houses", exact: true }).focus();
    await page.keyboard.press("+");
    await page.keyboard.press("ArrowRight");
    const before = await placeOfLand(page);
    expect(await marked(page)).toBeGreaterThan(mansions);
    const said = await countAnnouncements(page);
    await page.getByLabel("Category").focus();
    await page.getByLabel("Category").selectOption("Mansions");
    await expect.poll(() => marked(page)).toBeLessThanOrEqual(mansions);
    expect(await marked(page)).toBeGreaterThan(0);
    expect(await said()).toEqual([`${mansions} houses`]);
    expect(await focused(page)).toBe("map-category");
    expect(await placeOfLand(page)).toEqual(before);
    expect(await page.getByRole("region", { name: "Map of houses: Mansions" }).count()).toBe(1);
    expect(await page.locator("h1").innerText()).toBe("Map of houses: Mansions");
    await page
      .getByRole("link", { name: /^Show on map/ })
      .first()
      .click();
    await page.locator(".leaflet-popup").waitFor();
    await page.goBack();
    await expect.poll(() => page.getByLabel("Category").inputValue()).toBe("");
    await page.getByRole("region", { name: "Map of houses", exact: true }).focus();
    const zoomOut = async () => {
      await page.keyboard.press("-");
      return marked(page);
    };
    await expect.poll(zoomOut).toBeGreaterThan(mansions);
    expect(complaints).toEqual([]);
  });
});
