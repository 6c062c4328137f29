import request from "supertest";
import { beforeAll, describe, expect, it } from "vitest";
import { type Agent, useTestApp } from "../helpers/app.ts";
import { sendRaw } from "../helpers/raw-http.ts";
import { routesOf } from "../helpers/routes.ts";
import { addServer } from "../helpers/servers.ts";

const site = useTestApp();

/** An endpoint and a form, with the status of a write without any parameter. */
const WRITES: [string, number][] = [
  ["/api/favorites/toggle", 400],
  ["/profile/locale", 303],
];

let agent: Agent;
beforeAll(async () => {
  ({ agent } = await site.logIn());
});

describe.each(WRITES)("a write to %s", (path, own) => {
  it.each([
    { "Sec-Fetch-Site": "cross-site" },
    { "Sec-Fetch-Site": "same-site" },
    { "Sec-Fetch-Site": "" },
    { "Sec-Fetch-Site": "cross-site", Origin: "http://almanac.test" },
    { Origin: "https://evil.example" },
    { Origin: "http://almanac.test.evil.example" },
    { Origin: "ftp://almanac.test" },
    { Origin: "ftp://second-name.test", Host: "second-name.test" },
    { Origin: "null" },
    { Origin: "not an origin" },
  ])("is refused for a page of another site: %j", async (headers) => {
    await agent.post(path).set(headers).expect(403);
  });

  it.each([
    { "Sec-Fetch-Site": "same-origin", Origin: "https://name-of-the-proxy.example" },
    { "Sec-Fetch-Site": "none" },
    { Origin: "http://almanac.test" },
    { Origin: "http://second-name.test", Host: "second-name.test" },
    { Origin: "https://second-name.test", Host: "second-name.test" },
    {},
  ])("is accepted from the site's own pages: %j", async (headers) => {
    await agent.post(path).set(headers).expect(own);
  });
});

it("refuses a page of another site at every route but the unsubscribe link of a mail", async () => {
  const { agent: operator } = await site.logIn(await site.createUser({ role: "operator" }));
  for (const [path, methods] of routesOf(site.app.express)) {
    if (!methods.has("post") || path === "/unsubscribe/:token") continue;
    const { status } = await operator.post(path).set("Sec-Fetch-Site", "cross-site");
    expect([path, status]).toEqual([path, 403]);
  }
});

it.each(["/confirm-email/", "/login/new-password/", "/ru/confirm-email/"])(
  "refuses a form of another site to the mailed link %s without repeating its token",
  async (path) => {
    const token = "t".repeat(43);
    const sent = request(site.app).post(`${path}${token}`).set("Sec-Fetch-Site", "cross-site");
    const page = await sent.expect(403);
    expect(page.text).not.toContain(token);
    expect(page.headers).toMatchObject({ "cache-control": "no-store", "referrer-policy": "strict-origin" });
  },
);

describe("a site at an https address", () => {
  const secure = useTestApp({ baseUrl: "https://almanac.test" });
  const post = (origin: string, host: string) =>
    request(secure.app).post("/api/favorites/toggle").set({ Origin: origin, Host: host });

  it("takes writes from pages by https only, under whatever name", async () => {
    for (const host of ["almanac.test", "second-name.test"]) {
      await post(`https://${host}`, host).expect(401);
      await post(`http://${host}`, host).expect(403);
    }
  });
});

describe("a write without a Host", () => {
  it("is not taken for one of the site because its Origin has no host either", async () => {
    const { status } = await sendRaw(site.app, ["POST /login HTTP/1.0", "Origin: null"]);
    expect(status).toBe(403);
  });
});

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
