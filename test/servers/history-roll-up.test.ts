import fc from "fast-check";
import type { Knex } from "knex";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createDb } from "../../src/db/connect.ts";
import {
  dropOldPartitions,
  ensurePartitions,
  rewindHistory,
  rollUpHistory,
  rollUpStep,
} from "../../src/servers/history/roll-up.ts";
import { useTestDatabase } from "../helpers/database.ts";
import { PATIENT } from "../helpers/patience.ts";
import {
  addRecords,
  addServer,
  databaseClock,
  HOUR_MS,
  listRecords,
  type Measurement,
  MINUTE_MS,
} from "../helpers/servers.ts";

const DAY_MS = 24 * HOUR_MS;
const database = useTestDatabase();
const LEVELS = [
  ["five_minutes", "online_five_minutes", 5 * MINUTE_MS],
  ["hours", "online_hours", HOUR_MS],
  ["days", "online_days", DAY_MS],
] as const;

beforeEach(async () => {
  for (const id of ["a", "b", "c"]) await addServer(database.db, { id });
});

afterEach(async () => {
  await database.db("servers").delete();
  await dropOldPartitions(database.db);
  await pauseSince(await databaseClock(database.db));
});

/** As if the job had not run since a time. */
async function pauseSince(time: Date): Promise<void> {
  for (const [level, , length] of LEVELS) {
    const done_until = new Date(Math.floor(time.getTime() / length) * length);
    await database.db("history_progress").where({ level }).update({ done_until });
  }
}

type RawRecord = Awaited<ReturnType<typeof listRecords>>[number];

/** What each bucket comes to, straight from the records. */
function compute(records: RawRecord[], length: number, until: Date) {
  const buckets = new Map<string, RawRecord[]>();
  for (const record of records) {
    const start = Math.floor(record.checked_at.getTime() / length) * length;
    if (start >= until.getTime()) continue;
    const key = `${record.server_id} ${new Date(start).toISOString()}`;
    buckets.set(key, [...(buckets.get(key) ?? []), record]);
  }
  const rows = [...buckets].map(([key, group]) => {
    const known = group.filter(({ status }) => status !== "unknown").length;
    const up = group.filter(({ status }) => status === "online").length;
    return { key, known, up, ...sums("online", group), ...sums("queue", group) };
  });
  return rows.filter(({ known }) => known > 0).sort((a, b) => (a.key < b.key ? -1 : 1));
}

function sums(column: "online" | "queue", records: RawRecord[]) {
  const counts = records.map((record) => record[column]).filter((count: number | null) => count !== null);
  return {
    [`${column}_count`]: counts.length,
    [`${column}_sum`]: counts.reduce((total: number, count: number) => total + count, 0),
    [`${column}_min`]: counts.length === 0 ? null : Math.min(...counts),
    [`${column}_max`]: counts.length === 0 ? null : Math.max(...counts),
  };
}

async function stored(table: string) {
  const rows = await database
    .db(`${table} as bucket`)
    .join("servers", "servers.number", "server_number")
    .select("bucket.*", "servers.id");
  return rows
    .map(({ id, start, server_number, ...figures }) => ({ key: `${id} ${start.toISOString()}`, ...figures }))
    .sort((a, b) => (a.key < b.key ? -1 : 1));
}

/** That every level is what its buckets come to by the records, and that none is further back than it may be. */
async function expectRolledUp(records?: RawRecord[]): Promise<void> {
  const all = records ?? (await listRecords(database.db));
  const now = await databaseClock(database.db);
  for (const [level, table, length] of LEVELS) {
    const { done_until } = await database.db("history_progress").where({ level }).first();
    expect(now.getTime() - done_until.getTime()).toBeLessThan(length + 5 * MINUTE_MS + 30_000);
    expect(await stored(table), table).toEqual(compute(all, length, done_until));
  }
}

/** Random measurements of three servers: gaps, unknown, offline, counts that are not told or above the maximum. */
function measurements(hours: number, count: number) {
  const counted = { at: fc.integer({ min: 1, max: hours * 3600 }), server: fc.constantFrom("a", "b", "c") };
  const told = fc.option(fc.integer({ min: 0, max: 2_000_000_000 }), { nil: null, freq: 4 });
  const online = fc.record({ ...counted, status: fc.constant("online" as const), online: told, queue: told });
  const silent = fc.record({ ...counted, status: fc.constantFrom("offline" as const, "unknown" as const) });
  const one = fc.oneof({ weight: 4, arbitrary: online }, { weight: 1, arbitrary: silent });
  return fc.uniqueArray(one, {
    minLength: 1,
    maxLength: count,
    selector: ({ at, server }) => `${at} ${server}`,
    size: "max",
  });
}

type Random = { at: number; server: string } & Omit<Measurement, "at">;

async function write(db: Knex, random: Random[]): Promise<void> {
  const now = (await databaseClock(db)).getTime();
  for (const id of ["a", "b", "c"]) {
    const own = random.filter(({ server }) => server === id);
    await addRecords(
      db,
      id,
      own.map(({ at, server, ...rest }) => ({ ...rest, max_online: 1000, at: new Date(now - at * 1000) })),
    );
  }
}

async function clear(): Promise<void> {
  for (const table of ["online_records", ...LEVELS.map(([, table]) => table)])
    await database.db(table).delete();
}

