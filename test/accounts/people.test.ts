import request from "supertest";
import { beforeEach, describe, expect, it } from "vitest";
import { createKey } from "../../src/accounts/keys/queries.ts";
import { changeRole } from "../../src/accounts/people/actions.ts";
import { COMMAND } from "../../src/db/audit-queries.ts";
import { type Agent, type TestUser, useTestApp } from "../helpers/app.ts";
import { mainOf, textOf } from "../helpers/html.ts";
import { addWriteKey } from "../helpers/write-keys.ts";

const site = useTestApp({ mail: { kind: "smtp", url: "smtp://mail.test" } });

let operator: TestUser & { agent: Agent };

beforeEach(async () => {
  await site.db("users").delete();
  await site.db("audit_log").delete();
  operator = await site.logIn(await site.createUser({ role: "operator" }));
});

const pageOf = ({ id }: TestUser) => `/operator/people/${id}`;
const act = (user: TestUser, fields: Record<string, string>) =>
  operator.agent.post(pageOf(user)).type("form").send(fields);
const read = async (path: string) => textOf(mainOf((await operator.agent.get(path).expect(200)).text));
const logIn = ({ name, password }: TestUser) => site.post("/login", { name, password });
const stored = ({ id }: TestUser) => site.db("users").where({ id }).first();
const actions = () =>
  site.db("audit_log").orderBy("id").select("user_name", "action", "subject", "before", "after");

describe("the operators' page of people", () => {
  it("finds accounts by part of a name or by address, by role and by state", async () => {
    const [ann, bob] = [await site.createUser({ name: "Annabel" }), await site.createUser({ name: "Bob" })];
    await site
      .db("users")
      .where({ id: bob.id })
      .update({ email: "Bob@Example.org", disabled_at: new Date() });
    await site.db("users").where({ id: ann.id }).update({ role: "editor" });
    const found = async (query: string) => {
      const text = await read(`/operator/people?${query}`);
      return ["Annabel", "Bob", operator.name].map((name) => text.includes(`${name} `));
    };
    expect(await found("")).toEqual([true, true, true]);
    expect(await found("q=NABE")).toEqual([true, false, false]);
    expect(await found("q=bob%40example.org")).toEqual([false, true, false]);
    expect(await found("show=editor")).toEqual([true, false, false]);
    expect(await found("show=disabled")).toEqual([false, true, false]);
    expect(await found("show=operator")).toEqual([false, false, true]);
    expect(await found("q=%25")).toEqual([false, false, false]);
  });

  it("goes on by name", async () => {
    const names = Array.from({ length: 55 }, (_, at) => `Number ${String(at).padStart(2, "0")}`);
    await site
      .db("users")
      .insert(names.map((name) => ({ name, name_key: name.toLowerCase(), password_hash: "$argon2id$x" })));
    const { text: first } = await operator.agent.get("/operator/people?q=number");
    const next = /href="([^"]*after=[^"]*)"/.exec(first)?.[1]?.replaceAll("&amp;", "&") ?? "";
    const { text: second } = await operator.agent.get(next);
    expect([...(first + second).matchAll(/>(Number \d\d)</g)].map(([, name]) => name)).toEqual(names);
  });

  it("shows the keys of an account and their use", async () => {
    const user = await site.createUser();
    const key = String(await createKey(site.db, user.id, { name: "my bot", expiry: "never" }));
    await request(site.app).get("/api/servers").set("X-API-Key", key).expect(200);
    await request(site.app).get("/api/items?limit=x").set("X-API-Key", key).expect(400);
    await site.keys.writeUses();
    const text = await read(pageOf(user));
    expect(text).toContain(`my bot ${key.slice(0, 8)}`);
    expect(text).toContain("2 calls");
    expect(text).not.toContain(key);
  });

  it("is 404 for an unknown account", async () => {
    for (const id of ["999999", "x", "1e3"]) await operator.agent.get(`/operator/people/${id}`).expect(404);
  });
});

