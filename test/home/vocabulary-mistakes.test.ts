import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { vocabularyCommand } from "../../src/commands/vocabulary.ts";
import { importRecords } from "../../src/exchange/import/import-records.ts";
import { translateText } from "../../src/words/i18n/lazy-text.ts";
import { readVocabulary } from "../../src/words/vocabulary/read.ts";
import { runCommand } from "../helpers/cli.ts";
import { useTestDatabase } from "../helpers/database.ts";

const database = useTestDatabase();
const folder = mkdtempSync(path.join(tmpdir(), "almanac-mistakes-"));
const file = path.join(folder, "site.json");
afterAll(() => rmSync(folder, { recursive: true }));

beforeAll(async () => {
  await importRecords(database.db, "items", [
    { id: "a", name: "A", category: "Swords", attributes: { top_speed: 3, rarity: "Rare" } },
    { id: "b", name: "B", category: "Swords", attributes: { top_speed: 4, rarity: "Common" } },
  ]);
});

/** The output of `vocabulary check` for a file, without the file's name. */
async function check(checked = file): Promise<{ code: number; said: string[] }> {
  const { code, err } = await runCommand(vocabularyCommand, database.db, ["check", checked]);
  return { code, said: err.join("\n").replaceAll(checked, "FILE").split("\n") };
}

/** What an attribute says, on the third line. */
const ofAttribute = (words: string) => `{\n"attributes": {\n"speed": ${words}\n}}`;

const WHERE = "FILE, line 3: attributes.speed";

/** What is written about an attribute on the third line of a file, and the complaint about it. */
const OF_ATTRIBUTES: readonly (readonly [words: string, said: string])[] = [
  ['{"lable": "x"}', ': "lable" is not known here (perhaps "label"); there are label,'],
  ['{"values": {"a": {"color": "red"}}}', '.values.a: "color" is not known here (perhaps "colour")'],
  [
    '{"values": {"a": {"ru": "А"}}}',
    '.values.a: "ru" is not known here; a text in a language is "label": { "ru": … }',
  ],
  [
    '{"values": {"a": {"colour": "reddish"}}}',
    '.values.a.colour: must be an opaque CSS color such as #b3341b, not "reddish"',
  ],
  [
    '{"values": {"a": {"colour": "#ff000080"}}}',
    '.values.a.colour: must be an opaque CSS color such as #b3341b, not "#ff000080"',
  ],
  ['{"values": {"a": {"rank": "3"}}}', '.values.a.rank: must be a number, not "3": 3, without quotes'],
  ['{"label": {"english": "x"}}', '.label.english: "english" is not a language such as en or pt-BR'],
  [
    '{"label": {"pt_br": "x"}}',
    '.label.pt_br: "pt_br" is not a language such as en or pt-BR (perhaps "pt-BR")',
  ],
  ['{"label": 3}', '.label: must be text, or text by language: { "en": "Speed", "ru": "Скорость" }'],
  ['{"label": " \\u200b"}', ".label: is blank"],
  ['{"label": "a\\u0007b"}', ".label: has a control character, U+0007: leave it out"],
  ['{"label": "a\u202eb"}', ".label: has a control character, U+202E: leave it out"],
  [
    '{"type": "nubmer"}',
    ".type: must be one of number, share, money, duration, date, text, richText, link, entry, entries",
  ],
  ['{"type": "money"}', '.type: needs "currency", such as "EUR"'],
  ['{"currency": "EUR"}', '.currency: needs "type": "money"'],
  ['{"type": "duration"}', '.type: needs "countedIn": milliseconds, seconds, minutes, hours, days'],
  ['{"type": "text", "unit": "km"}', '.unit: does not go with "type": "text"'],
  ['{"type": "entry"}', '.type: needs "kind", such as "items"'],
  [
    '{"type": "entries", "kind": "item"}',
    '.kind: there is no kind "item" (perhaps "items"); there are items, vehicles, scripts, houses, businesses',
  ],
  ['{"type": "number", "kind": "items"}', '.kind: needs "type": "entry", "entries"'],
  ['{"type": "link", "reverse": "x"}', '.reverse: needs "type": "entry", "entries"'],
  ['{"type": "entry", "kind": "items", "count": "qty"}', '.count: needs "type": "entries"'],
  ['{"type": "richText", "linkText": "x"}', '.linkText: needs "type": "link"'],
  ['{"unit": "{number} km"}', ".unit: has braces other than {figure}, which stands for the number"],
  ['{"decimals": 9}', ".decimals: must be 6 or less, not 9"],
  ['{"hidden": "true"}', '.hidden: must be true or false, not "true": true, without quotes'],
  ['{"hidden": true, "inLists": true}', ".inLists: contradicts hidden: remove one of them"],
  ['{"group": "engine"}', '.group: names a group that doesn’t exist: "engine"; "groups" defines them'],
  [
    '{"values": ["Rare"]}',
    '.values: must be an object, not a list: { "Rare": { "label": "Rare", "rank": 3 } }',
  ],
  ['"Speed"', ': must be an object, not "Speed": { "label": "Speed" }'],
  ['{"label": {}}', ".label: has no language"],
  ['{"decimals": 1.5}', ".decimals: must be a whole number, not 1.5"],
  ['{"values": {"a": 3}}', ".values.a: must be a label, or an object with label"],
];

