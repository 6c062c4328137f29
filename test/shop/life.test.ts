import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { importRecords } from "../../src/exchange/import/import-records.ts";
import { type Agent, useTestApp } from "../helpers/app.ts";
import { emptyTables } from "../helpers/database.ts";
import { formOf, saveThroughPreview } from "../helpers/discount-form.ts";
import { addItem, HOUR_MS } from "../helpers/donate.ts";
import { mainOf, textOf } from "../helpers/html.ts";
import { notifyAll } from "../helpers/notify.ts";

const site = useTestApp();

let agent: Agent;
let fan: number;

beforeAll(async () => {
  ({ agent } = await site.logIn(await site.createUser({ role: "operator" })));
  fan = (await site.createUser()).id;
});

beforeEach(async () => {
  await emptyTables(site.db, "donate_items, discount_runs, notifications");
  await addItem(site.db, { id: "gold", name: "Gold", price: "9.99" });
  await site.db("donate_favorites").insert({ user_id: fan, item_key: "gold" });
});

/** The terms of a discount; times are whole minutes, so that every way can express them. */
interface Asked {
  title?: string;
  percent?: string;
  price?: string;
  starts: Date | null;
  ends: Date | null;
}

/** A way to make a discount, to change it and to end it. */
interface Way {
  name: string;
  add(asked: Asked): Promise<string>;
  change(id: string, asked: Asked): Promise<void>;
  end(id: string): Promise<void>;
}

const minutes = (hours: number) => new Date(Math.floor(Date.now() / 60_000) * 60_000 + hours * HOUR_MS);
const latestId = async () => (await site.db("discounts").orderBy("created_at", "desc").first("id")).id;

function typed({ title = "", percent, price, starts, ends }: Asked): Record<string, string> {
  const local = (time: Date | null) => time?.toISOString().slice(0, 16) ?? "";
  const terms =
    price === undefined ? { kind: "percent", amount: percent ?? "" } : { kind: "price", amount: price };
  return { item: "gold", title, ...terms, starts: local(starts), ends: local(ends), zone: "UTC" };
}

const page: Way = {
  name: "the operators' page",
  async add(asked) {
    await saveThroughPreview(agent, "/operator/new-discount", typed(asked));
    return latestId();
  },
  async change(id, asked) {
    const path = `/operator/discounts/${id}`;
    const form = formOf((await agent.get(path).expect(200)).text);
    const { starts, ...fields } = typed(asked);
    // One that runs has no field for its start.
    await saveThroughPreview(agent, path, {
      ...form,
      ...fields,
      ...("starts" in form && { starts: starts ?? "" }),
    });
  },
  async end(id) {
    const path = `/operator/discounts/${id}/end`;
    const { text } = await agent.get(path);
    await agent.post(path).type("form").send(formOf(text)).expect(303);
  },
};

/** The game's own shop: a file has all fields of a record, and a discount that is gone there is pruned. */
const load = (records: object[], prune = false) =>
  importRecords(site.db, "discounts", records, prune ? { prune: true, force: true } : {});

function recordOf(id: string, { title, percent, price, starts, ends }: Asked) {
  const starts_at = (starts ?? new Date()).toISOString();
  return { id, item_key: "gold", title, percent, price, starts_at, ends_at: ends?.toISOString() };
}

let made = 0;

const byImport: Way = {
  name: "import",
  async add(asked) {
    made += 1;
    await load([recordOf(`d${made}`, asked)]);
    return `d${made}`;
  },
  async change(id, asked) {
    const { starts_at } = await site.db("discounts").where({ id }).first();
    await load([recordOf(id, { ...asked, starts: asked.starts ?? starts_at })]);
  },
  async end(id) {
    const { starts_at, ...row } = await site.db("discounts").where({ id }).first();
    if (starts_at > new Date()) return void (await load([], true));
    const ended = { title: row.title, percent: row.percent ?? undefined, price: row.price ?? undefined };
    await load([recordOf(id, { ...ended, starts: starts_at, ends: new Date() })]);
  },
};

