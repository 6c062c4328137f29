import { describe, expect, it } from "vitest";
import { useBrowserSite } from "../helpers/browser.ts";
import { visitAndType, visitBox } from "../helpers/search-box.ts";

const site = useBrowserSite();

describe("the search box by the keyboard", () => {
  it("answers while typing and goes to the result by arrow and Enter", async () => {
    const { page, context, input } = await visitAndType(site, "infer", "Infernus");
    expect(await input.getAttribute("aria-expanded")).toBe("true");
    await input.press("ArrowDown");
    const active = await input.getAttribute("aria-activedescendant");
    expect(await page.locator(`[id="${active}"]`).getAttribute("aria-selected")).toBe("true");
    await input.press("Enter");
    await page.waitForURL("**/vehicles/411");
    await context.close();
  });

  it("closes at Escape and keeps what was typed", async () => {
    const { page, context, input } = await visitBox(site, "/");
    await input.fill("pistol");
    await page.locator(".suggestions [role=option]").first().waitFor();
    await input.press("Escape");
    await page.getByRole("listbox").first().waitFor({ state: "hidden" });
    expect(await input.inputValue()).toBe("pistol");
    await context.close();
  });

  it("closes at Escape, and empties at the next", async () => {
    const { context, input, option } = await visitAndType(site, "infer", "Infernus");
    await input.press("Escape");
    await option.waitFor({ state: "hidden" });
    expect(await input.inputValue()).toBe("infer");
    await input.press("Escape");
    expect(await input.inputValue()).toBe("");
    await context.close();
  });

  it("opens again by arrow, and closes when the focus goes on", async () => {
    const { context, input, option } = await visitAndType(site, "infer", "Infernus");
    await input.press("Escape");
    await option.waitFor({ state: "hidden" });
    await input.press("ArrowDown");
    await option.waitFor();
    await input.press("Tab");
    await option.waitFor({ state: "hidden" });
    expect(await input.getAttribute("aria-expanded")).toBe("false");
    await context.close();
  });

  it("leaves Home, End and the arrows to the side to the text", async () => {
    const { context, input } = await visitAndType(site, "infer", "Infernus");
    await input.press("ArrowDown");
    expect(await input.getAttribute("aria-activedescendant")).not.toBeNull();
    await input.press("Home");
    expect(await input.getAttribute("aria-activedescendant")).toBeNull();
    expect(await input.evaluate((element) => (element as HTMLInputElement).selectionStart)).toBe(0);
    await context.close();
  });

  it("shows the text of the other keyboard layout, and links to all results", async () => {
    const { page, context, input } = await visitAndType(site, "byathyec", "Infernus");
    await page.getByText("Did you mean “инфернус”?").first().waitFor();
    await page.getByRole("option", { name: "All results for “byathyec”" }).waitFor();
    await input.press("ArrowUp");
    await input.press("Enter");
    await page.waitForURL("**/search?q=byathyec");
    await context.close();
  });

  it("is reached by / and Ctrl-K, and leaves / to who types", async () => {
    const { page, context, input } = await visitBox(site, "/vehicles/411");
    expect(await input.getAttribute("aria-keyshortcuts")).toBe("/ Control+K Meta+K");
    await page.keyboard.press("/");
    expect(await input.evaluate((element) => element === document.activeElement)).toBe(true);
    await page.keyboard.type("a/b");
    expect(await input.inputValue()).toBe("a/b");
    await page.keyboard.press("Control+k");
    expect(await input.evaluate((element) => (element as HTMLInputElement).selectionEnd)).toBe(3);
    await context.close();
  });

  it("leaves / to others where that was chosen", async () => {
    const { page, context, input } = await visitBox(site, "/search");
    await page.getByLabel("The / key opens search on any page").uncheck();
    await page.goto("/vehicles");
    await page.keyboard.press("/");
    expect(await input.evaluate((element) => element === document.activeElement)).toBe(false);
    await page.keyboard.press("Control+k");
    expect(await input.evaluate((element) => element === document.activeElement)).toBe(true);
    await context.close();
  });
});