const MISTAKES: readonly (readonly [what: string, content: string | Buffer, said: string])[] = [
  ["an empty file", "", "FILE, line 1: is empty: an empty vocabulary is {}"],
  ["single quotes", "{\n'attributes': {}\n}", "FILE, line 2: is not JSON: text and names need double quotes"],
  ["curly quotes", "{\n“attributes”: {}\n}", 'FILE, line 2: is not JSON: quotes must be straight: "label"'],
  ["a missing comma", '{\n"attributes": {}\n"kinds": {}}', "FILE, line 3: is not JSON: a comma is missing"],
  ["a missing bracket", '{\n"attributes": {\n"a": {}\n', "FILE, line 4: is not JSON: a } is missing"],
  [
    "a missing quote",
    '{\n"attributes": {"a": {"label": "x\n"}}}',
    "FILE, line 2: is not JSON: text has no closing quote",
  ],
  ["a shell's comment", "{\n# words\n}", "FILE, line 2: is not JSON: a comment begins with //"],
  [
    "an equals sign",
    '{\n"attributes" = {}\n}',
    "FILE, line 2: is not JSON: a colon, not =, stands between a name and its value",
  ],
  [
    "Python's truth",
    ofAttribute('{"hidden": True}'),
    "FILE, line 3: is not JSON: it is written true, in lowercase and without quotes",
  ],
  ["YAML", "attributes:\n  speed:\n    label: Speed\n", "FILE, line 1: is not JSON: it must begin with {"],
  [
    "a page",
    "<!doctype html>\n<title>404</title>",
    "FILE, line 1: is a web page or another kind of file, not JSON",
  ],
  ["a list", '[{"key": "speed"}]', "FILE, line 1: must be an object, not a list"],
  ["UTF-16", Buffer.from('\ufeff{"attributes": {}}', "utf16le"), "FILE, line 1: is UTF-16: save it as UTF-8"],
  [
    "another encoding",
    Buffer.from('{\n"attributes": {"a": {"label": "Geschwindigkeit f\xfcr"}}}', "latin1"),
    "FILE, line 2: is not text in UTF-8: save it as UTF-8",
  ],
  [
    "a picture",
    Buffer.from("89504e470d0a1a0a0000000d", "hex"),
    "FILE, line 1: is not text in UTF-8: save it as UTF-8",
  ],
  [
    "a NUL",
    '{\n"attributes": {\n"a": {"label": "x\0"}}}',
    "FILE, line 3: is not text in UTF-8: save it as UTF-8",
  ],
  [
    "a mark before a mistake",
    '\ufeff{\n"attribut": {}}',
    'FILE, line 2: "attribut" is not known here (perhaps "attributes"); there are attributes,',
  ],
  [
    "a group without a label",
    '{\n"groups": {\n"fight": {}}}',
    "FILE, line 3: groups.fight.label: is missing: must be text, or text by language:",
  ],
  [
    "a control character in a name",
    '{\n"attributes": {"a\\u001bb": {}}}',
    'FILE, line 2: attributes.a\\u001bb: "a\\u001bb" has a control character, U+001B: leave it out',
  ],
  [
    "an attribute twice",
    '{"attributes": {\n"a": {},\n"a": {}}}',
    'FILE, line 3: attributes: "a" appears twice; remove one',
  ],
  [
    "a thousand brackets",
    `{"a": ${"[".repeat(100_000)}`,
    "FILE, line 1: is nested too deeply: there are extra or unclosed brackets",
  ],
  ["a missing colon", '{"attributes" {}}', "FILE, line 1: is not JSON: a colon is missing after a name"],
  ["a missing value", '{"attributes": }', "FILE, line 1: is not JSON: a value is missing"],
  ["two objects", "{} {}", "FILE, line 1: is not JSON: something follows the last }"],
  [
    "an unknown kind",
    '{\n"kinds": {\n"itms": {}}}',
    'FILE, line 3: kinds.itms: is not known here (perhaps "items")',
  ],
  ...OF_ATTRIBUTES.map(([words, said]) => [words, ofAttribute(words), `${WHERE}${said}`] as const),
];

