import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Readable } from "node:stream";
import request from "supertest";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readRecords } from "../../src/exchange/import/input/formats.ts";
import { LEVELS_AT_MOST } from "../../src/words/text/json.ts";
import { LiveVocabulary } from "../../src/words/vocabulary/live.ts";
import { type Agent, useTestApp } from "../helpers/app.ts";
import { insertRecords } from "../helpers/catalogue.ts";
import { addServer } from "../helpers/servers.ts";
import { addWriteKey } from "../helpers/write-keys.ts";

const folder = mkdtempSync(path.join(tmpdir(), "almanac-levels-"));
const vocabulary = new LiveVocabulary({ file: path.join(folder, "site.json"), defaults: {} });
const site = useTestApp({}, () => ({ vocabulary }));

let operator: Agent;
let key: string;

beforeAll(async () => {
  const user = await site.logIn(await site.createUser({ role: "operator" }));
  operator = user.agent;
  ({ key } = await addWriteKey(site.db, user.id));
  await insertRecords(site.db, "items", [{ id: "a", name: "A" }]);
  await addServer(site.db, { id: "far", name: "Far" });
});
afterAll(() => rmSync(folder, { recursive: true }));

/** The text of lists or objects in each other. */
const lists = (levels: number) => "[".repeat(levels) + "]".repeat(levels);
const objects = (levels: number) => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;
const SHAPES = [
  ["lists", lists],
  ["objects", objects],
] as const;

const JSON_TYPE = "application/json";
const write = (method: "put" | "patch" | "post", path: string, body: string, type = JSON_TYPE) =>
  request(site.app)[method](path).set({ "X-API-Key": key, "Content-Type": type }).send(body);

const ITEM = "/api/items/a";
const NDJSON = "application/x-ndjson";
const toggle = () => operator.post("/api/favorites/toggle").type("json");
const push = () => operator.post("/notifications/push").type("json");
const LONG = 60_000;
/** Some ways take less of a body. */
const SHORT = 5_000;

/** Every way in for JSON, with the most levels to send; `nested` is in the place of a value. */
const WAYS: [way: string, most: number, send: (nested: string) => request.Test][] = [
  ["PUT", LONG, (nested) => write("put", ITEM, `{"name":"A","attributes":{"x":${nested}}}`)],
  ["PATCH", LONG, (nested) => write("patch", ITEM, `{"attributes":{"x":${nested}}}`)],
  ["PATCH of a text", LONG, (nested) => write("patch", ITEM, `{"name":${nested}}`)],
  ["PUT of the kind", LONG, (nested) => write("put", ITEM, `{"name":"A","kind":${nested}}`)],
  ["PUT of nothing else", LONG, (nested) => write("put", ITEM, nested)],
  ["PUT of options", LONG, (nested) => write("put", "/api/servers/far", optionsOf(nested))],
  ["a batch", LONG, (nested) => write("post", "/api/items", `{"records":[{"id":"a","x":${nested}}]}`)],
  [
    "NDJSON",
    LONG,
    (nested) => write("post", "/api/items", `{"id":"b","name":"B"}\n${lineOf(nested)}`, NDJSON),
  ],
  ["measurements", SHORT, (nested) => write("post", "/api/servers/far/measurements", `{"online":${nested}}`)],
  ["a toggle", SHORT, (nested) => toggle().send(`{"server_id":${nested}}`)],
  ["a push subscription", SHORT, (nested) => push().send(`{"endpoint":"x","keys":${nested}}`)],
];

function optionsOf(nested: string): string {
  return `{"name":"F","adapter":"json","adapter_options":{"x":${nested}}}`;
}

function lineOf(nested: string): string {
  return `{"id":"a","x":${nested}}`;
}

describe("JSON with too many levels", () => {
  it.each(WAYS)("is refused with a reason: %s", async (way, most, send) => {
    for (const [, nested] of SHAPES)
      for (const levels of [LEVELS_AT_MOST + 1, most]) {
        const { body, status } = await send(nested(levels));
        expect(status).toBe(400);
        const param = way === "NDJSON" ? "records[1]" : "body";
        expect(body.errors).toEqual([{ param, message: "must not be nested deeper than 64 levels" }]);
      }
    expect(await site.db("items").pluck("name")).toEqual(["A"]);
  });

  it("is refused record by record in an import", async () => {
    const read = async (text: string, format: "json" | "ndjson") => {
      const found: unknown[] = [];
      for await (const record of readRecords(Readable.from([Buffer.from(text)]), { format }))
        found.push(record);
      return found;
    };
    const deep = `{"id":2,"x":${objects(60_000)}}`;
    const wanted = [{ id: 1 }, { reason: { key: "refusals.deep", values: { max: 64 } } }, { id: 3 }];
    expect(await read(`[{"id":1},${deep},{"id":3}]`, "json")).toEqual(wanted);
    expect(await read(`{"id":1}\n${deep}\n{"id":3}\n`, "ndjson")).toEqual(wanted);
    expect(await read(`{"id":1}\n${deep}`, "ndjson")).toEqual(wanted.slice(0, 2));
  });

  it("is refused as the text of a vocabulary, and left out of its form", async () => {
    const sent = { stamp: "another", step: "save" };
    for (const [, nested] of SHAPES) {
      const text = `{"kinds":${nested(60_000)}}`;
      const written = await operator
        .post("/operator/vocabulary/text")
        .type("form")
        .send({ ...sent, stamp: "none", text });
      expect(written.status).toBe(400);
      expect(written.text).toContain("is nested too deeply");
      const row = { "0.path": '["attributes","damage"]', "0.was": nested(60_000), "0.label": "Harm" };
      const { status } = await operator
        .post("/operator/vocabulary/kinds/items")
        .type("form")
        .send({ ...sent, ...row });
      expect(status).toBe(200);
    }
  });
});
