import request from "supertest";
import { describe, expect, it } from "vitest";
import { readExampleCalls } from "../../src/exchange/docs/examples.ts";
import { openapiDocument } from "../../src/web/api/openapi.ts";
import { operation } from "../../src/web/api/openapi-operation.ts";
import { addExamples } from "../../src/web/api/openapi-route.ts";
import { PROBLEMS } from "../../src/web/pages/errors.ts";
import { BUILT_IN_KINDS } from "../../src/words/kinds/kinds.ts";
import { useTestApp } from "../helpers/app.ts";
import { declaredEndpoints } from "../helpers/declared-endpoints.ts";
import { type DocumentedOperation, operationsOf } from "../helpers/documented.ts";

const endpoints = declaredEndpoints();

const site = useTestApp();

const SITE = { name: "Almanac", baseUrl: "http://almanac.test", cookieName: "almanac.sid" };
const document = openapiDocument(endpoints, SITE);

/** Every kind with an API. */
const OF_KINDS = [
  "items",
  "vehicles",
  "scripts",
  "houses",
  "businesses",
  "servers",
  "donate-items",
  "discounts",
];
const BY_KEY = "session or key";
const LIST = ["limit", "cursor", "fields", "lang"];
const FILTERS: Record<string, string[]> = {
  servers: ["q", "game", "language", "not_full", "not_empty", "has_queue", "sort"],
  "donate-items": ["category", "q", "sale", "sort"],
  discounts: ["item_key", "phase", "sort"],
};
const RECORDS = Object.fromEntries(
  OF_KINDS.flatMap((kind) => {
    const own = FILTERS[kind] ?? ["category", "letter", "q", "sort"];
    const isOther = kind in FILTERS;
    const all = ["ids", ...own, ...LIST, ...(isOther ? [] : ["at", "filters"])];
    const one = ["id", "lang", ...(isOther ? [] : ["at"])];
    return [
      [`GET /api/${kind}/{id}`, { access: BY_KEY, parameters: one }],
      [`GET /api/${kind}`, { access: BY_KEY, parameters: all }],
      [`GET /api/${kind}.csv`, { access: BY_KEY, parameters: all }],
    ];
  }),
);

/** The changes, dumps and relations of every kind of the catalogue. */
const OF_CATALOGUE = Object.fromEntries(
  BUILT_IN_KINDS.flatMap((kind) => [
    [`GET /api/${kind}/changes`, { access: BY_KEY, parameters: ["since", "updated_since", "limit"] }],
    [`GET /api/${kind}.ndjson.gz`, { access: BY_KEY, parameters: [] }],
    [
      `GET /api/${kind}/{id}/relations`,
      { access: BY_KEY, parameters: ["id", "relation", "direction", ...LIST] },
    ],
  ]),
);

/** Every path of the interface specification and later ones, with their parameters and access. */
const INTERFACE = {
  "GET /api/search": { access: "none", parameters: ["q", "limit", "lang"] },
  "GET /api/search/all": { access: "none", parameters: ["q", "limit", "lang"] },
  "GET /api/items/search": { access: BY_KEY, parameters: ["q", "limit", "lang", "offset"] },
  "GET /api/vehicles/search": { access: BY_KEY, parameters: ["q", "limit", "lang", "offset"] },
  "GET /api/scripts/search": { access: BY_KEY, parameters: ["q", "limit", "lang", "offset"] },
  "GET /api/relations": { access: "none", parameters: ["kind", "id", "limit", "offset"] },
  "GET /api/data": { access: BY_KEY, parameters: ["range", "server_id"] },
  "GET /api/online": { access: BY_KEY, parameters: [] },
  "GET /api/nickname-generator": {
    access: "none",
    parameters: ["country", "mode", "sex", "first", "last", "min_len", "max_len", "count", "seed"],
  },
  "GET /api/favorites": { access: BY_KEY, parameters: ["kind", ...LIST] },
  "GET /api/notifications": { access: BY_KEY, parameters: ["unread", ...LIST] },
  "POST /api/favorites/toggle": { access: "login", parameters: ["server_id", "wanted"] },
  "POST /api/donate_favorites/toggle": { access: "login", parameters: ["item_key", "wanted"] },
  "POST /api/entry_favorites/toggle": { access: "login", parameters: ["kind", "entity_id", "wanted"] },
  "POST /api/entity_favorites/toggle": { access: "login", parameters: ["kind", "entity_id", "wanted"] },
  ...RECORDS,
  ...OF_CATALOGUE,
};

