import request from "supertest";
import { beforeAll, describe, expect, it } from "vitest";
import { useTestApp } from "../helpers/app.ts";
import { addServer } from "../helpers/servers.ts";

const site = useTestApp();

beforeAll(() => addServer(site.db, { id: "a" }));

const OPEN = [
  "/api/search?q=a",
  "/items.rss",
  "/ru/items.rss",
  "/discounts.rss",
  "/items.csv",
  "/servers/a/history.csv",
];

describe("OPTIONS of somebody who asks what may be done with a path", () => {
  it.each([
    ["/api/items", "GET, HEAD, POST, OPTIONS"],
    ["/api/items/any", "GET, HEAD, PUT, PATCH, DELETE, OPTIONS"],
    ["/api/search", "GET, HEAD, OPTIONS"],
    ["/api/openapi.json", "GET, HEAD, OPTIONS"],
    ["/api/servers/any/measurements", "POST, OPTIONS"],
  ])("%s: %s", async (path, allowed) => {
    const { headers } = await request(site.app).options(path).expect(204);
    expect(headers.allow).toBe(allowed);
  });

  it("is 404 for an unknown path", async () => {
    await request(site.app).options("/api/nothing").expect(404);
  });
});

describe("a page of another site", () => {
  it.each(OPEN)("may read %s", async (path) => {
    const { headers } = await request(site.app).get(path).set("Origin", "https://example.org").expect(200);
    expect(headers["access-control-allow-origin"]).toBe("*");
    expect(headers["access-control-allow-credentials"]).toBeUndefined();
    expect(headers["access-control-expose-headers"]).toContain("ETag");
  });

  it.each(OPEN)("may send %s headers that programs set by themselves", async (path) => {
    const asked = ["content-type", "cache-control", "x-api-key", "if-none-match"];
    const { headers } = await request(site.app)
      .options(path)
      .set({ Origin: "https://example.org", "Access-Control-Request-Method": "GET" })
      .set("Access-Control-Request-Headers", asked.join())
      .expect(204);
    const allowed = String(headers["access-control-allow-headers"]).toLowerCase().split(", ");
    expect(allowed).toEqual(expect.arrayContaining(asked));
    expect(headers["access-control-allow-methods"]).toContain("GET");
  });

  it.each(["/session", "/", "/items", "/favorites", "/api/favorites/toggle"])(
    "may not read %s, which may be somebody's",
    async (path) => {
      for (const method of ["get", "options"] as const) {
        const { headers } = await request(site.app)[method](path).set("Origin", "https://example.org");
        expect(headers["access-control-allow-origin"]).toBeUndefined();
      }
    },
  );
});
