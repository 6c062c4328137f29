import { readFileSync } from "node:fs";
import path from "node:path";
import request from "supertest";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  AUDITED_ACTIONS,
  COMMAND,
  recordAction,
  recorded,
  removeOldActions,
} from "../../src/db/audit-queries.ts";
import { importRecords } from "../../src/exchange/import/import-records.ts";
import { type Agent, type TestUser, useTestApp } from "../helpers/app.ts";
import { insertRecords } from "../helpers/catalogue.ts";
import { formOf, saveThroughPreview } from "../helpers/discount-form.ts";
import { addItem } from "../helpers/donate.ts";
import { mainOf, textOf } from "../helpers/html.ts";
import { addWriteKey } from "../helpers/write-keys.ts";

const site = useTestApp();
const PAGE = "/operator/audit-log";

let operator: TestUser;
let agent: Agent;

beforeAll(async () => {
  operator = await site.createUser({ role: "operator" });
  ({ agent } = await site.logIn(operator));
});

beforeEach(async () => {
  await site.db("audit_log").delete();
});

const lines = () => site.db("audit_log").orderBy("id");
const by = () => ({ userId: operator.id, via: "site", ip: "203.0.113.8" }) as const;
const period = { zone: "UTC", starts: "", ends: "" };
const discount = { item: "gold", kind: "percent", amount: "25", title: "Sale", ...period };

describe("the audit log", () => {
  it("records a discount of the form with who, what and from where", async () => {
    await addItem(site.db, { id: "gold", name: "Gold VIP", price: "9.99" });
    const form = { ...discount, id: "sale-12345678" };
    const preview = await saveThroughPreview(agent, "/operator/new-discount", form);
    const again = { ...formOf(preview), step: "save" };
    await agent.post("/operator/new-discount").type("form").send(again).expect(303);
    expect(await lines()).toMatchObject([
      {
        user_id: operator.id,
        user_name: operator.name,
        via: "site",
        ip: "127.0.0.1",
        request_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        action: "discount.saved",
        subject: "discounts/sale-12345678",
        before: null,
        after: { item_key: "gold", percent: 25, title: "Sale" },
      },
    ]);
    const end = "/operator/discounts/sale-12345678/end";
    await agent.post(end).type("form").send({ wanted: "end" }).expect(303);
    const [, ended] = await lines();
    expect(ended).toMatchObject({ action: "discount.ended", before: { ends_at: null } });
    expect(Object.keys(ended.after)).toEqual(["ends_at"]);
  });

  it("records writes of the API by the key's owner, field by field", async () => {
    const owner = await site.createUser();
    const { key } = await addWriteKey(site.db, owner.id);
    const call = (method: "put" | "patch" | "delete", body?: object) =>
      request(site.app)[method]("/api/items/knife").set("X-API-Key", key).send(body);
    await call("put", { name: "Knife", attributes: { damage: 3 } }).expect(201);
    await call("patch", { attributes: { damage: 4 } }).expect(200);
    await call("patch", { attributes: { damage: 4 } }).expect(200);
    await call("delete").expect(204);
    const about = { user_name: owner.name, via: "api", subject: "items/knife" };
    expect(await lines()).toMatchObject([
      { ...about, action: "record.added", after: { name: "Knife", "attributes.damage": 3 } },
      {
        ...about,
        action: "record.changed",
        before: { "attributes.damage": 3 },
        after: { "attributes.damage": 4 },
      },
      { ...about, action: "record.removed", before: { name: "Knife" }, after: null },
    ]);
  });

  it("records an import by command once, and no dry run", async () => {
    const records = [
      { id: "a", name: "A" },
      { id: "b", name: "B" },
    ];
    await importRecords(site.db, "vehicles", records, { by: COMMAND, dryRun: true });
    await importRecords(site.db, "vehicles", records, { by: COMMAND });
    await importRecords(site.db, "vehicles", records, { by: COMMAND });
    expect(await lines()).toMatchObject([
      { user_id: null, via: "command", action: "records.imported", subject: "vehicles", after: { added: 2 } },
    ]);
  });

  it("keeps nothing of an action that fails, and fails an action that it cannot record", async () => {
    const rename = (name: string) => (db: typeof site.db) =>
      db("users").where({ id: operator.id }).update({ language: name });
    const action = () => ({ action: "picture.changed" }) as const;
    const failing = async () => {
      throw new Error("no");
    };
    await expect(recorded(site.db, by(), failing, action)).rejects.toThrow("no");
    const unknown = { ...by(), userId: 999_999 };
    await expect(recorded(site.db, unknown, rename("de"), action)).rejects.toThrow("foreign key");
    expect(await lines()).toEqual([]);
    expect(await site.db("users").where({ id: operator.id }).first("language")).toEqual({ language: null });
  });

  it("cuts long values and keeps its lines when the account is gone", async () => {
    const { id, name } = await site.createUser();
    const change = { action: "picture.changed", after: { text: "x".repeat(9_000) } } as const;
    await recordAction(site.db, { ...by(), userId: id }, change);
    await site.db("users").where({ id }).delete();
    const [line] = await lines();
    expect(line).toMatchObject({ user_id: null, user_name: name });
    expect(line.after.text).toHaveLength(2_001);
  });

  it("keeps lines for a year", async () => {
    await recordAction(site.db, by(), { action: "picture.changed" });
    await recordAction(site.db, by(), { action: "vocabulary.saved" });
    const at = site.db.raw("now() - interval '366 days'");
    await site.db("audit_log").where({ action: "picture.changed" }).update({ at });
    expect(await removeOldActions(site.db)).toBe(1);
    expect(await lines()).toMatchObject([{ action: "vocabulary.saved" }]);
  });

  it("describes every action in docs/security-log.md", () => {
    const docs = readFileSync(path.join(import.meta.dirname, "../../docs/security-log.md"), "utf8");
    expect(AUDITED_ACTIONS.filter((action) => !docs.includes(`\`${action}\``))).toEqual([]);
  });
});

