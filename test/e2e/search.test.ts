import { beforeAll, describe, expect, it } from "vitest";
import { useBrowserSite } from "../helpers/browser.ts";

const site = useBrowserSite();

/** A new visitor who has typed on the home page and sees what they look for. */
async function visitAndType(letters: string, found: string) {
  const { page, context } = await site.visit();
  await page.goto("/");
  const input = page.getByRole("search").getByRole("combobox");
  await input.pressSequentially(letters);
  const option = page.getByRole("option", { name: found }).first();
  await option.waitFor();
  return { page, context, input, option };
}

describe("the search box", () => {
  const hostile = '<img src=x onerror="document.title=1"> Quux';

  beforeAll(async () => {
    await site.database.db("items").insert({ id: "hostile", name: hostile });
  });

  it("answers while typing and goes to the result by arrow and Enter", async () => {
    const { page, context, input } = await visitAndType("infer", "Infernus");
    expect(await input.getAttribute("aria-expanded")).toBe("true");
    await input.press("ArrowDown");
    const active = await input.getAttribute("aria-activedescendant");
    expect(await page.locator(`[id="${active}"]`).getAttribute("aria-selected")).toBe("true");
    await input.press("Enter");
    await page.waitForURL("**/vehicles/411");
    await context.close();
  });

  it.each(["/search/", "/ru/search/", "/ru/", "/search?q=gun"])("is one at %s", async (path) => {
    const { page, context } = await site.visit();
    await page.goto(path);
    await page.locator("main").getByRole("combobox").first().waitFor();
    expect(await page.locator("form[role=search]").count()).toBe(1);
    await context.close();
  });

  it("answers in Russian", async () => {
    const { page, context } = await site.visit();
    await page.goto("/");
    await page.getByRole("search").getByRole("combobox").pressSequentially("инферн");
    await page.getByRole("option", { name: "Infernus" }).first().waitFor();
    await context.close();
  });

  it("closes at Escape and keeps what was typed", async () => {
    const { page, context } = await site.visit();
    await page.goto("/");
    const input = page.getByRole("search").getByRole("combobox");
    await input.pressSequentially("pistol");
    await page.locator(".suggestions [role=option]").first().waitFor();
    await input.press("Escape");
    await page.getByRole("listbox").first().waitFor({ state: "hidden" });
    expect(await input.inputValue()).toBe("pistol");
    await context.close();
  });

  it("never shows an older answer over a newer one", async () => {
    const { page, context } = await site.visit();
    await page.route("**/api/search?q=pi&*", async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 700));
      await route.continue().catch(() => undefined);
    });
    await page.goto("/");
    const input = page.getByRole("search").getByRole("combobox");
    await input.pressSequentially("pi", { delay: 10 });
    await page.waitForTimeout(150);
    await input.fill("infernus");
    await page.getByRole("option", { name: "Infernus" }).first().waitFor();
    await page.waitForTimeout(900);
    expect(await page.locator(".suggestions [role=option]").first().textContent()).toContain("Infernus");
    await context.close();
  });

  it("does not open what was chosen among the results of other letters", async () => {
    const { page, context, input } = await visitAndType("infer", "Infernus");
    await page.route("**/api/search?*", (route) => setTimeout(() => route.continue(), 2000));
    await input.press("ArrowDown");
    await input.pressSequentially(" rifle");
    expect(await input.getAttribute("aria-activedescendant")).toBeNull();
    await input.press("Enter");
    await page.waitForURL("**/search?q=infer+rifle");
    await context.close();
  });

  it("takes away what answers other letters when the answer is late", async () => {
    const { page, context, input, option } = await visitAndType("infer", "Infernus");
    await page.route("**/api/search?*", (route) => setTimeout(() => route.continue(), 2000));
    await input.pressSequentially("n");
    await option.waitFor({ state: "hidden", timeout: 1500 });
    await option.waitFor();
    await context.close();
  });

  it("opens again by arrow, and closes when the focus goes on", async () => {
    const { context, input, option } = await visitAndType("infer", "Infernus");
    await input.press("Escape");
    await option.waitFor({ state: "hidden" });
    await input.press("ArrowDown");
    await option.waitFor();
    await input.press("Tab");
    await option.waitFor({ state: "hidden" });
    expect(await input.getAttribute("aria-expanded")).toBe("false");
    await context.close();
  });

  it("is closed on a page that the browser brings back", async () => {
    const { page, context } = await visitAndType("infer", "Infernus");
    await page.evaluate(() => dispatchEvent(new PageTransitionEvent("pagehide", { persisted: true })));
    expect(await page.locator(".suggestions").first().isHidden()).toBe(true);
    await context.close();
  });

  it("shows a name with markup as text", async () => {
    const { page, context } = await site.visit();
    await page.goto("/");
    await page.getByRole("search").getByRole("combobox").pressSequentially("quux");
    const option = page.locator(".suggestions [role=option]").first();
    await option.waitFor();
    expect(await option.textContent()).toContain(hostile);
    expect(await page.title()).not.toBe("1");
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

  it("marks what was typed, and names things in the page's language first", async () => {
    const { page, context } = await site.visit();
    await page.goto("/ru/items");
    await page.getByRole("search").getByRole("combobox").pressSequentially("infer");
    const option = page.getByRole("option", { name: "Инфернус" });
    await option.waitFor();
    expect(await option.locator("mark").allTextContents()).toEqual(["Infer"]);
    expect(await option.locator(".hit-name").innerText()).toBe("Инфернус Infernus");
    expect(await option.getAttribute("href")).toBe("/ru/vehicles/411");
    await page.getByRole("group", { name: "Транспорт" }).waitFor();
    await context.close();
  });

  it("says what was meant by the other keyboard layout, and leads to all that was found", async () => {
    const { page, context, input } = await visitAndType("byathyec", "Infernus");
    await page.getByText("Did you mean “инфернус”?").first().waitFor();
    await page.getByRole("option", { name: "All results for “byathyec”" }).waitFor();
    await input.press("ArrowUp");
    await input.press("Enter");
    await page.waitForURL("**/search?q=byathyec");
    await context.close();
  });

  it("is reached by / and Ctrl-K, and leaves / to who types", async () => {
    const { page, context } = await site.visit();
    await page.goto("/vehicles/411");
    const input = page.getByRole("search").getByRole("combobox");
    expect(await input.getAttribute("aria-keyshortcuts")).toBe("/ Control+K Meta+K");
    await page.keyboard.press("/");
    expect(await input.evaluate((element) => element === document.activeElement)).toBe(true);
    await page.keyboard.type("a/b");
    expect(await input.inputValue()).toBe("a/b");
    await page.keyboard.press("Control+k");
    expect(await input.evaluate((element) => (element as HTMLInputElement).selectionEnd)).toBe(3);
    await context.close();
  });

  it("leaves / to others where that was chosen", async () => {
    const { page, context } = await site.visit();
    await page.goto("/search");
    await page.getByLabel("The / key opens the search on every page").uncheck();
    await page.goto("/vehicles");
    const input = page.getByRole("search").getByRole("combobox");
    await page.keyboard.press("/");
    expect(await input.evaluate((element) => element === document.activeElement)).toBe(false);
    await page.keyboard.press("Control+k");
    expect(await input.evaluate((element) => element === document.activeElement)).toBe(true);
    await context.close();
  });

  it("closes at Escape, and empties at the next", async () => {
    const { context, input, option } = await visitAndType("infer", "Infernus");
    await input.press("Escape");
    await option.waitFor({ state: "hidden" });
    expect(await input.inputValue()).toBe("infer");
    await input.press("Escape");
    expect(await input.inputValue()).toBe("");
    await context.close();
  });

  it("leaves Home, End and the arrows to the side to the text", async () => {
    const { context, input } = await visitAndType("infer", "Infernus");
    await input.press("ArrowDown");
    expect(await input.getAttribute("aria-activedescendant")).not.toBeNull();
    await input.press("Home");
    expect(await input.getAttribute("aria-activedescendant")).toBeNull();
    expect(await input.evaluate((element) => (element as HTMLInputElement).selectionStart)).toBe(0);
    await context.close();
  });

  it("is used by the mouse", async () => {
    const { page, context, option } = await visitAndType("infer", "Infernus");
    await option.hover();
    await option.click();
    await page.waitForURL("**/vehicles/411");
    await context.close();
  });

  it("tells a screen reader how many there are, once nobody types any more", async () => {
    const { page, context, input } = await visitAndType("infernu", "Infernus");
    const status = page.locator("form[role=search] [role=status]");
    expect(await status.textContent()).toBe("");
    await input.pressSequentially("s");
    await expect.poll(() => status.textContent()).toBe("1 result");
    await context.close();
  });
});

