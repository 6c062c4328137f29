import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { register, useBrowserSite } from "../helpers/browser.ts";

const site = useBrowserSite();

const makeButton = (page: Page) => page.locator('form[action="/profile/keys"] button');

async function keysOf(name: string): Promise<string[]> {
  const { db } = site.database;
  const { id } = await db("users").where({ name }).first("id");
  return db("api_keys").where({ user_id: id }).pluck("name");
}

async function openForm(page: Page, name: string): Promise<void> {
  await page.goto("/profile/keys");
  await page.getByLabel("Name", { exact: true }).fill(name);
}

describe("the button that creates an API key", () => {
  it("sends the form once, however often the button is pressed", async () => {
    const { page } = await site.visit();
    await register(page, "presser");
    await openForm(page, "my bot");
    const sent = await makeButton(page).evaluate((button: HTMLElement) => {
      let taken = 0;
      addEventListener("submit", (event) => {
        if (!event.defaultPrevented) taken += 1;
      });
      button.click();
      button.click();
      return taken;
    });
    expect(sent).toBe(1);
    await page.locator("#new-key").waitFor();
  });

  it.each([true, false])("creates one by a double click; script: %s", async (javaScriptEnabled) => {
    const name = `doubler ${javaScriptEnabled}`;
    const { page } = await site.visit({ javaScriptEnabled });
    await register(page, name);
    await openForm(page, "my bot");
    await makeButton(page).dblclick();
    const key = page.locator("#new-key");
    // Without script the second answer may replace the first: it explains what to do.
    const isTold = page.getByText("The key “my bot” was already created");
    await (javaScriptEnabled ? key : key.or(isTold)).waitFor();
    expect(await keysOf(name)).toEqual(["my bot"]);
  });

  it("creates no second one by a reload or on the way back", async () => {
    const name = "reloader";
    const { page } = await site.visit();
    await register(page, name);
    await openForm(page, "my bot");
    await makeButton(page).click();
    const key = (await page.locator("#new-key").textContent()) ?? "none";
    await page.reload();
    await page.getByText("The key “my bot” was already created").waitFor();
    expect(await page.content()).not.toContain(key);
    expect(await keysOf(name)).toEqual(["my bot"]);
    await openForm(page, "second bot");
    await makeButton(page).click();
    await page.locator("#new-key").waitFor();
    await page.goBack();
    await page.getByLabel("Name", { exact: true }).fill("third bot");
    await makeButton(page).click();
    // Whether the browser shows the form as it was or asks for a new one is its own business.
    const again = page.getByText("This form has already created the key “second bot” already.");
    await again.or(page.locator("#new-key")).waitFor();
    if (await again.isVisible()) {
      expect(await page.getByLabel("Name", { exact: true }).inputValue()).toBe("third bot");
      await makeButton(page).click();
      await page.locator("#new-key").waitFor();
    }
    expect((await keysOf(name)).sort()).toEqual(["my bot", "second bot", "third bot"]);
  });
});