describe("disabling an account", () => {
  it("ends its sessions, refuses its keys and its log-in, until it is enabled", async () => {
    const user = await site.logIn();
    const { key } = await addWriteKey(site.db, user.id);
    const put = () => request(site.app).put("/api/items/a").set("X-API-Key", key).send({ name: "A" });
    await put().expect(201);
    await act(user, { action: "disable" }).expect(303);
    await user.agent.get("/profile").expect(303);
    await put().expect(401);
    const refused = await logIn(user).expect(403);
    expect(refused.text).toContain("This account has been disabled");
    await logIn({ ...user, password: "wrong one" }).expect(401);
    await act(user, { action: "enable" }).expect(303);
    await logIn(user).expect(303);
    await put().expect(200);
    const by = { user_name: operator.name, subject: `user/${user.name}` };
    expect(await site.db("audit_log").whereLike("action", "account.%").orderBy("id")).toMatchObject([
      { ...by, action: "account.disabled", after: { sessions: 1 } },
      { ...by, action: "account.enabled" },
    ]);
  });

  it("stores nothing for a write that began before", async () => {
    const user = await site.createUser();
    const { id } = await addWriteKey(site.db, user.id);
    await act(user, { action: "disable" }).expect(303);
    await site.db.transaction(async (transaction) => {
      expect(await site.keys.isAllowed(transaction, { keyId: id, scope: "write:records" })).toBe(false);
    });
  });
});

describe("a role", () => {
  it("counts from the next request on", async () => {
    const user = await site.logIn();
    await user.agent.get("/operator").expect(403);
    await act(user, { action: "role", role: "operator" }).expect(303);
    await user.agent.get("/operator").expect(200);
    await act(user, { action: "role", role: "user" }).expect(303);
    await user.agent.get("/operator").expect(403);
    expect(await site.db("audit_log").where({ action: "role.changed" }).orderBy("id")).toMatchObject([
      { before: { role: "user" }, after: { role: "operator" } },
      { before: { role: "operator" }, after: { role: "user" } },
    ]);
  });

  it("must be given and known", async () => {
    const user = await site.createUser({ role: "editor" });
    const attempts: Record<string, string>[] = [
      { action: "role" },
      { action: "role", role: "admin" },
      { action: "promote" },
    ];
    for (const fields of attempts) await act(user, fields).expect(400);
    expect(await stored(user)).toMatchObject({ role: "editor" });
  });

  it("cannot be taken from the last operator, who can neither be disabled nor delete the account", async () => {
    const disabled = await site.createUser({ role: "operator" });
    await act(disabled, { action: "disable" }).expect(303);
    const attempts: Record<string, string>[] = [{ action: "role", role: "editor" }, { action: "disable" }];
    for (const fields of attempts) {
      await act(operator, fields).expect(303);
      expect(await read(pageOf(operator))).toBeDefined();
    }
    await operator.agent
      .post("/profile/delete")
      .type("form")
      .send({ current_password: operator.password, confirm: "yes" })
      .expect(303);
    expect(await stored(operator)).toMatchObject({ role: "operator", disabled_at: null });
    expect((await actions()).map(({ action }) => action)).toEqual(["account.disabled"]);
  });

  it("is left to one of two operators who demote each other at once", async () => {
    const other = await site.createUser({ role: "operator" });
    const both = [operator, other].map(({ id }) => changeRole(site.db, COMMAND, id, "user"));
    expect((await Promise.all(both)).map(({ outcome }) => outcome).sort()).toEqual(["done", "last operator"]);
    expect(await site.db("users").where({ role: "operator" })).toHaveLength(1);
  });
});

describe("a new password", () => {
  it("is set by a link that is shown once, also for an account without an address", async () => {
    const user = await site.logIn();
    const { text, headers } = await act(user, { action: "link" }).expect(200);
    const link = /http:\/\/almanac\.test(\/login\/new-password\/[\w-]{43})/.exec(text)?.[1] ?? "";
    expect(headers["cache-control"]).toContain("no-store");
    expect((await operator.agent.get(pageOf(user))).text).not.toContain(link);
    expect(JSON.stringify(await actions())).not.toContain(link.slice(-43));
    const send = () => site.post(link, { new_password: "quite another one" });
    await send().expect(303);
    await send().expect(410);
    await user.agent.get("/profile").expect(303);
    await logIn({ ...user, password: "quite another one" }).expect(303);
  });

  it("is mailed to a confirmed address alone", async () => {
    const user = await site.createUser();
    await act(user, { action: "mail" }).expect(303);
    expect(await actions()).toEqual([]);
    const email = "u@example.org";
    await site.db("users").where({ id: user.id }).update({ email, confirmed_email: email });
    expect(await read(pageOf(user))).toContain("Mail the link");
    await act(user, { action: "mail" }).expect(303);
    expect(await actions()).toMatchObject([{ action: "password.link", after: { link: "mailed" } }]);
    const { rows } = await site.db.raw("select task_identifier as task from graphile_worker.jobs");
    expect(rows).toEqual([{ task: "send_password_reset" }]);
  });
});

describe("ending sessions", () => {
  it("logs the account out everywhere", async () => {
    const user = await site.logIn();
    await act(user, { action: "sessions" }).expect(303);
    await user.agent.get("/profile").expect(303);
    await logIn(user).expect(303);
  });
});
