import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";
import fc from "fast-check";
import request from "supertest";
import { describe, expect, it } from "vitest";
import { generateKey, isWellFormedKey, KEY_PATTERN } from "../../src/accounts/keys/keys.ts";
import { createKey, listKeys, removeDeadKeys } from "../../src/accounts/keys/queries.ts";
import { type Agent, useTestApp } from "../helpers/app.ts";

const site = useTestApp();

function make(agent: Agent, form: Record<string, string> = {}) {
  return agent
    .post("/profile/keys")
    .type("form")
    .send({ name: "my bot", expiry: "never", ...form });
}

function keyIn(page: request.Response): string {
  return /id="new-key">(alm_[0-9A-Za-z]{36})</.exec(page.text)?.[1] ?? "";
}

function useKey(key: string) {
  return request(site.app).get("/api/online").set("X-API-Key", key);
}

describe("the form of a key", () => {
  it("is alm_, 30 random characters and their CRC-32 in base 62", () => {
    const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    const keys = Array.from({ length: 200 }, generateKey);
    for (const key of keys) {
      const [, random = "", sum = ""] = KEY_PATTERN.exec(key) ?? [];
      const value = [...sum].reduce((total, digit) => total * 62 + digits.indexOf(digit), 0);
      expect(value).toBe(crc32(random));
    }
    expect(new Set(keys).size).toBe(keys.length);
  });

  it("has a checksum that detects any other text", () => {
    const key = generateKey();
    expect(isWellFormedKey(key)).toBe(true);
    fc.assert(
      fc.property(fc.nat({ max: 39 }), fc.constantFrom("!", "x", "0", "é"), (place, character) => {
        const other = key.slice(0, place) + character + key.slice(place + 1);
        expect(isWellFormedKey(other)).toBe(other === key);
      }),
    );
    for (const other of ["", "alm_", `${key} `, `${key}\n`, key.toLowerCase(), key.slice(4)]) {
      expect(isWellFormedKey(other)).toBe(false);
    }
  });
});

describe("a key", () => {
  it("is shown once, on a page that no cache keeps, and stored as a hash only", async () => {
    const { id, agent } = await site.logIn();
    const page = await make(agent).expect(200);
    const key = keyIn(page);
    expect(isWellFormedKey(key)).toBe(true);
    expect(page.headers["cache-control"]).toBe("no-store");
    const row = await site.db("api_keys").where({ user_id: id }).first();
    expect(JSON.stringify(row)).not.toContain(key.slice(8));
    expect(row.prefix).toBe(key.slice(0, 8));
    for (const path of ["/profile", "/profile/keys"]) {
      const list = await agent.get(path).expect(200);
      expect(list.text).not.toContain(key);
      expect(list.text).toContain(`<code>${key.slice(0, 8)}…</code>`);
    }
  });

  it("has a name, which is text on every page", async () => {
    const { agent } = await site.logIn();
    const page = await make(agent, { name: " <script>alert(1)</script> " }).expect(200);
    expect(page.text).toContain("“&lt;script&gt;alert(1)&lt;/script&gt;”");
    expect((await agent.get("/profile")).text).not.toContain("<script>alert(1)");
  });

  it.each([
    [{ name: "" }, "Name is required."],
    [{ name: "x".repeat(61) }, "Name must be 1 to 60 characters long."],
    [{ expiry: "" }, "Expiry is required."],
    [{ expiry: "31" }, "Expiry must be one of 30, 90, 365, date, never."],
    [{ expiry: "date" }, "Last day must be today or later"],
    [{ expiry: "date", expires_on: "2020-01-01" }, "Last day must be today or later"],
    [{ expiry: "date", expires_on: "2031-06-31" }, "Last day must be today or later"],
  ])("is not made of %j", async (form, message) => {
    const { id, agent } = await site.logIn();
    const page = await make(agent, { name: "kept name", ...form }).expect(400);
    expect(page.text).toContain(message);
    if (!("name" in form)) expect(page.text).toContain('value="kept name"');
    expect(await listKeys(site.db, id)).toEqual([]);
  });

  it("expires after the chosen number of days, with the end of the chosen day, or never", async () => {
    const { id, agent } = await site.logIn();
    for (const expiry of ["30", "90", "365", "never", "date"])
      await make(agent, { expiry, expires_on: "2031-12-31" }).expect(200);
    const ends: (Date | null)[] = await site
      .db("api_keys")
      .where({ user_id: id })
      .orderBy("id")
      .pluck("expires_at");
    const days = ends.slice(0, 3).map((end) => ((Number(end) - Date.now()) / 86_400_000).toFixed(2));
    expect(days).toEqual(["30.00", "90.00", "365.00"]);
    expect(ends.slice(3)).toEqual([null, new Date("2032-01-01T00:00:00Z")]);
    const today = new Date().toISOString().slice(0, 10);
    await useKey(keyIn(await make(agent, { expiry: "date", expires_on: today }))).expect(200);
  });

  it("opens nothing once it has expired, and the list says so", async () => {
    const { id, agent } = await site.logIn();
    const key = keyIn(await make(agent));
    const expires_at = site.db.raw("now() - interval '1 second'");
    await site.db("api_keys").where({ user_id: id }).update({ expires_at });
    await useKey(key).expect(401);
    expect((await agent.get("/profile/keys")).text).toContain(
      '<span class="badge is-neutral">expired</span>',
    );
  });

  it("opens nothing from the moment that it is first revoked", async () => {
    const { id, agent } = await site.logIn();
    const key = keyIn(await make(agent));
    await useKey(key).expect(200);
    const [row] = await listKeys(site.db, id);
    const revoke = () => agent.post(`/profile/keys/${row?.id}/revoke`).expect(303);
    await revoke().expect("Location", "/profile/keys");
    await useKey(key).expect(401);
    const list = await agent.get("/profile/keys");
    expect(list.text).toContain("The key “my bot” was revoked");
    expect(list.text).toContain('<span class="badge is-neutral">revoked</span>');
    const revokedAt = async () => (await site.db("api_keys").where({ id: row?.id }).first()).revoked_at;
    const first = await revokedAt();
    await revoke();
    expect(await revokedAt()).toEqual(first);
  });

  it("is created and revoked in the language of the form", async () => {
    const { id, agent } = await site.logIn();
    const made = await agent.post("/ru/profile/keys").type("form").send({ name: "бот", expiry: "never" });
    expect(made.text).toContain("Ключ «бот» уже действует.");
    const [row] = await listKeys(site.db, id);
    const revoked = await agent.post(`/ru/profile/keys/${row?.id}/revoke`).expect(303);
    expect(revoked.headers.location).toBe("/ru/profile/keys");
    expect((await agent.get("/ru/profile/keys")).text).toContain("Ключ «бот» отозван и больше не действует.");
  });

  it("is revoked by its owner only", async () => {
    const [owner, stranger] = [await site.logIn(), await site.logIn()];
    const key = keyIn(await make(owner.agent));
    const [row] = await listKeys(site.db, owner.id);
    await stranger.agent.post(`/profile/keys/${row?.id}/revoke`).expect(404);
    await useKey(key).expect(200);
    for (const id of ["0", "-1", "1e3", "99999999999999999999", "x"]) {
      await owner.agent.post(`/profile/keys/${id}/revoke`).expect(404);
    }
  });
});

