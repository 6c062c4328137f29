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
