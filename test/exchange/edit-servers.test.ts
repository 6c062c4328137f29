import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { importRecords } from "../../src/exchange/import/import-records.ts";
import { loadServerBoard } from "../../src/servers/queries.ts";
import { type Agent, useTestApp } from "../helpers/app.ts";
import { emptyTables } from "../helpers/database.ts";
import { LOOPBACK } from "../helpers/egress.ts";
import { inputsOf, mainOf, textOf } from "../helpers/html.ts";
import { startSampPeer } from "../helpers/peers/samp.ts";
import { addRecords } from "../helpers/servers.ts";
import { addServer } from "../helpers/things.ts";

const site = useTestApp({ privateAddresses: LOOPBACK.opened });
const LIST = "/operator/servers";
const ONE = "/operator/records/servers/one";
const NEW = "/operator/new-record/servers";

let operator: Agent;
let other: Agent;
let editor: Agent;

beforeAll(async () => {
  const logIn = async (role: "operator" | "editor") =>
    (await site.logIn(await site.createUser({ role }))).agent;
  [operator, other, editor] = [await logIn("operator"), await logIn("operator"), await logIn("editor")];
});

beforeEach(async () => {
  await emptyTables(site.db, "servers, catalogue_tombstones, audit_log, rate_limits");
  await addServer(site.db, "one", { address: "one.test:7777" });
  await addServer(site.db, "two");
});

const inputsIn = (html: string) => inputsOf(html.replace('<form class="stack"', '<form class="form"'));
const open = async (path = ONE, agent = operator) => inputsIn((await agent.get(path).expect(200)).text);
const send = (fields: object, { path = ONE, agent = operator } = {}) =>
  agent.post(path).type("form").send(fields);
const stored = (id = "one") => site.db("servers").where({ id }).first();
const change = (columns: object, id = "one") => site.db("servers").where({ id }).update(columns);
const read = (html: string) => textOf(mainOf(html));

async function startPeer() {
  const peer = await startSampPeer();
  onTestFinished(() => peer.stop());
  return peer;
}

