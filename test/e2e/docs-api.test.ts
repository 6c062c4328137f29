import { describe, expect, it } from "vitest";
import { createKey } from "../../src/accounts/keys/queries.ts";
import { createUser } from "../../src/accounts/queries.ts";
import { useBrowserSite } from "../helpers/browser.ts";
import { addWriteKey } from "../helpers/write-keys.ts";

const site = useBrowserSite();

const section = '[data-operation="listOnline"]';

describe("the API's page", () => {
  it("tries a call with the user's key, which gets into no address and no storage", async () => {
    const { db } = site.database;
    const user = await createUser(db, { name: "api-reader", password: "the password of a test" });
    const key = String(await createKey(db, Number(user), { name: "a key", expiry: "never" }));
    const { page, complaints } = await site.visit();
    const addresses: string[] = [];
    page.on("request", (request) => void addresses.push(request.url()));
    await page.goto("/en/docs/api#listOnline");
    const one = page.locator(section);
    await one.locator("summary", { hasText: "Try it" }).click();
    await one.getByRole("button", { name: /^Send/ }).click();
    expect(await one.locator("[role=status]").innerText()).toBe(
      "Enter your API key at the top of the page first.",
    );
    await page.keyboard.type(key);
    await one.getByRole("button", { name: /^Send/ }).click();
    await one.locator(".docs-try pre").waitFor();
    expect(await one.locator("[role=status]").innerText()).toMatch(/^200 in \d+ ms$/);
    const answer = JSON.parse(await one.locator(".docs-try pre").innerText());
    expect(answer.servers.length).toBeGreaterThan(0);
    expect(addresses.join(" ")).not.toContain(key);
    expect(page.url()).not.toContain(key);
    const stored = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]));
    expect(stored).not.toContain(key);
    expect(complaints).toEqual([]);
  });

  it("sends a write with the changed body, and the key to no other site", async () => {
    const { db } = site.database;
    const user = await createUser(db, { name: "api-writer", password: "the password of a test" });
    const { key } = await addWriteKey(db, Number(user));
    const { page } = await site.visit();
    const elsewhere: string[] = [];
    page.on("request", (request) => {
      if (!request.url().startsWith(site.url)) elsewhere.push(request.url());
    });
    await page.goto("/en/docs/api#putRecordOfItems");
    await page.getByLabel("Your API key").fill(key);
    const one = page.locator('[data-operation="putRecordOfItems"]');
    await one.locator("summary", { hasText: "Try it" }).click();
    const [address, body] = [one.getByLabel("Address"), one.getByLabel("Body")];
    const status = one.locator("[role=status]");
    await address.fill("https://elsewhere.example/api/items/tried");
    await one.getByRole("button", { name: /^Send/ }).click();
    expect(await status.innerText()).toBe("You can only try addresses on this site.");
    await address.fill("/api/items/tried");
    await body.fill('{"name": ');
    await one.getByRole("button", { name: /^Send/ }).click();
    await expect.poll(() => status.innerText()).toMatch(/^400 in \d+ ms$/);
    await body.fill('{"id": "tried", "name": "Tried by a reader"}');
    await body.blur();
    await one.getByRole("button", { name: /^Send/ }).click();
    await expect.poll(() => status.innerText()).toMatch(/^201 in \d+ ms$/);
    expect(await db("items").where({ id: "tried" }).pluck("name")).toEqual(["Tried by a reader"]);
    expect(elsewhere).toEqual([]);
    await db("items").where({ id: "tried" }).delete();
  });

  it.each([true, false])(
    "unfolds what is looked for, and has tools for scripts only; script: %s",
    async (javaScriptEnabled) => {
      const { page } = await site.visit({ javaScriptEnabled });
      await page.goto("/en/docs/api");
      const one = page.locator(section);
      const [name, content] = [one.getByRole("heading"), one.locator(".endpoint-content")];
      const isInSight = () =>
        name.evaluate((heading) => {
          const { top, bottom } = heading.getBoundingClientRect();
          return top >= 0 && bottom <= innerHeight;
        });
      expect(await content.isVisible()).toBe(false);
      const count = await page.locator("[data-operation]").count();
      // Five screens of a desktop hold the introduction; an operation is its name and what it does.
      expect(await page.evaluate(() => document.body.scrollHeight)).toBeLessThan(5 * 900 + count * 110);
      await page.locator('.docs-contents a[href="#listOnline"]').click();
      expect([await content.isVisible(), await isInSight()]).toEqual([true, true]);
      await page.goto("/en/docs/api#search");
      expect(await page.locator('[data-operation="search"] .endpoint-content').isVisible()).toBe(true);
      await page.goto("/en/docs/api#type-Hit");
      expect(await page.locator("#type-Hit").isVisible()).toBe(true);
      const [field, attempt] = [
        page.getByLabel("Find an endpoint"),
        one.locator("summary", { hasText: "Try it" }),
      ];
      if (!javaScriptEnabled) {
        await one.locator("summary", { hasText: "Lua" }).click();
        expect(await one.getByText("socket.http").isVisible()).toBe(true);
        expect([await attempt.isVisible(), await field.isVisible()]).toEqual([false, false]);
        return;
      }
      await field.fill("nickname generate");
      expect(await one.isVisible()).toBe(false);
      expect(await page.locator('[data-operation="generateNicknames"]').isVisible()).toBe(true);
      expect(await page.locator('[data-listed="listOnline"]').isVisible()).toBe(false);
      await field.fill("nothing at all like this");
      expect(await page.locator("[data-docs-filter] [role=status]").innerText()).toBe("No endpoint matches.");
    },
  );
});
