import { setTimeout as delay } from "node:timers/promises";
import { afterEach, describe, expect, it, onTestFinished } from "vitest";
import { addJobs, readQueueState, removeGivenUpJobs, type Task } from "../../src/db/jobs.ts";
import { createTestDatabase, openPool, useTestDatabase } from "../helpers/database.ts";
import { cutOff, queuedJobs, runJobs } from "../helpers/jobs.ts";
import { captureLog } from "../helpers/log.ts";
import { refuseWrites } from "../helpers/refused-writes.ts";
import { startWorker } from "../helpers/worker.ts";

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

/** A database for one of the cases that run side by side: they would take each other's jobs, and cut each other off. */
async function ownDatabase() {
  const own = await createTestDatabase();
  onTestFinished(() => own.drop());
  return own;
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
    await until(() => queuedJobs(database.db)).toMatchObject([{ attempts: 1, locked_by: null }]);
    expect((await queuedJobs(database.db))[0]?.run_at.getTime()).toBeGreaterThan(Date.now());
    await database.db("graphile_worker._private_jobs").update({ run_at: database.db.fn.now() });
    await until(() => attempts).toEqual([
      { number: 1, isLast: false },
      { number: 2, isLast: true },
    ]);
    await until(() => queuedJobs(database.db)).toEqual([]);
  });

  it("of the same key takes the place of the one that waits; one may keep its time", async () => {
    const [soon, later] = [new Date(Date.now() + 60_000), new Date(Date.now() + 120_000)];
    const job = (runAt: Date) => ({ task: "deliver_digest" as const, payload: {}, key: "digest:1", runAt });
    await addJobs(database.db, [job(soon)]);
    await addJobs(database.db, [job(later)], { keepRunAt: true });
    expect(await queuedJobs(database.db)).toMatchObject([{ run_at: soon }]);
    await addJobs(database.db, [job(later)]);
    expect(await queuedJobs(database.db)).toMatchObject([{ run_at: later }]);
  });

  it("is done in the order of priority", async () => {
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    onTestFinished(() => release());
    const { payloads, task } = recorder((payload) =>
      (payload as { name: string }).name === "slow" ? released : Promise.resolve(),
    );
    const add = (name: string, priority: number) =>
      addJobs(database.db, [{ task: "tell_discount", payload: { name }, priority }]);
    runJobs(database.db, { tell_discount: task });
    // Six jobs run at once, so these leave one place.
    for (let slow = 0; slow < 5; slow++) await add("slow", 0);
    await until(() => payloads).toHaveLength(5);
    await database.db.transaction(async (transaction) => {
      for (const [name, priority] of [
        ["notification", 10],
        ["password", -10],
        ["other", 0],
      ] as const) {
        await addJobs(transaction, [{ task: "tell_discount", payload: { name }, priority }]);
      }
    });
    const names = () => payloads.slice(5).map((payload) => (payload as { name: string }).name);
    await until(names).toEqual(["password", "other", "notification"]);
    release();
  });
});

describe("jobs that stall", () => {
  it("hold up nothing but their like", async () => {
    const stalled = recorder((_payload, { signal }) => delay(60_000, undefined, { signal }));
    const telling = recorder();
    const push = recorder();
    runJobs(database.db, {
      deliver_by_email: stalled.task,
      deliver_by_push: push.task,
      tell_discount: telling.task,
    });
    await addJobs(
      database.db,
      Array.from({ length: 20 }, (_, id) => ({
        task: "deliver_by_email" as const,
        payload: { id },
        priority: -50,
      })),
    );
    await until(() => stalled.payloads.length).toBe(5);
    await addJobs(database.db, [
      { task: "deliver_by_push", payload: {} },
      { task: "tell_discount", payload: {} },
    ]);
    await until(() => [push.payloads.length, telling.payloads.length]).toEqual([1, 1]);
  });

  it("get the signal that the process ends; those that do not listen stay locked for others to take over", async () => {
    let told = false;
    const listening = recorder(async (_payload, { signal }) => {
      await delay(60_000, undefined, { signal }).catch(() => undefined);
      told = true;
      throw new Error("interrupted");
    });
    const deaf = recorder(() => delay(600_000, undefined, { ref: false }));
    const jobs = runJobs(database.db, { deliver_by_push: listening.task, tell_discount: deaf.task });
    await addJobs(database.db, [
      { task: "deliver_by_push", payload: {} },
      { task: "tell_discount", payload: {} },
    ]);
    await until(() => [listening.payloads.length, deaf.payloads.length]).toEqual([1, 1]);
    await jobs.stop();
    expect(told).toBe(true);
    const left = await queuedJobs(database.db);
    expect(
      left.toSorted((one, other) => (one.task_identifier < other.task_identifier ? -1 : 1)),
    ).toMatchObject([
      { task_identifier: "deliver_by_push", attempts: 1, locked_by: null },
      { task_identifier: "tell_discount", locked_by: expect.stringMatching(/^pool-/) },
    ]);
  });
});