describe("what was searched for and opened last", () => {
  it("is listed while the box is empty, in the page's language, and can be cleared", async () => {
    const { page, context } = await site.visit();
    await page.goto("/");
    const input = page.getByRole("search").getByRole("combobox");
    await input.pressSequentially("infer");
    await page.getByRole("option", { name: "Infernus" }).click();
    await page.waitForURL("**/vehicles/411");
    await input.fill("pistol");
    await input.press("Enter");
    await page.waitForURL("**/search?q=pistol");
    await page.locator("main .hits a").first().click();
    await page.waitForURL(/items/);
    await page.goto("/ru/servers");
    await input.focus();
    const options = page.getByRole("group", { name: "Недавнее" }).getByRole("option");
    const listed = await options.allInnerTexts();
    expect(listed).toHaveLength(4);
    expect(listed[1]).toBe("pistol");
    expect(listed[2]).toContain("Инфернус");
    await input.press("ArrowUp");
    await input.press("Enter");
    await options.first().waitFor({ state: "hidden" });
    await input.press("ArrowDown");
    expect(await page.locator(".suggestions").isVisible()).toBe(false);
    expect(await page.evaluate(() => localStorage.length)).toBe(0);
    await context.close();
  });

  it("is at most eight, newest first", async () => {
    const { page, context } = await site.visit();
    await page.goto("/servers");
    for (const q of ["a", "b", "c", "d", "e", "f", "g", "h", "i", "b"]) {
      await page.getByRole("search").getByRole("combobox").fill(q);
      await page.getByRole("search").getByRole("combobox").press("Enter");
      await page.waitForURL(`**/search?q=${q}`);
    }
    const kept = await page.evaluate(() => JSON.parse(localStorage.getItem("search-recent") ?? ""));
    expect(kept.map(({ q }: { q: string }) => q).join("")).toBe("bihgfedc");
    await context.close();
  });

  it.each([
    [
      "blocked storage",
      () =>
        Object.defineProperty(window, "localStorage", {
          get: () => {
            throw new DOMException("blocked");
          },
        }),
    ],
    [
      "another site's leavings",
      () => localStorage.setItem("search-recent", '[{"path":"//evil.test","name":"x"},{"q":7},null]'),
    ],
    [
      "what leads elsewhere",
      () => {
        const paths = ["/\t/evil.test/x", "/\\evil.test", "/\n\\evil.test", "https://evil.test", "items/1"];
        const kept = paths.map((path) => ({ path, name: "x", names: {}, kind: "items" }));
        localStorage.setItem("search-recent", JSON.stringify(kept));
      },
    ],
    [
      "names that are none",
      () => {
        const names = [null, { ru: 5 }, "name", ["x", {}], { ru: null }];
        const kept = names.map((names) => ({ path: "/items/1", name: "x", names, kind: "items" }));
        localStorage.setItem("search-recent", JSON.stringify(kept));
      },
    ],
    ["no JSON", () => localStorage.setItem("search-recent", "{")],
  ])("does without where there is %s", async (_, before) => {
    const { page, context, complaints } = await site.visit();
    await page.addInitScript(before);
    await page.goto("/servers");
    const input = page.getByRole("search").getByRole("combobox");
    await input.focus();
    expect(await page.locator(".suggestions").isVisible()).toBe(false);
    await input.pressSequentially("infer");
    await page.getByRole("option", { name: "Infernus" }).click();
    await page.waitForURL("**/vehicles/411");
    expect(complaints).toEqual([]);
    await context.close();
  });
});

