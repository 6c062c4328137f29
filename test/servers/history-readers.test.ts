import { beforeEach, describe, expect, it } from "vitest";
import { selectHours } from "../../src/servers/history/queries.ts";
import { RANGE_NAMES, RANGES, type RangeName } from "../../src/servers/history/ranges.ts";
import { rollUpHistory, rollUpStep } from "../../src/servers/history/roll-up.ts";
import { loadOutages, loadServer, loadServerBoard } from "../../src/servers/queries.ts";
import { useTestDatabase } from "../helpers/database.ts";
import {
  addRecords,
  addServer,
  databaseClock,
  HOUR_MS,
  listRecords,
  type Measurement,
  MINUTE_MS,
} from "../helpers/servers.ts";

const database = useTestDatabase();

beforeEach(async () => {
  await database.db("servers").delete();
});

/** A poll a minute for 47 hours with gaps, outages, unknown states and counts that are not told. */
async function addTwoDays(id: string, seed: number): Promise<void> {
  await addServer(database.db, { id });
  const now = (await databaseClock(database.db)).getTime();
  const measurements: Measurement[] = [];
  for (let minute = 47 * 60; minute > 0; minute--) {
    const at = new Date(now - minute * MINUTE_MS);
    const mood = (minute * 7 + seed) % 240;
    if (mood < 40) continue;
    if (mood < 50) measurements.push({ at, status: "offline" });
    else if (mood < 55) measurements.push({ at, status: "unknown" });
    else measurements.push({ at, online: (minute * seed) % 1300, queue: mood % 3 === 0 ? null : mood });
  }
  await addRecords(database.db, id, measurements);
}

/** One server's buckets of a range, straight from the records. */
function compute(
  all: Awaited<ReturnType<typeof listRecords>>,
  id: string,
  times: number[],
  range: RangeName,
) {
  const records = all.filter(({ server_id }) => server_id === id);
  const lengthS = RANGES[range].intervalS;
  const groups = new Map<number, typeof records>();
  for (const record of records) {
    const start = Math.floor(record.checked_at.getTime() / 1000 / lengthS) * lengthS;
    const inside = groups.get(start);
    if (inside) inside.push(record);
    else groups.set(start, [record]);
  }
  const buckets = times.map((start) => {
    const inside = groups.get(start) ?? [];
    return { ...figures(inside), ...states(inside) };
  });
  const inGrid = records.filter(({ checked_at }) => checked_at.getTime() / 1000 >= (times[0] ?? 0));
  const counts = inGrid.map(({ online }) => online).filter((count) => count !== null);
  return {
    history: {
      online: buckets.map(({ online }) => online),
      onlineMin: buckets.map(({ onlineMin }) => onlineMin),
      onlineMax: buckets.map(({ onlineMax }) => onlineMax),
      queue: buckets.map(({ queue }) => queue),
      queueMax: buckets.map(({ queueMax }) => queueMax),
      up: buckets.map(({ up }) => up),
    },
    peak: highest(counts),
    average: counts.length === 0 ? null : total(counts) / counts.length,
    uptime: states(inGrid).up,
  };
}

function figures(records: { online: number | null; queue: number | null }[]) {
  const online = records.map((record) => record.online).filter((count) => count !== null);
  const queue = records.map((record) => record.queue).filter((count) => count !== null);
  return {
    online: mean(online),
    onlineMin: online.length === 0 ? null : Math.min(...online),
    onlineMax: highest(online),
    queue: mean(queue),
    queueMax: highest(queue),
  };
}

function states(records: { status: string }[]) {
  const known = records.filter(({ status }) => status !== "unknown");
  return {
    up: known.length === 0 ? null : known.filter(({ status }) => status === "online").length / known.length,
  };
}

function mean(counts: number[]): number | null {
  return counts.length === 0 ? null : Math.floor((2 * total(counts) + counts.length) / (2 * counts.length));
}

function highest(counts: number[]): number | null {
  return counts.length === 0 ? null : Math.max(...counts);
}

function total(counts: number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}

async function expectAllRanges(db = database.db): Promise<void> {
  const records = await listRecords(db);
  for (const range of RANGE_NAMES) {
    const { times, servers } = await loadServerBoard(db, range);
    expect(times).toHaveLength(RANGES[range].buckets);
    for (const { id, history, peak, average, uptime } of servers) {
      expect({ history, peak, average, uptime }, `${id} ${range}`).toEqual(
        compute(records, id, times, range),
      );
      const alone = await loadServer(db, id, range);
      if (alone.times[0] === times[0]) expect(alone.server?.history).toEqual(history);
      expect(alone.intervalS).toBe(RANGES[range].intervalS);
    }
  }
}

describe("what is read of a range", () => {
  it("is what the records come to, however much of them is rolled up", async () => {
    await addTwoDays("a", 3);
    await addTwoDays("b", 11);
    await addServer(database.db, { id: "never" });
    await expectAllRanges();
    await rollUpStep(database.db, "five_minutes");
    await expectAllRanges();
    while (await rollUpStep(database.db, "five_minutes"));
    await expectAllRanges();
    await rollUpStep(database.db, "hours");
    await expectAllRanges();
    await rollUpHistory(database.db);
    await expectAllRanges();
  });
});

describe("the hours", () => {
  it("are those with known figures, this one last", async () => {
    await addServer(database.db, { id: "a" });
    const now = await databaseClock(database.db);
    const at = (hours: number) => new Date(now.getTime() - hours * HOUR_MS);
    await addRecords(database.db, "a", [
      { at: at(30), online: 7 },
      { at: at(30.01), status: "offline" },
      { at: at(20), status: "unknown" },
      { at: now, online: null },
    ]);
    const hours = await selectHours(database.db, "a", 2);
    const startOf = (time: Date) => Math.floor(time.getTime() / HOUR_MS) * 3600;
    const known = [at(30.01), at(30), now].map(startOf);
    expect(hours.map(({ start }) => start)).toEqual([...new Set(known)]);
    expect(hours.at(-1)).toEqual({ start: startOf(now), onlineCount: 0, onlineSum: 0 });
    const counted = hours.find(({ start }) => start === startOf(at(30)));
    expect(counted).toMatchObject({ onlineCount: 1, onlineSum: 7 });
    expect(await selectHours(database.db, "a", 1)).toHaveLength(1);
    expect(await selectHours(database.db, "nobody", 28)).toEqual([]);
  });
});

describe("the outages", () => {
  it("are exact to the poll while the polls are kept, rolled up or not", async () => {
    await addServer(database.db, { id: "a" });
    const now = (await databaseClock(database.db)).getTime();
    const at = (minutes: number) => new Date(now - minutes * MINUTE_MS);
    const down = (minute: number) => (minute <= 600 && minute > 590) || minute <= 3;
    await addRecords(
      database.db,
      "a",
      [...Array(700).keys()].map((minute) => ({
        at: at(minute),
        ...(down(minute) ? { status: "offline" as const } : { online: 1 }),
      })),
    );
    const expected = [
      { from: at(600), to: at(590) },
      { from: at(3), to: null },
    ];
    expect(await loadOutages(database.db, "a", at(2000))).toEqual(expected);
    await rollUpHistory(database.db);
    expect(await loadOutages(database.db, "a", at(2000))).toEqual(expected);
    expect(await loadOutages(database.db, "a", at(400))).toEqual(expected.slice(1));
    expect(await loadOutages(database.db, "nobody", at(400))).toEqual([]);
  });
});