/** Reads that answer 404 where there is no such record. */
const NAMING_A_RECORD = [
  "/api/data",
  "/api/relations",
  ...OF_KINDS.map((kind) => `/api/${kind}/{id}`),
  ...BUILT_IN_KINDS.map((kind) => `/api/${kind}/{id}/relations`),
];

/** A path with an id where it has room for one. */
const withId = (path: string) => path.replace("{id}", "a");

const everyOperation = operationsOf(document);
/** Operations that write records have a scope of their own. */
const WRITES = everyOperation.filter(({ spec }) => String(spec["x-scope"]).startsWith("write:"));
const operations = everyOperation.filter((operation) => !WRITES.includes(operation));

const nameOf = ({ method, path }: DocumentedOperation) => `${method.toUpperCase()} ${path}`;

function parametersOf({ spec }: DocumentedOperation): string[] {
  const query = (spec.parameters ?? []).map((parameter: { name: string }) => parameter.name);
  // Parameters of a write may be in either place.
  const body = Object.keys(spec.requestBody?.content["application/json"].schema.properties ?? {});
  return [...new Set<string>([...query, ...body])];
}

function accessOf({ spec }: DocumentedOperation): string {
  const ways = spec.security.map((way: object) => Object.keys(way).join("+") || "nobody").sort();
  if (ways.includes("nobody")) return "none";
  return ways.join() === "session" ? "login" : BY_KEY;
}

describe("the OpenAPI document", () => {
  it("has the header Link for every list, CSV file and dump, and for 410 of changes", () => {
    const declaresLink = (status: string) => (operation: DocumentedOperation) =>
      operation.spec.responses[status]?.headers.Link !== undefined;
    const linked = operations.filter(declaresLink("200")).map(({ path }) => path);
    const lists = operations.filter((each) => parametersOf(each).includes("cursor")).map(({ path }) => path);
    const dumps = BUILT_IN_KINDS.map((kind) => `/api/${kind}.ndjson.gz`);
    expect(linked.sort()).toEqual([...lists, ...dumps].sort());
    const restarts = operations.filter(({ path }) => path.endsWith("/changes"));
    expect(restarts.filter(declaresLink("410"))).toEqual(restarts);
  });

  it("holds every path of the interface and no other, with its parameters and access", () => {
    const described = operations.map((operation) => [
      nameOf(operation),
      { access: accessOf(operation), parameters: parametersOf(operation) },
    ]);
    expect(Object.fromEntries(described)).toEqual(INTERFACE);
  });

  it("declares the header key, the query key and the session cookie", () => {
    expect(document.components?.securitySchemes).toEqual({
      keyHeader: { type: "apiKey", in: "header", name: "X-API-Key" },
      keyQuery: { type: "apiKey", in: "query", name: "api_key" },
      session: { type: "apiKey", in: "cookie", name: "almanac.sid" },
    });
  });

  it("has bounds, defaults and choices as numbers and words", () => {
    const parameter = (path: string, name: string) => {
      const operation = operations.find((known) => known.path === path);
      return operation?.spec.parameters.find((known: { name: string }) => known.name === name);
    };
    expect(parameter("/api/search", "q")).toMatchObject({ in: "query", required: true });
    const limit = parameter("/api/search", "limit").schema;
    expect(limit).toMatchObject({ type: "integer", minimum: 1, maximum: 50, default: 10 });
    expect(limit).not.toHaveProperty("pattern");
    const country = parameter("/api/nickname-generator", "country").schema;
    expect(country).toMatchObject({ type: "string", default: "us", enum: expect.arrayContaining(["ru"]) });
    expect(parameter("/api/nickname-generator", "mode").schema.enum).toEqual(["real", "mixed", "invented"]);
    expect(parameter("/api/nickname-generator", "max_len").required).toBeFalsy();
  });

  it("has the writes of each kind's records, with a body or without", () => {
    const names = OF_KINDS.flatMap((kind) => [
      ...["DELETE", "PATCH", "PUT"].map((method) => `${method} /api/${kind}/{id}`),
      `POST /api/${kind}`,
    ]);
    const isOfRecords = ({ path }: DocumentedOperation) => !path.endsWith("/measurements");
    expect(WRITES.filter(isOfRecords).map(nameOf).sort()).toEqual([...names, "POST /api/relations"].sort());
    expect(WRITES).toHaveLength(names.length + 2);
    for (const operation of WRITES.filter(isOfRecords)) {
      const { spec, path } = operation;
      const hasBody = !nameOf(operation).startsWith("DELETE");
      expect(spec.requestBody?.required, path).toBe(hasBody || undefined);
      expect(parametersOf(operation)).toContain("Idempotency-Key");
      const statuses = Object.keys(spec.responses);
      expect(statuses).toEqual(expect.arrayContaining(["400", "401", "403", "422", "503"]));
      expect(spec.responses).not.toHaveProperty("303");
    }
  });

  it("promises 410, and a history that stays, only for kinds that leave a tombstone", () => {
    for (const kind of OF_KINDS) {
      const isEntry = BUILT_IN_KINDS.some((each) => each === kind);
      const ofOne = everyOperation.filter(({ path }) => path === `/api/${kind}/{id}`);
      const withGone = ofOne.filter(({ spec }) => "410" in spec.responses).map(({ method }) => method);
      expect(withGone.sort(), kind).toEqual(isEntry ? ["delete", "get", "patch"] : []);
      const removal = ofOne.find(({ method }) => method === "delete");
      expect(removal?.spec.summary?.includes("history stays"), kind).toBe(isEntry);
    }
  });

  it("describes failures as problem details", () => {
    for (const { method, path, spec } of operations) {
      const statuses = Object.keys(spec.responses);
      expect(statuses).toEqual(expect.arrayContaining(["200", "401", "503"]));
      expect(statuses.includes("304")).toBe(method === "get");
      expect(statuses.includes("413")).toBe(method === "post");
      expect(statuses.includes("404")).toBe(method === "post" || NAMING_A_RECORD.includes(path));
      // A plain HTML form gets a page.
      const types = ["application/problem+json", ...(method === "post" ? ["text/html"] : [])];
      expect(Object.keys(spec.responses["401"].content)).toEqual(types);
    }
  });
});

