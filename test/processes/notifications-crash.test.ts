import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { toggleFavorite } from "../../src/accounts/favorites/queries.ts";
import { useTestDatabase } from "../helpers/database.ts";
import { addDiscountsOfAll, addFans, deliveryStates, letTimePass, wrongPairs } from "../helpers/fans.ts";
import { findRepetitions, startMortals } from "../helpers/mortals.ts";
import { startSmtpPeer } from "../helpers/peers/smtp.ts";

const SCRIPT = fileURLToPath(new URL("../helpers/worker-process.ts", import.meta.url));

/** Between the mail server's word and the database's are a few milliseconds; a busy machine may make that many. */
const WINDOW_MS = 1_000;

/** How many workers are killed at least. */
const ENOUGH = 4;

const database = useTestDatabase();

it("workers killed at any moment, and a mail server that refuses a third: each notification once, each mail", async () => {
  const { db, url } = database;
  const smtp = await startSmtpPeer({ mood: "refusesSome", some: { refused: 1, of: 3 } });
  onTestFinished(() => smtp.stop());
  await addFans(db, 8, 12);
  await addDiscountsOfAll(db, 8);
  const start = (name: string) =>
    spawn(process.execPath, [SCRIPT, url, smtp.url(name)], {
      stdio: ["ignore", "ignore", "inherit"],
    });
  const mortals = startMortals(2, start, [2_500, 5_000]);
  onTestFinished(() => mortals.end());

  const killed = () => mortals.lives.filter(({ killedAt }) => killedAt !== undefined).length;
  while (killed() < ENOUGH) {
    await letTimePass(db);
    const latecomer = await db("users").orderByRaw("random()").first("id");
    await toggleFavorite(db, latecomer.id, "donate", `item-${1 + Math.floor(Math.random() * 12)}`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  mortals.spare();
  const settled = async () => {
    await letTimePass(db);
    const untold = await db("discounts").whereNull("told_at");
    return untold.length === 0 && (await deliveryStates(db)).waiting === undefined;
  };
  await expect.poll(settled, { timeout: 60_000, interval: 250 }).toBe(true);

  expect(await wrongPairs(db)).toEqual([]);
  const notifications: number[] = await db("notifications").pluck("id");
  expect(notifications.length).toBeGreaterThan(40);
  expect(await deliveryStates(db)).toEqual({ sent: notifications.length });
  const arrived = new Set(smtp.mails.map(({ messageId }) => messageId));
  expect(arrived).toEqual(new Set(notifications.map((id) => `<notification-${id}@almanac.test>`)));
  const repetitions = findRepetitions(smtp.mails, mortals.lives);
  const unexplained = repetitions.filter(
    ({ diedAfterMs }) => diedAfterMs === undefined || Math.abs(diedAfterMs) > WINDOW_MS,
  );
  expect(unexplained).toEqual([]);
});
