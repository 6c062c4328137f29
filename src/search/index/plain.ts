import type { Catalogue, RecordSet } from "./catalogue.ts";
import type { Matches, PlainMatch } from "./matches.ts";
import { NumberSet, type SortedNumbers } from "./number-set.ts";
import type { Range } from "./ranges.ts";
import { isIn, type Span } from "./vocabulary.ts";
import { FEW } from "./word-sets.ts";

/** One or two letters, which nearly every word contains. Han characters, Korean syllables and digits are words of their own. */
const SHORT =
  /^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Hiragana}\p{Script=Katakana}ㄱ-ㅎ]{1,2}$/u;

/** At this many matches, worse kinds of matches are not tried. */
const ENOUGH = 100;

/** A way to read a query: the words that a name must have, and a condition for its record. */
export interface Reading {
  readonly words: readonly string[];
  /** The condition from the words that the name need not have; without it, any record is accepted. */
  readonly accepts?: ((record: number) => boolean) | undefined;
}

/** The ways to read a query: with all typed words in the name, and others where no name has all. */
export interface WaysToRead {
  readonly asTyped: Reading;
  readonly others?: readonly Reading[];
}

/** The class of matches after which to stop. */
export type LastClass = "prefix" | "word" | "substring";

/**
 * Finds names as typed: the whole name, its beginning, beginnings of words in any order, other forms of the words,
 * and letters inside words. All words of a reading must be in one name, and the worst match among them decides the
 * class. Among beginnings, names with all of them as whole words come first. A prefix has to continue the whole text:
 * `mirage m` finds Mirage Morgaine before Mirage Red, though both begin with each word. One or two letters are
 * searched inside words only if no word begins with them and another word is typed too.
 *
 * Other readings count only if no name has all typed words, at least as beginnings. Other forms and letters inside
 * words count only if fewer than 100 records match without them.
 */
export function findPlain(
  catalogue: Catalogue,
  readings: WaysToRead,
  matches: Matches,
  last: LastClass = "substring",
): void {
  const asTyped = new ReadingSearch(catalogue, readings.asTyped, matches);
  asTyped.findExact();
  asTyped.findPrefix();
  if (last === "prefix") return;
  asTyped.findWords(last === "word");
  if (last === "word") return;
  const others = (matches.total > 0 ? [] : (readings.others ?? [])).map(
    (reading) => new ReadingSearch(catalogue, reading, matches),
  );
  for (const other of others) other.findExact();
  for (const other of others) other.findPrefix();
  for (const other of others) other.findWords(false);
  const all = [asTyped, ...others];
  if (matches.total < ENOUGH) for (const each of all) each.findForms();
  if (matches.total < ENOUGH) for (const each of all) each.findSubstrings();
}

/** The search for one reading, whose steps are called in the order of the classes. */
class ReadingSearch {
  readonly #catalogue: Catalogue;
  readonly #typed: readonly string[];
  /**
   * The typed words without those that begin another one, because they match whenever the longer word does, at least
   * as well.
   */
  readonly #words: readonly string[];
  readonly #accepts: Reading["accepts"];
  readonly #matches: Matches;
  #begun: readonly RecordSet[] | undefined;
  /** The records for `findSubstrings`, if `findWords` has found them on its way. */
  #inside: readonly number[] | undefined;

  constructor(catalogue: Catalogue, { words, accepts }: Reading, matches: Matches) {
    this.#catalogue = catalogue;
    this.#typed = words;
    this.#words = withoutBeginnings(words);
    this.#accepts = accepts;
    this.#matches = matches;
  }