describe("the page of the audit log", () => {
  const read = async (query = "", status = 200) =>
    textOf(mainOf((await agent.get(PAGE + query).expect(status)).text));

  it("shows what changed, escaped, with a link to the record", async () => {
    await insertRecords(site.db, "items", [{ id: "a/b" }]);
    const change = { before: { name: "<b>old</b>" }, after: { name: "new" } };
    await recordAction(site.db, by(), { action: "record.changed", subject: "items/a/b", ...change });
    const { text } = await agent.get(PAGE).expect(200);
    expect(text).toContain("&lt;b&gt;old");
    expect(text).toContain('href="/items/a%2Fb"');
    expect(text).toContain("203.0.113.8");
  });

  it("filters by person, action, subject and days", async () => {
    await recordAction(site.db, by(), { action: "record.changed", subject: "items/a" });
    await recordAction(site.db, COMMAND, { action: "records.imported", subject: "items" });
    await site.db("audit_log").where({ subject: "items" }).update({ at: "2026-01-31T12:00:00Z" });
    const shown = async (query: string) => {
      const text = await read(query);
      return [
        /Record changed.*items\/a/.test(text.slice(text.indexOf("From where"))),
        /command line/.test(text),
      ];
    };
    expect(await shown("")).toEqual([true, true]);
    expect(await shown(`?who=${operator.name.toUpperCase()}`)).toEqual([true, false]);
    expect(await shown("?action=records.imported")).toEqual([false, true]);
    expect(await shown("?subject=items/")).toEqual([true, false]);
    expect(await shown("?from=2026-01-31&until=2026-01-31")).toEqual([false, true]);
    expect(await shown("?from=2026-02-01")).toEqual([true, false]);
    expect(await read("?from=yesterday", 400)).toContain("must be a day");
    await agent.get(`${PAGE}?action=nonsense`).expect(400);
  });

  it("goes on by the last id, without gaps while lines are added", async () => {
    for (let at = 0; at < 60; at++)
      await recordAction(site.db, COMMAND, { action: "record.changed", subject: `items/number-${at}` });
    const first = (await agent.get(`${PAGE}?subject=items`)).text;
    await recordAction(site.db, COMMAND, { action: "record.changed", subject: "items/number-60" });
    const next = /href="([^"]*before=[^"]*)" rel="next"/.exec(first)?.[1]?.replaceAll("&amp;", "&") ?? "";
    const second = (await agent.get(next).expect(200)).text;
    const numbers = [...(mainOf(first) + mainOf(second)).matchAll(/href="\/items\/number-(\d+)"/g)].map(
      ([, n]) => Number(n),
    );
    expect(numbers).toEqual(Array.from({ length: 60 }, (_, at) => 59 - at));
  });

  it("gives all of it as CSV, harmless in a spreadsheet", async () => {
    await recordAction(site.db, by(), {
      action: "record.changed",
      subject: "=1+1",
      after: { name: 'a "b", c' },
    });
    for (let at = 0; at < 1_001; at++)
      await recordAction(site.db, COMMAND, { action: "records.imported", subject: "items" });
    const { text, headers } = await agent.get(`${PAGE}.csv`).expect(200);
    expect(headers["content-type"]).toBe("text/csv; charset=utf-8");
    expect(text.trimEnd().split("\r\n")).toHaveLength(1_003);
    expect(text).toContain("'=1+1");
    const one = (await agent.get(`${PAGE}.csv?action=record.changed`)).text;
    expect(one.trimEnd().split("\r\n")).toHaveLength(2);
    expect(one).toContain('{""name"":""a \\""b\\"", c""}');
  });
});
