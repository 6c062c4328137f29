import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { findDue } from "../../src/notifications/webhooks/delivery-queries.ts";
import { renewSecret, sendTest } from "../../src/notifications/webhooks/queries.ts";
import { signedHeaders, webhookSecret } from "../../src/notifications/webhooks/signed-message.ts";
import { useTestDatabase } from "../helpers/database.ts";
import { openOnly } from "../helpers/egress.ts";
import { queuedJobs } from "../helpers/jobs.ts";
import {
  type ReceivedMessage,
  type ReceiverAnswer,
  startWebhookReceiver,
  type WebhookReceiver,
} from "../helpers/peers/webhook-receiver.ts";
import { addDiscount, addDonateItem } from "../helpers/things.ts";
import { addHook, deliverOne, WEBHOOK_SECRET } from "../helpers/webhooks.ts";

const database = useTestDatabase();
let receiver: WebhookReceiver;

beforeAll(async () => {
  receiver = await startWebhookReceiver();
});

beforeEach(async () => {
  receiver.messages.length = 0;
  receiver.answer = () => 204;
  await database.db("webhooks").delete();
  await database.db.raw("delete from graphile_worker._private_jobs");
});

/** A webhook of the site at the receiver, with a test that waits. */
async function addWaiting(columns: Parameters<typeof addHook>[1] = {}) {
  const { db } = database;
  const hook = await addHook(db, { url: `${receiver.origin}/hook`, ...columns });
  const delivery = (await sendTest(db, null, hook.id)) as number;
  return { ...hook, delivery };
}

const deliver = (id: number) => deliverOne(database.db, id, { egress: openOnly(receiver.origin) });
const rowOf = (id: number) => database.db("deliveries").where({ id }).first("state", "attempts", "reason");
const hookOf = (id: number) =>
  database
    .db("webhooks")
    .where({ id })
    .first("state", "failures", "last_failure", "hold_until", "last_sent_at");
const jobs = async () => (await queuedJobs(database.db)).map(({ key, run_at }) => ({ key, run_at }));
const secondsUntil = (at: Date) => (at.getTime() - Date.now()) / 1000;

