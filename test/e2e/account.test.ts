import { describe, expect, it } from "vitest";
import { issueToken } from "../../src/accounts/token-queries.ts";
import { paths } from "../../src/words/urls.ts";
import { register, useBrowserSite } from "../helpers/browser.ts";

const site = useBrowserSite();

describe("the form of an API key", () => {
  it.each([true, false])(
    "shows the field of the last day only if one is chosen; script: %s",
    async (javaScriptEnabled) => {
      const { page, context } = await site.visit({ javaScriptEnabled });
      await register(page, `keeper ${javaScriptEnabled}`);
      await page.goto("/profile/keys");
      await page.getByLabel("Name", { exact: true }).fill("my bot");
      const day = page.getByLabel("Last day");
      expect(await day.isVisible()).toBe(false);
      await page.getByLabel("Expires").selectOption("date");
      expect(await day.isVisible()).toBe(true);
      await page.getByLabel("Expires").selectOption("365");
      expect(await day.isVisible()).toBe(false);
      await page.getByRole("button", { name: "Create key" }).click();
      const key = await page.locator("#new-key").innerText();
      const copy = page.getByRole("button", { name: "Copy" });
      expect(await copy.isVisible()).toBe(javaScriptEnabled);
      if (!javaScriptEnabled) return;
      await context.grantPermissions(["clipboard-read", "clipboard-write"]);
      await copy.click();
      await page.getByText("Copied.").waitFor();
      expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(key);
    },
  );
});

describe("a mailed link", () => {
  it("confirms an address without a log-in, and its token reaches no Referer header", async () => {
    const { db } = site.database;
    const [name, email] = ["confirmer", "reader@example.org"];
    const { page, context, complaints } = await site.visit();
    await register(page, name);
    await context.clearCookies();
    const { id } = await db("users").where({ name }).first("id");
    await db("users").where({ id }).update({ email });
    const token = await issueToken(db, "confirm", { userId: id, email });
    const referers: (string | undefined)[] = [];
    page.on("request", (request) => referers.push(request.headers().referer));
    await page.goto(paths.confirmEmail(token));
    await page.getByRole("button", { name: "Confirm address" }).click();
    await page.getByText(`${email} is now the confirmed address of ${name}.`).waitFor();
    expect(referers.length).toBeGreaterThan(5);
    expect(referers.filter((referer) => referer?.includes(token))).toEqual([]);
    expect(complaints).toEqual([]);
  });
});

describe("a password", () => {
  it("can be shown and pasted, and is sent as a password all the same", async () => {
    const { page } = await site.visit();
    await page.goto("/register");
    const field = page.locator("#password");
    await field.evaluate((input: HTMLInputElement) => {
      input.focus();
      document.execCommand("insertText", false, "pasted words");
    });
    expect(await field.getAttribute("type")).toBe("password");
    await page.getByLabel("Show password").check();
    expect(await field.getAttribute("type")).toBe("text");
    expect(await field.inputValue()).toBe("pasted words");
    await page.getByLabel("Name", { exact: true }).fill("shower");
    await page.locator("main form").evaluate((form) => {
      form.addEventListener("submit", (event) => event.preventDefault());
    });
    await page.locator("main form button[type=submit]").click();
    expect(await field.getAttribute("type")).toBe("password");
  });
});
