import { setTimeout as delay } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { addJobs, readQueueState, removeGivenUpJobs, type Task } from "../../src/db/jobs.ts";
import { openPool, useTestDatabase } from "../helpers/database.ts";
import { cutOff, queuedJobs, runJobs } from "../helpers/jobs.ts";
import { captureLog } from "../helpers/search.ts";

const database = useTestDatabase();

/** Nothing of one test may be left to the next. */
afterEach(async () => {
  await database.db.raw("delete from graphile_worker._private_jobs");
  await database.db("job_pools").delete();
  await database.db("job_watch").delete();
});

/** A task that keeps what it was given. */
function recorder(work: Task = async () => undefined) {
  const payloads: unknown[] = [];
  const task: Task = async (payload, attempt) => {
    payloads.push(payload);
    await work(payload, attempt);
  };
  return { payloads, task };
}

const until = (check: () => unknown) => expect.poll(check, { interval: 30 });

describe("a job", () => {
  it("is done once its transaction is committed, and only then", async () => {
    const { payloads, task } = recorder();
    runJobs(database.db, { tell_discount: task });
    await expect(
      database.db.transaction(async (transaction) => {
        await addJobs(transaction, [{ task: "tell_discount", payload: { discountId: "taken back" } }]);
        throw new Error("taken back");
      }),
    ).rejects.toThrow("taken back");
    await addJobs(database.db, [{ task: "tell_discount", payload: { discountId: "committed" } }]);
    await until(() => payloads).toEqual([{ discountId: "committed" }]);
    await until(() => queuedJobs(database.db)).toEqual([]);
  });

  it("that fails is tried again later, and knows which attempt it is", async () => {
    const attempts: { number: number; isLast: boolean }[] = [];
    const { task } = recorder(async (_payload, { number, isLast }) => {
      attempts.push({ number, isLast });
      if (!isLast) throw new Error("not yet");
    });
    runJobs(database.db, { tell_discount: task });
    await addJobs(database.db, [{ task: "tell_discount", payload: {}, maxAttempts: 2 }]);
    await until(() => attempts).toEqual([
      { number: 1, isLast: false },
      { number: 2, isLast: true },
    ]);
    await until(() => queuedJobs(database.db)).toEqual([]);
  });
});

describe("jobs that stall", () => {
  it("get the signal that the process ends, and do not keep it", async () => {
    let told = false;
    const { payloads, task } = recorder(async (_payload, { signal }) => {
      await delay(60_000, undefined, { signal }).catch(() => undefined);
      told = true;
      throw new Error("interrupted");
    });
    const jobs = runJobs(database.db, { tell_discount: task });
    await addJobs(database.db, [{ task: "tell_discount", payload: {} }]);
    await until(() => payloads).toHaveLength(1);
    await jobs.stop();
    expect(told).toBe(true);
    expect(await queuedJobs(database.db)).toMatchObject([{ attempts: 1, locked_by: null }]);
  });
});

describe("a process that died", () => {
  const silence = { beatMs: 100, silentS: 1 };

  /** A job that a pool has taken some time ago. */
  async function takenJob(pool: string, { seenS }: { seenS?: number } = {}) {
    await addJobs(database.db, [{ task: "tell_discount", payload: { pool } }]);
    await database.db.raw(
      `update graphile_worker._private_jobs set locked_by = ?, locked_at = now() - interval '1 hour' where locked_by is null`,
      [pool],
    );
    if (seenS === undefined) return;
    await database.db.raw(
      "insert into job_pools (id, seen_at) values (?, now() - make_interval(secs => ?))",
      [pool, seenS],
    );
  }

  it("loses its jobs after its silence, whether it ever spoke or not; one that is alive does not", async () => {
    await takenJob("pool-silent", { seenS: 30 });
    await takenJob("pool-unknown");
    await takenJob("pool-alive", { seenS: -60 });
    // One that is new may have taken a job before it has said a word.
    await takenJob("pool-new");
    await database.db.raw(
      "update graphile_worker._private_jobs set locked_at = now() + interval '1 hour' where locked_by = 'pool-new'",
    );
    const { payloads, task } = recorder();
    const { log, messages } = captureLog();
    runJobs(database.db, { tell_discount: task }, { silence, log });
    await until(() => payloads).toHaveLength(2);
    expect(payloads).toEqual(expect.arrayContaining([{ pool: "pool-silent" }, { pool: "pool-unknown" }]));
    const holders = async () => (await queuedJobs(database.db)).map(({ locked_by }) => locked_by);
    await until(holders).toEqual(["pool-alive", "pool-new"]);
    expect(messages).toContain("freed the jobs of workers that have died");
  });
});

describe("a database that goes away", () => {
  it("ends neither the process nor the work: jobs go on once it is back", async () => {
    const db = openPool(database.url);
    let release: () => void = () => undefined;
    const { payloads, task } = recorder(
      () =>
        new Promise((resolve) => {
          release = resolve;
        }),
    );
    runJobs(db, { tell_discount: task });
    await addJobs(db, [{ task: "tell_discount", payload: { name: "first" } }]);
    await until(() => payloads).toHaveLength(1);
    const away = await cutOff(database.url);
    // The job ends when nobody can be notified.
    release();
    await delay(1_500);
    await away.back();
    await until(() => queuedJobs(database.db)).toEqual([]);
    expect(payloads).toHaveLength(1);
    await addJobs(database.db, [{ task: "tell_discount", payload: { name: "second" } }]);
    await until(() => payloads).toEqual([{ name: "first" }, { name: "second" }]);
    release();
    await until(() => queuedJobs(database.db)).toEqual([]);
  });
});

describe("the queue's state", () => {
  it("counts due and failed jobs; replaced ones go at once, the rest after a week", async () => {
    await addJobs(database.db, [
      { task: "tell_discount", payload: {}, runAt: new Date(Date.now() - 120_000) },
      { task: "tell_discount", payload: {}, runAt: new Date(Date.now() + 120_000) },
      { task: "deliver_digest", payload: {}, key: "old", maxAttempts: 1 },
      { task: "deliver_digest", payload: {}, key: "replaced", maxAttempts: 1 },
      { task: "deliver_digest", payload: {}, key: "new", maxAttempts: 1 },
    ]);
    const giveUp = (key: string, error: string | null, days: number) =>
      database.db.raw(
        `update graphile_worker._private_jobs set attempts = 1, last_error = ?, run_at = now() - make_interval(days => ?)
          where key = ?`,
        [error, days, key],
      );
    await giveUp("old", "broken", 8);
    await giveUp("new", "broken", 6);
    await giveUp("replaced", null, 0);
    const state = await readQueueState(database.db);
    expect(state).toMatchObject({ due: 1, givenUp: 2 });
    expect(state.lateS).toBeGreaterThanOrEqual(120);
    expect(await removeGivenUpJobs(database.db)).toBe(2);
    expect((await queuedJobs(database.db)).map(({ key }) => key)).toEqual(
      expect.arrayContaining([null, null, "new"]),
    );
  });
});
