import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { RecordToIndex } from "../../src/search/index/records.ts";
import { normaliseName } from "../../src/search/normalise.ts";
import { stem } from "../../src/search/word-forms.ts";
import { indexOf, recordOf } from "../helpers/search.ts";

const PLAIN = ["exact", "prefix", "word", "form", "substring"] as const;
type Plain = (typeof PLAIN)[number];

describe("the order of plain matches", () => {
  it("is that of the rule spelt out, for any names and any query", () => {
    fc.assert(
      fc.property(catalogue, queryText, fc.constantFrom(...LANGUAGES), (records, query, language) => {
        const expected = byTheRule(records, query, language);
        const { hits, total } = indexOf(records).search(query, { limit: 50, offset: 0, language });
        if (expected.length === 0) return;
        const found = hits.map(({ record, match }) => [record.id, match]);
        expect(found.slice(0, expected.length)).toEqual(expected.slice(0, 50));
        const besides = hits.slice(expected.length);
        expect(besides.filter(({ match }) => PLAIN.some((plain) => plain === match))).toEqual([]);
        expect(total).toBe(expected.length);
      }),
      { numRuns: 200 },
    );
  });

  it("is the same page by page", () => {
    fc.assert(
      fc.property(catalogue, queryText, fc.integer({ min: 1, max: 5 }), (records, query, limit) => {
        const index = indexOf(records);
        const all = index.search(query, { limit: 100, offset: 0 }).hits;
        const pages = Array.from({ length: Math.ceil(all.length / limit) }, (_, page) =>
          index.search(query, { limit, offset: page * limit }),
        );
        expect(pages.flatMap(({ hits }) => hits)).toEqual(all);
      }),
    );
  });
});

describe("a search among many", () => {
  const manyRecords = Array.from({ length: 5000 }, (_, n) => {
    const name = `Common ${n % 7 === 0 ? "Rare" : "Plain"} ${n}`;
    return recordOf({ id: `id-${n}`, name, popularity: n % 100 === 99 ? n : null });
  });
  const many = indexOf(manyRecords);

  it("counts to a hundred, or to the requested number, and says so", () => {
    const { total, atLeast, hits } = many.search("common", { limit: 10, offset: 0 });
    expect({ total, atLeast, hits: hits.length }).toEqual({ total: 100, atLeast: true, hits: 10 });
    expect(many.search("rare", { limit: 714, offset: 0 })).toMatchObject({ total: 714, atLeast: true });
    expect(many.search("rare", { limit: 15, offset: 700 })).toMatchObject({ total: 715, atLeast: false });
  });

  it("looks inside words only if fewer than a hundred names match better", () => {
    const totalOf = (count: number) => {
      const hammers = Array.from({ length: count }, (_, n) => `Hammer ${n}`);
      return indexOf([...hammers, "Sledgehammer"]).search("hammer", { limit: 10, offset: 0 }).total;
    };
    expect([totalOf(99), totalOf(100)]).toEqual([100, 100]);
  });

  const LONG = "plai comm,comm plai 701,omm lai,co,mon 999,rar 777 4a,lai,common plain,om".split(",");
  it.each(LONG)("follows the rule in long lists too: %s", (query) => {
    const expected = byTheRule(manyRecords, query);
    for (const repeated of [1, 2]) {
      const { hits, total } = many.search(query, { limit: 50, offset: 10 * repeated, onlyAsTyped: true });
      expect(hits.map(({ record, match }) => [record.id, match])).toEqual(
        expected.slice(10 * repeated, 10 * repeated + 50),
      );
      expect(total).toBe(Math.min(expected.length, 100));
    }
  });
});

describe("an index", () => {
  it("keeps records whose names are nothing but punctuation: their ids find them", () => {
    const index = indexOf([
      recordOf({ id: "x", name: "!!!" }),
      recordOf({ id: "y", name: "…", names: { en: "%" } }),
    ]);
    expect(index.ids("X", 10)).toEqual(["x"]);
    expect(index.ids("!", 10)).toEqual([]);
  });
});

const word = fc
  .array(fc.constantFrom("a", "b", "ab", "bab", "bars", "s", "c", "é", "ё", "мечи", "щ"), {
    minLength: 1,
    maxLength: 3,
  })
  .map((letters) => letters.join(""));
const nameText = fc
  .array(fc.tuple(word, fc.constantFrom(" ", "-", " ", "'s ", ", ")), { minLength: 1, maxLength: 4 })
  .map((parts) => parts.flat().join(""));
