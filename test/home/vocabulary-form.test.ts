import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import request from "supertest";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { importRecords } from "../../src/exchange/import/import-records.ts";
import { LiveVocabulary } from "../../src/words/vocabulary/live.ts";
import { readVocabulary } from "../../src/words/vocabulary/read.ts";
import { type Agent, useTestApp } from "../helpers/app.ts";
import { decode, mainOf, textOf } from "../helpers/html.ts";

let directory: string;
let file: string;
let vocabulary: LiveVocabulary;
const site = useTestApp({}, () => ({ vocabulary }));
let agent: Agent;

const KIND = "/operator/vocabulary/kinds/items";
const TEXT = "/operator/vocabulary/text";
const CATEGORIES = "/operator/vocabulary/categories";

beforeAll(async () => {
  ({ agent } = await site.logIn(await site.createUser({ role: "operator" })));
  const [gun, food] = [{ category: "Guns" }, { category: "Food" }];
  await importRecords(site.db, "items", [
    { ...gun, id: "ak", name: "AK-47", popularity: 9, attributes: { damage: 30, rarity: "Common" } },
    { ...gun, id: "m4", name: "M4", popularity: 5, attributes: { damage: 31, rarity: "Rare" } },
    { ...food, id: "pie", name: "Pie", popularity: 1, attributes: { rarity: "Common", parts: [1, 2] } },
    { ...food, id: "cake", name: "Cake", attributes: { rarity: "Common" } },
  ]);
});

// The app is made in a hook before this file's own: the path has to be there by then.
directory = await mkdtemp(path.join(tmpdir(), "almanac-vocabulary-"));
file = path.join(directory, "site.json");
vocabulary = new LiveVocabulary({ file, defaults: {} });

afterAll(() => rm(directory, { recursive: true }));

const WORDS = `{
  // Mine.
  "categories": { "Food": { "label": { "ru": "Еда", "de": "Essen" } } },
  "kinds": {
    "items": {
      "groups": { "fight": { "label": "Fight" } },
      "attributes": {
        "damage": { "label": "Harm", "unit": "hp", "order": 2 }, // not "Damage"
        "rarity": { "values": { "Common": "Plain", "Rare": { "rank": 3 } } },
      }
    }
  }
}
`;

beforeEach(() => write(WORDS));

async function write(text: string): Promise<void> {
  await writeFile(file, text);
  await vocabulary.noticeChange();
}

const written = () => readFile(file, "utf8");
const read = (html: string) => textOf(mainOf(html));

/** What a browser would send of a page's form: each control with its value. */
function fieldsOf(html: string): Record<string, string> {
  const form = mainOf(html);
  const fields: Record<string, string> = {};
  for (const [tag] of form.matchAll(/<input [^>]*>/g)) {
    const name = attribute(tag, "name");
    if (name !== undefined) fields[name] = attribute(tag, "value") ?? "";
  }
  for (const [, open = "", options = ""] of form.matchAll(/<select([^>]*)>([\s\S]*?)<\/select>/g)) {
    const chosen = /<option value="([^"]*)" selected/.exec(options)?.[1] ?? "";
    fields[attribute(open, "name") ?? ""] = decode(chosen);
  }
  for (const [, open = "", text = ""] of form.matchAll(/<textarea([^>]*)>\n?([\s\S]*?)<\/textarea>/g))
    fields[attribute(open, "name") ?? ""] = decode(text);
  return fields;
}

function attribute(tag: string, name: string): string | undefined {
  const value = new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1];
  return value === undefined ? undefined : decode(value);
}

/** The name of an input: `inputOf(fields, ["attributes", "damage"], "unit.ru")`. */
function inputOf(fields: Record<string, string>, row: string[], input: string): string {
  const [name] = Object.entries(fields).find(([, value]) => value === JSON.stringify(row)) ?? [];
  if (name === undefined) throw new Error(`there is no row ${row}`);
  return name.replace("path", input);
}

type Typing = [row: string[], input: string, text: string][];

