import { beforeAll, expect, it } from "vitest";
import { useBrowserSite } from "../helpers/browser.ts";
import { addDiscount, addDonateItem, addServer } from "../helpers/things.ts";

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

it.each([
  "/",
  "/search?q=turned",
  `/search?q=${encodeURIComponent(HEBREW)}`,
  "/items",
  `/items?category=${encodeURIComponent(HEBREW)}`,
  "/items/hebrew",
  "/items/turned",
  "/vehicles",
  "/compare/items?id=hebrew&id=turned",
  "/donate",
  "/donate/hebrew",
  "/servers",
  "/servers/hebrew",
])("names turn nothing around them on %s", async (path) => {
  const { page, context } = await site.visit();
  const answer = await page.goto(`/en${path}`);
  expect(answer?.status()).toBe(200);
  const { found, turning } = await page.evaluate(findTurning);
  expect(found).toBeGreaterThan(0);
  expect(turning).toEqual([]);
  await context.close();
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
