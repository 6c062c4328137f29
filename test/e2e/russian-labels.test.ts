import { expect, it } from "vitest";
import { useBrowserSite } from "../helpers/browser.ts";
import { PAGE_TYPES } from "../helpers/page-types.ts";
import { foreignTexts } from "./foreign-texts.ts";

const site = useBrowserSite();

/**
 * Names, which nobody translates: of the site, of programs, of shops and models, of currencies beside an amount, of the
 * servers on the home page; and what is left of a name beside the marked letters.
 */
const NAMES =
  /^((Los )?Santos (One|Two)|Los|SA-MP|San Andreas Brasil|Las Venturas Nights|Grove Role Play|Ciudad Libre|Wybrzeże|tomic|Almanac|API|ID|JavaScript|Lua|Pawn|Python|scripts\.example\.com|[\d\s,]+ EUR|[A-Z]{2,3}(-\d+)?)$/;
/** Servers and nicknames are names themselves, and the references of the API and of cards name what stands in code. */
const PAGES = PAGE_TYPES.filter(
  ({ reader, name }) => reader === "visitor" && !/^(server|nicknames|docs)/.test(name),
);

it("Russian pages of the demo have no label in English", async () => {
  const { page, context } = await site.visit();
  const found: Record<string, string[]> = {};
  for (const { name, path } of PAGES) {
    await page.goto(`/ru${path}`);
    const texts = await foreignTexts(page, NAMES);
    if (texts.length > 0) found[name] = texts;
  }
  await context.close();
  expect(found).toEqual({});
});
