import fc from "fast-check";
import request, { type Response } from "supertest";
import { beforeAll, describe, expect, it } from "vitest";
import { createKey } from "../../src/accounts/keys/queries.ts";
import { openapiDocument } from "../../src/web/api/openapi.ts";
import { OWNER_SCOPES } from "../../src/words/scopes.ts";
import { type Agent, useTestApp } from "../helpers/app.ts";
import { createDemoDatabase } from "../helpers/database.ts";
import { declaredEndpoints } from "../helpers/declared-endpoints.ts";
import {
  Documented,
  type DocumentedOperation,
  type DocumentedParameter,
  operationsOf,
} from "../helpers/documented.ts";
import { addWriteKey } from "../helpers/write-keys.ts";

const site = useTestApp({}, undefined, createDemoDatabase);
const document = openapiDocument(declaredEndpoints(), {
  name: "Almanac",
  baseUrl: "http://almanac.test",
  cookieName: "almanac.sid",
});
const documented = new Documented(document);
const operations = operationsOf(document);

/** Calls of each operation. */
const RUNS = 4;
/** Parameters with requirements that no schema can say: words of the data, a cursor, several parameters together. */
const PICKY = ["first", "last", "min_len", "max_len", "since", "updated_since", "cursor", "sort", "ids"];

let key: string;
let user: Agent;

beforeAll(async () => {
  await site.search.refresh();
  const { id, agent } = await site.logIn();
  user = agent;
  key = (await createKey(site.db, id, { name: "fuzz", expiry: "never", scopes: OWNER_SCOPES })) ?? "";
});

type Schema = Record<string, unknown> & { enum?: string[]; pattern?: string };

/** Texts that a schema allows. */
function allowed(schema: Schema): fc.Arbitrary<string> {
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.type === "integer")
    return fc.integer({ min: Number(schema.minimum), max: Number(schema.maximum) }).map(String);
  const { minLength = 0, maxLength = 20 } = schema as { minLength?: number; maxLength?: number };
  const texts = fc.string({ unit: "grapheme", minLength, maxLength: Math.min(maxLength, 20) });
  if (schema.pattern === undefined) return texts;
  const pattern = new RegExp(schema.pattern, "u");
  // Nearly every text has what most patterns ask for, and hardly any looks like a time. For a class without ASCII,
  // `stringMatching` would look among ASCII for ever.
  return schema.pattern.startsWith("^[^") || schema.pattern.includes("[^\\u0000-\\u007f")
    ? texts.filter((text) => pattern.test(text))
    : fc.stringMatching(pattern).filter((text) => text.length <= maxLength);
}

/** Texts that mostly are not allowed: of another type, too long, out of bounds, or with what cannot be stored. */
const ODD = fc.oneof(
  fc.string({ unit: "binary", maxLength: 30 }).filter((text) => text.isWellFormed()),
  fc.integer({ min: -10, max: 20_000 }).map(String),
  fc.constantFrom(
    ...["\0", "x\0y", "a".repeat(201), "é".repeat(65), "1.5", "1e3", "0x10", "-0", "null", "[]", "%"],
    ...["US", "Us", "", " ", " \t\u00a0"],
  ),
);

function textOf({ schema, required }: DocumentedParameter): fc.Arbitrary<string | undefined> {
  const some = fc.oneof({ weight: 3, arbitrary: allowed(schema) }, { weight: 1, arbitrary: ODD });
  return required ? some : fc.option(some, { nil: undefined });
}

type Values = Record<string, string | undefined>;

function valuesOf({ parameters }: DocumentedOperation): fc.Arbitrary<Values> {
  return fc.record(Object.fromEntries(parameters.map((parameter) => [parameter.name, textOf(parameter)])));
}

function addressOf({ path, parameters }: DocumentedOperation, values: Values): string {
  const query = new URLSearchParams();
  let address = path;
  for (const { name, in: place } of parameters) {
    const value = values[name];
    if (place === "path") address = address.replace(`{${name}}`, encodeURIComponent(value ?? ""));
    else if (value !== undefined) query.set(name, value);
  }
  return query.size === 0 ? address : `${address}?${query}`;
}

