import { type Catalogue, lengthOf } from "./catalogue.ts";
import type { Matches, PlainMatch } from "./matches.ts";
import type { Range, RankedList } from "./ranges.ts";

/** Above this a list of candidates is first narrowed by a second word, at a fraction of the cost of reading their names. */
const MANY = 2000;

/**
 * Finds names as they are typed: the whole name, its beginning, the beginnings of its words in any order, and letters
 * inside a word. All words have to be in one name; the worst decides the class. Only what begins with all that was
 * typed is a prefix: `mirage m` means Mirage Morgaine before Mirage Red, though both begin with each of its words.
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
  const { postings, words } = catalogue;
  matches.addRange(postings, catalogue.postingsOf(words.beginningWith(word)), "word");
  if (matches.complete || last === "word") return;
  const stretches = catalogue.postingsOfEach(words.containing(word));
  matches.addAll(recordsIn(postings, stretches), "substring");
}

function findWords(catalogue: Catalogue, typed: readonly string[], matches: Matches, last: PlainMatch): void {
  const { words } = catalogue;
  const beginning = typed.map((word) => {
    const { start, end } = words.beginningWith(word);
    return { postings: [catalogue.postingsOf({ start, end })], has: (n: number) => n >= start && n < end };
  });
  matches.addAll(recordsWithAll(catalogue, beginning, matches), "word");
  if (matches.complete || last === "word") return;
  const longest = Math.max(...typed.map(({ length }) => length));
  const containing = typed.map((part) =>
    part.length >= Math.min(3, longest) ? wordsContaining(catalogue, part) : wordsToLookAt(catalogue, part),
  );
  matches.addAll(recordsWithAll(catalogue, containing, matches), "substring");
}

function wordsContaining(catalogue: Catalogue, part: string): WordSet {
  const numbers = catalogue.words.containing(part);
  const flags = new Uint8Array(catalogue.words.size);
  for (const n of numbers) flags[n] = 1;
  return { postings: catalogue.postingsOfEach(numbers), has: (n) => flags[n] === 1 };
}

/** One or two letters are in so many words that it is cheaper to look at those which the other words lead to. */
function wordsToLookAt({ words }: Catalogue, part: string): WordSet {
  return { has: (n) => words.contains(n, part) };
}

/** The words that one typed word stands for and, where that is worth knowing, where their records are. */
interface WordSet {
  readonly postings?: readonly Range[];
  has(word: number): boolean;
}

/** The records with a name that has a word of each set, best first, until enough are counted. */
function* recordsWithAll(
  catalogue: Catalogue,
  sets: readonly WordSet[],
  matches: Matches,
): Generator<number> {
  const [fewest = [], second] = sets
    .flatMap(({ postings }) => (postings ? [postings] : []))
    .sort((a, b) => lengthOf(a) - lengthOf(b));
  for (const record of catalogue.inBoth(fewest, lengthOf(fewest) > MANY ? second : undefined)) {
    if (matches.complete || catalogue.timeIsUp()) return;
    if (!matches.has(record) && hasAll(catalogue, record, sets)) yield record;
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

/** The records of some stretches of a list; one may come several times. */
function* recordsIn({ records }: RankedList, stretches: readonly Range[]): Generator<number> {
  for (const { start, end } of stretches) for (let at = start; at < end; at++) yield records[at] ?? 0;
}
