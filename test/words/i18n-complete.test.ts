import { describe, expect, it } from "vitest";
import { completeTexts } from "../../src/words/i18n/complete.ts";
import { directionOf, LANGUAGES } from "../../src/words/i18n/languages.ts";
import { missingTexts } from "../../src/words/i18n/translate.ts";

const ENGLISH = {
  title: "Servers",
  list: { of: "{{name}} of {{site}}", players_one: "{{count}} player", players_other: "{{count}} players" },
};

describe("a file of texts", () => {
  it("accepts a complete one", () => {
    const own = {
      title: "Server",
      list: { of: "{{name}} bei {{site}}", players_one: "1", players_other: "{{count}}" },
    };
    expect(completeTexts("de", own, ENGLISH)).toEqual({ texts: own, missing: [] });
  });

  it("that is older than the site is filled from English, and says with what", () => {
    const { texts, missing } = completeTexts("de", { title: "Server" }, ENGLISH);
    expect(texts).toEqual({ ...ENGLISH, title: "Server" });
    expect(missing).toEqual(["list.of", "list.players"]);
  });

  it("has every plural form of its language, though English has fewer", () => {
    const own = { ...ENGLISH, list: { ...ENGLISH.list, players_one: "{{count}} игрок" } };
    const { texts, missing } = completeTexts("ru", own, ENGLISH);
    expect(texts.list).toEqual({
      of: ENGLISH.list.of,
      players_one: "{{count}} игрок",
      players_few: expect.stringMatching(/^{{count}} player/),
      players_many: expect.stringMatching(/^{{count}} player/),
      players_other: "{{count}} players",
    });
    expect(missing).toEqual(["list.players"]);
  });

  it("that wants a value which nobody puts in is not believed in that text", () => {
    const own = { ...ENGLISH, list: { ...ENGLISH.list, of: "{{nmae}} von {{site}}" } };
    const { texts, missing } = completeTexts("en", own, ENGLISH);
    expect(texts).toEqual(ENGLISH);
    expect(missing).toEqual(["list.of"]);
  });

  it("whose group is a text, or the other way round, lacks that group", () => {
    const { texts, missing } = completeTexts("en", { title: { odd: "odd" }, list: "odd" }, ENGLISH);
    expect(texts).toEqual(ENGLISH);
    expect(missing).toEqual(["title", "list.of", "list.players"]);
  });

  it.each([...LANGUAGES])("of this site lacks nothing: %s", (language) => {
    expect(missingTexts(language)).toEqual([]);
  });
});

describe("the direction of a language", () => {
  it.each([
    ["en", "ltr"],
    ["ru", "ltr"],
    ["ja", "ltr"],
    ["ar", "rtl"],
    ["fa-AF", "rtl"],
    ["he", "rtl"],
    ["uz-Arab", "rtl"],
  ])("%s is %s", (language, direction) => {
    expect(directionOf(language)).toBe(direction);
  });
});
