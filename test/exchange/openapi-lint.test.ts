import { createConfig, lintFromString } from "@redocly/openapi-core";
import spectral from "@stoplight/spectral-core";
import rulesets from "@stoplight/spectral-rulesets";
import request from "supertest";
import { beforeAll, describe, expect, it } from "vitest";
import { useTestApp } from "../helpers/app.ts";

const site = useTestApp();
let text: string;

beforeAll(async () => {
  text = (await request(site.app).get("/api/openapi.json").expect(200)).text;
});

/** Two operations of the document, one of them broken for both linters: all of them would take half a minute. */
function broken(): string {
  const document = JSON.parse(text);
  const { "/api/online": online, "/api/data": data } = document.paths;
  document.paths = { "/api/online": online, "/api/data": data };
  document.paths["/api/online"].get.responses = {};
  delete document.paths["/api/data"].get.operationId;
  return JSON.stringify(document);
}

async function redocly(source: string): Promise<string[]> {
  const config = await createConfig({ extends: ["recommended"] });
  const problems = await lintFromString({ source, config, absoluteRef: "/openapi.json" });
  return problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`);
}

/**
 * Its time grows with the document. Items stand for the other kinds, whose endpoints the same code declares. The
 * tests of the examples compare them with their schemas.
 */
async function spectralOf(source: string): Promise<string[]> {
  const document = JSON.parse(source);
  for (const path of Object.keys(document.paths))
    if (/^\/api\/(vehicles|scripts|houses|businesses)/.test(path)) delete document.paths[path];
  const linter = new spectral.Spectral();
  const rules = { "oas3-valid-media-example": "off", "oas3-valid-schema-example": "off" };
  // Its type asks for a ruleset that extends another one.
  linter.setRuleset({ extends: [rulesets.oas], rules } as Parameters<typeof linter.setRuleset>[0]);
  const problems = await linter.run(document);
  return problems.map(({ code, message, path }) => `${code}: ${message} ${path.join("/")}`);
}

/** What generators of clients stumble over: they refuse the document, or what they make does not compile. */
const HARD_KEYWORDS = [
  ...["allOf", "oneOf", "not", "if", "dependentSchemas", "patternProperties", "propertyNames"],
  ...["prefixItems", "contains", "unevaluatedProperties", "unevaluatedItems", "$defs", "$dynamicRef"],
];

type Node = Readonly<Record<string, unknown>>;

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

function hardShapes(schema: Node): string[] {
  const choices = listOf(schema.anyOf).filter((choice) => (choice as Node).type !== "null");
  const words = listOf(schema.enum);
  const types = new Set(words.filter((word) => word !== null).map((word) => typeof word));
  const inOneCase = new Set(words.map((word) => String(word).toLowerCase()));
  return [
    ...("pattern" in schema && "format" in schema ? ["a pattern beside a format"] : []),
    ...(listOf(schema.type).filter((type) => type !== "null").length > 1 ? ["several types"] : []),
    ...(choices.length > 1 ? ["a choice of schemas"] : []),
    ...("anyOf" in schema && "default" in schema ? ["a choice with a default"] : []),
    ...(types.size > 1 ? ["words of several types"] : []),
    ...(inOneCase.size < words.length ? ["words that differ in case only"] : []),
    ...HARD_KEYWORDS.filter((keyword) => keyword in schema),
  ];
}

/** Each hard shape with its place. Names of properties are no keywords, and examples are no schemas. */
function hardPlaces(node: unknown, place = ""): string[] {
  if (typeof node !== "object" || node === null) return [];
  const isNames = /\/(properties|parameters|headers|schemas|paths|responses)$/.test(place);
  const own = isNames || Array.isArray(node) ? [] : hardShapes(node as Node);
  const below = Object.entries(node).flatMap(([name, child]) =>
    !isNames && ["example", "examples", "default", "enum"].includes(name)
      ? []
      : hardPlaces(child, `${place}/${name.replaceAll("/", "~1")}`),
  );
  return [...own.map((shape) => `${shape} at ${place}`), ...below];
}

describe("the OpenAPI document for generators of clients", () => {
  it("has no shape that they cannot read", () => {
    expect(text.length).toBeGreaterThan(100_000);
    expect(hardPlaces(JSON.parse(text))).toEqual([]);
  });

  it.each<[string, Node]>([
    ["a pattern beside a format", { type: "string", format: "date-time", pattern: "^2" }],
    ["a choice of schemas", { anyOf: [{ type: "string" }, { $ref: "#/components/schemas/Blank" }] }],
    ["a choice with a default", { anyOf: [{ type: "string" }, { type: "null" }], default: "a" }],
    ["words that differ in case only", { type: "string", enum: ["us", "US"] }],
    ["propertyNames", { type: "object", propertyNames: { type: "string" } }],
  ])("would be refused with %s, in any place", (shape, schema) => {
    const document = JSON.parse(text);
    document.components.schemas.EntryBody.properties.name = { type: "array", items: schema };
    const place = "/components/schemas/EntryBody/properties/name/items";
    expect(hardPlaces(document)).toEqual([`${shape} at ${place}`]);
    delete document.components.schemas.EntryBody;
    document.paths["/api/data"].get.parameters[0].schema = schema;
    expect(hardPlaces(document)).toEqual([`${shape} at /paths/~1api~1data/get/parameters/0/schema`]);
  });
});

describe("the OpenAPI document", () => {
  it.each([
    ["Redocly", redocly],
    ["Spectral", spectralOf],
  ])("has no error or warning of %s", async (_name, lint) => {
    expect(text).toContain('"examples":{"answer"');
    expect(await lint(text)).toEqual([]);
    expect((await lint(broken())).length).toBeGreaterThan(0);
  });
});
