import { beforeEach, describe, expect, it } from "vitest";
import { toggleFavorite } from "../../src/accounts/favorites/queries.ts";
import { fanOut } from "../../src/notifications/webhooks/fan-out.ts";
import { addWebhook, switchWebhook } from "../../src/notifications/webhooks/queries.ts";
import { useTestApp } from "../helpers/app.ts";
import { queuedJobs } from "../helpers/jobs.ts";
import { notifyAll } from "../helpers/notify.ts";
import { addDiscount, addDonateItem, addEntity } from "../helpers/things.ts";
import { addHook, listMade } from "../helpers/webhooks.ts";

const site = useTestApp();

beforeEach(async () => {
  for (const table of [
    "webhook_events",
    "webhook_news",
    "webhooks",
    "donate_items",
    "items",
    "discount_runs",
  ])
    await site.db(table).delete();
  await site.db.raw("delete from graphile_worker._private_jobs");
});

const look = () => fanOut(site.db, { gatherS: 0 });
const made = async () =>
  (await listMade(site.db)).map(({ webhook_id, type, data }) => ({ webhook_id, type, data }));
const ids = (data: unknown, of: "discounts" | "entries") =>
  (data as Record<string, { id: string }[]>)[of]?.map(({ id }) => id);

async function addSale(item: string, columns = {}) {
  await addDonateItem(site.db, item);
  await addDiscount(site.db, `sale of ${item}`, item, columns);
}

describe("a discount that starts", () => {
  it("reaches each webhook that wants it once, with a job of its own", async () => {
    const first = await addHook(site.db);
    const second = await addHook(site.db);
    await addHook(site.db, { events: ["server"] });
    await addHook(site.db, { state: "off" });
    await addSale("vip", { title: "Winter" });
    await addSale("later", { starts_at: site.db.raw("now() + interval '1 hour'") });
    expect(await look()).toBe(2);
    expect(await look()).toBe(0);
    const all = await made();
    expect(all.map(({ webhook_id }) => webhook_id)).toEqual([first.id, second.id]);
    expect(all[0]).toMatchObject({
      type: "discount.started",
      data: {
        count: 1,
        discounts: [
          {
            id: "sale of vip",
            run: 1,
            title: "Winter",
            oldPrice: "100.00",
            newPrice: "75.00",
            item: { id: "vip" },
          },
        ],
      },
    });
    const keys = (await queuedJobs(site.db)).map(({ task_identifier, key }) => ({ task_identifier, key }));
    const deliveries = await listMade(site.db);
    expect(keys).toEqual(
      deliveries.map(({ id }) => ({ task_identifier: "deliver_by_webhook", key: `delivery:${id}` })),
    );
  });

  it("is sent again with its next run, and with a sale of the whole shop in one message", async () => {
    await addHook(site.db);
    for (let index = 10; index < 35; index += 1) await addSale(`item-${index}`);
    expect(await look()).toBe(1);
    const [event] = await made();
    expect(event?.data).toMatchObject({ count: 25 });
    expect(ids(event?.data, "discounts")).toHaveLength(10);
    await site.db("discounts").where({ id: "sale of item-10" }).update({ ends_at: site.db.fn.now() });
    const again = { starts_at: site.db.raw("clock_timestamp()"), ends_at: null };
    await site.db("discounts").where({ id: "sale of item-10" }).update(again);
    expect(await look()).toBe(1);
    expect((await made())[1]?.data).toMatchObject({
      count: 1,
      discounts: [{ id: "sale of item-10", run: 2 }],
    });
  });

  it("is not told where it does not lower the price", async () => {
    await addHook(site.db);
    await addSale("dear", { price: "200.00" });
    expect(await look()).toBe(0);
  });

  it("is sent once by several concurrent processes", async () => {
    await addHook(site.db);
    await addSale("vip");
    const told = await Promise.all([look(), look(), look(), look()]);
    expect(told.reduce((sum, count) => sum + count)).toBe(1);
    expect(await made()).toHaveLength(1);
  });

  it("that ran before the first webhook was there, or while all were off, is not told", async () => {
    const { cookie } = await site.logIn(await site.createUser({ role: "operator" }));
    await addSale("vip");
    const form = { address: "https://hook.example/a", discount: "1", language: "en" };
    await site.post("/operator/webhooks", form, { Cookie: cookie }).expect(200);
    expect(await look()).toBe(0);
    const hook = await site.db("webhooks").first("id");
    await switchWebhook(site.db, null, hook.id, "off");
    await addSale("second");
    await look();
    await switchWebhook(site.db, null, hook.id, "on");
    expect(await look()).toBe(0);
    await addSale("third");
    expect(await look()).toBe(1);
    expect(ids((await made())[0]?.data, "discounts")).toEqual(["sale of third"]);
  });
});