describe("dead keys", () => {
  const hash = (text: string) => createHash("sha256").update(text).digest();
  const ago = (days: number) => site.db.raw("now() - make_interval(days => ?)", [days]);

  it("go three months after they were revoked or expired, and are listed until then", async () => {
    const { id: user_id } = await site.createUser();
    const keys = {
      "revoked long ago": { revoked_at: ago(91) },
      "expired long ago": { expires_at: ago(91) },
      "revoked long ago, of a later end": { revoked_at: ago(91), expires_at: ago(-9) },
      revoked: { revoked_at: ago(89) },
      expired: { expires_at: ago(89) },
      live: {},
      "live until": { expires_at: ago(-1) },
    };
    for (const [name, ends] of Object.entries(keys))
      await site.db("api_keys").insert({ user_id, name, prefix: "alm_x", key_hash: hash(name), ...ends });
    expect(await removeDeadKeys(site.db)).toBe(3);
    const names = (await listKeys(site.db, user_id)).map(({ name }) => name);
    expect(names.sort()).toEqual(["expired", "live", "live until", "revoked"]);
    expect(await removeDeadKeys(site.db)).toBe(0);
  });

  it("of one user are no more than the list shows, however many are made and revoked", async () => {
    const { id } = await site.createUser();
    const bystander = await site.createUser();
    for (const user of [id, bystander.id]) {
      await createKey(site.db, user, { name: "kept", expiry: "never" });
      await site.db.raw(
        `insert into api_keys (user_id, name, prefix, key_hash, revoked_at)
         select ?, n, 'alm_x', sha256((? || ' ' || n)::bytea), now() from generate_series(1, 100) n`,
        [user, user],
      );
    }
    await createKey(site.db, id, { name: "one more", expiry: "never" });
    const names: string[] = await site.db("api_keys").where({ user_id: id }).pluck("name");
    expect(names).toHaveLength(61);
    expect(names).toEqual(expect.arrayContaining(["kept", "one more", "100", "42"]));
    expect(await site.db("api_keys").where({ user_id: bystander.id }).pluck("name")).toHaveLength(101);
  });
});

async function makeKeys(userId: number, count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    await createKey(site.db, userId, { name: "one of many", expiry: "never" });
  }
}

describe("the number of keys", () => {
  it("is limited to twenty live ones, and the page explains what to do", async () => {
    const { id, agent } = await site.logIn();
    await makeKeys(id, 20);
    const refused = await make(agent).expect(400);
    expect(refused.text).toContain(
      "you have 20 active keys, the most an account can have. Revoke one first.",
    );
    const [row] = await listKeys(site.db, id);
    await agent.post(`/profile/keys/${row?.id}/revoke`).expect(303);
    await make(agent).expect(200);
  });

  it("is kept by two who take the last place at once", async () => {
    const { id } = await site.createUser();
    await makeKeys(id, 19);
    let second: Promise<string | undefined> = Promise.resolve("never asked");
    await site.db.transaction(async (transaction) => {
      expect(await createKey(transaction, id, { name: "first", expiry: "never" })).toBeDefined();
      second = createKey(site.db, id, { name: "second", expiry: "never" });
      await transaction.raw("select pg_sleep(0.3)");
    });
    expect(await second).toBeUndefined();
    expect(await listKeys(site.db, id)).toHaveLength(20);
  });

  it("on the list has the live ones first", async () => {
    const { id } = await site.createUser();
    for (const name of ["old", "dead", "new"]) await createKey(site.db, id, { name, expiry: "never" });
    await site.db("api_keys").where({ user_id: id, name: "dead" }).update({ revoked_at: site.db.fn.now() });
    expect((await listKeys(site.db, id)).map(({ name, state }) => [name, state])).toEqual([
      ["new", "live"],
      ["old", "live"],
      ["dead", "revoked"],
    ]);
  });
});
