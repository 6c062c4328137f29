import request from "supertest";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createKey } from "../../src/accounts/keys/queries.ts";
import { readDay, readIsoTime, timeAt } from "../../src/words/text/time.ts";
import { type Agent, useTestApp } from "../helpers/app.ts";
import { addItem } from "../helpers/donate.ts";
import { addServer } from "../helpers/servers.ts";
import { addWriteKey } from "../helpers/write-keys.ts";

const site = useTestApp();

/** Texts that are no time, or one that Postgres, JavaScript or ISO 8601 does not have. */
const NO_TIMES = [
  ...["0000-01-01", "0000-12-31T23:59:59Z", "0000-02-29T12:00:00Z", "0001-01-01T00:00:00+14:00"],
  ...["-0001-01-01", "-000001-01-01T00:00:00Z", "-271821-04-20", "4713-01-01 BC", "0044-03-15 BC"],
  ...["10000-01-01", "+010000-01-01T00:00:00Z", "+275760-09-13T00:00:00Z", "+294277-01-01", "294277-01-01"],
  ...["9999-12-31T23:59:59-00:01", "9999-12-31T24:00:00Z", "2026-11-25T24:00:00Z", "2026-11-25T24:00"],
  ...["2026-06-30T23:59:60Z", "2026-02-30", "2025-02-29", "2026-13-01", "2026-00-10", "2026-11-25T25:00:00Z"],
  ...["2026-11-25T00:00:00+24:00", "2026-11-25T00:00:00+00:60", "2026-11-25T00:00:00", "2026-W48-3"],
  ...["infinity", "-infinity", "now", "epoch", "NaN", "1e400", "99999999999999999999", "٢٠٢٦-١١-٢٥"],
];

/** One for each reason: the ways in share the function that is held to all of them above. */
const SOME_NO_TIMES = [
  ...["0000-01-01", "+275760-09-13T00:00:00Z", "9999-12-31T24:00:00Z", "2026-02-30"],
  ...["infinity", "99999999999999999999"],
];

/** The first and the last that all of them have, and some between. */
const TIMES = [
  ...["0001-01-01", "0001-01-01T00:00:00Z", "9999-12-31", "9999-12-31T23:59:59.999Z", "2024-02-29"],
  ...["2026-11-25T12:00:00+14:00", "2026-11-25T12:00:00-23:59", "2026-11-25T12:00:00.123456789Z"],
];

describe("a time of ISO 8601", () => {
  it.each(NO_TIMES)("is not %s", (text) => {
    expect(readIsoTime(text)).toBeUndefined();
    expect(readDay(text)).toBeUndefined();
  });

  it.each(TIMES)("may be %s, which Postgres has too", async (text) => {
    const time = readIsoTime(text);
    const { rows } = await site.db.raw("select ?::timestamptz as time", [time?.toISOString() ?? ""]);
    expect(rows[0].time).toEqual(time);
    expect(time?.toISOString()).toMatch(/^\d{4}-/);
  });

  it("has bounds as a number, too", () => {
    expect(timeAt(-62_135_596_800_000)?.toISOString()).toBe("0001-01-01T00:00:00.000Z");
    expect(timeAt(253_402_300_799_999)?.toISOString()).toBe("9999-12-31T23:59:59.999Z");
    for (const none of [-62_135_596_800_001, 253_402_300_800_000, 8.64e15 + 1, Number.NaN, Infinity])
      expect(timeAt(none)).toBeUndefined();
  });
});

