import { spawn } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Knex } from "knex";
import { expect, it, onTestFinished } from "vitest";
import { toggleFavorite } from "../../src/accounts/favorites/queries.ts";
import { fanOut } from "../../src/notifications/webhooks/fan-out.ts";
import { useTestDatabase } from "../helpers/database.ts";
import { addDiscountsOfAll, addFans, letTimePass, wrongPairs } from "../helpers/fans.ts";
import { findRepetitions, type Life, type Mortals, startMortals } from "../helpers/mortals.ts";
import { startJsonPeer } from "../helpers/peers/json-list.ts";
import { type SmtpPeer, startSmtpPeer } from "../helpers/peers/smtp.ts";
import {
  type ReceivedMessage,
  startWebhookReceiver,
  type WebhookReceiver,
} from "../helpers/peers/webhook-receiver.ts";
import {
  addWatchedServers,
  CROSSINGS_EACH,
  isToldToAll,
  playEvening,
  until,
  wrongAlerts,
  wrongCrossings,
} from "../helpers/watchers.ts";
import { addHook, listMade } from "../helpers/webhooks.ts";

const SCRIPT = fileURLToPath(new URL("../helpers/worker-process.ts", import.meta.url));

/** A few milliseconds lie between a peer's acceptance and its row in the database. A busy machine may make them that many. */
const WINDOW_MS = 1_000;
/** How many processes are killed at least. */
const ENOUGH = 3;
const [USERS, ITEMS, SERVERS] = [8, 12, 3];

const database = useTestDatabase();

it("notes each crossing once, and sends each mail and message once, whenever its processes are killed", {
  timeout: 600_000,
}, async () => {
  const { db, url } = database;
  const smtp = await startSmtpPeer({ mood: "refusesSome", some: { refused: 1, of: 3 } });
  onTestFinished(() => smtp.stop());
  const receiver = await startUnreliableReceiver();
  const list = await startJsonPeer();
  onTestFinished(() => list.stop());
  await addFans(db, USERS, ITEMS);
  await addWatchedServers(db, list.url, SERVERS);
  const addresses = ["one", "two", "api/webhooks/1/discord"];
  const hooks: number[] = [];
  for (const [index, path] of addresses.entries()) {
    const format = index === 2 ? "discord" : "signed";
    const hook = await addHook(db, { url: `${receiver.origin}/${path}`, format, events: ["discount"] });
    hooks.push(hook.id);
  }
  await addDiscountsOfAll(db, 12);
  const start = (name: string) =>
    spawn(process.execPath, [SCRIPT, url, smtp.url(name), name, receiver.origin], {
      stdio: ["ignore", "pipe", "inherit"],
    });
  const countEvents = () => smtp.attempts + receiver.messages.length + list.requests;
  const mortals = startMortals(2, start, { countEvents, shortest: 20, longest: 110 });
  onTestFinished(() => mortals.end());

  let isPlayed = false;
  // The loop below lets time pass meanwhile. Two that do so at once would wait for each other's rows.
  const evening = playEvening(db, list, SERVERS, () => until(() => isToldToAll(db))).finally(() => {
    isPlayed = true;
  });
  const killed = () => mortals.lives.filter(({ killedAt }) => killedAt !== undefined).length;
  while (!isPlayed || killed() < ENOUGH) {
    await letTimePass(db);
    const latecomer = await db("users").orderByRaw("random()").first("id");
    await toggleFavorite(db, latecomer.id, "donate", `item-${1 + Math.floor(Math.random() * ITEMS)}`);
    // As another process would that is not killed.
    if (Math.random() < 0.3) await fanOut(db);
    await delay(200);
  }
  await evening;
  mortals.spare();
  const isDone = () =>
    until(async () => {
      await letTimePass(db);
      return isToldToAll(db);
    });
  await isDone();
  const isEveryDiscountTold = async () =>
    (await db("discounts").whereNull("told_at")).length === 0 &&
    (await db("discount_runs").where({ webhooks_run: 0 })).length === 0;
  await until(isEveryDiscountTold);
  await isDone();

  await expectEachNotificationOnce(db);
  await expectEachMailOnce(db, smtp, mortals);
  await expectEachMessageOnce(db, receiver, mortals, hooks);
});

/** Takes a message at the fourth attempt at the latest, because one that fails more often is given up. */
async function startUnreliableReceiver(): Promise<WebhookReceiver> {
  const receiver = await startWebhookReceiver();
  onTestFinished(() => receiver.close());
  const failures = new Map<string, number>();
  receiver.answer = ({ path, body }) => {
    const chance = Math.random();
    const failed = failures.get(path + body) ?? 0;
    if (chance >= 1 / 2 || failed === 3) return 204;
    failures.set(path + body, failed + 1);
    return chance < 1 / 3 ? 503 : "closes";
  };
  return receiver;
}