/** A blank part of a path is another path, and `.` is resolved away before it is sent. */
function namesAnything({ parameters }: DocumentedOperation, values: Values): boolean {
  return parameters.every(({ name, in: place }) => place !== "path" || !/^\.*$/.test(values[name] ?? ""));
}

function isAllowed({ parameters }: DocumentedOperation, values: Values): boolean {
  return parameters.every((parameter) => {
    const value = values[parameter.name];
    return value === undefined || documented.allows(parameter, value);
  });
}

/** A refusal follows from the document, and every answer matches it. */
function expectTrue(operation: DocumentedOperation, values: Values, answer: Response): void {
  const what = addressOf(operation, values);
  documented.expectAnswer(operation, answer, what);
  expect(answer.status, what).toBeLessThan(500);
  if (!isAllowed(operation, values)) expect([400, 404], what).toContain(answer.status);
  else if (answer.status === 400) {
    const named = answer.body.errors.map(({ param }: { param: string }) => param);
    // A list of the past is not in the future, and takes no search.
    const picky = values.at === undefined ? PICKY : [...PICKY, "at", "q"];
    expect(picky, `${what}: ${answer.text}`).toEqual(expect.arrayContaining(named));
  }
}

const reads = operations.filter(({ method }) => method === "get");
const isOwnBody = ({ spec }: DocumentedOperation) => spec.requestBody?.required === true;
const writes = operations.filter((operation) => operation.method === "post" && !isOwnBody(operation));
/** Two kinds stand for all. */
const recordWrites = operations.filter(
  (operation) => isOwnBody(operation) && /^\/api\/(items|discounts)(\/|$)/.test(operation.path),
);

/** A parameter by its name. @throws Error for an unknown one */
function parameterOf(method: string, path: string, name: string): DocumentedParameter {
  const operation = operations.find((each) => each.method === method && each.path === path);
  const parameter = operation?.parameters.find((each) => each.name === name);
  if (!parameter) throw new Error(`${name} is not documented`);
  return parameter;
}

