import request from "supertest";
import { beforeEach, describe, expect, it } from "vitest";
import { createKey } from "../../src/accounts/keys/queries.ts";
import { issueToken } from "../../src/accounts/token-queries.ts";
import { userCommand } from "../../src/commands/user.ts";
import { saveSettings } from "../../src/notifications/settings-queries.ts";
import { loadConfig } from "../../src/settings/config.ts";
import { type Agent, type TestUser, useTestApp } from "../helpers/app.ts";
import { runCommand } from "../helpers/cli.ts";
import { attributes, textOf } from "../helpers/html.ts";
import { addHook } from "../helpers/webhooks.ts";

const site = useTestApp();

const NEW_PASSWORD = "another horse battery";

/** Somebody with two keys, a private feed, three browsers and a webhook. */
type Owner = TestUser & { agent: Agent; elsewhere: Agent; keys: string[]; feed: string };

let owner: Owner;

beforeEach(async () => {
  const user = await site.createUser();
  const { agent } = await site.logIn(user);
  const elsewhere = (await site.logIn(user)).agent;
  const make = () => createKey(site.db, user.id, { name: "key", expiry: "never" });
  const keys = [String(await make()), String(await make())];
  await saveSettings(site.db, user.id, { feed: true, push: true });
  const browsers = [1, 2, 3].map((each) => ({
    user_id: user.id,
    endpoint: `https://push.example/${user.id}/${each}`,
    p256dh: "key",
    auth: "secret",
  }));
  await site.db("push_subscriptions").insert(browsers);
  await site
    .db("users")
    .where({ id: user.id })
    .update({ email: "a@example.org", confirmed_email: "a@example.org" });
  await addHook(site.db, { user_id: user.id });
  const { text } = await agent.get("/notifications/settings").expect(200);
  const feed = /\/notifications\/feed\/[\w.-]+\.rss/.exec(text)?.[0] ?? "";
  owner = { ...user, agent, elsewhere, keys, feed };
});

/** Which of it still works, asked as those would who have it. */
async function working({ keys, feed, id, elsewhere }: Owner) {
  const answers = keys.map((key) => request(site.app).get("/api/online").set("X-API-Key", key));
  const [browsers] = await site.db("push_subscriptions").where({ user_id: id }).count({ rows: "*" });
  return {
    keys: (await Promise.all(answers)).filter(({ status }) => status === 200).length,
    feed: (await request(site.app).get(feed)).status,
    browsers: browsers?.rows,
    webhooks: (await site.db("webhooks").where({ user_id: id, state: "on" })).length,
    elsewhere: (await elsewhere.get("/profile")).status,
  };
}

const ALL = { keys: 2, feed: 200, browsers: 3, webhooks: 1, elsewhere: 303 };
const NONE = { keys: 0, feed: 404, browsers: 0, webhooks: 0, elsewhere: 303 };
const EVERYTHING = { end_keys: "yes", end_feed: "yes", end_browsers: "yes", end_webhooks: "yes" };
const TICKED = { end_keys: true, end_feed: true, end_browsers: true, end_webhooks: true };
const UNTICKED = { end_keys: false, end_feed: false, end_browsers: false, end_webhooks: false };
const SAID = [
  "2 API keys were revoked.",
  "The private feed has a new link; the old one no longer works.",
  "Push notifications have stopped in 3 browsers.",
  "The webhook is turned off.",
];