describe("the form of a server", () => {
  it("adds one with an adapter and its options, and changes it field by field", async () => {
    const fields = { id: "new", name: "New", address: "new.test:7777", adapter: "gamedig" };
    const options = { "adapter_options.type": "gtasam", "adapter_options.query_port": "7778" };
    await send({ ...(await open(NEW)), ...fields, ...options }, { path: NEW }).expect(303);
    const adapter_options = { type: "gtasam", query_port: 7778 };
    expect(await stored("new")).toMatchObject({ name: "New", adapter: "gamedig", adapter_options });
    const path = "/operator/records/servers/new";
    const changes = { "adapter_options.query_port": "", game: "SA-MP" };
    await send({ ...(await open(path)), ...changes }, { path }).expect(303);
    expect(await stored("new")).toMatchObject({ game: "SA-MP", adapter_options: { type: "gtasam" } });
  });

  it("shows what is wrong at its field, and keeps what was typed", async () => {
    const wrong = { adapter: "gamedig", "adapter_options.type": "no such game", name: "Typed" };
    const { text } = await send({ ...(await open()), ...wrong }).expect(400);
    expect(text).toMatch(/id="field-adapter_options_2etype-error"/);
    expect(inputsIn(text)).toMatchObject(wrong);
    expect(await stored()).toMatchObject({ name: "Server one" });
  });

  it("shows in Russian what is wrong and how its settings are called", async () => {
    const options = { "adapter_options.type": "no game", "adapter_options.query_port": "0" };
    const wrong = { ...options, adapter: "gamedig", url: "x", position: "1.5" };
    const path = `/ru${ONE}`;
    const { text } = await send({ ...(await open()), ...wrong }, { path }).expect(400);
    const errors = [...text.matchAll(/class="field-error"[^>]*>([^<]+)</g)].map(([, error]) => error);
    expect(errors).toHaveLength(4);
    expect(errors.join("\n")).not.toMatch(/\b(is|must|not|or|that|be)\b/);
    expect(errors.join("\n")).toContain("Порт опроса, если он не как у игры: нужно не меньше 1, а не 0.");
    const form = (await operator.get(path).expect(200)).text;
    expect(form).not.toContain("Настройка опроса:");
    expect(form).toContain("JSON Pointer к числу мест");
    const tested = await send({ ...(await open()), ...wrong, step: "test" }, { path }).expect(200);
    expect(read(tested.text)).toContain("query_port: нужно не меньше 1, а не 0");
    const unreached = { adapter: "gamedig", "adapter_options.type": "gtasam", address: "", step: "test" };
    const { text: addressless } = await send({ ...(await open()), ...unreached }, { path });
    expect(read(addressless)).toContain("Сначала укажите адрес");
  });

  it("refuses an address that nothing can be polled at", async () => {
    for (const address of ["http://x.example/", "host.invalid:0", "127.0.0.1:99999"]) {
      const { text } = await send({ ...(await open()), address }).expect(400);
      expect(read(text)).toContain(`must be host:port or a host alone, not "${address}"`);
    }
    for (const address of ["[2001:db8::1]:7777", "play.example.org"]) {
      await send({ ...(await open()), address }).expect(303);
      expect(await stored()).toMatchObject({ address });
    }
  });

  it("suggests the adapter of the server that was added last", async () => {
    expect(await open(NEW)).toMatchObject({ adapter: "gamedig", "adapter_options.type": "gtasam" });
    await change({ adapter: "gamedig", adapter_options: { type: "minecraft" } }, "two");
    const form = await open(NEW);
    expect(form).toMatchObject({ adapter: "gamedig", "adapter_options.type": "minecraft" });
    const silent = { id: "silent", name: "Silent", adapter: "", "adapter_options.type": "" };
    await send({ ...form, ...silent }, { path: NEW }).expect(303);
    expect(await stored("silent")).toMatchObject({ adapter: null, adapter_options: {} });
  });

  it("replaces an option that is an object as a whole", async () => {
    const adapter_options = { url: "https://list.test/", online: "/n", where: { "/id": 1 } };
    await change({ adapter: "json", adapter_options });
    await send({ ...(await open()), "adapter_options.where": '{"/name":"x"}' }).expect(303);
    expect((await stored()).adapter_options.where).toEqual({ "/name": "x" });
  });

  it("shows both versions to the second of two operators, whatever polls found meanwhile", async () => {
    const [mine, theirs] = [await open(), await open(ONE, other)];
    await change({ online: 5, status: "online", checked_at: new Date() });
    await send({ ...theirs, name: "Theirs" }, { agent: other }).expect(303);
    const { text } = await send({ ...mine, name: "Mine" }).expect(409);
    expect(read(text)).toContain("Theirs");
    expect(inputsIn(text)).toMatchObject({ name: "Mine" });
    await send(inputsIn(text)).expect(303);
    expect(await stored()).toMatchObject({ name: "Mine" });
  });
});

describe("a test of a server", () => {
  it("polls it once as the form has it, and stores nothing", async () => {
    const { port } = await startPeer();
    const typed = { adapter: "gamedig", address: `127.0.0.1:${port}`, "adapter_options.type": "gtasam" };
    const { text } = await send({ ...(await open(NEW)), ...typed, step: "test" }, { path: NEW }).expect(200);
    expect(read(text)).toMatch(/after \d+ ms.*12 \/ 100/);
    expect(inputsIn(text)).toMatchObject(typed);
    expect(await site.db("servers")).toHaveLength(2);
  });

  it("polls a stored one from the list", async () => {
    const { port } = await startPeer();
    const options = { adapter: "gamedig", adapter_options: { type: "gtasam" } };
    await change({ address: `127.0.0.1:${port}`, ...options });
    const { text } = await send({ test: "one" }, { path: LIST }).expect(200);
    expect(read(text)).toMatch(/New record in Servers.*after \d+ ms/);
    await send({ test: "none" }, { path: LIST }).expect(404);
    await change({ address: "http://x.example/", ...options });
    const { text: imported } = await send({ test: "one" }, { path: LIST }).expect(200);
    expect(read(imported)).toContain('must be host:port or a host alone, not "http://x.example/"');
  });

  it("does not save, even if the form has a mistake", async () => {
    const typed = { ...(await open()), name: "Typed", step: "test" };
    await send({ ...typed, "adapter_options.where": "{" }).expect(400);
    await send({ ...typed, adapter: "" }).expect(400);
    expect(await stored()).toMatchObject({ name: "Server one" });
  });

  it("is limited for each operator", async () => {
    const typed = { adapter: "gamedig", address: "none.invalid:1", "adapter_options.type": "nothing" };
    const test = { ...typed, step: "test" };
    await send(test, { path: NEW }).expect(200);
    expect(await site.db("rate_limits").update({ points: 59 })).toBe(1);
    await send(test, { path: NEW }).expect(200);
    await send(test, { path: NEW }).expect(429);
    await send(test, { path: NEW, agent: other }).expect(200);
  });
});

