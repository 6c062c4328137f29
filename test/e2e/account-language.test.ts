import { describe, expect, it } from "vitest";
import { register, useBrowserSite } from "../helpers/browser.ts";

const site = useBrowserSite();

const LIST = "/items?q=rifle";
const PASSWORD = "a password for tests";

describe.each([{ javaScriptEnabled: true }, { javaScriptEnabled: false }])(
  "the language, with script: $javaScriptEnabled",
  (options) => {
    const suffix = options.javaScriptEnabled ? "js" : "plain";

    it("is switched on the page itself, and stays through links and forms", async () => {
      const { page, context, complaints } = await site.visit({ ...options, locale: "en-GB" });
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
      await context.close();
    });

    it("is that of the browser, until the account has one", async () => {
      const { page, context } = await site.visit({ ...options, locale: "ru-RU" });
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
      await context.close();
    });

    it("of a wrong log-in's answer is that of the page, which keeps the name and not the password", async () => {
      const { page, context } = await site.visit(options);
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
      await context.close();
    });

    it("is Russian for a key that is made and revoked", async () => {
      const { page, context } = await site.visit(options);
      await register(page, `ключник ${suffix}`);
      await page.goto("/ru/profile/keys");
      await page.getByLabel("Название", { exact: true }).fill("бот");
      await page.getByRole("button", { name: "Создать ключ" }).click();
      await page.getByText("Ключ «бот» уже действует.").waitFor();
      await page.getByRole("link", { name: "К списку ключей API" }).click();
      await page.getByRole("button", { name: "Отозвать бот" }).click();
      await page.getByText("Ключ «бот» отозван и больше не действует.").waitFor();
      expect(new URL(page.url()).pathname).toBe("/ru/profile/keys");
      await context.close();
    });
  },
);

describe("a password", () => {
  it("is shown to who asks, taken from the clipboard, and sent as a password all the same", async () => {
    const { page, context } = await site.visit();
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
    await context.close();
  });
});
