import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createKey } from "../../src/accounts/keys/queries.ts";
import { ANONYMOUS_AT_MOST, WAITING_AT_MOST } from "../../src/exchange/edit/suggestion-queries.ts";
import { type Agent, type TestUser, useTestApp } from "../helpers/app.ts";
import { insertRecords } from "../helpers/catalogue.ts";
import { emptyTables, openTransaction, waitForLocks } from "../helpers/database.ts";
import { inputsOf, mainOf, textOf } from "../helpers/html.ts";
import { addDonateItem } from "../helpers/things.ts";

const site = useTestApp();
const FORM = "/suggest/items/knife";

let player: TestUser & { agent: Agent };
let editor: TestUser & { agent: Agent };

beforeAll(async () => {
  player = await site.logIn(await site.createUser());
  editor = await site.logIn(await site.createUser({ role: "editor" }));
});

beforeEach(async () => {
  await emptyTables(site.db, "items, catalogue_revisions, audit_log, suggestions, notifications");
  await insertRecords(site.db, "items", [{ id: "knife", name: "Knife", attributes: { damage: 3 } }]);
});

const read = async (agent: Agent, path: string) => textOf(mainOf((await agent.get(path).expect(200)).text));
const stored = () => site.db("items").where({ id: "knife" }).first();
const latest = async () => site.db("suggestions").orderBy("id", "desc").first();
const post = (agent: Agent, path: string, fields: object) => agent.post(path).type("form").send(fields);

async function suggest(fields: Record<string, string>, agent = player.agent) {
  const { text } = await agent.get(FORM).expect(200);
  return post(agent, FORM, { ...inputsOf(text), ...fields });
}

/** Sends a correction and returns the address of its page for editors. */
async function suggestDamage(): Promise<string> {
  await suggest({ "attributes.damage": "5", note: "<b>Since patch 2</b>" });
  return `/operator/suggestions/${(await latest()).id}`;
}

async function accept(path: string, fields: Record<string, string> = {}) {
  const { text } = await editor.agent.get(path).expect(200);
  return post(editor.agent, "/operator/records/items/knife", { ...inputsOf(text), ...fields });
}

/** The newest notification as the API returns it. */
async function readByApi() {
  const scopes = ["read:notifications"] as const;
  const key = await createKey(site.db, player.id, { name: "inbox", expiry: "never", scopes });
  const { body } = await site.agent().get("/api/notifications").set("X-API-Key", String(key)).expect(200);
  return body.records[0];
}

describe("a mistake in the shop", () => {
  const ITEM = "/suggest/donate-items/vip";

  it("is reported by users and decided by operators only", async () => {
    await emptyTables(site.db, "donate_items");
    await addDonateItem(site.db, "vip", { name: "VIP" });
    expect((await site.agent().get("/donate/vip")).text).toContain(`href="${ITEM}"`);
    const { text } = await player.agent.get(ITEM).expect(200);
    const report = { ...inputsOf(text), price: "7", note: "Cheaper now" };
    await post(player.agent, ITEM, report).expect(303).expect("Location", "/donate/vip");
    const path = `/operator/suggestions/${(await latest()).id}`;
    await editor.agent.get(path).expect(403);
    await post(editor.agent, path, { reason: "No" }).expect(403);
    expect(await read(editor.agent, "/operator/records")).toContain("No report is waiting.");
    const { agent: operator } = await site.logIn(await site.createUser({ role: "operator" }));
    expect(await read(operator, "/operator/records")).toContain("price: 7");
    const review = await operator.get(path).expect(200);
    await post(operator, "/operator/records/donate-items/vip", inputsOf(review.text)).expect(303);
    expect(await site.db("donate_items").where({ id: "vip" }).first("price")).toEqual({ price: "7.00" });
    const { id } = await site.db("notifications").first("id");
    await player.agent.get(`/notifications/${id}`).expect(303).expect("Location", "/donate/vip");
    const suggestion = { kind: "donate_item", id: "vip", state: "accepted" };
    expect((await readByApi()).suggestion).toMatchObject(suggestion);
  });
});

