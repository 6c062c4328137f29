import request from "supertest";
import { describe, expect, it } from "vitest";
import { endpoints } from "../src/app.ts";
import { parameterText, schemaText } from "../src/docs/schema-text.ts";
import { PROBLEMS } from "../src/http/errors.ts";
import { useTestApp } from "./helpers/app.ts";
import { attributes, elements, textOf } from "./helpers/html.ts";

const site = useTestApp();

/** The text of one endpoint's section of /docs/api. */
async function endpointText(id: string): Promise<string> {
  const { text } = await request(site.app).get("/docs/api").expect(200);
  return textOf(elements(text, "section").find((section) => section.includes(`id="${id}"`)) ?? "");
}

describe("/docs/api", () => {
  it("has a section for every endpoint, linked from the contents", async () => {
    const { text } = await request(site.app).get("/docs/api");
    const headings = elements(text, "h2").map(textOf);
    const hrefs = attributes(text, "href");
    for (const { method, path, operationId } of endpoints) {
      expect(headings).toContain(`${method} ${path}`);
      expect(hrefs).toContain(`#${operationId}`);
    }
  });

  it("tells of each parameter its type, bounds, default and meaning", async () => {
    const search = await endpointText("search");
    expect(search).toContain("q text, at most 200 characters required What to look for");
    expect(search).toContain("limit whole number, 1 to 50 10 How many of each kind.");
    const nicknames = await endpointText("generateNicknames");
    expect(nicknames).toContain("mode real, mixed, invented real");
    expect(nicknames).toContain("max_len whole number, 3 to 24 –");
  });

  it("says who may ask, in words", async () => {
    expect(await endpointText("search")).toContain("Open to anybody.");
    expect(await endpointText("searchItems")).toContain("Needs an API key, or any session");
    expect(await endpointText("toggleEntityFavorite")).toContain("Needs the session of a logged-in user");
  });

  it("has an example for each that can be pasted", async () => {
    expect(await endpointText("search")).toContain("curl 'http://almanac.test/api/search?q=infernus'");
    expect(await endpointText("searchItems")).toContain(
      "curl -H 'X-API-Key: YOUR_KEY' 'http://almanac.test/",
    );
    expect(await endpointText("toggleEntityFavorite")).toContain(`-d '{"kind":"item","entity_id":"411"}'`);
  });

  it("shows the answers and the types that they name", async () => {
    expect(await endpointText("search")).toContain("items: Hit[]");
    expect(await endpointText("listOnline")).toContain("No parameters.");
    const { text } = await request(site.app).get("/docs/api");
    expect(text).toContain('id="type-Hit"');
    expect(textOf(text)).toContain('match: "exact" | "prefix"');
  });
});

describe("/docs/errors", () => {
  it("has an anchor for each problem, where its type leads", async () => {
    const { text } = await request(site.app).get("/docs/errors").expect(200);
    for (const { slug, title, status } of Object.values(PROBLEMS)) {
      expect(text).toContain(`id="${slug}"`);
      expect(textOf(text)).toContain(`${status} ${title}`);
    }
    const { body } = await request(site.app).get("/api/nothing").expect(404);
    const [, anchor] = String(body.type).split("http://almanac.test/docs/errors#");
    expect(attributes(text, "id")).toContain(anchor);
  });
});

describe("a schema in the notation of TypeScript", () => {
  it.each([
    [{ type: "string" }, "string"],
    [{ type: "array", items: { type: "integer" } }, "integer[]"],
    [{ anyOf: [{ type: "string" }, { type: "null" }] }, "string | null"],
    [{ type: "array", items: { anyOf: [{ type: "integer" }, { type: "null" }] } }, "(integer | null)[]"],
    [{ type: ["integer", "null"] }, "integer | null"],
    [{ enum: ["a", "b"] }, '"a" | "b"'],
    [{ const: true }, "true"],
    [{ $ref: "#/components/schemas/Hit" }, "Hit"],
    [{ type: "object", additionalProperties: { type: "string" } }, "{ [name: string]: string }"],
    [{}, "unknown"],
  ])("%j", (schema, text) => {
    expect(schemaText(schema as never)).toBe(text);
  });

  it("marks what may be missing, and carries remarks", () => {
    const properties = {
      a: { type: "string", format: "uri" },
      b: { type: "integer", description: "How many" },
    };
    expect(schemaText({ type: "object", properties, required: ["a"] } as never)).toBe(
      "{\n  a: string  // uri\n  b?: integer  // How many\n}",
    );
  });

  it.each([
    [{ type: "integer", minimum: 1, maximum: 50 }, "whole number, 1 to 50"],
    [{ type: "string", maxLength: 200 }, "text, at most 200 characters"],
    [{ type: "string", minLength: 1, maxLength: 64 }, "text, 1 to 64 characters"],
    [{ type: "string" }, "text"],
    [{ enum: ["x", "y"] }, "x, y"],
  ])("a parameter: %j", (schema, text) => {
    expect(parameterText(schema as never)).toBe(text);
  });
});
