import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { LANGUAGES } from "../../src/words/i18n/languages.ts";
import { OWN_GLYPHS } from "../../src/words/kinds/glyphs.ts";
import { BUILT_IN_KINDS, KINDS } from "../../src/words/kinds/kinds.ts";
import { paths } from "../../src/words/urls.ts";
import { ownKindTexts, readOwnKinds } from "../../src/words/vocabulary/own-kinds.ts";
import { mistakeText, readVocabulary } from "../../src/words/vocabulary/read.ts";
import { QUESTS } from "../helpers/own-kinds.ts";

const NAME = '"name": { "one": "A", "many": "B" }';

/** What is wrong with a vocabulary that has these kinds on its third line. */
function mistakesIn(kinds: string): string[] {
  return (readVocabulary(`{\n"kinds": {\n${kinds}\n}}`).mistakes ?? []).map(mistakeText);
}

/** The same of a kind of this name, and of one with this word for one. */
const named = (kind: string) => mistakesIn(`"${kind}": { "one": "quest", ${NAME} }`);
const worded = (one: string) => mistakesIn(`"quests": { "one": "${one}", ${NAME} }`);
const said = (words: string) => mistakesIn(`"quests": { "one": "quest", ${words} }`);

describe("the name of an own kind", () => {
  it.each(["quests", "npcs", "boss_fights", "skins2"])("may be %s", (kind) => {
    expect(named(kind)).toEqual([]);
  });

  const IMPOSSIBLE = ["Quests", "квесты", "1st", "a", "boss-fights", "boss fights", "_x", "x__y", "a/b", ""];
  it.each([...IMPOSSIBLE, "q".repeat(31)])("may not be %j", (kind) => {
    expect(named(kind)).toEqual([
      expect.stringMatching(/^line 3: kinds\.[^:]*: cannot be the name of a kind/),
    ]);
  });

  it("differs from the beginnings of the site's paths", () => {
    const made = Object.values(paths).map((make) =>
      (make as (...parts: unknown[]) => string)("items", ["1"], {}),
    );
    const firsts = new Set(made.map((path) => path.split(/[/.?-]/)[1] ?? ""));
    const free = [...firsts].filter(
      (part) => part !== "" && !part.startsWith("items") && named(part).length === 0,
    );
    expect(firsts.size).toBeGreaterThan(20);
    // The beginnings of paths such as /service-worker.js and /sitemap-items-1.xml.
    expect(free).toEqual(["service", "confirm"]);
  });

  const TAKEN = ["order", "item", "user", "pg_class", "discounts", "relations", "assets", "query", "own"];
  it.each([...LANGUAGES, ...TAKEN, "name"])("is not %s, which means something else", (kind) => {
    expect(named(kind)).toEqual([
      expect.stringMatching(/^line 3: kinds\.\w+: cannot be the name of a kind: /),
    ]);
  });
});

describe("the word for one of an own kind", () => {
  const BUILT_IN = BUILT_IN_KINDS.map((kind) => KINDS[kind].one);
  it.each([...BUILT_IN, "user", "server", "donate", "entity", "Quest", "q", "a b"])("is not %s", (one) => {
    expect(worded(one)).toEqual([expect.stringMatching(/^line 3: kinds\.quests\.one: /)]);
  });

  it("is not the name of another kind, but may be that of its own", () => {
    expect(worded("items")).toEqual(['line 3: kinds.quests.one: "items" is the name of another kind']);
    expect(mistakesIn(`"fish": { "one": "fish", ${NAME} }`)).toEqual([]);
    expect(
      mistakesIn(`"fish": { "one": "quests", ${NAME} },\n"quests": { "one": "quest", ${NAME} }`),
    ).toEqual(['line 3: kinds.fish.one: "quests" is the name of another kind']);
  });
});

