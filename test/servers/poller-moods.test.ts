import { afterEach, describe, expect, it, onTestFinished } from "vitest";
import { ADAPTERS } from "../../src/servers/poller/adapters.ts";
import { startPoller } from "../../src/servers/poller/poll.ts";
import { useTestDatabase } from "../helpers/database.ts";
import { LOOPBACK } from "../helpers/egress.ts";
import { type SampMood, type SampPeer, startSampPeer } from "../helpers/peers/samp.ts";
import { addPolled, doubleRecords, logSink, recordsOf, serverRow } from "../helpers/poller.ts";

const database = useTestDatabase();

/** An ask may take a quarter of it: twice the late answer's time, for a busy machine. */
const INTERVAL_MS = 6_000;
const PATIENCE = { timeout: 40_000, interval: 100 };

afterEach(async () => {
  await database.db("servers").delete();
});

async function pollMoods(moods: readonly SampMood[], timeoutMs = 1_400): Promise<Map<SampMood, SampPeer>> {
  const peers = new Map<SampMood, SampPeer>();
  onTestFinished(async () => {
    await Promise.all([...peers.values()].map((peer) => peer.stop()));
  });
  for (const mood of moods) {
    const peer = await startSampPeer({ mood, online: 750, maximum: 500 });
    peers.set(mood, peer);
    const adapter_options = { type: "gtasam", timeout_ms: timeoutMs };
    await addPolled(database.db, [mood], { address: `127.0.0.1:${peer.port}`, adapter_options });
  }
  const { log } = logSink();
  const poller = startPoller({
    db: database.db,
    log,
    intervalMs: INTERVAL_MS,
    egress: LOOPBACK,
    adapters: ADAPTERS,
  });
  onTestFinished(() => poller.stop());
  return peers;
}

const ANSWERING = ["healthy", "late", "blocksRules", "cp1251", "twice"] as const;
const HOSTILE = ["silent", "garbage", "truncated", "lyingLength", "wrongHeader", "flood"] as const;

describe("the moods of real game servers, side by side", () => {
  it("who answers is online with its figures, who does not is offline after two misses", async () => {
    const peers = await pollMoods([...ANSWERING, ...HOSTILE, "losesEverySecond"]);
    for (const mood of HOSTILE) {
      await expect.poll(() => serverRow(database.db, mood), PATIENCE).toMatchObject({ status: "offline" });
    }
    for (const mood of ANSWERING) {
      const records = await recordsOf(database.db, mood);
      expect(records.length, mood).toBeGreaterThanOrEqual(2);
      expect(records.map(({ status }) => status)).not.toContain("offline");
      // A machine that is busy with all of them may miss an answer, which is then said and nothing made up.
      const heard = records.filter(({ online, max_online }) => online !== null || max_online !== null);
      expect(heard.length, mood).toBeGreaterThanOrEqual(1);
      for (const record of heard) {
        expect(record, mood).toMatchObject({ status: "online", online: 750, max_online: 500, queue: null });
      }
    }
    for (const mood of HOSTILE) {
      const [first, second] = await recordsOf(database.db, mood);
      expect([first.status, second.status, second.online], mood).toEqual(["unknown", "offline", null]);
    }
    const statuses = (await recordsOf(database.db, "losesEverySecond")).map(({ status }) => status);
    expect(statuses).toContain("online");
    expect(statuses).not.toContain("offline");
    peers.get("silent")?.setMood("healthy");
    await expect
      .poll(() => serverRow(database.db, "silent"), PATIENCE)
      .toMatchObject({ status: "online", online: 750 });
    expect(await doubleRecords(database.db, INTERVAL_MS)).toEqual([]);
  });
});
