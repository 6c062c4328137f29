import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { useBrowserSite } from "../helpers/browser.ts";

const site = useBrowserSite();

const box = (page: Page, name: string) =>
  page.getByRole("checkbox", { name: `Compare ${name}`, exact: true });
const button = (page: Page) => page.locator("form[data-compare] [data-compare-go]");
const bar = (page: Page) => page.locator(".compare-chosen");
const names = (page: Page) => page.locator(".compare-names li").allTextContents();
const heads = (page: Page) =>
  page.locator(".compare-table thead th > a:not(.compare-remove)").allTextContents();

type LayoutShift = PerformanceEntry & { value: number; hadRecentInput: boolean };

/** The layout shift since the page was opened, as browsers count it (CLS), without immediate reactions to input. */
const layoutShift = (page: Page) =>
  page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        let sum = 0;
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries() as LayoutShift[])
            if (!entry.hadRecentInput) sum += entry.value;
        }).observe({ type: "layout-shift", buffered: true });
        setTimeout(() => resolve(sum), 200);
      }),
  );

describe("comparing with script", () => {
  it("keeps the choice over pages and filters until an entry is removed, and refuses a fifth", async () => {
    const { page, complaints } = await site.visit();
    await page.goto("/vehicles?category=Sports+cars");
    await box(page, "Infernus").check();
    await box(page, "Cheetah").check();
    expect(await bar(page).textContent()).toBe("2 of 4 chosen");
    expect((await names(page)).map((name) => name.trim())).toEqual(["Infernus", "Cheetah"]);
    await page.goto("/vehicles?category=Off-road");
    await box(page, "Landstalker").check();
    await page.goto("/vehicles?category=Sports+cars&page=1");
    expect(await box(page, "Cheetah").isChecked()).toBe(true);
    await box(page, "Banshee").check();
    await box(page, "Bullet").click();
    expect(await box(page, "Bullet").isChecked()).toBe(false);
    expect(await bar(page).textContent()).toBe("You can compare up to four. Remove one to choose another.");
    expect(await button(page).textContent()).toContain("Compare\u00a0(4)");
    expect(await layoutShift(page)).toBe(0);
    await button(page).click();
    await page.waitForURL("**/compare/vehicles?id=*");
    expect(await heads(page)).toEqual(["Infernus", "Cheetah", "Landstalker", "Banshee"]);
    await page.getByRole("link", { name: "Remove Infernus" }).click();
    await expect.poll(() => heads(page)).toEqual(["Cheetah", "Landstalker", "Banshee"]);
    await page.goto("/vehicles?category=Sports+cars");
    expect(await box(page, "Infernus").isChecked()).toBe(false);
    expect(await box(page, "Cheetah").isChecked()).toBe(true);
    await page.getByRole("button", { name: "Clear" }).click();
    expect(await box(page, "Cheetah").isChecked()).toBe(false);
    expect(complaints).toEqual([]);
  });

  it("says after a choice by keyboard that Enter compares, as the button comes after all rows", async () => {
    const { page } = await site.visit();
    await page.goto("/vehicles?category=Sports+cars");
    await box(page, "Infernus").focus();
    await page.keyboard.press("Space");
    expect(await bar(page).textContent()).toBe("1 of 4 chosen");
    await box(page, "Cheetah").focus();
    await page.keyboard.press("Space");
    expect(await bar(page).textContent()).toBe("2 of 4 chosen. Press Enter to compare.");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/compare/vehicles?id=*");
    expect(await heads(page)).toEqual(["Infernus", "Cheetah"]);
  });
});