describe("a process that died", () => {
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
    runJobs(database.db, { tell_discount: task }, { silence: { beatMs: 100, silentS: 1 }, log });
    await until(() => payloads).toHaveLength(2);
    expect(payloads).toEqual(expect.arrayContaining([{ pool: "pool-silent" }, { pool: "pool-unknown" }]));
    const holders = async () => (await queuedJobs(database.db)).map(({ locked_by }) => locked_by);
    await until(holders).toEqual(["pool-alive", "pool-new"]);
    expect(messages()).toContain("freed the jobs of workers that have died");
  });

  it("is not declared dead before anybody has spoken for as long as it was silent", async () => {
    await takenJob("pool-silent", { seenS: 30 });
    const { payloads, task } = recorder();
    runJobs(database.db, { tell_discount: task }, { silence: { beatMs: 50, silentS: 4 } });
    await delay(1_000);
    expect(payloads).toEqual([]);
    await until(() => payloads).toHaveLength(1);
  });
});

describe("a database that goes away", () => {
  const silence = { beatMs: 100, silentS: 1 };

  it("ends neither processes nor their work", async () => {
    await Promise.all([
      goesOnOnceItIsBack(),
      losesNoneOfMany(),
      isNotTakenForADeadProcess(),
      anotherPoolTakesOver(),
      mayBeAwayAtTheStart(),
      appearsInTheLogAlone(),
    ]);
  });

  async function goesOnOnceItIsBack() {
    const own = await ownDatabase();
    let release: () => void = () => undefined;
    const { payloads, task } = recorder(
      () =>
        new Promise((resolve) => {
          release = resolve;
        }),
    );
    const jobs = runJobs(own.db, { tell_discount: task });
    await addJobs(own.db, [{ task: "tell_discount", payload: { name: "first" } }]);
    await until(() => payloads).toHaveLength(1);
    const away = await cutOff(own.url);
    // The job ends when nobody can be notified.
    release();
    await delay(1_500);
    await away.back();
    await until(() => queuedJobs(own.db)).toEqual([]);
    expect(payloads).toHaveLength(1);
    await addJobs(own.db, [{ task: "tell_discount", payload: { name: "second" } }]);
    await until(() => payloads).toEqual([{ name: "first" }, { name: "second" }]);
    release();
    await until(() => queuedJobs(own.db)).toEqual([]);
    await jobs.stop();
  }

  /** One of two processes is stopped meanwhile. */
  async function losesNoneOfMany() {
    const { db, url } = await ownDatabase();
    const done = new Set<unknown>();
    const task: Task = async (payload) => {
      await delay(40);
      done.add((payload as { id: number }).id);
    };
    await addJobs(
      db,
      Array.from({ length: 60 }, (_, id) => ({ task: "tell_discount" as const, payload: { id } })),
    );
    const ending = runJobs(openPool(url), { tell_discount: task }, { silence });
    const other = runJobs(openPool(url), { tell_discount: task }, { silence });
    await until(() => done.size).toBeGreaterThan(5);
    const away = await cutOff(url);
    await ending.stop();
    await away.back();
    await until(() => queuedJobs(db)).toEqual([]);
    expect(done.size).toBe(60);
    await other.stop();
  }

  async function isNotTakenForADeadProcess() {
    const { db, url } = await ownDatabase();
    let end: () => void = () => undefined;
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const pools = Array.from({ length: 6 }, () => recorder(() => ended));
    // Longer than a busy machine takes to connect all six again.
    const silence = { beatMs: 100, silentS: 2 };
    const jobs = pools.map(({ task }) => runJobs(db, { deliver_by_push: task }, { silence }));
    const runs = () => pools.flatMap(({ payloads }) => payloads).length;
    await addJobs(db, [{ task: "deliver_by_push", payload: {} }]);
    await until(runs).toBe(1);
    const away = await cutOff(url);
    await delay(3_000);
    await away.back();
    await delay(4_000);
    end();
    await until(() => queuedJobs(db)).toEqual([]);
    expect(runs()).toBe(1);
    await Promise.all(jobs.map((each) => each.stop()));
  }

  /** It cannot note that jobs are done. */
  async function anotherPoolTakesOver() {
    const { db } = await ownDatabase();
    const refused = await refuseWrites(db, "delete on graphile_worker._private_jobs", "P0001");
    // One fails while the queue, which could not note the others, waits for it: the queue then waits for ever.
    const { payloads, task } = recorder(async (payload, { number }) => {
      const { order } = payload as { order: number };
      await delay(order * 100);
      if (order === 2 && number === 1) throw new Error("fails once");
    });
    const jobs = runJobs(db, { tell_discount: task }, { silence });
    const job = (order: number) => ({ task: "tell_discount" as const, payload: { order } });
    await addJobs(db, [job(0), job(1), job(2)]);
    await until(() => payloads).toHaveLength(3);
    await delay(500);
    await refused.accept();
    await addJobs(db, [job(0.5)]);
    await until(() => payloads).toContainEqual({ order: 0.5 });
    // What could not be noted is done again: tasks must be safe to repeat.
    await until(() => queuedJobs(db)).toEqual([]);
    await jobs.stop();
  }

  async function mayBeAwayAtTheStart() {
    const { db, url } = await ownDatabase();
    const { payloads, task } = recorder();
    const away = await cutOff(url);
    const jobs = runJobs(db, { tell_discount: task });
    await delay(700);
    await away.back();
    await addJobs(db, [{ task: "tell_discount", payload: {} }]);
    await until(() => payloads).toHaveLength(1);
    await jobs.stop();
  }

  async function appearsInTheLogAlone() {
    const { url } = await ownDatabase();
    const worker = startWorker({ DATABASE_URL: url, LOG_LEVEL: "debug", LOG_FORMAT: "json" });
    await until(() => worker.lines.join()).toContain("Working");
    const away = await cutOff(url);
    await until(() => worker.lines.join()).toContain("is not currently accepting connections");
    await delay(1_500);
    await away.back();
    for (const line of worker.lines) expect(JSON.parse(line)).toHaveProperty("msg");
  }
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

describe("the queue's log", () => {
  it("is the process's: a failure is a warning with its error, and no payload is ever in it", async () => {
    const { payloads, task } = recorder(async () => {
      throw Object.assign(new Error("it broke"), { recipient: "somebody@example.test" });
    });
    const { log, lines } = captureLog("info");
    runJobs(database.db, { tell_discount: task }, { log });
    await addJobs(database.db, [{ task: "tell_discount", payload: { secret: "do not log me" } }]);
    await until(() => payloads).toHaveLength(1);
    await until(() => lines).toHaveLength(1);
    const stack = expect.stringContaining("jobs.test.ts");
    expect(lines).toMatchObject([
      {
        level: 40,
        err: { type: "Error", message: "it broke", stack },
        msg: expect.stringMatching(/^Failed task \d+ \(tell_discount, [\d.]+ms, attempt 1 of 25\)$/),
      },
    ]);
    expect(JSON.stringify(lines)).not.toMatch(/do not log me|somebody@/);
  });
});
