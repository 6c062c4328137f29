import { beforeEach, expect, it } from "vitest";
import { down, up } from "../../migrations/20261129053000_share_deliveries.ts";
import { addJobs } from "../../src/db/jobs.ts";
import { findDue } from "../../src/notifications/webhooks/delivery-queries.ts";
import { useTestApp } from "../helpers/app.ts";
import { queuedJobs } from "../helpers/jobs.ts";
import { addNotification } from "../helpers/notifications.ts";
import { addDonateItem } from "../helpers/things.ts";
import { addHook } from "../helpers/webhooks.ts";

const site = useTestApp();

/** A user's webhook with a message in each state, as the last release made them; their ids are 1 to 4. */
let hook = 0;
let userId = 0;

beforeEach(async () => {
  const { db } = site;
  await db.raw("truncate webhooks, webhook_events, deliveries, donate_items restart identity cascade");
  await db.raw("delete from graphile_worker._private_jobs");
  ({ id: userId } = await site.createUser());
  await addDonateItem(db, "vip");
  const notification = await addNotification(db, userId, "vip");
  await db("deliveries").insert({ notification_id: notification.id, user_id: userId, channel: "email" });
  await db.transaction(down);
  ({ id: hook } = await addHook(db, { user_id: userId }));
  for (const state of ["sent", "dead", "waiting", "waiting"]) await addAsBefore({ state });
});

/** Adds a message by the statement of the last release. */
async function addAsBefore({ state }: { state: string }): Promise<{ id: number; webhook_id: number }> {
  const { rows } = await site.db.raw(
    `with event as (insert into webhook_events (type, data) values ('test', '{}') returning id)
     insert into webhook_deliveries (event_id, webhook_id, state, reason, settled_at)
     select event.id, ?, ?, 'status 500', case when ? <> 'waiting' then now() end from event
     returning id, webhook_id`,
    [hook, state, state],
  );
  return rows[0];
}

const RUN_AT = new Date("2030-01-01T00:00:00Z");

/** The job of a message as the last release queues it. */
async function queueAsBefore(id: number): Promise<void> {
  const job = { payload: { deliveryId: id }, key: `webhook:${id}`, queue: `webhooks-of:${userId}` };
  await addJobs(site.db, [{ task: "deliver_webhook", ...job, priority: 10, runAt: RUN_AT }]);
}

const asBefore = () =>
  site
    .db("webhook_deliveries")
    .orderBy("id")
    .select("id", "event_id", "webhook_id", "message_id", "state", "attempts", "reason", "settled_at");

it("keeps each message with its id, on the way there and back, and its job with its time", async () => {
  const { db } = site;
  await queueAsBefore(3);
  const before = await asBefore();
  expect(before.map(({ id, state }) => [id, state])).toEqual([
    [1, "sent"],
    [2, "dead"],
    [3, "waiting"],
    [4, "waiting"],
  ]);
  await db.transaction(up);
  expect(await asBefore()).toEqual(before);
  const moved = await db("deliveries").where({ channel: "webhook" }).orderBy("id");
  expect(moved.map(({ user_id, message_id }) => [user_id, message_id])).toEqual(
    before.map(({ message_id }) => [userId, message_id]),
  );
  const [{ id }, waiting] = moved.slice(2);
  const shown = { queue_name: `webhooks-of:${userId}`, run_at: RUN_AT, priority: 10 };
  expect(await queuedJobs(db)).toMatchObject([
    { task_identifier: "deliver_by_webhook", key: `delivery:${id}`, ...shown },
  ]);
  expect(await findDue(db, waiting.id)).toMatchObject({ webhook_id: hook, user_id: userId });
  await db.transaction(down);
  expect(await asBefore()).toEqual(before);
  expect(await db("deliveries").pluck("channel")).toEqual(["email"]);
  expect(await queuedJobs(db)).toMatchObject([
    { task_identifier: "deliver_webhook", key: "webhook:3", ...shown },
  ]);
  expect((await addAsBefore({ state: "waiting" })).id).toBeGreaterThan(4);
  await db.transaction(up);
});
