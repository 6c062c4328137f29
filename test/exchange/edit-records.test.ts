import request from "supertest";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { importRecords } from "../../src/exchange/import/import-records.ts";
import { type Agent, type TestUser, useTestApp } from "../helpers/app.ts";
import { insertRecords } from "../helpers/catalogue.ts";
import { emptyTables } from "../helpers/database.ts";
import { inputsOf, mainOf, textOf } from "../helpers/html.ts";
import { addWriteKey } from "../helpers/write-keys.ts";

const site = useTestApp();
const PAGE = "/operator/records/items/knife";

let editor: TestUser & { agent: Agent };
let other: TestUser & { agent: Agent };

beforeAll(async () => {
  editor = await site.logIn(await site.createUser({ role: "editor" }));
  other = await site.logIn(await site.createUser({ role: "operator" }));
});

beforeEach(async () => {
  await emptyTables(
    site.db,
    "items, vehicles, relations, catalogue_tombstones, catalogue_revisions, audit_log",
  );
  const attributes = { damage: 3, sharp: true, parts: ["a", { b: 1 }], origin: "Paris" };
  await insertRecords(site.db, "items", [
    { id: "knife", name: "Knife", attributes },
    { id: "iron", name: "Iron bar" },
  ]);
});

async function open(agent = editor.agent, path = PAGE): Promise<Record<string, string>> {
  return inputsOf((await agent.get(path).expect(200)).text);
}

const send = (fields: Record<string, string>, { agent = editor.agent, path = PAGE } = {}) =>
  agent.post(path).type("form").send(fields);
const stored = (id = "knife") => site.db("items").where({ id }).first();
const read = (html: string) => textOf(mainOf(html));

