import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { createInterface } from "node:readline";
import { describe, expect, it, onTestFinished } from "vitest";
import { useTestDatabase } from "../helpers/database.ts";
import { type SampPeer, startSampPeer } from "../helpers/peers/samp.ts";
import { addPolled, doubleRecords, recordsOf } from "../helpers/poller.ts";

const ROOT = path.join(import.meta.dirname, "../..");
const INTERVAL_MS = 10_000;

const database = useTestDatabase();

interface PollProcess {
  readonly child: ChildProcess;
  /** Everything that it has said on standard error. */
  readonly lines: string[];
  readonly ended: Promise<unknown>;
}

/** `almanac poll` as an operator runs it. */
function startProcess(): PollProcess {
  const child = spawn(process.execPath, ["src/main.ts", "poll"], {
    cwd: ROOT,
    env: {
      PATH: process.env.PATH,
      DATABASE_URL: database.url,
      POLL_INTERVAL_S: String(INTERVAL_MS / 1000),
      PRIVATE_ADDRESSES: "127.0.0.1",
    },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const lines: string[] = [];
  if (child.stderr) createInterface({ input: child.stderr }).on("line", (line) => lines.push(line));
  const ended = once(child, "exit");
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  return { child, lines, ended };
}

async function startPeers(count: number): Promise<SampPeer[]> {
  const peers = await Promise.all(
    Array.from({ length: count }, () => startSampPeer({ online: 750, maximum: 500 })),
  );
  onTestFinished(async () => {
    await Promise.all(peers.map((peer) => peer.stop()));
  });
  return peers;
}

const says = (process: PollProcess, text: string) =>
  expect.poll(() => process.lines.join("\n"), { interval: 50 }).toContain(text);

describe("two processes that poll", () => {
  it("kill -9 of the one that does: the other takes over within two intervals, no record is double", async () => {
    const peers = await startPeers(5);
    for (const [index, { port }] of peers.entries()) {
      const columns = { address: `127.0.0.1:${port}`, adapter_options: { type: "gtasam" } };
      await addPolled(database.db, [`s${index}`], columns);
    }
    const first = startProcess();
    await says(first, "polling the servers");
    const second = startProcess();
    await says(second, "another process polls the servers; waiting for its lock");
    const lengths = async () =>
      Promise.all(peers.map(async (_, index) => (await recordsOf(database.db, `s${index}`)).length));
    await expect.poll(async () => Math.min(...(await lengths())), { interval: 100 }).toBeGreaterThan(0);
    const known = await lengths();
    first.child.kill("SIGKILL");
    const taken = async () => (await lengths()).every((length, index) => length > (known[index] ?? 0));
    await expect.poll(taken, { timeout: 2 * INTERVAL_MS, interval: 100 }).toBe(true);
    expect(await doubleRecords(database.db, INTERVAL_MS)).toEqual([]);
    const records = (await Promise.all(peers.map((_, index) => recordsOf(database.db, `s${index}`)))).flat();
    for (const record of records) {
      expect(record).toMatchObject({ status: "online", online: 750, max_online: 500, queue: null });
    }
    second.child.kill("SIGTERM");
    expect(await second.ended).toEqual([0, null]);
  });
});
