import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { changeDiscount } from "../../src/shop/save-discount.ts";
import { type Agent, useTestApp } from "../helpers/app.ts";
import { emptyTables, shortenLockTimeouts, waitForLocks } from "../helpers/database.ts";
import { formOf, saveThroughPreview } from "../helpers/discount-form.ts";
import { addDiscount, addItem, HOUR_MS } from "../helpers/donate.ts";
import { mainOf, textOf } from "../helpers/html.ts";

const site = useTestApp();
const NEW = "/operator/new-discount";
const EVIL = `<script>alert("x")</script>`;

let agent: Agent;

beforeAll(async () => {
  const operator = await site.createUser({ role: "operator" });
  await site.db("users").where({ id: operator.id }).update({ time_zone: "Europe/Berlin" });
  ({ agent } = await site.logIn(operator));
});

beforeEach(async () => {
  await emptyTables(site.db, "donate_items, discount_runs");
  await site.db("users").where({ role: "user" }).delete();
  await addItem(site.db, { id: "gold", name: "Gold VIP", price: "9.99" });
});

const typed = (fields: Record<string, string> = {}) => ({
  item: "gold",
  title: "Golden days",
  kind: "percent",
  amount: "25",
  starts: "",
  ends: "",
  zone: "Europe/Berlin",
  ...fields,
});

/** A discount of the item that every test has. */
const onSale = (
  id: string,
  more: Omit<Parameters<typeof addDiscount>[1], "id" | "item_key"> = { percent: "10" },
) => addDiscount(site.db, { id, item_key: "gold", ...more });
const discountPath = (id: string) => `/operator/discounts/${encodeURIComponent(id)}`;
const read = (html: string) => textOf(mainOf(html));
const stored = (id?: string) =>
  site
    .db("discounts")
    .where(id === undefined ? {} : { id })
    .first();

async function open(path: string, status = 200): Promise<string> {
  const { text } = await agent.get(path).expect(status);
  return text;
}

async function send(path: string, fields: Record<string, string>, status: number): Promise<string> {
  const { text } = await agent.post(path).type("form").send(fields).expect(status);
  return text;
}

async function preview(path: string, fields: Record<string, string>, status = 200): Promise<string> {
  return send(path, { ...fields, step: "preview" }, status);
}

/** What clocks in Berlin show some hours from now. */
async function localTime(hours: number): Promise<string> {
  const { rows } = await site.db.raw(
    `select to_char((now() + make_interval(secs => ?::float8 * 3600)) at time zone 'Europe/Berlin', 'YYYY-MM-DD"T"HH24:MI') as text`,
    [hours],
  );
  return rows[0].text;
}

/** Gives an item so many users who wait for it. */
async function addFavorites(count: number, itemKey = "gold"): Promise<number[]> {
  const names = Array.from({ length: count }, () => randomBytes(6).toString("hex"));
  const users: { id: number }[] = await site
    .db("users")
    .insert(names.map((name) => ({ name, name_key: name, password_hash: "$argon2id$x" })))
    .returning("id");
  await site.db("donate_favorites").insert(users.map(({ id }) => ({ user_id: id, item_key: itemKey })));
  return users.map(({ id }) => id);
}

describe("the operators' pages of discounts", () => {
  it("uses the words of docs/discounts.md for its links", async () => {
    const [, inHead, there] = /find \*\*(\w+)\*\* in the head[^*]*\*\*([\w ]+)\*\*/.exec(
      readFileSync("docs/discounts.md", "utf8"),
    ) as unknown as [string, string, string];
    const { text: home } = await agent.get("/").expect(200);
    expect(textOf(/<header[\s\S]*?<\/header>/.exec(home)?.[0] ?? "")).toContain(inHead);
    expect(textOf(mainOf((await agent.get("/operator").expect(200)).text))).toContain(there);
  });

  it("returns 404 for an unknown discount", async () => {
    for (const id of ["x", "a%00b"]) {
      await agent.get(`/operator/discounts/${id}`).expect(404);
      await agent.get(`/operator/discounts/${id}/end`).expect(404);
      await agent.post(`/operator/discounts/${id}/end`).expect(404);
      await agent.post(`/operator/discounts/${id}`).type("form").send(typed()).expect(404);
    }
  });
});