describe("the other settings of an own kind", () => {
  it.each([
    ['"colour": "#fff"', 'kinds.quests: needs "name"'],
    [`"color": "red", ${NAME}`, 'kinds.quests: "color" is not known here (perhaps "colour")'],
    [`"glyph": "scrol", ${NAME}`, 'not "scrol" (perhaps "scroll")'],
    [`"searched": "no", ${NAME}`, "kinds.quests.searched: must be true or false"],
    [`"colour": "reddish", ${NAME}`, "kinds.quests.colour: must be an opaque CSS color"],
    ['"name": { "one": "A" }', "kinds.quests.name.many: is missing: must be text"],
    ['"name": { "one": "A {{x}}", "many": "B" }', "kinds.quests.name.one: must not contain {{"],
    ['"name": { "one": "A", "many": "$t(mail)" }', "kinds.quests.name.many: must not contain"],
    [
      '"name": { "one": "A", "many": "B", "count": { "en": { "few": "x" } } }',
      "count.en.few: must contain {figure}",
    ],
    [
      '"name": { "one": "A", "many": "B", "count": { "en": { "on": "{figure} x" } } }',
      '"on" is not known here (perhaps "one")',
    ],
    [`${NAME}, "attributes": { "a": { "group": "b" } }`, "names a group that doesn’t exist"],
  ])("%s has a line that helps", (words, line) => {
    expect(said(words)).toEqual([expect.stringContaining(line)]);
  });

  it("needs a word for one", () => {
    expect(mistakesIn(`"quests": { ${NAME} }`)).toEqual([
      'line 3: kinds.quests: needs "one", the word for one entry: "one": "quest"',
    ]);
  });

  it("is nothing that a built-in kind could have", () => {
    expect(mistakesIn('"items": { "one": "thing" }')).toEqual([
      expect.stringContaining('kinds.items: "one" is not known here'),
    ]);
  });
});

describe("what an own kind can do", () => {
  it("is everything but a place on the map, unless the file says otherwise", () => {
    const [quests, camps] = readOwnKinds(QUESTS);
    const traits = { isSearched: true, isCompared: true, isFavorite: true, hasFeed: true };
    expect(quests).toEqual({ kind: "quests", one: "quest", glyph: "scroll", ...traits });
    expect(camps).toEqual({ kind: "camps", one: "camp", glyph: "bookmark", isPlaced: true });
  });
});

describe("the texts of an own kind", () => {
  const textsOf = (name: object, language: string) => {
    const file = { kinds: { quests: { one: "quest", name } } } as Parameters<typeof ownKindTexts>[0];
    return ownKindTexts(file).get(language)?.quests as Record<string, string>;
  };

  it("have its words, small inside of a text unless they are an abbreviation", () => {
    const name = { one: { en: "Quest", ru: "Квест" }, many: { en: "Quests", ru: "Квесты" } };
    const english = { many: "Quests", all: "All quests", compare: "Compare quests" };
    expect(textsOf(name, "en")).toMatchObject(english);
    const russian = { one: "Квест", all: "Квесты: все", compare: "Сравнение: квесты" };
    expect(textsOf(name, "ru")).toMatchObject(russian);
    expect(textsOf({ one: "NPC", many: "NPCs" }, "en").all).toBe("All NPCs");
  });

  it("fall back to English, then to the only language of the file", () => {
    expect(textsOf({ one: "Quest", many: { en: "Quests", de: "Aufgaben" } }, "ru").many).toBe("Quests");
    expect(textsOf({ one: "Квест", many: { ru: "Квесты" } }, "en").many).toBe("Квесты");
  });
});

it("are in docs/vocabulary.md by an example that can be used, and with every glyph there is", async () => {
  const docs = await readFile(new URL("../../docs/vocabulary.md", import.meta.url), "utf8");
  const examples = [...docs.matchAll(/```jsonc\n([^`]+)```/g)].map(([, example = ""]) =>
    readVocabulary(example),
  );
  const [quests] = examples.flatMap(({ vocabulary }) => readOwnKinds(vocabulary ?? {}));
  expect(quests).toMatchObject({ kind: "quests", one: "quest", glyph: "scroll", isSearched: true });
  const [, row = ""] = /\| `glyph` \|[^:]+: (.*) \|/.exec(docs) ?? [];
  expect(row).toBe(OWN_GLYPHS.map((glyph) => `\`${glyph}\``).join(", "));
  const sprite = await readFile(new URL("../../public/img/icons.svg", import.meta.url), "utf8");
  for (const glyph of OWN_GLYPHS) expect(sprite).toContain(`<symbol id="${glyph}" `);
});
