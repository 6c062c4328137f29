import { beforeAll, describe, expect, it } from "vitest";
import { useBrowserSite } from "../helpers/browser.ts";
import { searchBox, visitAndType, visitBox } from "../helpers/search-box.ts";

const site = useBrowserSite();
const PHONE = { viewport: { width: 390, height: 700 }, hasTouch: true, isMobile: true };

describe("the search box", () => {
  const hostile = '<img src=x onerror="document.title=1"> Quux';

  beforeAll(async () => {
    await site.database.db("items").insert({ id: "hostile", name: hostile });
  });

  it("marks what was typed, names things in the page's language first, and shows markup as text", async () => {
    const { page, input } = await visitBox(site, "/ru/nicknames");
    await input.pressSequentially("infer");
    const option = page.getByRole("group", { name: "Транспорт" }).getByRole("option", { name: "Инфернус" });
    // Answers to the first letters may be listed before the last one is typed.
    await expect.poll(() => option.locator("mark").allTextContents()).toEqual(["Infer"]);
    expect(await option.locator(".hit-name").innerText()).toBe("Инфернус Infernus");
    expect(await option.getAttribute("href")).toBe("/ru/vehicles/411");
    await input.fill("quux");
    await page.locator(".suggestions [role=option]", { hasText: hostile }).waitFor();
    expect(await page.title()).not.toBe("1");
  });

  it("does not announce results of a query that was typed on meanwhile", async () => {
    const { page } = await site.visit();
    await page.clock.install();
    await page.goto("/");
    await page.clock.pauseAt(Date.now() + 3_600_000);
    const input = searchBox(page);
    await input.fill("infernu");
    await page.getByRole("option", { name: "Infernus" }).first().waitFor();
    await page.route("**/api/search/all?*", () => undefined);
    await input.press("End");
    await input.press("s");
    await page.clock.runFor(1_000);
    await page.locator(".suggestions", { hasText: "Searching" }).waitFor();
    expect(await page.locator("form[role=search] [role=status]").textContent()).toBe("");
  });

  it("is a plain form if script is blocked", async () => {
    const { page } = await site.visit({ javaScriptEnabled: false });
    await page.goto("/");
    await page.locator("main input[name=q]").fill("infernus");
    await page.locator("main form[role=search] button").click();
    await page.waitForURL("**/search?q=infernus");
    await page.locator("main").getByRole("link", { name: "Infernus" }).first().click();
    await page.waitForURL("**/vehicles/411");
  });
});

