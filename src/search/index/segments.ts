import { IndexBuilder, type IndexData } from "./build.ts";
import type { Count } from "./edit-distance.ts";
import { compareRank, type IndexedRecord, parseRecord, type RecordToIndex, recordJson } from "./records.ts";
import { Segment } from "./segment.ts";
import { normalisedValues, valueKeysOf } from "./values.ts";

/**
 * The records of a kind in segments: all as they were when the index was built, and a small one of those that have
 * changed since. Records are numbered through.
 */
export class Segments {
  /** The large segment, and the small one if anything has changed. */
  all: readonly Segment[];
  /** Which records the running search has seen. */
  marks: Marks;
  readonly #base: Segment;
  readonly #valueKeys: readonly string[];
  readonly #changed = new Map<string, RecordToIndex>();
  #goneCount = 0;
  /** How many records of the large segment come before each changed one. */
  #places: readonly number[] = [];

  constructor(data: IndexData) {
    this.#base = new Segment(data);
    this.#valueKeys = valueKeysOf(data.values);
    this.all = [this.#base];
    this.marks = new Marks(data.size);
  }

  /** How many records there are. */
  get size(): number {
    return this.#base.size - this.#goneCount + this.#changed.size;
  }

  /** How many records differ from those that the index was built from. */
  get changedCount(): number {
    return Math.max(this.#changed.size, this.#goneCount);
  }

  /**
   * Applies records as they are now, and the ids of removed ones; searches see all of it from then on. Returns false
   * if that changes nothing.
   */
  change(changed: Iterable<RecordToIndex>, removed: Iterable<string>): boolean {
    let isNew = false;
    for (const record of changed) isNew = this.#put(record) || isNew;
    for (const id of removed) isNew = this.#remove(id) || isNew;
    if (isNew) this.#index();
    return isNew;
  }

  read(record: number): IndexedRecord {
    const segment = this.#segmentOf(record);
    return segment.records.read(record - segment.first);
  }

  isGone(record: number): boolean {
    return record < this.#base.size && this.#base.gone.has(record);
  }

  /** Smaller for better records. A changed one comes between its neighbours in the large segment. */
  rankOf(record: number): number {
    const n = record - this.#base.size;
    return n < 0 ? record : (this.#places[n] ?? 0) - 1 + (n + 1) / (this.#places.length + 1);
  }

  /** True if any name in the index has the word. */
  hasWord(word: string): boolean {
    return this.all.some(({ words }) => words.find(word) >= 0);
  }

  /** True if a word of any name begins with the letters. */
  hasBeginning(letters: string): boolean {
    return this.all.some(({ words }) => {
      const { start, end } = words.beginningWith(letters);
      return start < end;
    });
  }

  /** Counts the beginnings of each length, or the whole words, of a script. */
  counter(script: number, of: "beginnings" | "wholes"): Count {
    return this.#sum(this.all.map(({ corrections }) => corrections.counter(script, of)));
  }

  /** The same of sounds. */
  soundCounter(): Count {
    return this.#sum(this.all.map(({ soundCorrections }) => soundCorrections.counter(0, "beginnings")));
  }

  #sum(counts: readonly Count[]): Count {
    return (length) => counts.reduce((sum, count) => sum + count(length), 0);
  }

  #segmentOf(record: number): Segment {
    return this.all.findLast(({ first }) => record >= first) ?? this.#base;
  }

  /** Takes a record as it is now; returns false if it was so before. */
  #put(given: RecordToIndex): boolean {
    const values = normalisedValues(given.values ?? []);
    const known = this.#changed.get(given.id);
    const n = this.#base.recordWithId(given.id);
    const before = known
      ? [recordJson(known), normalisedValues(known.values ?? [])]
      : n !== undefined && [this.#base.records.json(n), this.#base.values.of(n)];
    if (JSON.stringify(before) === JSON.stringify([recordJson(given), values])) return false;
    this.#hide(n);
    this.#changed.set(given.id, { ...parseRecord(recordJson(given)), values: given.values ?? [] });
    return true;
  }

  /** Takes a record out; returns false if there was none. */
  #remove(id: string): boolean {
    const isOfBase = this.#hide(this.#base.recordWithId(id));
    return this.#changed.delete(id) || isOfBase;
  }

  #hide(record: number | undefined): boolean {
    if (record === undefined) return false;
    this.#base.gone.add(record);
    this.#goneCount += 1;
    return true;
  }

  #index(): void {
    const records = [...this.#changed.values()].sort(compareRank);
    const builder = new IndexBuilder(this.#valueKeys);
    for (const record of records) builder.add(record);
    this.#places = records.map((record) => this.#placeOf(record));
    const small = records.length > 0 ? [new Segment(builder.finish(), this.#base.size)] : [];
    this.all = [this.#base, ...small];
    this.marks = new Marks(this.#base.size + records.length);
  }

  #placeOf(record: IndexedRecord): number {
    let low = 0;
    for (let high = this.#base.size; low < high; ) {
      const middle = (low + high) >>> 1;
      if (compareRank(this.#base.records.read(middle), record) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** Which records a search has seen, as a number per record, so that nothing is cleared between searches. */
export class Marks {
  readonly #marks: Uint32Array;
  #last = 0;

  constructor(size: number) {
    this.#marks = new Uint32Array(size);
  }

  /** A mark that no record has. */
  next(): number {
    if (this.#last === 0xffffffff) {
      this.#marks.fill(0);
      this.#last = 0;
    }
    return ++this.#last;
  }

  set(record: number, mark: number): void {
    this.#marks[record] = mark;
  }

  of(record: number): number {
    return this.#marks[record] ?? 0;
  }
}
