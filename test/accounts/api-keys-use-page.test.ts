import request from "supertest";
import { describe, expect, it } from "vitest";
import { createKey } from "../../src/accounts/keys/queries.ts";
import { findKeyUses } from "../../src/accounts/keys/use-queries.ts";
import { useTestApp } from "../helpers/app.ts";

const site = useTestApp({ limits: { key: 4, address: 0, session: 0, pages: 0, windowS: 60 } });

async function newKey(name = "my bot") {
  const owner = await site.logIn();
  const key = String(await createKey(site.db, owner.id, { name, expiry: "never" }));
  const ask = (path: string) => request(site.app).get(path).set("X-API-Key", key);
  const use = async () => {
    await site.keys.writeUses();
    return [...(await findKeyUses(site.db, owner.id)).values()][0];
  };
  const show = async () => (await owner.agent.get("/profile/keys").expect(200)).text;
  return { ...owner, key, ask, use, show };
}

describe("the use of a key, day by day", () => {
  it("is 30 days with what was answered and what was refused", async () => {
    const { ask, use } = await newKey();
    for (const status of [200, 200, 200, 200, 429, 429]) await ask("/api/online").expect(status);
    const days = (await use())?.days ?? [];
    expect(days).toHaveLength(30);
    expect(days.at(-1)).toEqual({ requests: 4, refused: 2 });
    expect(days.slice(0, -1).every(({ requests, refused }) => requests + refused === 0)).toBe(true);
  });
});

describe("the last errors of a key", () => {
  it("have time, path, status and reason, and nothing of the query", async () => {
    const { ask, key, use } = await newKey();
    const before = Date.now();
    await request(site.app)
      .get(`/api/items/search?q=${"x".repeat(300)}&api_key=${key}`)
      .expect(400);
    await ask("/api/nothing?secret=1").expect(404);
    await ask("/api/online").expect(200);
    const { errors = [] } = (await use()) ?? {};
    expect(errors).toEqual([
      {
        at: expect.any(Date),
        method: "GET",
        path: "/api/nothing",
        status: 404,
        problem: "not-found",
        params: [],
      },
      {
        at: expect.any(Date),
        method: "GET",
        path: "/api/items/search",
        status: 400,
        problem: "bad-input",
        params: ["q"],
      },
    ]);
    for (const { at } of errors) expect(Math.abs(Number(at) - before)).toBeLessThan(60_000);
    expect(JSON.stringify(errors)).not.toContain(key);
  });
});

describe("the page of keys", () => {
  it("shows each key's use to its owner, and to nobody else", async () => {
    const { ask, use, show } = await newKey("the <b>bot</b>");
    expect(await show()).not.toContain("Usage in the last 30 days");
    for (const [path, status] of [
      ["/api/online", 200],
      ["/api/none/%3Cscript%3E?q=zzsecret", 404],
    ] as const)
      await ask(path).expect(status);
    await use();
    const text = await show();
    expect(text).toContain("Usage in the last 30 days");
    expect(text).toContain("the &lt;b&gt;bot&lt;/b&gt;");
    expect(text).toContain("2 calls.");
    expect(text).toMatch(/<svg class="key-use" [^>]*aria-label="Calls per day; 2 on the busiest day">/);
    expect(text.match(/<rect class="key-answered"/g)).toHaveLength(1);
    expect(text).toContain("<code>GET /api/none/%3Cscript%3E</code>");
    expect(text).toContain('<a href="/docs/errors#not-found">Not found</a>');
    expect(text).not.toContain("zzsecret");
    expect(await (await newKey()).show()).not.toContain("2 calls.");
  });

  it("is made of what was gathered: no call with a key writes to the database", async () => {
    const { ask } = await newKey();
    const statements: string[] = [];
    const note = ({ sql }: { sql: string }) => statements.push(sql);
    site.db.on("query", note);
    await ask("/api/online").expect(200);
    await ask("/api/none").expect(404);
    site.db.off("query", note);
    expect(statements.filter((sql) => /\b(insert into|update|delete from)\s/i.test(sql))).toEqual([]);
  });
});