describe("vocabulary check answers", () => {
  it.each(MISTAKES)("%s with its line and what to do", async (_, content, expected) => {
    writeFileSync(file, content);
    const { code, said } = await check();
    expect(code).toBe(1);
    expect(said).toHaveLength(1);
    expect(said[0]?.slice(0, expected.length)).toBe(expected);
  });

  it("what attributes name and nobody has with how many and three of them", async () => {
    await importRecords(database.db, "vehicles", [
      { id: "car", name: "Car", attributes: { needs: ["a", "B", "x1", "x2", "x3", "x4"], owner: "a" } },
      { id: "van", name: "Van", attributes: { needs: [{ id: "x1", count: 2 }], owner: "nobody" } },
    ]);
    const kinds = {
      vehicles: {
        attributes: {
          needs: { type: "entries", kind: "items" },
          owner: { type: "entry", kind: "items" },
        },
      },
    };
    writeFileSync(file, JSON.stringify({ kinds }));
    expect(await check()).toEqual({
      code: 0,
      said: [
        'warning: kinds.vehicles.attributes.needs: names that no entry of items has (4): "x1", "x2", "x3", …',
        'warning: kinds.vehicles.attributes.owner: names that no entry of items has (1): "nobody"',
      ],
    });
  });

  it("a kind of your own as one that entries may be of", async () => {
    const kinds = {
      quests: { one: "quest", name: { one: "Quest", many: "Quests" } },
      items: { attributes: { rarity: { type: "entry", kind: "quest" } } },
    };
    writeFileSync(file, JSON.stringify({ kinds }, null, 1));
    const { code, said } = await check();
    expect(code).toBe(1);
    expect(said[0]).toMatch(
      /line \d+: kinds\.items\.attributes\.rarity\.kind: there is no kind "quest" \(perhaps "quests"\)/,
    );
  });

  it("what is no file of text", async () => {
    expect(await check(folder)).toEqual({ code: 1, said: ["FILE is a folder: name the file in it"] });
    const missing = path.join(folder, "missing.json");
    expect(await check(missing)).toEqual({ code: 1, said: ["FILE: there is no such file"] });
    const loop = path.join(folder, "loop.json");
    symlinkSync(loop, loop);
    expect(await check(loop)).toEqual({ code: 1, said: ["FILE cannot be read (ELOOP)"] });
    writeFileSync(file, Buffer.alloc(6 * 1024 * 1024, " "));
    expect(await check()).toEqual({ code: 1, said: ["FILE has 6 MB: a vocabulary may have 5"] });
  });

  it("a file that is wrong everywhere with the first mistakes, soon", async () => {
    const wrong = Array.from({ length: 50_000 }, (_, number) => `"a${number}": 1`).join(",\n");
    writeFileSync(file, `{\n"attributes": {\n${wrong}\n}}`);
    const { said } = await check();
    expect(said).toHaveLength(51);
    expect(said[0]).toContain("line 3: attributes.a0: must be an object, not 1");
    expect(said.at(-1)).toBe("and more like these");
  });
});

/** Files that the site cannot read as text have their message from the command line alone. */
const TEXTS = MISTAKES.flatMap(([what, content]) =>
  typeof content === "string" && !content.includes("\0") ? [[what, content] as const] : [],
);

describe("a mistake said in Russian", () => {
  it.each(TEXTS)("%s has no words in English but those of the file", (_, content) => {
    const [mistake] = readVocabulary(content).mistakes ?? [];
    if (!mistake) throw new Error("there is no mistake");
    const russian = translateText(mistake.message, "ru");
    expect(russian).toMatch(/[а-яё]{3}/i);
    // Names of the file's own language stand in quotes, in braces or in a list of them.
    expect(russian).not.toMatch(/\b(is|not|must|needs?|the|there|perhaps|and|without|missing|or)\b/);
  });

  it("explains how a currency's name is written", () => {
    const said = (name: unknown) =>
      (readVocabulary(JSON.stringify({ currencies: { COINS: name } })).mistakes ?? []).map(({ message }) =>
        translateText(message, "en"),
      );
    for (const name of [7, { ru: 7 }]) expect(said(name).join()).toContain('"other": "coins"');
    expect(said({ ru: { several: "монет" } }).join()).toContain("there are zero, one, two, few, many, other");
  });

  it("names what an own kind lacks, and names that no kind may have", () => {
    const said = (kinds: object) =>
      (readVocabulary(JSON.stringify({ kinds })).mistakes ?? []).map(({ message }) =>
        translateText(message, "ru"),
      );
    const name = { one: "Квест", many: "Квесты" };
    expect(said({ quests: { one: "quest" } })[0]).toMatch(/^требует "name"/);
    expect(said({ itms: {} })[0]).toContain('(возможно, "items")');
    for (const kind of ["a b", "login", "item", "ru", "select"])
      expect(said({ [kind]: { one: "quest", name } })[0], kind).toMatch(/^не может быть именем раздела/);
    for (const one of ["Q", "item", "items", "user"])
      expect(said({ quests: { one, name } })[0], one).toMatch(/[а-яё]{3}/);
  });

  it("shows what is written as it is, marks of the texts included", () => {
    const [mistake] = readVocabulary('{ "{{name}} $t(common)": 1 }').mistakes ?? [];
    expect(mistake && translateText(mistake.message, "ru")).toContain(
      '"{{name}} $t(common)" здесь не используется',
    );
  });
});
