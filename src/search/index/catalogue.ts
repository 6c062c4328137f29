import type { Base } from "./base.ts";
import type { ChangedRecords } from "./changed-records.ts";
import type { Numbering } from "./matches.ts";
import { Names } from "./names.ts";
import type { NumberSet, SortedNumbers } from "./number-set.ts";
import { Overlay } from "./overlay.ts";
import { Postings } from "./postings.ts";
import type { IndexedRecord } from "./records.ts";
import type { TimeLimit } from "./search-clock.ts";
import { isIn, type Span, Vocabulary } from "./vocabulary.ts";
import type { WordSet } from "./word-sets.ts";

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

  /** Starts the clock of a search; when the time is up it returns what it has. */
  startSearch(limit: TimeLimit): void {
    this.#base.wordSets.startSearch();
    this.#base.clock.start(limit);
  }

  /** For every loop that may be long. */
  get timeIsUp(): () => boolean {
    return this.#base.clock.timeIsUp;
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

  /** The words that begin with the letters. */
  beginningWith(letters: string): RecordSet {
    const words = this.words.beginningWith(letters);
    return this.#setOf(this.#base.wordSets.beginningWith(letters), (word) => isIn(words, word));
  }

  /** The words that have the letters anywhere. */
  containing(letters: string): RecordSet {
    return this.#setOf(this.#base.wordSets.containing(letters), this.#holding(letters));
  }

  /** The same for letters in so many words that it is cheaper to check the words that others lead to. */
  uncounted(letters: string): RecordSet {
    return this.#setOf(this.#base.wordSets.uncounted(letters), this.#holding(letters));
  }

  /** The records of a set, best first. */
  recordsOf({ ofBase, changed }: RecordSet): SortedNumbers {
    return this.postings.merged(ofBase, changed());
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

  #holding(letters: string): (word: number) => boolean {
    const { list } = this.#base.words;
    return (word) =>
      word < list.size ? list.contains(word, letters) : this.words.word(word).includes(letters);
  }

  #setOf(ofBase: WordSet, has: (word: number) => boolean): RecordSet {
    let changed: readonly number[] | undefined;
    return {
      ofBase,
      has,
      changed: () => {
        changed ??= this.hasChanged ? this.#overlay.recordsWithWord(has) : [];
        return changed;
      },
    };
  }
}
