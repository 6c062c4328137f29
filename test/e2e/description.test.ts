import { expect, it } from "vitest";
import { useBrowserSite } from "../helpers/browser.ts";
import { faultsByAxe, faultsOfHeadings, faultsOfHtml, faultsOfReflow } from "./page-faults.ts";

const site = useBrowserSite();

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

it.each([1280, 390])(
  "a page with everything that a description may have is without faults at %i",
  async (width) => {
    await site.database.db("items").where({ id: "weapon-24" }).update({ description: EVERYTHING });
    const { page, context, complaints } = await site.visit({ viewport: { width, height: 844 } });
    const answer = await page.goto("/en/items/weapon-24", { waitUntil: "networkidle" });
    expect(await faultsOfHtml((await answer?.text()) ?? "")).toEqual([]);
    expect(await faultsOfHeadings(page)).toEqual([]);
    expect(await faultsByAxe(page)).toEqual([]);
    expect(await faultsOfReflow(page, width)).toEqual([]);
    expect(complaints).toEqual([]);
    await context.close();
  },
);

it("a description's letters decide its direction, and turn nothing around it", async () => {
  await site.database
    .db("items")
    .where({ id: "weapon-22" })
    .update({ description: "\u202eשלום, [a](https://e.org)" });
  const { page, context } = await site.visit();
  await page.goto("/en/items/weapon-22");
  const directionOf = (selector: string) =>
    page
      .locator(selector)
      .first()
      .evaluate((element) => getComputedStyle(element).direction);
  expect(await directionOf(".description")).toBe("rtl");
  expect(await directionOf("h1")).toBe("ltr");
  expect(await page.locator(".description").innerText()).not.toContain("\u202e");
  await context.close();
});
