import { createConfig, lintFromString } from "@redocly/openapi-core";
import spectral from "@stoplight/spectral-core";
import rulesets from "@stoplight/spectral-rulesets";
import request from "supertest";
import { beforeAll, describe, expect, it } from "vitest";
import { loadDemo } from "../src/demo/load.ts";
import { useTestApp } from "./helpers/app.ts";

const site = useTestApp();
let text: string;

beforeAll(async () => {
  // Whose examples are linted as well.
  await site.db.transaction(async (transaction) => void (await loadDemo(transaction)));
  await site.search.refresh();
  await site.app.keepExamples();
  text = (await request(site.app).get("/api/openapi.json").expect(200)).text;
});

/** The document with one operation that breaks what both linters ask for. */
function broken(): string {
  const document = JSON.parse(text);
  document.paths["/api/online"].get.responses = {};
  delete document.paths["/api/data"].get.operationId;
  return JSON.stringify(document);
}

async function redocly(source: string): Promise<string[]> {
  const config = await createConfig({ extends: ["recommended"] });
  const problems = await lintFromString({ source, config, absoluteRef: "/openapi.json" });
  return problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`);
}

async function spectralOf(source: string): Promise<string[]> {
  const linter = new spectral.Spectral();
  // Its type asks for a ruleset that extends another one.
  linter.setRuleset({ extends: [rulesets.oas] } as Parameters<typeof linter.setRuleset>[0]);
  const problems = await linter.run(JSON.parse(source));
  return problems.map(({ code, message, path }) => `${code}: ${message} ${path.join("/")}`);
}

describe("the OpenAPI document", () => {
  it.each([
    ["Redocly", redocly],
    ["Spectral", spectralOf],
  ])("has nothing that %s complains of, not even as a warning", async (_name, lint) => {
    expect(text).toContain('"examples":{"answer"');
    expect(await lint(text)).toEqual([]);
    expect((await lint(broken())).length).toBeGreaterThan(0);
  });
});
