import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Readable } from "node:stream";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { importCommand } from "../../src/commands/import.ts";
import { loadConfig } from "../../src/settings/config.ts";
import { drain, listen } from "../../src/web/server/listen.ts";
import { LiveVocabulary } from "../../src/words/vocabulary/live.ts";
import { register, useBrowserSite } from "../helpers/browser.ts";
import { useOwnKinds } from "../helpers/own-kinds.ts";
import { visitBox } from "../helpers/search-box.ts";
import { faultsOfPage, watchShifts } from "./page-faults.ts";

const QUESTS = [
  {
    id: "wolves",
    name: "Hunt the wolves",
    names: { ru: "Охота на волков" },
    category: "Hunting",
    description: "Bring **five** claws.",
    level: 5,
    region: "North",
  },
  {
    id: "relic",
    name: "The lost relic",
    names: { ru: "Потерянная реликвия" },
    category: "Story",
    level: 12,
    region: "South",
  },
  {
    id: "mine",
    name: "The old mine",
    names: { ru: "Старая шахта" },
    category: "Story",
    level: 7,
    region: "North",
  },
];

const RELATIONS = [{ from: "item:weapon-24", kind: "reward-of", to: "quests:wolves", count: 1 }];

const file = useOwnKinds();
const site = useBrowserSite({}, () => ({ vocabulary: new LiveVocabulary({ file: file.path }) }));
const folder = mkdtempSync(path.join(tmpdir(), "almanac-quests-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** As an operator does it; resolves to what the command printed. */
async function importFile(kind: string, records: object[], ...options: string[]): Promise<string> {
  const source = path.join(folder, `${kind}.json`);
  writeFileSync(source, JSON.stringify(records));
  const lines: string[] = [];
  const code = await importCommand.run([kind, source, ...options], {
    config: loadConfig({ SITE_SCHEMA: file.path }),
    db: async () => site.database.db,
    out: (line) => lines.push(line),
    err: (line) => lines.push(line),
    stdin: Readable.from([]),
    isTerminal: false,
  });
  expect(code, lines.join("\n")).toBe(0);
  return lines.join("\n");
}

beforeAll(async () => {
  expect(await importFile("quests", QUESTS, "--keep-rest")).toContain(
    "There is a new kind: quests, at /quests once the site is started again.",
  );
  await importFile("relations", RELATIONS);
});

const LANGUAGES = [
  {
    prefix: "",
    locale: "en",
    width: 1280,
    kinds: "Quests",
    count: "3 quests",
    level: "Level",
    wolves: "Hunt the wolves",
    typed: "wolv",
    rewards: "Rewards",
    gun: "Desert Eagle",
    compare: "Compare quests",
    feed: "Almanac: new and updated quests",
  },
  {
    prefix: "/ru",
    locale: "ru",
    width: 390,
    kinds: "Квесты",
    count: "3 квеста",
    level: "Уровень",
    wolves: "Охота на волков",
    typed: "волк",
    rewards: "Награды",
    gun: "Пистолет «Дезерт Игл»",
    compare: "Сравнение: квесты",
    feed: "Almanac: квесты, новое и изменённое",
  },
];

describe.each(LANGUAGES)("a kind of the operator's own, in $locale", (said) => {
  it("leads from the navigation to its list, its filters, an entry, and what that is related to", async () => {
    const { page, complaints } = await site.visit({ locale: said.locale });
    await page.goto(`${said.prefix}/`);
    await page.getByRole("navigation").getByRole("link", { name: said.kinds, exact: true }).first().click();
    await page.locator("p.kind", { hasText: said.count }).waitFor();
    await page.getByRole("columnheader", { name: said.level }).waitFor();
    await page.goto(`${said.prefix}/quests?a.region=North`);
    expect(await page.locator("main tbody tr").count()).toBe(2);
    await page.locator("main").getByRole("link", { name: said.wolves }).click();
    await page.waitForURL(`**${said.prefix}/quests/wolves`);
    const main = page.locator("main");
    await main.getByRole("heading", { level: 1, name: said.wolves }).waitFor();
    await main.getByRole("heading", { name: said.rewards }).waitFor();
    await main.getByRole("link", { name: said.gun }).click();
    await page.waitForURL(`**${said.prefix}/items/weapon-24`);
    await page.locator("main").getByRole("link", { name: said.wolves }).waitFor();
    expect(complaints).toEqual([]);
  });

  it("is in the search box, under its name, and opens from there", async () => {
    const { page, complaints, input } = await visitBox(site, `${said.prefix}/items`, {
      locale: said.locale,
    });
    await input.fill(said.typed);
    const group = page.getByRole("group", { name: said.kinds });
    await group.getByRole("option", { name: said.wolves }).waitFor();
    expect(await group.locator("use").getAttribute("href")).toMatch(/icons-\w+\.svg#scroll$/);
    await input.press("ArrowDown");
    await input.press("Enter");
    await page.waitForURL(`**${said.prefix}/quests/wolves`);
    await page.goto(`${said.prefix}/search?q=${encodeURIComponent(said.typed)}`);
    await page.locator("main").getByRole("link", { name: said.wolves }).waitFor();
    // An opened result is listed with its kind among recent searches.
    const box = page.getByRole("search").getByRole("combobox");
    await box.fill("");
    await box.focus();
    await page.getByRole("option", { name: said.kinds }).waitFor();
    expect(complaints).toEqual([]);
  });

  it("has its feed and its comparison", async () => {
    const { page } = await site.visit({ locale: said.locale });
    const feed = await page.request.get(`${said.prefix}/quests.rss`);
    expect(await feed.text()).toContain(`<title>${said.feed}</title>`);
    await page.goto(`${said.prefix}/compare/quests?id=wolves&id=relic`);
    await page.getByRole("heading", { level: 1, name: said.compare }).waitFor();
  });

  it("has no faults on its pages, on a desktop in light or a phone in the dark", async () => {
    const { page, context, complaints } = await site.visit({ locale: said.locale });
    await watchShifts(context);
    for (const address of [
      "/quests",
      "/quests/wolves",
      "/compare/quests?id=wolves&id=relic",
      "/camps/map",
      "/search?q=wolves",
    ]) {
      const faults = await faultsOfPage(page, `${said.prefix}${address}`, said.width);
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

describe("what a reader does with an own kind", () => {
  it("makes an entry a favorite in place, and finds it among the others", async () => {
    const { page, complaints } = await site.visit();
    await register(page, "quester");
    await page.goto("/quests/wolves");
    await page.locator("main form.favorite button").click();
    await page.locator('main form.favorite button[aria-pressed="true"]:not([aria-busy])').waitFor();
    const kept = await site.database.db("entity_favorites").select("kind", "entity_id");
    expect(kept).toContainEqual({ kind: "quest", entity_id: "wolves" });
    await page.goto("/favorites");
    await page.getByRole("heading", { name: "Quests" }).waitFor();
    await page.locator("main").getByRole("link", { name: "Hunt the wolves" }).waitFor();
    expect(complaints).toEqual([]);
  });

  it("sees a card beside a link to it, here and on another site", async () => {
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
