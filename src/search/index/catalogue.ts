import { abbreviatedBy, CONSONANTS, FIRST_CONSONANTS, FIRST_SYLLABLE } from "../hangul.ts";
import { isOrdinaryTyped, stemOfTyped } from "../typed-word.ts";
import type { Base } from "./base.ts";
import type { ChangedRecords } from "./changed-records.ts";
import { initialsOf, recordsInBucket } from "./initials.ts";
import type { Numbering } from "./matches.ts";
import { Names } from "./names.ts";
import type { NumberSet, SortedNumbers } from "./number-set.ts";
import { Overlay } from "./overlay.ts";
import { Postings } from "./postings.ts";
import type { IndexedRecord } from "./records.ts";
import { isIn, numbersOf, type Span, Vocabulary } from "./vocabulary.ts";
import type { WordSet } from "./word-sets.ts";

/** A Roman numeral, but also the beginning of many words. */
const ONE_LETTER = /^\p{Letter}$/u;
const DIGITS = /^\d+$/;

/** The words that a typed word stands for. */
export interface RecordSet {
  /** The records of the base, maybe gone. */
  readonly ofBase: WordSet;
  has(word: number): boolean;
  /** The changed records, ascending. */
  changed(): readonly number[];
}

/** The records of one kind as they are: those of a base, and what has changed since it was built. */
export class Catalogue implements Numbering {
  /** How many records there are. */
  readonly size: number;
  /** Above the numbers of the base's records; those of changed ones follow. */
  readonly baseSize: number;
  /** Above the number of any record. */
  readonly limit: number;
  readonly hasChanged: boolean;
  readonly gone: NumberSet;
  readonly words: Vocabulary;
  readonly names: Names;
  readonly postings: Postings;
  readonly #base: Base;
  readonly #overlay: Overlay;
  #sounds: Vocabulary | undefined;

