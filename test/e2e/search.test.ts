import { beforeAll, describe, expect, it } from "vitest";
import { useBrowserSite } from "../helpers/browser.ts";
import { searchBox, visitAndType, visitBox } from "../helpers/search-box.ts";

const site = useBrowserSite();

describe("the search box", () => {
  const hostile = '<img src=x onerror="document.title=1"> Quux';

  beforeAll(async () => {
    await site.database.db("items").insert({ id: "hostile", name: hostile });
  });

  it.each(["/search/", "/ru/search/", "/ru/", "/search?q=gun"])("is one at %s", async (path) => {
    const { page, context } = await site.visit();
    await page.goto(path);
    await page.locator("main").getByRole("combobox").first().waitFor();
    expect(await page.locator("form[role=search]").count()).toBe(1);
    await context.close();
  });

  it("answers in Russian", async () => {
    const { page, context, input } = await visitBox(site, "/");
    await input.pressSequentially("инферн");
    await page.getByRole("option", { name: "Infernus" }).first().waitFor();
    await context.close();
  });

  it("shows a name with markup as text", async () => {
    const { page, context, input } = await visitBox(site, "/");
    await input.pressSequentially("quux");
    const option = page.locator(".suggestions [role=option]").first();
    await option.waitFor();
    expect(await option.textContent()).toContain(hostile);
    expect(await page.title()).not.toBe("1");
    await context.close();
  });

  it("marks what was typed, and names things in the page's language first", async () => {
    const { page, context, input } = await visitBox(site, "/ru/items");
    await input.pressSequentially("infer");
    const option = page.getByRole("group", { name: "Транспорт" }).getByRole("option", { name: "Инфернус" });
    // Answers to the first letters may be listed before the last one is typed.
    await expect.poll(() => option.locator("mark").allTextContents()).toEqual(["Infer"]);
    expect(await option.locator(".hit-name").innerText()).toBe("Инфернус Infernus");
    expect(await option.getAttribute("href")).toBe("/ru/vehicles/411");
    await page.getByRole("group", { name: "Транспорт" }).waitFor();
    await context.close();
  });

  it("tells a screen reader how many there are, once nobody types any more", async () => {
    const { page, context, input } = await visitAndType(site, "infernu", "Infernus");
    const status = page.locator("form[role=search] [role=status]");
    expect(await status.textContent()).toBe("");
    await input.pressSequentially("s");
    await expect.poll(() => status.textContent()).toBe("2 results");
    await context.close();
  });

  it("does not tell a screen reader of an answer whose query has been typed on", async () => {
    const { page, context } = await site.visit();
    await page.clock.install();
    await page.goto("/");
    await page.clock.pauseAt(Date.now() + 3_600_000);
    const input = searchBox(page);
    await input.fill("infernu");
    await page.getByRole("option", { name: "Infernus" }).first().waitFor();
    await page.route("**/api/search/all?*", () => undefined);
    await input.press("End");
    await input.press("s");
    await page.clock.runFor(1_000);
    await page.locator(".suggestions", { hasText: "Searching" }).waitFor();
    expect(await page.locator("form[role=search] [role=status]").textContent()).toBe("");
    await context.close();
  });

  it("is closed on a page that the browser brings back", async () => {
    const { page, context } = await visitAndType(site, "infer", "Infernus");
    await page.evaluate(() => dispatchEvent(new PageTransitionEvent("pagehide", { persisted: true })));
    expect(await page.locator(".suggestions").first().isHidden()).toBe(true);
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
