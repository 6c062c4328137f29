import request from "supertest";
import { describe, expect, it } from "vitest";
import { PROBLEMS } from "../../src/web/pages/errors.ts";
import { paths } from "../../src/words/urls.ts";
import { useAwayApp, useTestApp } from "../helpers/app.ts";
import { attributes } from "../helpers/html.ts";

const site = useTestApp();

/** One of each kind of answer: page, error page, redirect, JSON, problem, feed, file, preflight. */
const ANSWERS: ["get" | "post" | "options", string][] = [
  ["get", "/"],
  ["get", "/nothing"],
  ["get", "/profile"],
  ["post", "/items"],
  ["get", "/api/search?q=a"],
  ["get", "/api/data"],
  ["options", "/api/data"],
  ["get", "/items.rss"],
  ["post", "/items.rss"],
  ["get", "/assets/img/logo.svg"],
  ["get", "/healthz"],
  ["get", "/readyz"],
  ["get", "/session"],
];

describe("every answer", () => {
  it.each(ANSWERS)("%s %s has the headers that protect its reader", async (method, path) => {
    const { headers } = await request(site.app)[method](path);
    expect(headers["x-content-type-options"]).toBe("nosniff");
    expect(headers["referrer-policy"]).toBe("strict-origin-when-cross-origin");
    expect(headers["x-request-id"]).toMatch(/^[\w-]{36}$/);
    expect(headers["x-powered-by"]).toBeUndefined();
    const policy = String(headers["content-security-policy"]).split(";");
    expect(policy).toEqual(expect.arrayContaining(["script-src 'self'", "frame-ancestors 'none'"]));
    expect(headers["content-security-policy"]).not.toContain("unsafe");
  });
});

describe("the type of a problem", () => {
  it("resolves to its description", async () => {
    const { text } = await request(site.app).get(paths.errorDocs()).expect(200);
    const anchors = attributes(text, "id");
    for (const { slug } of Object.values(PROBLEMS)) expect(anchors).toContain(slug);
  });
});

describe("a page that needs a log-in", () => {
  it("redirects HEAD as it does GET", async () => {
    const byGet = await request(site.app).get("/notifications?show=unread&x=1").expect(303);
    const byHead = await request(site.app).head("/notifications?show=unread&x=1").expect(303);
    expect(byHead.headers.location).toBe("/login?next=%2Fnotifications%3Fshow%3Dunread");
    expect(byGet.headers.location).toBe(byHead.headers.location);
  });
});

describe("while the database is away", () => {
  const away = useAwayApp();

  it.each(["/readyz", "/api/search?q=a", "/items.rss", "/sitemap.xml", "/items"])(
    "%s says when to come back and nothing of the inside",
    async (path) => {
      const { headers, text } = await request(away.app).get(path).expect(503);
      expect(headers["retry-after"]).toMatch(/^[1-9]\d*$/);
      expect(text).not.toMatch(/ECONN|127\.0\.0\.1|postgres|select|at async/i);
    },
  );

  it("problems carry the request's id", async () => {
    const { body, headers } = await request(away.app).get("/api/search?q=a").expect(503);
    expect(body.request_id).toBe(headers["x-request-id"]);
  });
});
