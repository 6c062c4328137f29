import type { Catalogue } from "./catalogue.ts";
import type { Matches, PlainMatch } from "./matches.ts";
import { NumberSet } from "./number-set.ts";
import { FEW, type WordSet } from "./word-sets.ts";

/** One or two letters are inside nearly every word; in Han characters and in digits they are words. */
const SHORT =
  /^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Hiragana}\p{Script=Katakana}]{1,2}$/u;

/**
 * Finds names as they are typed: the whole name, its beginning, the beginnings of its words in any order, and letters
 * inside a word. All words have to be in one name; the worst decides the class. Only what begins with all that was
 * typed is a prefix: `mirage m` means Mirage Morgaine before Mirage Red, though both begin with each of its words.
 * One or two letters are looked for inside words only where no word begins with them, and not where there is nothing
 * else to look for.
 */
export function findPlain(
  catalogue: Catalogue,
  name: string,
  matches: Matches,
  last: PlainMatch = "substring",
): void {
  const typed = name.split(" ");
  const words = withoutBeginnings(typed);
  const { names } = catalogue;
  matches.addRange(names.sortedRecords, names.equalTo(typed), "exact");
  matches.addRange(names.sortedRecords, names.beginningWith(typed), "prefix");
  if (matches.complete || last === "prefix") return;
  if (words.length === 1) findWord(catalogue, words[0] ?? "", matches, last);
  else findWords(catalogue, words, matches, last);
}

/** A word that another one begins with is found wherever that is, in the same class or a better one. */
function withoutBeginnings(words: readonly string[]): string[] {
  const different = [...new Set(words)];
  return different.filter((word) => !different.some((other) => other !== word && other.startsWith(word)));
}

function findWord(catalogue: Catalogue, word: string, matches: Matches, last: PlainMatch): void {
  const { postings, words, wordSets } = catalogue;
  matches.addRange(postings, catalogue.postingsOf(words.beginningWith(word)), "word");
  if (matches.complete || last === "word" || (SHORT.test(word) && matches.total > 0)) return;
  matches.addSorted(wordSets.inside(word).records(), "substring");
}

function findWords(catalogue: Catalogue, typed: readonly string[], matches: Matches, last: PlainMatch): void {
  const { wordSets } = catalogue;
  const beginning = typed.map((word) => wordSets.beginningWith(word));
  matches.addSorted(recordsWithAll(catalogue, beginning), "word");
  if (matches.complete || last === "word") return;
  const short = typed.filter((word) => SHORT.test(word));
  if (short.length === typed.length || (short.length > 0 && matches.total > 0)) return;
  matches.addSorted(recordsInside(catalogue, typed, matches.countTo), "substring");
}

/**
 * The best `count` records with a name that has all words somewhere, at least one of them inside a word: which are far
 * fewer than those that merely have them all.
 */
function recordsInside(catalogue: Catalogue, typed: readonly string[], count: number): Uint32Array {
  const setOf = (part: string, where: "containing" | "inside") =>
    SHORT.test(part) ? catalogue.wordSets.uncounted(part, where) : catalogue.wordSets[where](part);
  const found = new Set<number>();
  for (const inside of typed) {
    const set = setOf(inside, "inside");
    if (set.count === 0) continue;
    const others = typed.filter((part) => part !== inside).map((part) => setOf(part, "containing"));
    let left = count;
    for (const record of recordsWithAll(catalogue, [set, ...others])) {
      found.add(record);
      if (--left === 0) break;
    }
  }
  return Uint32Array.from(found).sort();
}

/** The records with a name that has a word of each set, best first. */
function* recordsWithAll(catalogue: Catalogue, sets: readonly WordSet[]): Generator<number> {
  const fewest = sets.reduce((a, b) => (b.count < a.count ? b : a));
  if (fewest.count === 0) return;
  const counted = sets.filter(({ count }) => count !== Number.POSITIVE_INFINITY);
  const few = fewest.count <= FEW;
  for (const record of few ? fewest.records() : NumberSet.inAll(counted.map((set) => set.bits()))) {
    if (catalogue.timeIsUp()) return;
    if (hasAll(catalogue, record, sets)) yield record;
  }
}

function hasAll({ names }: Catalogue, record: number, sets: readonly WordSet[]): boolean {
  return names.someName(record, (start, end) =>
    sets.every(({ has }) => {
      for (let at = start; at < end; at++) if (has(names.wordAt(at))) return true;
      return false;
    }),
  );
}