/** Opens a page and types into it. */
async function fill(page: string, typing: Typing, by = agent): Promise<Record<string, string>> {
  const fields = fieldsOf((await by.get(page).expect(200)).text);
  for (const [row, input, text] of typing) fields[inputOf(fields, row, input)] = text;
  return fields;
}

async function send(page: string, fields: Record<string, string>, step: string, status: number, by = agent) {
  const sent = by
    .post(page)
    .type("form")
    .send({ ...fields, step });
  return (await sent.expect(status)).text;
}

/** Types, looks at the preview, and saves from there, as a person does. */
async function saveWith(page: string, typing: Typing): Promise<string> {
  const preview = await send(page, await fill(page, typing), "preview", 200);
  await send(page, fieldsOf(preview), "save", 303);
  return preview;
}

const DAMAGE = ["attributes", "damage"];
const RARITY = ["attributes", "rarity"];

describe("the form of a kind", () => {
  it("lists the attributes of the records with examples and counts, and what the file says", async () => {
    const { text } = await agent.get(KIND).expect(200);
    const shown = read(text);
    expect(shown).toContain("rarity shown as Rarity in 4 records: Common … Rare");
    expect(shown).toContain("damage shown as Harm in 2 records: 30 … 31");
    expect(shown).toContain("parts shown as Parts in 1 record:");
    const fields = fieldsOf(text);
    expect(fields[inputOf(fields, DAMAGE, "label.en")]).toBe("Harm");
    expect(fields[inputOf(fields, DAMAGE, "label.ru")]).toBe("");
    expect(fields[inputOf(fields, [...RARITY, "values", "Common"], "label.en")]).toBe("Plain");
    expect(fields[inputOf(fields, [...RARITY, "values", "Rare"], "rank")]).toBe("3");
    expect(fields[inputOf(fields, ["groups", "fight"], "label.en")]).toBe("Fight");
  });

  it("shows records in the new words and each language before anything is written", async () => {
    const fields = await fill(KIND, [
      [DAMAGE, "label.ru", "Урон"],
      [DAMAGE, "unit.ru", "ед."],
      [[...RARITY, "values", "Rare"], "colour", "#d4a017"],
      [[...RARITY, "values", "Rare"], "label.ru", "Редкий"],
    ]);
    const preview = await send(KIND, fields, "preview", 200);
    const [english = "", russian = ""] = mainOf(preview).split('lang="ru"');
    expect(textOf(english)).toContain("31 hp");
    expect(textOf(english)).toContain("Harm");
    expect(textOf(russian)).toContain("31 ед.");
    expect(textOf(russian)).toContain("Урон");
    expect(textOf(russian)).toContain("Редкий");
    expect(mainOf(preview)).toContain("tint-d4a017");
    const sheet = /href="(\/operator\/vocabulary\/tints\.css\?[^"]+)"/.exec(preview)?.[1] ?? "";
    expect((await agent.get(decode(sheet)).expect(200)).text).toContain(".tint-d4a017");
    expect(read(preview)).toContain("kinds → items → attributes → damage → unit hp");
    expect(await written()).toBe(WORDS);
    expect(textOf(mainOf((await request(site.app).get("/ru/items")).text))).not.toContain("Урон");
  });

  it("saves from the preview, keeps comments and what it does not know of, and every page follows", async () => {
    await saveWith(KIND, [
      [DAMAGE, "label.ru", "Урон"],
      [DAMAGE, "order", "1,5"],
      [DAMAGE, "group", "power"],
      [[...RARITY, "values", "Common"], "colour", "gray"],
      [RARITY, "inLists", "yes"],
    ]);
    const text = await written();
    expect(text).toContain("// Mine.");
    expect(text).toContain('// not "Damage"');
    expect(text).toContain('"de": "Essen"');
    expect(text).toContain('"label": "Fight"');
    const { kinds } = JSON.parse(text.replace(/\/\/.*/g, "").replace(/,(\s*})/g, "$1"));
    expect(kinds.items.attributes).toEqual({
      damage: { label: { en: "Harm", ru: "Урон" }, unit: "hp", order: 1.5, group: "power" },
      rarity: { values: { Common: { label: "Plain", colour: "gray" }, Rare: { rank: 3 } }, inLists: true },
    });
    expect(kinds.items.groups.power).toEqual({ label: "power" });
    expect(textOf(mainOf((await request(site.app).get("/ru/items")).text))).toContain("Урон");
  });

  it("makes an attribute a reference, and requires its kind", async () => {
    const PARTS = ["attributes", "parts"];
    const asked = await send(KIND, await fill(KIND, [[PARTS, "type", "entries"]]), "preview", 400);
    expect(read(asked)).toContain('needs "kind", such as "items"');
    const typing: Typing = [
      [PARTS, "type", "entries"],
      [PARTS, "kind", "items"],
      [PARTS, "reverse.ru", "Часть от"],
    ];
    await saveWith(KIND, typing);
    expect(await written()).toMatch(
      /"parts": \{\s*"type": "entries",\s*"kind": "items",\s*"reverse": \{\s*"ru": "Часть от"/,
    );
  });

  it("takes words away, and what is empty then", async () => {
    await saveWith(KIND, [
      [DAMAGE, "label.en", ""],
      [DAMAGE, "unit.en", ""],
      [DAMAGE, "order", ""],
    ]);
    expect(await written()).not.toContain('"damage"');
    expect(await written()).toContain('"rarity"');
  });

  it("leaves the definition of a kind of the operator's own as it is", async () => {
    const quests =
      '"quests": { "one": "quest", "name": { "one": { "en": "Quest" }, "many": { "en": "Quests" } } },';
    await writeFile(file, WORDS.replace('"items": {', `${quests} "items": {`));
    await saveWith(KIND, [[DAMAGE, "label.en", "Hurt"]]);
    expect(await written()).toContain(quests);
    expect(await written()).toContain('"Hurt"');
  });

  it("creates a missing file", async () => {
    await rm(file);
    await vocabulary.noticeChange();
    expect(read((await agent.get("/operator/vocabulary")).text)).toContain(`${file} doesn’t exist yet`);
    await saveWith(KIND, [[DAMAGE, "label.en", "Hurt"]]);
    expect(JSON.parse(await written())).toEqual({
      kinds: { items: { attributes: { damage: { label: "Hurt" } } } },
    });
    expect(await readdir(directory)).toEqual(["site.json"]);
  });

  it("shows errors beside the input, and keeps what was typed", async () => {
    const fields = await fill(KIND, [
      [DAMAGE, "decimals", "many"],
      [DAMAGE, "label.ru", "Урон"],
    ]);
    const refused = await send(KIND, fields, "preview", 400);
    expect(read(refused)).toContain("must be a number such as 2 or 1.5, not many");
    const kept = fieldsOf(refused);
    expect(kept[inputOf(kept, DAMAGE, "decimals")]).toBe("many");
    expect(kept[inputOf(kept, DAMAGE, "label.ru")]).toBe("Урон");
    const money = await send(KIND, await fill(KIND, [[DAMAGE, "type", "money"]]), "save", 400);
    expect(read(money)).toContain('needs "currency"');
    expect(await written()).toBe(WORDS);
    await write(WORDS.replace('"order": 2', '"group": "fight"'));
    const groupless = await fill(KIND, [[["groups", "fight"], "label.en", ""]]);
    expect(read(await send(KIND, groupless, "save", 400))).toContain(
      'names a group that doesn’t exist: "fight"',
    );
  });

  it("compares the records in the new words and each language, and links to no comparison without one", async () => {
    const fields = await fill(KIND, [
      [DAMAGE, "label.en", "Hurt"],
      [DAMAGE, "label.ru", "Боль"],
      [[...RARITY, "values", "Rare"], "label.ru", "Редкий"],
    ]);
    const [english = "", russian = ""] = mainOf(await send(KIND, fields, "preview", 200)).split('lang="ru"');
    const tableOf = (html: string) =>
      /<table class="table compare-table"[\s\S]*?<\/table>/.exec(html)?.[0] ?? "";
    expect(textOf(tableOf(english))).toMatch(/AK-47.*M4.*Pie.*Hurt ≠ .*30 hp.*31 hp/);
    expect(textOf(tableOf(russian))).toMatch(/AK-47.*M4.*Боль ≠ /);
    expect(textOf(tableOf(russian))).toContain("Редкий");
    expect(tableOf(english)).not.toContain("compare-remove");
    const one = { ...fields, chosen: "m4" };
    expect(tableOf(mainOf(await send(KIND, one, "preview", 200)))).toBe("");
  });

  it("shows the requested records", async () => {
    const fields = await fill(KIND, [[DAMAGE, "label.en", "Hurt"]]);
    const preview = read(await send(KIND, { ...fields, chosen: "pie, nobody" }, "preview", 200));
    expect(preview).toContain("Pie");
    expect(preview).not.toContain("AK-47");
  });
});

