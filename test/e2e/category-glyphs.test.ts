import { wcagContrast } from "culori";
import type { Page } from "playwright-core";
import { beforeAll, expect, it } from "vitest";
import { useBrowserSite } from "../helpers/browser.ts";
import { faultsByAxe } from "./page-faults.ts";

const site = useBrowserSite();

beforeAll(async () => {
  await site.database.db("items").where({ category: "Melee weapons" }).update({ picture: null });
});

/** The drawings in place of pictures: their names, colours and grounds. */
async function drawings(page: Page, within: string) {
  return page.locator(`${within} span.thumb`).evaluateAll((thumbs) =>
    thumbs.map((thumb) => {
      const { color, backgroundColor } = getComputedStyle(thumb);
      const { width, height } = thumb.getBoundingClientRect();
      return {
        name: thumb.querySelector("use")?.getAttribute("href")?.split("#")[1],
        color,
        backgroundColor,
        isSquare: width === height && width > 0,
      };
    }),
  );
}

it.each(["light", "dark"] as const)(
  "categories have their drawings in a colour that can be seen, %s",
  async (colorScheme) => {
    const { page, context, complaints } = await site.visit({ colorScheme });
    await page.goto("/en/items?category=Melee+weapons", { waitUntil: "networkidle" });
    const found = await drawings(page, "main");
    expect(found.length).toBeGreaterThan(5);
    for (const { name, color, backgroundColor, isSquare } of found) {
      expect(name).toBe("sword");
      expect(wcagContrast(color, backgroundColor)).toBeGreaterThan(4.5);
      expect(isSquare).toBe(true);
    }
    expect(await faultsByAxe(page, [colorScheme])).toEqual([]);
    expect(complaints).toEqual([]);
    await context.close();
  },
);

it("the search box draws them beside what it finds, as its page does", async () => {
  const { page, context, complaints } = await site.visit();
  await page.goto("/en/items", { waitUntil: "networkidle" });
  await page.locator("header input[type=search], .search-box input").first().fill("katana");
  await page.locator("[role=listbox] span.thumb").first().waitFor();
  const [first] = await drawings(page, "[role=listbox]");
  expect(first?.name).toBe("sword");
  await page.goto("/en/items?category=Melee+weapons&q=katana", { waitUntil: "networkidle" });
  const [listed] = await drawings(page, "main");
  expect(first?.color).toBe(listed?.color);
  expect(complaints).toEqual([]);
  await context.close();
});