describe("a user's webhook for favorites", () => {
  it("has its user's notifications, also for a favorite that is added during the sale", async () => {
    const fan = await site.createUser();
    const stranger = await site.createUser();
    const of = (user_id: number) => addHook(site.db, { user_id, scope: "favorites", events: ["discount"] });
    const hook = await of(fan.id);
    await of(stranger.id);
    await addDonateItem(site.db, "vip");
    await toggleFavorite(site.db, fan.id, "donate", "vip");
    await addDiscount(site.db, "sale of vip", "vip");
    await addSale("other");
    await notifyAll(site.db);
    await look();
    expect((await made()).map(({ webhook_id, data }) => [webhook_id, ids(data, "discounts")])).toEqual([
      [hook.id, ["sale of vip"]],
    ]);
    await toggleFavorite(site.db, fan.id, "donate", "other");
    await look();
    expect(ids((await made())[1]?.data, "discounts")).toEqual(["sale of other"]);
    expect(await look()).toBe(0);
  });

  it("has only changed favorites, but everything that is new", async () => {
    const fan = await site.createUser();
    await addEntity(site.db, "items", "sword");
    await addEntity(site.db, "items", "shield");
    await toggleFavorite(site.db, fan.id, "item", "sword");
    const hook = await addHook(site.db, { user_id: fan.id, scope: "favorites" });
    await site.db("items").update({ revision: 2, name: "Changed" });
    await look();
    expect(await made()).toEqual([
      {
        webhook_id: hook.id,
        type: "entries.changed",
        data: expect.objectContaining({
          kind: "items",
          count: 1,
          entries: [expect.objectContaining({ id: "sword" })],
        }),
      },
    ]);
    await addEntity(site.db, "houses", "house");
    await look();
    expect((await made())[1]).toMatchObject({ type: "entries.added", data: { kind: "houses", count: 1 } });
    for (const id of ["411", "412"]) await addEntity(site.db, "vehicles", id);
    await toggleFavorite(site.db, fan.id, "vehicle", "411");
    await site.db("vehicles").update({ revision: 2, name: "Changed" });
    await look();
    expect((await made()).at(-1)).toMatchObject({
      type: "entries.changed",
      data: { kind: "vehicles", count: 1, entries: [{ id: "411" }] },
    });
  });
});

describe("a change of the catalogue", () => {
  const insert = (count: number) =>
    site.db.raw(
      "insert into items (id, name) select 'i-' || lpad(n::text, 5, '0'), 'Item ' || n from generate_series(1, ?::int) n",
      [count],
    );

  it("of two hundred records is one message with the first ones", async () => {
    const hook = await addHook(site.db);
    await insert(200);
    await look();
    await site.db("items").update({ revision: 2 });
    await look();
    const all = await made();
    expect(all.map(({ webhook_id, type }) => [webhook_id, type])).toEqual([
      [hook.id, "entries.added"],
      [hook.id, "entries.changed"],
    ]);
    for (const { data } of all) {
      expect(data).toMatchObject({ kind: "items", count: 200 });
      expect(ids(data, "entries")).toEqual(
        Array.from({ length: 10 }, (_, n) => `i-${String(n + 1).padStart(5, "0")}`),
      );
    }
  });

  it("that comes record by record is gathered", async () => {
    await addHook(site.db);
    for (const id of ["a", "b", "c"]) await addEntity(site.db, "items", id);
    expect(await fanOut(site.db, { gatherS: 60 })).toBe(0);
    expect(await look()).toBe(1);
    expect((await made())[0]).toMatchObject({ data: { count: 3 } });
  });

  it("is missing if no revision counts up, or the record is the demo's", async () => {
    await addHook(site.db);
    await insert(3);
    await look();
    await site.db("items").update({ demo: true });
    await site.db("items").insert({ id: "demo", name: "Demo", demo: true });
    expect(await look()).toBe(0);
  });

  it("that brings a record back is sent as a new one, and no change", async () => {
    await addHook(site.db);
    await addEntity(site.db, "items", "returned", { revision: 3 });
    await site.db("items").delete();
    await addEntity(site.db, "items", "returned", { name: "Other" });
    expect((await site.db("items").first("revision"))?.revision).toBeGreaterThan(3);
    await look();
    expect((await made()).map(({ type }) => type)).toEqual(["entries.added"]);
    await site.db("items").update({ revision: 9 });
    await look();
    expect((await made()).map(({ type }) => type)).toEqual(["entries.added", "entries.changed"]);
  });

  it("goes to webhooks of its kind, and is not noted where nobody wants it", async () => {
    const houses = await addHook(site.db, { kind: "houses" });
    const both = await addHook(site.db);
    await addEntity(site.db, "items", "sword");
    await addEntity(site.db, "houses", "house-1");
    await look();
    const got = (await made()).map(({ webhook_id, data }) => [webhook_id, (data as { kind?: string }).kind]);
    expect(got.sort()).toEqual(
      [
        [houses.id, "houses"],
        [both.id, "houses"],
        [both.id, "items"],
      ].sort(),
    );
    await site.db("webhooks").update({ events: ["discount"] });
    await addEntity(site.db, "items", "shield");
    expect(await site.db("webhook_news")).toEqual([]);
  });
});

describe("adding a webhook", () => {
  it("stops at five for a user, also at the same time, and once for a form", async () => {
    const { agent, id } = await site.logIn();
    const form = { address: "https://hook.example/a", discount: "1", language: "en" };
    const form_id = "7f8a2c9e-6a55-4a7e-9f0d-0a9b2b1c3d4e";
    const send = (more = {}) =>
      agent
        .post("/notifications/webhooks")
        .type("form")
        .send({ ...form, ...more });
    await send({ form_id }).expect(200);
    await send({ form_id }).expect(303);
    expect(await site.db("webhooks").where({ user_id: id })).toHaveLength(1);
    const answers = await Promise.all(Array.from({ length: 8 }, () => send()));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 400, 400, 400, 400]);
    expect(await site.db("webhooks").where({ user_id: id })).toHaveLength(5);
  });

  it("stores nothing for a session that has ended", async () => {
    const { id } = await site.createUser();
    const choice = {
      name: "a",
      language: "en",
      events: ["discount" as const],
      scope: "all" as const,
      kind: null,
      ...{ outage_min: 5, quiet_from: null, quiet_until: null },
    };
    const added = addWebhook(site.db, id, {
      ...choice,
      url: "https://hook.example/",
      format: "signed",
      formId: undefined,
      sessionId: "ended",
    });
    await expect(added).rejects.toThrow();
    expect(await site.db("webhooks").where({ user_id: id })).toEqual([]);
  });
});
