import { beforeEach, describe, expect, it } from "vitest";
import { toggleFavorite } from "../../src/accounts/favorites/queries.ts";
import { sendTest } from "../../src/notifications/webhooks/queries.ts";
import { type Agent, useTestApp } from "../helpers/app.ts";
import { elements, mainOf, textOf } from "../helpers/html.ts";
import { queuedJobs } from "../helpers/jobs.ts";
import { addReader, type Channels, notifyAll } from "../helpers/notify.ts";
import { addDiscount, addDonateItem, hours } from "../helpers/things.ts";
import { addHook } from "../helpers/webhooks.ts";

const site = useTestApp();
const PAGE = "/operator/deliveries";

let operator: Agent;

beforeEach(async () => {
  for (const table of ["webhook_events", "webhooks", "notifications"]) await site.db(table).delete();
  await site.db("donate_items").delete();
  await site.db.raw("delete from graphile_worker._private_jobs");
  operator = (await site.logIn(await site.createUser({ role: "operator" }))).agent;
});

/** A user whose deliveries of a discount of `item` were given up. */
async function addDead(item: string, channels: Channels = { email: "each" }, reason = "550 no such mailbox") {
  await addDonateItem(site.db, item);
  const user = await addReader(site, channels);
  await toggleFavorite(site.db, user.id, "donate", item);
  await addDiscount(site.db, `sale of ${item}`, item);
  await notifyAll(site.db);
  const dead = { state: "dead", reason, attempts: 16, settled_at: site.db.fn.now() };
  const ids = await site.db("deliveries").where({ user_id: user.id }).update(dead).returning("id");
  await site.db.raw("delete from graphile_worker._private_jobs");
  return { user, id: ids[0]?.id as number };
}

/** A test message of a webhook that was given up. */
async function addDeadMessage(columns: Parameters<typeof addHook>[1] = {}) {
  const { id } = await addHook(site.db, columns);
  const delivery = (await sendTest(site.db, columns.user_id ?? null, id)) as number;
  const dead = { state: "dead", attempts: 16, reason: "status 500", settled_at: site.db.fn.now() };
  await site.db("deliveries").where({ id: delivery }).update(dead);
  await site.db.raw("delete from graphile_worker._private_jobs");
  return { id: delivery, webhook: id };
}

const deliveries = () => site.db("deliveries").orderBy("id");
const send = (form: object) => operator.post(PAGE).type("form").send(form);

describe("the page of deliveries", () => {
  it("says so where nothing was sent yet, and where no e-mail ever is", async () => {
    const page = await operator.get(PAGE).expect(200);
    const text = textOf(mainOf(page.text));
    expect(text).toContain("Nothing has been sent yet");
    expect(text).toContain("This site doesn’t send e-mail.");
    expect(page.text).toMatch(/class="empty">(.|\n)*?href="\/operator\/discounts"/);
  });

  it("counts by channel and state, and lists what was given up with its reason, the newest first", async () => {
    const { user } = await addDead("first", { email: "each", push: ["push.test"] });
    await site.db("deliveries").where({ channel: "push" }).update({ state: "sent", reason: null });
    await addDead("second", { email: "daily" }, "<b>451</b> full");
    const page = await operator.get(PAGE).expect(200);
    const [counts = ""] = elements(page.text, "table").map(textOf);
    expect(counts).toBe(
      "Status Daily e-mail E-mail Push Waiting 0 0 0 Sent 0 0 1 Dropped 0 0 0 Failed 1 1 0",
    );
    const [, newest, oldest] = elements(mainOf(page.text), "li").map(textOf);
    expect(newest).toMatch(/^Shop second Daily e-mail to [\w-]+ <b>451<\/b> full 16 attempts, gave up on /);
    expect(oldest).toContain(`Shop first E-mail to ${user.name} 550 no such mailbox 16 attempts`);
    expect(page.text).not.toContain("<b>451</b>");
  });

  it("lists messages of webhooks among the others, and counts all of them on the operators' front page", async () => {
    const { user } = await addDead("item");
    await addDeadMessage({ name: "Own server" });
    await addDeadMessage({ name: "Clan", user_id: user.id, format: "discord" });
    const { text } = await operator.get(PAGE).expect(200);
    expect(elements(text, "table").map(textOf)).toEqual([
      "Status E-mail Discord and webhooks Waiting 0 0 Sent 0 0 Dropped 0 0 Failed 1 2",
    ]);
    const [, newest, second, oldest] = elements(mainOf(text), "li").map(textOf);
    expect(newest).toContain(`Test to Clan of ${user.name}`);
    expect(second).toContain(
      "Test to Own server of the site The server answered with status 500. 16 attempts",
    );
    expect(oldest).toContain(`Shop item E-mail to ${user.name}`);
    const home = textOf((await operator.get("/operator").expect(200)).text);
    expect(home).toContain("3 notifications couldn’t be delivered.");
  });

  it("warns where jobs wait that nobody does", async () => {
    await addDead("item");
    expect((await operator.get(PAGE)).text).not.toContain("been waiting");
    await send({ action: "retry-all" }).expect(303);
    await site.db.raw("update graphile_worker._private_jobs set run_at = now() - interval '20 minutes'");
    expect(textOf((await operator.get(PAGE)).text)).toContain("A job has been waiting for up to 20 minutes");
  });
});

