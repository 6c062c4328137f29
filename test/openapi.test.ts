import request from "supertest";
import { describe, expect, it } from "vitest";
import { apiEndpoints } from "../src/app.ts";
import { PROBLEMS } from "../src/http/errors.ts";
import { openapiDocument } from "../src/http/openapi.ts";
import { useTestApp } from "./helpers/app.ts";

const endpoints = apiEndpoints();

const site = useTestApp();

const SITE = { name: "Almanac", baseUrl: "http://almanac.test", cookieName: "almanac.sid" };
const document = openapiDocument(endpoints, SITE);

/** Every path of the interface specification, and those that joined it, with what it takes and who may ask. */
const INTERFACE = {
  "GET /api/search": { access: "none", parameters: ["q", "limit"] },
  "GET /api/search/all": { access: "none", parameters: ["q", "limit"] },
  "GET /api/items/search": { access: "session or key", parameters: ["q", "limit", "offset"] },
  "GET /api/vehicles/search": { access: "session or key", parameters: ["q", "limit", "offset"] },
  "GET /api/scripts/search": { access: "session or key", parameters: ["q", "limit", "offset"] },
  "GET /api/relations": { access: "none", parameters: ["kind", "id", "limit", "offset"] },
  "GET /api/data": { access: "session or key", parameters: ["range", "server_id"] },
  "GET /api/online": { access: "session or key", parameters: [] },
  "GET /api/nickname-generator": {
    access: "none",
    parameters: ["country", "mode", "sex", "first", "last", "min_len", "max_len", "count", "seed"],
  },
  "POST /api/favorites/toggle": { access: "login", parameters: ["server_id", "wanted"] },
  "POST /api/donate_favorites/toggle": { access: "login", parameters: ["item_key", "wanted"] },
  "POST /api/entry_favorites/toggle": { access: "login", parameters: ["kind", "entity_id", "wanted"] },
  "POST /api/entity_favorites/toggle": { access: "login", parameters: ["kind", "entity_id", "wanted"] },
};

/** Reads that answer 404 where there is no such record. */
const NAMING_A_RECORD = ["/api/data", "/api/relations"];

interface Operation {
  method: "get" | "post";
  path: string;
  // The document is JSON to whoever reads it; its types in the library are unions that help nobody here.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  spec: any;
}

const operations: Operation[] = Object.entries(document.paths ?? {}).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, spec]) => ({ method: method as "get" | "post", path, spec })),
);

const nameOf = ({ method, path }: Operation) => `${method.toUpperCase()} ${path}`;

function parametersOf({ spec }: Operation): string[] {
  const query = (spec.parameters ?? []).map((parameter: { name: string }) => parameter.name);
  return [...query, ...Object.keys(spec.requestBody?.content["application/json"].schema.properties ?? {})];
}

function accessOf({ spec }: Operation): string {
  const ways = spec.security.map((way: object) => Object.keys(way).join("+") || "nobody").sort();
  if (ways.includes("nobody")) return "none";
  return ways.join() === "session" ? "login" : "session or key";
}

