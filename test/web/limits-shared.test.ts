import { setTimeout as delay } from "node:timers/promises";
import fc from "fast-check";
import { pino } from "pino";
import { describe, expect, it, onTestFinished } from "vitest";
import { createDb } from "../../src/db/connect.ts";
import { CallLimits } from "../../src/web/limits/call-limits.ts";
import type { Policy } from "../../src/web/limits/limit-window.ts";
import { removeOldWindows } from "../../src/web/limits/queries.ts";
import { openTransaction, useTestDatabase } from "../helpers/database.ts";

const database = useTestDatabase();
const log = pino({ level: "silent" });
const policy = (quota: number, more: Partial<Policy> = {}): Policy => ({
  name: "key",
  quota,
  windowMs: 60_000,
  isQuiet: false,
  ...more,
});

let clients = 0;
const newClient = () => `client ${++clients}`;

/** Starts so many processes that know each other. */
async function startProcesses(count: number): Promise<CallLimits[]> {
  await database.db("limit_processes").delete();
  const secret = "one for all processes of the site";
  const processes = Array.from({ length: count }, () => new CallLimits({ db: database.db, log, secret }));
  onTestFinished(async () => void (await Promise.all(processes.map((one) => one.leave()))));
  for (const _round of [1, 2]) for (const one of processes) await one.exchange();
  expect(processes.map((one) => one.processes)).toEqual(processes.map(() => count));
  return processes;
}

const isAllowed = async (limits: CallLimits, kind: Policy, client: string, cost = 1) =>
  (await limits.count(kind, client, cost)).isAllowed;

async function countAllowed(times: number, call: (nth: number) => Promise<boolean>): Promise<number> {
  let allowed = 0;
  for (let nth = 0; nth < times; nth += 1) if (await call(nth)) allowed += 1;
  return allowed;
}

describe("processes that share a limit", { timeout: 60_000 }, () => {
  it("never give more than the quota and a twentieth, whoever asks whom when", async () => {
    const processes = await startProcesses(3);
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 20, max: 100 }),
        fc.array(fc.nat({ max: 2 }), { minLength: 40, maxLength: 200 }),
        async (quota, turns) => {
          const [kind, client] = [policy(quota), newClient()];
          const asked = turns.map((turn) => isAllowed(processes[turn] as CallLimits, kind, client));
          const allowed = (await Promise.all(asked)).filter(Boolean).length;
          expect(allowed).toBeLessThanOrEqual(quota * 1.05 + 3);
          expect(allowed).toBeGreaterThanOrEqual(Math.min(turns.length, quota) * 0.9 - 3);
        },
      ),
      { numRuns: 6 },
    );
  });

  it("give the whole quota to a client that changes from one to the other", async () => {
    const [first, second] = (await startProcesses(2)) as [CallLimits, CallLimits];
    const [kind, client] = [policy(40), newClient()];
    expect(await countAllowed(20, () => isAllowed(first, kind, client))).toBe(20);
    // An unused part is returned once its client is gone.
    await delay(1_100);
    await first.exchangeIfDue();
    expect(await countAllowed(30, () => isAllowed(second, kind, client))).toBeGreaterThanOrEqual(19);
    expect(await isAllowed(second, kind, client)).toBe(false);
  });

  it("give the whole quota to a burst at one of many, soon and no more", async () => {
    const [first] = (await startProcesses(9)) as [CallLimits];
    const [kind, client] = [policy(60), newClient()];
    const asked = Array.from({ length: 120 }, () => isAllowed(first, kind, client));
    const allowed = (await Promise.all(asked)).filter(Boolean).length;
    expect(allowed).toBeGreaterThanOrEqual(57);
    expect(allowed).toBeLessThanOrEqual(63);
  });

  it("begin a window together, with the first call", async () => {
    const [first, second] = (await startProcesses(2)) as [CallLimits, CallLimits];
    const [kind, client] = [policy(40), newClient()];
    await first.count(kind, client);
    await first.exchange();
    await delay(1_500);
    await second.count(kind, client);
    await second.exchange();
    const [one, other] = [await first.count(kind, client), await second.count(kind, client)];
    expect(Math.abs(one.endsInMs - other.endsInMs)).toBeLessThan(1_000);
    expect(other.endsInMs).toBeLessThan(59_000);
    expect(other.left).toBeLessThanOrEqual(38);
  });

  it("forget nothing when one is gone, and a new one learns what was spent", async () => {
    const [first] = (await startProcesses(1)) as [CallLimits];
    const [kind, client] = [policy(40), newClient()];
    expect(await countAllowed(30, () => isAllowed(first, kind, client))).toBe(30);
    await first.exchange();
    const [next] = (await startProcesses(1)) as [CallLimits];
    await next.count(kind, client);
    await next.exchange();
    expect(await countAllowed(40, () => isAllowed(next, kind, client))).toBe(9);
  });

  it("each give their part while the database does not answer, and count together again", async () => {
    const { connectionString: url } = database.db.client.connectionSettings;
    const [first] = (await startProcesses(2)) as [CallLimits];
    const hasty = createDb({ url, statementTimeoutMs: 200 });
    const limits = new CallLimits({ db: hasty, log, secret: "one for all processes of the site" });
    await limits.exchange();
    await first.exchange();
    const held = await openTransaction(database.db);
    await held.raw("lock table limit_windows in access exclusive mode");
    const [kind, client] = [policy(60), newClient()];
    const parts = await countAllowed(60, () => isAllowed(limits, kind, client));
    expect(parts).toBe(20);
    await held.rollback();
    await limits.exchangeIfDue();
    expect(await countAllowed(60, () => isAllowed(limits, kind, client))).toBeGreaterThanOrEqual(38);
    await limits.leave();
    await hasty.destroy();
  });

  it("write nothing for a few pages, nothing while nobody calls, and keep no address", async () => {
    const [first, second] = (await startProcesses(2)) as [CallLimits, CallLimits];
    const pages = policy(3_000, { name: "site", isQuiet: true });
    await database.db("limit_windows").delete();
    for (let page = 0; page < 50; page += 1) await first.count(pages, "203.0.113.99");
    const statements: string[] = [];
    const note = ({ sql }: { sql: string }) => statements.push(sql);
    database.db.on("query", note);
    await first.exchangeIfDue();
    await second.exchangeIfDue();
    database.db.off("query", note);
    expect(statements).toEqual([]);
    for (let page = 0; page < 100; page += 1) await first.count(pages, "203.0.113.99");
    await first.exchange();
    const rows = await database.db("limit_windows").select();
    expect(rows).toEqual([expect.objectContaining({ spent: 150 })]);
    expect(JSON.stringify(rows)).not.toContain("203.0.113.99");
    await database.db("limit_windows").update({ ends_at: database.db.raw("now() - interval '1 second'") });
    await removeOldWindows(database.db);
    expect(await database.db("limit_windows").select()).toEqual([]);
  });

  it("remember so many clients and no more", async () => {
    const limits = new CallLimits({ db: database.db, log, secret: "x", atMost: 10 });
    for (let nth = 0; nth < 100; nth += 1) await limits.count(policy(2), `flood ${nth}`);
    expect((await limits.count(policy(2), "flood 99")).left).toBe(0);
    expect((await limits.count(policy(2), "flood 0")).left).toBe(1);
  });
});