describe("a delivery that was given up", () => {
  it("goes on its way again with all its attempts, and its job is due", async () => {
    const { id } = await addDead("item");
    await addDead("other");
    await send({ action: "retry", id }).expect(303).expect("Location", PAGE);
    expect(await deliveries()).toMatchObject([
      { id, state: "waiting", attempts: 0, reason: null, settled_at: null },
      { state: "dead" },
    ]);
    expect(await queuedJobs(site.db)).toMatchObject([
      { key: `delivery:${id}`, task_identifier: "deliver_by_email" },
    ]);
    expect(textOf((await operator.get(PAGE)).text)).toContain("Sending it again.");
  });

  it("or all of them, the daily mail of a user once and webhooks in the queue of their owner", async () => {
    const message = await addDeadMessage();
    const daily = await addDead("item", { email: "daily" });
    const { id } = await addDead("other");
    await addDonateItem(site.db, "third");
    await toggleFavorite(site.db, daily.user.id, "donate", "third");
    await addDiscount(site.db, "sale of third", "third");
    await notifyAll(site.db);
    await site.db("deliveries").update({ state: "dead", settled_at: site.db.fn.now() });
    await send({ action: "retry-all" }).expect(303);
    expect((await deliveries()).map(({ state }) => state)).toEqual(Array(4).fill("waiting"));
    const jobs = await queuedJobs(site.db);
    expect(jobs.map(({ key, queue_name }) => [key, queue_name])).toEqual(
      expect.arrayContaining([
        [`delivery:${message.id}`, `webhook:${message.webhook}`],
        [`delivery:${id}`, null],
        [`digest:${daily.user.id}`, null],
      ]),
    );
    expect(jobs).toHaveLength(3);
  });

  it("is discarded, and keeps its reason", async () => {
    const { id } = await addDead("item");
    await send({ action: "discard", id }).expect(303);
    expect(await deliveries()).toMatchObject([
      { state: "dropped", reason: "discarded by an operator; 550 no such mailbox" },
    ]);
    await send({ action: "discard", id }).expect(404);
    await send({ action: "retry", id }).expect(404);
    const message = await addDeadMessage();
    await send({ action: "discard", id: message.id }).expect(303);
    const page = await operator.get(`/operator/webhooks/${message.webhook}`).expect(200);
    expect(textOf(page.text)).toContain("Not sent, 16 attempts The server answered with status 500.");
  });

  it("is not offered again where its discount is over", async () => {
    await addDead("item");
    expect((await operator.get(PAGE)).text).toContain('value="retry"');
    await site.db("discounts").update({ starts_at: hours(site.db, -3), ends_at: hours(site.db, -1) });
    const page = await operator.get(PAGE);
    expect(page.text).not.toContain('value="retry"');
    expect(page.text).toContain('value="discard"');
  });

  it.each([{}, { action: "delete", id: 1 }, { action: "retry", id: "x" }])(
    "is not touched by %j",
    async (form) => {
      await addDead("item");
      await send(form).expect(400);
      await send({ action: "retry" }).expect(404);
      expect(await deliveries()).toMatchObject([{ state: "dead" }]);
    },
  );
});
