import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { vocabularyJsonSchema } from "../../src/commands/vocabulary.ts";
import { formatFor } from "../../src/web/request/format.ts";
import { VISIBLE } from "../../src/words/text/visible.ts";
import { mistakeText, readVocabulary } from "../../src/words/vocabulary/read.ts";
import { textIn } from "../../src/words/vocabulary/text-in.ts";
import { durationText, typedText } from "../../src/words/vocabulary/value-text.ts";
import { Vocabulary } from "../../src/words/vocabulary/vocabulary.ts";

function mistakesIn(text: string): string[] {
  return (readVocabulary(text).mistakes ?? []).map(mistakeText);
}

describe("a vocabulary", () => {
  const { vocabulary } = readVocabulary(`{
    // comments are allowed
    "attributes": { "level": { "label": "Level", "order": 2 } },
    "kinds": { "items": { "attributes": {
      "level": { "label": { "en": "Item level", "ru": "Уровень" } },
      "toString": { "label": "Odd" },
      "quality": { "values": { "Poor": { "colour": "#9d9d9d", "rank": 0 }, "Epic": "Эпический", "1": "One" } },
    } } },
    "categories": { "Swords": { "label": { "ru": "Мечи" } } },
  }`);
  const words = new Vocabulary([
    vocabulary ?? {},
    { attributes: { level: { unit: "pts" }, range: { label: "Range" } } },
  ]);

  it("says a text in the reader's language, else in English, else not at all", () => {
    expect(textIn({ ru: "Мечи" }, "en")).toBeUndefined();
    expect(textIn({ en: "Swords", de: "Schwerter" }, "ru")).toBe("Swords");
    expect(words.categoryLabel("Swords", "ru")).toBe("Мечи");
    expect(words.categoryLabel("Swords", "en")).toBeUndefined();
  });
});

describe("a value of a type", () => {
  const plain = (text: string | undefined) => text?.replaceAll(/[\u00a0\u202f]/g, " ");
  const text = (attribute: Parameters<typeof typedText>[0], value: unknown, language = "en") =>
    plain(typedText(attribute, value, { format: formatFor(language), language }));

  it.each([
    [{ type: "number", unit: "km/h", decimals: 1 }, 197, "197.0 km/h"],
    [{ unit: "{figure}×" }, 3, "3×"],
    [{ type: "number" }, "1234", "1,234"],
    [{ type: "number" }, 1234, "1,234"],
    [{ type: "number", decimals: 1, unit: "t" }, 1234, "1,234.0 t"],
    [{ unit: "pts" }, "1234", undefined],
    [{ unit: "{figure} AD" }, 1974, "1974 AD"],
    [{ decimals: 0 }, 1974, "1974"],
    [{ decimals: 0, unit: "year" }, 1974, "1974 year"],
    [{ decimals: 0 }, 12_345, "12,345"],
    [{ type: "share" }, 0.255, "25.5%"],
    [{ type: "share", decimals: 0 }, 0.255, "26%"],
    [{ type: "share" }, 0.99996, "99.99%"],
    [{ type: "share", decimals: 0 }, 0.004, "1%"],
    [{ type: "share", decimals: 1 }, 1, "100.0%"],
    [{ type: "money", currency: "EUR" }, 499, "499 EUR"],
    [{ type: "money", currency: "EUR" }, 12.5, "12.50 EUR"],
    [{ type: "money", currency: "gold" }, "12.5", "12.5 gold"],
    [{ type: "duration", countedIn: "seconds" }, 5400, "1 hr 30 mins"],
    [{ type: "date" }, "2026-06-14", "14 Jun 2026"],
    [{ type: "date" }, 1_760_000_000, "9 Oct 2025, 08:53 UTC"],
    [{ type: "text" }, "2026-06-14", "2026-06-14"],
    [{ type: "text" }, 1974, "1974"],
    [{ type: "text" }, 12_345.5, "12345.5"],
    [{ type: "number" }, "many", undefined],
    [{ type: "date" }, 1e300, undefined],
    [{}, 3, undefined],
  ] as const)("%j of %j is %s", (attribute, value, shown) => {
    expect(text(attribute, value)).toBe(shown);
  });

  it.each([
    [0, "seconds", "0 secs"],
    [250, "milliseconds", "250 ms"],
    [1.5, "seconds", "1.5 secs"],
    [59.999, "minutes", "1 hr"],
    [90, "minutes", "1 hr 30 mins"],
    [25, "hours", "1 day 1 hr"],
    [-2, "days", "−2 days"],
    [400, "days", "400 days"],
  ] as const)("%s %s last %s", (amount, countedIn, shown) => {
    expect(plain(durationText(amount, countedIn, "en"))).toBe(shown);
  });

  it("is written in the reader's language", () => {
    expect(text({ type: "duration", countedIn: "minutes" }, 90, "ru")).toBe("1 ч 30 мин");
    expect(text({ type: "share" }, 0.255, "ru")).toBe("25,5 %");
    expect(text({ unit: { en: "kg", ru: "кг" } }, 1.5, "ru")).toBe("1,5 кг");
  });
});

it("has valid examples in docs/vocabulary.md, and a schema for editors with the same names", async () => {
  const docs = await readFile(new URL("../../docs/vocabulary.md", import.meta.url), "utf8");
  const examples = [...docs.matchAll(/```jsonc\n([^`]+)```/g)].map(([, example = ""]) => example);
  expect(examples.map(mistakesIn)).toEqual([[], [], [], []]);
  expect(readVocabulary(examples[0] ?? "")).toMatchObject({ vocabulary: { kinds: { items: {} } } });
  const schema = JSON.stringify(vocabularyJsonSchema());
  const [, names = ""] =
    /"attributes":\{.*?"additionalProperties":\{"type":"object","properties":\{(.*)/.exec(schema) ?? [];
  const named =
    "label type unit decimals currency countedIn linkText kind reverse order group hidden inLists values";
  for (const name of named.split(" ")) {
    expect(docs).toContain(`| \`${name}\` |`);
    expect(names).toContain(`"${name}":`);
  }
});

it("has a schema for editors with the valid combinations", () => {
  const schema = JSON.stringify(vocabularyJsonSchema());
  for (const rule of [
    '{"anyOf":[{"not":{"required":["type"],"properties":{"type":{"enum":["money"]}}}},{"required":["currency"]}]}',
    '{"not":{"required":["hidden","inLists"],"properties":{"hidden":{"const":true},"inLists":{"const":true}}}}',
    '{"anyOf":[{"not":{"required":["type"],"properties":{"type":{"enum":["entry","entries"]}}}},{"required":["kind"]}]}',
    '{"anyOf":[{"not":{"required":["linkText"]}},{"required":["type"],"properties":{"type":{"enum":["link"]}}}]}',
    '"minProperties":1',
    '"pattern":"^([^{}]|\\\\{figure\\\\})*$"',
    `"pattern":${JSON.stringify(VISIBLE.source)}`,
  ]) {
    expect(schema).toContain(rule);
  }
});

it("has whole examples in docs/examples, each of under 100 lines", async () => {
  for (const name of ["loot", "city"]) {
    const text = await readFile(new URL(`../../docs/examples/${name}.json`, import.meta.url), "utf8");
    expect(mistakesIn(text)).toEqual([]);
    expect(text.split("\n").length).toBeLessThan(100);
  }
});