  constructor(base: Base, changes: ChangedRecords) {
    this.#base = base;
    this.#overlay = new Overlay(base, changes);
    const changed = this.#overlay.records.length;
    this.size = base.size - changes.goneCount + changed;
    this.baseSize = base.size;
    this.limit = base.size + changed;
    this.hasChanged = changed > 0;
    this.gone = changes.gone;
    this.words = new Vocabulary(base.words, this.#overlay.words);
    this.names = new Names(base.names, base.words.list, this.#overlay.rows);
    this.postings = new Postings(base, changes, this.#overlay);
    base.marks.extend(changed);
  }

  get marks() {
    return this.#base.marks;
  }

  /** Forgets what was remembered for the search before. */
  startSearch(): void {
    this.#base.wordSets.startSearch();
  }

  read(record: number): IndexedRecord {
    const { size, records } = this.#base;
    const changed = this.#overlay.records[record - size]?.record;
    return changed ?? records.read(record);
  }

  recordWithId(id: string): number | undefined {
    const record = this.#overlay.recordWithId(id) ?? this.#base.recordWithId(id);
    return record === undefined || this.gone.has(record) ? undefined : record;
  }

  rankOf(record: number): number {
    return record < this.#base.size ? record : this.#overlay.rankOf(record);
  }

  /** The changed records with a normalised name that `accept` lets pass, ascending. */
  changedNamed(accept: (name: string) => boolean): readonly number[] {
    return this.hasChanged ? this.#overlay.recordsNamed(accept) : [];
  }

  /** The changed records with a word that `accept` lets pass, ascending. */
  changedWith(accept: (word: number) => boolean): readonly number[] {
    return this.hasChanged ? this.#overlay.recordsWithWord(accept) : [];
  }

  /** A test for the records that have a value with a word, see `Values.holding`; undefined if none has. */
  valuesHolding(word: string): ((record: number) => boolean) | undefined {
    const { size, values } = this.#base;
    const ofBase = values.holding(word);
    const changed = this.#overlay.withValue(word);
    if (!ofBase && changed.size === 0) return undefined;
    return (record) => (record < size ? ofBase?.(record) === true : changed.has(record - size));
  }

  /** The words that begin with the letters. */
  beginningWith(letters: string): RecordSet {
    const words = this.words.beginningWith(letters);
    return this.#setOf(this.#base.wordSets.beginningWith(letters), (word) => isIn(words, word));
  }

  /** A word alone. */
  wordAlone(word: string): RecordSet {
    const n = this.words.find(word);
    return this.#setOf(this.#base.wordSets.wordAlone(word), (other) => other === n);
  }

  /**
   * The forms of a word that do not begin with it, maybe dead ones among them, or what it abbreviates in Korean. None for
   * letters that only begin a word and are no word of their own, such as those of a name half typed.
   */
  otherForms(letters: string): number[] {
    if (ONE_LETTER.test(letters)) return [];
    const abbreviated = abbreviatedBy(letters);
    if (abbreviated) return this.#wordsAbbreviated(letters, abbreviated);
    const word = this.words.find(letters);
    const related = this.wordsWithStem(letters, word);
    if (related.length === 0) return related;
    const begun = this.words.beginningWith(letters);
    const others = related.filter((other) => !isIn(begun, other));
    const isOfNoWord = word < 0 && this.words.hasBeginning(letters);
    const isMeant = isOrdinaryTyped(letters) || DIGITS.test(letters);
    return others.length > 0 && isOfNoWord && !isMeant ? [] : others;
  }

  /** The words that begin with the letters, and the forms of that word; undefined if it has no others. */
  formsOf(letters: string): RecordSet | undefined {
    const begun = this.words.beginningWith(letters);
    const forms = new Set(this.otherForms(letters));
    if (forms.size === 0) return undefined;
    const ofBase = [...forms].filter((word) => word < this.#base.words.list.size);
    const set = this.#base.wordSets.beginningOrAmong(letters, ofBase);
    return this.#setOf(set, (word) => isIn(begun, word) || forms.has(word));
  }

  /** Some words, which must be the same for the same key. */
  among(key: string, words: readonly number[]): RecordSet {
    const sought = new Set(words);
    const ofBase = [...sought].filter((word) => word < this.#base.words.list.size);
    return this.#setOf(this.#base.wordSets.among(key, ofBase), (word) => sought.has(word));
  }

  /** The records with a name whose words begin with these letters, in this order. */
  withInitials(initials: string): SortedNumbers {
    const records = new Set(recordsInBucket(this.#base.initials, initials));
    const ofBase = [...records].filter((record) => this.#hasInitials(record, initials));
    const changed = this.changedNamed((name) => initialsOf(name) === initials);
    return this.postings.merged({ some: (visit) => void ofBase.some(visit) }, changed);
  }

  /** The words that have the letters anywhere, or syllables in a row that begin with these consonants. */
  containing(letters: string): RecordSet {
    if (CONSONANTS.test(letters)) return this.among(letters, this.wordsWithConsonants(letters, "inside"));
    return this.#setOf(this.#base.wordSets.containing(letters), this.#holding(letters));
  }

  /** The same for letters in so many words that it is cheaper to check the words that others lead to. */
  uncounted(letters: string): RecordSet {
    if (CONSONANTS.test(letters)) return this.containing(letters);
    return this.#setOf(this.#base.wordSets.uncounted(letters), this.#holding(letters));
  }

  /** The records of a set, best first. */
  recordsOf(set: RecordSet): SortedNumbers {
    return this.postings.merged(set.ofBase, set.changed());
  }

  /** What the words sound like. */
  get sounds(): Vocabulary {
    this.#sounds ??= new Vocabulary(this.#base.sounds, this.#overlay.sounds);
    return this.#sounds;
  }

  /** The sound of a word. */
  soundOf(word: number): number {
    const { soundOf } = this.#base;
    return (word < soundOf.length ? soundOf[word] : this.#overlay.sounds.ofAdded[word - soundOf.length]) ?? 0;
  }

  /** The words that have a sound of a span. */
  *wordsHeard(sounds: Span): Generator<number> {
    const { starts, members } = this.#base.soundWords;
    const end = starts[sounds.base.end] ?? 0;
    for (let at = starts[sounds.base.start] ?? 0; at < end; at++) yield members[at] ?? 0;
    for (const [n, sound] of this.#overlay.sounds.ofAdded.entries()) {
      if (isIn(sounds, sound)) yield this.#base.soundOf.length + n;
    }
  }

  /** The words with consonants as `consonantKeys` gives them, maybe dead ones among them. */
  wordsWithConsonants(key: string, where: "whole" | "beginning" | "inside" = "whole"): number[] {
    const { consonants, consonantWords } = this.#base;
    const { starts, members } = consonantWords;
    const ofKeys = (from: number, to: number) => [...members.subarray(starts[from], starts[to])];
    const added = this.#overlay.consonantWords;
    if (where === "whole") {
      const n = consonants.find(key);
      return [...(n < 0 ? [] : ofKeys(n, n + 1)), ...(added.get(key) ?? [])];
    }
    const isInside = where === "inside";
    const isLike = (each: string) => (isInside ? each.includes(key) : each.startsWith(key));
    const others = [...added].flatMap(([each, words]) => (isLike(each) ? words : []));
    const { start, end } = consonants.beginningWith(key);
    const inside = isInside ? [...consonants.containing(key)].flatMap((n) => ofKeys(n, n + 1)) : undefined;
    return [...(inside ?? ofKeys(start, end)), ...others];
  }

  #hasInitials(record: number, initials: string): boolean {
    return this.names.someName(record, (start, end) => {
      if (end - start !== initials.length) return false;
      for (let at = start; at < end; at++) {
        if (this.words.letter(this.names.wordAt(at), 0) !== initials.charCodeAt(at - start)) return false;
      }
      return true;
    });
  }

  /** The words with the stem of letters; none if that is only the word itself, which they are. */
  wordsWithStem(letters: string, word = this.words.find(letters)): number[] {
    const { stemOf, stems, stemWords } = this.#base;
    const { stemWords: addedWords } = this.#overlay;
    if (addedWords.size === 0 && word >= 0) {
      const n = stemOf[word] ?? 0;
      const [start = 0, end = 0] = [stemWords.starts[n], stemWords.starts[n + 1]];
      return end - start > 1 ? [...stemWords.members.subarray(start, end)] : [];
    }
    const sought = stemOfTyped(letters);
    const n = stems.find(sought);
    const added = addedWords.get(sought) ?? [];
    if (n < 0) return [...added];
    return [...stemWords.members.subarray(stemWords.starts[n], stemWords.starts[n + 1]), ...added];
  }

  /** The words that are abbreviated so, read one by one of those with the same first letters. */
  #wordsAbbreviated(letters: string, abbreviated: RegExp): number[] {
    const [leads = "", syllable = ""] = [FIRST_CONSONANTS, FIRST_SYLLABLE].map(
      (each) => letters.match(each)?.[0],
    );
    const words =
      leads.length > 1
        ? this.wordsWithConsonants(leads, "beginning")
        : [...numbersOf(this.words.beginningWith(syllable))];
    return words.filter((word) => this.words.word(word).search(abbreviated) === 0);
  }

  #holding(letters: string): (word: number) => boolean {
    const { list } = this.#base.words;
    return (word) =>
      word < list.size ? list.contains(word, letters) : this.words.word(word).includes(letters);
  }

  #setOf(ofBase: WordSet, has: (word: number) => boolean): RecordSet {
    return new KnownSet(this, ofBase, has);
  }
}

/** A class, as making the functions of an object takes longer than a search for one word. */
class KnownSet implements RecordSet {
  readonly ofBase: WordSet;
  readonly has: (word: number) => boolean;
  readonly #catalogue: Catalogue;
  #changed: readonly number[] | undefined;

  constructor(catalogue: Catalogue, ofBase: WordSet, has: (word: number) => boolean) {
    this.#catalogue = catalogue;
    this.ofBase = ofBase;
    this.has = has;
  }

  changed(): readonly number[] {
    this.#changed ??= this.#catalogue.changedWith(this.has);
    return this.#changed;
  }
}