describe("the OpenAPI document", () => {
  it("holds every path of the interface and no other, with its parameters and access", () => {
    const described = operations.map((operation) => [
      nameOf(operation),
      { access: accessOf(operation), parameters: parametersOf(operation) },
    ]);
    expect(Object.fromEntries(described)).toEqual(INTERFACE);
  });

  it("refers to nothing that it does not hold", () => {
    const text = JSON.stringify(document);
    const references = [...text.matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)].map(
      (match) => match[1],
    );
    expect(references.length).toBeGreaterThan(3);
    const schemas = Object.keys(document.components?.schemas ?? {});
    for (const name of references) expect(schemas).toContain(name);
  });

  it("declares the header key, the query key and the session cookie", () => {
    expect(document.components?.securitySchemes).toEqual({
      keyHeader: { type: "apiKey", in: "header", name: "X-API-Key" },
      keyQuery: { type: "apiKey", in: "query", name: "api_key" },
      session: { type: "apiKey", in: "cookie", name: "almanac.sid" },
    });
  });

  it("gives each operation its own id and a summary", () => {
    const ids = operations.map(({ spec }) => spec.operationId);
    expect(new Set(ids).size).toBe(operations.length);
    for (const { spec } of operations) expect(spec.summary.length).toBeGreaterThan(10);
  });

  it("tells bounds, defaults and choices as numbers and words", () => {
    const parameter = (path: string, name: string) => {
      const operation = operations.find((known) => known.path === path);
      return operation?.spec.parameters.find((known: { name: string }) => known.name === name);
    };
    expect(parameter("/api/search", "q")).toMatchObject({ in: "query", required: true });
    expect(parameter("/api/search", "limit").schema).toMatchObject({
      type: "integer",
      minimum: 1,
      maximum: 50,
      default: 10,
    });
    expect(parameter("/api/search", "limit").schema).not.toHaveProperty("pattern");
    expect(parameter("/api/nickname-generator", "country").schema).toMatchObject({
      type: "string",
      default: "us",
    });
    expect(parameter("/api/nickname-generator", "country").schema.enum).toContain("ru");
    expect(parameter("/api/nickname-generator", "mode").schema.enum).toEqual(["real", "mixed", "invented"]);
    expect(parameter("/api/nickname-generator", "max_len").required).toBeFalsy();
  });

  it("describes failures as problem details", () => {
    for (const { method, path, spec } of operations) {
      const statuses = Object.keys(spec.responses);
      expect(statuses).toEqual(expect.arrayContaining(["200", "401", "503"]));
      expect(statuses.includes("304")).toBe(method === "get");
      expect(statuses.includes("413")).toBe(method === "post");
      expect(statuses.includes("404")).toBe(method === "post" || NAMING_A_RECORD.includes(path));
      expect(Object.keys(spec.responses["401"].content)).toEqual(["application/problem+json"]);
    }
  });
});

describe("every documented path answers", () => {
  it.each(operations.map((operation) => [nameOf(operation), operation] as const))(
    "%s",
    async (_name, operation) => {
      const { method, path, spec } = operation;
      const response = await request(site.app)[method](path);
      const expected = { none: [200, 400], login: [401], "session or key": [401] }[accessOf(operation)] ?? [];
      expect(expected).toContain(response.status);
      expect(Object.keys(spec.responses)).toContain(String(response.status));
    },
  );

  it("refuses other methods, after those who may not ask at all", async () => {
    for (const operation of operations) {
      const { status } = await request(site.app)[operation.method === "get" ? "delete" : "put"](
        operation.path,
      );
      expect([operation.path, status]).toEqual([operation.path, accessOf(operation) === "none" ? 405 : 401]);
    }
  });

  it("in the schema that it is documented with", async () => {
    const { agent } = await site.logIn();
    await site.db("items").insert({ id: "a", name: "Anything" });
    for (const declared of endpoints.filter(({ method }) => method === "GET")) {
      const { body } = await agent.get(declared.path).query({ q: "a", kind: "item", id: "a" }).expect(200);
      const parsed = declared.output.safeParse(body);
      expect(parsed.error, declared.path).toBeUndefined();
    }
  });
});

describe("GET /api/openapi.json", () => {
  it("is the document, open to anybody of any origin, with an ETag and 304", async () => {
    const { body, headers } = await request(site.app).get("/api/openapi.json").expect(200);
    expect(body).toEqual(JSON.parse(JSON.stringify(document)));
    expect(headers["content-type"]).toContain("application/json");
    expect(headers["access-control-allow-origin"]).toBe("*");
    expect(headers["set-cookie"]).toBeUndefined();
    await request(site.app)
      .get("/api/openapi.json")
      .set("If-None-Match", headers.etag ?? "")
      .expect(304);
  });

  it("is refused to other methods", async () => {
    const { headers } = await request(site.app).post("/api/openapi.json").expect(405);
    expect(headers.allow).toBe("GET, HEAD, OPTIONS");
  });
});

describe("the problem types", () => {
  it("have one slug and one status each", () => {
    const problems = Object.values(PROBLEMS);
    expect(new Set(problems.map(({ slug }) => slug)).size).toBe(problems.length);
    expect(new Set(problems.map(({ status }) => status)).size).toBe(problems.length);
  });
});