describe("a reported mistake", () => {
  it("changes nothing until an editor has looked, and asks visitors to log in", async () => {
    expect((await site.agent().get("/items/knife")).text).toContain(`href="${FORM}"`);
    await site.agent().get(FORM).expect(303);
    const before = await stored();
    expect((await suggest({ "attributes.damage": "5" })).status).toBe(303);
    expect(await stored()).toEqual(before);
    expect(await read(player.agent, "/items/knife")).toContain("Thank you. An editor will check it.");
  });

  it("is accepted by saving the record, with credit, and its reporter is notified", async () => {
    const path = await suggestDamage();
    const { text } = await editor.agent.get("/operator/records").expect(200);
    expect(text).toContain("&lt;b&gt;Since patch 2&lt;/b&gt;");
    expect(textOf(text)).toMatch(new RegExp(`Knife Item .*Corrected: damage: 5 .*${player.name}`));
    expect(await read(editor.agent, path)).toMatch(/damage is now: 3/i);
    expect((await accept(path)).status).toBe(303);
    expect((await stored()).attributes).toEqual({ damage: 5 });
    expect(await site.db("catalogue_revisions")).toMatchObject([
      { author: editor.name, note: `Suggested by ${player.name}` },
    ]);
    expect(await site.db("audit_log").orderBy("id").pluck("action")).toEqual([
      "record.changed",
      "suggestion.accepted",
    ]);
    expect(await read(player.agent, "/notifications")).toContain("Your correction of Knife was accepted");
    const { id } = await site.db("notifications").first("id");
    await player.agent.get(`/notifications/${id}`).expect(303).expect("Location", "/items/knife");
    expect(await read(editor.agent, "/operator/records")).toContain("No report is waiting.");
  });

  it("can be changed before it is accepted, and accepted where only its note is right", async () => {
    const path = await suggestDamage();
    await accept(path, { "attributes.damage": "4" });
    expect((await stored()).attributes).toEqual({ damage: 4 });
    await suggest({ note: "The picture is of a fork" });
    await accept(`/operator/suggestions/${(await latest()).id}`);
    expect((await latest()).state).toBe("accepted");
  });

  it("stays open if the form that accepts it has a mistake or does not name it by a number", async () => {
    const path = await suggestDamage();
    const answer = await accept(path, { "attributes.damage": "much" });
    expect(answer.status).toBe(400);
    expect(inputsOf(answer.text).suggestion).toBe(String((await latest()).id));
    expect((await latest()).state).toBe("open");
    expect((await accept(path, { suggestion: "x" })).status).toBe(303);
    expect((await latest()).state).toBe("open");
  });

  it("is declined with a reason, which its reporter reads on the site, in the API and in the feed", async () => {
    const path = await suggestDamage();
    const decline = (reason: string) => post(editor.agent, path, { reason });
    expect(textOf((await decline(" ").expect(400)).text)).toContain("Reason");
    await decline("It is 3 on the <test> server").expect(303);
    expect((await stored()).attributes).toEqual({ damage: 3 });
    const inbox = await read(player.agent, "/notifications");
    expect(inbox).toMatch(/Your correction of Knife was declined .*It is 3 on the <test> server/);
    expect(await readByApi()).toMatchObject({
      ...{ about: "suggestion", title: "Your correction of Knife was declined", offer: null, alert: null },
      suggestion: { kind: "item", id: "knife", state: "declined", reason: "It is 3 on the <test> server" },
    });
    expect(await site.db("audit_log").first()).toMatchObject({
      ...{ action: "suggestion.declined", subject: "items/knife", user_name: editor.name },
      note: "It is 3 on the <test> server",
    });
  });

  it("is stored once if it is sent twice, as by a double click", async () => {
    const report = { note: "Wrong", "attributes.damage": "5" };
    const sent = await Promise.all([suggest(report), suggest(report)]);
    expect(sent.map(({ status }) => status)).toEqual([303, 303]);
    await suggest({ note: "Wrong" });
    const fields = { "attributes.damage": "5" };
    expect(await site.db("suggestions").orderBy("id").pluck("fields")).toEqual([fields, {}]);
  });

  it("says yes or no where the record does, also to the editor who compares", async () => {
    await site.db("items").update({ attributes: { sharp: true } });
    const maybe = await suggest({ "attributes.sharp": "maybe" });
    expect(maybe.status).toBe(400);
    expect(maybe.text).toContain("Sharp must be chosen from the list.");
    expect((await suggest({ "attributes.sharp": "false" })).status).toBe(303);
    const path = `/operator/suggestions/${(await latest()).id}`;
    expect(await read(editor.agent, path)).toContain("Sharp is now: yes");
    await accept(path);
    expect((await stored()).attributes).toEqual({ sharp: false });
  });

  it("is decided once", async () => {
    const path = await suggestDamage();
    await Promise.all([1, 2, 3].map(() => post(editor.agent, path, { reason: "No" })));
    expect(await site.db("notifications")).toHaveLength(1);
    await editor.agent.get(path).expect(303).expect("Location", "/operator/records");
    expect(await read(editor.agent, "/operator/records")).toContain("Someone has already decided");
  });

  it("needs a change or a note, of the right type, and at most 1,000 letters", async () => {
    expect(textOf((await suggest({})).text)).toContain("Correct a value, or describe what is wrong.");
    const much = await suggest({ "attributes.damage": "145,000" });
    expect(much.status).toBe(400);
    expect(much.text).toContain("Damage is ambiguous");
    const { status, text } = await suggest({ note: "x".repeat(1_001), name: "Kept" });
    expect(status).toBe(400);
    expect(inputsOf(text).name).toBe("Kept");
    expect((await suggest({ name: "x".repeat(60_001) })).status).toBe(413);
    expect(await site.db("suggestions")).toEqual([]);
  });

  it(`waits with at most ${WAITING_AT_MOST - 1} others of the same user, also when they come at once`, async () => {
    const fields = inputsOf((await player.agent.get(FORM).expect(200)).text);
    const notes = Array.from({ length: WAITING_AT_MOST + 5 }, (_, at) => `Mistake ${at}`);
    const sent = await Promise.all(notes.map((note) => post(player.agent, FORM, { ...fields, note })));
    expect(sent.filter(({ status }) => status === 429)).toHaveLength(5);
    expect(await site.db("suggestions")).toHaveLength(WAITING_AT_MOST);
  });

  it("outlives its reporter and its record", async () => {
    const gone = await site.logIn(await site.createUser());
    await suggest({ name: "Blade" }, gone.agent);
    await site.db("users").where({ id: gone.id }).delete();
    await site.db("items").where({ id: "knife" }).delete();
    const path = `/operator/suggestions/${(await latest()).id}`;
    const text = await read(editor.agent, path);
    expect(text).toContain("a deleted account");
    expect(text).toContain("This record has been removed. Saving adds it again.");
    await post(editor.agent, path, { reason: "Gone" }).expect(303);
    expect(await site.db("notifications")).toEqual([]);
  });

  it("has no page for another record, kind or number", async () => {
    await player.agent.get("/suggest/items/none").expect(404);
    await player.agent.get("/suggest/dragons/knife").expect(404);
    await editor.agent.get("/operator/suggestions/x").expect(404);
    await player.agent.get("/operator/suggestions/1").expect(403);
  });
});

