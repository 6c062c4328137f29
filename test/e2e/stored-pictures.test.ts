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
  ])("%s is valid, keeps still and can be read by everybody", async (address) => {
    const { page, context, complaints } = await site.visit();
    await watchShifts(context);
    const faults: string[] = [];
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 844 });
      const answer = await gotoSettled(page, address);
      const source = (await answer?.text()) ?? "";
      expect(source).toContain("/pictures/");
      // A picture's shape changes neither its markup nor its colours.
      if (width === 1280) faults.push(...(await faultsOfHtml(source)), ...(await faultsByAxe(page)));
      faults.push(...(await shiftsEachTime(page)));
      faults.push(...(await faultsOfReflow(page, width)));
    }
    await context.close();
    expect([...faults, ...complaints]).toEqual([]);
  });

  it("shows a picture above the facts where there are two columns, else below the name", async () => {
    const { page, context } = await site.visit();
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
    await context.close();
  });
});