describe("the list of discounts", () => {
  it("is grouped by running, coming and past", async () => {
    await onSale("p", { percent: "1", title: "Was", starts: -9, ends: -8 });
    await onSale("c", { price: "5", title: "Will be", starts: 8, ends: 9 });
    await onSale("r", { percent: "25", title: "Is" });
    const text = read(await open("/operator/discounts"));
    expect(text).toMatch(
      /All 3 Current 1 Upcoming 1 Past 1 Current 1 .* Is .* Upcoming 1 .* Will be .* Past 1 .* Was/,
    );
    expect(text).toContain("25% off was 9.99 EUR 7.49 EUR");
    expect(text).toContain("Will be was 9.99 EUR 5.00 EUR");
    const past = read(await open("/operator/discounts?phase=past"));
    expect(past).toContain("Was");
    expect(past).not.toMatch(/Will be|Change/);
    await open("/operator/discounts?phase=over", 400);
  });

  it("is searched by item, title and id, as text", async () => {
    await addItem(site.db, { id: "hat", name: "Hat 100%" });
    await onSale("one", { percent: "1", title: "First_of_all" });
    await addDiscount(site.db, { id: "two", item_key: "hat", percent: "1", title: EVIL });
    const found = async (q: string) => {
      const html = await open(`/operator/discounts?q=${encodeURIComponent(q)}`);
      expect(html).not.toContain(EVIL);
      return ["one", "two"].filter((id) => html.includes(`href="${discountPath(id)}"`));
    };
    expect(await found("")).toEqual(["one", "two"]);
    expect(await found("gold vip")).toEqual(["one"]);
    expect(await found("T_OF")).toEqual(["one"]);
    expect(await found("100%")).toEqual(["two"]);
    expect(await found("%")).toEqual(["two"]);
    expect(await found("two")).toEqual(["two"]);
    expect(await found("gold \\ 100%")).toEqual([]);
    expect(await found(EVIL)).toEqual(["two"]);
  });

  it("has pages", async () => {
    for (let n = 0; n < 51; n++) {
      await onSale(`d${n}`, { percent: "1", starts: -60 + n, ends: 100 - n });
    }
    const first = await open("/operator/discounts?q=gold");
    expect(first).toContain('href="/operator/discounts?q=gold&amp;page=2"');
    expect(first.match(/End now/g)).toHaveLength(50);
    expect((await open("/operator/discounts?q=gold&page=2")).match(/End now/g)).toHaveLength(1);
  });

  it("says so when there is nothing", async () => {
    expect(read(await open("/operator/discounts"))).toContain("There are no discounts yet.");
    expect(read(await open("/operator/discounts?phase=coming"))).toContain(
      "There are no upcoming discounts.",
    );
    expect(read(await open("/operator/discounts?q=x"))).toContain("No discount matches “x” by title");
  });
});

