import fc from "fast-check";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { createUser } from "../../src/accounts/queries.ts";
import { importRecords } from "../../src/exchange/import/import-records.ts";
import { removeOldCrossings } from "../../src/servers/crossings.ts";
import { type Finding, listPolled, writePolls } from "../../src/servers/poller/queries.ts";
import { slotAt } from "../../src/servers/poller/roster.ts";
import { crossingsOf, type WantedAlert, wantAlerts } from "../helpers/alerts.ts";
import { openPool, useTestDatabase } from "../helpers/database.ts";
import { playPolls, type Step, type Told } from "../helpers/played-polls.ts";
import { addPolled, NO_FIGURES, recordsOf } from "../helpers/poller.ts";

const database = useTestDatabase();
let userId = 0;

beforeAll(async () => {
  const name = "somebody";
  userId = (await createUser(database.db, { name, password: "a long password" })) ?? 0;
});

afterEach(async () => {
  await database.db("servers").delete();
});

const told = (online: number | null, queue: number | null = null, max_online: number | null = 50): Told => ({
  ...{ online, queue, max_online },
});
const players = (...counts: (number | null)[]) => counts.map((online) => told(online));
const queues = (...lengths: (number | null)[]) => lengths.map((queue) => told(50, queue));

/** What a server crosses in these polls. */
async function cross(steps: readonly Step[], wanted: readonly WantedAlert[] = []): Promise<string[]> {
  await addPolled(database.db, ["a"]);
  await wantAlerts(database.db, [userId], "a", wanted);
  await playPolls(database.db, new Map([["a", steps]]));
  return crossingsOf(database.db, "a");
}

describe("down and up", () => {
  it("follow an outage that two misses confirmed", async () => {
    const steps: Step[] = [told(1), "missed", told(1), "missed", "missed", "missed", told(2), told(3)];
    expect(await cross(steps)).toEqual(["down", "up"]);
    const [down, up] = await database.db("server_crossings").orderBy("id");
    const times = (await recordsOf(database.db, "a")).map(({ checked_at }) => checked_at);
    expect(down).toMatchObject({ at: times[4], online: null });
    expect(up).toMatchObject({ at: times[6], online: 2, max_online: 50 });
  });

  it("are none of a server that nobody has seen online", async () => {
    expect(await cross(["missed", "missed", "missed"])).toEqual([]);
  });
});

describe("a free slot", () => {
  const full = told(50);
  it("counts after three full polls in a row, misses and gaps between them", async () => {
    expect(
      await cross([full, full, told(49), full, full, "missed", full, "gap", told(49), told(48)]),
    ).toEqual(["slot"]);
  });

  it("does not happen while others wait for it", async () => {
    expect(await cross([full, full, full, told(49, 3), told(49, 1)])).toEqual([]);
    await playPolls(database.db, new Map([["a", [told(49, 0)]]]));
    expect(await crossingsOf(database.db, "a")).toEqual(["slot"]);
  });

  it("ignores a server that was offline, or does not report its count", async () => {
    expect(await cross([full, full, full, "missed", "missed", told(3)])).toEqual(["down", "up"]);
    await database.db("servers").delete();
    expect(await cross([full, full, full, told(null), told(3)])).toEqual(["slot"]);
    await database.db("servers").delete();
    expect(await cross([told(9, null, 0), told(9, null, 0), told(9, null, 0), told(1, null, 0)])).toEqual([]);
  });
});

describe("more players than a limit", () => {
  const over20: WantedAlert[] = [{ what: "online", value: 20 }];

  it.each<[number, number, string[]]>([
    [30, 31, []],
    [20, 21, ["online 20"]],
  ])("counts from a first alert on, if it was not so before: %d, then %d", async (before, after, crossed) => {
    expect(await cross(players(before))).toEqual([]);
    await wantAlerts(database.db, [userId], "a", over20);
    await playPolls(database.db, new Map([["a", players(after, after + 1)]]));
    expect(await crossingsOf(database.db, "a")).toEqual(crossed);
  });

  it("is each limit's own, and works at 0", async () => {
    const wanted: WantedAlert[] = [{ what: "online", value: 0 }];
    expect(await cross(players(5, 0, 1, 0, 3), wanted)).toEqual(["online 0", "online 0"]);
  });

  it("takes no figures from misses", async () => {
    expect(await cross([told(25), "missed", "missed", "missed", told(25)], over20)).toEqual(["down", "up"]);
  });
});

describe("a queue shorter than a limit", () => {
  const under10: WantedAlert[] = [{ what: "queue", value: 10 }];

  it("counts again only once it grew a tenth above", async () => {
    expect(await cross(queues(11, 10, 9, 10, 9, null, 5), under10)).toEqual(["queue 10"]);
    await playPolls(database.db, new Map([["a", queues(11, 9)]]));
    expect(await crossingsOf(database.db, "a")).toEqual(["queue 10", "queue 10"]);
  });

  it("ignores polls without a queue", async () => {
    expect(await cross(queues(20, null, null), under10)).toEqual([]);
  });
});

