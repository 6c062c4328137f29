import { gzipSync } from "node:zlib";
import { pino } from "pino";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startJobs } from "../../src/commands/jobs/run.ts";
import type { Tasks } from "../../src/db/jobs.ts";
import { lockKind } from "../../src/exchange/import/storage/queries.ts";
import { removeOldImports, uploadTasks } from "../../src/exchange/imports/uploads.ts";
import { textsIn } from "../../src/words/i18n/translate.ts";
import { LiveVocabulary } from "../../src/words/vocabulary/live.ts";
import { type Agent, useTestApp } from "../helpers/app.ts";
import { emptyTables, openTransaction } from "../helpers/database.ts";
import { queuedJobs } from "../helpers/jobs.ts";

const site = useTestApp();
let operator: Agent;
let jobs: ReturnType<typeof startJobs>;

beforeAll(async () => {
  operator = (await site.logIn(await site.createUser({ name: "Olga", role: "operator" }))).agent;
  const tasks = uploadTasks({ db: site.db, vocabulary: new LiveVocabulary() }) as Tasks;
  jobs = startJobs({ db: site.db, tasks, log: pino({ level: "silent" }) });
});
afterAll(() => jobs.stop());

beforeEach(async () => {
  await emptyTables(
    site.db,
    "items, houses, donate_items, imports, import_changes, import_sources, import_uploads, record_sources, catalogue_tombstones, audit_log",
  );
});

/** Sends a file by the form; resolves to the path of its page. */
async function upload(content: string | Buffer, fields: Record<string, string> = {}, name = "items.json") {
  const { headers } = await send(content, fields, name).expect(303);
  return String(headers.location);
}

function send(content: string | Buffer, fields: Record<string, string> = {}, name = "items.json") {
  const form = operator.post("/operator/imports/new").field({ kind: "items", source: "wiki", ...fields });
  return form.attach("file", Buffer.from(content), name);
}

const page = async (path: string, status = 200) => (await operator.get(path).expect(status)).text;
const submit = (path: string, form: object) => operator.post(path).type("form").send(form).expect(303);

/** Sends a form; resolves to the page that comes of its job. */
async function run(path: string, form: object): Promise<string> {
  await submit(path, form);
  await expect.poll(() => queuedJobs(site.db), { interval: 10 }).toEqual([]);
  return page(path);
}

/** The choices of the form as it is shown. */
function chosen(html: string): Record<string, string> {
  const selects = [...html.matchAll(/<select name="(field\.\d+)".*?<\/select>/gs)];
  const value = (select: string) => /<option value="([^"]*)" selected>/.exec(select)?.[1] ?? "";
  return Object.fromEntries(selects.map(([select, name = ""]) => [name, value(select)]));
}

/** Each field of the form as the field of ours with the same name. */
const identity = (html: string) =>
  Object.fromEntries(
    [...html.matchAll(/<code>([^<]+)<\/code><\/th>\s*<td><select name="(field\.\d+)"/g)].map(
      ([, field = "", name = ""]) => [name, field],
    ),
  );

const FILE = JSON.stringify([
  { key: "a", title: "Axe", title_ru: "Топор", type: "Weapons", damage: 7, note: "x" },
  { key: "b", title: "Bow", title_ru: "Лук", type: "Weapons", damage: 5, note: "y" },
]);

