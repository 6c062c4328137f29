import request from "supertest";
import { describe, expect, it } from "vitest";
import { toggleFavorite } from "../../src/accounts/favorites/queries.ts";
import { createKey } from "../../src/accounts/keys/queries.ts";
import { issueToken } from "../../src/accounts/token-queries.ts";
import { recordAction } from "../../src/db/audit-queries.ts";
import { PASSWORD, useTestApp } from "../helpers/app.ts";
import { elements, textOf } from "../helpers/html.ts";
import { addDiscount, addDonateItem, addEntity, addServer } from "../helpers/things.ts";
import { addHook } from "../helpers/webhooks.ts";

const site = useTestApp({ trustProxy: true });

const NEW_PASSWORD = "another horse battery";

const logIn = (name: string, password: string) => site.post("/login", { name, password });

describe("the profile", () => {
  it("asks who sends its forms without a session to log in", async () => {
    const forms = ["email", "email/confirmation", "locale", "password", "delete", "keys", "keys/1/revoke"];
    for (const form of forms) {
      const from = (host: string) =>
        site.post(`/profile/${form}`, {}, { Host: "almanac.test", Referer: `http://${host}/profile` });
      await from("almanac.test").expect(303).expect("Location", "/login?next=%2Fprofile&ended=yes");
      await from("evil.test").expect("Location", "/login?ended=yes");
    }
    const { text } = await request(site.app).get("/login?next=%2Fprofile&ended=yes").expect(200);
    expect(textOf(text)).toContain("Your session has ended, so nothing was saved.");
  });

  it("shows the account, escaped, and tells an operator that they are one", async () => {
    const user = await site.createUser({ name: "Plain User" });
    const { agent } = await site.logIn(user);
    await site.db("users").where({ id: user.id }).update({ email: `"<b>"@example.org` });
    const page = await agent.get("/profile").expect(200);
    expect(page.text).toContain("<h1><span>Plain User</span></h1>");
    expect(page.text).toContain("&#34;&lt;b&gt;&#34;@example.org");
    expect(page.text).not.toContain("<b>");
    expect(page.text).not.toContain("Operator of this site");
    const operator = await site.logIn(await site.createUser({ role: "operator" }));
    expect((await operator.agent.get("/profile")).text).toContain("Operator of this site");
  });
});

describe("the time zones to choose from", () => {
  it("are in regions and called as the page's language calls them, both in its order", async () => {
    const { agent } = await site.logIn();
    const regionsOf = async (path: string) => {
      const { text } = await agent.get(path).expect(200);
      const labels = [...text.matchAll(/<optgroup label="([^"]*)"/g)].map(([, label = ""]) => label);
      const zones = elements(text, "optgroup").map((group) =>
        [...group.matchAll(/<option value="([^"]+)"[^>]*>([^<]+)</g)].map(([, zone, name = ""]) => ({
          zone,
          name,
        })),
      );
      return { labels, zones };
    };
    const english = await regionsOf("/en/profile");
    expect(english.labels).toContain("Indian Ocean");
    expect(english.zones.flat()).toContainEqual({ zone: "America/New_York", name: "New York" });
    const russian = await regionsOf("/ru/profile");
    expect(russian.labels.join(", ")).toBe(
      "UTC, Австралия, Азия, Америка, Антарктида, Арктика, Атлантический океан, Африка, Европа, Индийский океан, Тихий океан",
    );
    expect(russian.zones.flat()).toContainEqual({ zone: "America/New_York", name: "Нью-Йорк" });
    expect(russian.zones.flat()).toHaveLength(english.zones.flat().length);
    expect(russian.zones.flat().filter(({ name }) => !/[а-яё]/i.test(name))).toEqual([
      { zone: "UTC", name: "UTC" },
    ]);
    for (const names of russian.zones.map((group) => group.map(({ name }) => name))) {
      expect(names).toEqual(names.toSorted((a, b) => a.localeCompare(b, "ru")));
      expect(new Set(names).size).toBe(names.length);
    }
  });
});

describe("changing the e-mail address", () => {
  it("saves, trims and removes it", async () => {
    const { id, password: current_password, agent } = await site.logIn();
    const stored = async () => (await site.db("users").where({ id }).first("email")).email;
    const save = (email: string) =>
      agent.post("/profile/email").type("form").send({ email, current_password }).expect(303);
    await save(" ann@example.org ");
    expect(await stored()).toBe("ann@example.org");
    expect((await agent.get("/profile")).text).toContain("Your e-mail address was saved.");
    await save("");
    expect(await stored()).toBeNull();
  });
});