describe("a comparison of three on a phone", () => {
  it("shows a column that continues past the edge, and scrolls inside the table beside the first column", async () => {
    const { page } = await site.visit({ viewport: { width: 360, height: 844 } });
    await page.goto("/ru/compare/vehicles?id=411&id=415&id=429");
    const table = page.locator(".compare .table-scroll");
    const cut = await table.evaluate((scroll) => {
      const edge = scroll.getBoundingClientRect().right;
      const columns = [...scroll.querySelectorAll("thead th")].map((head) => head.getBoundingClientRect());
      return columns.filter(({ left, right }) => left < edge - 16 && right > edge + 16).length;
    });
    expect(cut).toBe(1);
    const seen = await table.evaluate((scroll) => {
      scroll.scrollLeft = 200;
      const first = scroll.querySelector("tbody th") as HTMLElement;
      return {
        overflow: document.documentElement.scrollWidth - document.documentElement.clientWidth,
        scrolled: scroll.scrollLeft,
        left: Math.round(first.getBoundingClientRect().left - scroll.getBoundingClientRect().left),
      };
    });
    expect(seen.overflow).toBeLessThanOrEqual(0);
    expect(seen.scrolled).toBeGreaterThan(50);
    expect(seen.left).toBeLessThanOrEqual(1);
  });
});

describe("the bar of what is chosen", () => {
  const isOver = (page: Page) =>
    page.locator(".compare-bar").evaluate((held) => getComputedStyle(held).position === "sticky");

  it("is at the end of the list until something is chosen, and never over what has the focus", async () => {
    const { page } = await site.visit();
    await page.goto("/vehicles");
    expect(await isOver(page)).toBe(false);
    const covered = () =>
      page.evaluate(() => {
        const top = document.querySelector(".compare-bar")?.getBoundingClientRect().top ?? 0;
        const focused = document.activeElement?.getBoundingClientRect();
        return (focused?.bottom ?? 0) > top && (focused?.top ?? 0) < innerHeight;
      });
    await box(page, "Admiral").check();
    expect(await isOver(page)).toBe(true);
    expect(
      await page.locator(".compare-bar").evaluate((held) => held.getBoundingClientRect().bottom),
    ).toBeLessThan(721);
    for (let press = 0; press < 50; press++) {
      await page.keyboard.press("Tab");
      expect(await covered()).toBe(false);
    }
    await page.getByRole("button", { name: "Remove Admiral" }).click();
    expect(await isOver(page)).toBe(false);
    expect(await box(page, "Admiral").isChecked()).toBe(false);
  });

  it("ignores invalid stored choices, and lets entries be removed that no list has any more", async () => {
    const { page, complaints } = await site.visit();
    await page.goto("/vehicles?q=infernus");
    const store = (value: unknown) =>
      page.evaluate((text) => localStorage.setItem("compare.vehicles", text), JSON.stringify(value));
    const infernus = [{ id: "411", name: "Infernus" }];
    for (const junk of [
      null,
      infernus,
      { chosen: infernus },
      { at: Date.now() - 25 * 3_600_000, chosen: infernus },
      ...[
        [null],
        [1, 2],
        { id: "411" },
        [{ id: 411, name: "Infernus" }, { id: "415" }, { id: "", name: "" }],
      ].map((chosen) => ({ at: Date.now(), chosen })),
    ]) {
      await store(junk);
      await page.reload();
      expect(await bar(page).textContent()).toBe("Choose up to four to compare.");
    }
    const gone = ["a", "b", "c", "d"].map((id) => ({ id: `gone-${id}`, name: `Gone ${id}` }));
    await store({ at: Date.now(), chosen: [null, gone[0], gone[0], ...gone] });
    await page.reload();
    expect(await names(page)).toHaveLength(4);
    await page.getByRole("button", { name: "Remove Gone b" }).press("Enter");
    expect(
      await page
        .getByRole("button", { name: "Remove Gone a" })
        .evaluate((held) => held === document.activeElement),
    ).toBe(true);
    await box(page, "Infernus").check();
    expect(await bar(page).textContent()).toBe("4 of 4 chosen");
    expect(complaints).toEqual([]);
  });
});

describe("comparing without script", () => {
  it("sends the boxes by the button", async () => {
    const { page } = await site.visit({ javaScriptEnabled: false });
    await page.goto("/vehicles?category=Sports+cars");
    await box(page, "Infernus").check();
    await box(page, "Cheetah").check();
    await button(page).click();
    await page.waitForURL("**/compare/vehicles?id=*");
    expect((await heads(page)).sort()).toEqual(["Cheetah", "Infernus"]);
  });
});

