import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { useBrowserSite } from "../helpers/browser.ts";
import { addDiscount, addDonateItem, addServer } from "../helpers/things.ts";
import { faultsByAxe, faultsOfHeadings, faultsOfHtml, faultsOfReflow } from "./page-faults.ts";

const site = useBrowserSite();

const HEBREW = "חרב (3)";
/** As a record may have it that was stored before such marks were taken out. */
const TURNED = "Turned \u202ename";

beforeAll(async () => {
  const { db } = site.database;
  const attributes = { blade: HEBREW, [HEBREW]: 5, x: 0, y: 0 };
  for (const [id, name] of [
    ["hebrew", HEBREW],
    ["turned", TURNED],
  ] as const) {
    for (const kind of ["items", "vehicles", "houses"])
      await db(kind).insert({ id, name, category: HEBREW, popularity: 1000, attributes });
    await addDonateItem(db, id, { name });
    await addDiscount(db, id, id, { title: name });
    await addServer(db, id, { name, game: HEBREW, position: 0 });
  }
});

/** The texts with such names that share a line with something else and are not isolated from it. */
function findTurning(): { found: number; turning: string[] } {
  const isAlone = (node: Node): boolean => {
    const parent = node.parentElement as Element;
    const { display, unicodeBidi } = getComputedStyle(parent);
    if (unicodeBidi === "isolate" || unicodeBidi === "plaintext") return true;
    const others = [...parent.childNodes].filter((other) => other !== node && other.textContent?.trim());
    const isInLine = others.some((other) => {
      if (!(other instanceof Element)) return true;
      return getComputedStyle(other).display.startsWith("inline");
    });
    if (isInLine) return false;
    return display.startsWith("inline") && display === "inline" ? isAlone(parent) : true;
  };
  const turning: string[] = [];
  let found = 0;
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const parent = node.parentElement;
    if (!parent || /^(SCRIPT|STYLE|TEMPLATE|OPTION)$/.test(parent.tagName)) continue;
    const text = node.textContent ?? "";
    if (!/[\u0590-\u05ff\u202e]/.test(text)) continue;
    found++;
    // What a sentence isolates is between these marks.
    const rest = text.replace(/\u2068[^\u2069]*\u2069/g, "");
    const isMarked = parent.tagName === "MARK";
    if (/[\u0590-\u05ff\u202e]/.test(rest) && !isAlone(isMarked ? parent : node))
      turning.push(parent.outerHTML);
  }
  return { found, turning };
}

/** Names as scripts have them, and worse: nothing in them at which a line could end. */
const LONG =
  "vehicle_speedometer_with_fuel_consumption_and_engine_temperature_hud_for_every_resolution_of_screens";
const CATEGORY = "Categories".repeat(8);
const RUSSIAN = "Сверхдлинноеназваниепредметабезединогопробелакотороенигденепереносится";

beforeAll(async () => {
  const { db } = site.database;
  const named = { name: LONG, names: JSON.stringify({ ru: RUSSIAN }), category: CATEGORY };
  for (const kind of ["items", "vehicles", "scripts", "houses", "businesses"]) {
    await db(kind).insert({
      ...named,
      id: "long",
      popularity: 1000,
      description: LONG,
      attributes: { [LONG]: LONG },
    });
  }
  await db("items")
    .update({ updated_at: db.raw("now()") })
    .where({ id: "long" });
  await addDonateItem(db, "long", { name: LONG, names: JSON.stringify({ ru: RUSSIAN }), description: LONG });
  await addDiscount(db, "long", "long", { title: LONG });
  await addServer(db, "long", {
    name: LONG,
    game: "SA-MP",
    position: 0,
    address: `${"host".repeat(20)}.invalid:7777`,
  });
});

describe("names in another direction, and names without a place to break a line", () => {
  let page: Page;
  beforeAll(async () => {
    ({ page } = await site.open({ viewport: { width: 390, height: 844 } }));
  });

  it.each([
    "/",
    "/search?q=turned",
    `/search?q=${encodeURIComponent(HEBREW)}`,
    "/items",
    `/items?category=${encodeURIComponent(HEBREW)}`,
    "/items/hebrew",
    "/items/turned",
    "/vehicles",
    "/compare/items?id=hebrew&id=turned&id=long",
    "/donate",
    "/donate/hebrew",
    "/servers",
    "/servers/hebrew",
  ])("turn nothing around them on %s, and keep it within a phone's window", async (path) => {
    await open(path);
    const { found, turning } = await page.evaluate(findTurning);
    expect(found).toBeGreaterThan(0);
    expect(turning).toEqual([]);
    expect(await widthOf()).toBeLessThanOrEqual(390);
  });

  it.each([
    "/search?q=vehicle_speedometer",
    `/items?category=${CATEGORY}`,
    "/items/long",
    "/vehicles/long",
    "/houses/long",
    "/items/weapon-24",
    "/houses/map",
    "/compare/items?q=vehicle_speedometer",
    "/donate/long",
    "/servers/long",
  ])("keep %s within a phone's window", async (path) => {
    await open(path);
    expect(await widthOf()).toBeLessThanOrEqual(390);
  });

  async function open(path: string): Promise<void> {
    const answer = await page.goto(`/en${path}`);
    expect(answer?.status()).toBe(200);
  }

  function widthOf(): Promise<number> {
    return page.evaluate(() => {
      for (const folded of document.querySelectorAll("main details")) folded.setAttribute("open", "");
      return document.documentElement.scrollWidth;
    });
  }
});

const EVERYTHING = `A **plain** rifle, see https://example.org/wiki/rifle and [the guide](https://example.org).
Since 2026-01-31, ~~2025~~. ![A picture](https://example.org/rifle.png)

# Where to find it

- In a shop
- From *somebody*
  1. nested

##### In towns

> He who has it, has it.

| Shop | Price | What they say of it |
|------|------:|---------------------|
| Ammu-Nation | 1200 | a rather long text that has to wrap somewhere |
| Black market | 800 | ${"long".repeat(30)} |

\`\`\`
give weapon_24 100 ${"and more ".repeat(20)}
\`\`\`

${"word".repeat(60)}

שלום עולם, <b onclick="alert(1)">HTML</b> \u202eand back.

---`;

it("a page with everything that a description may have has no faults", async () => {
  await site.database.db("items").where({ id: "weapon-24" }).update({ description: EVERYTHING });
  const { page, complaints } = await site.visit({ viewport: { width: 1280, height: 844 } });
  const answer = await page.goto("/en/items/weapon-24");
  expect(await faultsOfHtml((await answer?.text()) ?? "")).toEqual([]);
  expect(await faultsOfHeadings(page)).toEqual([]);
  expect(await faultsByAxe(page)).toEqual([]);
  for (const width of [1280, 390]) expect(await faultsOfReflow(page, width)).toEqual([]);
  expect(complaints).toEqual([]);
});

it("a description's letters decide its direction, and turn nothing around it", async () => {
  await site.database
    .db("items")
    .where({ id: "weapon-22" })
    .update({ description: "\u202eשלום, [a](https://e.org)" });
  const { page } = await site.visit();
  await page.goto("/en/items/weapon-22");
  const directionOf = (selector: string) =>
    page
      .locator(selector)
      .first()
      .evaluate((element) => getComputedStyle(element).direction);
  expect(await directionOf(".description")).toBe("rtl");
  expect(await directionOf("h1")).toBe("ltr");
  expect(await page.locator(".description").innerText()).not.toContain("\u202e");
});