describe("a file in the browser", () => {
  it("is mapped by the names of its fields, checked, applied and kept as a source", async () => {
    const path = await upload(FILE);
    const html = await page(path);
    const guessed = chosen(html);
    const fields = ["id", "name", "name.ru", "category", "attributes.damage", "attributes.note"];
    expect(Object.values(guessed)).toEqual(fields);
    expect(html).toContain("Axe · Bow");
    expect(await page(`/ru${path}`)).toContain("Характеристика: damage");
    const checked = await run(path, { ...guessed, "field.5": "" });
    expect(checked).toContain("Records in the file: 2. Added: 2, changed: 0, removed: 0.");
    expect(await site.db("items").pluck("id")).toEqual([]);
    const applied = await run(path, { action: "apply" });
    expect(applied).toContain("The file is imported.");
    const items = site.db("items").orderBy("id").select("id", "name", "names", "category", "attributes");
    expect(await items).toEqual([
      { id: "a", name: "Axe", names: { ru: "Топор" }, category: "Weapons", attributes: { damage: 7 } },
      { id: "b", name: "Bow", names: { ru: "Лук" }, category: "Weapons", attributes: { damage: 5 } },
    ]);
    const [found] = await site.db("imports").whereNotNull("via");
    const origin = { source: "wiki", file: "items.json", via: "site", user_name: "Olga", added: 2 };
    expect(found).toMatchObject(origin);
    expect(applied).toContain(`href="/operator/imports/${found.id}"`);
    expect(await site.db("audit_log").where({ action: "records.imported" }).first()).toMatchObject({
      user_name: "Olga",
    });
    // The next file of the source only has to be sent.
    expect(await page("/operator/imports/new")).toContain("?kind=items&amp;source=wiki");
    expect(chosen(await page(await upload(FILE)))).toEqual({ ...guessed, "field.5": "" });
  });

  it("shows changes field by field, and which records of this source alone it would remove", async () => {
    const first = await upload(FILE);
    await run(first, chosen(await page(first)));
    await run(first, { action: "apply" });
    await site.db("items").insert({ id: "own", name: "Own" });
    const path = await upload(JSON.stringify([{ key: "a", title: "<Axe>", damage: 9 }]));
    const checked = await run(path, { ...chosen(await page(path)), prune: "1", force: "1" });
    expect(checked).toMatch(/<del>.*<\/span>Axe<\/del> <ins>.*<\/span>&lt;Axe&gt;<\/ins>/);
    expect(checked).toContain("Removed: 1");
    expect(checked).not.toContain(">Own<");
    await run(path, { action: "apply" });
    expect(await site.db("items").orderBy("id").pluck("id")).toEqual(["a", "own"]);
  });

  it("counts the records of the demo that it takes over as changed", async () => {
    await site.db("items").insert({ id: "a", name: "Demo axe", demo: true });
    const path = await upload(FILE);
    const checked = await run(path, chosen(await page(path)));
    expect(checked).toContain("Added: 1, changed: 1, removed: 0.");
    expect(checked).toMatch(/<h2 id="changed">Changed: 1<.*Demo axe/s);
  });

  it("is applied once, however often and in whatever order the forms are sent", async () => {
    const path = await upload(FILE);
    await submit(path, { action: "apply" });
    expect(await site.db("import_uploads").pluck("state")).toEqual(["new"]);
    const guessed = chosen(await page(path));
    await run(path, guessed);
    const held = await openTransaction(site.db);
    await lockKind(held, "items");
    await submit(path, { action: "apply" });
    await submit(path, { action: "apply" });
    await submit(path, guessed);
    expect(await site.db("import_uploads").pluck("state")).toEqual(["applying"]);
    const { text, headers } = await operator.get(path);
    expect(text).toContain("Importing …");
    expect(headers.refresh).toBe("2");
    await held.rollback();
    await run(path, { action: "apply" });
    expect(await site.db("imports").whereNotNull("via").pluck("added")).toEqual([2]);
    expect((await operator.get(path)).headers).not.toHaveProperty("refresh");
  });

  it("offers a field that its first records do not have, with its first values", async () => {
    const plain = Array.from({ length: 30 }, (_, at) => ({ id: `i${at}`, name: `Item ${at}` }));
    const last = plain.map((record, at) => (at < 15 ? record : { ...record, weight: at }));
    const html = await page(await upload(JSON.stringify(last)));
    expect(Object.values(chosen(html))).toEqual(["id", "name", "attributes.weight"]);
    expect(html).toContain("15 · 16 · 17 · 18 · 19 · 20 · 21 · 22 · 23 · 24<");
  });

  it("can be packed, CSV without ids, or a list within an object", async () => {
    const csv = await upload(gzipSync("name;damage\nAxe;7,5\n"), { source: "" }, "axes.csv.gz");
    expect(await page(csv)).toContain("Items, axes.csv.gz");
    await run(csv, chosen(await page(csv)));
    await run(csv, { action: "apply" });
    expect(await site.db("items").select("id", "attributes")).toEqual([
      { id: "axe", attributes: { damage: 7.5 } },
    ]);
    const object = `{"data": {\n"items": ${FILE}}}`;
    expect((await send(object).expect(400)).text).toContain("data.items");
    const inObject = await upload(object, { list: "data.items" });
    expect(chosen(await page(inObject))).toMatchObject({ "field.0": "id" });
  });

  it("is read from the only list in an object without a name", async () => {
    const path = await upload(`{"status": "ok", "data": {"total": 2, "items": ${FILE}}}`);
    const html = await page(path);
    expect(html).toContain("Items, wiki, data.items");
    expect(await run(path, chosen(html))).toContain("Records in the file: 2. Added: 2,");
    expect(Object.values(chosen(await page(await upload(`{"name": "A", "parts": ${FILE}}`))))).toEqual([
      ...["name", "attributes.parts"],
    ]);
    const two = await page(await upload(`{"a": ${FILE}, "b": ${FILE}}`));
    expect(Object.values(chosen(two))).toEqual(["attributes.a", "attributes.b"]);
  });

  it("takes a currency for the shop", async () => {
    const path = await upload('[{"id": "vip", "name": "VIP", "cost": 5}]', { kind: "donate-items" });
    await run(path, { ...chosen(await page(path)), currency: "eur" });
    await run(path, { action: "apply" });
    const prices = await site.db("donate_items").select("price", "currency");
    expect(prices).toEqual([{ price: "5.00", currency: "EUR" }]);
  });

  it.each(["", "евро"])("needs the code of a currency for the shop, not %j", async (currency) => {
    const path = await upload('[{"id": "vip", "name": "VIP", "cost": 5}]', { kind: "donate-items" });
    const sent = operator
      .post(path)
      .type("form")
      .send({ ...chosen(await page(path)), currency, prune: "1" });
    const { text } = await sent.expect(400);
    expect(text).toMatch(/id="currency-error">\s*Enter the code of a currency/);
    expect(text).toMatch(/id="prune"[^>]* checked|name="prune"[^>]* checked| checked[^>]* name="prune"/);
    expect(await site.db("import_uploads").pluck("state")).toEqual(["new"]);
  });

  it("needs a field that becomes the name, and says so in place of errors of each record", async () => {
    const path = await upload('[{"key": "a", "title": "Axe"}]');
    const sent = operator.post(`/ru${path}`).type("form").send({ "field.0": "id", "field.1": "category" });
    const { text } = await sent.expect(400);
    expect(text).toContain("Выберите, какое поле — Название.");
    expect(Object.values(chosen(text))).toEqual(["id", "category"]);
    expect(await run(path, { "field.0": "id", "field.1": "name.ru" })).toContain("Added: 1,");
  });
});