describe("a signed message", () => {
  it("has the signature of the standard's own example", () => {
    const body = '{"test": 2432232314}';
    const headers = signedHeaders(
      { id: "msg_p5jXN8AQM9LWM0D4loKWxJek", at: new Date(1614265330_000), body },
      ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"],
    );
    expect(headers["webhook-signature"]).toBe("v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
  });

  it("is accepted once, with the headers of the standard", async () => {
    const { id, delivery, secret } = await addWaiting();
    await deliver(delivery);
    await deliver(delivery);
    const [message, ...more] = receiver.messages;
    expect(more).toEqual([]);
    expect(JSON.parse(message?.body ?? "")).toEqual({
      type: "test",
      timestamp: expect.any(String),
      data: {},
    });
    const headers = message?.headers ?? {};
    expect(headers["content-type"]).toBe("application/json");
    expect(headers["user-agent"]).toBe("Almanac (+https://almanac.test)");
    expect(headers["webhook-id"]).toMatch(/^msg_[0-9a-f]{32}$/);
    const seconds = Number(headers["webhook-timestamp"]);
    expect(Math.abs(seconds - Date.now() / 1000)).toBeLessThan(30);
    const signed = {
      id: String(headers["webhook-id"]),
      at: new Date(seconds * 1000),
      body: message?.body ?? "",
    };
    expect(headers["webhook-signature"]).toBe(signedHeaders(signed, [secret])["webhook-signature"]);
    expect(await rowOf(delivery)).toEqual({ state: "sent", attempts: 1, reason: null });
    expect(await hookOf(id)).toMatchObject({ failures: 0, last_sent_at: expect.any(Date) });
  });

  it("is signed with the old secret too for a day after a change", async () => {
    const { id, delivery, secret } = await addWaiting();
    const { db } = database;
    const salt = (await renewSecret(db, null, id)) ?? Buffer.alloc(0);
    const fresh = webhookSecret(WEBHOOK_SECRET, salt);
    expect(fresh).not.toBe(secret);
    const due = await findDue(db, delivery);
    expect(due?.hook.formerSalt).not.toBe(null);
    await deliver(delivery);
    const { headers = {}, body = "" }: Partial<ReceivedMessage> = receiver.messages[0] ?? {};
    const at = new Date(Number(headers["webhook-timestamp"]) * 1000);
    const of = (key: string) =>
      signedHeaders({ id: String(headers["webhook-id"]), at, body }, [key])["webhook-signature"];
    expect(headers["webhook-signature"]).toBe(`${of(fresh)} ${of(secret)}`);
    await db("webhooks").update({ rotated_at: db.raw("now() - interval '25 hours'") });
    const later = (await sendTest(db, null, id)) as number;
    expect((await findDue(db, later))?.hook.formerSalt).toBe(null);
  });
});

describe("a receiver that says no", () => {
  it.each<[string, ReceiverAnswer, object]>([
    ["500", 500, { state: "waiting", attempts: 1, reason: "status 500" }],
    [
      "a redirect",
      { status: 302, headers: { location: "http://127.0.0.1:9/" } },
      { state: "waiting", attempts: 1, reason: "status 302" },
    ],
    [
      "a broken answer",
      "closes",
      { state: "waiting", attempts: 1, reason: expect.stringMatching(/^broken /) },
    ],
    [
      "a request to wait",
      { status: 429, headers: { "retry-after": "90" } },
      { state: "waiting", attempts: 0, reason: "status 429" },
    ],
    ...["0", "Wed, 21 Oct 2015 07:28:00 GMT"].map((time): [string, ReceiverAnswer, object] => [
      `a 503 with the time ${time}`,
      { status: 503, headers: { "retry-after": time } },
      { state: "waiting", attempts: 1, reason: "status 503" },
    ]),
    [
      "a 406 with a time",
      { status: 406, headers: { "retry-after": "90" } },
      { state: "waiting", attempts: 0, reason: "status 406" },
    ],
  ])("is asked again after %s", async (_name, answer, row) => {
    receiver.answer = () => answer;
    const { delivery } = await addWaiting();
    await deliver(delivery);
    expect(await rowOf(delivery)).toEqual(row);
    expect(await jobs()).toEqual([{ key: `delivery:${delivery}`, run_at: expect.any(Date) }]);
    await database.db("webhooks").update({ hold_until: null });
    receiver.answer = () => 200;
    await deliver(delivery);
    expect((await rowOf(delivery)).state).toBe("sent");
    const [first, second] = receiver.messages.map(({ headers }) => headers["webhook-id"]);
    expect(second).toBe(first);
  });

  it("has its other messages wait as long as it asked", async () => {
    receiver.answer = () => ({ status: 429, headers: { "retry-after": "90" } });
    const { id, delivery } = await addWaiting();
    const other = (await sendTest(database.db, null, id)) as number;
    await deliver(delivery);
    const [job] = (await jobs()).filter(({ key }) => key === `delivery:${delivery}`);
    expect(secondsUntil(job?.run_at ?? new Date(0))).toBeGreaterThan(80);
    await deliver(other);
    expect(receiver.messages).toHaveLength(1);
    expect(await rowOf(other)).toMatchObject({ state: "waiting", attempts: 0 });
    const waiting = (await jobs()).find(({ key }) => key === `delivery:${other}`);
    expect(secondsUntil(waiting?.run_at ?? new Date(0))).toBeGreaterThan(80);
  });
});

describe("a webhook that fails for days", () => {
  it("is switched off after twenty failures in three days, and nothing waits for it any more", async () => {
    receiver.answer = () => 500;
    const { db } = database;
    const { id, delivery } = await addWaiting();
    const other = (await sendTest(db, null, id)) as number;
    await db("webhooks").update({ failures: 30, failing_since: db.raw("now() - interval '2 days'") });
    await deliver(delivery);
    expect((await hookOf(id)).state).toBe("on");
    await db("webhooks").update({ hold_until: null, failing_since: db.raw("now() - interval '4 days'") });
    await deliver(delivery);
    expect(await hookOf(id)).toMatchObject({ state: "failed", last_failure: "status 500" });
    expect(await rowOf(delivery)).toMatchObject({ state: "dropped" });
    expect(await rowOf(other)).toMatchObject({ state: "dropped" });
    expect(await sendTest(db, null, id)).toBe("off");
  });

  it("starts over with a message that is accepted", async () => {
    const { db } = database;
    const { id, delivery } = await addWaiting();
    await db("webhooks").update({ failures: 19, failing_since: db.raw("now() - interval '4 days'") });
    await deliver(delivery);
    expect(await hookOf(id)).toMatchObject({ state: "on", failures: 0, last_failure: null });
  });

  it("is switched off at once where the receiver says that it is gone", async () => {
    receiver.answer = () => 410;
    const { id, delivery } = await addWaiting();
    await deliver(delivery);
    expect((await hookOf(id)).state).toBe("failed");
    expect(await rowOf(delivery)).toMatchObject({ state: "dead", reason: "status 410" });
  });
});

describe("a message for a channel of Discord", () => {
  const discord = { format: "discord" as const };

  it.each([404, 410, 401])("switches the webhook off where Discord answers %s", async (status) => {
    receiver.answer = () => status;
    const { id, delivery } = await addWaiting(discord);
    await deliver(delivery);
    expect((await hookOf(id)).state).toBe("failed");
  });

  it("waits for what the body says, and asks Discord to say whether it took it", async () => {
    receiver.answer = () => ({
      status: 429,
      body: '{"message": "You are being rate limited.", "retry_after": 64.57}',
    });
    const { delivery } = await addWaiting({
      ...discord,
      url: `${receiver.origin}/api/webhooks/1/x?thread_id=7`,
    });
    await deliver(delivery);
    const wait = secondsUntil((await jobs())[0]?.run_at ?? new Date(0));
    expect(wait).toBeGreaterThan(60);
    expect(wait).toBeLessThan(70);
    expect(receiver.messages[0]?.path).toBe("/api/webhooks/1/x?thread_id=7&wait=true");
    expect(receiver.messages[0]?.headers).not.toHaveProperty("webhook-signature");
  });

  it("keeps away once Discord says that the webhook has used up its share", async () => {
    const headers = { "x-ratelimit-remaining": "0", "x-ratelimit-reset-after": "40" };
    receiver.answer = () => ({ status: 200, headers });
    const { id, delivery } = await addWaiting(discord);
    await deliver(delivery);
    expect((await rowOf(delivery)).state).toBe("sent");
    expect(secondsUntil((await hookOf(id)).hold_until)).toBeGreaterThan(30);
  });

  it.each([400, 403, 413])("waits where Discord answers %s with a time", async (status) => {
    receiver.answer = () => ({ status, headers: { "retry-after": "90" } });
    const { delivery } = await addWaiting(discord);
    await deliver(delivery);
    expect(await rowOf(delivery)).toMatchObject({
      state: "waiting",
      attempts: 0,
      reason: `status ${status}`,
    });
    expect(secondsUntil((await jobs())[0]?.run_at ?? new Date(0))).toBeGreaterThan(80);
  });

  it.each([
    [
      400,
      '{"message": "Webhooks posted to forum channels must have a thread_name or thread_id", "code": 220001}',
      "discord 220001 Webhooks posted to forum channels must have a thread_name or thread_id",
    ],
    [
      400,
      `{"code":50035,"errors":{"embeds":["0"]},"message":"Invalid\\nForm\\u0000Body ${"x".repeat(300)}"}`,
      expect.stringMatching(/^discord 50035 Invalid Form Body x{182}$/),
    ],
    [404, '{"message": "Unknown Webhook", "code": 10015}', "discord 10015 Unknown Webhook"],
    [413, "<html>too large</html>", "status 413"],
    [400, '{"code":0,"message":"400: Bad Request"}', "status 400"],
  ])("is given up with what Discord says: %s %s", async (status, body, reason) => {
    receiver.answer = () => ({ status, body });
    const { id, delivery } = await addWaiting(discord);
    await deliver(delivery);
    expect(await rowOf(delivery)).toMatchObject({ state: "dead", reason });
    const state = status === 404 ? "failed" : "on";
    expect(await hookOf(id)).toMatchObject({ last_failure: reason, state });
  });
});

describe("a message that is not worth sending any more", () => {
  it("is dropped where the webhook is off", async () => {
    const { delivery } = await addWaiting();
    await database.db("webhooks").update({ state: "off" });
    await deliver(delivery);
    expect(await rowOf(delivery)).toEqual({ state: "dropped", attempts: 0, reason: "off" });
    expect(receiver.messages).toEqual([]);
  });

  it("is dropped where its discounts are over or withdrawn", async () => {
    const { db } = database;
    await addDonateItem(db, "vip");
    await addDiscount(db, "sale", "vip");
    onTestFinished(async () => void (await db("donate_items").delete()));
    const { delivery } = await addWaiting();
    const data = {
      count: 1,
      discounts: [{ id: "sale", run: 1, item: { id: "vip", name: "VIP", names: {} } }],
    };
    await db("webhook_events").update({ type: "discount.started", data: JSON.stringify(data) });
    expect((await findDue(db, delivery))?.isOver).toBe(false);
    await db("discounts").update({ ends_at: db.fn.now() });
    await deliver(delivery);
    expect(await rowOf(delivery)).toEqual({ state: "dropped", attempts: 0, reason: "over" });
  });
});

it("a webhook of a user reaches no receiver that the operator has named", async () => {
  const { db } = database;
  const [{ id: user_id }] = await db("users")
    .insert({ name: "reader", name_key: "reader", password_hash: "$argon2id$none" })
    .returning("id");
  const { id } = await addHook(db, { user_id, url: `${receiver.origin}/hook` });
  const delivery = (await sendTest(db, user_id, id)) as number;
  await deliver(delivery);
  expect(await rowOf(delivery)).toMatchObject({ state: "waiting", reason: "not_public" });
  expect(receiver.messages).toEqual([]);
});