describe("two operators at once", () => {
  it("the second sees the first one's change, keeps their own, and can save both", async () => {
    const mine = await fill(KIND, [
      [DAMAGE, "label.en", "Pain"],
      [DAMAGE, "label.ru", "Боль"],
    ]);
    const preview = fieldsOf(await send(KIND, mine, "preview", 200));
    await saveWith(KIND, [
      [DAMAGE, "label.en", "Hurt"],
      [RARITY, "label.en", "Quality"],
    ]);
    const theirs = await written();
    const answer = await send(KIND, preview, "save", 409);
    expect(await written()).toBe(theirs);
    expect(read(answer)).toContain("Someone else has changed the file");
    expect(read(answer)).toContain("was changed to “Hurt” by someone else");
    const rebased = fieldsOf(answer);
    expect(rebased[inputOf(rebased, DAMAGE, "label.en")]).toBe("Pain");
    expect(rebased[inputOf(rebased, RARITY, "label.en")]).toBe("Quality");
    await send(KIND, fieldsOf(await send(KIND, rebased, "preview", 200)), "save", 303);
    expect(await written()).toMatch(/"Pain"[\s\S]*"Боль"/);
    expect(await written()).toContain('"Quality"');
  });

  it("the second to save the text gets theirs beside it", async () => {
    const mine = fieldsOf((await agent.get(TEXT)).text);
    mine.text = '{ "categories": {} }';
    await write(WORDS.replace("Harm", "Hurt"));
    const answer = await send(TEXT, mine, "save", 409);
    expect(fieldsOf(answer).text).toBe('{ "categories": {} }');
    expect(fieldsOf(answer).theirs).toContain('"Hurt"');
    expect(await written()).toContain('"Hurt"');
  });
});

