import { IndexBuilder, type IndexData } from "./build.ts";
import type { Count } from "./edit-distance.ts";
import {
  comparePopularity,
  compareRank,
  type IndexedRecord,
  parseRecord,
  type RecordToIndex,
  recordJson,
} from "./records.ts";
import { Segment } from "./segment.ts";
import { type Labels, normalisedValues } from "./values.ts";

/** A change is merged with a segment that is no more than so many times as large: each segment costs every search. */
const MERGED_TIMES = 32;

/** Records as they are now, which are others than when the index was built, with an index of their own. */
interface SmallSegment {
  readonly segment: Segment;
  readonly records: readonly RecordToIndex[];
}

/**
 * The records of a kind in segments: all as they were when the index was built, and small ones of those that have
 * changed since. Each change makes a segment, and merges it with those before it unless they are far larger.
 * Names are numbered through.
 */
export class Segments {
  /** The records as they were when the index was built. */
  readonly large: Segment;
  /** The large segment, and the small ones. */
  all: readonly Segment[];
  readonly #valueKeys: readonly string[];
  readonly #changed = new Map<string, RecordToIndex>();
  #small: readonly SmallSegment[] = [];
  #goneCount = 0;
  #labels: Labels = new Map();

  constructor(data: IndexData) {
    this.large = new Segment(data, 0);
    this.#valueKeys = data.values.keys;
    this.all = [this.large];
  }

  /** How many records there are. */
  get size(): number {
    return this.large.size - this.#goneCount + this.#changed.size;
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
    const different = [...changed].filter((record) => this.#isNew(record));
    let isNew = different.length > 0;
    for (const { id } of different) this.#hide(id);
    for (const id of removed) isNew = this.#hide(id) || isNew;
    if (isNew) this.#index(different.map((record) => this.#take(record)));
    return isNew;
  }

  /** Takes over what values are called, for changed records too. */
  label(labels: Labels): void {
    this.#labels = labels;
    for (const { values } of this.all) values.label(labels);
  }

  /** The record of a name. */
  read(name: number): IndexedRecord {
    const { first, names, records } = this.segmentOf(name);
    return records.read(names.recordOf(name - first));
  }

  /** Numbers the record of a name among those of all segments. No segment has more records than names. */
  ownerOf(name: number): number {
    const { first, names } = this.segmentOf(name);
    return first + names.recordOf(name - first);
  }

  /** Sorts names, best first: in a segment by their numbers, else by what these follow. */
  compare(a: number, b: number): number {
    if (this.segmentOf(a) === this.segmentOf(b)) return a - b;
    const [one, other] = [this.read(a), this.read(b)];
    return comparePopularity(one, other) || this.#lengthOf(a) - this.#lengthOf(b) || compareRank(one, other);
  }

  #lengthOf(name: number): number {
    const { first, names } = this.segmentOf(name);
    return names.lengthOf(name - first);
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

  segmentOf(name: number): Segment {
    return this.all.findLast(({ first }) => name >= first) ?? this.large;
  }

  /** True if a record has changed. */
  #isNew(given: RecordToIndex): boolean {
    const before = this.#changed.get(given.id);
    const n = this.large.recordWithId(given.id);
    const known = before
      ? [recordJson(before), normalisedValues(before.values ?? [])]
      : n !== undefined && [this.large.records.json(n), this.large.values.of(n)];
    return (
      JSON.stringify(known) !== JSON.stringify([recordJson(given), normalisedValues(given.values ?? [])])
    );
  }

  /** Takes a record out; returns false if there was none. */
  #hide(id: string): boolean {
    const segment = this.all.find((each) => each.recordWithId(id) !== undefined);
    if (!segment) return false;
    segment.gone.add(segment.recordWithId(id) ?? 0);
    if (segment === this.large) this.#goneCount += 1;
    this.#changed.delete(id);
    return true;
  }

  #take(given: RecordToIndex): RecordToIndex {
    const record = { ...parseRecord(recordJson(given)), values: given.values ?? [] };
    this.#changed.set(record.id, record);
    return record;
  }

  /** Makes a segment of records, and of those of the last segments that are not far larger. */
  #index(records: readonly RecordToIndex[]): void {
    const isLive = (each: RecordToIndex) => this.#changed.get(each.id) === each;
    const kept = this.#small.filter((small) => small.records.some(isLive));
    let merged = records;
    for (let last = kept.at(-1)?.records.filter(isLive); last; last = kept.at(-1)?.records.filter(isLive)) {
      if (merged.length > 0 && last.length > MERGED_TIMES * merged.length) break;
      merged = [...last, ...merged];
      kept.pop();
    }
    if (merged.length > 0) kept.push(this.#build(merged, kept.at(-1)?.segment ?? this.large));
    this.#small = kept;
    this.all = [this.large, ...kept.map(({ segment }) => segment)];
  }

  #build(records: readonly RecordToIndex[], before: Segment): SmallSegment {
    const builder = new IndexBuilder(this.#valueKeys);
    for (const record of records.toSorted(compareRank)) builder.add(record);
    const segment = new Segment(builder.finish(), before.first + before.names.size);
    segment.values.label(this.#labels);
    return { records, segment };
  }
}