describe("a kind that the site does not have", () => {
  it.each(["constructor", "toString", "boats", undefined])("%s is not named", async (kind) => {
    const { page, context } = await site.visit();
    await page.goto("/servers");
    const kept = JSON.stringify([{ path: "/items/1", name: "Deer", kind }]);
    await page.evaluate((kept) => localStorage.setItem("search-recent", kept), kept);
    await page.getByRole("search").getByRole("combobox").focus();
    const option = page.getByRole("option", { name: "Deer" });
    await option.waitFor();
    expect(await option.innerText()).toBe("Deer");
    await context.close();
  });
});

describe("without answers", () => {
  it("says that there is no network, lists what was searched for, and goes on when it is back", async () => {
    const { page, context } = await site.visit();
    await page.goto("/servers");
    await page.evaluate(() => localStorage.setItem("search-recent", '[{"q":"rifle"}]'));
    const input = page.getByRole("search").getByRole("combobox");
    await context.setOffline(true);
    await input.pressSequentially("infer");
    await page.getByText("Off-line: recent searches only.").first().waitFor();
    expect(await page.locator(".suggestions [role=option]").allInnerTexts()).toEqual([
      "rifle",
      "Clear this list",
    ]);
    await context.setOffline(false);
    await page.getByRole("option", { name: "Infernus" }).waitFor();
    await context.close();
  });

  it("takes a request that nothing answers for the network", async () => {
    const { page, context } = await site.visit();
    await page.goto("/servers");
    await page.route("**/api/search?*", (route) => route.abort("connectionrefused"));
    await page.getByRole("search").getByRole("combobox").pressSequentially("infer");
    await page.getByText("Off-line: recent searches only.").first().waitFor();
    await context.close();
  });

  it.each([429, 503])("says quietly that there are none at status %i", async (status) => {
    const { page, context } = await site.visit();
    await page.goto("/servers");
    await page.route("**/api/search?*", (route) => route.fulfill({ status, body: "{}" }));
    await page.getByRole("search").getByRole("combobox").pressSequentially("infer");
    await page.getByText("Suggestions are not available right now").first().waitFor();
    await context.close();
  });

  it.each([
    ["JSON of something else", '{"message":"hello"}'],
    ["null", "null"],
    ["hits that are none", '{"items":[null],"vehicles":[],"scripts":[]}'],
    ["a page of HTML", "<!doctype html><title>Log in to this Wi-Fi</title>"],
  ])("says the same of %s in their place, each time", async (_, body) => {
    const { page, context, complaints } = await site.visit();
    await page.goto("/servers");
    await page.route("**/api/search?*", (route) => route.fulfill({ status: 200, body }));
    const input = page.getByRole("search").getByRole("combobox");
    await input.pressSequentially("infer");
    const line = page.getByText("Suggestions are not available right now").first();
    await line.waitFor();
    await input.press("Escape");
    await line.waitFor({ state: "hidden" });
    await input.press("ArrowDown");
    await line.waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });
});

