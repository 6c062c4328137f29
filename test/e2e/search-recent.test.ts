import { describe, expect, it } from "vitest";
import { useBrowserSite } from "../helpers/browser.ts";
import { searchBox, visitBox } from "../helpers/search-box.ts";

const site = useBrowserSite();

describe("what was searched for and opened last", () => {
  it("is listed while the box is empty, in the page's language, and can be cleared", async () => {
    const { page, context, input } = await visitBox(site, "/");
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
    await context.close();
  });

  it("is at most eight, newest first", async () => {
    const { page, context, input } = await visitBox(site, "/servers");
    for (const q of ["a", "b", "c", "d", "e", "f", "g", "h", "i", "b"]) {
      await input.fill(q);
      await input.press("Enter");
      await page.waitForURL(`**/search?q=${q}`);
    }
    const kept = await page.evaluate(() => JSON.parse(localStorage.getItem("search-recent") ?? ""));
    expect(kept.map(({ q }: { q: string }) => q).join("")).toBe("bihgfedc");
    await context.close();
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
    const { page, context, complaints } = await site.visit();
    await page.addInitScript(before);
    await page.goto("/servers");
    const input = searchBox(page);
    await input.focus();
    expect(await page.locator(".suggestions").isVisible()).toBe(false);
    await input.pressSequentially("infer");
    await page.getByRole("option", { name: "Infernus" }).first().click();
    await page.waitForURL("**/vehicles/411");
    expect(complaints).toEqual([]);
    await context.close();
  });
});

describe("a kind that the site does not have", () => {
  it.each(["constructor", "toString", "boats", undefined])("%s is not named", async (kind) => {
    const { page, context, input } = await visitBox(site, "/servers");
    const kept = JSON.stringify([{ path: "/items/1", name: "Deer", kind }]);
    await page.evaluate((kept) => localStorage.setItem("search-recent", kept), kept);
    await input.focus();
    const option = page.getByRole("option", { name: "Deer" });
    await option.waitFor();
    expect(await option.innerText()).toBe("Deer");
    await context.close();
  });
});