describe("the guess of what a field becomes", () => {
  const guessed = async (content: string, kind = "items", name = "items.json") =>
    Object.values(chosen(await page(await upload(content, { kind }, name))));

  it.each(["en", "ru"])("lets the file of a list in %s change nothing", async (language) => {
    const record = { names: { ru: "Топор", de: "Axt" }, category: "Firearms", popularity: 5 };
    const axe = {
      ...record,
      id: "a",
      name: "Axe",
      descriptions: { en: "Sharp." },
      image: "https://x.example/a",
    };
    await site.db("items").insert([
      { ...axe, attributes: { price: 5, top_speed_kmh: 7.5 } },
      { id: "b", name: "Bow", category: "Bows", popularity: 1, attributes: { price: 2, top_speed_kmh: 1 } },
    ]);
    const before = await site.db("items").orderBy("id");
    const path = await upload(await site.page(`/${language}/items.csv`), {}, "items.csv");
    const checked = await run(path, chosen(await page(path)));
    expect(checked).toContain("Records in the file: 2. Added: 0, changed: 0, removed: 0.");
    await run(path, { action: "apply" });
    expect(await site.db("items").orderBy("id")).toEqual(before);
  });

  it("is by the labels of fields and attributes in every language of the site", async () => {
    await site.db("items").insert({ id: "b", name: "Bow", attributes: { price: 2, top_speed_kmh: 1 } });
    const csv =
      "Код;Название;КАТЕГОРИЯ;Цена;Top speed, km/h;Название: Английский;Адрес\n1;Топор;Оружие;5;7;Axe;x\n";
    expect(await guessed(csv)).toEqual(
      "id name category attributes.price attributes.top_speed_kmh name.en attributes.Адрес".split(" "),
    );
    await site
      .db("donate_items")
      .insert({ id: "b", name: "B", currency: "EUR", attributes: { currency: 1 } });
    expect(await guessed("Name;Currency\nVIP;EUR\n", "donate-items")).toEqual(["name", "currency"]);
    expect(await guessed("Название;Цена;Валюта\nVIP;5;EUR\n", "donate-items")).toEqual([
      "name",
      "price",
      "currency",
    ]);
  });

  it("takes true for the status of a server, and only numbers for its players", async () => {
    const server = { name: "A", online: true, players: 4, maxplayers: 50 };
    expect(await guessed(JSON.stringify([server]), "servers")).toEqual([
      "name",
      "status",
      "online",
      "max_online",
    ]);
    expect(await guessed(JSON.stringify([{ name: "A", online: 4, players: ["Bob"] }]), "servers")).toEqual([
      ...["name", "online", "attributes.players"],
    ]);
  });
});