describe("on a phone", () => {
  const PHONE = { viewport: { width: 390, height: 700 }, hasTouch: true, isMobile: true };

  it.each(["/", "/servers"])(
    "uses the width of the screen, and rows that a finger hits, at %s",
    async (path) => {
      const { page, context } = await site.visit(PHONE);
      await page.goto(path);
      const input = page.getByRole("search").getByRole("combobox");
      await input.tap();
      await input.pressSequentially("gun");
      await page.locator(".suggestions [role=option]").first().waitFor();
      const list = await page.locator(".suggestions").boundingBox();
      expect(list).toMatchObject({ x: 0, width: 390 });
      expect((list?.y ?? 0) + (list?.height ?? 0)).toBeLessThanOrEqual(700);
      for (const option of await page.locator(".suggestions [role=option]").all()) {
        expect((await option.boundingBox())?.height).toBeGreaterThanOrEqual(44);
      }
      const option = page.locator(".suggestions [role=option]").first();
      const href = await option.getAttribute("href");
      await option.tap();
      await page.waitForURL(`**${href}`);
      await context.close();
    },
  );

  it("ends above the keyboard", async () => {
    const { page, context } = await site.visit(PHONE);
    await page.goto("/");
    const input = page.getByRole("search").getByRole("combobox");
    await input.tap();
    await input.pressSequentially("gun");
    await page.locator(".suggestions [role=option]").first().waitFor();
    // What the keyboard leaves of the screen: Chromium's own emulation has none.
    await page.evaluate(() => {
      const screen = window.visualViewport;
      Object.defineProperty(screen, "height", { value: 330 });
      screen?.dispatchEvent(new Event("resize"));
    });
    const list = await page.locator(".suggestions").boundingBox();
    expect((list?.y ?? 0) + (list?.height ?? 0)).toBeLessThanOrEqual(330);
    expect(list?.height).toBeGreaterThan(160);
    await context.close();
  });
});
