import type { Catalogue, RecordSet } from "./catalogue.ts";
import type { Matches, PlainMatch } from "./matches.ts";
import { NumberSet, type SortedNumbers } from "./number-set.ts";
import { FEW } from "./word-sets.ts";

/** One or two letters are in nearly every word; in Han characters and digits they are words. */
const SHORT =
  /^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Hiragana}\p{Script=Katakana}]{1,2}$/u;

/**
 * Finds names as typed: the whole name, its beginning, beginnings of words in any order, and letters inside words. All
 * typed words must be in one name, and the worst of them decides the class. A prefix has to continue the whole text:
 * `mirage m` finds Mirage Morgaine before Mirage Red, though both begin with each word. One or two letters are searched
 * inside words only if no word begins with them and another word is typed too.
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
  const equal = catalogue.changedNamed((other) => other === name);
  matches.addRange(names.sortedRecords, names.equalTo(typed), "exact", equal);
  const longer = catalogue.changedNamed((other) => other.startsWith(name));
  matches.addRange(names.sortedRecords, names.beginningWith(typed), "prefix", longer);
  if (matches.complete || last === "prefix") return;
  if (words.length === 1) findWord(catalogue, words[0] ?? "", matches, last);
  else findWords(catalogue, words, matches, last);
}

/** Drops words that another typed word begins with: they match wherever that one does, in the same class or better. */
function withoutBeginnings(words: readonly string[]): string[] {
  const different = [...new Set(words)];
  return different.filter((word) => !different.some((other) => other !== word && other.startsWith(word)));
}

function findWord(catalogue: Catalogue, word: string, matches: Matches, last: PlainMatch): void {
  const { postings, words } = catalogue;
  const range = postings.rangeOf(words.beginningWith(word).base);
  matches.addRange(postings.ofBase, range, "word", catalogue.beginningWith(word).changed());
  if (matches.complete || last === "word" || (SHORT.test(word) && matches.total > 0)) return;
  matches.addSorted(catalogue.recordsOf(catalogue.containing(word)), "substring");
}

function findWords(catalogue: Catalogue, typed: readonly string[], matches: Matches, last: PlainMatch): void {
  const beginning = typed.map((word) => catalogue.beginningWith(word));
  const short = typed.filter((word) => SHORT.test(word));
  if (last === "word" || short.length > 0) {
    matches.addSorted(recordsWithAll(catalogue, beginning), "word");
    if (last === "word" || matches.total > 0 || short.length === typed.length) return;
  }
  const containing = typed.map((word) =>
    SHORT.test(word) ? catalogue.uncounted(word) : catalogue.containing(word),
  );
  // One pass for both classes: intersecting large sets costs more than telling the class of a record.
  const inside: number[] = [];
  const atBeginnings = filtered(candidatesFor(catalogue, containing), (record) => {
    if (hasAll(catalogue, record, beginning)) return true;
    if (inside.length < matches.countTo && hasAll(catalogue, record, containing)) inside.push(record);
    return false;
  });
  matches.addSorted(atBeginnings, "word");
  matches.addSorted(inside, "substring");
}

/** The records with a name that has a word of each set. */
function recordsWithAll(catalogue: Catalogue, sets: readonly RecordSet[]): SortedNumbers {
  return filtered(candidatesFor(catalogue, sets), (record) => hasAll(catalogue, record, sets));
}

/** The records that all sets lead to, though maybe by different names. */
function candidatesFor(catalogue: Catalogue, sets: readonly RecordSet[]): SortedNumbers {
  const counted = sets.filter(({ ofBase }) => ofBase.count !== Number.POSITIVE_INFINITY);
  const inBase = counted.map(({ ofBase }) => ofBase);
  const fewest = inBase.reduce((a, b) => (b.count < a.count ? b : a));
  const ofBase = fewest.count <= FEW ? fewest : NumberSet.inAll(inBase.map((set) => set.bits()));
  const changed = counted.map((set) => set.changed()).reduce((a, b) => (b.length < a.length ? b : a));
  const candidates = catalogue.postings.merged(ofBase, changed);
  return { some: (visit) => candidates.some((record) => catalogue.timeIsUp() || visit(record)) };
}

function filtered(numbers: SortedNumbers, accept: (number: number) => boolean): SortedNumbers {
  return { some: (visit) => numbers.some((number) => accept(number) && visit(number)) };
}

function hasAll({ names }: Catalogue, record: number, sets: readonly RecordSet[]): boolean {
  return names.someName(record, (start, end) =>
    sets.every(({ has }) => {
      for (let at = start; at < end; at++) if (has(names.wordAt(at))) return true;
      return false;
    }),
  );
}