describe("coordinates", () => {
  const places = JSON.stringify([{ name: "Shop", entrance: [-20.5, 3, 7], exit: [1, 2, 3] }]);

  it("are taken from the first list of numbers of a house, and offered for each other", async () => {
    const path = await upload(places, { kind: "houses" });
    const html = await page(path);
    expect(Object.values(chosen(html))).toEqual([
      ...["name", "", "attributes.x", "attributes.y", "attributes.z", "attributes.exit", "", "", ""],
    ]);
    await run(path, chosen(html));
    await run(path, { action: "apply" });
    expect(await site.db("houses").pluck("attributes")).toEqual([{ x: -20.5, y: 3, z: 7, exit: [1, 2, 3] }]);
    const other = ["field.0=name", "field.6=attributes.x", "field.7=attributes.y"].join("&");
    const second = await upload(places, { kind: "houses", source: "exits" });
    await run(second, Object.fromEntries(new URLSearchParams(other)));
    await run(second, { action: "apply" });
    expect(await site.db("houses").pluck("attributes")).toEqual([{ x: 1, y: 2 }]);
  });

  it("are not guessed where the file has x or the kind is on no map", async () => {
    const guessed = async (content: string, kind: string) =>
      Object.values(chosen(await page(await upload(content, { kind }))));
    expect(await guessed('[{"name": "A", "at": [1, 2], "x": 5}]', "houses")).toEqual([
      ...["name", "attributes.at", "", "", "attributes.x"],
    ]);
    expect(await guessed('[{"name": "A", "range": [1, 2]}]', "items")).toEqual([
      ...["name", "attributes.range", "", ""],
    ]);
  });
});

describe("the choices of a field", () => {
  it.each([
    ["items", ["Название", "Категория", "Название: Русский", "Категория: Русский", "Описание: Русский"]],
    ["donate-items", ["Цена", "Валюта", "Запись: раздел", "Запись: ID"]],
    ["servers", ["Игра", "Адрес", "Игроков", "Мест", "Состояние", "Описание: Русский"]],
    ["discounts", ["Товар: ID", "Название: Русский", "Процент"]],
    ["relations", ["От: раздел и ID", "Связь", "Количество"]],
  ])("are translated, and offer the parts of objects one by one: %s", async (kind, expected) => {
    const html = await page(`/ru${await upload('[{"some": 1}]', { kind })}`);
    const labels = [...html.matchAll(/<option value="([^"]+)"[^>]*>([^<]*)</g)].map(([, , label]) => label);
    expect(labels).toEqual(expect.arrayContaining(expected));
    expect(
      labels.filter((label) => /[a-z_]{3}/.test(label?.replace(/^Характеристика:.*/, "") ?? "")),
    ).toEqual([]);
    expect(labels.filter((label) => /по языкам|Все характеристики/.test(label ?? ""))).toEqual([]);
  });
});