describe("the document and the site", () => {
  it.each(reads)("agree on what GET $path takes and answers", async (operation) => {
    const values = valuesOf(operation).filter((each) => namesAnything(operation, each));
    await fc.assert(
      fc.asyncProperty(values, async (each) => {
        const answer = await request(site.app).get(addressOf(operation, each)).set("X-API-Key", key);
        expectTrue(operation, each, answer);
      }),
      { numRuns: RUNS },
    );
  });

  it.each(reads)("agree on GET $path without a key, and with a wrong one", async (operation) => {
    const each = Object.fromEntries(
      operation.parameters.map(({ name }) => [name, name === "kind" ? "item" : "1"]),
    );
    const open = operation.spec.security.some((way: object) => Object.keys(way).length === 0);
    const anonymous = await request(site.app).get(addressOf(operation, each));
    documented.expectAnswer(operation, anonymous, "without a key");
    expect(anonymous.status === 401).toBe(!open);
    const wrong = await request(site.app).get(addressOf(operation, each)).set("X-API-Key", "alm_wrong");
    documented.expectAnswer(operation, wrong, "with a wrong key");
    expect(wrong.status).toBe(401);
  });

  it.each(writes)("agree on what POST $path takes, in all three places", async (operation) => {
    const values = valuesOf(operation);
    const places = fc.constantFrom("query", "json", "form", "page");
    await fc.assert(
      fc.asyncProperty(values, places, async (each, place) => {
        const given = Object.fromEntries(Object.entries(each).filter(([, value]) => value !== undefined));
        const asked = user.post(place === "query" ? addressOf(operation, each) : operation.path).redirects(0);
        if (place === "json") asked.send(given);
        else if (place !== "query")
          asked.type("form").send(new URLSearchParams(given as Record<string, string>).toString());
        if (place === "page") asked.set("Accept", "text/html");
        const answer = await asked;
        documented.expectAnswer(operation, answer, `${place} ${JSON.stringify(given)}`);
        expect(answer.status).toBeLessThan(500);
      }),
      { numRuns: RUNS },
    );
  });

  it.each(recordWrites)(
    "agree on what $method $path answers to any body",
    async ({ method, path, ...rest }) => {
      const { key: writer } = await addWriteKey(site.db, (await site.createUser()).id);
      const members = [
        "name",
        "names",
        "price",
        "percent",
        "item_key",
        "starts_at",
        "attributes",
        "nonsense",
      ];
      const member = fc.constantFrom(...members);
      const record = fc.dictionary(member, fc.jsonValue({ maxDepth: 2 }), { maxKeys: 5 });
      const bodies = path.endsWith("}") ? record : fc.record({ records: fc.array(record, { maxLength: 3 }) });
      await fc.assert(
        fc.asyncProperty(
          fc.oneof(bodies, fc.jsonValue()),
          fc.stringMatching(/^[a-z0-9]{1,3}$/),
          async (body, id) => {
            const asked = request(site.app)[method](path.replace("{id}", id)).set("X-API-Key", writer);
            const answer = await asked.set("Content-Type", "application/json").send(JSON.stringify(body));
            documented.expectAnswer({ method, path, ...rest }, answer, JSON.stringify(body));
            expect(answer.status, JSON.stringify(body)).toBeLessThan(500);
          },
        ),
        { numRuns: RUNS },
      );
    },
  );

  it.each(["Idempotency-Key", "If-Match", "If-None-Match"])(
    "agree on which texts a write takes as %s",
    async (name) => {
      const { key: writer } = await addWriteKey(site.db, (await site.createUser()).id);
      const parameter = parameterOf("put", "/api/items/{id}", name);
      const words = ["*", '""', '"', '"a"', 'W/"a"', '"a", "b"', '"a""b"', "a b", "a".repeat(256), "* *"];
      const odd = fc.constantFrom(...words);
      const ascii = fc.string({ unit: "grapheme-ascii", minLength: 1, maxLength: 6 });
      const texts = fc.oneof(odd, ascii).filter((text) => text.trim() === text);
      await fc.assert(
        fc.asyncProperty(texts, fc.uuid(), async (text, id) => {
          const asked = request(site.app).put(`/api/items/${id}`).set("X-API-Key", writer);
          const { status } = await asked.set(name, text).send({ name: "A" });
          // A repeat of another write, or a condition that does not hold, is understood as well.
          const isTaken = [200, 201, 412, 422].includes(status);
          expect([text, status, isTaken]).toEqual([text, status, documented.allows(parameter, text)]);
        }),
        { numRuns: 4 * RUNS },
      );
    },
  );

  it.each(["first", "last"])("agree on which texts of ASCII the nicknames take as %s", async (name) => {
    const parameter = parameterOf("get", "/api/nickname-generator", name);
    const words = ["0", "a", "Al", "A l", " Al ", "O'Neil", "Al-B", "a_b", "A".repeat(21), "Ал'я"];
    const odd = fc.constantFrom(...words);
    const letters = fc.stringMatching(/^[A-Za-z]{1,22}$/);
    const ascii = fc.string({ unit: "grapheme-ascii", minLength: 1, maxLength: 6 });
    const texts = fc.oneof(odd, letters, ascii).filter((text) => text.trim() !== "");
    await fc.assert(
      fc.asyncProperty(texts, async (text) => {
        const answer = await request(site.app).get(
          `/api/nickname-generator?${new URLSearchParams([[name, text]])}`,
        );
        expect([text, answer.status]).toEqual([text, documented.allows(parameter, text) ? 200 : 400]);
      }),
      { numRuns: 8 * RUNS },
    );
  });

  it("agree that ids in a body may be numbers, and what is left out null", async () => {
    await site.db("servers").insert({ id: "411", name: "A number" });
    const operation = writes.find(({ path }) => path === "/api/favorites/toggle");
    const answer = await user.post("/api/favorites/toggle").send({ server_id: 411, wanted: null });
    expect(answer.status).toBe(200);
    expect(operation?.spec.description).toContain("a number is read as its text, and null counts as missing");
  });
});
