import { beforeAll, describe, expect, it } from "vitest";
import { useBrowserSite } from "../helpers/browser.ts";

const site = useBrowserSite();

/** A new visitor who has typed on the home page and sees what they look for. */
async function visitAndType(letters: string, found: string) {
  const { page, context } = await site.visit();
  await page.goto("/");
  const input = page.getByRole("combobox").first();
  await input.pressSequentially(letters);
  const option = page.getByRole("option", { name: found }).first();
  await option.waitFor();
  return { page, context, input, option };
}

describe("the search box", () => {
  const hostile = '<img src=x onerror="document.title=1"> Quux';

  beforeAll(async () => {
    await site.database.db("items").insert({ id: "hostile", name: hostile });
  });

  it("answers while typing and goes to the result by arrow and Enter", async () => {
    const { page, context, input } = await visitAndType("infer", "Infernus");
    expect(await input.getAttribute("aria-expanded")).toBe("true");
    await input.press("ArrowDown");
    const active = await input.getAttribute("aria-activedescendant");
    expect(await page.locator(`[id="${active}"]`).getAttribute("aria-selected")).toBe("true");
    await input.press("Enter");
    await page.waitForURL("**/vehicles/411");
    await context.close();
  });

  it("answers in Russian", async () => {
    const { page, context } = await site.visit();
    await page.goto("/");
    await page.getByRole("combobox").first().pressSequentially("инферн");
    await page.getByRole("option", { name: "Infernus" }).first().waitFor();
    await context.close();
  });

  it("closes at Escape and keeps what was typed", async () => {
    const { page, context } = await site.visit();
    await page.goto("/");
    const input = page.getByRole("combobox").first();
    await input.pressSequentially("pistol");
    await page.getByRole("option").first().waitFor();
    await input.press("Escape");
    await page.getByRole("listbox").first().waitFor({ state: "hidden" });
    expect(await input.inputValue()).toBe("pistol");
    await context.close();
  });

  it("never shows an older answer over a newer one", async () => {
    const { page, context } = await site.visit();
    await page.route("**/api/search?q=pi&*", async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 700));
      await route.continue().catch(() => undefined);
    });
    await page.goto("/");
    const input = page.getByRole("combobox").first();
    await input.pressSequentially("pi", { delay: 10 });
    await page.waitForTimeout(150);
    await input.fill("infernus");
    await page.getByRole("option", { name: "Infernus" }).first().waitFor();
    await page.waitForTimeout(900);
    expect(await page.getByRole("option").first().textContent()).toContain("Infernus");
    await context.close();
  });

  it("does not open what was chosen among the results of other letters", async () => {
    const { page, context, input } = await visitAndType("infer", "Infernus");
    await page.route("**/api/search?*", (route) => setTimeout(() => route.continue(), 2000));
    await input.press("ArrowDown");
    await input.pressSequentially(" rifle");
    expect(await input.getAttribute("aria-activedescendant")).toBeNull();
    await input.press("Enter");
    await page.waitForURL("**/search?q=infer+rifle");
    await context.close();
  });

  it("takes away what answers other letters when the answer is late", async () => {
    const { page, context, input, option } = await visitAndType("infer", "Infernus");
    await page.route("**/api/search?*", (route) => setTimeout(() => route.continue(), 2000));
    await input.pressSequentially("n");
    await option.waitFor({ state: "hidden", timeout: 1500 });
    await option.waitFor();
    await context.close();
  });

  it("opens again by arrow, and closes when the focus goes on", async () => {
    const { context, input, option } = await visitAndType("infer", "Infernus");
    await input.press("Escape");
    await option.waitFor({ state: "hidden" });
    await input.press("ArrowDown");
    await option.waitFor();
    await input.press("Tab");
    await option.waitFor({ state: "hidden" });
    expect(await input.getAttribute("aria-expanded")).toBe("false");
    await context.close();
  });

  it("is closed on a page that the browser brings back", async () => {
    const { page, context } = await visitAndType("infer", "Infernus");
    await page.evaluate(() => dispatchEvent(new PageTransitionEvent("pagehide", { persisted: true })));
    expect(await page.locator(".suggestions").first().isHidden()).toBe(true);
    await context.close();
  });

  it("shows a name with markup as text", async () => {
    const { page, context } = await site.visit();
    await page.goto("/");
    await page.getByRole("combobox").first().pressSequentially("quux");
    const option = page.getByRole("option").first();
    await option.waitFor();
    expect(await option.textContent()).toContain(hostile);
    expect(await page.title()).not.toBe("1");
    await context.close();
  });

  it("is a plain form where script is blocked", async () => {
    const { page, context } = await site.visit({ javaScriptEnabled: false });
    await page.goto("/");
    await page.locator("main input[name=q]").fill("infernus");
    await page.locator("main form[role=search] button").click();
    await page.waitForURL("**/search?q=infernus");
    await page.locator("main").getByRole("link", { name: "Infernus" }).first().click();
    await page.waitForURL("**/vehicles/411");
    await context.close();
  });
});