/** What a buyer sees of the item's price. */
async function shown(): Promise<string> {
  const { text } = await agent.get("/donate/gold").expect(200);
  return textOf(/class="shop-price">([\s\S]*?)<\/p>/.exec(text)?.[1] ?? "");
}

/** Prices in the notifications of the item's fan, in order. */
async function told(): Promise<string[]> {
  await notifyAll(site.db);
  return site.db("notifications").where({ user_id: fan }).orderBy("id").pluck("new_price");
}

describe.each([page, byImport])("a discount by $name", (way) => {
  it("is neither shown nor announced to users before its start, and never if it is withdrawn", async () => {
    const id = await way.add({ price: "5", starts: minutes(2), ends: minutes(5) });
    expect((await site.db("discounts").where({ id }).first()).starts_at).toEqual(minutes(2));
    expect(await shown()).toBe("9.99 EUR");
    expect(await told()).toEqual([]);
    await way.end(id);
    expect(await site.db("discounts")).toEqual([]);
    expect(await told()).toEqual([]);
  });

  it("notifies once, and nobody again when its text, its price or its end changes while it runs", async () => {
    const id = await way.add({ title: "One", percent: "25", starts: null, ends: minutes(5) });
    expect(await site.db("discounts").where({ id }).first()).toMatchObject({
      ...{ item_key: "gold", percent: "25.00", price: null, ends_at: minutes(5), run: 1, demo: false },
    });
    expect(await shown()).toBe("was 9.99 EUR now 7.49 EUR");
    expect(await told()).toEqual(["7.49"]);
    expect(await told()).toEqual(["7.49"]);
    await way.change(id, { title: "Two", percent: "25", starts: null, ends: minutes(5) });
    await way.change(id, { title: "Two", percent: "25", starts: null, ends: minutes(9) });
    await way.change(id, { title: "Two", price: "4", starts: null, ends: null });
    expect(await shown()).toBe("was 9.99 EUR now 4.00 EUR");
    expect(await told()).toEqual(["7.49"]);
    expect(await site.db("discounts").first()).toMatchObject({
      run: 1,
      title: "Two",
      price: "4.00",
      ends_at: null,
    });
  });

  it("ends at once on request, and a new one notifies again", async () => {
    const id = await way.add({ percent: "25", starts: null, ends: null });
    expect(await told()).toEqual(["7.49"]);
    await way.end(id);
    expect(await shown()).toBe("9.99 EUR");
    await way.add({ percent: "50", starts: null, ends: null });
    expect(await shown()).toBe("was 9.99 EUR now 5.00 EUR");
    expect(await told()).toEqual(["7.49", "5.00"]);
    const { text } = await agent.get("/donate/gold");
    expect(textOf(mainOf(text))).toMatch(/Between 5.00 EUR and 9.99 EUR since .* UTC \. Now 5.00 EUR\./);
  });

  it("gives way to a lower price while both run", async () => {
    await way.add({ price: "6", starts: null, ends: null });
    const lower = await way.add({ percent: "50", starts: null, ends: null });
    expect(await shown()).toBe("was 9.99 EUR now 5.00 EUR");
    await way.end(lower);
    expect(await shown()).toBe("was 9.99 EUR now 6.00 EUR");
  });

  it("runs and notifies again with a new period after its end", async () => {
    const id = await way.add({ percent: "25", starts: null, ends: minutes(5) });
    expect(await told()).toEqual(["7.49"]);
    await site.db("discounts").update({ starts_at: minutes(-5), ends_at: minutes(-4) });
    await way.change(id, { percent: "10", starts: new Date(), ends: minutes(5) });
    expect(await site.db("discounts").first()).toMatchObject({ run: 2, percent: "10.00" });
    expect(await shown()).toBe("was 9.99 EUR now 8.99 EUR");
    expect(await told()).toEqual(["7.49", "8.99"]);
  });
});