describe("the endpoints of an own kind", () => {
  it.each(["searches", "favorites-of-all", "notifications2"])(
    "are those of records if it is called %s",
    (kind) => {
      const ofItems = endpoints.filter(({ path }) => path === "/api/items" || path === "/api/items/{id}");
      expect(ofItems.length).toBeGreaterThan(1);
      const renamed = (path: string) => path.replace("/api/items", `/api/${kind}`) as `/api/${string}`;
      const tags = ofItems.map((each) => operation({ ...each, path: renamed(each.path) }).tags);
      expect(new Set(tags.flat())).toEqual(new Set(["records"]));
    },
  );
});

describe("every documented path", () => {
  it("requires the session that the document requires for a toggle", async () => {
    for (const { method, path, spec } of operations.filter((operation) => operation.method === "post")) {
      expect([path, (await request(site.app)[method](path)).status]).toEqual([path, 401]);
      expect(Object.keys(spec.responses)).toContain("401");
    }
  });

  it("refuses other methods, but first those who have no access at all", async () => {
    for (const operation of operations) {
      const declared = everyOperation
        .filter(({ path }) => path === operation.path)
        .map((each) => `${each.method}`);
      const method = (["delete", "put", "post"] as const).find((each) => !declared.includes(each)) ?? "patch";
      const { status } = await request(site.app)[method](withId(operation.path));
      expect([operation.path, status]).toEqual([operation.path, accessOf(operation) === "none" ? 405 : 401]);
    }
  });
});

describe("GET /api/openapi.json", () => {
  it("is the document, open to anybody of any origin, for GET only", async () => {
    const { body, headers } = await request(site.app).get("/api/openapi.json").expect(200);
    const whole = structuredClone(document);
    addExamples(whole, readExampleCalls(declaredEndpoints(), SITE.baseUrl));
    expect(body).toEqual(JSON.parse(JSON.stringify(whole)));
    expect(headers["content-type"]).toContain("application/json");
    expect(headers["access-control-allow-origin"]).toBe("*");
    expect(headers["set-cookie"]).toBeUndefined();
    const refused = await request(site.app).post("/api/openapi.json").expect(405);
    expect(refused.headers.allow).toBe("GET, HEAD, OPTIONS");
  });
});

describe("the problem types", () => {
  it("have one slug and one status each", () => {
    const problems = Object.values(PROBLEMS);
    expect(new Set(problems.map(({ slug }) => slug)).size).toBe(problems.length);
    expect(new Set(problems.map(({ status }) => status)).size).toBe(problems.length);
  });
});
