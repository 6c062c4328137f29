import { randomUUID } from "node:crypto";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Agent, type TestUser, useTestApp } from "../helpers/app.ts";
import { openOnly } from "../helpers/egress.ts";
import { elements, mainOf, textOf } from "../helpers/html.ts";
import { addHook } from "../helpers/webhooks.ts";

const site = useTestApp({ privateAddresses: openOnly("http://10.0.0.5:8080").opened });
const MINE = "/notifications/webhooks";
const OURS = "/operator/webhooks";
const DISCORD = `https://discord.com/api/webhooks/123456789012345678/${"a".repeat(68)}`;

let user: TestUser & { agent: Agent };
let operator: Agent;

beforeAll(async () => {
  user = await site.logIn();
  operator = (await site.logIn(await site.createUser({ role: "operator" }))).agent;
});

beforeEach(async () => {
  for (const table of ["deliveries", "webhooks", "webhook_events"]) await site.db(table).delete();
});

const post = (agent: Agent, path: string, form: object) => agent.post(path).type("form").send(form);
const add = (agent: Agent, page: string, form: object) =>
  post(agent, page, { language: "en", discount: "1", ...form });
const act = (agent: Agent, path: string, action: string) => post(agent, path, { action });
const hooks = () => site.db("webhooks").orderBy("id");
const say = async (agent: Agent, path: string) => textOf(mainOf((await agent.get(path).expect(200)).text));

describe("who may see and change webhooks", () => {
  it("is their owner: a user theirs, operators those of the site", async () => {
    await user.agent.get(OURS).expect(403);
    await add(user.agent, OURS, { address: "https://hook.example/a" }).expect(403);
    const { id: theirs } = await addHook(site.db, { user_id: user.id });
    const { id: ours } = await addHook(site.db);
    const stranger = (await site.logIn()).agent;
    for (const agent of [stranger, operator]) {
      await agent.get(`${MINE}/${theirs}`).expect(404);
      for (const action of ["save", "test", "new_secret", "remove"])
        await act(agent, `${MINE}/${theirs}`, action).expect(404);
    }
    await user.agent.get(`${MINE}/${ours}`).expect(404);
    await user.agent.get(`${OURS}/${ours}`).expect(403);
    await act(user.agent, `${OURS}/${ours}`, "remove").expect(403);
    await operator.get(`${OURS}/${theirs}`).expect(404);
    await operator.get(`${OURS}/${ours}`).expect(200);
    expect(await hooks()).toHaveLength(2);
  });
});

