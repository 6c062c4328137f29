import request from "supertest";
import { beforeAll, describe, expect, it } from "vitest";
import { createKey } from "../../src/accounts/keys/queries.ts";
import type { OpenapiDocument } from "../../src/web/api/openapi.ts";
import { OWNER_SCOPES } from "../../src/words/scopes.ts";
import { type TestUser, useTestApp } from "../helpers/app.ts";
import { createDemoDatabase } from "../helpers/database.ts";
import { Documented, type DocumentedOperation, operationsOf } from "../helpers/documented.ts";

const site = useTestApp({}, undefined, createDemoDatabase);

let document: OpenapiDocument;
let documented: Documented;
let operations: DocumentedOperation[];
let owner: TestUser;
let key: string;

function readDocument() {
  return request(site.app).get("/api/openapi.json").expect(200);
}

beforeAll(async () => {
  await site.search.refresh();
  document = (await readDocument()).body;
  documented = new Documented(document);
  operations = operationsOf(document);
  owner = await site.createUser();
  const options = { name: "examples", expiry: "never", scopes: OWNER_SCOPES } as const;
  key = String(await createKey(site.db, owner.id, options));
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
  it("exist for every answer, and match its schema", () => {
    const all = operations.flatMap(examplesOf);
    expect(all.length).toBeGreaterThan(operations.length * 5);
    expect(all.filter(({ values }) => values.length === 0).map(({ what }) => what)).toEqual([]);
    const wrong = all.flatMap(({ what, schema, values }) =>
      values.flatMap((value) => documented.errors(schema, value).map((error) => `${what} ${error}`)),
    );
    expect(wrong).toEqual([]);
  });

  it("have the members of the site's answers to the example calls", async () => {
    const reads = operations.filter(({ method, spec }) => method === "get" && hasJson(spec));
    for (const operation of reads) {
      const address = exampleAddress(operation);
      const { body } = await request(site.app).get(address).set("X-API-Key", key).expect(200);
      expect(Object.keys(body), operation.path).toEqual(Object.keys(answerOf(operation)));
    }
  });

  it("of errors are the site's answers", async () => {
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
  it("are stored apart from all others by every cache", async () => {
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
  it("is 304 to a client that has it, and the same with a key", async () => {
    const first = await readDocument();
    const again = request(site.app).get("/api/openapi.json");
    await again.set("If-None-Match", String(first.headers.etag)).expect(304);
    expect(first.headers["cache-control"]).toBe("public, no-cache");
    expect(first.headers.vary).toContain("X-API-Key");
    const keyed = await readDocument().set("X-API-Key", key);
    expect(keyed.headers["cache-control"]).toBe("private, no-cache");
    expect(keyed.headers.etag).toBe(first.headers.etag);
    await request(site.app).get("/api/openapi.json").set("X-API-Key", "alm_wrong").expect(401);
  });
});
