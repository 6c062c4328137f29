import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { useBrowserSite } from "../helpers/browser.ts";

const site = useBrowserSite();

const generated = (page: Page) => page.locator("[data-nicknames] code");
const kept = (page: Page) => page.locator("[data-kept] code");

async function open(path = "/nicknames", options = {}) {
  const { page, context, complaints } = await site.visit(options);
  await page.goto(path);
  return { page, context, complaints };
}

describe("nicknames", () => {
  it("change with every option without a page load, and their address keeps the options", async () => {
    const { page } = await open();
    await page.evaluate(() => Object.assign(window, { isSamePage: true }));
    await page.getByLabel("Country").selectOption("ru");
    await page.getByLabel("First name").fill("Иван");
    await expect.poll(() => generated(page).first().textContent()).toMatch(/^Ivan_/);
    await page.getByRole("link", { name: "24: " }).click();
    await expect.poll(() => page.url()).toContain("max_len=24");
    await page
      .getByRole("link", { name: "24: ", exact: false })
      .and(page.locator("[aria-current]"))
      .waitFor();
    expect(await page.getByLabel("Longest", { exact: true }).inputValue()).toBe("24");
    expect(await page.getByLabel("Longest, slider").inputValue()).toBe("24");

    const before = await generated(page).allTextContents();
    await page.getByRole("button", { name: "Generate again" }).click();
    await expect.poll(() => generated(page).allTextContents()).not.toEqual(before);
    expect(await page.evaluate(() => "isSamePage" in window)).toBe(true);

    await page.goto(page.url());
    expect(await generated(page).first().textContent()).toMatch(/^Ivan_/);
    expect(await page.getByLabel("Country").inputValue()).toBe("ru");
    await page.getByLabel("First name").fill("");
    await page.getByLabel("Longest, slider").fill("9");
    await expect
      .poll(async () => (await generated(page).allTextContents()).every((name) => name.length <= 9))
      .toBe(true);
    await page.getByLabel("Shortest, slider").fill("15");
    expect(await page.getByLabel("Longest", { exact: true }).inputValue()).toBe("15");
    await expect
      .poll(async () => (await generated(page).allTextContents()).every((name) => name.length === 15))
      .toBe(true);
  });

  it("are replaced by the reason beside a refused name, and return once it is corrected", async () => {
    const { page } = await open("/ru/nicknames");
    await page.locator("#first").fill("R2D2");
    await page
      .locator(".field-error")
      .getByText("Имя: можно использовать только буквы, без цифр (2).")
      .waitFor();
    expect(await page.locator("#first").getAttribute("aria-invalid")).toBe("true");
    expect(await page.locator("#first").evaluate((element) => element === document.activeElement)).toBe(true);
    expect(await generated(page).count()).toBe(0);
    await page.locator("#first").fill("Rita");
    await expect.poll(() => generated(page).first().textContent()).toMatch(/^Rita_/);
    expect(await page.locator("#first").getAttribute("aria-invalid")).toBeNull();
    expect(await page.locator(".field-error").count()).toBe(0);
  });

  it("are copied one by one or all at once", async () => {
    const { page } = await open("/nicknames", {
      permissions: ["clipboard-read", "clipboard-write"],
    });
    const names = await generated(page).allTextContents();
    await page.getByRole("button", { name: `Copy ${names[1]}` }).click();
    await page.getByText(`Copied: ${names[1]}`).waitFor();
    const clipboard = () => page.evaluate(() => navigator.clipboard.readText());
    expect(await clipboard()).toBe(names[1]);
    await page.getByRole("button", { name: "Copy all" }).first().click();
    await page.getByText("10 nicknames copied.").waitFor();
    expect(await clipboard()).toBe(names.join("\n"));
  });

  it("are kept through new names, another language and a page load, until they are removed", async () => {
    const { page } = await open();
    const [first = "", second = ""] = await generated(page).allTextContents();
    await page.getByRole("button", { name: `Keep ${first}` }).click();
    await page.getByRole("button", { name: `Keep ${second}` }).click();
    await page.getByLabel("Country").selectOption("jp");
    await expect.poll(() => page.url()).toContain("country=jp");
    expect(await kept(page).allTextContents()).toEqual([first, second]);
    await page.goto("/ru/nicknames");
    expect(await kept(page).allTextContents()).toEqual([first, second]);
    expect(await page.getByRole("button", { name: `Оставить ${first}` }).getAttribute("aria-pressed")).toBe(
      "true",
    );
    await page.getByRole("button", { name: `Убрать ${first}` }).click();
    expect(await kept(page).allTextContents()).toEqual([second]);
    // Focus goes on to the next one rather than to the beginning of the page.
    const focused = () =>
      page.evaluate(() => document.activeElement?.textContent?.replace(/\s+/g, " ").trim());
    expect(await focused()).toBe(`Убрать ${second}`);
    await page.keyboard.press("Enter");
    expect(await page.locator("[data-kept]").isVisible()).toBe(false);
    expect(await focused()).toContain("Оставить");
  });

  it("come from a plain form if script is blocked", async () => {
    const { page } = await open("/nicknames", { javaScriptEnabled: false });
    expect(await page.getByLabel("Longest, slider").isVisible()).toBe(false);
    await page.locator("#first").fill("Ada");
    await page.locator("#max_len").fill("12");
    await page.getByRole("button", { name: "Generate" }).click();
    await page.waitForURL(/first=Ada/);
    for (const name of await generated(page).allTextContents()) expect(name).toMatch(/^Ada_.{2,8}$/);
    await page.getByRole("link", { name: "24: " }).click();
    await page.waitForURL(/max_len=24/);
    expect(await page.locator("#first").inputValue()).toBe("Ada");
  });
});