  get #name(): string {
    return this.#typed.join(" ");
  }

  findExact(): void {
    const { names } = this.#catalogue;
    const changed = this.#catalogue.changedNamed((other) => other === this.#name);
    this.#matches.addRange(names.sortedRecords, names.equalTo(this.#typed), "exact", changed, this.#accepts);
  }

  findPrefix(): void {
    const { names } = this.#catalogue;
    const range = names.beginningWith(this.#typed);
    const changed = this.#catalogue.changedNamed((other) => other.startsWith(this.#name));
    if (range.end - range.start + changed.length > 1) {
      const whole = this.#catalogue.changedNamed((other) => `${other} `.startsWith(`${this.#name} `));
      this.#addPrefix(names.beginningWithWhole(this.#typed), whole);
    }
    this.#addPrefix(range, changed);
  }

  #addPrefix(range: Range, changed: readonly number[]): void {
    const { names } = this.#catalogue;
    this.#matches.addRange(names.sortedRecords, range, "prefix", changed, this.#accepts);
  }

  /** Finds words, whole ones first. `isLast`: letters inside words will not be searched. */
  findWords(isLast: boolean): void {
    if (this.#matches.complete) return;
    const [word = "", another] = this.#typed;
    if (another === undefined) {
      const { words } = this.#catalogue;
      for (const span of [words.spanOf(word), words.beginningWith(word)]) this.#addWordsOf(span);
    } else if (isLast || this.#words.length === 1 || this.#words.some(isShort)) {
      if (!this.#beginning.some(isEmpty)) this.#addWords(this.#beginning);
    } else {
      const inside: number[] = [];
      this.#inside = inside;
      const containing = this.#containing;
      if (!containing) return;
      // In one pass, as intersecting large sets costs more than telling the class of a record.
      this.#addWords(containing, (record) => {
        if (inside.length < this.#matches.countTo && hasAll(this.#catalogue, record, containing)) {
          inside.push(record);
        }
      });
    }
  }

  findForms(): void {
    if (this.#matches.complete) return;
    let hasForms = false;
    const sets: RecordSet[] = [];
    for (const [n, word] of this.#words.entries()) {
      const forms = this.#catalogue.formsOf(word);
      const set = forms ?? this.#beginning[n];
      if (!set || isEmpty(set)) return;
      hasForms ||= forms !== undefined;
      sets.push(set);
    }
    if (hasForms) this.#addAll(sets, "form");
  }

  findSubstrings(): void {
    const found = this.#inside;
    if (found) this.#matches.addSorted({ some: (visit) => void found.some(visit) }, "substring");
    else if (this.#isSearchedInside) this.#addAll(this.#containing ?? [], "substring");
  }

  /** Adds the records in all sets whose name begins words as typed; passes the others to `visitOther`. */
  #addWords(sets: readonly RecordSet[], visitOther?: (record: number) => void): void {
    const beginning = this.#beginning;
    const whole = this.#wholeWords;
    const [found, foundWhole]: [number[], number[]] = [[], []];
    let isFull = false;
    candidatesFor(this.#catalogue, sets).some((record) => {
      if (this.#matches.has(record) || this.#accepts?.(record) === false) return false;
      if (!hasAll(this.#catalogue, record, beginning)) {
        visitOther?.(record);
        return false;
      }
      if (whole && hasEach(this.#catalogue, record, whole)) foundWhole.push(record);
      else found.push(record);
      isFull = found.length + foundWhole.length >= this.#matches.countTo;
      return isFull;
    });
    // Others with whole words may come behind the last one.
    if (isFull && whole) {
      this.#addAll(
        this.#typed.map((word) => this.#catalogue.wordAlone(word)),
        "word",
      );
    }
    for (const records of [foundWhole, found]) {
      this.#matches.addSorted({ some: (visit) => void records.some(visit) }, "word");
    }
  }

  /** The numbers of the typed words; undefined if one is not a known word. */
  get #wholeWords(): number[] | undefined {
    const numbers = this.#typed.map((word) => this.#catalogue.words.find(word));
    return numbers.includes(-1) ? undefined : numbers;
  }

  get #isSearchedInside(): boolean {
    if (this.#matches.complete) return false;
    const isSome = this.#words.some(isShort);
    return (
      !isSome || (this.#matches.total === 0 && (this.#words.length === 1 || !this.#words.every(isShort)))
    );
  }

  get #beginning(): readonly RecordSet[] {
    this.#begun ??= this.#words.map((word) => this.#catalogue.beginningWith(word));
    return this.#begun;
  }

  /** The records for each typed word's letters; undefined if no word contains those of one. */
  get #containing(): RecordSet[] | undefined {
    const sets: RecordSet[] = [];
    for (const word of this.#words) {
      const isCounted = this.#words.length === 1 || !isShort(word);
      const set = isCounted ? this.#catalogue.containing(word) : this.#catalogue.uncounted(word);
      if (isEmpty(set)) return undefined;
      sets.push(set);
    }
    return sets;
  }

  #addWordsOf(span: Span): void {
    const { postings } = this.#catalogue;
    const changed = this.#catalogue.changedWith((word) => isIn(span, word));
    this.#matches.addRange(postings.ofBase, postings.rangeOf(span.base), "word", changed, this.#accepts);
  }

  /** Adds the records with a name that has a word of each set. */
  #addAll(sets: readonly RecordSet[], match: PlainMatch): void {
    if (this.#matches.complete) return;
    const [set, another] = sets;
    if (!set) return;
    const candidates = !another ? this.#catalogue.recordsOf(set) : candidatesFor(this.#catalogue, sets);
    const found = filtered(candidates, (record) => {
      if (this.#accepts?.(record) === false) return false;
      return another === undefined || hasAll(this.#catalogue, record, sets);
    });
    this.#matches.addSorted(found, match);
  }
}

/** True if a set has no record. */
function isEmpty(set: RecordSet): boolean {
  return set.ofBase.count === 0 && set.changed().length === 0;
}

function withoutBeginnings(words: readonly string[]): string[] {
  const different = [...new Set(words)];
  return different.filter((word) => !different.some((other) => other !== word && other.startsWith(word)));
}

function isShort(word: string): boolean {
  return SHORT.test(word);
}

/** The records in all sets, even if by different names. */
function candidatesFor(catalogue: Catalogue, sets: readonly RecordSet[]): SortedNumbers {
  const counted = sets.filter(({ ofBase }) => ofBase.count !== Number.POSITIVE_INFINITY);
  const inBase = counted.map(({ ofBase }) => ofBase);
  const fewest = inBase.reduce((a, b) => (b.count < a.count ? b : a));
  const ofBase = fewest.count <= FEW ? fewest : NumberSet.inAll(inBase.map((set) => set.bits()));
  const changed = counted.map((set) => set.changed()).reduce((a, b) => (b.length < a.length ? b : a));
  return catalogue.postings.merged(ofBase, changed);
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

/** Whether a record has a name with all of these words. */
function hasEach({ names }: Catalogue, record: number, words: readonly number[]): boolean {
  return names.someName(record, (start, end) =>
    words.every((word) => {
      for (let at = start; at < end; at++) if (names.wordAt(at) === word) return true;
      return false;
    }),
  );
}
