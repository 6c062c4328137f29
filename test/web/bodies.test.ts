import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { beforeAll, describe, expect, it } from "vitest";
import { type Agent, useTestApp } from "../helpers/app.ts";

const site = useTestApp();

const TOGGLE = "/api/favorites/toggle";
const LIMIT = 64 * 1024;
const JSON_TYPE = "application/json";
const FORM_TYPE = "application/x-www-form-urlencoded";

let agent: Agent;

beforeAll(async () => {
  ({ agent } = await site.logIn());
});

/** Sends bytes as they are, with their length. */
function send(type: string, body: string | Buffer, headers: Record<string, string> = {}) {
  return agent
    .post(TOGGLE)
    .set({ "Content-Type": type, ...headers })
    .serialize((data: unknown) => data as string)
    .send(body as string);
}

/** Sends a body without telling its length, and without a type where none is given. */
function sendChunked(type: string | undefined, body: string) {
  const post = agent.post(TOGGLE);
  if (type !== undefined) post.set("Content-Type", type);
  post.write(body);
  return post;
}

const jsonOf = (bytes: number) => filled('{"server_id":"none","rest":"', '"}', bytes);
const formOf = (bytes: number) => filled("server_id=none&rest=", "", bytes);

function filled(start: string, end: string, bytes: number): string {
  return start + "x".repeat(bytes - start.length - end.length) + end;
}

describe("the size of a body", () => {
  it.each([
    ["JSON", JSON_TYPE, jsonOf],
    ["form", FORM_TYPE, formOf],
  ] as const)("may be 64 KiB and not a byte more: %s", async (_name, type, bodyOf) => {
    await send(type, bodyOf(LIMIT)).expect(404);
    await send(type, bodyOf(LIMIT + 1)).expect(413);
  });

  it("is counted without a declared length", async () => {
    await sendChunked(JSON_TYPE, jsonOf(LIMIT)).expect(404);
    await sendChunked(JSON_TYPE, jsonOf(LIMIT + 1)).expect(413);
  });

  it.each([
    ["gzip", gzipSync],
    ["deflate", deflateSync],
    ["br", brotliCompressSync],
  ] as const)("is counted unpacked: %s", async (encoding, pack) => {
    const coded = { "Content-Encoding": encoding };
    await send(JSON_TYPE, pack(jsonOf(LIMIT)), coded).expect(404);
    await send(JSON_TYPE, pack(Buffer.alloc(10_000_000, " ")), coded).expect(413);
  });
});

describe("the type of a body", () => {
  it.each([
    "text/plain",
    "multipart/form-data; boundary=x",
    "application/xml",
    "application/json; charset=latin1",
    "application/json; charset=none",
    ";;;",
  ])("may not be %s", async (type) => {
    await send(type, '{"server_id":"none"}').expect(415);
  });

  it("may not be missing", async () => {
    await sendChunked(undefined, '{"server_id":"none"}').expect(415);
  });

  it("may not be packed in an unknown way", async () => {
    await send(JSON_TYPE, "{}", { "Content-Encoding": "compress" }).expect(415);
  });

  it.each(["APPLICATION/JSON", "application/json; charset=utf-8", "application/json;charset=UTF-8"])(
    "may be %s",
    async (type) => {
      await send(type, '{"server_id":"none"}').expect(404);
    },
  );
});

describe("what a body says", () => {
  it.each([
    "{",
    "null",
    "1",
    '"text"',
    "[]",
    '{"server_id":"a",}',
    "[".repeat(30_000),
    '{"server_id":null}',
    '{"server_id":true}',
    '{"server_id":["a"]}',
    '{"server_id":{"a":"b"}}',
    '{"server_id":"\\u0000"}',
    '{"server_id":"\\ud800"}',
    '{"__proto__":{"server_id":"a"}}',
    `{"server_id":"${"😀".repeat(201)}"}`,
  ])("is refused with a reason: %.40s", async (body) => {
    const answer = await send(JSON_TYPE, body).expect(400);
    expect(answer.body.errors).not.toHaveLength(0);
  });

  it.each(['{"server_id":"__proto__"}', '{"server_id":1e400}', `{"server_id":"${"😀".repeat(200)}"}`])(
    "is the id of nothing: %.40s",
    async (body) => {
      await send(JSON_TYPE, body).expect(404);
    },
  );
});
