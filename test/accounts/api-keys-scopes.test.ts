import type { Knex } from "knex";
import request from "supertest";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { grantScope } from "../../src/accounts/keys/grant-queries.ts";
import { createKey } from "../../src/accounts/keys/queries.ts";
import { keyCommand } from "../../src/commands/key.ts";
import { loadConfig } from "../../src/settings/config.ts";
import { UsageError } from "../../src/settings/usage-error.ts";
import { useTestApp } from "../helpers/app.ts";
import { runCommand } from "../helpers/cli.ts";
import { textOf } from "../helpers/html.ts";

const site = useTestApp();

describe("an operation that needs a scope", () => {
  it("names it in the document, by a field and in words, with its refusal", async () => {
    const { paths } = (await request(site.app).get("/api/openapi.json").expect(200)).body;
    const write = paths["/api/items/{id}"].put;
    expect(write).toMatchObject({ "x-scope": "write:records", responses: { 403: expect.anything() } });
    expect(write.security).toEqual([{ keyHeader: [] }, { keyQuery: [] }]);
    expect(write.description).toContain("write:records");
    const read = paths["/api/favorites"].get;
    expect(read).toHaveProperty("x-scope", "read:favorites");
    expect(read.security).toEqual([{ keyHeader: [] }, { keyQuery: [] }, { session: [] }]);
    expect(paths["/api/online"].get.responses).not.toHaveProperty("403");
  });
});

describe("the owner's page of keys", () => {
  it("lets a new key read more, and shows what each may do until when", async () => {
    const { id, agent } = await site.logIn();
    const form = { name: "reader", expiry: "never", "read:favorites": "1" };
    await agent.post("/profile/keys").type("form").send(form).expect(200);
    const [made] = await site.db("api_keys").where({ user_id: id });
    expect(made.scopes).toEqual(["read:favorites"]);
    await grantScope(site.db, { keyId: made.id, scope: "write:servers", day: inDays(30), by: null });
    for (const path of ["/profile/keys", "/profile"]) {
      const text = textOf((await agent.get(path).expect(200)).text).replaceAll(/\s+/g, " ");
      expect(text).toContain("read , read:favorites write:servers until");
    }
  });

  it("keeps what is checked where a field is wrong, and refuses what is no box", async () => {
    const { agent } = await site.logIn();
    const form = { name: "", expiry: "never", "read:notifications": "1" };
    const { text } = await agent.post("/profile/keys").type("form").send(form).expect(400);
    expect(text).toMatch(/name="read:notifications" value="1" checked/);
    expect(text).not.toMatch(/name="read:favorites" value="1" checked/);
    const odd = { name: "odd", expiry: "never", "read:favorites": "all", "write:records": "1" };
    await agent.post("/profile/keys").type("form").send(odd).expect(400);
    const own = { ...odd, "read:favorites": "" };
    await agent.post("/profile/keys").type("form").send(own).expect(200);
    expect(await site.db("api_keys").where({ name: "odd" }).first("scopes")).toEqual({ scopes: [] });
  });
});

function inDays(days: number): string {
  return new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
}

async function addKey(db: Knex, owner: number): Promise<{ id: number; key: string; prefix: string }> {
  const made = String(await createKey(db, owner, { name: "writer", expiry: "never" }));
  const { id, prefix } = await db("api_keys").where({ user_id: owner }).orderBy("id", "desc").first();
  return { id, key: made, prefix };
}