describe("a new discount", () => {
  it("is previewed and saved; nothing is saved before that", async () => {
    const html = await preview(NEW, { ...typed(), ends: await localTime(48) });
    expect(read(html)).toContain("Old price 9.99 EUR New price 7.49 EUR 2.50 EUR less (25%)");
    expect(read(html)).toContain("From As soon as it is saved");
    expect(await stored()).toBeUndefined();
    await send(NEW, { ...formOf(html), step: "save" }, 303);
    const row = await stored();
    expect(row).toMatchObject({ item_key: "gold", title: "Golden days", percent: "25.00", price: null });
    expect(row).toMatchObject({ announced: false, demo: false, run: 1, told_at: null });
    expect(row.id).toMatch(/^golden-days-[0-9a-f]{8}$/);
    expect(Math.abs(row.starts_at.getTime() - Date.now())).toBeLessThan(60_000);
    expect(read(await open("/operator/discounts"))).toContain("Discount saved. It’s running now.");
    expect(read(await open("/donate/gold"))).toContain("was 9.99 EUR now 7.49 EUR");
  });

  it("is one, however often its form is sent", async () => {
    const fields = { ...formOf(await preview(NEW, typed())), step: "save" };
    await send(NEW, fields, 303);
    await send(NEW, fields, 303);
    expect(await site.db("discounts")).toHaveLength(1);
    await saveThroughPreview(agent, NEW, typed());
    expect(await site.db("discounts")).toHaveLength(2);
  });

  it("is not lost where its form is sent again with something else: that becomes a change of it", async () => {
    const first = formOf(await preview(NEW, typed({ amount: "10" })));
    await send(NEW, { ...first, step: "save" }, 303);
    const { id } = await stored();
    for (const step of ["edit", "preview", "save"]) {
      const again = { ...first, amount: "40", seen: "new 1 9.99 5.99", step };
      const html = await send(NEW, again, 409);
      expect(read(html)).toContain("This form has already been saved: as a discount on Gold VIP, 10% off");
      expect(html).toContain(`<form class="form" method="post" action="${discountPath(id)}">`);
      expect(formOf(html)).toMatchObject({ amount: "40", id });
      expect(await stored()).toMatchObject({ percent: "10.00", revision: 1 });
    }
    const html = await send(NEW, { ...first, amount: "40", step: "edit" }, 409);
    await saveThroughPreview(agent, discountPath(id), formOf(html));
    expect(await site.db("discounts")).toEqual([expect.objectContaining({ id, percent: "40.00" })]);
  });

  it("becomes another one where its form is sent again for another item", async () => {
    await addItem(site.db, { id: "hat", name: "Hat", price: "9.99" });
    const first = formOf(await preview(NEW, typed()));
    await send(NEW, { ...first, step: "save" }, 303);
    const html = await send(NEW, { ...first, item: "hat", step: "save" }, 409);
    expect(read(html)).toContain("Saving it creates another discount");
    await saveThroughPreview(agent, NEW, formOf(html));
    expect(await site.db("discounts").orderBy("item_key").pluck("item_key")).toEqual(["gold", "hat"]);
  });

  it("begins with the item that its link names, in the operator's own zone", async () => {
    const html = await open(`${NEW}?item=gold`);
    expect(formOf(html)).toMatchObject({ item: "gold", zone: "Europe/Berlin", kind: "percent" });
    const select = html.split(' id="zone"')[1] ?? "";
    const zones = [...select.matchAll(/<option value="([^"]*)"/g)].map((match) => match[1]);
    expect(zones.slice(0, 2)).toEqual(["Europe/Berlin", "UTC"]);
    expect(zones).toContain("Asia/Kathmandu");
    expect(new Set(zones).size).toBe(zones.length);
  });

  it("finds its item by the key in any case or by a unique name, and lists the candidates otherwise", async () => {
    expect(read(await preview(NEW, typed({ item: "gold vip" })))).toContain("Item Gold VIP gold");
    await addItem(site.db, { id: "gold-2", name: "Gold VIP" });
    const refused = read(await preview(NEW, typed({ item: "Gold VIP" }), 400));
    expect(refused).toContain("Item is ambiguous: enter the ID of one of the items below.");
    expect(refused).toMatch(/gold Gold VIP, 9.99 EUR gold-2 Gold VIP, 10.00 EUR/);
    expect(read(await preview(NEW, typed({ item: "silver" }), 400))).toContain("Item is not in the shop.");
    expect(read(await preview(NEW, typed({ item: "" }), 400))).toContain("Item is required.");
    await preview(NEW, typed({ item: "a\0b" }), 400);
    expect(read(await preview(NEW, typed({ item: "Gold" })))).toContain("Item Gold VIP gold Old price");
    await addItem(site.db, { id: "gold vip", name: "Another" });
    expect(read(await preview(NEW, typed({ item: "gold vip" })))).toContain("Item Another gold vip");
  });

  it("takes the only item that has the typed words, and saves the one that its preview shows", async () => {
    await addItem(site.db, { id: "card-1", name: "Platinum card", price: "9.99" });
    const html = await preview(NEW, typed({ item: "Platinum" }));
    expect(read(html)).toContain("Item Platinum card card-1");
    await addItem(site.db, { id: "card-2", name: "Platinum card for a year" });
    await send(NEW, { ...formOf(html), step: "save" }, 303);
    expect(await stored()).toMatchObject({ item_key: "card-1" });
    expect(read(await preview(NEW, typed({ item: "Platinum" }), 400))).toContain("Item is ambiguous");
  });

  it.each(["25%", "25 %", "25,0%", " 25.00\u00a0% "])("takes the percent sign of %j", async (amount) => {
    await saveThroughPreview(agent, NEW, typed({ amount }));
    expect(await stored()).toMatchObject({ percent: "25.00", price: null });
  });

  it.each([
    [{ amount: "" }, "Amount is required"],
    [{ amount: "%" }, 'Amount must be a number such as 12.50, not "%"'],
    [{ amount: "25%", kind: "price" }, 'Amount must be a number such as 12.50, not "25%"'],
    [{ amount: "101" }, 'Amount must be above 0 and at most 100, not "101"'],
    [{ amount: "1 000,5", kind: "percent" }, "Amount must be above 0 and at most 100, not"],
    [{ amount: "1,000", kind: "price" }, 'Amount is ambiguous: "1,000" may mean 1000 or a fraction'],
    [
      { amount: "1,2345", kind: "price" },
      'Amount has more than two digits after the decimal point: "1,2345"',
    ],
    [{ amount: "9.99", kind: "price" }, "Amount must be below the item’s price, 9.99 EUR"],
    [{ amount: "0.01" }, "Amount doesn’t lower the item’s price, 9.99 EUR"],
    [{ kind: "gift" }, "Discount must be percent or price"],
    [{ title: "\u200b" }, "Title (English) has no visible character"],
    [{ title: "x".repeat(301) }, "Title (English) must be at most 300 characters long"],
    [{ zone: "Mars" }, "Time zone must be the name of a time zone"],
    [{ zone: "+02:00" }, "Time zone must be the name of a time zone"],
    [{ starts: "2020-01-01T00:00" }, "Start is in the past; leave it blank to start now"],
    [{ starts: "yesterday" }, "Start must be a date and a time such as"],
    [{ ends: "2020-01-01T00:00" }, "End must be after the start"],
    [{ ends: "9999-12-31T23:59", zone: "Pacific/Niue" }, "End must be in the years 1 to 9999 of UTC"],
    [{ starts: "2099-01-02T00:00", ends: "2099-01-02T00:00" }, "End must be after the start"],
    [
      { ends: "2095-03-27T02:30" },
      "End does not exist in Europe/Berlin: clocks there go from 02:00 to 03:00",
    ],
  ])("is refused with what was typed kept: %j", async (fields, message) => {
    const html = await preview(NEW, typed(fields), 400);
    expect(read(html)).toContain(message);
    const { kind: _kind, ...kept } = typed(fields);
    if (!("zone" in fields)) expect(formOf(html)).toMatchObject(kept);
  });

  it("shows every error at once and saves nothing, also without a preview", async () => {
    const fields = { ...typed({ item: "x", amount: "x", starts: "x", ends: "x" }), seen: "new 1 9.99 7.49" };
    const html = read(await send(NEW, { ...fields, step: "save" }, 400));
    for (const label of ["Item", "Amount", "Start", "End"])
      expect(html).toMatch(new RegExp(`${label} (is not|must)`));
    await send(NEW, { ...fields, ...typed({ amount: "101" }), step: "save" }, 400);
    expect(await stored()).toBeUndefined();
  });

  it("needs whole coins where the currency has no smaller ones", async () => {
    await addItem(site.db, { id: "coins", price: "333", currency: "COINS" });
    await addItem(site.db, { id: "halves", price: "3.50", currency: "COINS" });
    const price = (item: string) => typed({ item, kind: "price", amount: "2.5" });
    expect(read(await preview(NEW, price("coins"), 400))).toContain(
      "Amount must be a whole number: COINS has no decimals.",
    );
    expect(read(await preview(NEW, price("halves")))).toContain("New price 2.50 COINS");
    expect(read(await preview(NEW, typed({ item: "coins", amount: "33" })))).toContain("New price 223 COINS");
  });

  it("can give a price to what has none, but take no share of it", async () => {
    await addItem(site.db, { id: "free", price: null });
    const refused = read(await preview(NEW, typed({ item: "free" }), 400));
    expect(refused).toContain("Amount cannot be taken off: the item has no price. Enter a new price.");
    const html = read(await preview(NEW, typed({ item: "free", kind: "price", amount: "2" })));
    expect(html).toContain("Old price none New price 2.00 EUR");
  });

  it("starts at the chosen time of the chosen zone, and keeps every field when its preview leads back", async () => {
    const fields = typed({ kind: "price", amount: "5", starts: await localTime(24), announced: "yes" });
    const html = await send(NEW, { ...formOf(await preview(NEW, fields)), step: "edit" }, 200);
    expect(formOf(html)).toMatchObject(fields);
    await saveThroughPreview(agent, NEW, formOf(html));
    const { rows } = await site.db.raw(
      `select to_char(starts_at at time zone 'Europe/Berlin', 'YYYY-MM-DD"T"HH24:MI') as starts, announced from discounts`,
    );
    expect(rows).toEqual([{ starts: fields.starts, announced: true }]);
  });
});

