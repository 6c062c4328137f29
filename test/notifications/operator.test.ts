import request from "supertest";
import { beforeEach, describe, expect, it } from "vitest";
import { toggleFavorite } from "../../src/accounts/favorites/queries.ts";
import { type Agent, useTestApp } from "../helpers/app.ts";
import { elements, mainOf, textOf } from "../helpers/html.ts";
import { queuedJobs } from "../helpers/jobs.ts";
import { addReader, type Channels, notifyAll } from "../helpers/notify.ts";
import { addDiscount, addDonateItem, hours } from "../helpers/things.ts";

const site = useTestApp();
const PAGE = "/operator/deliveries";

let operator: Agent;

beforeEach(async () => {
  await site.db("notifications").delete();
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

const deliveries = () => site.db("deliveries").orderBy("id");
const send = (form: object) => operator.post(PAGE).type("form").send(form);

describe("the page of deliveries", () => {
  it("is for operators only", async () => {
    await request(site.app).get(PAGE).expect(303).expect("Location", "/login?next=%2Foperator%2Fdeliveries");
    const { agent } = await site.logIn();
    await agent.get(PAGE).expect(403);
    const { id } = await addDead("item");
    await agent.post(PAGE).type("form").send({ action: "retry", id }).expect(403);
    await request(site.app).post(PAGE).type("form").send({ action: "retry", id }).expect(303);
    expect(await deliveries()).toMatchObject([{ state: "dead" }]);
    await operator.put(PAGE).expect(405).expect("Allow", "GET, HEAD, POST");
  });

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

  it("or all of them, the daily mail of a user once", async () => {
    const daily = await addDead("item", { email: "daily" });
    const { id } = await addDead("other");
    await addDonateItem(site.db, "third");
    await toggleFavorite(site.db, daily.user.id, "donate", "third");
    await addDiscount(site.db, "sale of third", "third");
    await notifyAll(site.db);
    await site.db("deliveries").update({ state: "dead", settled_at: site.db.fn.now() });
    await send({ action: "retry-all" }).expect(303);
    expect((await deliveries()).map(({ state }) => state)).toEqual(["waiting", "waiting", "waiting"]);
    expect((await queuedJobs(site.db)).map(({ key }) => key)).toEqual([
      `delivery:${id}`,
      `digest:${daily.user.id}`,
    ]);
  });

  it("is discarded, and keeps its reason", async () => {
    const { id } = await addDead("item");
    await send({ action: "discard", id }).expect(303);
    expect(await deliveries()).toMatchObject([
      { state: "dropped", reason: "discarded by an operator; 550 no such mailbox" },
    ]);
    await send({ action: "discard", id }).expect(404);
    await send({ action: "retry", id }).expect(404);
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
