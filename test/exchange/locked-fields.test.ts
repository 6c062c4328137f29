import request from "supertest";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { COMMAND } from "../../src/db/audit-queries.ts";
import type { ImportOptions } from "../../src/exchange/import/arguments.ts";
import { importRecords } from "../../src/exchange/import/import-records.ts";
import { changePicture } from "../../src/records/pictures/operator/queries.ts";
import { translateText } from "../../src/words/i18n/lazy-text.ts";
import { type Agent, type TestUser, useTestApp } from "../helpers/app.ts";
import { emptyTables } from "../helpers/database.ts";
import { inputsOf, mainOf, textOf } from "../helpers/html.ts";
import { addWriteKey } from "../helpers/write-keys.ts";

const site = useTestApp();
const PAGE = "/operator/records/items/knife";
const KNIFE = {
  ...{ id: "knife", name: "Knife", names: { ru: "Нож", de: "Messer" }, image: "/a.png", popularity: 1 },
  attributes: { damage: 3, origin: "Paris" },
};

let editor: TestUser & { agent: Agent };
let key: string;

beforeAll(async () => {
  editor = await site.logIn(await site.createUser({ role: "editor" }));
  ({ key } = await addWriteKey(site.db, editor.id));
});

beforeEach(async () => {
  await emptyTables(site.db, "items, catalogue_tombstones, audit_log, imports, import_changes");
  await load([KNIFE, { id: "iron", name: "Iron" }]);
});

const load = (records: readonly object[], options: ImportOptions = {}) =>
  importRecords(site.db, "items", records, { by: COMMAND, origin: {}, ...options });
const open = async () => inputsOf((await editor.agent.get(PAGE).expect(200)).text);
const send = (fields: Record<string, string>) => editor.agent.post(PAGE).type("form").send(fields);
const stored = () => site.db("items").where({ id: "knife" }).first();

async function lock(...names: string[]): Promise<void> {
  const locks = Object.fromEntries(names.map((name) => [`lock.${name}`, "1"]));
  await send({ ...(await open()), ...locks }).expect(303);
}

const NEW = {
  ...{ id: "knife", name: "Blade", names: { ru: "Клинок", de: "Klinge" }, image: "/b.png", category: "Arms" },
  ...{ popularity: 2, attributes: { damage: 9, weight: 1 } },
};

describe("a locked field", () => {
  it("keeps its value in an import, which changes and lists the others", async () => {
    await lock("name", "names.de", "category", "attributes.damage", "image", "popularity");
    const { changed, warnings, preview } = await load([NEW], { dryRun: true });
    expect({ changed, fields: preview?.changed[0]?.fields }).toEqual({
      ...{ changed: 1, fields: ["names", "attributes"] },
    });
    expect(warnings.map((warning) => translateText(warning))).toEqual([
      "1 left alone: knife (locked: attributes.damage, category, image, name, names.de, popularity)",
    ]);
    expect(await load([NEW])).toMatchObject({ changed: 1, warnings });
    expect(await stored()).toMatchObject({
      ...{ name: "Knife", names: { ru: "Клинок", de: "Messer" }, image: "/a.png", popularity: 1 },
      attributes: { damage: 3, weight: 1 },
    });
    expect((await stored()).attributes).toEqual({ damage: 3, weight: 1 });
    expect((await stored()).category).toBeNull();
    expect(await load([NEW])).toMatchObject({ changed: 0 });
    // A file with the same value is no reason for a warning.
    expect(await load([{ id: "knife", name: "Knife", popularity: 1 }])).toMatchObject({ warnings: [] });
  });

  it("keeps the record's picture with its address", async () => {
    await changePicture(site.db, { kind: "items", id: "knife", picture: "picture-1" });
    await lock("image");
    const pictures = { of: () => "picture-2", unused: () => [] } as unknown as ImportOptions["pictures"];
    await importRecords(site.db, "items", [NEW], { pictures } as ImportOptions);
    expect(await stored()).toMatchObject({ image: "/a.png", picture: "picture-1" });
  });

  it("is kept by a batch of the API, but not by a write of one record", async () => {
    await lock("name");
    const records = [{ id: "knife", name: "Blade" }];
    const batch = await request(site.app)
      .post("/api/items")
      .set("X-API-Key", key)
      .send({ records })
      .expect(200);
    expect(batch.body.warnings).toEqual(["1 left alone: knife (locked: name)"]);
    const patch = { name: "Patched" };
    await request(site.app).patch("/api/items/knife").set("X-API-Key", key).send(patch).expect(200);
    expect(await stored()).toMatchObject({ name: "Patched", locked: ["name"] });
  });

  it("keeps its record from pruning", async () => {
    await lock("name");
    const { removed, warnings } = await load([{ id: "bow", name: "Bow" }], { prune: true, force: true });
    expect(removed).toBe(1);
    expect(translateText(warnings)).toBe("1 left alone: knife (locked, so not removed)");
    expect(await site.db("items").orderBy("id").pluck("id")).toEqual(["bow", "knife"]);
  });
});

describe("a lock", () => {
  it("is shown by the form and the history, audited, and removed again", async () => {
    await lock("name", "attributes.origin");
    const form = await open();
    expect(form).toMatchObject({ "lock.name": "1", "lock.attributes.origin": "1" });
    expect(form).not.toHaveProperty("lock.popularity");
    const history = textOf(mainOf((await editor.agent.get(`${PAGE}/history`).expect(200)).text));
    expect(history).toContain("Imports don’t change: Name, Origin.");
    const { "lock.name": _, ...rest } = form;
    await send(rest).expect(303);
    expect(await stored()).toMatchObject({ locked: ["attributes.origin"], revision: 1 });
    expect(await site.db("audit_log").orderBy("id").where({ subject: "items/knife" })).toMatchObject([
      { action: "record.changed", before: { locked: [] }, after: { locked: ["name", "attributes.origin"] } },
      { before: { locked: ["name", "attributes.origin"] }, after: { locked: ["attributes.origin"] } },
    ]);
    await send(rest).expect(303);
    expect(await stored()).toMatchObject({ locked: ["attributes.origin"] });
  });

  it("survives a form that was opened before it, and a mistake in the form", async () => {
    const form = await open();
    await lock("name");
    await send({ ...form, "lock.popularity": "1" }).expect(303);
    expect((await stored()).locked).toEqual(["name", "popularity"]);
    const wrong = await send({ ...(await open()), "lock.category": "1", popularity: "-1" }).expect(400);
    expect(inputsOf(wrong.text)).toMatchObject({ "lock.category": "1", "lock.name": "1" });
  });

  it("comes back with a record that was removed", async () => {
    await lock("name");
    const page = inputsOf((await editor.agent.get(`${PAGE}/remove`).expect(200)).text);
    const removal = editor.agent
      .post(`${PAGE}/remove`)
      .type("form")
      .send({ ...page, action: "remove" });
    await removal.expect(303);
    await editor.agent.post(`${PAGE}/restore`).expect(303);
    expect(await stored()).toMatchObject({ name: "Knife", locked: ["name"] });
  });
});