describe("the preview", () => {
  it("shows which of the discounts of that time wins", async () => {
    const add = (id: string, terms: object, starts: number, ends: number | null) =>
      addDiscount(site.db, { id, item_key: "gold", starts, ends, ...terms });
    await add("cheaper", { price: "5", title: "Half price" }, -1, 3);
    await add("dearer", { percent: "1" }, 1, null);
    await add("before", { price: "1" }, -5, -4);
    await add("after", { price: "1" }, 50, 60);
    const html = await preview(NEW, typed({ starts: await localTime(2), ends: await localTime(40) }));
    const others = read(html).split("Other discounts for this item at that time")[1] ?? "";
    expect(others).toMatch(
      /Half price : 5.00 EUR, .* That one wins: while both run, the item costs 5.00 EUR/,
    );
    // A discount without a title is shown by its id.
    expect(others).toMatch(
      /dearer : 9.89 EUR, .* – no end date This one wins: while both run, the item costs 7.49 EUR/,
    );
    expect(others).not.toMatch(/before|after/);
  });

  it("counts who will be notified: the item's favorites without a notification of this run", async () => {
    const said = read(await preview(NEW, typed()));
    expect(said).toContain("Will be notified Nobody: no one has it in favorites Save");
    await addItem(site.db, { id: "other" });
    const [first = 0, second = 0] = await addFavorites(3);
    await addFavorites(1, "other");
    const told = async (path: string, fields: Record<string, string>) =>
      /Will be notified (\d+ users?|Nobody new|Nobody)\b/.exec(read(await preview(path, fields)))?.[1];
    expect(await told(NEW, typed())).toBe("3 users");
    await onSale("d");
    const notification = { item_key: "gold", item_name: "x", new_price: 1, currency: "EUR", run: 1 };
    const add = (user_id: number) =>
      site.db("notifications").insert({ ...notification, discount_id: "d", user_id });
    await add(first);
    const change = async () =>
      told(discountPath("d"), { ...formOf(await open(discountPath("d"))), amount: "20" });
    expect(await change()).toBe("2 users");
    await add(second);
    expect(await change()).toBe("1 user");
    await site.db("donate_favorites").whereNotIn("user_id", [first, second]).delete();
    expect(await change()).toBe("Nobody new");
    await site.db("discounts").update({
      starts_at: site.db.raw("now() - interval '3 hours'"),
      ends_at: site.db.raw("now() - interval '1 hour'"),
    });
    expect(await change()).toBe("2 users");
  });

  it("is shown again when the item's price has changed before it was saved", async () => {
    const fields = { ...formOf(await preview(NEW, typed())), step: "save" };
    await site.db("donate_items").update({ price: "20" });
    const html = await send(NEW, fields, 200);
    expect(read(html)).toContain("Not saved: the item’s price has changed");
    expect(read(html)).toContain("Old price 20.00 EUR New price 15.00 EUR");
    expect(await stored()).toBeUndefined();
    await send(NEW, { ...formOf(html), step: "save" }, 303);
    expect(await stored()).toBeDefined();
  });
});