describe("a bad file", () => {
  it("is not imported if it is cut off later or has invalid records", async () => {
    const cut = `${FILE.slice(0, -1)},${'{"key": "c", "title": "C"},'.repeat(20)}`;
    const { text } = await send(cut).expect(400);
    expect(text).toContain("is it cut off?");
    const invalid = await upload('[{"id": "a", "name": "A"}, {"id": "b", "name": ""}]');
    const refused = await run(invalid, chosen(await page(invalid)));
    expect(refused).toContain("record 2: Name: is missing");
    expect(refused).toContain("1 of 2 records are not valid");
    await run(invalid, { ...chosen(refused), skip_invalid: "1" });
    await run(invalid, { action: "apply" });
    expect(await site.db("items").pluck("id")).toEqual(["a"]);
  });

  it("gets the same advice as in the shell if it is an object with a list", async () => {
    const path = await upload(`{"name": "", "items": ${FILE}}`);
    const advice = "Perhaps the file is an object with a list in it, read by --records items.";
    expect(await run(path, chosen(await page(path)))).toContain(advice);
  });

  it("is refused without a file, with an unknown kind, a bad source or too many bytes", async () => {
    const without = operator.post("/operator/imports/new").field({ kind: "items" });
    expect((await without.expect(400)).text).toContain("Choose a file first.");
    await send(FILE, { kind: "nothing" }).expect(400);
    expect((await send(FILE, { source: "x".repeat(61) }).expect(400)).text).toContain("1 to 60 characters");
    await send(Buffer.alloc(33 * 1024 * 1024, "x")).expect(413);
    await operator.post("/operator/imports/new").type("form").send({ kind: "items" }).expect(400);
    await operator.post("/operator/imports/new").type("text").send("kind=items").expect(415);
  });
});

/** English words; values in quotes, addresses and names of fields are the same in every language. */
const ENGLISH = /\b(the|is|are|has|have|must|not|and|be|it|its|needs?|cannot|only|with|than)\b/i;

/** The refusals on a page: its notice, and the lines below it. */
function refusalsOn(html: string): string[] {
  const shown = html.matchAll(
    /<p class="notice is-warning" role="alert"[^>]*>([^<]*)<|<ul><li>(.*?)<\/ul>/gs,
  );
  const errors = html.matchAll(/<(?:p|span) class="field-error"[^>]*>([^<]*)</g);
  const texts = [...shown, ...errors].map(([, notice, lines]) => notice ?? lines ?? "");
  return texts.flatMap((text) => text.split("</li>")).map((text) => text.replace(/<li>/, "").trim());
}