describe("filtering a list", () => {
  const option = (page: Page, legend: string, name: string) =>
    page.getByRole("group", { name: legend }).getByRole("checkbox", { name: new RegExp(`^${name}\\b`) });
  const count = (page: Page) => page.locator(".list-bar .kind").textContent();
  const announced = (page: Page) => page.locator("#list-status").textContent();

  it("shows the matches at once, in the address too, keeps the focus and counts them", async () => {
    const { page, complaints } = await site.visit();
    await page.goto("/vehicles");
    await page.evaluate(() => Object.assign(window, { isSamePage: true }));
    await option(page, "Seats", "4").focus();
    await page.keyboard.press("Space");
    await page.waitForURL("**/vehicles?a.seats=4");
    await expect.poll(() => announced(page)).toBe("48 vehicles");
    expect(await count(page)).toBe("48 vehicles");
    expect(await option(page, "Seats", "4").evaluate((field) => field === document.activeElement)).toBe(true);
    await page.getByRole("group", { name: "Price" }).getByLabel("To").fill("20 000");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/vehicles?a.seats=4&max.price=20+000");
    expect(await page.getByRole("group", { name: "Price" }).getByLabel("To").inputValue()).toBe("20 000");
    await page.goBack();
    await expect.poll(() => count(page)).toBe("48 vehicles");
    expect(await page.evaluate(() => "isSamePage" in window)).toBe(true);
    expect(complaints).toEqual([]);
  });
});

const SOON = { timeout: 30_000 };
const SPORTS = "/vehicles?category=Sports+cars";

const choice = (page: Page) => page.locator(".compare-chosen");
const go = (page: Page) => page.locator("[data-compare-go]");
const entrySwitch = (page: Page) => page.locator("[data-compare-entry]");

const isPressed = (page: Page) => entrySwitch(page).getAttribute("aria-pressed");
const hasFocus = (page: Page) => entrySwitch(page).evaluate((held) => held === document.activeElement);

/** Ticks vehicles in the list of sports cars. */
async function tick(page: Page, ...names: string[]): Promise<void> {
  await page.goto(SPORTS);
  for (const name of names) await box(page, name).check();
}

describe("an entry's own page", () => {
  it("adds the entry to the choice, removes it, leads to the comparison and back, and refuses a fifth", async () => {
    const { page, complaints } = await site.visit();
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
    await box(page, "Banshee").check();
    await page.goto("/ru/vehicles/400");
    await entrySwitch(page).click();
    expect(await isPressed(page)).toBe("false");
    expect(await choice(page).textContent()).toContain("Больше четырёх нельзя");
    await page.getByRole("button", { name: "Убрать: Cheetah" }).click();
    expect(await choice(page).textContent()).toBe("Выбрано: 3 из 4");
    await entrySwitch(page).click();
    expect(await isPressed(page)).toBe("true");
    expect(complaints).toEqual([]);
  });

  it("begins a choice, whose bar appears with it, and shows on the way back that it was removed", async () => {
    const { page } = await site.visit();
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
    await entrySwitch(page).click();
    await go(page).click();
    await page.getByRole("link", { name: "Remove Infernus" }).click();
    await page.getByText("Nothing to compare yet").waitFor();
    // After the call has returned: the navigation would take its answer away.
    await page.evaluate(() => void setTimeout(() => history.go(-2)));
    await page.waitForURL("**/vehicles/411");
    await expect.poll(() => isPressed(page), SOON).toBe("false");
  });

  it("has a link to a comparison of its own instead of the switch without script", async () => {
    const { page } = await site.visit({ javaScriptEnabled: false });
    await page.goto("/vehicles/411");
    expect(await entrySwitch(page).isVisible()).toBe(false);
    expect(await page.locator(".compare-bar").isVisible()).toBe(false);
    await page.locator("[data-compare-alone]").click();
    await page.waitForURL("**/compare/vehicles?id=411");
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
  });

  it("is not replaced by somebody else's link until the reader goes on from there", async () => {
    const { page } = await site.visit();
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
  });
});