describe("the search box by the keyboard", () => {
  it("announces the number of results, and opens one by arrow and Enter", async () => {
    const { page, input } = await visitAndType(site, "infernus", "Infernus");
    const status = page.locator("form[role=search] [role=status]");
    await expect.poll(() => status.textContent()).toBe("2 results");
    expect(await input.getAttribute("aria-expanded")).toBe("true");
    await input.press("ArrowDown");
    const active = await input.getAttribute("aria-activedescendant");
    expect(await page.locator(`[id="${active}"]`).getAttribute("aria-selected")).toBe("true");
    await input.press("Enter");
    await page.waitForURL("**/vehicles/411");
  });

  it("closes by Escape, Tab and the way back to its page, opens by an arrow, and is emptied by Escape", async () => {
    const { page, input, option } = await visitAndType(site, "infer", "Infernus");
    await input.press("ArrowDown");
    expect(await input.getAttribute("aria-activedescendant")).not.toBeNull();
    await input.press("Home");
    expect(await input.getAttribute("aria-activedescendant")).toBeNull();
    expect(await input.evaluate((element) => (element as HTMLInputElement).selectionStart)).toBe(0);
    await input.press("Escape");
    await option.waitFor({ state: "hidden" });
    await input.press("ArrowDown");
    await option.waitFor();
    await input.press("Tab");
    await option.waitFor({ state: "hidden" });
    expect(await input.getAttribute("aria-expanded")).toBe("false");
    await input.press("ArrowDown");
    await option.waitFor();
    await page.evaluate(() => dispatchEvent(new PageTransitionEvent("pagehide", { persisted: true })));
    expect(await page.locator(".suggestions").first().isHidden()).toBe(true);
    expect(await input.inputValue()).toBe("infer");
    await input.press("Escape");
    expect(await input.inputValue()).toBe("");
  });

  it("shows what was meant on another keyboard layout, and leads to all results of what was typed", async () => {
    const { page, input } = await visitAndType(site, "byathyec", "Infernus");
    await page.getByText("Did you mean “инфернус”?").first().waitFor();
    await page.getByRole("option", { name: "All results for “byathyec”" }).waitFor();
    await input.press("ArrowUp");
    await input.press("Enter");
    await page.waitForURL("**/search?q=byathyec");
  });

  it("is reached by / and Ctrl-K, and / can still be typed", async () => {
    const { page, input } = await visitBox(site, "/vehicles/411");
    expect(await input.getAttribute("aria-keyshortcuts")).toBe("/ Control+K Meta+K");
    await page.keyboard.press("/");
    expect(await input.evaluate((element) => element === document.activeElement)).toBe(true);
    await page.keyboard.type("a/b");
    expect(await input.inputValue()).toBe("a/b");
    await page.keyboard.press("Control+k");
    expect(await input.evaluate((element) => (element as HTMLInputElement).selectionEnd)).toBe(3);
  });

  it("leaves / to other programs if the user chose so", async () => {
    const { page, input } = await visitBox(site, "/search");
    await page.getByLabel("The / key opens search on any page").uncheck();
    await page.goto("/vehicles");
    await page.keyboard.press("/");
    expect(await input.evaluate((element) => element === document.activeElement)).toBe(false);
    await page.keyboard.press("Control+k");
    expect(await input.evaluate((element) => element === document.activeElement)).toBe(true);
  });
});

describe("on a phone", () => {
  it.each(["/", "/servers"])(
    "uses the width of the screen, ends above the keyboard, and has rows that a finger hits, at %s",
    async (path) => {
      const { page, input } = await visitBox(site, path, PHONE);
      await input.tap();
      await input.fill("gun");
      await page.locator(".suggestions [role=option]").first().waitFor();
      const list = await page.locator(".suggestions").boundingBox();
      expect(list).toMatchObject({ x: 0, width: 390 });
      expect((list?.y ?? 0) + (list?.height ?? 0)).toBeLessThanOrEqual(700);
      for (const option of await page.locator(".suggestions [role=option]").all()) {
        expect((await option.boundingBox())?.height).toBeGreaterThanOrEqual(44);
      }
      // What the keyboard leaves of the screen: Chromium's own emulation has none.
      await page.evaluate(() => {
        const screen = window.visualViewport;
        Object.defineProperty(screen, "height", { value: 330 });
        screen?.dispatchEvent(new Event("resize"));
      });
      const above = await page.locator(".suggestions").boundingBox();
      expect((above?.y ?? 0) + (above?.height ?? 0)).toBeLessThanOrEqual(330);
      if (path === "/") expect(above?.height).toBeGreaterThan(160);
      const option = page.locator(".suggestions [role=option]").first();
      const href = await option.getAttribute("href");
      await option.tap();
      await page.waitForURL(`**${href}`);
    },
  );
});

it("a missing page lists what its address may mean, and searches for its words", async () => {
  const { page, context } = await site.visit(PHONE);
  // Pages of errors do not wait for an index, which this site makes at its first search.
  await context.request.get("/api/search/all?q=a");
  await page.goto("/ru/wiki/Los_Santos_One.html");
  expect(await searchBox(page).inputValue()).toBe("Los Santos One");
  await page.locator("main .chips").getByRole("link", { name: "Los Santos One" }).waitFor();
  await page.locator("main form[role=search] button").click();
  await page.waitForURL("**/ru/search?q=Los+Santos+One");
  await page.locator("main .hits").getByRole("link", { name: "Los Santos One" }).click();
  await page.waitForURL("**/ru/servers/ls-one");
});
