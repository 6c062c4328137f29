import { expect, it } from "vitest";
import { useBrowserSite } from "../helpers/browser.ts";
import { searchBox } from "../helpers/search-box.ts";

const site = useBrowserSite();

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

it("lists what is near a page that is not there, whose box has its words and finds them", async () => {
  const { page, context } = await site.visit(PHONE);
  // Pages of errors do not wait for an index, which this site makes at its first search.
  await context.request.get("/api/search/all?q=a");
  await page.goto("/ru/wiki/Los_Santos_One.html");
  expect(await searchBox(page).inputValue()).toBe("Los Santos One");
  await page.locator("main .chips").getByRole("link", { name: "Los Santos One" }).waitFor();
  await page.locator("main form[role=search] button").click();
  await page.waitForURL("**/ru/search?q=Los+Santos+One");
  await page.locator("main .hits").getByRole("link", { name: "Los Santos One" }).click();
  await page.waitForURL("**/ru/servers/ls-one");
  await context.close();
});