describe("the operators' page of grants", () => {
  let operator: Awaited<ReturnType<typeof site.logIn>>;
  const PAGE = "/operator/api-keys";

  beforeAll(async () => {
    operator = await site.logIn(await site.createUser({ role: "operator" }));
  });

  const send = (form: Record<string, string | number>) => operator.agent.post(PAGE).type("form").send(form);

  it("lets a key write until the end of a day, changes that day, and takes it back", async () => {
    const owner = await site.createUser();
    const { id, key, prefix } = await addKey(site.db, owner.id);
    const form = { owner: owner.name.toUpperCase(), key: `${prefix}…`, scope: "write:records" };
    await send({ ...form, until: inDays(0) }).expect(303);
    expect([...((await site.keys.findCalling(key))?.scopes ?? [])]).toEqual(["write:records"]);
    await send({ ...form, until: inDays(20) }).expect(303);
    const [grant, ...others] = await site.db("api_key_grants").where({ key_id: id });
    expect(others).toEqual([]);
    expect(grant).toMatchObject({ granted_by: operator.id });
    expect(grant.ends_at.toISOString()).toBe(`${inDays(21)}T00:00:00.000Z`);
    const { text } = await operator.agent.get(PAGE).expect(200);
    expect(textOf(text)).toContain(`writer ${prefix}…`);
    await send({ revoke: id, scope: "write:servers" }).expect(404);
    await send({ revoke: id, scope: "write:records" }).expect(303);
    expect((await site.keys.findCalling(key))?.scopes.size).toBe(0);
    await send({ revoke: id, scope: "write:records" }).expect(404);
  });

  it("means the operator's own day", async () => {
    const owner = await site.createUser();
    const { id, prefix } = await addKey(site.db, owner.id);
    await site.db("users").where({ id: operator.id }).update({ time_zone: "Europe/Moscow" });
    onTestFinished(async () => {
      await site.db("users").where({ id: operator.id }).update({ time_zone: null });
    });
    await send({ owner: owner.name, key: prefix, scope: "write:records", until: inDays(20) }).expect(303);
    const [grant] = await site.db("api_key_grants").where({ key_id: id });
    expect(grant.ends_at.toISOString()).toBe(`${inDays(20)}T21:00:00.000Z`);
  });

  it("lets no grant last longer than a year", async () => {
    const owner = await site.createUser();
    const { id, prefix } = await addKey(site.db, owner.id);
    const until = new Date();
    until.setUTCFullYear(until.getUTCFullYear() + 1);
    const form = { owner: owner.name, key: prefix, scope: "write:records" };
    await send({ ...form, until: until.toISOString().slice(0, 10) }).expect(303);
    const { rows } = await site.db.raw(
      "select ends_at = granted_at + interval '1 year' as is_year from api_key_grants where key_id = ?",
      [id],
    );
    expect(rows).toEqual([{ is_year: true }]);
  });

  const wrong: [what: string, form: Record<string, string>, message: string][] = [
    ["a day in the past", { until: inDays(-1) }, "Last day must be a day from today"],
    ["a day in two years", { until: inDays(730) }, "Last day must be a day from today"],
    ["a day that is none", { until: "2027-02-30" }, "Last day must be a day from today"],
    ["no day", { until: "" }, "Last day is required"],
    ["another scope", { scope: "read:favorites" }, "Scope must be one of"],
    ["another owner", { owner: "nobody of that name" }, "Owner isn’t the name of a user"],
    ["another beginning", { key: "alm_zzzz" }, "Start of the key isn’t the start"],
  ];
  it.each(wrong)("refuses %s and says why", async (_what, more, message) => {
    const owner = await site.createUser();
    const { id, prefix } = await addKey(site.db, owner.id);
    const form = { owner: owner.name, key: prefix, scope: "write:records", until: inDays(3), ...more };
    const { text } = await send(form).expect(400);
    expect(textOf(text)).toContain(message);
    expect(await site.db("api_key_grants").where({ key_id: id })).toEqual([]);
  });

  it("finds no key of somebody else, and none that works no more", async () => {
    const [owner, other] = [await site.createUser(), await site.createUser()];
    const { id, prefix } = await addKey(site.db, owner.id);
    const form = { key: prefix, scope: "write:records", until: inDays(3) };
    await send({ ...form, owner: other.name }).expect(400);
    await site.db("api_keys").where({ id }).update({ revoked_at: site.db.fn.now() });
    await send({ ...form, owner: owner.name }).expect(400);
    expect(await grantScope(site.db, { keyId: id, scope: "write:records", day: inDays(3), by: null })).toBe(
      undefined,
    );
  });

  it("does not repeat a whole key that somebody pasted", async () => {
    const owner = await site.createUser();
    const { key, prefix } = await addKey(site.db, owner.id);
    const { text } = await send({ owner: owner.name, key, scope: "write:records", until: "" }).expect(400);
    expect(text).not.toContain(key);
    expect(text).toContain(`value="${prefix}"`);
  });
});

describe("a grant", () => {
  it("goes with its key, and stays while its operator's account goes", async () => {
    const [owner, operator] = [await site.createUser(), await site.createUser({ role: "operator" })];
    const { id } = await addKey(site.db, owner.id);
    await grantScope(site.db, { keyId: id, scope: "write:records", day: inDays(3), by: operator.id });
    await site.db("users").where({ id: operator.id }).delete();
    expect(await site.db("api_key_grants").where({ key_id: id })).toMatchObject([{ granted_by: null }]);
    await site.db("users").where({ id: owner.id }).delete();
    expect(await site.db("api_key_grants").where({ key_id: id })).toEqual([]);
  });
});

describe("the command key", () => {
  const config = loadConfig({ LOG_FORMAT: "json" });
  const run = (...args: string[]) => runCommand(keyCommand, site.db, args, { config });

  it("lets a key write, prints which may, and takes it back, with lines for the security log", async () => {
    const owner = await site.createUser();
    const { key, prefix } = await addKey(site.db, owner.id);
    const words = [owner.name, prefix, "write:records"] as const;
    const granted = await run("grant", ...words, "--until", inDays(30));
    expect(granted.code).toBe(0);
    expect(JSON.parse(granted.err[0] ?? "")).toMatchObject({
      security: "key.granted",
      user: owner.name,
      scopes: ["write:records"],
      by: "command",
    });
    expect([...((await site.keys.findCalling(key))?.scopes ?? [])]).toEqual(["write:records"]);
    const listed = (await run("grants")).out.find((line) => line.startsWith(prefix));
    const end = expect.stringMatching(/T00:00:00.000Z$/);
    expect(listed?.split("\t")).toEqual([prefix, owner.name, "write:records", end, "", "live"]);
    const taken = await run("ungrant", ...words);
    expect(taken.code).toBe(0);
    expect(JSON.parse(taken.err[0] ?? "")).toMatchObject({ security: "key.ungranted" });
    expect((await site.keys.findCalling(key))?.scopes.size).toBe(0);
    expect(await run("ungrant", ...words)).toMatchObject({ code: 1 });
  });

  it("names what is missing, and refuses a bad call before it does anything", async () => {
    const owner = await site.createUser();
    const { id, prefix } = await addKey(site.db, owner.id);
    const until = ["--until", inDays(30)];
    const unknown = await run("grant", "nobody of that name", prefix, "write:records", ...until);
    expect(unknown).toMatchObject({ code: 1, err: ["almanac: there is no such user"] });
    expect(await run("grant", owner.name, "alm_zzzz", "write:records", ...until)).toMatchObject({ code: 1 });
    for (const args of [
      [owner.name, prefix, "read:favorites", ...until],
      [owner.name, prefix, "write:records"],
      [owner.name, prefix, "write:records", "--until", "2020-01-01"],
      [owner.name, prefix, "write:records", "--until", "9999-01-01"],
    ]) {
      await expect(run("grant", ...args)).rejects.toThrow(UsageError);
    }
    expect(await site.db("api_key_grants").where({ key_id: id })).toEqual([]);
  });
});
