import { beforeEach, describe, expect, it } from "vitest";
import { importRecords } from "../../src/exchange/import/import-records.ts";
import { storeMeasurements } from "../../src/exchange/write/measurements.ts";
import { crossingsOf, wantAlerts } from "../helpers/alerts.ts";
import { useTestApp } from "../helpers/app.ts";
import { addServer } from "../helpers/servers.ts";

const site = useTestApp();

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();

beforeEach(async () => {
  await site.db.raw("truncate servers cascade");
  await addServer(site.db, { id: "far", name: "Far" });
});

const store = (...given: unknown[]) => storeMeasurements(site.db, "far", given);

async function resultsOf(...given: unknown[]): Promise<string[]> {
  const stored = await store(...given);
  if (typeof stored === "string" || "errors" in stored) throw new Error(JSON.stringify(stored));
  return stored.results.map(({ result }) => result);
}

async function errorsOf(...given: unknown[]): Promise<string[]> {
  const stored = await store(...given);
  if (typeof stored === "string" || !("errors" in stored)) throw new Error(JSON.stringify(stored));
  return stored.errors.map(({ place, field, reason }) => `${place} ${field}: ${reason}`);
}

const FIGURES = ["status", "online", "queue", "max_online", "checked_at"] as const;

const state = (id = "far") =>
  site
    .db("servers")
    .where({ id })
    .first([...FIGURES, "last_online_at"]);

async function history(id = "far"): Promise<unknown[]> {
  const { number } = await site.db("servers").where({ id }).first("number");
  return site
    .db("online_records")
    .where({ server_number: number })
    .orderBy("checked_at")
    .select([...FIGURES]);
}

describe("measurements of a server", () => {
  it("become its state, its history and its crossings, as those of an import do", async () => {
    const { id } = await site.createUser();
    const times = [30, 20, 10].map(minutesAgo);
    const figures = [
      { online: 3, queue: 0, max_online: 50 },
      { online: 12, max_online: 50 },
      { status: "offline" },
    ].map((each, place) => ({ ...each, checked_at: times[place] }));
    await addServer(site.db, { id: "near", name: "Near" });
    for (const server of ["far", "near"])
      await wantAlerts(site.db, [id], server, [{ what: "online", value: 10 }]);
    for (const each of figures)
      await importRecords(site.db, "servers", [{ id: "near", name: "Near", ...each }]);
    expect(await resultsOf(...figures)).toEqual(["stored", "stored", "stored"]);
    expect(await state()).toEqual(await state("near"));
    expect(await history()).toEqual(await history("near"));
    expect(await crossingsOf(site.db, "far")).toEqual(["online 10", "down"]);
    expect(await crossingsOf(site.db, "near")).toEqual(["online 10", "down"]);
  });

  it("are stored once, for any number and order of requests", async () => {
    const [first, second] = [20, 10].map((minutes) => ({ online: minutes, checked_at: minutesAgo(minutes) }));
    expect(await resultsOf(second, first)).toEqual(["stored", "stored"]);
    const [before, were] = [await state(), await history()];
    expect(were).toHaveLength(2);
    expect(await resultsOf(first, second)).toEqual(["unchanged", "unchanged"]);
    expect(await resultsOf(second)).toEqual(["unchanged"]);
    expect([await state(), await history()]).toEqual([before, were]);
  });

  it("may correct the latest one, and are left out where a later one is known", async () => {
    const [first, second] = [20, 10].map((minutes) => ({ online: minutes, checked_at: minutesAgo(minutes) }));
    await store(second);
    expect(await resultsOf(first)).toEqual(["outdated"]);
    expect(await resultsOf({ ...second, online: 11 })).toEqual(["stored"]);
    expect((await history()).map((each) => (each as { online: number }).online)).toEqual([11]);
    expect(await state()).toMatchObject({ status: "online", online: 11 });
  });

  it("are of now where they do not say when", async () => {
    const began = Date.now() - 60_000;
    expect(await resultsOf({ online: 5 })).toEqual(["stored"]);
    expect(await resultsOf({ online: 5 })).toEqual(["stored"]);
    const records = (await history()) as { checked_at: Date }[];
    expect(records).toHaveLength(2);
    for (const { checked_at } of records) expect(Number(checked_at)).toBeGreaterThan(began);
  });

  it("are refused with everything that is wrong with them, and then nothing is stored", async () => {
    const checked_at = minutesAgo(5);
    const wrong = await errorsOf(
      { online: -1, queue: "many", checked_at: minutesAgo(9) },
      { online: 1, checked_at: minutesAgo(-10) },
      { online: 1, checked_at: minutesAgo(48 * 60 + 1) },
      { checked_at, max_online: 5 },
      { online: 1, players: 3, checked_at },
      "online",
      { online: 1 },
      { online: 2, checked_at: minutesAgo(3) },
    );
    expect(wrong).toEqual([
      expect.stringMatching(/^0 online: /),
      expect.stringMatching(/^0 queue: /),
      expect.stringMatching(/^1 checked_at: is in the future/),
      "2 checked_at: is more than 48 hours ago",
      "3 status: is missing, and so are online and queue",
      "4 players: is not one of checked_at, status, online, queue, max_online",
      "5 : must be an object",
      "6 checked_at: is missing",
    ]);
    const twice = { online: 2, checked_at };
    expect(await errorsOf(twice, twice)).toEqual(["1 checked_at: repeats that of another measurement"]);
    expect(await history()).toEqual([]);
    expect(await state()).toMatchObject({ status: "unknown", checked_at: null });
  });

  it("are the poller's alone where it asks the server", async () => {
    await site.db("servers").update({ adapter: "gamedig" });
    expect(await store({ online: 1 })).toBe("polled");
    expect(await history()).toEqual([]);
    expect(await storeMeasurements(site.db, "none", [{ online: 1 }])).toBe("no such server");
  });

  it("of many callers at once are all stored", async () => {
    const times = Array.from({ length: 8 }, (_, place) => minutesAgo(20 - place));
    const results = await Promise.all(
      times.map((checked_at, place) => resultsOf({ online: place, checked_at })),
    );
    const stored = results.flat().filter((result) => result === "stored").length;
    expect(await history()).toHaveLength(stored);
    expect(await state()).toMatchObject({ online: 7, checked_at: new Date(String(times[7])) });
  });
});