describe("adding a webhook", () => {
  it("takes a delay of outages and quiet hours, which its page shows and changes", async () => {
    const ofServers = { server: "1", outage_min: "15", quiet_from: "23", quiet_until: "7" };
    await add(user.agent, MINE, { address: DISCORD, ...ofServers }).expect(303);
    const [hook] = await hooks();
    expect(hook).toMatchObject({ outage_min: 15, quiet_from: 23, quiet_until: 7 });
    const { text } = await user.agent.get(`${MINE}/${hook.id}`).expect(200);
    expect(text).toMatch(/<option value="15" selected>15 minutes or longer/);
    expect(text).toMatch(/<option value="23" selected>23:00/);
    const save = (form: object) =>
      add(user.agent, `${MINE}/${hook.id}`, { action: "save", server: "1", ...form });
    const half = await save({ outage_min: "0", quiet_from: "23", quiet_until: "" }).expect(400);
    expect(textOf(half.text)).toContain("Quiet until");
    await save({ outage_min: "0", quiet_from: "8", quiet_until: "8" }).expect(400);
    await save({ outage_min: "61" }).expect(400);
    await save({ outage_min: "0", quiet_from: "", quiet_until: "" }).expect(303);
    expect((await hooks())[0]).toMatchObject({ outage_min: 0, quiet_from: null, quiet_until: null });
    await add(operator, OURS, { address: DISCORD }).expect(303);
    expect((await hooks())[1]).toMatchObject({ user_id: null, outage_min: 5, quiet_from: null });
  });

  it("of a server shows its secret once, and no page has it or the whole address again", async () => {
    const { text } = await add(user.agent, MINE, {
      address: "https://hook.example/deep/secret-path?key=1",
    }).expect(200);
    const secret = /whsec_[A-Za-z0-9+/]{43}=/.exec(textOf(text))?.[0] ?? "";
    expect(secret).not.toBe("");
    const [hook] = await hooks();
    expect(hook).toMatchObject({
      user_id: user.id,
      name: "hook.example",
      format: "signed",
      scope: "all",
      state: "on",
    });
    expect(JSON.stringify(hook)).not.toContain(secret);
    for (const path of [MINE, `${MINE}/${hook.id}`]) {
      const page = await user.agent.get(path).expect(200).expect("Cache-Control", "no-store");
      expect(page.text).not.toContain("whsec_");
      expect(page.text).not.toContain("secret-path");
      expect(page.text).toContain("hook.example/deep/…");
    }
  });

  it("of a channel of Discord leads to its page", async () => {
    const sent = await add(user.agent, MINE, {
      address: `${DISCORD}?thread_id=5`,
      name: "Clan",
      scope: "favorites",
      server: "1",
      kind: "houses",
      language: "ru",
    });
    const [hook] = await hooks();
    expect(sent.headers.location).toBe(`${MINE}/${hook.id}`);
    expect(hook).toMatchObject({
      ...{ name: "Clan", format: "discord", url: `${DISCORD}?thread_id=5`, events: ["discount", "server"] },
      ...{ scope: "favorites", kind: "houses", language: "ru" },
    });
    const page = await say(user.agent, `${MINE}/${hook.id}`);
    expect(page).not.toContain("aaaaaa");
    expect(page).toContain("discord.com/api/webhooks/123456789012345678/…");
  });

  it.each([
    ["http://hook.example/", "Address must start with https://."],
    ["https://hook.example:8080/", "Address must not include a port."],
    ["https://me:secret@hook.example/", "Address must not contain a user name or password."],
    ["https://127.0.0.1/", "Address must be on the public Internet."],
    ["https://[::ffff:10.0.0.1]/", "Address must be on the public Internet."],
    ["http://10.0.0.5:8080/", "Address must start with https://."],
    ["https://discord.com/channels/1/2", "Address must be the webhook URL copied from Discord"],
    ["nonsense", "Address must be a web address"],
    ["", "Address is required."],
  ])("is refused for %s, and keeps what else was typed", async (address, message) => {
    const { text } = await add(user.agent, MINE, { address, name: "My clan" }).expect(400);
    expect(textOf(text)).toContain(message);
    expect(text).toContain('value="My clan"');
    expect(await hooks()).toEqual([]);
  });

  it("is refused without anything to send, and for unknown kinds and languages", async () => {
    const form = { address: "https://hook.example/", discount: undefined };
    expect(textOf((await add(user.agent, MINE, form).expect(400)).text)).toContain(
      "Choose at least one thing to send.",
    );
    await add(user.agent, MINE, { address: "https://hook.example/", kind: "users" }).expect(400);
    await add(user.agent, MINE, { address: "https://hook.example/", language: "xx" }).expect(400);
    expect(await hooks()).toEqual([]);
  });

  it("of the site may lead to a receiver that the operator has named, and is about everything", async () => {
    await add(operator, OURS, { address: "http://10.0.0.5:8080/hook", scope: "favorites" }).expect(200);
    expect(await hooks()).toMatchObject([{ user_id: null, scope: "all", url: "http://10.0.0.5:8080/hook" }]);
  });
});