describe("the roll-up", () => {
  it("equals a direct computation over the records, whatever they are", async () => {
    await fc.assert(
      fc.asyncProperty(measurements(47, 400), async (random) => {
        await clear();
        await write(database.db, random);
        await rollUpHistory(database.db);
        await expectRolledUp();
      }),
      { numRuns: 12 },
    );
  });

  it("equals it again after records were added, corrected and taken back", async () => {
    const pair = fc.tuple(measurements(47, 150), measurements(47, 150), fc.integer({ min: 1, max: 47 }));
    await fc.assert(
      fc.asyncProperty(pair, async ([first, second, hours]) => {
        await clear();
        await write(database.db, first);
        await rollUpHistory(database.db);
        const taken = new Set(first.map(({ at, server }) => `${at} ${server}`));
        await write(
          database.db,
          second.filter(({ at, server }) => !taken.has(`${at} ${server}`)),
        );
        const since = new Date((await databaseClock(database.db)).getTime() - hours * HOUR_MS);
        await database
          .db("online_records")
          .where("checked_at", ">=", since)
          .update({ status: "unknown", online: null, queue: null });
        await rewindHistory(database.db, since);
        await rollUpHistory(database.db);
        await expectRolledUp();
      }),
      { numRuns: 6 },
    );
  });

  it("catches up a pause of nine days in steps, and drops the records only then", async () => {
    const now = await databaseClock(database.db);
    const start = new Date(now.getTime() - 9 * DAY_MS);
    await addRecords(database.db, "a", everyHour(start, now));
    await addRecords(database.db, "b", everyHour(start, now));
    await pauseSince(start);
    expect(await dropOldPartitions(database.db)).toEqual([]);
    const records = await listRecords(database.db);
    expect(await rollUpStep(database.db, "five_minutes")).toBe(true);
    const { done_until } = await database.db("history_progress").where({ level: "five_minutes" }).first();
    expect(done_until.getTime() - start.getTime()).toBeLessThanOrEqual(6 * HOUR_MS);
    await rollUpHistory(database.db);
    await expectRolledUp(records);
    const oldest = (await listRecords(database.db))[0]?.checked_at.getTime() ?? 0;
    expect(oldest).toBeGreaterThan(now.getTime() - 3 * DAY_MS);
    expect(oldest).toBeLessThan(now.getTime() - 47 * HOUR_MS);
  });
});

describe("partitions", () => {
  it("are days of UTC, whatever the session's time zone, and are made once", async () => {
    const elsewhere = createDb({ url: database.url, poolMax: 1, ...PATIENT });
    try {
      await elsewhere.raw("set timezone to 'Pacific/Kiritimati'");
      const times = [new Date("2020-02-29T00:00:00Z"), new Date("2020-02-29T23:59:59.999Z")];
      await Promise.all([ensurePartitions(elsewhere, times), ensurePartitions(database.db, times)]);
      await ensurePartitions(elsewhere, times);
    } finally {
      await elsewhere.destroy();
    }
    expect(await bounds("online_records_20200229")).toBe(
      "FOR VALUES FROM ('2020-02-29 00:00:00+00') TO ('2020-03-01 00:00:00+00')",
    );
    expect(await bounds("online_records_20200301")).toBeUndefined();
    expect(await dropOldPartitions(database.db)).toEqual(["online_records_20200229"]);
  });

  it("go only when they are old enough and the level above has all of them", async () => {
    const now = await databaseClock(database.db);
    const old = new Date(now.getTime() - 20 * DAY_MS);
    await addRecords(database.db, "a", everyHour(old, new Date(old.getTime() + DAY_MS)));
    await pauseSince(old);
    const recordDays = [nameOf(old), nameOf(new Date(old.getTime() + DAY_MS))];
    const bucketDays = recordDays.map((name) => name.replace("records", "five_minutes"));
    expect(await dropOldPartitions(database.db)).toEqual([]);
    while (await rollUpStep(database.db, "five_minutes"));
    expect(await dropOldPartitions(database.db)).toEqual(recordDays);
    expect(await partitionsOf("online_five_minutes")).toEqual(expect.arrayContaining(bucketDays));
    await rollUpHistory(database.db);
    const left = await partitionsOf("online_five_minutes");
    expect(left.filter((name) => bucketDays.includes(name))).toEqual([]);
    expect(await stored("online_hours")).toHaveLength(25);
    await ensurePartitions(database.db, [new Date(now.getTime() - 47 * HOUR_MS)]);
    expect(await dropOldPartitions(database.db)).toEqual([]);
  });
});

describe("a server that is removed", () => {
  it("takes its history with it, at every level", async () => {
    await write(database.db, fc.sample(measurements(47, 300), 1)[0] ?? []);
    await rollUpHistory(database.db);
    await database.db("servers").delete();
    for (const table of ["online_records", ...LEVELS.map(([, table]) => table)]) {
      expect(await database.db(table).select(), table).toEqual([]);
    }
  });
});

function everyHour(from: Date, to: Date): Measurement[] {
  const hours = Math.floor((to.getTime() - from.getTime()) / HOUR_MS);
  return Array.from({ length: hours + 1 }, (_, hour) => ({
    at: new Date(from.getTime() + hour * HOUR_MS),
    ...(hour % 7 === 3
      ? { status: "offline" as const }
      : { online: hour * 3, queue: hour % 2 === 0 ? hour : null }),
  }));
}

function nameOf(day: Date): string {
  return `online_records_${day.toISOString().slice(0, 10).replaceAll("-", "")}`;
}

async function partitionsOf(table: string): Promise<string[]> {
  const { rows } = await database.db.raw(
    "select inhrelid::regclass::text as name from pg_inherits where inhparent = ?::regclass order by 1",
    [table],
  );
  return rows.map((row: { name: string }) => row.name);
}

async function bounds(partition: string): Promise<string | undefined> {
  const { rows } = await database.db.raw(
    "select pg_get_expr(relpartbound, oid) as bounds from pg_class where relname = ?",
    [partition],
  );
  return rows[0]?.bounds;
}
