import request from "supertest";
import { beforeAll, describe, expect, it } from "vitest";
import { paths } from "../../src/words/urls.ts";
import { type Agent, useTestApp } from "../helpers/app.ts";
import { insertRecords } from "../helpers/catalogue.ts";
import { addServer } from "../helpers/things.ts";

const site = useTestApp();

const ANSWERS = [
  "/api/search?q=entry",
  "/api/items/search?q=entry",
  "/api/data",
  "/api/online",
  paths.openapi(),
  paths.feed("items"),
  paths.discountsFeed(),
  paths.sitemap(),
  paths.home(),
  paths.catalogue("items"),
  paths.servers(),
];

let visitor: Agent;

beforeAll(async () => {
  // A change of this very second has no Last-Modified yet, and has one in the next.
  const old = { category: "tests", created_at: "2026-11-21T12:00:00Z", updated_at: "2026-11-21T12:00:00Z" };
  const entries = Array.from({ length: 30 }, (_, number) => ({ id: `entry-${number}`, ...old }));
  await insertRecords(site.db, "items", entries);
  for (let number = 0; number < 10; number += 1) await addServer(site.db, `server-${number}`);
  visitor = request.agent(site.app);
  await visitor.get("/session").expect(200);
});

describe.each(ANSWERS)("GET %s", (path) => {
  const get = (encoding: string) => visitor.get(path).set("Accept-Encoding", encoding);

  it("has a strong entity tag of its own for each encoding, and says that it depends on it", async () => {
    const seen = new Map<string, string>();
    for (const encoding of ["identity", "gzip", "br"]) {
      const { headers } = await get(encoding).expect(200);
      expect(headers.etag).toMatch(/^"[\w-]+"$/);
      expect(headers.vary).toMatch(/\bAccept-Encoding\b/);
      const used = headers["content-encoding"] ?? "identity";
      expect(seen.get(used) ?? headers.etag).toBe(headers.etag);
      seen.set(used, String(headers.etag));
    }
    expect(new Set(seen.values()).size).toBe(seen.size);
  });

  it("answers 304 to whoever has it", async () => {
    const encoding = "gzip";
    const { headers } = await get(encoding).expect(200);
    const tag = String(headers.etag);
    const all = [tag, "*", `"other", ${tag}`, `"other",W/${tag} , "third"`];
    for (const known of [`W/${tag}`, ...(path === ANSWERS[0] ? all : [])]) {
      const answer = await get(encoding).set("If-None-Match", known).expect(304);
      expect(answer.headers).toMatchObject({ etag: tag, "cache-control": headers["cache-control"] });
      expect(answer.headers.vary).toBe(headers.vary);
    }
    for (const other of path === ANSWERS[0] ? ['"other"', tag.slice(1, -1), '"a", "b"'] : [])
      await get(encoding).set("If-None-Match", other).expect(200);
  });

  it("is the same by HEAD, without the body", async () => {
    const byGet = await get("gzip").expect(200);
    const byHead = await visitor.head(path).set("Accept-Encoding", "gzip").expect(200);
    expect(byHead.text).toBeFalsy();
    const shown = ["etag", "last-modified", "cache-control", "content-type", "content-encoding", "vary"];
    for (const name of shown) expect(byHead.headers[name], name).toBe(byGet.headers[name]);
  });
});