describe("the categories", () => {
  it("are those of the records, with labels, and previewed on a record of each", async () => {
    const shown = read((await agent.get(CATEGORIES).expect(200)).text);
    expect(shown).toContain("Food in 2 records");
    const preview = await saveWith(CATEGORIES, [[["categories", "Guns"], "label.ru", "Оружие"]]);
    expect(textOf(mainOf(preview).split('lang="ru"')[1] ?? "")).toContain("Оружие");
    expect(await written()).toContain("Оружие");
    expect(await written()).toContain('"de": "Essen"');
  });
});

describe("the whole file as text", () => {
  it("is shown as it is, and saved as it was typed", async () => {
    const fields = fieldsOf((await agent.get(TEXT).expect(200)).text);
    expect(fields.text).toBe(WORDS);
    fields.text = `${WORDS.trimEnd()} // end\n`.replaceAll("\n", "\r\n").replace("Harm", "Hurt");
    const preview = await send(TEXT, fields, "preview", 200);
    expect(read(preview)).toContain("Hurt");
    await send(TEXT, fieldsOf(preview), "save", 303);
    expect(await written()).toBe(`${WORDS.trimEnd()} // end\n`.replace("Harm", "Hurt"));
    expect(vocabulary.of({ withDefaults: false }).of("items").label("damage", "en")).toBe("Hurt");
  });

  it("names each mistake with its line and what stands there, and loses nothing", async () => {
    const fields = fieldsOf((await agent.get(TEXT)).text);
    fields.text = '{\n  "kinds": { "itmes": {} },\n  "attributes": { "a": { "lable": "<b>" } }\n}';
    const answer = await send(TEXT, fields, "save", 400);
    expect(read(answer)).toContain('Line 2: kinds.itmes: is not known here (perhaps "items")');
    expect(read(answer)).toContain('Line 3: attributes.a: "lable" is not known here (perhaps "label")');
    expect(read(answer)).toContain('"kinds": { "itmes": {} },');
    expect(fieldsOf(answer).text).toBe(fields.text);
    expect(await written()).toBe(WORDS);
    fields.text = '{ "kinds": ';
    expect(read(await send(TEXT, fields, "preview", 400))).toContain("Line 1: is not JSON");
  });

  it("saves nothing that the next start would refuse", async () => {
    const words = { name: { one: "User", many: "Users" } };
    const kinds = (count: number) =>
      Object.fromEntries(
        Array.from({ length: count }, (_, n) => [`kind_${n}`, { one: `one_${n}`, ...words }]),
      );
    await site.db("own_kinds").insert({ kind: "deeds", one: "deed" });
    const texts: [text: string, mistake: string][] = [
      [
        JSON.stringify({ kinds: { users: { one: "member", ...words } } }),
        "Line 1: kinds.users: the database has a table of that name; choose another, such as game_users",
      ],
      [
        JSON.stringify({ kinds: { users_pkey: { one: "member", ...words } } }),
        "kinds.users_pkey: the database has a table of that name",
      ],
      [
        `{\n"kinds": {\n"deeds": { "name": { "one": "A", "many": "B" },\n"one": "act" } } }`,
        'Line 4: kinds.deeds.one: its entries are stored as "deed", not "act"',
      ],
      [
        JSON.stringify({ kinds: { acts: { one: "deed", ...words } } }),
        'kinds.acts.one: "deed" is the word of deeds, whose entries are still in the database',
      ],
      [JSON.stringify({ kinds: kinds(90) }), "kinds: the database has room for 90 kinds of your own"],
      ["{} // a\0b", "Line 1: has a control character, U+0000"],
    ];
    const fields = fieldsOf((await agent.get(TEXT)).text);
    for (const [text, mistake] of texts) {
      expect(read(await send(TEXT, { ...fields, text }, "save", 400))).toContain(mistake);
      expect(await written()).toBe(WORDS);
    }
    const preview = await send(TEXT, { ...fields, text: texts[0]?.[0] ?? "" }, "preview", 400);
    expect(read(preview)).toContain(texts[0]?.[1]);
    // A file that somebody has written by hand.
    await write(texts[0]?.[0] ?? "");
    for (const page of ["/operator/vocabulary", TEXT])
      expect(read((await agent.get(page).expect(200)).text)).toContain(
        "the database has a table of that name",
      );
    const typed = await fill(KIND, [[DAMAGE, "label.en", "Hurt"]]);
    expect(read(await send(KIND, typed, "save", 400))).toContain("the database has a table of that name");
    await site.db("own_kinds").delete();
  });

  it("may be larger than other forms, and not larger than a file that people write", async () => {
    const fields = fieldsOf((await agent.get(TEXT)).text);
    fields.text = `{ "categories": { "Food": { "label": "${"я".repeat(200)}" } } }\n${"// я\n".repeat(25_000)}`;
    await send(TEXT, fieldsOf(await send(TEXT, fields, "preview", 200)), "save", 303);
    expect((await stat(file)).size).toBeGreaterThan(100_000);
    fields.text = "/".repeat(1_100_000);
    fields.stamp = fieldsOf((await agent.get(TEXT)).text).stamp ?? "";
    expect(read(await send(TEXT, fields, "preview", 413))).toContain("The file can be at most 1 MB.");
    const post = (page: string, form: object) => agent.post(page).type("form").send(form);
    await post(TEXT, { text: "/".repeat(5_000_000) }).expect(413);
    await post("/operator/new-discount", { title: "x".repeat(70_000) }).expect(413);
  });

  it("fixes a broken file, which the other forms leave alone", async () => {
    await write('{ "kinds": { "items": ');
    const typed = { "0.path": JSON.stringify(DAMAGE), "0.label.en": "Hurt", stamp: "x" };
    const broken = await send(KIND, typed, "save", 200).catch(() => send(KIND, typed, "save", 409));
    expect(read(broken)).toContain("The file has errors");
    expect(mainOf(broken)).toContain("damage → label.en: Hurt");
    expect(read((await agent.get("/operator/vocabulary")).text)).toContain("Line 1: is not JSON");
    const fields = fieldsOf((await agent.get(TEXT)).text);
    expect(fields.text).toBe('{ "kinds": { "items": ');
    fields.text = "{}";
    await send(TEXT, fields, "save", 303);
    expect(await written()).toBe("{}");
  });
});