describe("changing the password", () => {
  it("needs the current one, and changes what logs in", async () => {
    const { name, password, agent } = await site.logIn();
    const form = { current_password: password, new_password: NEW_PASSWORD };
    await agent.post("/profile/password").type("form").send(form).expect(303).expect("Location", "/profile");
    expect((await agent.get("/profile").expect(200)).text).toContain("Your password was changed.");
    await logIn(name, password).expect(401);
    await logIn(name, NEW_PASSWORD).expect(303);
  });

  it.each([
    [{ current_password: "wrong password", new_password: NEW_PASSWORD }, "Current password is wrong."],
    [{ new_password: NEW_PASSWORD }, "Current password is required."],
    [{ current_password: PASSWORD, new_password: "short" }, "New password must be 8 to 200 characters long."],
    [
      { current_password: PASSWORD, new_password: "Own Name 1" },
      "New password must not be your account name.",
    ],
    [
      { current_password: PASSWORD, new_password: "Password1" },
      "New password is one of the most common passwords and easy to guess.",
    ],
  ])("refuses %j", async (form, message) => {
    await site.db("users").where({ name_key: "own name 1" }).delete();
    const { id, agent } = await site.logIn(await site.createUser({ name: "Own Name 1" }));
    const hash = () => site.db("users").where({ id }).first("password_hash");
    const before = await hash();
    const page = await agent.post("/profile/password").type("form").send(form).expect(400);
    expect(page.text).toContain(message);
    expect(page.text).not.toContain(NEW_PASSWORD);
    expect(await hash()).toEqual(before);
  });

  it("counts wrong ones like attempts to log in", async () => {
    const { name, password, agent } = await site.logIn();
    const from = { "X-Forwarded-For": "203.0.113.9" };
    const send = (current_password: string) =>
      agent
        .post("/profile/password")
        .set(from)
        .type("form")
        .send({ current_password, new_password: NEW_PASSWORD });
    await send("wrong password").expect(400);
    await site.db("rate_limits").whereLike("key", "login-account:%").update({ points: 9 });
    await send("wrong password").expect(400);
    const refused = await send(password).expect(429);
    expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0);
    expect(refused.text).toContain("Current password was wrong too many times; try again in 15 minutes.");
    await logIn(name, password).set(from).expect(429);
  });
});

describe("deleting the account", () => {
  it("removes the user's rows from every table, and nobody else's", async () => {
    const { id, name, password, agent } = await site.logIn();
    const stays = await site.logIn();
    for (const user of [id, stays.id]) await fillEveryTable(user);
    const tables = await tablesOfUsers();
    expect(tables.length).toBeGreaterThan(17);
    for (const table of tables) expect(await rowsOf(table, id), table).toBeGreaterThan(0);
    const form = { current_password: password, confirm: "yes" };
    const answer = await agent.post("/profile/delete").type("form").send(form).expect(200);
    expect(answer.text).toContain(`The account ${name} and all its data are gone.`);
    for (const table of tables) {
      expect(await rowsOf(table, id), table).toBe(0);
      expect(await rowsOf(table, stays.id), table).toBeGreaterThan(0);
    }
    await stays.agent.get("/profile").expect(200);
    expect(await site.db("users").where({ id }).first()).toBeUndefined();
    await agent.get("/profile").expect(303);
    await logIn(name, password).expect(401);
    // The name is free.
    await site.createUser({ name: name.toUpperCase() });
  });

  it.each([
    [{ confirm: "yes" }, "Current password is required."],
    [{ current_password: "wrong password", confirm: "yes" }, "Current password is wrong."],
    [{ current_password: PASSWORD }, "This box must be checked."],
    [{ current_password: PASSWORD, confirm: "no" }, "This box must be checked."],
  ])("does not happen for %j", async (form, message) => {
    const { agent } = await site.logIn();
    const page = await agent.post("/profile/delete").type("form").send(form).expect(400);
    expect(page.text).toContain(message);
    await agent.get("/profile").expect(200);
  });
});

let things = 0;

async function fillEveryTable(userId: number): Promise<void> {
  await recordAction(site.db, { userId: userId, via: "site" }, { action: "picture.changed" });
  things += 1;
  const id = `thing-${things}`;
  await addServer(site.db, id);
  await addEntity(site.db, "houses", id);
  await site
    .db("suggestions")
    .insert({ kind: "houses", entry_id: id, entry_name: id, user_id: userId, fields: "{}" });
  await site.db("imports").insert({ kind: "houses", via: "site", user_id: userId });
  const upload = { source: "a wiki", file: "houses.json", content: "[]", sample: "[]", settings: "{}" };
  await site.db("import_uploads").insert({ kind: "houses", user_id: userId, ...upload });
  await addDonateItem(site.db, id);
  await addDiscount(site.db, id, id);
  await toggleFavorite(site.db, userId, "server", id);
  await toggleFavorite(site.db, userId, "house", id);
  await toggleFavorite(site.db, userId, "donate", id);
  await createKey(site.db, userId, { name: "key", expiry: "never" });
  await issueToken(site.db, "confirm", { userId, email: "a@example.org" });
  const { id: notification } = await site.db("notifications").where({ user_id: userId }).first("id");
  for (const [table, row] of Object.entries({
    notification_settings: {},
    push_subscriptions: { endpoint: `https://push.example/${id}`, p256dh: "key", auth: "secret" },
    digests: { day: "2026-11-21" },
    deliveries: { notification_id: notification, channel: "digest" },
    server_alerts: { server_id: id, what: "up" },
    webhook_news: { event: "discount", total: 1, ids: [] },
  })) {
    await site.db(table).insert({ user_id: userId, ...row });
  }
  await addHook(site.db, { user_id: userId });
}

/** Every table that says whose its rows are. */
async function tablesOfUsers(): Promise<string[]> {
  return site
    .db("information_schema.columns")
    .where({ table_schema: "public", column_name: "user_id" })
    .orderBy("table_name")
    .pluck("table_name");
}

async function rowsOf(table: string, userId: number): Promise<number> {
  const [counted] = await site.db(table).where({ user_id: userId }).count({ rows: "*" });
  return Number(counted?.rows);
}
