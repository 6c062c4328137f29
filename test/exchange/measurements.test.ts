import request from "supertest";
import { beforeEach, describe, expect, it } from "vitest";
import { importRecords } from "../../src/exchange/import/import-records.ts";
import { storeMeasurements } from "../../src/exchange/write/measurements.ts";
import type { GrantedScope } from "../../src/words/scopes.ts";
import { crossingsOf, wantAlerts } from "../helpers/alerts.ts";
import { useTestApp } from "../helpers/app.ts";
import { emptyTables } from "../helpers/database.ts";
import { addServer } from "../helpers/servers.ts";
import { addWriteKey } from "../helpers/write-keys.ts";

const site = useTestApp();

let key: string;

async function writeKey(scope: GrantedScope): Promise<string> {
  return (await addWriteKey(site.db, (await site.createUser()).id, [scope])).key;
}

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();

beforeEach(async () => {
  await emptyTables(site.db, "servers, catalogue_tombstones");
  await addServer(site.db, { id: "far/1", name: "Far" });
  key = await writeKey("write:servers");
});

const post = (body: unknown, { id = "far/1", withKey = key } = {}) =>
  request(site.app)
    .post(`/api/servers/${encodeURIComponent(id)}/measurements`)
    .set("X-API-Key", withKey)
    .send(body as object);

const shown = async () =>
  (await request(site.app).get("/api/online").set("X-API-Key", key).expect(200)).body.servers;

describe("POST /api/servers/{id}/measurements", () => {
  it("stores one, which users see at once", async () => {
    const checked_at = minutesAgo(1);
    const answer = await post({ checked_at, online: 12, queue: 0, max_online: 50 }).expect(200);
    expect(answer.body).toEqual({ server_id: "far/1", measurements: [{ checked_at, result: "stored" }] });
    expect(answer.headers["cache-control"]).toBe("no-store");
    const figures = { status: "online", online: 12, queue: 0, max_online: 50, checked_at };
    expect(await shown()).toEqual([expect.objectContaining({ server_id: "far/1", ...figures })]);
  });

  it("stores many, once, however often they are sent", async () => {
    const measurements = [20, 10, 5].map((minutes) => ({ checked_at: minutesAgo(minutes), online: minutes }));
    const resultsOf = async () => {
      const { body } = await post({ measurements }).expect(200);
      return body.measurements.map(({ result }: { result: string }) => result);
    };
    expect(await resultsOf()).toEqual(["stored", "stored", "stored"]);
    expect(await resultsOf()).toEqual(["unchanged", "unchanged", "unchanged"]);
    expect(await site.db("online_records").orderBy("checked_at").pluck("online")).toEqual([20, 10, 5]);
  });

  it("reports everything that is wrong, and stores nothing then", async () => {
    const paramsOf = async (body: unknown) =>
      (await post(body).expect(400)).body.errors.map(({ param }: { param: string }) => param);
    expect(await paramsOf({ online: -1, queue: "many", colour: 1 })).toEqual(["colour", "online", "queue"]);
    expect(await paramsOf({})).toEqual(["status"]);
    expect(await paramsOf({ online: 1, checked_at: minutesAgo(-20) })).toEqual(["checked_at"]);
    const good = { online: 1, checked_at: minutesAgo(2) };
    expect(await paramsOf({ measurements: [good, { online: 1 }, 7] })).toEqual([
      "measurements[1].checked_at",
      "measurements[2]",
    ]);
    expect(await paramsOf({ measurements: [] })).toEqual(["measurements"]);
    const many = Array.from({ length: 101 }, () => good);
    expect(await paramsOf({ measurements: many })).toEqual(["measurements"]);
    expect(await paramsOf({ measurements: [good], online: 1 })).toEqual(["measurements"]);
    expect(await paramsOf([good])).toEqual(["body"]);
    await post("server=1").type("form").expect(415);
    expect(await site.db("online_records")).toEqual([]);
  });

  it("names the largest count, as the document does", async () => {
    const { body } = await post({ online: 2_147_483_648 }).expect(400);
    const message = "must be a whole number from 0 to 2147483647, not 2147483648";
    expect(body.errors).toEqual([{ param: "online", message }]);
    await post({ online: 2_147_483_647 }).expect(200);
    const { body: document } = await request(site.app).get("/api/openapi.json").expect(200);
    const { online } = document.components.schemas.Measurement.properties;
    expect(online.anyOf[0]).toEqual({ type: "integer", minimum: 0, maximum: 2_147_483_647 });
  });

  it("refuses a server that is polled or unknown", async () => {
    await site.db("servers").update({ adapter: "gamedig" });
    const { body } = await post({ online: 1 }).expect(409);
    expect(body).toMatchObject({ type: "http://almanac.test/docs/errors#conflict", status: 409 });
    expect(body.detail).toContain("queries this server itself");
    await post({ online: 1 }, { id: "none" }).expect(404);
    expect(await site.db("online_records")).toEqual([]);
  });

  it("needs a key with write:servers", async () => {
    await post({ online: 1 }, { withKey: await writeKey("write:records") }).expect(403);
    await request(site.app).post("/api/servers/far%2F1/measurements").send({ online: 1 }).expect(401);
    const { agent } = await site.logIn();
    await agent.post("/api/servers/far%2F1/measurements").send({ online: 1 }).expect(401);
    expect((await shown())[0].online).toBeNull();
  });
});

const store = (...given: unknown[]) => storeMeasurements(site.db, "far/1", given);

async function resultsOf(...given: unknown[]): Promise<string[]> {
  const stored = await store(...given);
  if (typeof stored === "string" || "errors" in stored) throw new Error(JSON.stringify(stored));
  return stored.results.map(({ result }) => result);
}

const FIGURES = ["status", "online", "queue", "max_online", "checked_at"];

const state = (id = "far/1") => site.db("servers").where({ id }).first(FIGURES, "last_online_at");

async function history(id = "far/1"): Promise<unknown[]> {
  const { number } = await site.db("servers").where({ id }).first("number");
  return site.db("online_records").where({ server_number: number }).orderBy("checked_at").select(FIGURES);
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
    for (const server of ["far/1", "near"])
      await wantAlerts(site.db, [id], server, [{ what: "online", value: 10 }]);
    for (const each of figures)
      await importRecords(site.db, "servers", [{ id: "near", name: "Near", ...each }]);
    expect(await resultsOf(...figures)).toEqual(["stored", "stored", "stored"]);
    expect(await state()).toEqual(await state("near"));
    expect(await history()).toEqual(await history("near"));
    expect(await crossingsOf(site.db, "far/1")).toEqual(["online 10", "down"]);
    expect(await crossingsOf(site.db, "near")).toEqual(["online 10", "down"]);
  });

  it("may correct the latest one, and are ignored if a later one is known", async () => {
    const [first, second] = [20, 10].map((minutes) => ({ online: minutes, checked_at: minutesAgo(minutes) }));
    await store(second);
    expect(await resultsOf(first)).toEqual(["outdated"]);
    expect(await resultsOf({ ...second, online: 11 })).toEqual(["stored"]);
    expect((await history()).map((each) => (each as { online: number }).online)).toEqual([11]);
    expect(await state()).toMatchObject({ status: "online", online: 11 });
  });

  it("are of now if they have no time", async () => {
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