/** The boxes of a form, by its action: their names, and whether they are ticked. */
function boxesOf(page: string, action: string): Record<string, boolean> {
  const form = page.split("<form").find((part) => part.includes(`action="${action}"`)) ?? "";
  const boxes = form.match(/<input type="checkbox"[^>]*name="end_[^>]*>/g) ?? [];
  return Object.fromEntries(boxes.map((box) => [attributes(box, "name")[0], / checked/.test(box)]));
}

const FORMS = [
  ["/profile/password", { new_password: NEW_PASSWORD }],
  ["/profile/email", { email: "b@example.org" }],
] as const;

describe.each(FORMS)("the form %s", (path, fields) => {
  const send = (more: Record<string, string> = {}) =>
    owner.agent
      .post(path)
      .type("form")
      .send({ ...fields, current_password: owner.password, ...more });

  it("offers to end what works without the password, in either language, and ticks nothing by itself", async () => {
    const page = await owner.agent.get("/en/profile").expect(200);
    expect(boxesOf(page.text, `/en${path}`)).toEqual(UNTICKED);
    expect(textOf(page.text)).toContain("Revoke all 2 API keys");
    expect(textOf(page.text)).toContain("Stop push notifications in 3 browsers");
    expect((await owner.agent.get("/ru/profile").expect(200)).text).toContain("Отозвать 2 ключа API");
  });

  it("ends every other session, and nothing else unless requested", async () => {
    await send().expect(303);
    expect(await working(owner)).toEqual(ALL);
    const page = textOf((await owner.agent.get("/profile").expect(200)).text);
    expect(page).toContain("You’ve been logged out everywhere else.");
    for (const text of SAID) expect(page).not.toContain(text);
  });

  it("ends what is ticked with it, and says so in the reader's language", async () => {
    await send(EVERYTHING).expect(303);
    expect(await working(owner)).toEqual(NONE);
    const page = textOf((await owner.agent.get("/profile").expect(200)).text);
    expect(page).toContain(`You’ve been logged out everywhere else. ${SAID.join(" ")}`);
    expect(boxesOf((await owner.agent.get("/profile")).text, path)).toEqual({ end_feed: false });
  });

  it("ends one of them alone", async () => {
    await send({ end_feed: "yes" }).expect(303);
    expect(await working(owner)).toEqual({ ...ALL, feed: 404 });
    const page = textOf((await owner.agent.get("/ru/profile").expect(200)).text);
    expect(page).toContain("Вы вышли на всех остальных устройствах. У личной ленты новая ссылка");
  });

  it("ends nothing where it is refused, and keeps what was ticked", async () => {
    const form = { ...EVERYTHING, current_password: "wrong password", end_feed: "" };
    const page = await send(form).expect(400);
    expect(boxesOf(page.text, path)).toEqual({ ...TICKED, end_feed: false });
    expect(await working(owner)).toEqual({ ...ALL, elsewhere: 200 });
  });

  it("goes on here under another id", async () => {
    const sids = () => site.db("sessions").where({ user_id: owner.id }).pluck("sid");
    const before = await sids();
    await send().expect(303);
    const after = await sids();
    expect(after).toHaveLength(1);
    expect(before).not.toContain(after[0]);
  });
});

describe("the profile", () => {
  it("ends nothing when the address is sent unchanged", async () => {
    const form = { email: "a@example.org", current_password: owner.password, ...EVERYTHING };
    await owner.agent.post("/profile/email").type("form").send(form).expect(303);
    expect(await working(owner)).toEqual({ ...ALL, elsewhere: 200 });
  });

  it("offers nothing to revoke to a user who has nothing of it", async () => {
    const { agent } = await site.logIn();
    const { text } = await agent.get("/profile").expect(200);
    expect(boxesOf(text, "/profile/password")).toEqual({});
    expect(text).not.toContain("Access without your password");
  });
});

describe("a mailed link to a new password", () => {
  const link = async () =>
    `/login/new-password/${await issueToken(site.db, "reset", { userId: owner.id, email: "a@example.org" })}`;
  const choose = (path: string, more: Record<string, string> = {}) =>
    request(site.app)
      .post(path)
      .type("form")
      .send({ new_password: NEW_PASSWORD, ...more });

  it("offers the same, ticked: nobody knows who has used the old one", async () => {
    const path = await link();
    const page = await request(site.app).get(path).expect(200);
    expect(boxesOf(page.text, path)).toEqual(TICKED);
    const again = await choose(path, { new_password: "short", end_keys: "yes" }).expect(400);
    expect(boxesOf(again.text, path)).toEqual({ ...UNTICKED, end_keys: true });
  });

  it("ends what is ticked, which the log-in page tells", async () => {
    const { headers } = await choose(await link(), EVERYTHING).expect(303);
    expect(headers.location).toBe("/login?changed=password&keys=2&feed=1&browsers=3&webhooks=1");
    expect(await working(owner)).toEqual(NONE);
    const page = await request(site.app).get(String(headers.location)).expect(200);
    expect(textOf(page.text)).toContain(`Log in with the new one. ${SAID.join(" ")}`);
  });

  it("ends sessions alone where nothing is ticked", async () => {
    await choose(await link())
      .expect(303)
      .expect("Location", "/login?changed=password");
    expect(await working(owner)).toEqual(ALL);
  });
});

describe("the command that sets a password", () => {
  const run = async (...args: string[]) => {
    const config = loadConfig({ LOG_LEVEL: "silent" });
    return (await runCommand(userCommand, site.db, args, { config })).err.join("\n");
  };

  it("shows what still works, and ends that with --revoke", async () => {
    expect(await run("password", owner.name)).toContain(
      "Still working without the password: API keys 2, private feed 1, browsers with push 3, webhooks 1; --revoke ends that, too.",
    );
    expect(await working(owner)).toEqual(ALL);
    const told = await run("password", owner.name, "--revoke");
    for (const text of SAID) expect(told).toContain(text);
    expect(told).not.toContain("Still working");
    expect(await working(owner)).toEqual(NONE);
  });
});