describe("the page of a webhook", () => {
  it("changes its events and, only on request, its address", async () => {
    const { id } = await addHook(site.db, { user_id: user.id, url: "https://old.example/" });
    const form = { action: "save", name: "New name", entry_new: "1", scope: "favorites", language: "ru" };
    await user.agent.post(`${MINE}/${id}`).type("form").send(form).expect(303);
    expect((await hooks())[0]).toMatchObject({
      name: "New name",
      events: ["entry_new"],
      url: "https://old.example/",
    });
    await post(user.agent, `${MINE}/${id}`, { ...form, address: DISCORD }).expect(303);
    expect((await hooks())[0]).toMatchObject({ url: DISCORD, format: "discord" });
    await post(user.agent, `${MINE}/${id}`, { ...form, address: "http://x.example/" }).expect(400);
    expect((await hooks())[0]).toMatchObject({ url: DISCORD });
  });

  it("switches it off, and on with a clean slate", async () => {
    const { id } = await addHook(site.db, { user_id: user.id });
    const path = `${MINE}/${id}`;
    await act(user.agent, path, "off").expect(303);
    expect((await hooks())[0]).toMatchObject({ state: "off" });
    await site
      .db("webhooks")
      .update({ state: "failed", failures: 30, failing_since: site.db.fn.now(), last_failure: "status 500" });
    const text = await say(user.agent, path);
    expect(text).toContain("We stopped sending here");
    expect(text).toContain("The server answered with status 500.");
    await act(user.agent, path, "on").expect(303);
    expect((await hooks())[0]).toMatchObject({
      state: "on",
      failures: 0,
      failing_since: null,
      last_failure: null,
    });
  });

  it("gives it another secret, shown once", async () => {
    const { id, secret } = await addHook(site.db, { user_id: user.id });
    const { text } = await act(user.agent, `${MINE}/${id}`, "new_secret").expect(200);
    expect(textOf(text)).toMatch(/whsec_/);
    expect(textOf(text)).not.toContain(secret);
    await site.db("webhooks").update({ format: "discord" });
    await act(user.agent, `${MINE}/${id}`, "new_secret").expect(404);
  });

  it("removes it with its deliveries", async () => {
    const { id } = await addHook(site.db, { user_id: user.id });
    await act(user.agent, `${MINE}/${id}`, "test").expect(303);
    await act(user.agent, `${MINE}/${id}`, "remove").expect(303).expect("Location", MINE);
    expect(await hooks()).toEqual([]);
    expect(await site.db("deliveries")).toEqual([]);
  });

  it("lists what became of its messages, with their ids and never more than a word of the answer", async () => {
    const { id } = await addHook(site.db, { user_id: user.id });
    await act(user.agent, `${MINE}/${id}`, "test").expect(303);
    await site
      .db("deliveries")
      .update({ state: "dead", attempts: 16, reason: "status 301", settled_at: site.db.fn.now() });
    const { text } = await user.agent.get(`${MINE}/${id}`).expect(200);
    const [row = ""] = elements(text, "tbody").map(textOf);
    expect(row).toMatch(
      /^Test .*Failed, 16 attempts The server answered with a redirect \(301\).* msg_[0-9a-f]{32}$/,
    );
  });

  it("promises to try again only while a message that was refused waits", async () => {
    const { id } = await addHook(site.db, { user_id: user.id, format: "discord", url: DISCORD });
    await act(user.agent, `${MINE}/${id}`, "test").expect(303);
    const reason = "discord 220001 Webhooks posted to forum channels must have a thread_name or thread_id";
    await site.db("webhooks").update({ last_failure: reason });
    await site.db("deliveries").update({ reason, attempts: 1 });
    const waiting = await say(user.agent, `${MINE}/${id}`);
    expect(waiting).toContain("we’ll keep trying. The channel is a forum");
    expect(waiting).toContain("Add ?thread_id= and the ID of a post");
    await site.db("deliveries").update({ state: "dead", settled_at: site.db.fn.now() });
    const dead = await say(user.agent, `${MINE}/${id}`);
    expect(dead).toContain("we won’t send it again. The channel is a forum");
    expect(dead).not.toContain("keep trying");
    // A message that has not been sent yet is no retry.
    await act(user.agent, `${MINE}/${id}`, "test").expect(303);
    expect(await say(user.agent, `${MINE}/${id}`)).not.toContain("keep trying");
  });

  it("quotes Discord's error, as text", async () => {
    const { id } = await addHook(site.db, {
      user_id: user.id,
      format: "discord",
      url: DISCORD,
      last_failure: "discord 50035 Invalid <b>Form</b> Body",
    } as object);
    const { text } = await user.agent.get(`${MINE}/${id}`).expect(200);
    expect(text).toContain("“Invalid &lt;b&gt;Form&lt;/b&gt; Body” (code 50035)");
  });

  it("sends ten tests in an hour", async () => {
    const { id } = await addHook(site.db, { user_id: user.id });
    await act(user.agent, `${MINE}/${id}`, "test").expect(303);
    const event = { type: "test", data: "{}" };
    for (let more = 0; more < 9; more += 1) {
      const [{ id: event_id }] = await site.db("webhook_events").insert(event).returning("id");
      await site
        .db("deliveries")
        .insert({ channel: "webhook", event_id, webhook_id: id, message_id: randomUUID() });
    }
    await act(user.agent, `${MINE}/${id}`, "test").expect(303);
    expect(await say(user.agent, `${MINE}/${id}`)).toBeDefined();
    expect(await site.db("deliveries")).toHaveLength(10);
  });
});