describe("the list of servers for operators", () => {
  const order = async () => (await loadServerBoard(site.db)).servers.map(({ id }) => id);

  it("moves a server within its group, and at the end of it the whole group", async () => {
    await addServer(site.db, "three");
    await site.db("servers").whereIn("id", ["two", "three"]).update({ group_name: "Europe" });
    expect(await order()).toEqual(["three", "two", "one"]);
    await send({ down: "three" }, { path: LIST }).expect(303);
    expect(await order()).toEqual(["two", "three", "one"]);
    await send({ up: "one" }, { path: LIST }).expect(303);
    expect(await order()).toEqual(["one", "two", "three"]);
    await send({ up: "one" }, { path: LIST }).expect(303);
    expect(await order()).toEqual(["one", "two", "three"]);
    const { text } = await site.agent().get("/servers").expect(200);
    expect(read(text)).toMatch(/Server one.*Europe.*Server two.*Server three/s);
    expect(await site.db("audit_log").pluck("action")).toEqual(["record.changed", "record.changed"]);
  });

  it("pauses a server, which is neither down nor polled until it is resumed", async () => {
    const down = { status: "offline", checked_at: new Date(), offline_since: new Date(), adapter: "gamedig" };
    await change(down);
    await send({ pause: "one" }, { path: LIST }).expect(303);
    await send({ pause: "one" }, { path: LIST }).expect(303);
    const paused = { status: "unknown", offline_since: null, paused_at: expect.any(Date) };
    expect(await stored()).toMatchObject(paused);
    expect(read((await site.agent().get("/servers/one").expect(200)).text)).toContain("paused");
    await send({ resume: "one" }, { path: LIST }).expect(303);
    expect(await stored()).toMatchObject({ paused_at: null });
    expect(await site.db("audit_log").pluck("after")).toEqual([{ paused: true }, { paused: false }]);
  });
});

describe("removing a server", () => {
  const REMOVE = `${ONE}/remove`;

  it("offers no merge and no hiding, and keeps the history for the next server with its id", async () => {
    expect(read((await operator.get(ONE)).text)).not.toMatch(/Hide|merge/);
    const text = read((await operator.get(REMOVE).expect(200)).text);
    expect(text).toContain("Remove Server one");
    expect(text).not.toMatch(/[Hh]ide|merge/);
    await addRecords(site.db, "one", [{ at: new Date(), online: 3 }]);
    const { number } = await stored();
    const hide = async () => send({ ...(await open(REMOVE)), action: "hide" }, { path: REMOVE }).expect(303);
    await hide();
    expect(await stored()).toBeUndefined();
    expect(await site.db("online_records").where({ server_number: number })).toHaveLength(1);
    await importRecords(site.db, "servers", [{ id: "one", name: "Back", address: "one.test:7777" }]);
    expect(await stored()).toMatchObject({ number, name: "Back" });
    expect(await site.db("catalogue_tombstones")).toEqual([]);
    await hide();
    await send({}, { path: `${ONE}/restore` }).expect(303);
    expect(await stored()).toMatchObject({ number, address: "one.test:7777" });
  });

  it("removes its history on request", async () => {
    await addRecords(site.db, "one", [{ at: new Date(), online: 3 }]);
    await send({ ...(await open(REMOVE)), action: "remove" }, { path: REMOVE }).expect(303);
    expect(await site.db("online_records")).toEqual([]);
    await send({}, { path: `${ONE}/restore` }).expect(404);
  });
});

describe("editors", () => {
  it("may not touch servers and the shop", async () => {
    for (const kind of ["servers", "donate-items"])
      for (const path of [`/operator/new-record/${kind}`, `/operator/records/${kind}/one`]) {
        await editor.get(path).expect(403);
        await send({ name: "Mine", version: "" }, { path, agent: editor }).expect(403);
        await send({}, { path: `/operator/records/${kind}/one/restore`, agent: editor }).expect(403);
      }
    expect(read((await editor.get("/operator/records").expect(200)).text)).not.toContain("Server");
  });
});