async function expectEachNotificationOnce(db: Knex): Promise<void> {
  expect(await wrongPairs(db)).toEqual([]);
  expect(await wrongCrossings(db)).toEqual([]);
  expect(await wrongAlerts(db)).toEqual([]);
  const crossings = await db("server_crossings").whereNot({ what: "down" });
  expect(crossings.length).toBeGreaterThanOrEqual(SERVERS * CROSSINGS_EACH);
  expect(await db("notifications").whereNotNull("crossing_id")).toHaveLength(USERS * crossings.length);
  expect((await db("notifications").whereNotNull("discount_id")).length).toBeGreaterThan(40);
}

async function expectEachMailOnce(db: Knex, smtp: SmtpPeer, { lives }: Mortals): Promise<void> {
  const mails = smtp.mails.map((mail) => ({ ...mail, messageId: mail.messageId.replace(/@.*/, "") }));
  const deliveries: { id: number; state: string; discount_id: string | null }[] = await db("deliveries")
    .join("notifications as notification", "notification.id", "deliveries.notification_id")
    .where({ channel: "email" })
    .select("notification.id", "state", "discount_id");
  expect(deliveries).toHaveLength((await db("notifications")).length);
  // A mail about a server that is offline by then is dropped.
  for (const { state, discount_id } of deliveries)
    expect(discount_id === null ? ["sent", "dropped"] : ["sent"]).toContain(state);
  const sent = deliveries.filter(({ state }) => state === "sent");
  const arrived = new Set(mails.map(({ messageId }) => messageId));
  expect(sent.filter(({ id }) => !arrived.has(`<notification-${id}`))).toEqual([]);
  const unexplained = findRepetitions(mails, lives).filter(
    ({ diedAfterMs }) => diedAfterMs === undefined || Math.abs(diedAfterMs) > WINDOW_MS,
  );
  expect(unexplained).toEqual([]);
}

async function expectEachMessageOnce(
  db: Knex,
  { messages }: WebhookReceiver,
  { lives }: Mortals,
  hooks: readonly number[],
): Promise<void> {
  const made = await listMade(db);
  expect(new Set(made.map(({ state }) => state))).toEqual(new Set(["sent"]));
  // Every webhook gets one event for each discount.
  const discounts: string[] = await db("discounts").pluck("id");
  for (const id of hooks) {
    const told = made.filter(({ webhook_id }) => webhook_id === id).flatMap(({ data }) => discountIds(data));
    expect(told.sort()).toEqual([...discounts].sort());
  }
  const signed = messages.filter(({ path }) => !path.startsWith("/api"));
  expect(signed.filter(({ isAccepted }) => !isAccepted).length).toBeGreaterThan(signed.length / 5);
  const ids = await db("deliveries")
    .whereIn("webhook_id", hooks.slice(0, 2))
    .select(db.raw("'msg_' || replace(message_id::text, '-', '') as id"));
  const accepted = signed.filter(({ isAccepted }) => isAccepted);
  expect(new Set(accepted.map(idOf))).toEqual(new Set(ids.map(({ id }: { id: string }) => id)));
  expect(findUnexplained(accepted, idOf, lives)).toEqual([]);
  // Discord's have no id: the body, which has the event's time, is one of its event.
  const discord = messages.filter(({ path, isAccepted }) => isAccepted && path.startsWith("/api"));
  const ofDiscord = made.filter(({ webhook_id }) => webhook_id === hooks[2]);
  expect(new Set(discord.map(bodyOf)).size).toBe(ofDiscord.length);
  expect(findUnexplained(discord, bodyOf, lives)).toEqual([]);
  // A repeat is the same in every byte.
  for (const message of signed) {
    const first = signed.find((other) => idOf(other) === idOf(message));
    expect(first && bodyOf(first)).toBe(bodyOf(message));
  }
}

const idOf = ({ headers }: ReceivedMessage) => headers["webhook-id"];

/** A body without the name of its sender, which is in the addresses. */
const bodyOf = ({ body }: ReceivedMessage) => body.replace(/worker-\d+/g, "worker");

function discountIds(data: unknown): string[] {
  return (data as { discounts: { id: string }[] }).discounts.map(({ id }) => id);
}

/** Acceptances after the first whose sender before did not die at that moment. */
function findUnexplained(
  accepted: readonly ReceivedMessage[],
  keyOf: (message: ReceivedMessage) => string | string[] | undefined,
  lives: readonly Life[],
): unknown[] {
  const deaths = new Map(lives.map(({ name, killedAt }) => [name, killedAt]));
  const before = new Map<unknown, ReceivedMessage>();
  return accepted.flatMap((message) => {
    const earlier = before.get(keyOf(message));
    before.set(keyOf(message), message);
    if (!earlier) return [];
    const sender = /https:\/\/([\w-]+)\./.exec(earlier.headers["user-agent"] ?? "")?.[1] ?? "";
    const death = deaths.get(sender);
    const isExplained = death !== undefined && Math.abs(death - earlier.at) <= WINDOW_MS;
    return isExplained ? [] : [{ sender, death, at: earlier.at }];
  });
}