describe("changing a discount", () => {
  const change = async (id: string, fields: Record<string, string>) =>
    saveThroughPreview(agent, discountPath(id), { ...formOf(await open(discountPath(id))), ...fields });

  it("shows what is there, and leaves to the microsecond what was not touched", async () => {
    await onSale("d", { price: "7.50", title: "Old", starts: 3, ends: 9, announced: true });
    const times = async () =>
      (await site.db.raw("select starts_at::text, ends_at::text from discounts")).rows;
    const before = await times();
    const form = formOf(await open(discountPath("d")));
    expect(form).toMatchObject({ title: "Old", kind: "price", amount: "7.50", announced: "yes" });
    await change("d", { title: "New" });
    expect(await times()).toEqual(before);
    expect(await stored()).toMatchObject({ title: "New", price: "7.50", announced: true, revision: 2 });
    await change("d", { ends: "", announced: "" });
    expect(await stored()).toMatchObject({ ends_at: null, announced: false, revision: 3 });
  });

  it("asks again if the version that was sent is an object", async () => {
    await onSale("d", { percent: "10", ends: 9 });
    const fields = { ...formOf(await open(discountPath("d"))), version: { toString: 1 }, step: "save" };
    await agent.post(discountPath("d")).send(fields).expect(409);
  });

  it("shows an end that local clocks show in the year 10000 in UTC, not as an open one", async () => {
    await onSale("d", { percent: "10", starts: 3, ends: 9 });
    await site.db("discounts").update({ ends_at: "9999-12-31T23:59:00Z" });
    expect(formOf(await open(discountPath("d")))).toMatchObject({ zone: "UTC", ends: "9999-12-31T23:59" });
    await change("d", { title: "New" });
    expect((await stored()).ends_at.toISOString()).toBe("9999-12-31T23:59:00.000Z");
  });

  it("does not move the start of one that runs", async () => {
    await onSale("d");
    const html = await open(discountPath("d"));
    expect(html).not.toContain('name="starts"');
    const moved = { ...formOf(html), starts: await localTime(5), ends: await localTime(9) };
    expect(read(await preview(discountPath("d"), moved, 400))).toContain(
      "Start cannot be moved: the discount has started.",
    );
    await change("d", { ends: await localTime(9) });
    expect(await stored()).toMatchObject({ run: 1, revision: 2 });
    expect((await stored()).ends_at.getTime()).toBeGreaterThan(Date.now() + 8 * HOUR_MS);
    const ended = { ...formOf(await open(discountPath("d"))), ends: await localTime(-0.1) };
    expect(read(await preview(discountPath("d"), ended, 400))).toContain("End is in the past.");
  });

  it("runs one that is over again", async () => {
    await onSale("d", { percent: "10", starts: -9, ends: -8 });
    const html = await open(discountPath("d"));
    expect(read(html)).toContain(
      "With new dates it runs again, and everyone waiting for it is notified again.",
    );
    expect(formOf(html)).toMatchObject({ starts: "", ends: "", amount: "10" });
    await change("d", { ends: await localTime(2) });
    expect(await stored()).toMatchObject({ run: 2, told_at: null });
  });

  it("tells the later of two operators that it changed meanwhile, and saves what they then confirm", async () => {
    await onSale("d", { percent: "10", title: "Old", ends: 9 });
    const form = formOf(await open(discountPath("d")));
    const ready = formOf(await preview(discountPath("d"), { ...form, title: "Mine", amount: "30" }));
    const input = { title: "Theirs", titles: {}, terms: { percent: "20", price: null }, announced: false };
    const times = { startsAt: null, endsAt: null };
    await changeDiscount(site.db, { id: "d", version: undefined, input: { ...input, ...times } });
    for (const step of ["save", "preview"]) {
      const html = await send(discountPath("d"), { ...ready, step }, 409);
      expect(read(html)).toContain(
        "Someone else changed this discount while you were editing. It is now 20% off",
      );
      expect(read(html)).toContain("with the title “Theirs”");
      expect(formOf(html)).toMatchObject({ title: "Mine", amount: "30" });
      expect(await stored()).toMatchObject({ title: "Theirs", percent: "20.00" });
    }
    const again = formOf(await send(discountPath("d"), { ...ready, step: "save" }, 409));
    await saveThroughPreview(agent, discountPath("d"), again);
    expect(await stored()).toMatchObject({ title: "Mine", percent: "30.00" });
  });

  it("notices a change between its look at the discount and its writing", async () => {
    await onSale("d", { percent: "10", ends: 9 });
    const ready = formOf(await preview(discountPath("d"), formOf(await open(discountPath("d")))));
    const other = await site.db.transaction();
    await other("discounts")
      .where({ id: "d" })
      .update({ title: "Theirs", updated_at: other.raw("clock_timestamp()") });
    const answer = send(discountPath("d"), { ...ready, title: "Mine", step: "save" }, 409);
    await waitForLocks(site.db, 1);
    await other.commit();
    await answer;
    expect(await stored()).toMatchObject({ title: "Theirs" });
  });

  it("waits for an import a little, and then says so with what was typed kept", async () => {
    shortenLockTimeouts();
    await onSale("d", { percent: "10", ends: 9 });
    const ready = formOf(await preview(discountPath("d"), formOf(await open(discountPath("d")))));
    const another = await site.db.transaction();
    await another("donate_items").where({ id: "gold" }).update({ name: "Being imported" });
    try {
      const html = await send(discountPath("d"), { ...ready, title: "Mine", step: "save" }, 503);
      expect(read(html)).toContain("Nothing was changed: an import is writing to the shop");
      expect(formOf(html)).toMatchObject({ title: "Mine" });
      expect(read(await send(`${discountPath("d")}/end`, { wanted: "end" }, 503))).toContain(
        "Nothing was changed",
      );
    } finally {
      await another.rollback();
    }
    await send(discountPath("d"), { ...ready, title: "Mine", step: "save" }, 303);
  });

  it("is 404 when it was withdrawn meanwhile", async () => {
    await onSale("d", { percent: "10", starts: 1, ends: 9 });
    const ready = formOf(await preview(discountPath("d"), formOf(await open(discountPath("d")))));
    await site.db("discounts").delete();
    await send(discountPath("d"), { ...ready, step: "save" }, 404);
    expect(await stored()).toBeUndefined();
  });
});

