import express from "express";
import request from "supertest";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { endpoint } from "../../src/web/api/endpoint.ts";
import { endpointRouter } from "../../src/web/api/endpoint-router.ts";
import { openapiDocument } from "../../src/web/api/openapi.ts";

const baseUrl = "http://almanac.test";
const since = new Date("2026-09-01T00:00:00Z");
const sunset = new Date("2027-03-01T00:00:00Z");

const declared = endpoint({
  method: "GET",
  path: "/api/online",
  operationId: "listOnline",
  access: "none",
  input: z.object({}),
  output: z.object({ a: z.literal(1) }),
  deprecated: { since, sunset },
  handle: async () => ({ a: 1 as const }),
});

/** A site with that endpoint alone. */
function appWith(one: typeof declared) {
  const app = express();
  app.use((req, _res, next) => {
    req.caller = { key: undefined, sessionUserId: undefined, anonymousSession: false };
    next();
  });
  const shared = { baseUrl, db: undefined, search: undefined } as never;
  app.use(
    "/api",
    endpointRouter([one], shared, (_req, _res, next) => next()),
  );
  return app;
}

describe("an operation that will be gone", () => {
  it("says so in every answer, as RFC 9745 and RFC 8594 have it", async () => {
    const { headers } = await request(appWith(declared)).get("/api/online").expect(200);
    expect(headers.deprecation).toBe("@1788220800");
    expect(headers.sunset).toBe("Mon, 01 Mar 2027 00:00:00 GMT");
    expect(headers.link).toBe(`<${baseUrl}/docs/api#versions>; rel="deprecation"`);
    const { deprecated: _, ...lasting } = declared;
    const other = await request(appWith(lasting)).get("/api/online").expect(200);
    expect(other.headers).not.toHaveProperty("deprecation");
  });

  it("is marked in the document, with these headers", () => {
    const site = { name: "Almanac", baseUrl, cookieName: "sid" };
    const document = openapiDocument([declared], site);
    const operation = document.paths?.["/api/online"]?.get;
    expect(operation?.deprecated).toBe(true);
    expect(operation?.responses?.["200"]).toMatchObject({
      headers: { Deprecation: expect.anything(), Sunset: expect.anything() },
    });
    expect(document.components?.headers).toHaveProperty("Sunset");
    expect(openapiDocument([], site).components?.headers).not.toHaveProperty("Sunset");
  });
});
