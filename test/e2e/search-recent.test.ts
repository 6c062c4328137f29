import type { Locator } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { searchableKinds } from "../../src/words/kinds/searchable-kinds.ts";
import { useBrowserSite } from "../helpers/browser.ts";
import { searchBox, visitAndType, visitBox } from "../helpers/search-box.ts";

const site = useBrowserSite();

describe("what was searched for and opened last", () => {
  it("is listed while the box is empty, in the page's language, and can be cleared", async () => {
    const { page, input } = await visitBox(site, "/");
    await input.pressSequentially("infer");
    await page.getByRole("option", { name: "Infernus" }).first().click();
    await page.waitForURL("**/vehicles/411");
    await input.fill("pistol");
    await input.press("Enter");
    await page.waitForURL("**/search?q=pistol");
    await page.locator("main .hits a").first().click();
    await page.waitForURL(/items/);
    await page.goto("/ru/servers");
    await input.focus();
    const options = page.getByRole("group", { name: "Недавнее" }).getByRole("option");
    const listed = await options.allInnerTexts();
    expect(listed).toHaveLength(4);
    expect(listed[1]).toBe("pistol");
    expect(listed[2]).toContain("Инфернус");
    await input.press("ArrowUp");
    await input.press("Enter");
    await options.first().waitFor({ state: "hidden" });
    await input.press("ArrowDown");
    expect(await page.locator(".suggestions").isVisible()).toBe(false);
    expect(await page.evaluate(() => localStorage.length)).toBe(0);
  });

  it("is at most eight, newest first", async () => {
    const { page, input } = await visitBox(site, "/servers");
    for (const q of ["a", "b", "c", "d", "e", "f", "g", "h", "i", "b"]) {
      await input.fill(q);
      await input.press("Enter");
      await page.waitForURL(`**/search?q=${q}`);
    }
    const kept = await page.evaluate(() => JSON.parse(localStorage.getItem("search-recent") ?? ""));
    expect(kept.map(({ q }: { q: string }) => q).join("")).toBe("bihgfedc");
  });

  it.each([
    [
      "blocked storage",
      () =>
        Object.defineProperty(window, "localStorage", {
          get: () => {
            throw new DOMException("blocked");
          },
        }),
    ],
    [
      "another site's leavings",
      () => localStorage.setItem("search-recent", '[{"path":"//evil.test","name":"x"},{"q":7},null]'),
    ],
    [
      "what leads elsewhere",
      () => {
        const paths = ["/\t/evil.test/x", "/\\evil.test", "/\n\\evil.test", "https://evil.test", "items/1"];
        const kept = paths.map((path) => ({ path, name: "x", names: {}, kind: "items" }));
        localStorage.setItem("search-recent", JSON.stringify(kept));
      },
    ],
    [
      "names that are none",
      () => {
        const names = [null, { ru: 5 }, "name", ["x", {}], { ru: null }];
        const kept = names.map((names) => ({ path: "/items/1", name: "x", names, kind: "items" }));
        localStorage.setItem("search-recent", JSON.stringify(kept));
      },
    ],
    ["no JSON", () => localStorage.setItem("search-recent", "{")],
  ])("does without where there is %s", async (_, before) => {
    const { page, complaints } = await site.visit();
    await page.addInitScript(before);
    await page.goto("/servers");
    const input = searchBox(page);
    await input.focus();
    expect(await page.locator(".suggestions").isVisible()).toBe(false);
    await input.pressSequentially("infer");
    await page.getByRole("option", { name: "Infernus" }).first().click();
    await page.waitForURL("**/vehicles/411");
    expect(complaints).toEqual([]);
  });
});

describe("a kind that the site does not have", () => {
  it.each(["constructor", "toString", "boats", undefined])("%s is not named", async (kind) => {
    const { page, input } = await visitBox(site, "/servers");
    const kept = JSON.stringify([{ path: "/items/1", name: "Deer", kind }]);
    await page.evaluate((kept) => localStorage.setItem("search-recent", kept), kept);
    await input.focus();
    const option = page.getByRole("option", { name: "Deer" });
    await option.waitFor();
    expect(await option.innerText()).toBe("Deer");
  });
});

/** All the lists of an answer, one with what is no hit. */
const NO_HITS = JSON.stringify({
  ...Object.fromEntries(searchableKinds().map((kind) => [kind, []])),
  items: [null],
});

