import request from "supertest";
import { beforeAll, describe, expect, it } from "vitest";
import { createKey } from "../src/api-keys/queries.ts";
import { loadDemo } from "../src/demo/load.ts";
import type { OpenapiDocument } from "../src/http/openapi.ts";
import { OWNER_SCOPES } from "../src/scopes.ts";
import { type TestUser, useTestApp } from "./helpers/app.ts";
import { Documented, type DocumentedOperation, operationsOf } from "./helpers/documented.ts";

const site = useTestApp();

let document: OpenapiDocument;
let documented: Documented;
let operations: DocumentedOperation[];
let owner: TestUser;
let key: string;

function readDocument() {
  return request(site.app).get("/api/openapi.json").expect(200);
}

beforeAll(async () => {
  await site.db.transaction(async (transaction) => void (await loadDemo(transaction)));
  await site.search.refresh();
  await site.app.keepExamples();
  document = (await readDocument()).body;
  documented = new Documented(document);
  operations = operationsOf(document);
  owner = await site.createUser();
  key = String(
    await createKey(site.db, owner.id, { name: "examples", expiry: "never", scopes: OWNER_SCOPES }),
  );
}, 60_000);

interface Media {
  readonly schema: object;
  readonly examples?: Record<string, { value?: unknown; $ref?: string }>;
}

/** The examples of all answers with a body that an example can show. */
function examplesOf({ method, path, spec }: DocumentedOperation) {
  return Object.entries<{ content?: Record<string, Media> }>(spec.responses).flatMap(
    ([status, { content = {} }]) =>
      Object.entries(content)
        .filter(([type]) => type !== "text/html" && type !== "application/gzip")
        .map(([type, { schema, examples = {} }]) => ({
          what: `${method} ${path}: ${status} ${type}`,
          schema,
          values: Object.values(examples).map(shown),
        })),
  );
}

function shown({ value, $ref }: { value?: unknown; $ref?: string }): unknown {
  const name = $ref?.split("/").at(-1) ?? "";
  const { [name]: named } = document.components?.examples ?? {};
  return value ?? (named as { value?: unknown } | undefined)?.value;
}

function answerOf({ spec }: DocumentedOperation) {
  return spec.responses["200"].content["application/json"].examples.answer.value;
}

/** The address of an operation with the examples of its parameters. */
function exampleAddress({ path, spec }: DocumentedOperation): string {
  const parameters: { name: string; in: string; example?: unknown }[] = spec.parameters ?? [];
  const query = new URLSearchParams();
  let address = path;
  for (const { name, in: place, example } of parameters) {
    if (example === undefined) continue;
    if (place === "path") address = address.replace(`{${name}}`, encodeURIComponent(String(example)));
    else query.set(name, String(example));
  }
  return `${address}?${query}`;
}

describe("the examples of the document", () => {
  it("are there for every answer, and as its schema says", () => {
    const all = operations.flatMap(examplesOf);
    expect(all.length).toBeGreaterThan(operations.length * 5);
    expect(all.filter(({ values }) => values.length === 0).map(({ what }) => what)).toEqual([]);
    const wrong = all.flatMap(({ what, schema, values }) =>
      values.flatMap((value) => documented.errors(schema, value).map((error) => `${what} ${error}`)),
    );
    expect(wrong).toEqual([]);
  });

  it("are what the site answers to the calls that the document gives as examples", async () => {
    const reads = operations.filter(({ method, spec }) => method === "get" && hasJson(spec));
    for (const operation of reads) {
      const { body } = await request(site.app)
        .get(exampleAddress(operation))
        .set("X-API-Key", key)
        .expect(200);
      expect(Object.keys(body), operation.path).toEqual(Object.keys(answerOf(operation)));
    }
    const items = operations.find(({ path }) => path === "/api/items");
    const { body } = await request(site.app).get("/api/items?limit=2").set("X-API-Key", key);
    expect(items && answerOf(items).records).toEqual(body.records);
  });

  it("are those of the site for calls that write, and leave nothing behind", async () => {
    const toggle = operations.find(({ path }) => path === "/api/favorites/toggle");
    const sent = toggle?.spec.requestBody.content["application/json"].example;
    expect(await site.db("servers").where({ id: sent.server_id }).first("id")).toBeDefined();
    const own = operations.filter(({ path }) => ["/api/favorites", "/api/notifications"].includes(path));
    expect(own.map((operation) => answerOf(operation).records.length)).toEqual([1, 1]);
    expect(toggle && answerOf(toggle)).toEqual({ server_id: sent.server_id, favorite: true });
    expect(await site.db("users").whereNotIn("name", ["operator", owner.name])).toEqual([]);
    expect(await site.db("donate_favorites")).toEqual([]);
    expect(await site.db("server_favorites")).toEqual([]);
  });

  it("of errors are what the site says", async () => {
    const { agent } = await site.logIn();
    const answers = {
      badInput: await request(site.app).get("/api/search").query({ q: "a", limit: 51 }),
      unauthorized: await request(site.app).get("/api/online").set("X-API-Key", "alm_wrong"),
      notFound: await request(site.app).get("/api/items/none").set("X-API-Key", key),
      forbidden: await agent.post("/api/favorites/toggle").set("Origin", "http://other.test"),
      payloadTooLarge: await agent
        .post("/api/favorites/toggle")
        .send({ server_id: "a".repeat(70_000) })
        .redirects(0),
    };
    for (const [name, { body }] of Object.entries(answers)) expect(shown({ $ref: name }), name).toEqual(body);
  });
});

