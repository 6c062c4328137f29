import { Readable } from "node:stream";
import fc from "fast-check";
import request from "supertest";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { ImportOptions } from "../../src/exchange/import/arguments.ts";
import { importRecords } from "../../src/exchange/import/import-records.ts";
import { readRecords } from "../../src/exchange/import/input/formats.ts";
import { parseIdSources, parseMappings } from "../../src/exchange/import/records/mapping.ts";
import { jsonAdapter } from "../../src/servers/poller/adapters/json.ts";
import { parseJson } from "../../src/words/text/json.ts";
import { useTestApp } from "../helpers/app.ts";
import { emptyCatalogue } from "../helpers/catalogue.ts";
import { LOOPBACK } from "../helpers/egress.ts";
import { startJsonPeer } from "../helpers/peers/json-list.ts";
import { addServer } from "../helpers/things.ts";
import { addWriteKey } from "../helpers/write-keys.ts";

/** Both are 76561198000000000 as numbers. */
const [STEAM_1, STEAM_2] = ["76561198000000001", "76561198000000003"];

const site = useTestApp();
let key: string;

beforeAll(async () => {
  ({ key } = await addWriteKey(site.db, (await site.createUser()).id));
});

beforeEach(() => emptyCatalogue(site.db));

const load = (text: string, options: ImportOptions = {}) =>
  importRecords(site.db, "items", readRecords(Readable.from([Buffer.from(text)])), options);

const stored = (): Promise<{ id: string; name: string; attributes: Record<string, unknown> }[]> =>
  site.db("items").select("id", "name", "attributes").orderBy("id");

describe("parseJson", () => {
  it.each([
    ["9007199254740991", 9007199254740991],
    ["9007199254740992", "9007199254740992"],
    ["-9007199254740993", "-9007199254740993"],
    ["[1,[76561198000000001]]", [1, ["76561198000000001"]]],
    ["9007199254740993.0", "9007199254740993"],
    ["9.007199254740993e15", "9007199254740993"],
    ["0.12345678901234567e17", "12345678901234567"],
    ["1e20", 1e20],
    ["0.12345678901234567890", 0.12345678901234568],
    ['"\\"9007199254740993"', '"9007199254740993'],
    ['{"9007199254740993":"9007199254740993"}', { "9007199254740993": "9007199254740993" }],
    ["9".repeat(400), "9".repeat(400)],
  ])("reads %s as %j", (text, value) => {
    expect(parseJson(text)).toEqual(value);
  });

  const BROKEN = [
    "[09007199254740993]",
    "{9007199254740993:1}",
    "[9007199254740993x]",
    "[9007199254740993.]",
  ];
  it.each([...BROKEN, "[-]"])("refuses %s", (text) => {
    expect(() => parseJson(text)).toThrow(SyntaxError);
  });

  it("keeps the digits of any integer, and changes nothing else", () => {
    const texts = fc.string({
      unit: fc.constantFrom('"', "\\", "9007199254740993", " ", ":", "{"),
      maxLength: 6,
    });
    const integers = fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n });
    fc.assert(
      fc.property(texts, integers, (text, integer) => {
        const json = `{"a":${integer},${JSON.stringify(text)}:[${integer},${JSON.stringify(text)}]}`;
        const isSafe = Number.isSafeInteger(Number(integer));
        const kept = isSafe ? Number(integer) : String(integer);
        expect(parseJson(json)).toEqual({ a: kept, [text]: [kept, text] });
      }),
    );
  });
});

describe("an import with integers beyond 2^53", () => {
  it.each(["json", "ndjson"])("keep their digits everywhere: %s", async (format) => {
    const records = [STEAM_1, STEAM_2].map(
      (id) => `{"id":${id},"name":${id},"attributes":{"owner":${id},"mods":[{"ids":[${id}]}]}}`,
    );
    await load(format === "json" ? `[${records.join(",")}]` : records.join("\n"));
    expect(await stored()).toEqual(
      [STEAM_1, STEAM_2].map((id) => ({ id, name: id, attributes: { owner: id, mods: [{ ids: [id] }] } })),
    );
  });

  it("gives each its own id by --map and --id-from", async () => {
    const text = `[{"workshop":${STEAM_1},"name":"One"},{"workshop":${STEAM_2},"name":"Two"}]`;
    await load(text, { mappings: parseMappings("items", ["id=mod-{workshop}"]), keepRest: true });
    expect((await stored()).map(({ id }) => id)).toEqual([`mod-${STEAM_1}`, `mod-${STEAM_2}`]);
    await emptyCatalogue(site.db);
    await load(text, { idFrom: parseIdSources("workshop") });
    expect((await stored()).map(({ id }) => id)).toEqual([STEAM_1, STEAM_2]);
  });
});

describe("a write by the API with integers beyond 2^53", () => {
  const send = (method: "put" | "patch" | "post", path: string, type: string, body: string) =>
    request(site.app)[method](path).set("X-API-Key", key).set("Content-Type", type).send(body);

  it("keeps their digits in PUT, PATCH, a batch and NDJSON", async () => {
    const json = "application/json";
    await send("put", "/api/items/put", json, `{"name":"Put","attributes":{"owner":${STEAM_1}}}`).expect(201);
    const patch = `{"attributes":{"buyer":[${STEAM_2}]}}`;
    const patched = await send("patch", "/api/items/put", "application/merge-patch+json", patch).expect(200);
    expect(patched.body.attributes).toEqual({ owner: STEAM_1, buyer: [STEAM_2] });
    await send("post", "/api/items", json, `{"records":[{"id":${STEAM_1},"name":"Post"}]}`).expect(200);
    await send("post", "/api/items", "application/x-ndjson", `{"id":${STEAM_2},"name":"Line"}\n`).expect(200);
    expect((await stored()).map(({ id }) => id)).toEqual([STEAM_1, STEAM_2, "put"]);
  });
});

describe("other JSON with integers beyond 2^53", () => {
  it("names the server of its digits to a toggle", async () => {
    await addServer(site.db, STEAM_1);
    const { agent } = await site.logIn();
    const toggle = agent.post("/api/favorites/toggle").set("Content-Type", "application/json");
    const answer = await toggle.send(`{"server_id":${STEAM_1}}`).expect(200);
    expect(answer.body).toEqual({ server_id: STEAM_1, favorite: true });
  });

  it("is matched by `where` of the json poller", async () => {
    const peer = await startJsonPeer();
    try {
      const element = (id: string, players: number) => ({ id: rawNumber(id), players });
      peer.setServers([element(STEAM_1, 11), element(STEAM_2, 22)]);
      const options = { url: peer.url, list: "/response", online: "/players", where: { "/id": STEAM_2 } };
      const target = { id: "one", address: null, options };
      const answers = await jsonAdapter.ask([target], new AbortController().signal, LOOPBACK);
      expect(answers.get("one")).toMatchObject({ kind: "answered", figures: { online: 22 } });
    } finally {
      await peer.stop();
    }
  });
});

/** https://github.com/tc39/proposal-json-parse-with-source: a number of any length in what JSON.stringify writes. */
function rawNumber(digits: string): unknown {
  return (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(digits);
}
