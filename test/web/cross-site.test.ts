import request from "supertest";
import { beforeAll, describe, expect, it } from "vitest";
import { type Agent, useTestApp } from "../helpers/app.ts";
import { sendRaw } from "../helpers/raw-http.ts";

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
