import { beforeAll, describe, expect, it } from "vitest";
import { drain, listen } from "../../src/web/server/listen.ts";
import { LiveVocabulary } from "../../src/words/vocabulary/live.ts";
import { register, useBrowserSite } from "../helpers/browser.ts";
import { insertRecords } from "../helpers/catalogue.ts";
import { kind, makeTables, useOwnKinds } from "../helpers/own-kinds.ts";
import { visitBox } from "../helpers/search-box.ts";
import { faultsOfPage, watchShifts } from "./page-faults.ts";

const NAMES = { en: "Hunt the wolves", ru: "Охота на волков" };

const file = useOwnKinds();
const site = useBrowserSite({}, () => ({ vocabulary: new LiveVocabulary({ file: file.path }) }));

beforeAll(async () => {
  const { db } = site.database;
  await makeTables(db);
  await insertRecords(db, kind("quests"), [
    { id: "wolves", name: NAMES.en, names: NAMES, category: "Hunting", description: "Bring **five** claws." },
    { id: "relic", name: "The lost relic", category: "Story", attributes: { level: 12, region: "South" } },
  ]);
  const relation = { from_kind: "item", from_id: "weapon-24", kind: "reward-of" };
  await db("relations").insert({ id: "1", ...relation, to_kind: "quest", to_id: "wolves", count: 1 });
});

describe("a kind of the operator's own", () => {
  it("is in the search box and among recent searches, under its name", async () => {
    const { page, complaints, input } = await visitBox(site, "/ru/nicknames", { locale: "ru" });
    await input.fill("волк");
    const group = page.getByRole("group", { name: "Квесты" });
    await group.getByRole("option", { name: NAMES.ru }).waitFor();
    expect(await group.locator("use").getAttribute("href")).toMatch(/icons-\w+\.svg#scroll$/);
    await input.press("ArrowDown");
    await input.press("Enter");
    await page.waitForURL("**/ru/quests/wolves");
    await input.focus();
    await page.getByRole("option", { name: "Квесты" }).waitFor();
    expect(complaints).toEqual([]);
  });

  it("has no faults on its pages", async () => {
    const { page, context, complaints } = await site.visit({ locale: "ru" });
    await watchShifts(context);
    for (const address of ["/quests", "/quests/wolves", "/compare/quests?id=wolves&id=relic", "/camps/map"]) {
      const faults = await faultsOfPage(page, `/ru${address}`, 390);
      expect(faults.join("\n"), address).toBe("");
    }
    expect(complaints).toEqual([]);
  });
});

describe("the sections in the band", () => {
  it("stay on one line in a window of 1280 pixels, twelve in Russian", async () => {
    const { page } = await site.visit({ viewport: { width: 1280, height: 800 } });
    await page.goto("/ru/servers");
    const tops = await page.locator(".section-links ul").evaluate((list) => {
      const [first] = list.children;
      for (const name of ["Персонажи", "Локации", "Достижения"]) {
        const added = first?.cloneNode(true) as HTMLElement;
        for (const link of added.querySelectorAll("a")) link.textContent = name;
        list.append(added);
      }
      return [...list.children].map((item) => item.getBoundingClientRect().top);
    });
    expect(tops).toHaveLength(12);
    expect(new Set(tops).size).toBe(1);
  });
});

describe("an entry of such a kind", () => {
  it("is made a favorite in place", async () => {
    const { page, complaints } = await site.visit();
    await register(page, "quester");
    await page.goto("/quests/wolves");
    await page.locator("main form.favorite button").click();
    await page.locator('main form.favorite button[aria-pressed="true"]:not([aria-busy])').waitFor();
    const kept = await site.database.db("entity_favorites").select("kind", "entity_id");
    expect(kept).toContainEqual({ kind: "quest", entity_id: "wolves" });
    expect(complaints).toEqual([]);
  });

  it("has a card beside links to it, here and on another site", async () => {
    const forum = await listen({ port: 0, host: "127.0.0.1" });
    forum.answerWith((_req, res) => {
      res.setHeader("Content-Type", "text/html; charset=utf-8");
      res.end(`<!doctype html><title>A forum</title><script src="${site.url}/embed/cards.js" defer></script>
        <p><a id="quest" href="${site.url}/ru/quests/wolves">that quest</a></p>`);
    });
    const { page } = await site.visit();
    await page.goto("/items/weapon-24");
    await page.locator("main").getByRole("link", { name: "Hunt the wolves" }).hover();
    await page.locator(".hover-card").getByText("Quest", { exact: true }).waitFor();
    await page.goto(`${forum.url}/topic`);
    await page.locator("#quest").hover();
    await expect
      .poll(() => page.locator("almanac-card .hover-card").innerText())
      .toContain("Охота на волков");
    await drain(forum.server);
  });
});
