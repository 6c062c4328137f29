import type { Locator } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { useBrowserSite } from "../helpers/browser.ts";
import { visitAndType, visitBox } from "../helpers/search-box.ts";

const site = useBrowserSite();

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
    const { page, context, input, meant, all } = await typeOnTheWrongLayout();
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
    await context.close();
  });

  it("is reached from either end, and left by Home and Escape with what was typed", async () => {
    const { context, input, meant } = await typeOnTheWrongLayout();
    for (const key of ["ArrowUp", "ArrowUp", "ArrowUp", "ArrowUp"]) await input.press(key);
    expect(await meant.getAttribute("aria-selected")).toBe("true");
    await input.press("Home");
    expect(await meant.getAttribute("aria-selected")).toBe("false");
    await input.press("ArrowDown");
    await input.press("Escape");
    await meant.waitFor({ state: "hidden" });
    expect(await input.inputValue()).toBe("byathyec");
    await context.close();
  });

  it("is taken by a click, and by a finger", async () => {
    const byMouse = await typeOnTheWrongLayout();
    await byMouse.meant.click();
    await byMouse.all.waitFor();
    expect(await boxOf(byMouse.input)).toEqual(CORRECTED);
    await byMouse.context.close();
    const phone = { viewport: { width: 390, height: 700 }, hasTouch: true, isMobile: true };
    const byFinger = await typeOnTheWrongLayout(phone);
    await byFinger.meant.tap();
    await byFinger.all.waitFor();
    expect(await boxOf(byFinger.input)).toEqual(CORRECTED);
    await byFinger.context.close();
  });

  it("is announced to a screen reader with the number of results", async () => {
    const { page, context } = await typeOnTheWrongLayout();
    const status = page.locator("form[role=search] [role=status]");
    await expect.poll(() => status.textContent()).toBe("Did you mean “инфернус”? 2 results");
    await context.close();
  });
});

describe("why a result is there", () => {
  it.each([
    ["infrnus", "Infernus", ["Inf", "rnus"]],
    ["byathy", "Infernus", ["Инферн"]],
    ["bronejilet", "Body Armour", ["Бронежилет"]],
  ])("shows in the letters marked: %s", async (query, name, marks) => {
    const { page, context } = await visitAndType(site, query, name);
    const hit = page.locator("[role=group] [role=option]", { hasText: name }).first();
    await expect.poll(() => hit.locator("mark").allTextContents()).toEqual(marks);
    await context.close();
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
    const { page, context, input } = await visitBox(site, path);
    await input.fill(query);
    const shown = page.locator(".suggestions").getByText(category, { exact: true }).first();
    await shown.waitFor();
    expect(await shown.getAttribute("lang")).toBe(lang);
    await context.close();
  });
});