it("counts the crossings of a limit as a model does, for any figures", async () => {
  const count = fc.constantFrom(null, 17, 18, 19, 20, 21, 22);
  await fc.assert(
    fc.asyncProperty(fc.array(count, { minLength: 1, maxLength: 14 }), async (counts) => {
      await database.db("servers").delete();
      const crossed = await cross(players(...counts), [{ what: "online", value: 20 }]);
      let armed: boolean | undefined;
      let expected = 0;
      for (const figure of counts) {
        if (figure === null) continue;
        if (armed === true && figure > 20) expected += 1;
        if (armed === undefined || armed) armed = figure <= 20;
        else armed = figure <= 18;
      }
      expect(crossed).toHaveLength(expected);
    }),
    { numRuns: 25 },
  );
});

it("stores a crossing once if two writers find it in one slot", async () => {
  const ids = Array.from({ length: 40 }, (_, index) => `s${index}`);
  await addPolled(database.db, ids);
  for (const id of ids) await wantAlerts(database.db, [userId], id, [{ what: "online", value: 20 }]);
  await playPolls(database.db, new Map(ids.map((id) => [id, players(5)])));
  const { now, servers } = await listPolled(database.db);
  const findings = servers.map(
    ({ number, definition }): Finding => ({ number, definition, answered: true, ...NO_FIGURES, ...told(30) }),
  );
  const slot = { slot: slotAt(now, 1e12), intervalMs: 1e12 };
  const other = openPool(database.url);
  await Promise.all([
    writePolls(database.db, findings, slot),
    writePolls(other, findings.toReversed(), slot),
    writePolls(database.db, findings, slot),
  ]);
  for (const id of ids) expect(await crossingsOf(database.db, id)).toEqual(["online 20"]);
});

it("leaves neither record nor crossing of a poll whose storing fails", async () => {
  await cross(players(5), [{ what: "online", value: 20 }]);
  await database.db.transaction(async (transaction) => {
    const { now, servers } = await listPolled(transaction);
    const findings = servers.map(({ number, definition }) => ({
      number,
      definition,
      answered: true,
      ...NO_FIGURES,
      ...told(30),
    }));
    expect(
      await writePolls(transaction, findings, { slot: slotAt(now, 1e12), intervalMs: 1e12 }),
    ).toHaveLength(1);
    await transaction.rollback();
  });
  expect(await crossingsOf(database.db, "a")).toEqual([]);
  await playPolls(database.db, new Map([["a", players(30)]]));
  expect(await crossingsOf(database.db, "a")).toEqual(["online 20"]);
});

it("removes old crossings, and limits without alerts", async () => {
  await cross(players(5, 30), [{ what: "online", value: 20 }]);
  await database.db("server_crossings").insert({
    server_number: database.db("servers").select("number"),
    what: "up",
    at: database.db.raw("now() - interval '31 days'"),
  });
  expect(await removeOldCrossings(database.db)).toBe(1);
  expect(await crossingsOf(database.db, "a")).toEqual(["online 20"]);
  await database.db("server_favorites").delete();
  expect(await removeOldCrossings(database.db)).toBe(1);
  expect(await database.db("server_limits")).toEqual([]);
});

describe("an imported measurement", () => {
  /** Whole minutes before now, the earliest first. */
  const times = [6, 5, 4, 3, 2, 1].map((minutes) => new Date(Date.now() - minutes * 60_000).toISOString());
  const load = (minute: number, columns: object) => {
    const record = { id: "a", name: "A", max_online: 50, checked_at: times[minute], ...columns };
    return importRecords(database.db, "servers", [record]);
  };

  it("crosses as a poll does, at its own time", async () => {
    await load(0, { online: 5 });
    await wantAlerts(database.db, [userId], "a", [{ what: "online", value: 20 }]);
    await load(1, { online: 6 });
    await load(2, { online: 21 });
    // A correction, and one that comes too late.
    await load(2, { online: 22 });
    await load(1, { online: 7 });
    await load(3, { status: "offline" });
    await load(4, { online: 1 });
    expect(await crossingsOf(database.db, "a")).toEqual(["online 20", "down", "up"]);
    const crossings: Date[] = await database.db("server_crossings").orderBy("id").pluck("at");
    expect(crossings.map((at) => at.toISOString())).toEqual(times.slice(2, 5));
  });

  it("counts towards a full server", async () => {
    for (const [minute, online] of [50, 50, 50, 40].entries()) await load(minute, { online });
    expect(await crossingsOf(database.db, "a")).toEqual(["slot"]);
  });
});
