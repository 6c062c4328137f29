import { describe, expect, it } from "vitest";
import { registerByForm, useBrowserSite } from "../helpers/browser.ts";

const site = useBrowserSite();

describe.each([{ javaScriptEnabled: true }, { javaScriptEnabled: false }])(
  "with script: $javaScriptEnabled",
  (options) => {
    const suffix = options.javaScriptEnabled ? "js" : "plain";

    it("a favorite is toggled and stays", async () => {
      const { page, context, complaints } = await site.visit(options);
      await registerByForm(page, `collector ${suffix}`);
      for (const path of ["/items/weapon-24", "/servers/ls-one", "/donate/vip-gold"]) {
        await page.goto(path);
        const button = page.locator("main form.favorite button").first();
        expect(await button.getAttribute("aria-pressed")).toBe("false");
        await button.click();
        await page
          .locator('main form.favorite button[aria-pressed="true"]:not([aria-busy])')
          .first()
          .waitFor();
        await page.reload();
        expect(await button.getAttribute("aria-pressed")).toBe("true");
      }
      await page.goto("/favorites");
      expect(await page.locator("main form.favorite").count()).toBe(3);
      expect(complaints).toEqual([]);
      await context.close();
    });

    it("an API key is shown once, works, and is revoked", async () => {
      const { page, context } = await site.visit(options);
      await registerByForm(page, `keeper ${suffix}`);
      await page.goto("/profile");
      const form = page.locator('form[action="/profile/keys"]');
      await form.getByLabel("Name").fill("my bot");
      const day = form.getByLabel("Last day");
      expect(await day.isVisible()).toBe(false);
      await form.getByLabel("Expires").selectOption("date");
      expect(await day.isVisible()).toBe(true);
      await form.getByLabel("Expires").selectOption("365");
      await form.locator("button").first().click();
      const key = (await page.content()).match(/alm_\w{36}/)?.[0] ?? "";
      expect(key).toMatch(/^alm_/);
      const copy = page.getByRole("button", { name: "Copy" });
      expect(await copy.isVisible()).toBe(options.javaScriptEnabled);
      if (options.javaScriptEnabled) {
        await context.grantPermissions(["clipboard-read", "clipboard-write"]);
        await copy.click();
        await page.getByText("Copied.").waitFor();
        expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(key);
      }
      const ask = () => fetch(`${site.url}/api/online`, { headers: { "x-api-key": key } });
      expect((await ask()).status).toBe(200);
      await page.goto("/profile");
      expect(await page.content()).not.toContain(key);
      await page.locator('form[action$="/revoke"] button').first().click();
      await page.getByText("The key “my bot” was revoked and no longer works.").waitFor();
      expect((await ask()).status).toBe(401);
      await context.close();
    });

    it("a visitor who asks for a favorite is back on the page after the log-in", async () => {
      const { page, context } = await site.visit(options);
      await registerByForm(page, `returner ${suffix}`);
      await page.locator('form[action="/logout"] button').click();
      await page.goto("/vehicles/411");
      await page.goto("/items/weapon-24");
      await page
        .locator("main")
        .getByRole("link", { name: /Favorite/ })
        .click();
      await page.getByLabel("Name", { exact: true }).fill(`returner ${suffix}`);
      await page.getByLabel("Password", { exact: true }).fill("a password for tests");
      await page.locator("main form button[type=submit]").click();
      await page.waitForURL("**/items/weapon-24");
      await context.close();
    });
  },
);