const queryText = fc.oneof(
  nameText,
  word,
  fc.tuple(nameText, word).map((parts) => parts.join(" ")),
  fc.constantFrom("1", "2", "A", "b a", "bar", "rare", "the", "%", "'", " "),
);
const LANGUAGES = [undefined, "en", "ru", "fr"] as const;
const catalogue = fc
  .array(
    fc.record({
      name: nameText,
      names: fc.dictionary(fc.constantFrom("en", "ru", "de"), nameText),
      popularity: fc.option(fc.integer({ min: 0, max: 3 })),
    }),
    { maxLength: 12 },
  )
  .map((entries) => entries.map((entry, n) => recordOf({ id: String(n), ...entry })));

/** A record with those of its names that match. */
interface Matching {
  readonly record: RecordToIndex;
  readonly names: readonly Name[];
}

interface Name {
  readonly written: string;
  readonly languages: readonly string[];
}

function byRank(a: Matching, b: Matching): number {
  const length = ({ names }: Matching) => Math.min(...names.map(({ written }) => [...written].length));
  return (
    (b.record.popularity ?? -1) - (a.record.popularity ?? -1) ||
    length(a) - length(b) ||
    byCodePoint(a.record.name, b.record.name) ||
    byCodePoint(a.record.id, b.record.id)
  );
}

function byCodePoint(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

/** The classes in their order; whole words come before beginnings. */
const PLACES = ["exact", "prefix", "prefix", "word", "word", "form", "substring"] as const;
const FORM = PLACES.indexOf("form");
const INSIDE = PLACES.indexOf("substring");

/** Every match with its class, best first, found by reading every name of every record. */
function byTheRule(records: readonly RecordToIndex[], query: string, language?: string): [string, Plain][] {
  const typed = normaliseName(query);
  const byId = records.filter(({ id }) => id === query.trim());
  const found = new Map(byId.map(({ id }): [string, Plain] => [id, "exact"]));
  if (typed === "") return [...found];
  for (const match of PLAIN) {
    if ((match === "form" || match === "substring") && found.size >= 100) break;
    if (match === "substring" && !isSearchedInside(typed.split(" "), found.size)) continue;
    for (const [place, each] of PLACES.entries()) {
      if (each !== match) continue;
      const matches = records.map((record) => ({
        record,
        names: namesOf(record).filter(({ written }) => placeOfName(normaliseName(written), typed) === place),
      }));
      const own = matches.map(({ record, names }) => ({ record, names: names.filter(isIn(language)) }));
      for (const each of [own, matches]) {
        const some = each.filter(({ names }) => names.length > 0).sort(byRank);
        for (const { record } of some) if (!found.has(record.id)) found.set(record.id, match);
      }
    }
  }
  return [...found];
}

/** One or two letters are in nearly every word. */
function isSearchedInside(words: readonly string[], found: number): boolean {
  const different = [...new Set(words)].filter(
    (word) => !words.some((other) => other !== word && other.startsWith(word)),
  );
  const short = different.filter((word) => word.length < 3).length;
  return short === 0 || (found === 0 && different.length === 1);
}

function isIn(language: string | undefined) {
  return ({ languages }: Name) => language !== undefined && languages.includes(language);
}

/** A name without a language is one in every language. */
function namesOf({ name, names }: RecordToIndex): Name[] {
  const tagged = Object.entries(names).map(([tag, written]) => ({ written, languages: [tag] }));
  const isTagged = Object.values(names).includes(name);
  return isTagged ? tagged : [{ written: name, languages: ["en", "ru", "de"] }, ...tagged];
}

/** The best place of a name; undefined if a word is not in it. */
function placeOfName(name: string, typed: string): number | undefined {
  if (name === typed) return 0;
  if (name.startsWith(`${typed} `)) return 1;
  if (name.startsWith(typed)) return 2;
  const words = name.split(" ");
  const places = typed.split(" ").map((word) => {
    if (words.includes(word)) return 3;
    if (words.some((other) => other.startsWith(word))) return 4;
    if (words.some((other) => stem(other) === stem(word))) return FORM;
    return name.includes(word) ? INSIDE : Number.NaN;
  });
  const worst = Math.max(...places);
  const isMixed = worst === INSIDE && places.includes(FORM);
  return Number.isNaN(worst) || isMixed ? undefined : worst;
}
