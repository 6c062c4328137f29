import type { Locator } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { searchableKinds } from "../../src/words/kinds/searchable-kinds.ts";
import { useBrowserSite } from "../helpers/browser.ts";
import { searchBox, visitBox } from "../helpers/search-box.ts";

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
    const before = JSON.stringify([..."abcdefgh"].map((q) => ({ q })));
    await page.evaluate((kept) => localStorage.setItem("search-recent", kept), before);
    for (const q of ["i", "b"]) {
      await input.fill(q);
      await input.press("Enter");
      await page.waitForURL(`**/search?q=${q}`);
    }
    const kept = await page.evaluate(() => JSON.parse(localStorage.getItem("search-recent") ?? ""));
    expect(kept.map(({ q }: { q: string }) => q).join("")).toBe("biacdefg");
  });

  it("is nothing if the browser blocks the storage", async () => {
    const { page, complaints } = await site.visit();
    await page.addInitScript(() =>
      Object.defineProperty(window, "localStorage", {
        get: () => {
          throw new DOMException("blocked");
        },
      }),
    );
    await page.goto("/servers");
    await searchBox(page).focus();
    expect(await page.locator(".suggestions").isVisible()).toBe(false);
    await searchBox(page).pressSequentially("infer");
    await page.getByRole("option", { name: "Infernus" }).first().click();
    await page.waitForURL("**/vehicles/411");
    expect(complaints).toEqual([]);
  });

  it("leaves out whatever else the storage has, such as addresses of other sites", async () => {
    const { page, complaints, input } = await visitBox(site, "/nicknames");
    const elsewhere = ["/\t/evil.test/x", "/\\evil.test", "/\n\\evil.test", "https://evil.test", "items/1"];
    const noNames = [null, { ru: 5 }, "name", ["x", {}], { ru: null }];
    for (const kept of [
      "{",
      '[{"path":"//evil.test","name":"x"},{"q":7},null]',
      JSON.stringify(elsewhere.map((path) => ({ path, name: "x", names: {}, kind: "items" }))),
      JSON.stringify(noNames.map((names) => ({ path: "/items/1", name: "x", names, kind: "items" }))),
    ]) {
      await page.evaluate((kept) => localStorage.setItem("search-recent", kept), kept);
      await page.reload();
      await input.focus();
      expect(await page.locator(".suggestions").isVisible(), kept).toBe(false);
      await input.pressSequentially("infer");
      await page.getByRole("option", { name: "Infernus" }).first().waitFor();
    }
    await page.getByRole("option", { name: "Infernus" }).first().click();
    await page.waitForURL("**/vehicles/411");
    expect(complaints).toEqual([]);
  });

  it("shows no name of a kind that the site does not have", async () => {
    const { page, input } = await visitBox(site, "/servers");
    const kinds = ["constructor", "toString", "boats", undefined];
    const kept = kinds.map((kind, at) => ({ path: `/items/${at}`, name: `Deer ${at}`, kind }));
    await page.evaluate((text) => localStorage.setItem("search-recent", text), JSON.stringify(kept));
    await input.focus();
    const options = page.getByRole("option", { name: "Deer" });
    await options.first().waitFor();
    expect(await options.allInnerTexts()).toEqual(kept.map(({ name }) => name));
  });
});

/** All the lists of an answer, one with what is no hit. */
const NO_HITS = JSON.stringify({
  ...Object.fromEntries(searchableKinds().map((kind) => [kind, []])),
  items: [null],
});