describe("a report without an account", () => {
  const open = useTestApp({ anonymousReports: true, trustProxy: true });
  const ADDRESS = "203.0.113.7";

  beforeEach(async () => {
    await emptyTables(
      open.db,
      "items, catalogue_revisions, audit_log, suggestions, notifications, rate_limits",
    );
    await insertRecords(open.db, "items", [{ id: "knife", name: "Knife", attributes: { damage: 3 } }]);
  });

  /** Sends the visitor's form from an address. */
  async function report(fields: Record<string, string>, address = ADDRESS, form = FORM) {
    const { text } = await open.agent().get(form).expect(200);
    const typed = { ...inputsOf(mainOf(text)), ...fields };
    return open.agent().post(form).set("X-Forwarded-For", address).type("form").send(typed);
  }
  const logIn = async (role: "user" | "editor" = "editor") =>
    (await open.logIn(await open.createUser({ role }))).agent;
  const reports = () => open.db("suggestions").orderBy("id");

  it.each([
    ["", "Thank you. An editor will check it."],
    ["/ru", "Спасибо! Редактор проверит."],
  ])("is sent from %s/suggest by anybody, who reads that it has arrived", async (prefix, thanks) => {
    const answer = await report({ "attributes.damage": "5" }, ADDRESS, prefix + FORM);
    expect([answer.status, answer.headers.location]).toEqual([303, `${prefix}${FORM}?sent=yes`]);
    expect(answer.headers["set-cookie"]).toBeUndefined();
    expect(await reports()).toMatchObject([
      { anonymous: true, user_id: null, fields: { "attributes.damage": "5" } },
    ]);
    const { text } = await open.agent().get(`${answer.headers.location}`).expect(200);
    expect(textOf(mainOf(text))).toContain(thanks);
    expect(text).not.toContain("<textarea");
  });

  it("waits as plain text, after those of users, and is accepted with credit to nobody", async () => {
    await report({ "attributes.damage": "5", note: "<script>alert(1)</script>" });
    const user = await open.logIn();
    const { text: form } = await user.agent.get(FORM);
    await post(user.agent, FORM, { ...inputsOf(mainOf(form)), note: "Mine" });
    const agent = await logIn();
    const { text: queue } = await agent.get("/operator/records").expect(200);
    const shown = textOf(mainOf(queue));
    expect(shown).toMatch(/Mine .*<script>alert\(1\)<\/script> .*Reported without an account/);
    expect(queue).not.toContain("<script>alert");
    const [{ id }] = await reports();
    const { text } = await agent.get(`/operator/suggestions/${id}`).expect(200);
    expect(text).not.toContain("<script>alert");
    await post(agent, "/operator/records/items/knife", inputsOf(text)).expect(303);
    const { name } = await open.db("users").where({ role: "editor" }).orderBy("id", "desc").first("name");
    expect(await open.db("catalogue_revisions")).toMatchObject([
      { author: name, note: "Reported without an account" },
    ]);
    expect((await reports()).map(({ state }) => state)).toEqual(["accepted", "open"]);
    expect(await open.db("notifications")).toEqual([]);
  });

  it("is declined with a reason for the audit log alone", async () => {
    await report({ note: "Wrong" });
    const agent = await logIn();
    const path = `/operator/suggestions/${(await reports())[0].id}`;
    expect(await read(agent, path)).toContain("Only the audit log keeps it");
    await post(agent, path, { reason: "Spam" }).expect(303);
    expect(await open.db("audit_log").first()).toMatchObject({ action: "suggestion.declined", note: "Spam" });
    expect(await open.db("notifications")).toEqual([]);
  });

  it("is limited to ten an hour from one network, also at once, and its address is not kept", async () => {
    const sent = await Promise.all(Array.from({ length: 20 }, (_, at) => report({ note: `Wrong ${at}` })));
    const refused = sent.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(10);
    expect(Number(refused[0]?.headers["retry-after"])).toBeGreaterThan(3_000);
    expect(refused[0]?.text).toMatch(/>\s*Wrong \d+<\/textarea>/);
    expect(await reports()).toHaveLength(10);
    for (const [address, status] of [
      ["2001:db8:0:1::1", 303],
      ["198.51.100.1", 303],
      [ADDRESS, 429],
    ] as const)
      expect((await report({ note: "Another" }, address)).status).toBe(status);
    const kept = await open.db.raw(
      "select s::text as row from suggestions s union all select r::text from rate_limits r union all select a::text from audit_log a",
    );
    expect(kept.rows.length).toBeGreaterThan(12);
    expect(kept.rows.filter(({ row }: { row: string }) => row.includes(ADDRESS))).toEqual([]);
  });

  it(`is refused while ${ANONYMOUS_AT_MOST} wait, and keeps the typed text; users still report`, async () => {
    await open.db.raw(
      `insert into suggestions (kind, entry_id, entry_name, anonymous, fields, note)
         select 'items', 'knife', 'Knife', true, '{}', 'Spam' from generate_series(2, ${ANONYMOUS_AT_MOST})`,
    );
    const addresses = ["198.51.100.1", "198.51.100.2", "198.51.100.3"];
    // Until the transaction ends, nothing can be stored, but everybody can count.
    const transaction = await openTransaction(open.db);
    await transaction.raw("lock table suggestions in share mode");
    const sending = Promise.all(addresses.map((address) => report({ note: address }, address)));
    await waitForLocks(open.db, addresses.length);
    await transaction.commit();
    const sent = await sending;
    expect(sent.filter(({ status }) => status === 303)).toHaveLength(1);
    expect(sent.filter(({ status }) => status === 429)).toHaveLength(2);
    const { text } = await report({ note: "Kept", name: "Blade" });
    expect(textOf(mainOf(text))).toContain("Many reports are waiting to be read");
    expect(inputsOf(text).name).toBe("Blade");
    expect(text).toMatch(/<textarea[^>]*name="note"[^>]*>\n?Kept</);
    const user = await logIn("user");
    const form = inputsOf(mainOf((await user.get(FORM)).text));
    await post(user, FORM, { ...form, note: "Mine" }).expect(303);
    const queue = await read(await logIn(), "/operator/records");
    expect(queue).toMatch(/Reported mistakes 1,001 .*?Mine/);
  });

  it("is refused from another site, or if it is empty or too long", async () => {
    const send = (note: string) => post(open.agent(), FORM, { note });
    await send("Wrong").set("Sec-Fetch-Site", "cross-site").expect(403);
    await send("").expect(400);
    await send("x".repeat(1_001)).expect(400);
    await send("x".repeat(1_600_000)).expect(413);
    await open.agent().post(FORM).send({ note: "Wrong" }).expect(415);
    expect(await reports()).toEqual([]);
  });

  it("is not sent for a user whose session has ended: they log in, and send it as theirs", async () => {
    const user = await open.logIn();
    const typed = { ...inputsOf(mainOf((await user.agent.get(FORM)).text)), note: "Theirs" };
    await open.db("sessions").where({ user_id: user.id }).delete();
    const answer = await post(user.agent, FORM, typed).expect(401);
    expect(await reports()).toEqual([]);
    const { name, password } = user;
    const fields = { ...inputsOf(mainOf(answer.text)), name, password };
    const back = await post(user.agent, "/login", fields).expect(303);
    const { text } = await user.agent.get(back.headers.location ?? "").expect(200);
    expect(text).toMatch(/>\s*Theirs<\/textarea>/);
    await post(user.agent, FORM, { ...inputsOf(mainOf(text)), note: "Theirs" }).expect(303);
    expect(await reports()).toMatchObject([{ anonymous: false, user_id: user.id, note: "Theirs" }]);
  });
});
