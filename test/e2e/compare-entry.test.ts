import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { useBrowserSite } from "../helpers/browser.ts";

const site = useBrowserSite();

const SOON = { timeout: 30_000 };
const SPORTS = "/vehicles?category=Sports+cars";

const box = (page: Page, name: string) =>
  page.getByRole("checkbox", { name: `Compare ${name}`, exact: true });
const choice = (page: Page) => page.locator(".compare-chosen");
const go = (page: Page) => page.locator("[data-compare-go]");
const entrySwitch = (page: Page) => page.locator("[data-compare-entry]");
const heads = (page: Page) =>
  page.locator(".compare-table thead th > a:not(.compare-remove)").allTextContents();

const isPressed = (page: Page) => entrySwitch(page).getAttribute("aria-pressed");
const hasFocus = (page: Page) => entrySwitch(page).evaluate((held) => held === document.activeElement);

/** Ticks vehicles in the list of sports cars. */
async function tick(page: Page, ...names: string[]): Promise<void> {
  await page.goto(SPORTS);
  for (const name of names) await box(page, name).check();
}

describe("an entry's own page", () => {
  it("adds the entry to what was ticked, takes it out again, and leads to the comparison and back", async () => {
    const { page, context, complaints } = await site.visit();
    await tick(page, "Infernus", "Cheetah");
    await page.getByRole("link", { name: "Bullet", exact: true }).click();
    await entrySwitch(page).waitFor();
    expect(await choice(page).textContent()).toBe("2 of 4 chosen");
    expect(await isPressed(page)).toBe("false");
    await entrySwitch(page).focus();
    for (const [pressed, said] of [
      ["true", "3 of 4 chosen"],
      ["false", "2 of 4 chosen"],
      ["true", "3 of 4 chosen"],
    ]) {
      await page.keyboard.press("Enter");
      expect(await isPressed(page)).toBe(pressed);
      expect(await choice(page).textContent()).toBe(said);
      expect(await hasFocus(page)).toBe(true);
    }
    await go(page).click();
    await page.waitForURL("**/compare/vehicles?id=*");
    expect(await heads(page)).toEqual(["Infernus", "Cheetah", "Bullet"]);
    await page.getByRole("link", { name: "Choose from the list" }).click();
    await page.waitForURL(`**${SPORTS}`);
    for (const name of ["Infernus", "Cheetah", "Bullet"])
      expect(await box(page, name).isChecked()).toBe(true);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it("begins a choice, whose bar is not there before", async () => {
    const { page, context } = await site.visit();
    await page.goto("/vehicles/411");
    await entrySwitch(page).waitFor();
    expect(await page.locator("[data-compare-alone]").isVisible()).toBe(false);
    expect(await go(page).isVisible()).toBe(false);
    await entrySwitch(page).click();
    expect(await choice(page).textContent()).toBe("1 of 4 chosen");
    await page.getByRole("button", { name: "Clear" }).press("Enter");
    expect(await isPressed(page)).toBe("false");
    expect(await hasFocus(page)).toBe(true);
    expect(await go(page).isVisible()).toBe(false);
    await context.close();
  });

  it("refuses a fifth and says why; there is room for it once another is taken out", async () => {
    const { page, context } = await site.visit();
    await tick(page, "Infernus", "Cheetah", "Banshee", "Bullet");
    await page.goto("/ru/vehicles/400");
    await entrySwitch(page).click();
    expect(await isPressed(page)).toBe("false");
    expect(await choice(page).textContent()).toContain("Больше четырёх нельзя");
    await page.getByRole("button", { name: "Убрать: Cheetah" }).click();
    expect(await choice(page).textContent()).toBe("Выбрано: 3 из 4");
    await entrySwitch(page).click();
    expect(await isPressed(page)).toBe("true");
    await context.close();
  });

  it("shows what has become of the choice meanwhile, where somebody goes back to it", async () => {
    const { page, context } = await site.visit();
    await page.goto("/vehicles/411");
    await entrySwitch(page).click();
    await go(page).click();
    await page.getByRole("link", { name: "Remove Infernus" }).click();
    await page.getByText("Nothing to compare yet").waitFor();
    // After the call has returned: the navigation would take its answer away.
    await page.evaluate(() => void setTimeout(() => history.go(-2)));
    await page.waitForURL("**/vehicles/411");
    await expect.poll(() => isPressed(page), SOON).toBe("false");
    await context.close();
  });

  it("is a link to a comparison of its own without script, and for kinds that are compared only", async () => {
    const { page, context } = await site.visit({ javaScriptEnabled: false });
    await page.goto("/vehicles/411");
    expect(await entrySwitch(page).isVisible()).toBe(false);
    expect(await page.locator(".compare-bar").isVisible()).toBe(false);
    await page.locator("[data-compare-alone]").click();
    await page.waitForURL("**/compare/vehicles?id=411");
    await page.getByRole("link", { name: "Choose from the list" }).click();
    await page.waitForURL("**/vehicles");
    await page.goto("/houses/house-1");
    expect(await page.locator("[data-compare-alone], [data-compare-entry]").count()).toBe(0);
    await context.close();
  });
});

describe("the choice", () => {
  it("is the same in all tabs, at once", async () => {
    const { page, context } = await site.visit();
    await tick(page, "Infernus");
    const other = await context.newPage();
    await other.goto("/vehicles/415");
    await expect.poll(() => choice(other).textContent(), SOON).toBe("1 of 4 chosen");
    await entrySwitch(other).click();
    await expect.poll(() => box(page, "Cheetah").isChecked(), SOON).toBe(true);
    await box(page, "Cheetah").uncheck();
    await expect.poll(() => isPressed(other), SOON).toBe("false");
    await context.close();
  });

  it("is not replaced by somebody else's link until the reader goes on from there", async () => {
    const { page, context } = await site.visit();
    await tick(page, "Infernus", "Cheetah");
    const theirs = "/compare/vehicles?id=429&id=541";
    await page.goto(theirs);
    await page.goto(SPORTS);
    expect(await box(page, "Infernus").isChecked()).toBe(true);
    expect(await box(page, "Banshee").isChecked()).toBe(false);
    await page.goto(theirs);
    await page.getByRole("link", { name: "Choose from the list" }).click();
    await page.waitForURL(`**${SPORTS}`);
    expect(await box(page, "Infernus").isChecked()).toBe(false);
    expect(await box(page, "Banshee").isChecked()).toBe(true);
    await context.close();
  });
});
