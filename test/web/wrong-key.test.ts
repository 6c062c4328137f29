import request from "supertest";
import { beforeAll, describe, expect, it } from "vitest";
import { createKey } from "../../src/accounts/keys/queries.ts";
import { paths } from "../../src/words/urls.ts";
import { useTestApp } from "../helpers/app.ts";
import { declaredEndpoints } from "../helpers/declared-endpoints.ts";

const endpoints = declaredEndpoints();

const site = useTestApp();

const PATHS = [...endpoints.map(({ path }) => path), paths.openapi(), "/api/nothing", "/api"];

let key = "";

beforeAll(async () => {
  const owner = await site.createUser();
  key = String(await createKey(site.db, owner.id, { name: "test", expiry: "never" }));
});

it.each(PATHS)("a wrong key at %s is 401", async (path) => {
  const { body, headers } = await request(site.app).get(`${path}?api_key=wrong`).expect(401);
  expect(headers["www-authenticate"]).toBe('ApiKey realm="api"');
  expect(headers["cache-control"]).toBe("no-store");
  expect(body).toMatchObject({ status: 401, type: "http://almanac.test/docs/errors#unauthorized" });
});

/** One that anybody may ask, one that needs a key or a session, and none. */
describe.each([paths.openapi(), "/api/online", "/api/nothing"])("a wrong key at %s", (path) => {
  it.each(["api_key=", "api_key", "api_key=%00", `${"x&".repeat(2000)}api_key=wrong`])(
    "is 401 however it is written: %s",
    async (query) => {
      await request(site.app).get(`${path}?${query}`).expect(401);
    },
  );

  it("is 401 where the header is empty and the query's key is live, or a live key is given twice", async () => {
    await request(site.app).get(`${path}?api_key=${key}`).set("X-API-Key", "").expect(401);
    await request(site.app).get(`${path}?api_key=${key}&api_key=${key}`).expect(401);
  });
});

describe("an answer to a live key", () => {
  it("is private, also where anybody may ask", async () => {
    for (const path of [paths.openapi(), `${paths.searchApi()}?q=a`, "/api/nickname-generator?seed=1"]) {
      const answer = await request(site.app).get(path).set("X-API-Key", key).expect(200);
      expect(answer.headers["cache-control"]).toBe("private, no-cache");
      const open = await request(site.app).get(path).expect(200);
      expect(open.headers["cache-control"]).toBe("public, no-cache");
    }
  });
});

describe("outside of /api", () => {
  it.each([paths.feed("items"), paths.discountsFeed(), paths.sitemap(), paths.robots(), paths.home()])(
    "%s does not look at keys",
    async (path) => {
      await request(site.app).get(`${path}?api_key=wrong`).set("X-API-Key", "wrong").expect(200);
    },
  );
});