describe("the form of a record", () => {
  it("changes nothing when it is sent back as it is", async () => {
    const before = await stored();
    await send(await open()).expect(303);
    expect(await stored()).toEqual(before);
    expect(await site.db("audit_log")).toEqual([]);
  });

  it("saves what was changed by the rules of the API, with author and note", async () => {
    const form = await open();
    await send({
      ...form,
      ...{ name: "Sharp knife", "names.ru": "Нож", category: "Weapons", description: "**Cuts**\r\nwell" },
      note: "patch 1.2",
      ...{ "attributes.damage": "4.5", "attributes.sharp": "", "attributes.parts": '["c"]' },
      ...{ "new.0.key": "weight", "new.0.value": "12", "new.1.key": "zip", "new.1.value": "007" },
    }).expect(303);
    expect(await stored()).toMatchObject({
      ...{ name: "Sharp knife", names: { ru: "Нож" }, category: "Weapons", description: "**Cuts**\nwell" },
      attributes: { damage: 4.5, parts: ["c"], origin: "Paris", weight: 12, zip: "007" },
      revision: 2,
    });
    expect((await stored()).attributes).not.toHaveProperty("sharp");
    expect(await site.db("catalogue_revisions")).toMatchObject([
      { revision: 2, author: editor.name, note: "patch 1.2" },
    ]);
    expect(await site.db("audit_log")).toMatchObject([
      { action: "record.changed", subject: "items/knife", user_name: editor.name, note: "patch 1.2" },
    ]);
    const history = read((await editor.agent.get(`${PAGE}/history`).expect(200)).text);
    expect(history).toMatch(new RegExp(`${editor.name} ?: “patch 1.2”`));
  });

  it("does not give the author's name to a revision of an import", async () => {
    await importRecords(site.db, "items", [{ id: "knife", name: "Imported" }]);
    await send(await open()).expect(303);
    expect(await site.db("catalogue_revisions")).toMatchObject([{ revision: 2, author: null }]);
  });

  it("shows what is wrong at its field, and keeps what was typed", async () => {
    const form = await open();
    const wrong = { ...form, name: " ", image: "ftp://x", popularity: "-1" };
    const { text } = await send({ ...wrong, "attributes.parts": "{", "names.ru": "Нож" }).expect(400);
    expect(text).toContain('value="Нож"');
    expect(text).toMatch(/id="field-attributes_2eparts-error"/);
    const { text: byApi } = await send(wrong).expect(400);
    for (const name of ["name", "image", "popularity"])
      expect([name, byApi.includes(`id="field-${name}-error"`)]).toEqual([name, true]);
    expect(byApi).toContain('value="ftp://x"');
    expect(await stored()).toMatchObject({ name: "Knife", revision: 1 });
  });

  it("still compares with what was opened after a form with a mistake", async () => {
    const mine = await open();
    const theirs = await open(other.agent);
    await send({ ...theirs, "names.ru": "Их нож" }, { agent: other.agent }).expect(303);
    const refused = await send({ ...mine, name: "My knife", note: "n".repeat(301) }).expect(400);
    const conflict = await send({ ...inputsOf(refused.text), note: "short" }).expect(409);
    expect(inputsOf(conflict.text)).toMatchObject({ name: "My knife", "names.ru": "Их нож" });
    expect(await stored()).toMatchObject({ name: "Knife", names: { ru: "Их нож" } });
  });

  it("takes a second click on Save for the first one", async () => {
    const mine = { ...(await open()), name: "My knife" };
    await send(mine).expect(303);
    await send(mine).expect(303);
    expect(await stored()).toMatchObject({ name: "My knife", revision: 2 });
  });

  it("keeps numbers numbers, and refuses anything else there", async () => {
    const form = await open();
    await send({ ...form, "attributes.damage": "2 900" }).expect(303);
    expect((await stored()).attributes.damage).toBe(2900);
    await send({ ...(await open()), "attributes.damage": "-0,125" }).expect(303);
    expect((await stored()).attributes.damage).toBe(-0.125);
    for (const [damage, reason] of [
      ["abc", 'must be a number such as 12.50, not "abc".'],
      ["1e999", 'must be a number such as 12.50, not "1e999".'],
      ["145,000", 'is ambiguous: "145,000" may mean 145000 or a fraction.'],
    ] as const) {
      const { text } = await send({ ...(await open()), "attributes.damage": damage }).expect(400);
      expect(read(text)).toContain(`Damage ${reason}`);
    }
    const { text } = await send({ ...(await open()), "attributes.parts": "a, b" }).expect(400);
    expect(read(text)).toContain('Parts must be a list or an object as JSON, such as ["a", "b"].');
  });

  it("offers yes and no where the values are, also for a record without one, and refuses anything else", async () => {
    const ironPage = "/operator/records/items/iron";
    const { text: form } = await editor.agent.get(ironPage).expect(200);
    const options = /<select[^>]* name="attributes\.sharp"[^>]*>(.*?)<\/select>/s.exec(form)?.[1] ?? "";
    expect(textOf(options)).toBe("— yes no");
    for (const sharp of ["maybe", "нет"]) {
      const { text } = await send({ ...(await open()), "attributes.sharp": sharp }).expect(400);
      expect(read(text)).toContain("Sharp must be chosen from the list.");
      expect(inputsOf(text)["attributes.sharp"]).toBe(sharp);
    }
    await send({ ...(await open()), "attributes.sharp": "false" }).expect(303);
    const iron = await open(editor.agent, ironPage);
    await send({ ...iron, "attributes.sharp": "true" }, { path: ironPage }).expect(303);
    expect((await stored()).attributes.sharp).toBe(false);
    expect((await stored("iron")).attributes).toEqual({ sharp: true });
  });

  it("leaves out a NUL, which the database cannot store", async () => {
    await send({ ...(await open()), name: "A\0B", note: "a\0b" }).expect(303);
    expect(await stored()).toMatchObject({ name: "AB" });
    const removal = await open(editor.agent, `${PAGE}/remove`);
    await send({ ...removal, action: "hide", note: "a\0b" }, { path: `${PAGE}/remove` }).expect(303);
  });

  it("shows both versions to the second of two, and takes the one that is chosen", async () => {
    const [mine, theirs] = [await open(), await open(other.agent)];
    const changes = { name: "Their knife", "attributes.damage": "9" };
    await send({ ...theirs, ...changes }, { agent: other.agent }).expect(303);
    const conflict = await send({ ...mine, name: "My knife", category: "Tools" }).expect(409);
    expect(await stored()).toMatchObject({ name: "Their knife", category: null });
    const again = inputsOf(conflict.text);
    // Not touched by the second, so it is not in conflict.
    expect(again).toMatchObject({ name: "My knife", category: "Tools", "attributes.damage": "9" });
    expect(read(conflict.text)).toContain("1 field that both of you changed");
    expect(read(conflict.text)).toContain("Their knife");
    await send(again).expect(303);
    expect(await stored()).toMatchObject({ name: "My knife", category: "Tools", attributes: { damage: 9 } });
  });

  it("keeps what was typed about a record that was removed meanwhile, and can add it again", async () => {
    const form = await open();
    await site.db("items").where({ id: "knife" }).delete();
    const gone = await send({ ...form, name: "Still here", "attributes.damage": "5" }).expect(410);
    const again = inputsOf(gone.text);
    expect(again).toMatchObject({ name: "Still here", version: "", "attributes.origin": "Paris" });
    await send(again).expect(303);
    expect(await stored()).toMatchObject({ name: "Still here", attributes: { damage: 5, origin: "Paris" } });
  });

  it("takes no other fields, no 2 MB, and nothing from a sender who is no longer an editor", async () => {
    const form = await open();
    const others = { id: "iron", demo: "true", revision: "99", created_at: "1999" };
    await send({ ...form, ...others, "attributes.__proto__": "x" });
    expect(await stored()).toMatchObject({ id: "knife", demo: false });
    expect(await stored("iron")).toMatchObject({ name: "Iron bar" });
    const { text: tooLarge } = await send({ ...form, description: "x".repeat(2_000_000) }).expect(413);
    expect(textOf(tooLarge)).toContain("The body can be at most 1500 KiB.");
    await send({ ...(await open()), description: "x".repeat(20_001) }).expect(400);
    const fired = await site.logIn(await site.createUser({ role: "editor" }));
    const late = await open(fired.agent);
    await site.db("users").where({ id: fired.id }).update({ role: "user" });
    await send({ ...late, name: "Mine" }, { agent: fired.agent }).expect(403);
    expect((await stored()).name).toBe("Knife");
  });

  it("comes back after the log-in when the session has ended", async () => {
    const user = await site.logIn(await site.createUser({ role: "editor" }));
    const form = await open(user.agent);
    await site.db("sessions").where({ user_id: user.id }).delete();
    // A description as long as possible, in letters of two bytes.
    const letters = Array.from({ length: 20_000 }, (_, at) => 0x430 + ((at * at + at * 7) % 31));
    const typed = { name: "Typed before", description: String.fromCharCode(...letters) };
    const { text } = await send({ ...form, ...typed }, { agent: user.agent }).expect(401);
    const kept = /name="typed" value="([^"]*)"/.exec(text)?.[1] ?? "";
    const login = { name: user.name, password: user.password, typed: kept };
    await send(login, { agent: user.agent, path: "/login" }).expect(303);
    const back = await user.agent.get("/login/typed").expect(200);
    expect(inputsOf(back.text)).toMatchObject({ ...typed, "attributes.origin": "Paris" });
    expect((await stored()).name).toBe("Knife");
  });

  it("adds a relation to the entry that is meant, and removes one", async () => {
    const form = await open();
    const relation = { relation: "made-of", related_kind: "items", related: "iron BAR", count: "2" };
    await send({ ...form, ...relation, note: "patch 2" }).expect(303);
    expect(await site.db("audit_log")).toMatchObject([{ action: "record.changed", note: "patch 2" }]);
    expect(await site.db("relations")).toMatchObject([
      { from_id: "knife", kind: "made-of", to_kind: "item", to_id: "iron", count: "2" },
    ]);
    const nothing = await send({ ...(await open()), ...relation, related: "" }).expect(400);
    expect(read(nothing.text)).toContain("Say which record the quantity or chance is of");
    await insertRecords(site.db, "items", [{ id: "knife2", name: "Knife" }]);
    const namesake = { ...(await open()), ...relation, related: "Knife", count: "" };
    await send(namesake).expect(303);
    expect(await site.db("relations").pluck("to_id")).toEqual(["iron", "knife2"]);
    await site.db("relations").where({ to_id: "knife2" }).delete();
    const unknown = { ...(await open()), ...relation, related: "nothing of that name" };
    expect((await send(unknown).expect(400)).text).toContain('id="related-error"');
    await send({ ...(await open()), ...relation, relation: "?!" }).expect(400);
    const [{ id }] = await site.db("relations").select("id");
    // The form of another record cannot remove it.
    await insertRecords(site.db, "items", [{ id: "other" }]);
    const path = "/operator/records/items/other";
    await send({ ...(await open(editor.agent, path)), "unrelate.0": id }, { path }).expect(303);
    expect(await site.db("relations")).toHaveLength(1);
    await send({ ...(await open()), "unrelate.0": id }).expect(303);
    expect(await site.db("relations")).toEqual([]);
  });
});

