import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { useTestDatabase } from "../helpers/database.ts";
import { deliveryStates } from "../helpers/fans.ts";
import { findRepetitions, startMortals } from "../helpers/mortals.ts";
import { startJsonPeer } from "../helpers/peers/json-list.ts";
import { startSmtpPeer } from "../helpers/peers/smtp.ts";
import {
  addWatchers,
  CROSSINGS_EACH,
  isToldToAll,
  playEvening,
  until,
  wrongAlerts,
  wrongCrossings,
} from "../helpers/watchers.ts";

const pathOf = (name: string) => fileURLToPath(new URL(`../helpers/${name}.ts`, import.meta.url));

/** Between the mail server's word and the database's are a few milliseconds; a busy machine may make that many. */
const WINDOW_MS = 1_000;
/** A busy machine takes its time to start all those processes. */
const TIMEOUT_MS = 600_000;
const [USERS, SERVERS] = [40, 5];

const database = useTestDatabase();

it(
  "pollers and workers killed at any moment: each crossing noted once, each user told of it once",
  async () => {
    const { db, url } = database;
    const smtp = await startSmtpPeer({ mood: "refusesSome", some: { refused: 1, of: 3 } });
    onTestFinished(() => smtp.stop());
    const peer = await startJsonPeer();
    onTestFinished(() => peer.stop());
    await addWatchers(db, peer.url, { users: USERS, servers: SERVERS, mailed: 20 });
    const start = (script: string, ...args: string[]) =>
      spawn(process.execPath, [pathOf(script), url, ...args], {
        stdio: ["ignore", "ignore", "inherit"],
      });
    const workers = startMortals(2, (name) => start("worker-process", smtp.url(name)), [9_000, 16_000]);
    onTestFinished(() => workers.end());
    const pollers = startMortals(2, () => start("poller-process", "3000"), [12_000, 20_000]);
    onTestFinished(() => pollers.end());

    await playEvening(db, peer, SERVERS, () => until(() => isToldToAll(db)));
    workers.spare();
    pollers.spare();
    await until(() => isToldToAll(db));

    const killed = [workers, pollers].map(({ lives }) =>
      lives.filter(({ killedAt }) => killedAt !== undefined),
    );
    expect(killed.map(({ length }) => Math.min(length, 2))).toEqual([2, 2]);
    expect(await wrongCrossings(db)).toEqual([]);
    expect(await wrongAlerts(db)).toEqual([]);
    expect(await db("notifications")).toHaveLength(
      USERS * (await db("server_crossings").whereNot({ what: "down" })).length,
    );
    const { sent = 0, dropped = 0 } = await deliveryStates(db);
    expect(sent + dropped).toBeGreaterThanOrEqual(20 * SERVERS * CROSSINGS_EACH);
    const sentIds: number[] = await db("deliveries").where({ state: "sent" }).pluck("notification_id");
    const arrived = new Set(smtp.mails.map(({ messageId }) => messageId));
    expect(sentIds.filter((id) => !arrived.has(`<notification-${id}@almanac.test>`))).toEqual([]);
    const unexplained = findRepetitions(smtp.mails, workers.lives).filter(
      ({ diedAfterMs }) => diedAfterMs === undefined || Math.abs(diedAfterMs) > WINDOW_MS,
    );
    expect(unexplained).toEqual([]);
  },
  TIMEOUT_MS,
);
