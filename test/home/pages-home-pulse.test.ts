import request from "supertest";
import { beforeEach, describe, expect, it } from "vitest";
import { useTestApp } from "../helpers/app.ts";
import { emptyCatalogue, insertRecords } from "../helpers/catalogue.ts";
import { addDiscount, addItem } from "../helpers/donate.ts";
import { attributes, elements, mainOf, plainSpaces, textOf } from "../helpers/html.ts";
import { addRecords, addServer, bucketBefore, HOUR_MS, MINUTE_MS } from "../helpers/servers.ts";

const site = useTestApp();

beforeEach(async () => {
  await emptyCatalogue(site.db);
  await site.db.raw("truncate servers, donate_items, catalogue_revisions cascade");
});

async function home(path = "/en"): Promise<string> {
  return mainOf((await request(site.app).get(path).expect(200)).text);
}

function panel(html: string, id: string): string {
  return elements(html, "section").find((section) => section.includes(`id="${id}"`)) ?? "";
}

/** A server with one count in each of the last hours, the oldest first. */
async function played(id: string, counts: readonly (number | null)[]) {
  const online = counts.at(-1) ?? 0;
  await addServer(site.db, { id, status: "online", online, max_online: 100, checked_at: new Date() });
  const at = await bucketBefore(site.db, counts.length);
  const measured = counts.flatMap((count, hour) =>
    count === null
      ? []
      : [0, 15, 30, 45].map((minute) => ({
          at: new Date(at + hour * HOUR_MS + minute * MINUTE_MS),
          online: count,
          max_online: 100,
        })),
  );
  await addRecords(site.db, id, measured);
}

describe("the last 24 hours on the start page", () => {
  it("are those of all servers together, behind the search box and in words", async () => {
    await played("a", [10, 20, 30, 40]);
    await played("b", [5, 5, 5, 5]);
    const html = await home();
    expect(textOf(html)).toContain("Last 24 hours: 15 to 45 players online");
    const [area = "", line = ""] = attributes(elements(html, "svg")[0] ?? "", "d");
    expect(area.match(/M/g)).toHaveLength(1);
    expect(line).toMatch(/^M\d+ \d+L/);
    expect(textOf(await home("/ru"))).toContain("Онлайн за сутки: от 15 до 45");
  });

  it("have a gap where no server was measured, and nothing made up", async () => {
    await played("a", [10, null, null, 40]);
    const [area = ""] = attributes(elements(await home(), "svg")[0] ?? "", "d");
    expect(area.match(/M/g)).toHaveLength(2);
    expect(area.match(/z/g)).toHaveLength(2);
  });

  it("are not shown while too little is known, or nobody played", async () => {
    await played("a", [10]);
    expect(await home()).not.toContain('class="pulse"');
    await site.db.raw("truncate servers cascade");
    await played("b", [0, 0, 0, 0]);
    expect(await home()).not.toContain('class="pulse"');
  });

  it("stand as a line below each of the busiest servers", async () => {
    await played("a", [10, 20, 30, 90]);
    await played("quiet", [3, 3, 3, 0]);
    const lines = attributes(panel(await home(), "busiest"), "aria-label").filter((label) =>
      /\d/.test(label),
    );
    expect(lines).toEqual([expect.stringContaining("90")]);
  });
});

describe("the greatest discount", () => {
  it("stands before the others with its picture, and with the time left as the script counts it on", async () => {
    await addItem(site.db, { id: "hat", name: "Hat", image: "/assets/hat.png" });
    await addItem(site.db, { id: "car", name: "Car" });
    await addDiscount(site.db, { id: "1", item_key: "car", percent: "20", ends: 1 });
    await addDiscount(site.db, { id: "2", item_key: "hat", percent: "40", ends: 50.5 });
    const page = await request(site.app).get("/en").expect(200);
    const sale = panel(mainOf(page.text), "sale");
    expect(plainSpaces(textOf(sale))).toMatch(
      /^On sale now Hat −40% was 10\.00 EUR now 6\.00 EUR until .* UTC \( 2 days left \) Car was/,
    );
    expect(attributes(sale, "src")).toContain("/assets/hat.png");
    const [ends = ""] = attributes(sale, "data-ends");
    const { ends_at } = await site.db("discounts").where({ id: "2" }).first();
    expect(new Date(ends)).toEqual(ends_at);
    expect(page.text).toMatch(/<script type="module" src="\/assets\/js\/shop\/shop[^"]*">/);
  });
});

describe("what changed", () => {
  const newest = async (path?: string) => plainSpaces(textOf(panel(await home(path), "newest")));

  it("is in words, as on an entry's page", async () => {
    await insertRecords(site.db, "items", [
      {
        id: "ak",
        name: "AK-47",
        category: "Guns",
        attributes: { price: 4200, weight: 3, clip: 30, slot: 1 },
      },
    ]);
    expect(await newest()).not.toContain("→");
    const change = (changes: object) =>
      site
        .db("items")
        .where({ id: "ak" })
        .update({ ...changes, revision: site.db.raw("revision + 1"), updated_at: new Date() });
    await change({ attributes: { price: 3900, weight: 3, clip: 30, slot: 1 } });
    expect(await newest()).toContain("Price: 4,200 → 3,900");
    expect(await newest("/ru")).toContain("4 200 → 3 900");
    await change({ attributes: { price: 3800, weight: 4, clip: 31, slot: 2 } });
    const many = await newest();
    expect(many.match(/→/g)).toHaveLength(2);
    expect(many).toContain("and 2 more");
    expect(many).not.toContain("4,200");
  });

  it("leaves out long texts, and markup of a name is text", async () => {
    await insertRecords(site.db, "items", [
      { id: "1", name: "Old", description: "A long text. ".repeat(20) },
    ]);
    await site.db("items").update({ description: "Another long text. ".repeat(20), revision: 2 });
    expect(await newest()).not.toContain("→");
    await site.db("items").update({ name: "<b>New</b>", revision: 3 });
    expect(panel(await home(), "newest")).toContain("Old → &lt;b&gt;New&lt;/b&gt;");
  });
});