describe("a discount that starts or ends while somebody is changing it", () => {
  const shift = async (starts: number, ends: number) =>
    site.db.raw(
      "update discounts set starts_at = now() + make_interval(hours => ?), ends_at = now() + make_interval(hours => ?)",
      [starts, ends],
    );
  /** The clock alone makes no change of the record, so that neither its version nor its run is another. */
  const letTimePass = async (starts: number, ends: number) => {
    await site.db.raw("alter table discounts disable trigger user");
    await shift(starts, ends);
    await site.db.raw("alter table discounts enable trigger user");
  };
  const ready = async (fields: Record<string, string>) => {
    const form = formOf(await open(discountPath("d")));
    return { ...formOf(await preview(discountPath("d"), { ...form, ...fields })), step: "save" };
  };

  it("is not run again, with everybody told, before that was seen", async () => {
    await addFavorites(2);
    await onSale("d");
    const fields = await ready({ ends: await localTime(9) });
    await letTimePass(-3, -1);
    const html = await send(discountPath("d"), fields, 200);
    expect(read(html)).toContain("Not saved: the discount has ended since you looked.");
    expect(read(html)).toContain(
      "If you save this, it runs again, and everyone waiting for it is notified again.",
    );
    expect(read(html)).toContain("Will be notified 2 users");
    expect(await stored()).toMatchObject({ run: 1, revision: 1 });
    await send(discountPath("d"), { ...formOf(html), step: "save" }, 303);
    expect(await stored()).toMatchObject({ run: 2 });
  });

  it("is not changed after its start as one that comes", async () => {
    await onSale("d", { percent: "10", starts: 2, ends: 9 });
    const fields = await ready({ starts: "", amount: "50" });
    await letTimePass(-1, 9);
    const html = await send(discountPath("d"), fields, 200);
    expect(read(html)).toContain("Not saved: the discount has started since you looked.");
    expect(await stored()).toMatchObject({ percent: "10.00" });
    await send(discountPath("d"), { ...formOf(html), step: "save" }, 303);
    expect(await stored()).toMatchObject({ percent: "50.00", run: 1 });
  });

  it("is looked at once more under its lock", async () => {
    await onSale("d", { percent: "10", starts: -3, ends: -1 });
    const input = { title: null, terms: { percent: "20", price: null }, startsAt: null, endsAt: null };
    const saved = await changeDiscount(site.db, {
      id: "d",
      phase: "running",
      input: { ...input, titles: {}, announced: false },
    });
    expect(saved).toMatchObject({ outcome: "moved on", known: { id: "d", phase: "past" } });
    expect(await stored()).toMatchObject({ run: 1, percent: "10.00" });
  });
});