describe("without answers", () => {
  it("says that there is no network, lists what was searched for, and goes on when it is back", async () => {
    const { page, context, input } = await visitBox(site, "/servers");
    await page.evaluate(() => localStorage.setItem("search-recent", '[{"q":"rifle"}]'));
    await context.setOffline(true);
    await input.pressSequentially("infer");
    await page.getByText("You’re offline: only recent searches are available.").first().waitFor();
    expect(await page.locator(".suggestions [role=option]").allInnerTexts()).toEqual(["rifle", "Clear list"]);
    await context.setOffline(false);
    await page.getByRole("option", { name: "Infernus" }).first().waitFor();
  });

  it("says so of a request that nothing answers, which is not always the device's network", async () => {
    const { page, input } = await visitBox(site, "/servers");
    await page.route("**/api/search/all?*", (route) => route.abort("connectionrefused"));
    await input.pressSequentially("infer");
    await page.getByText("The site isn’t responding: only recent searches are available.").first().waitFor();
  });

  it.each([429, 503])("says quietly that there are none at status %i", async (status) => {
    const { page, input } = await visitBox(site, "/servers");
    await page.route("**/api/search/all?*", (route) => route.fulfill({ status, body: "{}" }));
    await input.pressSequentially("infer");
    await page.getByText("Suggestions aren’t available right now").first().waitFor();
  });

  it.each([
    ["JSON of something else", '{"message":"hello"}'],
    ["null", "null"],
    ["hits that are none", NO_HITS],
    ["a page of HTML", "<!doctype html><title>Log in to this Wi-Fi</title>"],
  ])("says the same of %s in their place, each time", async (_, body) => {
    const { page, complaints, input } = await visitBox(site, "/servers");
    await page.route("**/api/search/all?*", (route) => route.fulfill({ status: 200, body }));
    await input.pressSequentially("infer");
    const line = page.getByText("Suggestions aren’t available right now").first();
    await line.waitFor();
    await input.press("Escape");
    await line.waitFor({ state: "hidden" });
    await input.press("ArrowDown");
    await line.waitFor();
    expect(complaints).toEqual([]);
  });
});

/** The text that was put into the box, and where the caret is in it. */
function boxOf(input: Locator) {
  return input.evaluate((box: HTMLInputElement) => ({
    value: box.value,
    caret: box.selectionStart,
    focused: box === document.activeElement,
    active: box.getAttribute("aria-activedescendant"),
  }));
}

const CORRECTED = { value: "инфернус", caret: 8, focused: true, active: null };

async function typeOnTheWrongLayout(options?: Parameters<typeof visitBox>[2]) {
  const visitor = await visitBox(site, "/servers", options);
  await visitor.input.pressSequentially("byathyec");
  const meant = visitor.page.getByRole("option", { name: "Did you mean “инфернус”?" });
  await meant.waitFor();
  const all = visitor.page.getByRole("option", { name: "All results for “инфернус”" });
  return { ...visitor, meant, all };
}

describe("what was meant", () => {
  it("is the first option, in its own language, and puts itself into the box", async () => {
    const { page, input, meant, all } = await typeOnTheWrongLayout();
    expect(await meant.locator("[lang]").getAttribute("lang")).toBe("ru");
    await input.press("ArrowDown");
    expect(await input.getAttribute("aria-activedescendant")).toBe(await meant.getAttribute("id"));
    await input.press("Enter");
    await all.waitFor();
    expect(await boxOf(input)).toEqual(CORRECTED);
    expect(await meant.count()).toBe(0);
    expect(new URL(page.url()).pathname).toBe("/servers");
    await input.press("Enter");
    await page.waitForURL((url) => url.pathname === "/search" && url.searchParams.get("q") === "инфернус");
  });

  it("is reached from either end, and left by Home and Escape with what was typed", async () => {
    const { input, meant } = await typeOnTheWrongLayout();
    for (const key of ["ArrowUp", "ArrowUp", "ArrowUp", "ArrowUp"]) await input.press(key);
    expect(await meant.getAttribute("aria-selected")).toBe("true");
    await input.press("Home");
    expect(await meant.getAttribute("aria-selected")).toBe("false");
    await input.press("ArrowDown");
    await input.press("Escape");
    await meant.waitFor({ state: "hidden" });
    expect(await input.inputValue()).toBe("byathyec");
  });

  it("is taken by a click, and by a finger", async () => {
    const byMouse = await typeOnTheWrongLayout();
    await byMouse.meant.click();
    await byMouse.all.waitFor();
    expect(await boxOf(byMouse.input)).toEqual(CORRECTED);
    const phone = { viewport: { width: 390, height: 700 }, hasTouch: true, isMobile: true };
    const byFinger = await typeOnTheWrongLayout(phone);
    await byFinger.meant.tap();
    await byFinger.all.waitFor();
    expect(await boxOf(byFinger.input)).toEqual(CORRECTED);
  });

  it("is announced to a screen reader with the number of results", async () => {
    const { page } = await typeOnTheWrongLayout();
    const status = page.locator("form[role=search] [role=status]");
    await expect.poll(() => status.textContent()).toBe("Did you mean “инфернус”? 2 results");
  });
});

describe("why a result is there", () => {
  it.each([
    ["infrnus", "Infernus", ["Inf", "rnus"]],
    ["byathy", "Infernus", ["Инферн"]],
    ["bronejilet", "Body Armour", ["Бронежилет"]],
  ])("shows in the letters marked: %s", async (query, name, marks) => {
    const { page } = await visitAndType(site, query, name);
    const hit = page.locator("[role=group] [role=option]", { hasText: name }).first();
    await expect.poll(() => hit.locator("mark").allTextContents()).toEqual(marks);
  });
});

describe("the category of a result", () => {
  beforeAll(async () => {
    await site.database.db("items").insert({ id: "quux", name: "Quux", category: "Всякое" });
  });

  it.each([
    ["/ru/servers", "infernus", "Спорткары", null],
    ["/servers", "infernus", "Sports cars", null],
    ["/ru/servers", "quux", "Всякое", null],
  ])("is in the page's language where it has a label: %s %s", async (path, query, category, lang) => {
    const { page, input } = await visitBox(site, path);
    await input.fill(query);
    const shown = page.locator(".suggestions").getByText(category, { exact: true }).first();
    await shown.waitFor();
    expect(await shown.getAttribute("lang")).toBe(lang);
  });
});
