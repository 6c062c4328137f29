import { describe, expect, it } from "vitest";
import { searchableKinds } from "../../src/words/kinds/searchable-kinds.ts";
import { useBrowserSite } from "../helpers/browser.ts";
import { visitBox } from "../helpers/search-box.ts";

const site = useBrowserSite();

/** All the lists of an answer, one with what is no hit. */
const NO_HITS = JSON.stringify({
  ...Object.fromEntries(searchableKinds().map((kind) => [kind, []])),
  items: [null],
});

describe("without answers", () => {
  it("says that there is no network, lists what was searched for, and goes on when it is back", async () => {
    const { page, context, input } = await visitBox(site, "/servers");
    await page.evaluate(() => localStorage.setItem("search-recent", '[{"q":"rifle"}]'));
    await context.setOffline(true);
    await input.pressSequentially("infer");
    await page.getByText("You’re offline: only recent searches are available.").first().waitFor();
    expect(await page.locator(".suggestions [role=option]").allInnerTexts()).toEqual(["rifle", "Clear list"]);
    await context.setOffline(false);
    await page.getByRole("option", { name: "Infernus" }).first().waitFor();
    await context.close();
  });

  it("says so of a request that nothing answers, which is not always the device's network", async () => {
    const { page, context, input } = await visitBox(site, "/servers");
    await page.route("**/api/search/all?*", (route) => route.abort("connectionrefused"));
    await input.pressSequentially("infer");
    await page.getByText("The site isn’t responding: only recent searches are available.").first().waitFor();
    await context.close();
  });

  it.each([429, 503])("says quietly that there are none at status %i", async (status) => {
    const { page, context, input } = await visitBox(site, "/servers");
    await page.route("**/api/search/all?*", (route) => route.fulfill({ status, body: "{}" }));
    await input.pressSequentially("infer");
    await page.getByText("Suggestions aren’t available right now").first().waitFor();
    await context.close();
  });

  it.each([
    ["JSON of something else", '{"message":"hello"}'],
    ["null", "null"],
    ["hits that are none", NO_HITS],
    ["a page of HTML", "<!doctype html><title>Log in to this Wi-Fi</title>"],
  ])("says the same of %s in their place, each time", async (_, body) => {
    const { page, context, complaints, input } = await visitBox(site, "/servers");
    await page.route("**/api/search/all?*", (route) => route.fulfill({ status: 200, body }));
    await input.pressSequentially("infer");
    const line = page.getByText("Suggestions aren’t available right now").first();
    await line.waitFor();
    await input.press("Escape");
    await line.waitFor({ state: "hidden" });
    await input.press("ArrowDown");
    await line.waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });
});
