import request from "supertest";
import { beforeAll, describe, expect, it } from "vitest";
import { generateKey } from "../../src/accounts/keys/keys.ts";
import { createKey } from "../../src/accounts/keys/queries.ts";
import type { Endpoint, Method } from "../../src/web/api/endpoint.ts";
import type { Access } from "../../src/web/session/auth.ts";
import { BUILT_IN_KINDS } from "../../src/words/kinds/kinds.ts";
import { isScope, OWNER_SCOPES } from "../../src/words/scopes.ts";
import { paths } from "../../src/words/urls.ts";
import { type Agent, useTestApp } from "../helpers/app.ts";
import { declaredEndpoints } from "../helpers/declared-endpoints.ts";
import { addDiscount, addItem } from "../helpers/donate.ts";
import { addServer } from "../helpers/servers.ts";

/** Two of the many kinds that write. */
const WRITTEN = ["items", "servers"];
const endpoints = declaredEndpoints().filter(
  ({ type, ofKind }) => type !== "own" || ofKind === undefined || WRITTEN.includes(ofKind),
);

const site = useTestApp();

interface Credentials {
  agent?: Agent;
  header?: string;
  query?: string;
}

/** The record for those paths that contain an id. */
const ITEM_ID = "ak-47";

let key = "";
let revoked = "";
let expired = "";
let anonymous: Agent;
let loggedIn: { id: number; agent: Agent };

beforeAll(async () => {
  const owner = await site.createUser();
  const makeKey = async () => String(await createKey(site.db, owner.id, { name: "access", expiry: "never" }));
  revoked = await makeKey();
  await site.db("api_keys").update({ revoked_at: site.db.fn.now() });
  expired = await makeKey();
  await site.db("api_keys").whereNull("revoked_at").update({ expires_at: site.db.fn.now() });
  key = await makeKey();
  for (const kind of BUILT_IN_KINDS) await site.db(kind).insert({ id: ITEM_ID, name: ITEM_ID });
  await addServer(site.db, { id: ITEM_ID });
  await addItem(site.db, { id: ITEM_ID });
  await addDiscount(site.db, { id: ITEM_ID, item_key: ITEM_ID, percent: 10 });
  anonymous = site.agent();
  await anonymous.get("/session").expect(200);
  loggedIn = await site.logIn();
});

/** Each set of credentials, with the levels that it opens. `wrong` opens nothing, `none` included. */
const CASES: [string, () => Credentials, Access[]][] = [
  ["nothing", () => ({}), ["none"]],
  ["an anonymous session", () => ({ agent: anonymous }), ["none", "session-or-key"]],
  [
    "a logged-in session",
    () => ({ agent: loggedIn.agent }),
    ["none", "session-or-key", "login", ...OWNER_SCOPES],
  ],
  ["a key in the header", () => ({ header: key }), ["none", "session-or-key"]],
  ["a key in the query", () => ({ query: `api_key=${key}` }), ["none", "session-or-key"]],
  [
    "a key and a session",
    () => ({ header: key, agent: loggedIn.agent }),
    ["none", "session-or-key", "login"],
  ],
  ["a key and an anonymous session", () => ({ header: key, agent: anonymous }), ["none", "session-or-key"]],
  [
    "a header key beside a wrong one in the query",
    () => ({ header: key, query: "api_key=x" }),
    ["none", "session-or-key"],
  ],
  ["an unknown key", () => ({ header: generateKey() }), []],
  ["a revoked key", () => ({ header: revoked }), []],
  ["a revoked key in the query", () => ({ query: `api_key=${revoked}` }), []],
  ["an expired key", () => ({ header: expired }), []],
  ["a key with one letter changed", () => ({ header: `${key.slice(0, -1)}-` }), []],
  ["a text that is no key", () => ({ header: "'; drop table users; --" }), []],
  ["an empty header", () => ({ header: "" }), []],
  ["an empty header beside a live key in the query", () => ({ header: "", query: `api_key=${key}` }), []],
  ["an empty key in the query", () => ({ query: "api_key=" }), []],
  ["two keys in the query", () => ({ query: `api_key=${key}&api_key=${key}` }), []],
  ["a wrong key beside a live session", () => ({ header: revoked, agent: loggedIn.agent }), []],
  ["a wrong query key beside a live session", () => ({ query: "api_key=x", agent: loggedIn.agent }), []],
];

/** A request that, let in, is answered with 200 by a GET and with 400 by a toggle, which gets no parameters. */
function ask(method: Method, path: string, { agent, header, query }: Credentials): request.Test {
  const url = `${path.replace("{id}", ITEM_ID)}?q=a&kind=item&id=${ITEM_ID}&since=0${query === undefined ? "" : `&${query}`}`;
  const client = agent ?? request(site.app);
  const test = client[method.toLowerCase() as Lowercase<Method>](url);
  return header === undefined ? test : test.set("X-API-Key", header);
}

const letIn = ({ method }: Endpoint) => (method === "POST" ? 400 : 200);

/** The credentials that each endpoint is called with. The first endpoint of each access gets all of them. */
const EVERYWHERE = ["nothing", "an anonymous session", "a logged-in session", "a key in the header"];
const firsts = new Set(endpoints.map(({ access }) => endpoints.find((each) => each.access === access)));