function expectRussian(html: string): string {
  const texts = refusalsOn(html).filter((text) => text !== "");
  expect(texts.length).toBeGreaterThan(0);
  for (const text of texts) {
    const words = text.replaceAll(/&#34;.*?&#34;|«.*?»/g, "");
    expect(words).toMatch(/[а-яё]{3}/i);
    expect(words).not.toMatch(ENGLISH);
  }
  return texts.join("\n").toLowerCase();
}

describe("the pages in Russian show no English refusal", () => {
  const sendRussian = (content: string | Buffer, fields: Record<string, string> = {}) =>
    operator
      .post("/ru/operator/imports/new")
      .field({ kind: "items", source: "wiki", ...fields })
      .attach("file", Buffer.from(content), "items.json");

  it.each<[content: string | Buffer, shown: string, fields?: Record<string, string>]>([
    ["<!doctype html>", "это страница"],
    ['"id,name\n1,2\n', "первая строка: кавычка не закрыта"],
    [Buffer.from("PK\u0003\u0004".padEnd(30, "x").concat("xl/")), "электронная таблица"],
    ['{"a": [1],\n"b": [2]}', "a или b"],
    ['{"a": [1]}', "списка «b» в файле нет; файл — объект", { list: "b" }],
    [FILE, "в названии источника", { source: "x".repeat(61) }],
    ["[]", "В файле нет записей"],
  ])("of a file (%#)", async (content, shown, fields) => {
    const { text } = await sendRussian(content, fields).expect(400);
    expect(expectRussian(text)).toContain(shown.toLowerCase());
    expect(await site.db("import_uploads").pluck("id")).toEqual([]);
  });

  const invalid = {
    items: [
      { name: "no id", popularity: "many" },
      { id: ["a"], name: {}, image: "x", category: "x".repeat(101) },
      { id: "..", name: "\u200b", names: { zz9: "x" }, description: "\u0001", image: "//elsewhere/x" },
      { id: "a", name: "A", attributes: 5 },
      { id: "a", name: "B", names: [] },
      [],
    ],
    relations: [
      { from: "item:a", from_id: "a", to: "cat:1", kind: "!" },
      { from: "x", to: "item:..", kind: "made-of", count: 0, chance: 2 },
    ],
    servers: [
      { id: "1", name: "A", url: "x", position: "x", online: -1, status: "x", checked_at: "3000-01-01" },
      { id: "2", name: "A", adapter: "x", adapter_options: "x" },
      { id: "3", name: "A", adapter_options: { type: "samp" } },
      { id: "4", name: "A", adapter: "gamedig", adapter_options: { type: "no game", port: 0, x: 1 } },
      { id: "5", name: "A", adapter: "json", adapter_options: { url: "x", online: "", where: { x: 1 } } },
    ],
  };

  it.each(Object.entries(invalid))("of a record: %s", async (kind, records) => {
    const { headers } = await sendRussian(JSON.stringify(records), { kind }).expect(303);
    const path = String(headers.location);
    await run(path, identity(await page(path)));
    const shown = expectRussian(await page(path));
    for (let record = 1; record <= records.length; record++) expect(shown).toContain(`запись ${record}: `);
    await run(path, { ...identity(await page(path)), skip_invalid: "1" });
    expect(expectRussian(await page(path))).toContain("взять нечего");
  });

  it("of rows that cannot be read", async () => {
    const { headers } = await sendRussian('id,name\n1\n2,x"y\n3,C\n').expect(303);
    const path = String(headers.location);
    await run(path, identity(await page(path)));
    const shown = expectRussian(await page(path));
    expect(shown).toContain("записи с ошибками: 2 из 3; чтобы взять остальные");
    expect(shown).toContain("запись 1: ячеек 1, а в первой строке 2");
  });

  it("of any text that they are made of", () => {
    const texts = Object.entries(textsIn("ru").refusals as Record<string, string>);
    const words = texts.map(
      ([key, text]) => [key, text.replaceAll(/\{\{\w+\}\}|"[^"]*"|«.*?»/g, "")] as const,
    );
    expect(words.length).toBeGreaterThan(100);
    expect(words.filter(([, text]) => ENGLISH.test(text))).toEqual([]);
    const without = words.filter(([, text]) => !/[а-яё]/i.test(text)).map(([key]) => key);
    expect(without).toEqual(["quoted", "end_id", "field", "list_option", "because"]);
  });
});

describe("an upload", () => {
  it("is removed after a day, and the values that an import replaced after 90 days", async () => {
    const path = await upload(FILE);
    await run(path, chosen(await page(path)));
    await run(path, { action: "apply" });
    await removeOldImports(site.db);
    await page(path);
    expect(await site.db("import_changes").pluck("id")).toHaveLength(2);
    await site.db("import_uploads").update({ at: site.db.raw("now() - interval '25 hours'") });
    await site.db("imports").update({ at: site.db.raw("now() - interval '91 days'") });
    await removeOldImports(site.db);
    await page(path, 404);
    expect(await site.db("import_changes").pluck("id")).toEqual([]);
  });
});
