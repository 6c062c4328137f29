import { wcagContrast } from "culori";
import type { Page } from "playwright-core";
import sharp from "sharp";
import { beforeAll, describe, expect, it } from "vitest";
import { keep } from "../../src/records/pictures/collect.ts";
import { DatabaseStore } from "../../src/records/pictures/store.ts";
import { useBrowserSite } from "../helpers/browser.ts";
import { faultsByAxe, faultsOfHtml, faultsOfReflow, watchShifts } from "./page-faults.ts";
import { shiftsEachTime } from "./page-quality.ts";
import { gotoSettled } from "./settled.ts";

const site = useBrowserSite();

/** As imports bring them: wide, tall, and smaller than its place. */
const SHAPES = { "weapon-24": [512, 160], "weapon-22": [180, 512], "weapon-23": [48, 48] } as const;

beforeAll(async () => {
  const { db } = site.database;
  const store = new DatabaseStore(db);
  for (const [id, [width, height]] of Object.entries(SHAPES)) {
    const drawn = sharp({ create: { width, height, channels: 3, background: "#3d6b8f" } });
    const picture = await keep(await drawn.webp().toBuffer(), `${id}.webp`, store);
    expect(await db("items").where({ id }).update({ picture, image: null })).toBe(1);
  }
});

describe("pages with pictures of every shape", () => {
  it.each([
    "/items?q=9mm",
    "/items/weapon-24",
    "/items/weapon-22",
    "/items/weapon-23",
    "/compare/items?id=weapon-24&id=weapon-22&id=weapon-23",
    "/search?q=eagle",
  ])("have no faults on %s", async (address) => {
    const { page, context, complaints } = await site.visit({ viewport: { width: 390, height: 844 } });
    await watchShifts(context);
    const answer = await gotoSettled(page, address);
    const source = (await answer?.text()) ?? "";
    expect(source).toContain("/pictures/");
    const faults = [...(await faultsOfHtml(source)), ...(await shiftsEachTime(page))];
    for (const width of [390, 1280]) faults.push(...(await faultsOfReflow(page, width)));
    // A picture's shape changes no colour.
    faults.push(...(await faultsByAxe(page, ["light"])));
    expect([...faults, ...complaints]).toEqual([]);
  });

  it("show a picture above the facts if there are two columns, else below the name", async () => {
    const { page } = await site.visit();
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 844 });
      await gotoSettled(page, "/items/weapon-22");
      const boxOf = async (selector: string) => {
        const box = await page.locator(selector).first().boundingBox();
        if (box === null) throw new Error(`no ${selector}`);
        return { ...box, bottom: box.y + box.height };
      };
      const [picture, main, facts] = [
        await boxOf(".entry-image img"),
        await boxOf(".split > .stack"),
        await boxOf("aside .panel"),
      ];
      expect(picture.bottom).toBeLessThan(facts.y);
      if (width === 1280) {
        expect(picture.x).toBeCloseTo(facts.x, 0);
        expect(Math.abs(picture.y - main.y)).toBeLessThan(1);
      } else expect(picture.bottom).toBeLessThan(main.y);
    }
  });
});

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

it("categories have their drawings in a colour that is visible in both themes", async () => {
  const { page, complaints } = await site.visit();
  await page.goto("/en/items?category=Melee+weapons");
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    const found = await drawings(page, "main");
    expect(found.length).toBeGreaterThan(5);
    for (const { name, color, backgroundColor, isSquare } of found) {
      expect(name).toBe("sword");
      expect(wcagContrast(color, backgroundColor)).toBeGreaterThan(4.5);
      expect(isSquare).toBe(true);
    }
  }
  expect(complaints).toEqual([]);
});

it("the search box shows the same drawings beside its results as lists do", async () => {
  const { page, complaints } = await site.visit();
  await page.goto("/en/nicknames");
  await page.locator("header input[type=search], .search-box input").first().fill("katana");
  await page.locator("[role=listbox] span.thumb").first().waitFor();
  const [first] = await drawings(page, "[role=listbox]");
  expect(first?.name).toBe("sword");
  await page.goto("/en/items?category=Melee+weapons&q=katana");
  const [listed] = await drawings(page, "main");
  expect(first?.color).toBe(listed?.color);
  expect(complaints).toEqual([]);
});