describe.each(
  endpoints.map((declared) => ({ ...declared, status: letIn(declared), isFirst: firsts.has(declared) })),
)("$method $path, which asks for: $access", ({ method, path, access, status, isFirst }) => {
  const cases = CASES.filter(([name]) => isFirst || EVERYWHERE.includes(name));
  it.each(cases)("with %s", async (_name, credentials, levels) => {
    const answer = await ask(method, path, credentials());
    const isLetIn = levels.includes(access);
    const { header, query } = credentials();
    const hasKey = header !== undefined || query !== undefined;
    // A live key is known, but may not.
    const isKnown = isScope(access) && hasKey && levels.length > 0;
    expect(answer.status).toBe(isLetIn ? status : isKnown ? 403 : 401);
    if (isLetIn) return;
    expect(answer.type).toBe("application/problem+json");
    if (!isKnown) {
      expect(answer.headers["www-authenticate"]).toBe('ApiKey realm="api"');
      expect(answer.body).toMatchObject({
        status: 401,
        type: "http://almanac.test/docs/errors#unauthorized",
      });
    }
    expect(answer.headers["cache-control"]).toBe("no-store");
    expect(answer.text).not.toContain(key);
  });
});

const PATHS = [...declaredEndpoints().map(({ path }) => path), paths.openapi(), "/api/nothing", "/api"];

describe("keys under /api", () => {
  it.each(PATHS)("are checked at %s: a wrong one returns 401", async (path) => {
    const { body, headers } = await request(site.app).get(`${path}?api_key=wrong`).expect(401);
    expect(headers["www-authenticate"]).toBe('ApiKey realm="api"');
    expect(headers["cache-control"]).toBe("no-store");
    expect(body).toMatchObject({ status: 401, type: "http://almanac.test/docs/errors#unauthorized" });
  });

  it.each([paths.openapi(), "/api/online", "/api/nothing"])(
    "are found at %s however the parameter is written, and only one of them",
    async (path) => {
      const ask = (query: string) => request(site.app).get(`${path}?${query}`);
      const blank = ["api_key=", "api_key", "api_key=%00", "api%5Fkey=wrong"];
      const wrong = [...blank, `${"x&".repeat(2000)}api_key=wrong`, `api_key=${key}&api_key=${key}`];
      for (const query of wrong) await ask(query).expect(401);
      await ask(`api_key=${key}`).set("X-API-Key", "").expect(401);
      await ask("").set("X-API-Key", "wrong").expect(401);
      const found = path === "/api/nothing" ? 404 : 200;
      await ask(`api%5Fkey=${key}`).expect(found);
      await ask("").set("X-API-Key", key).expect(found);
    },
  );

  it("make answers private that are public without one", async () => {
    for (const path of [paths.openapi(), `${paths.searchApi()}?q=a`, "/api/nickname-generator?seed=1"]) {
      const answer = await request(site.app).get(path).set("X-API-Key", key).expect(200);
      expect(answer.headers["cache-control"]).toBe("private, no-cache");
      const open = await request(site.app).get(path).expect(200);
      expect(open.headers["cache-control"]).toBe("public, no-cache");
    }
    const own = await request(site.app).get("/api/online").set("X-API-Key", key).expect(200);
    expect(own.headers["cache-control"]).toBe("private, no-cache");
  });

  it("are of no concern to pages and feeds", async () => {
    for (const path of ["/", "/items.rss", "/discounts.rss", "/sitemap.xml", "/login"]) {
      await request(site.app).get(`${path}?api_key=wrong`).set("X-API-Key", "wrong").expect(200);
    }
  });

  it("are named by Vary, as the cookie is where a session will do", async () => {
    const varyOf = async (path: string) =>
      (await request(site.app).get(path).set("X-API-Key", key).expect(200)).headers.vary;
    expect(await varyOf("/api/online")).toBe("Accept-Encoding, X-API-Key, Cookie");
    expect(await varyOf("/api/search?q=a")).toBe("Accept-Encoding, X-API-Key");
    // The third time from memory.
    for (const _ of [1, 2, 3]) {
      const { headers } = await request(site.app).get("/api/search?q=a").expect(200);
      expect(headers.vary).toBe("Accept-Encoding, X-API-Key");
    }
  });

  it("need no session and make none", async () => {
    const before = await site.db("sessions").count();
    const answer = await request(site.app).get("/api/online").set("X-API-Key", key).expect(200);
    expect(answer.headers["set-cookie"]).toBeUndefined();
    expect(await site.db("sessions").count()).toEqual(before);
  });

  it("are ignored by the toggles: the session decides whose favorite it is", async () => {
    await addServer(site.db, { id: "whose" });
    const form = { server_id: "whose" };
    await request(site.app).post("/api/favorites/toggle").set("X-API-Key", key).send(form).expect(401);
    await loggedIn.agent.post("/api/favorites/toggle").set("X-API-Key", key).send(form).expect(200);
    expect(await site.db("server_favorites").pluck("user_id")).toEqual([loggedIn.id]);
  });
});
