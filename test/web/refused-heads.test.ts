import { once } from "node:events";
import type { Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { listen } from "../../src/web/server/listen.ts";
import { useTestApp } from "../helpers/app.ts";

const site = useTestApp();
let server: Server;

beforeAll(async () => {
  const listener = await listen({ port: 0, host: "127.0.0.1" });
  listener.answerWith(site.app);
  server = listener.server;
});

afterAll(() => void server?.close());

/** All that comes back for bytes, as Latin-1, which keeps each byte. */
async function send(head: string, encoding: BufferEncoding = "utf8"): Promise<string> {
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  const chunks: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => chunks.push(chunk));
  socket.write(Buffer.from(`${head}\r\nHost: almanac.test\r\nConnection: close\r\n\r\n`, encoding));
  await once(socket, "close");
  return Buffer.concat(chunks).toString("utf8");
}

const statusOf = (answer: string) => Number(answer.split(" ")[1]);
const bodyOf = (answer: string) => answer.split("\r\n\r\n")[1] ?? "";
const locationOf = (answer: string) => /^Location: (.*)\r$/m.exec(answer)?.[1];

describe("an address with letters as they were typed", () => {
  it.each([
    ["in UTF-8", "/api/search?q=меч", "/api/search?q=%D0%BC%D0%B5%D1%87"],
    ["with what no address may hold", "/search?q=<меч>\\", "/search?q=%3C%D0%BC%D0%B5%D1%87%3E%5C"],
    ["in a path", "/ru/items/меч%20x", "/ru/items/%D0%BC%D0%B5%D1%87%20x"],
  ])("is redirected to the same one, percent-encoded: %s", async (_what, target, encoded) => {
    const answer = await send(`GET ${target} HTTP/1.1`);
    expect(statusOf(answer)).toBe(308);
    expect(locationOf(answer)).toBe(encoded);
    expect(bodyOf(answer)).toContain(encoded);
    expect(statusOf(await send(`GET ${encoded} HTTP/1.1`))).toBeLessThan(405);
  });

  it("is redirected whatever bytes it has", async () => {
    const answer = await send("GET /api/search?q=\xec\xe5\xf7 HTTP/1.1", "latin1");
    expect(locationOf(answer)).toBe("/api/search?q=%EC%E5%F7");
    const found = await send(`GET ${locationOf(answer)} HTTP/1.1`);
    expect(JSON.parse(bodyOf(found)).query).toBe("меч");
  });

  it.each([
    ["to another site", "GET //example.org/меч HTTP/1.1"],
    ["to a whole address", "GET http://example.org/меч HTTP/1.1"],
    ["of a write", "POST /api/favorites/toggle?server_id=меч HTTP/1.1"],
    ["that would repeat a key", "GET /api/items/search?q=меч&api_key=secret HTTP/1.1"],
    ["with a space", "GET /api/search?q=a b HTTP/1.1"],
  ])("is no redirect %s, but 400 that says why", async (_what, head) => {
    const answer = await send(head);
    expect(statusOf(answer)).toBe(400);
    expect(locationOf(answer)).toBeUndefined();
    expect(answer).not.toContain("secret");
    expect(bodyOf(answer)).toContain("percent-encode");
  });
});

describe("a request that Node's parser refuses", () => {
  it("has the form of other errors of the API", async () => {
    const answer = await send("GET /api/search?q=a b HTTP/1.1");
    expect(answer).toMatch(/^content-type: application\/problem\+json/im);
    expect(JSON.parse(bodyOf(answer))).toMatchObject({ status: 400, title: "Bad Request" });
  });

  it("is 431 where its head is too long, and no body where only the head is wanted", async () => {
    expect(statusOf(await send(`GET /${"a".repeat(20_000)} HTTP/1.1`))).toBe(431);
    const head = await send("HEAD /search?q=меч HTTP/1.1");
    expect(statusOf(head)).toBe(308);
    expect(bodyOf(head)).toBe("");
  });

  it("does not add bytes to an answer that is under way", async () => {
    const both = await send("GET /health HTTP/1.1\r\nHost: a\r\n\r\nGET /меч HTTP/1.1");
    expect(both.match(/^HTTP\/1\.1 200/gm)?.length ?? 0).toBeLessThanOrEqual(1);
    const [, length] = /^Content-Length: (\d+)\r$/m.exec(both) ?? [];
    if (both.startsWith("HTTP/1.1 200")) expect(bodyOf(both).startsWith("{")).toBe(true);
    expect(both === "" || length !== undefined).toBe(true);
  });
});
