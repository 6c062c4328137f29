import { describe, expect, it } from "vitest";
import { issueToken } from "../../src/accounts/token-queries.ts";
import { paths } from "../../src/words/urls.ts";
import { register, useBrowserSite } from "../helpers/browser.ts";

const site = useBrowserSite();

const EMAIL = "reader@example.org";

async function findUser(name: string) {
  return site.database.db("users").where({ name }).first("id", "confirmed_email");
}

describe.each([{ javaScriptEnabled: true }, { javaScriptEnabled: false }])(
  "with script: $javaScriptEnabled",
  (options) => {
    const suffix = options.javaScriptEnabled ? "js" : "plain";

    it("a mailed link confirms an address, in a browser that is not logged in", async () => {
      const { db } = site.database;
      const name = `confirmer ${suffix}`;
      const { page, context, complaints } = await site.visit(options);
      await register(page, name);
      await context.clearCookies();
      const { id } = await findUser(name);
      await db("users").where({ id }).update({ email: EMAIL });
      const token = await issueToken(db, "confirm", { userId: id, email: EMAIL });
      const referers: (string | undefined)[] = [];
      page.on("request", (request) => referers.push(request.headers().referer));
      await page.goto(paths.confirmEmail(token));
      await page.getByRole("button", { name: "Confirm address" }).click();
      await page.getByText(`${EMAIL} is now the confirmed address of ${name}.`).waitFor();
      expect((await findUser(name)).confirmed_email).toBe(EMAIL);
      expect(referers.length).toBeGreaterThan(5);
      expect(referers.filter((referer) => referer?.includes(token))).toEqual([]);
      expect(complaints).toEqual([]);
      await context.close();
    });

    it("a mailed link leads to a new password and from there into the account", async () => {
      const { db } = site.database;
      const name = `forgetter ${suffix}`;
      const { page, context, complaints } = await site.visit(options);
      await register(page, name);
      const { id } = await findUser(name);
      await db("users").where({ id }).update({ email: EMAIL, confirmed_email: EMAIL });
      const token = await issueToken(db, "reset", { userId: id, email: EMAIL });
      await page.goto(paths.newPassword(token));
      await page.getByLabel("New password").fill("another horse battery");
      await page.getByRole("button", { name: "Change password" }).click();
      await page.waitForURL("**/login?changed=password");
      await page.getByText("Your password was changed").waitFor();
      await page.getByLabel("Name", { exact: true }).fill(name);
      await page.getByLabel("Password", { exact: true }).fill("another horse battery");
      await page.locator("main form button[type=submit]").click();
      await page.waitForURL("**/profile");
      await page.goto(paths.newPassword(token));
      await page.getByText("This link was already used").waitFor();
      expect(complaints.filter((text) => !text.includes("410"))).toEqual([]);
      await context.close();
    });
  },
);
