import { describe, expect, it } from "vitest";
import { issueToken } from "../../src/accounts/token-queries.ts";
import { paths } from "../../src/words/urls.ts";
import { register, registerByForm, useBrowserSite } from "../helpers/browser.ts";

const site = useBrowserSite();

describe.each([{ javaScriptEnabled: true }, { javaScriptEnabled: false }])(
  "with script: $javaScriptEnabled",
  (options) => {
    const suffix = options.javaScriptEnabled ? "js" : "plain";

    it("a favorite is toggled and stays", async () => {
      const { page, complaints } = await site.visit(options);
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
    });

    it("a visitor who asks for a favorite is back on the page after the log-in", async () => {
      const { page } = await site.visit(options);
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
    });
  },
);

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
    });

    it("a mailed link leads to a new password and from there into the account", async () => {
      const { db } = site.database;
      const name = `forgetter ${suffix}`;
      const { page, complaints } = await site.visit(options);
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
    });
  },
);

const LIST = "/items?q=rifle";
const PASSWORD = "a password for tests";

describe.each([{ javaScriptEnabled: true }, { javaScriptEnabled: false }])(
  "the language, with script: $javaScriptEnabled",
  (options) => {
    const suffix = options.javaScriptEnabled ? "js" : "plain";

    it("is switched on the page itself, and stays through links and forms", async () => {
      const { page, complaints } = await site.visit({ ...options, locale: "en-GB" });
      await page.goto(LIST);
      expect(await page.locator("html").getAttribute("lang")).toBe("en");
      await page.getByRole("link", { name: "Русский" }).first().click();
      await page.waitForURL(`**/ru${LIST}`);
      expect(await page.locator("html").getAttribute("lang")).toBe("ru");
      await page.getByRole("link", { name: "Серверы" }).first().click();
      await page.waitForURL("**/ru/servers");
      await page.getByRole("link", { name: "Войти" }).first().click();
      await page.waitForURL("**/ru/login?**");
      await page.getByRole("link", { name: "Зарегистрироваться" }).last().click();
      await page.getByLabel("Имя", { exact: true }).fill(`переводчик ${suffix}`);
      await page.getByLabel("Пароль", { exact: true }).fill(PASSWORD);
      await page.locator("main form button[type=submit]").click();
      await page.waitForURL("**/ru/servers");
      await page.getByText(`Добро пожаловать, переводчик ${suffix}!`).waitFor();
      await page.goto("/items");
      expect(await page.locator("html").getAttribute("lang")).toBe("ru");
      expect(complaints).toEqual([]);
    });

    it("is that of the browser, until the account has one", async () => {
      const { page } = await site.visit({ ...options, locale: "ru-RU" });
      const name = `chooser ${suffix}`;
      const answer = await page.goto("/register");
      expect(await answer?.headerValue("content-language")).toBe("ru");
      await page.getByLabel("Имя", { exact: true }).fill(name);
      await page.getByLabel("Пароль", { exact: true }).fill(PASSWORD);
      await page.locator("main form button[type=submit]").click();
      await page.waitForURL("**/profile");
      await page.locator("main").getByLabel("Язык", { exact: true }).selectOption("en");
      await page.getByRole("button", { name: "Сохранить язык" }).click();
      await page.getByText("Language and time zone were saved.").waitFor();
      expect(await page.locator("html").getAttribute("lang")).toBe("en");
      await page.getByRole("button", { name: "Log out" }).click();
      await page.waitForURL("**/");
      expect(await page.locator("html").getAttribute("lang")).toBe("ru");
    });

    it("of a wrong log-in's answer is that of the page, which keeps the name and not the password", async () => {
      const { page } = await site.visit(options);
      await page.goto("/ru/login");
      const name = page.getByLabel("Имя", { exact: true });
      const password = page.getByLabel("Пароль", { exact: true });
      await name.fill("никто такой");
      await password.fill("неверный пароль");
      await page.locator("main form button[type=submit]").click();
      await page.getByText("Неверное имя или пароль.").waitFor();
      expect(await name.inputValue()).toBe("никто такой");
      expect(await password.inputValue()).toBe("");
      expect(new URL(page.url()).pathname).toBe("/ru/login");
    });

    it("is Russian for a key that is made and revoked", async () => {
      const { page } = await site.visit(options);
      await register(page, `ключник ${suffix}`);
      await page.goto("/ru/profile/keys");
      await page.getByLabel("Название", { exact: true }).fill("бот");
      await page.getByRole("button", { name: "Создать ключ" }).click();
      await page.getByText("Ключ «бот» уже действует.").waitFor();
      await page.getByRole("link", { name: "К списку ключей API" }).click();
      await page.getByRole("button", { name: "Отозвать бот" }).click();
      await page.getByText("Ключ «бот» отозван и больше не действует.").waitFor();
      expect(new URL(page.url()).pathname).toBe("/ru/profile/keys");
    });
  },
);

describe("a password", () => {
  it("is shown to who asks, taken from the clipboard, and sent as a password all the same", async () => {
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
