import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { fanOut } from "../../src/notifications/webhooks/fan-out.ts";
import { useTestDatabase } from "../helpers/database.ts";
import { addDiscountsOfAll, addFans, letTimePass } from "../helpers/fans.ts";
import { type Life, startMortals } from "../helpers/mortals.ts";
import { type ReceivedMessage, startWebhookReceiver } from "../helpers/peers/webhook-receiver.ts";
import { addHook, listMade } from "../helpers/webhooks.ts";

const SCRIPT = fileURLToPath(new URL("../helpers/worker-process.ts", import.meta.url));

/** Between the receiver's word and the database's are a few milliseconds; a busy machine may make that many. */
const WINDOW_MS = 1_000;

/** How many workers are killed at least. */
const ENOUGH = 4;

const database = useTestDatabase();

it("workers killed at any moment, and a receiver that refuses a third and breaks off: each message is accepted once", async () => {
  const { db, url } = database;
  const receiver = await startWebhookReceiver();
  onTestFinished(() => receiver.close());
  // A message that fails too often is given up; here each one gets through at the fourth try.
  const failures = new Map<string, number>();
  receiver.answer = ({ path, body }) => {
    const chance = Math.random();
    const failed = failures.get(path + body) ?? 0;
    if (chance >= 1 / 2 || failed === 3) return 204;
    failures.set(path + body, failed + 1);
    return chance < 1 / 3 ? 503 : "closes";
  };
  await addFans(db, 3, 24);
  const hooks = [
    await addHook(db, { url: `${receiver.origin}/one` }),
    await addHook(db, { url: `${receiver.origin}/two` }),
    await addHook(db, { url: `${receiver.origin}/api/webhooks/1/discord`, format: "discord" }),
  ];
  await addDiscountsOfAll(db, 15);
  const start = (name: string) =>
    spawn(process.execPath, [SCRIPT, url, "smtp://127.0.0.1:9", name, receiver.origin], {
      stdio: ["ignore", "ignore", "inherit"],
    });
  const mortals = startMortals(2, start, [3_500, 6_500]);
  onTestFinished(() => mortals.end());

  const killed = () => mortals.lives.filter(({ killedAt }) => killedAt !== undefined).length;
  const pass = async () => {
    await letTimePass(db);
    await db("webhooks").update({ hold_until: null });
  };
  while (killed() < ENOUGH) {
    await pass();
    // As one more process that lives on: those of the test may take seconds to start on a busy machine.
    if (Math.random() < 0.3) await fanOut(db);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  mortals.spare();
  const isSettled = async () => {
    await pass();
    const toldOf = await db("discount_runs").where({ webhooks_run: 0 });
    const states = (await listMade(db)).map(({ state }) => state);
    return toldOf.length === 0 && states.length > 0 && !states.includes("waiting");
  };
  await expect.poll(isSettled, { timeout: 60_000, interval: 250 }).toBe(true);

  const made = await listMade(db);
  expect(made.length).toBeGreaterThan(10);
  expect(new Set(made.map(({ state }) => state))).toEqual(new Set(["sent"]));
  // Every webhook gets one event for each discount.
  const items: string[] = await db("discounts").pluck("id");
  for (const { id } of hooks) {
    const told = made.filter(({ webhook_id }) => webhook_id === id).flatMap(({ data }) => discountIds(data));
    expect(told.sort()).toEqual([...items].sort());
  }
  const signed = receiver.messages.filter(({ path }) => !path.startsWith("/api"));
  const refused = signed.filter(({ isAccepted }) => !isAccepted);
  expect(refused.length).toBeGreaterThan(signed.length / 5);
  const rows: { id: string }[] = await db("deliveries")
    .whereIn(
      "webhook_id",
      hooks.slice(0, 2).map(({ id }) => id),
    )
    .select(db.raw("'msg_' || replace(message_id::text, '-', '') as id"));
  const accepted = signed.filter(({ isAccepted }) => isAccepted);
  const idOf = ({ headers }: ReceivedMessage) => headers["webhook-id"];
  expect(new Set(accepted.map(idOf))).toEqual(new Set(rows.map(({ id }) => id)));
  expect(unexplained(accepted, idOf, mortals.lives)).toEqual([]);
  // Discord's have no id: the body, which has the event's time, is one of its event.
  const discord = receiver.messages.filter(({ path, isAccepted }) => isAccepted && path.startsWith("/api"));
  expect(new Set(discord.map(bodyOf)).size).toBe(
    made.filter(({ webhook_id }) => webhook_id === hooks[2]?.id).length,
  );
  expect(unexplained(discord, bodyOf, mortals.lives)).toEqual([]);
  // A repeat is the same in every byte.
  for (const message of signed) {
    const first = signed.find((other) => idOf(other) === idOf(message));
    expect(first && bodyOf(first)).toBe(bodyOf(message));
  }
});

/** A body without the name of its sender, which is in the addresses. */
function bodyOf({ body }: ReceivedMessage): string {
  return body.replace(/worker-\d+/g, "worker");
}

function discountIds(data: unknown): string[] {
  return (data as { discounts: { id: string }[] }).discounts.map(({ id }) => id);
}

/** Acceptances after the first whose sender before did not die at that moment. */
function unexplained(
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
