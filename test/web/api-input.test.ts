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
  it.each(["text/plain", "multipart/form-data; boundary=x", "application/xml", ";;;"])(
    "may not be %s",
    async (type) => {
      await send(type, '{"server_id":"none"}').expect(415);
    },
  );

  it("may not be missing", async () => {
    await sendChunked(undefined, '{"server_id":"none"}').expect(415);
  });

  it("may not be packed in an unknown way", async () => {
    await send(JSON_TYPE, "{}", { "Content-Encoding": "compress" }).expect(415);
  });

  it.each(["gzip", "deflate", "br", "zstd"])("says that a body is not %s", async (encoding) => {
    const { body } = await send(JSON_TYPE, "{}", { "Content-Encoding": encoding }).expect(400);
    const message = "cannot be decompressed as its Content-Encoding says";
    expect(body.errors).toEqual([{ param: "body", message }]);
  });

  // JSON is UTF-8, whatever its type says (RFC 8259, sections 8.1 and 11).
  it.each(["APPLICATION/JSON", "application/json;charset=UTF-8", "application/json; charset=latin1"])(
    "may be %s",
    async (type) => {
      await send(type, '{"server_id":"none"}').expect(404);
    },
  );
});

describe("what a body says", () => {
  it("may follow a byte order mark", async () => {
    await send(JSON_TYPE, '\ufeff{"server_id":"none"}').expect(404);
    await send(JSON_TYPE, "\ufeff{").expect(400);
  });

  it("is refused if it is not UTF-8", async () => {
    const { body } = await send(JSON_TYPE, Buffer.from('{"server_id":"é"}', "latin1")).expect(400);
    expect(body.errors).toEqual([{ param: "body", message: expect.stringContaining("UTF-8") }]);
  });

  it.each([
    "null",
    "1",
    '"text"',
    '{"server_id":"a",}',
    "[".repeat(30_000),
    '{"server_id":true}',
    '{"server_id":["a"]}',
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

const ALL = "/api/search";
const ONE_KIND = "/api/items/search";

let visitor: Agent;

beforeAll(async () => {
  visitor = site.agent();
  await visitor.get("/session").expect(200);
});

async function faults(address: string): Promise<string[]> {
  const { body } = await visitor.get(address).expect(400);
  return body.errors.map(({ param }: { param: string }) => param).sort();
}

describe.each([ALL, ONE_KIND])("the parameters of %s", (path) => {
  it("q is required, and blank is an empty answer", async () => {
    expect(await faults(path)).toEqual(["q"]);
    for (const q of ["?q", "?q=", "?q=%20%09"]) {
      const { body } = await visitor.get(path + q).expect(200);
      expect(body.query).toBe("");
    }
  });

  it("q is trimmed, and has 200 code points at most", async () => {
    const astral = encodeURIComponent("😀");
    const { body } = await visitor.get(`${path}?q=%20${astral.repeat(200)}%20`).expect(200);
    expect(body.query).toBe("😀".repeat(200));
    expect(await faults(`${path}?q=${astral.repeat(201)}`)).toEqual(["q"]);
  });

  it("q may hold any bytes but NUL", async () => {
    for (const q of ["%00", "a%00b"]) expect(await faults(`${path}?q=${q}`)).toEqual(["q"]);
    const odd = "%zz %ff %C0%80 %ED%A0%80 %25 _ %5C ' + %2F %F0%9F%98%80 __proto__".split(" ");
    for (const q of odd) await visitor.get(`${path}?q=${q}`).expect(200);
  });

  it("limit is 1 to 50, blank counts as missing", async () => {
    for (const limit of ["1", "50", "", "%20"]) await visitor.get(`${path}?q=a&limit=${limit}`).expect(200);
    for (const limit of ["0", "51", "-1", "1.5", "1e1", "0x10", "ten", "1%00", "99999999999999999999"]) {
      expect(await faults(`${path}?q=a&limit=${limit}`)).toEqual(["limit"]);
    }
  });

  it("a repeated one is refused, also where the values are the same or one is blank", async () => {
    for (const q of ["q=a&q=a", "q=a&q="]) expect(await faults(`${path}?${q}`)).toEqual(["q"]);
  });

  it("reports all errors at once", async () => {
    expect(await faults(`${path}?limit=0`)).toEqual(["limit", "q"]);
  });

  it("unknown ones are ignored, names that every object has included", async () => {
    await visitor.get(`${path}?q=a&__proto__=x&constructor=y&toString=z&q[]=b`).expect(200);
  });

  it("count however many unknown ones come first", async () => {
    const many = "x&".repeat(2000);
    const { body } = await visitor.get(`${path}?${many}q=name`).expect(200);
    expect(body.query).toBe("name");
    expect(await faults(`${path}?${many}q=name&q=name`)).toEqual(["q"]);
  });
});

describe("offset", () => {
  it("is 0 to 1000 in the search of one kind, and ignored in that of all kinds", async () => {
    const path = `${ONE_KIND}?q=a&offset=`;
    for (const offset of ["0", "1000", ""]) await visitor.get(path + offset).expect(200);
    for (const offset of ["-1", "1001", "x"]) expect(await faults(path + offset)).toEqual(["offset"]);
    await visitor.get(`${ALL}?q=a&offset=-1`).expect(200);
  });
});