it("numbers the rows for new attributes, so that each input has a name of its own", async () => {
  const { text } = await editor.agent.get(PAGE).expect(200);
  const labels = [...text.matchAll(/<label for="new-[^>]*>([^<]*)</g)].map(([, label]) => label);
  const named = ["Attribute 1", "Value 1", "Attribute 2", "Value 2", "Attribute 3", "Value 3"];
  expect(labels).toEqual(named);
});

describe("a new record", () => {
  const NEW = "/operator/new-record/vehicles";

  it("is added once, and keeps what was typed if its id is taken", async () => {
    const seats = { "new.0.key": "seats", "new.0.value": "40" };
    const form = { ...(await open(editor.agent, NEW)), id: "bus", name: "Bus", ...seats };
    const added = await send(form, { path: NEW }).expect(303);
    expect(added.headers.location).toBe("/vehicles/bus");
    const bus = { id: "bus", name: "Bus", attributes: { seats: 40 } };
    expect(await site.db("vehicles").first()).toMatchObject(bus);
    const { text } = await send({ ...form, name: "Other bus" }, { path: NEW }).expect(409);
    expect(text).toContain('value="Other bus"');
    await send({ ...form, id: " " }, { path: NEW }).expect(400);
    expect(await site.db("vehicles")).toHaveLength(1);
    await editor.agent.get("/operator/new-record/dragons").expect(404);
  });
});

describe("hiding, removing and restoring", () => {
  const remove = async (action: string) => {
    const form = inputsOf((await editor.agent.get(`${PAGE}/remove`).expect(200)).text);
    return send({ ...form, action, note: "wrong" }, { path: `${PAGE}/remove` });
  };
  const restore = () => send({}, { path: `${PAGE}/restore` });

  it("hides a record from pages, the API and imports, until it is restored as it was", async () => {
    const before = await stored();
    expect((await remove("hide")).status).toBe(303);
    await request(site.app).get("/items/knife").expect(404);
    const records = [
      { id: "knife", name: "Again" },
      { id: "iron", name: "Iron" },
    ];
    await importRecords(site.db, "items", records);
    expect(await stored()).toBeUndefined();
    const { key } = await addWriteKey(site.db, editor.id);
    await request(site.app).put("/api/items/knife").set("X-API-Key", key).send({ name: "Again" }).expect(409);
    expect(read((await editor.agent.get("/operator/records")).text)).toContain("Knife hidden");
    expect(read((await editor.agent.get(`${PAGE}/history`)).text)).toContain("History of Knife hidden");
    await restore().expect(303);
    await restore().expect(303);
    expect(await stored()).toMatchObject({ attributes: before.attributes, name: "Knife" });
    const audited = await site.db("audit_log").orderBy("id").pluck("action");
    expect(audited).toEqual(["record.hidden", "record.restored"]);
  });

  it("keeps one if the version that was sent is an object", async () => {
    const fields = { action: "remove", note: "wrong", version: { toString: 1 } };
    await editor.agent.post(`${PAGE}/remove`).send(fields).expect(409);
    expect(await stored()).toBeDefined();
  });

  it("removes one, whose page says so, and an import may bring it back", async () => {
    expect((await remove("remove")).status).toBe(303);
    await request(site.app).get("/items/knife").expect(410);
    expect(read((await editor.agent.get(`${PAGE}/history`)).text)).toContain("History of Knife removed");
    await importRecords(site.db, "items", [{ id: "knife", name: "Again" }]);
    expect(await stored()).toMatchObject({ name: "Again" });
    await restore().expect(303);
    expect(await stored()).toMatchObject({ name: "Again" });
  });

  it("can restore a record of the demo, with its picture", async () => {
    await site.db("items").where({ id: "knife" }).update({ demo: true, picture: "p" });
    await remove("remove");
    await restore().expect(303);
    expect(await stored()).toMatchObject({ name: "Knife", picture: "p", demo: false });
    const revisions = site.db("catalogue_revisions").where({ entry_id: "knife" });
    expect(await revisions.pluck("author")).not.toContain(null);
  });

  it("asks again if somebody has changed the record", async () => {
    const form = await open(editor.agent, `${PAGE}/remove`);
    const change = { name: "New", revision: 2, updated_at: new Date() };
    await site.db("items").where({ id: "knife" }).update(change);
    await send({ ...form, action: "remove" }, { path: `${PAGE}/remove` }).expect(409);
    expect(await stored()).toBeDefined();
  });
});