describe("ending a discount", () => {
  const end = (id: string) => `${discountPath(id)}/end`;

  it("asks for confirmation, and shows what the item costs then", async () => {
    await onSale("d", { percent: "50" });
    expect(read(await open(end("d")))).toContain(
      "the item costs 5.00 EUR with it. Once it ends, the item costs 9.99 EUR.",
    );
    await onSale("e", { percent: "10", title: "Other" });
    await onSale("f", { percent: "40", starts: 1, ends: 2 });
    expect(read(await open(end("d")))).toContain("Once it ends, the item costs 8.99 EUR, thanks to Other.");
    expect((await stored("d")).ends_at.getTime()).toBeGreaterThan(Date.now());
  });

  it("ends what runs, now: the shop has the old price at once", async () => {
    await onSale("d", { percent: "50" });
    await send(end("d"), formOf(await open(end("d"))), 303);
    const { rows } = await site.db.raw("select ends_at <= now() as over, run, told_at from discounts");
    expect(rows).toEqual([{ over: true, run: 1, told_at: null }]);
    expect(read(await open("/operator/discounts"))).toContain("The discount has ended.");
    expect(read(await open("/donate/gold"))).toMatch(/Copy link 9\.99 EUR/);
    expect(read(await open(end("d")))).toContain("There is nothing to end.");
    await send(end("d"), { wanted: "end" }, 303);
    expect(read(await open("/operator/discounts"))).toContain("The discount had already ended.");
  });

  it("ends one that began this very moment", async () => {
    await onSale("d", { percent: "50", ends: null });
    await site.db.raw("update discounts set starts_at = clock_timestamp()");
    await send(end("d"), { wanted: "end" }, 303);
    expect(
      (await site.db.raw("select ends_at <= clock_timestamp() + interval '1 second' as over from discounts"))
        .rows,
    ).toEqual([{ over: true }]);
  });

  it("withdraws what comes: nothing of it is left", async () => {
    await onSale("d", { percent: "50", starts: 1, ends: 2, announced: true });
    const html = await open(end("d"));
    expect(read(html)).toContain("If you withdraw it, it won’t start and nobody will be notified.");
    await send(end("d"), formOf(html), 303);
    expect(await stored()).toBeUndefined();
    expect(read(await open("/donate/gold"))).not.toContain("Upcoming");
  });

  it("does not withdraw one that has started since the question", async () => {
    await onSale("d", { percent: "50", starts: 1, ends: 2 });
    const fields = formOf(await open(end("d")));
    await site.db.raw("update discounts set starts_at = now() - interval '1 second'");
    const html = await send(end("d"), fields, 409);
    expect(read(html)).toContain("It has started in the meantime");
    expect((await stored()).ends_at.getTime()).toBeGreaterThan(Date.now());
    await send(end("d"), formOf(html), 303);
    expect((await stored()).ends_at.getTime()).toBeLessThanOrEqual(Date.now());
  });
});