describe("the form", () => {
  it("is of the kinds that there are, and takes forms alone", async () => {
    await agent.post(TEXT).send({ text: "{}" }).expect(415);
    await agent.get("/operator/vocabulary/kinds/quests").expect(404);
    expect(await written()).toBe(WORDS);
  });
});

describe("the form of a new kind", () => {
  const NEW_KIND = "/operator/vocabulary/new-kind";
  const quests = {
    ...{ kind: "quests", word: "quest", glyph: "scroll", colour: "#7a4cc2", placed: "yes" },
    ...{ "many-en": "Quests", "one-en": "Quest", "many-ru": "Квесты", "one-ru": "" },
  };

  it("adds it to the file through the preview, with all else left as it is written", async () => {
    await writeFile(file, WORDS);
    expect((await agent.get("/operator/vocabulary").expect(200)).text).toContain(`href="${NEW_KIND}"`);
    const form = await agent.get(`/ru${NEW_KIND}`).expect(200);
    expect(form.text).toContain('<option value="scroll">Свиток</option>');
    const { text: html } = await agent.post(NEW_KIND).type("form").send(quests).expect(200);
    expect(await readFile(file, "utf8")).toBe(WORDS);
    expect(textOf(mainOf(html))).toContain("takes effect when the site is restarted");
    expect(textOf(mainOf(html))).toContain("There is no record to show these words on.");
    const save = agent.post(TEXT).type("form");
    await save.send({ ...fieldsOf(html), step: "save" }).expect("Location", "/operator/vocabulary");
    const { text: saved } = await agent.get("/operator/vocabulary").expect(200);
    expect(textOf(saved)).toContain("Saved. The change to your own kinds takes effect");
    const written = await readFile(file, "utf8");
    expect(written).toContain("// Mine.");
    const { vocabulary: words } = readVocabulary(written);
    expect(words?.kinds).toMatchObject({
      items: { groups: { fight: { label: "Fight" } } },
      quests: {
        one: "quest",
        name: { many: { en: "Quests", ru: "Квесты" }, one: { en: "Quest" } },
        ...{ glyph: "scroll", colour: "#7a4cc2", placed: true },
      },
    });
    const again = await agent.post(NEW_KIND).type("form").send(quests).expect(400);
    expect(textOf(mainOf(again.text))).toContain("The kind quests already exists.");
  });

  it.each([
    [{ kind: "Quests!" }, "kinds.Quests!"],
    [{ kind: "" }, "kinds."],
    [{ word: "item" }, "kinds.quests.one"],
    [{ colour: "loud" }, "kinds.quests.colour"],
    [{ "many-en": "", "many-ru": "" }, "kinds.quests.name.many"],
  ])("refuses %j with what was typed kept, and writes nothing", async (wrong, where) => {
    await writeFile(file, WORDS);
    const sent = agent
      .post(NEW_KIND)
      .type("form")
      .send({ ...quests, ...wrong });
    const { text } = await sent.expect(400);
    expect(textOf(mainOf(text))).toContain(`Errors ${where}`);
    expect(text).toContain('value="Quest"');
    expect(await readFile(file, "utf8")).toBe(WORDS);
  });
});