describe("in every input of a time", () => {
  let operator: Agent;
  let key: string;

  beforeAll(async () => {
    const user = await site.logIn(await site.createUser({ role: "operator" }));
    operator = user.agent;
    ({ key } = await addWriteKey(site.db, user.id));
  });

  beforeEach(async () => {
    for (const table of ["discounts", "discount_runs", "donate_items", "servers"])
      await site.db(table).delete();
    await addItem(site.db, { id: "gold" });
    await addServer(site.db, { id: "far", name: "Far" });
  });

  const write = (method: "put" | "patch" | "post", path: string, body: object) =>
    request(site.app)[method](path).set("X-API-Key", key).send(body);
  const form = (path: string, fields: Record<string, string>) =>
    operator.post(path).type("form").send(fields);
  const discount = { item_key: "gold", percent: 10, starts_at: "2026-01-01" };
  const typed = { item: "gold", title: "", kind: "percent", amount: "25", zone: "UTC", step: "preview" };

  /** Every way in. */
  const WAYS: [way: string, send: (time: string) => request.Test][] = [
    [
      "updated_since",
      (time) =>
        request(site.app).get("/api/items/changes").query({ updated_since: time }).set("X-API-Key", key),
    ],
    ["PUT starts_at", (time) => write("put", "/api/discounts/d", { ...discount, starts_at: time })],
    ["PUT ends_at", (time) => write("put", "/api/discounts/d", { ...discount, ends_at: time })],
    [
      "a batch",
      (time) => write("post", "/api/discounts", { records: [{ ...discount, id: "d", starts_at: time }] }),
    ],
    [
      "NDJSON",
      (time) =>
        request(site.app)
          .post("/api/discounts")
          .set({ "X-API-Key": key, "Content-Type": "application/x-ndjson" })
          .send(JSON.stringify({ ...discount, id: "d", starts_at: time })),
    ],
    [
      "a measurement",
      (time) => write("post", "/api/servers/far/measurements", { online: 1, checked_at: time }),
    ],
    ["the form of a discount", (starts) => form("/operator/new-discount", { ...typed, starts, ends: "" })],
    ["its end", (ends) => form("/operator/new-discount", { ...typed, starts: "", ends })],
    [
      "the last day of a key",
      (expires_on) => form("/profile/keys", { name: "k", expiry: "date", expires_on }),
    ],
    [
      "that of a grant",
      (until) => form("/operator/api-keys", { owner: "x", key: "alm_1234", scope: "write:records", until }),
    ],
  ];

  it.each(WAYS)("refuses an invalid one: %s", async (_way, send) => {
    for (const time of SOME_NO_TIMES) {
      const { status } = await send(time);
      expect([time, status]).toEqual([time, 400]);
    }
    // The clock of forms, too.
    for (const time of ["0000-01-01", "+275760-09-13", "infinity"]) {
      const local = `${time}T00:00`;
      const { status: ofLocal } = await send(local);
      expect([local, ofLocal]).toEqual([local, expect.toBeOneOf([200, 400])]);
    }
  });

  it.each(WAYS)("takes the first and the last, or explains the error: %s", async (_way, send) => {
    for (const time of [TIMES[0] ?? "", TIMES[3] ?? "", TIMES[5] ?? ""])
      expect([time, (await send(time)).status]).toEqual([time, expect.toBeOneOf([200, 201, 400, 410])]);
  });

  it("shows a discount that has run since the first and ends with the last", async () => {
    const bounds = { starts_at: "0001-01-01", ends_at: "9999-12-31T23:59:59.999Z" };
    const { body } = await write("put", "/api/discounts/d", { ...discount, ...bounds }).expect(201);
    expect(body).toMatchObject({ starts_at: "0001-01-01T00:00:00.000Z", ends_at: bounds.ends_at });
    const paths = [
      "/donate",
      "/donate/gold",
      "/discounts.rss",
      "/discounts.feed.json",
      "/api/discounts",
      "/",
    ];
    for (const path of paths) await request(site.app).get(path).set("X-API-Key", key).expect(200);
    await operator.get("/operator/discounts").expect(200);
    await operator.get("/operator/discounts/d").expect(200);
  });

  it("does not let a key end in the year 10000", async () => {
    const { id } = await site.createUser();
    expect(await createKey(site.db, id, { name: "k", expiry: { day: "9999-12-30" } })).toMatch(/^alm_/);
    await form("/profile/keys", { name: "k", expiry: "date", expires_on: "9999-12-30" }).expect(200);
    await form("/profile/keys", { name: "k", expiry: "date", expires_on: "9999-12-31" }).expect(400);
    await operator.get("/profile/keys").expect(200);
  });
});
