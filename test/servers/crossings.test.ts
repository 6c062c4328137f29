import fc from "fast-check";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { createUser } from "../../src/accounts/queries.ts";
import { importRecords } from "../../src/exchange/import/import-records.ts";
import { crossingsOf, type WantedAlert, wantAlerts } from "../helpers/alerts.ts";
import { useTestDatabase } from "../helpers/database.ts";
import { playPolls, type Step, type Told } from "../helpers/played-polls.ts";
import { addPolled, recordsOf } from "../helpers/poller.ts";

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
});

describe("more players than a limit", () => {
  const over20: WantedAlert[] = [{ what: "online", value: 20 }];

  it("counts again only once it fell a tenth below", async () => {
    expect(await cross(players(18, 20, 21, 20, 21, 19, 21), over20)).toEqual(["online 20"]);
    await playPolls(database.db, new Map([["a", players(18, 20, 22)]]));
    expect(await crossingsOf(database.db, "a")).toEqual(["online 20", "online 20"]);
  });

  it("counts at the first poll after somebody asked", async () => {
    expect(await cross(players(20))).toEqual([]);
    await wantAlerts(database.db, [userId], "a", over20);
    await playPolls(database.db, new Map([["a", players(21)]]));
    expect(await crossingsOf(database.db, "a")).toEqual(["online 20"]);
  });
});

describe("a queue shorter than a limit", () => {
  const under10: WantedAlert[] = [{ what: "queue", value: 10 }];

  it("counts again only once it grew a tenth above", async () => {
    expect(await cross(queues(11, 10, 9, 10, 9, null, 5), under10)).toEqual(["queue 10"]);
    await playPolls(database.db, new Map([["a", queues(11, 9)]]));
    expect(await crossingsOf(database.db, "a")).toEqual(["queue 10", "queue 10"]);
  });
});

it("any course of figures: the limit's crossings are those of a model", async () => {
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
    { numRuns: 60 },
  );
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