describe("without answers", () => {
  it("says that there is no network, lists recent searches, and continues when it is back", async () => {
    const { page, context, input } = await visitBox(site, "/servers");
    await page.evaluate(() => localStorage.setItem("search-recent", '[{"q":"rifle"}]'));
    await context.setOffline(true);
    await input.pressSequentially("infer");
    await page.getByText("You’re offline: only recent searches are available.").first().waitFor();
    expect(await page.locator(".suggestions [role=option]").allInnerTexts()).toEqual(["rifle", "Clear list"]);
    await context.setOffline(false);
    await page.getByRole("option", { name: "Infernus" }).first().waitFor();
  });

  it("says that the site does not answer, or has no suggestions at status 429 or 503", async () => {
    const { page, input } = await visitBox(site, "/servers");
    for (const [at, [status, said]] of [
      [undefined, "The site isn’t responding: only recent searches are available."] as const,
      [429, "Suggestions aren’t available right now"] as const,
      [503, "Suggestions aren’t available right now"] as const,
    ].entries()) {
      await page.unroute("**/api/search/all?*");
      await page.route("**/api/search/all?*", (route) =>
        status ? route.fulfill({ status, body: "{}" }) : route.abort("connectionrefused"),
      );
      await input.fill(`infer${at}`);
      const line = page.getByText(said).first();
      await line.waitFor();
      await input.fill("");
      await line.waitFor({ state: "hidden" });
    }
  });

  it("says the same of an answer that has no results in it, each time", async () => {
    const { page, complaints, input } = await visitBox(site, "/servers");
    const line = page.getByText("Suggestions aren’t available right now").first();
    for (const [at, body] of [
      '{"message":"hello"}',
      "null",
      NO_HITS,
      "<!doctype html><title>Log in to this Wi-Fi</title>",
    ].entries()) {
      await page.unroute("**/api/search/all?*");
      await page.route("**/api/search/all?*", (route) => route.fulfill({ status: 200, body }));
      await input.fill(`infer${at}`);
      await line.waitFor();
      await input.press("Escape");
      await line.waitFor({ state: "hidden" });
      await input.press("ArrowDown");
      await line.waitFor();
      await input.fill("");
      await line.waitFor({ state: "hidden" });
    }
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
  it("is announced, reached from either end, and left by Home and Escape with what was typed", async () => {
    const { page, input, meant } = await typeOnTheWrongLayout();
    const status = page.locator("form[role=search] [role=status]");
    await expect.poll(() => status.textContent()).toBe("Did you mean “инфернус”? 2 results");
    for (const key of ["ArrowUp", "ArrowUp", "ArrowUp", "ArrowUp"]) await input.press(key);
    expect(await meant.getAttribute("aria-selected")).toBe("true");
    await input.press("Home");
    expect(await meant.getAttribute("aria-selected")).toBe("false");
    await input.press("ArrowDown");
    await input.press("Escape");
    await meant.waitFor({ state: "hidden" });
    expect(await input.inputValue()).toBe("byathyec");
  });

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
    await input.fill("byathyec");
    await meant.click();
    await all.waitFor();
    expect(await boxOf(input)).toEqual(CORRECTED);
    await input.press("Enter");
    await page.waitForURL((url) => url.pathname === "/search" && url.searchParams.get("q") === "инфернус");
  });

  it("is taken by a finger", async () => {
    const phone = { viewport: { width: 390, height: 700 }, hasTouch: true, isMobile: true };
    const { input, meant, all } = await typeOnTheWrongLayout(phone);
    await meant.tap();
    await all.waitFor();
    expect(await boxOf(input)).toEqual(CORRECTED);
  });
});

describe("a result", () => {
  beforeAll(async () => {
    await site.database.db("items").insert({ id: "quux", name: "Quux", category: "Всякое" });
  });

  it("marks the letters that match, in each alphabet", async () => {
    const { page, input } = await visitBox(site, "/");
    for (const [query, name, marks] of [
      ["infrnus", "Infernus", ["Inf", "rnus"]],
      ["byathy", "Infernus", ["Инферн"]],
      ["bronejilet", "Body Armour", ["Бронежилет"]],
    ] as const) {
      await input.fill(query);
      const hit = page.locator("[role=group] [role=option]", { hasText: name }).first();
      await expect.poll(() => hit.locator("mark").allTextContents()).toEqual(marks);
    }
  });

  it("has its category in the page's language where that has a label", async () => {
    const { page, input } = await visitBox(site, "/servers");
    for (const [path, query, category] of [
      ["/servers", "infernus", "Sports cars"],
      ["/ru/servers", "infernus", "Спорткары"],
      ["/ru/servers", "quux", "Всякое"],
    ] as const) {
      if (new URL(page.url()).pathname !== path) await page.goto(path);
      await input.fill(query);
      const shown = page.locator(".suggestions").getByText(category, { exact: true }).first();
      await shown.waitFor();
      expect(await shown.getAttribute("lang")).toBeNull();
    }
  });
});
