import fc from "fast-check";
import request, { type Response } from "supertest";
import { beforeAll, describe, expect, it } from "vitest";
import { safeReturnPath, withoutKey } from "../../src/words/safe-urls.ts";
import { paths, withQuery } from "../../src/words/urls.ts";
import { type Agent, useTestApp } from "../helpers/app.ts";
import { createDemoDatabase } from "../helpers/database.ts";
import { PAGE_TYPES, type Reader } from "../helpers/page-types.ts";

const site = useTestApp({}, undefined, createDemoDatabase);
const SECRET = "alm_SECRETsecretSECRETsecretSECRETsecret";
/** The name as it is read, percent-encoded, in other letters, and twice. */
const SPELLINGS = [
  `api_key=${SECRET}`,
  `%61pi%5Fkey=${SECRET}`,
  `API_KEY=${SECRET}`,
  `api_key=&api_key=${SECRET}`,
];

let agents: Record<Reader, Agent>;

beforeAll(async () => {
  const operator = await site.createUser({ role: "operator" });
  agents = {
    visitor: site.agent(),
    user: (await site.logIn()).agent,
    operator: (await site.logIn(operator)).agent,
  };
});

/** Variants without parameters write no other addresses than the type before them. */
const TYPES = PAGE_TYPES.filter(({ isVariant, path }) => !isVariant || path.includes("?"));

const ask = (path: string, reader: Reader = "visitor") => agents[reader].get(path).redirects(0);

/** In no header and nowhere in the body, nor as any part of the site would write it there. */
function expectUntold({ headers, text }: Response): void {
  expect(JSON.stringify(headers)).not.toContain(SECRET);
  expect(text ?? "").not.toContain(SECRET);
}

function withKey(path: string, key: string): string {
  return `${path}${path.includes("?") ? "&" : "?"}${key}`;
}

describe("a token in the address of a page", () => {
  it.each([paths.newPassword(SECRET), paths.confirmEmail(SECRET), paths.unsubscribe(SECRET)])(
    "is not in an error page, which is not stored: %s",
    async (path) => {
      for (const prefix of ["", "/ru"]) {
        const answer = await agents.visitor.put(prefix + path).expect(405);
        expectUntold(answer);
        expect(answer.headers["cache-control"]).toBe("no-store");
      }
    },
  );
});

describe("a key in the address of a page", () => {
  it.each(TYPES)("is nowhere in the answer: $name", async ({ path, reader, status }) => {
    // All spellings in one address: what a page writes of it, it writes of all its parameters.
    const answer = await ask(withKey(path, SPELLINGS.join("&")), reader);
    expect(answer.status, path).toBe(status);
    expectUntold(answer);
  });

  it.each(SPELLINGS)("is in no redirect: %s", async (key) => {
    expectUntold(await ask(withKey("/RU/items", key)).expect(308));
    expectUntold(await ask(withKey("/profile", key)).expect(303));
    expectUntold(await ask(withKey("/ru/favorites?page=2", key)).expect(303));
    const next = withKey("/profile", key);
    expectUntold(await ask(withQuery("/login", { next }), "user").expect(303));
    expectUntold(await ask(withQuery("/login", { next }), "visitor").expect(200));
  });

  it.each(SPELLINGS)("is not what a form leads back to: %s", async (key) => {
    const from = `http://almanac.test${withKey("/servers?q=one", key)}`;
    const toggle = (agent: Agent) =>
      agent.post(paths.toggleServerFavorite()).type("form").set({ Referer: from, Accept: "text/html" });
    const added = await toggle(agents.user).send({ server_id: "ls-one" }).expect(303);
    expect(added.headers.location).toBe("/servers?q=one");
    expectUntold(await toggle(agents.user).send({ server_id: "none" }).expect(303));
    expectUntold(await toggle(agents.visitor).send({ server_id: "ls-one" }).expect(303));
    const { name, password } = await site.createUser();
    const form = { name, password, next: withKey("/items", key) };
    await site.post("/login", form).expect(303).expect("Location", "/items");
    expectUntold(await site.post("/login", { ...form, password: "wrong password" }));
  });

  it.each([paths.feed("items"), paths.discountsFeed(), paths.sitemap(), paths.robots(), paths.manifest()])(
    "is not in %s",
    async (path) => {
      expectUntold(await ask(withKey(path, SPELLINGS.join("&"))).expect(200));
    },
  );

  it("is in no answer of the API, not even where it is refused", async () => {
    for (const path of [paths.searchApi(), "/api/online", "/api/nowhere", paths.toggleServerFavorite()]) {
      expectUntold(await request(site.app).get(withKey(path, SPELLINGS[0] ?? "")));
      expectUntold(await site.post(withKey(path, SPELLINGS[0] ?? "")));
    }
  });
});

describe("withoutKey", () => {
  it.each([
    ["/items?api_key=a", "/items"],
    ["/items?q=1&api_key=a&page=2", "/items?q=1&page=2"],
    ["/items?q=%ff&%61PI_key=a", "/items?q=%ff"],
    ["/items?%61%70%69%5f%6b%65%79=a", "/items"],
    ["/login?next=%2Fitems%3Fapi_%256bey%3Da", "/login?next=%2Fitems"],
    ["/items?q=api_key&a.api_key_x=1", "/items?q=api_key&a.api_key_x=1"],
    ["/items?q=why%3f+not", "/items?q=why%3f+not"],
    ["/items?", "/items?"],
  ])("makes %s %s", (address, bare) => {
    expect(withoutKey(address)).toBe(bare);
  });

  it("leaves every other parameter as it is, and never leaves a key, however deep", () => {
    const name = fc.stringMatching(/^[a-z.]{1,6}$/);
    const depth = fc.integer({ min: 0, max: 4 });
    fc.assert(
      fc.property(name, fc.string(), depth, (name, value, depth) => {
        const clean = withQuery("/items", { [name]: value.replaceAll("?", "") });
        expect(withoutKey(clean)).toBe(clean);
        let address = withKey("/items", `api_key=${SECRET}`);
        for (let times = 0; times < depth; times += 1) address = withQuery("/login", { next: address });
        expect(withoutKey(address)).not.toContain(SECRET);
      }),
    );
  });

  it("is what a form's way back goes through", () => {
    expect(safeReturnPath(`/items?api_key=${SECRET}&q=1#top`)).toBe("/items?q=1#top");
  });
});