describe("answers to a key", () => {
  it("are kept apart from all others by every cache", async () => {
    const reads = operations.filter(({ method, path }) => method === "get" && !path.endsWith(".gz"));
    for (const operation of reads) {
      const isOpen = operation.spec.security.some((way: object) => Object.keys(way).length === 0);
      const address = exampleAddress(operation);
      const answers = [
        await request(site.app).get(address).set("X-API-Key", key).expect(200),
        await request(site.app).get(`${address}&api_key=${key}`).expect(200),
      ];
      for (const { headers } of answers) {
        const varies = String(headers.vary).split(", ");
        expect(varies, address).toEqual(
          expect.arrayContaining(isOpen ? ["X-API-Key"] : ["X-API-Key", "Cookie"]),
        );
        expect(headers["cache-control"], address).toMatch(/^(private, no-cache|no-store)$/);
      }
      if (isOpen) expect((await request(site.app).get(address)).headers.vary, address).toContain("X-API-Key");
    }
  });
});

function hasJson(spec: DocumentedOperation["spec"]): boolean {
  return spec.responses["200"].content["application/json"] !== undefined;
}

describe("the document with examples", () => {
  it("stays the same until there are others, and is 304 then", async () => {
    const first = await readDocument();
    await site.db("servers").update({ online: 3, checked_at: site.db.fn.now(), status: "online" });
    await site.app.keepExamples();
    const again = request(site.app).get("/api/openapi.json");
    await again.set("If-None-Match", String(first.headers.etag)).expect(304);
    expect(first.headers["cache-control"]).toBe("public, no-cache");
    expect(first.headers.vary).toContain("X-API-Key");
    const keyed = await readDocument().set("X-API-Key", key);
    expect(keyed.headers["cache-control"]).toBe("private, no-cache");
    expect(keyed.headers.etag).toBe(first.headers.etag);
    await request(site.app).get("/api/openapi.json").set("X-API-Key", "alm_wrong").expect(401);
  });

  it("follows a record that it shows, and shows today's after a day", async () => {
    const house = operations.find(({ path }) => path === "/api/houses/{id}");
    const id = house && answerOf(house).id;
    await site.db("houses").where({ id }).delete();
    await site.app.keepExamples();
    expect((await readDocument()).text).not.toContain(`/houses/${id}"`);
    const older = site.db.raw("now() - interval '25 hours'");
    await site.db("settings").where({ key: "api_examples" }).update({ updated_at: older });
    await site.db("servers").update({ name: "Renamed since" });
    await site.app.keepExamples();
    expect((await readDocument()).text).toContain("Renamed since");
  });

  it("has none of a site without records, but those of errors", async () => {
    for (const table of ["items", "vehicles", "scripts", "servers"]) await site.db(table).delete();
    await site.search.refresh();
    await site.app.keepExamples();
    const { body } = await readDocument();
    const responsesOf = (path: string) => body.paths[path].get.responses;
    const answer = (path: string) => responsesOf(path)["200"].content["application/json"];
    expect(answer("/api/items/{id}").examples).toBeUndefined();
    expect(answer("/api/online").examples.answer.value).toEqual({ generated_at: null, servers: [] });
    const refusal = responsesOf("/api/items/{id}")["404"].content["application/problem+json"];
    expect(refusal.examples).toEqual({ notFound: { $ref: "#/components/examples/notFound" } });
  });
});