describe("the operators' pages in Russian", () => {
  const russian = async (path: string) => read(await open(`/ru${path}`));

  it("shows errors and prices in Russian and keeps what was typed", async () => {
    await site
      .db("donate_items")
      .where({ id: "gold" })
      .update({ price: "1234.50", names: { ru: "Золотой VIP" } });
    const html = await preview(`/ru${NEW}`, typed({ amount: "1234.50", kind: "price" }), 400);
    expect(read(html)).toContain("Размер скидки: нужно меньше цены товара, 1 234,50 EUR.");
    expect(formOf(html)).toMatchObject({ amount: "1234.50" });
    expect(html).toContain(`action="/ru${NEW}"`);
    const gap = typed({ zone: "Europe/Berlin", ends: "2095-03-27T02:30" });
    expect(read(await preview(`/ru${NEW}`, gap, 400))).toContain(
      "Конец: такого времени в поясе Europe/Berlin не бывает: часы там переводят с 02:00 на 03:00.",
    );
    const number = typed({ amount: "1;5" });
    expect(read(await preview(`/ru${NEW}`, number, 400))).toContain(
      "Размер скидки: нужно число, например 12,50, а не «1;5».",
    );
  });

  it("saves what was previewed, with a comma in the amount, and leads back to pages in Russian", async () => {
    const shown = await preview(`/ru${NEW}`, typed({ amount: "12,5" }));
    expect(read(shown)).toContain("Пока ничего не сохранено.");
    expect(read(shown)).toContain("Новая цена 8,74 EUR");
    const saved = await agent
      .post(`/ru${NEW}`)
      .type("form")
      .send({ ...formOf(shown), step: "save" })
      .expect(303);
    expect(saved.headers.location).toBe("/ru/operator/discounts");
    expect(await russian("/operator/discounts")).toContain("Скидка сохранена.");
    const { id, percent } = await stored();
    expect(percent).toBe("12.50");
    const ended = await agent.post(`/ru/operator/discounts/${id}/end`).type("form").send({ wanted: "end" });
    expect(ended.headers.location).toBe("/ru/operator/discounts");
    expect(await russian(`/operator/discounts/${id}/end`)).toContain("Завершать нечего.");
  });
});
