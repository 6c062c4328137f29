import { describe, expect, it } from "vitest";
import { indexOf, recordOf } from "../helpers/search.ts";

const RANGE = { limit: 10, offset: 0 };

describe("where no record has all words", () => {
  const index = indexOf(
    valuesOf([
      ["Golden Hammer"],
      ["Golden Saw"],
      ["Golden Anvil"],
      ["Hammer of Doom"],
      ["Ashkandi", ["Sword", "Epic"]],
      ["Iron Ring", ["Epic"]],
      ["Iron Band", ["Common"]],
    ]),
  );
  const found = (query: string) =>
    index.search(query, RANGE).hits.map(({ record, match, without }) => [record.name, match, without]);

  it("finds the records with the rarest words, and lists the words that they lack", () => {
    expect(found("golden hammer doom")).toEqual([["Hammer of Doom", "partial", ["golden"]]]);
    expect(found("rusty golden saw")).toEqual([["Golden Saw", "partial", ["rusty"]]]);
  });

  it("all come that have as much, best first", () => {
    expect(found("iron trousers")).toEqual([
      ["Iron Band", "partial", ["trousers"]],
      ["Iron Ring", "partial", ["trousers"]],
    ]);
  });

  it("what a record is counts, beside a word of its name", () => {
    expect(found("iron epic trousers")).toEqual([["Iron Ring", "partial", ["trousers"]]]);
    expect(found("epic trousers")).toEqual([]);
  });

  it("half of the words are needed, or a whole name, words like the aside", () => {
    expect(found("golden trousers socks")).toEqual([]);
    expect(found("ashkandi trousers socks")).toEqual([["Ashkandi", "partial", ["socks", "trousers"]]]);
    expect(found("the hammer of trousers")).toHaveLength(2);
  });

  it("a word may have an error, unless that makes it another ordinary word", () => {
    expect(found("rusty hamer doom")).toEqual([["Hammer of Doom", "partial", ["rusty"]]]);
    expect(found("hummer socks")).toEqual([]);
  });

  it("one word that tells enough may stand among words like the", () => {
    expect(found("what does ashkandi do").map(([name]) => name)).toEqual(["Ashkandi"]);
  });

  it("a word of five letters with two errors is another word", () => {
    const index = indexOf(["Pickled Sweet Berry", "Pickaxe"]);
    expect(index.ids("steel pickaxe", 10)).toEqual(["1"]);
  });

  it("errors come first, and matches as typed before them", () => {
    expect(found("golden hamer")).toEqual([["Golden Hammer", "fuzzy", undefined]]);
    expect(index.search("golden trousers", { ...RANGE, onlyAsTyped: true }).total).toBe(0);
  });

  it("searches for what was meant alone where nothing is known to match as typed", () => {
    const [best] = index.search("golden saw", { ...RANGE, isNoneAsTyped: true }).hits;
    expect(best).toMatchObject({ record: { name: "Golden Saw" } });
  });
});

describe("what a record is", () => {
  const index = indexOf(
    valuesOf([
      ["Ashkandi", ["Two-handed Sword", "Epic"]],
      ["Ashkandi Replica", ["Toy"]],
      ["Sword of Kings", ["Sword"]],
    ]),
  );
  const names = (query: string) => index.search(query, RANGE).hits.map(({ record }) => record.name);

  it("narrows a search down, in any form and half typed", () => {
    const queries = "ashkandi sword,epic ashkandi,ashkandi swords,ashkandi epi,two ashkandi".split(",");
    for (const query of queries) expect(names(query), query).toEqual(["Ashkandi"]);
    expect(names("ashkandi")).toEqual(["Ashkandi", "Ashkandi Replica"]);
  });

  it("finds all that are so, after names with these words", () => {
    expect(names("epic")).toEqual(["Ashkandi"]);
    expect(names("epi")).toEqual(["Ashkandi"]);
    expect(names("sword")).toEqual(["Sword of Kings", "Ashkandi"]);
    expect(names("epic sword")).toEqual(["Ashkandi"]);
    expect(names("epic toy")).toEqual([]);
  });

  it("narrows down what is found despite errors", () => {
    expect(names("ashknadi sword")).toEqual(["Ashkandi"]);
  });
});

describe("a name half typed", () => {
  it("comes before another form of the same letters", () => {
    expect(indexOf(["Цирк", "Циркулюс"]).ids("цирку", 10)).toEqual(["1", "0"]);
    expect(indexOf(["Мечатник", "Меч"]).ids("меча", 10)).toEqual(["0", "1"]);
  });
});

/** Records by name and values, with their places as ids. */
function valuesOf(entries: readonly [name: string, values?: string[]][]) {
  return entries.map(([name, values], n) => recordOf({ id: `${n}`, name, ...(values && { values }) }));
}
