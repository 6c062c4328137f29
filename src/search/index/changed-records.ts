import type { Base } from "./base.ts";
import { Names } from "./names.ts";
import { NumberSet } from "./number-set.ts";
import {
  compareRank,
  type IndexedRecord,
  normalisedNames,
  parseRecord,
  type RecordToIndex,
  recordJson,
} from "./records.ts";
import { normalisedValues } from "./values.ts";

/** A record that is new or differs from the base's. */
export interface ChangedRecord {
  readonly record: IndexedRecord;
  /** Its different names, normalised. */
  readonly names: readonly string[];
  /** See `normalisedValues`. */
  readonly values: readonly string[];
  /** How many records of the base come before it. */
  readonly place: number;
}

/** The changes since a base was built. */
export class ChangedRecords {
  /** The records of the base that are removed, or replaced by a changed one. */
  readonly gone: NumberSet;
  /** How many records that lead to a word are gone. */
  readonly goneFrom = new Map<number, number>();
  goneCount = 0;
  readonly #base: Base;
  readonly #names: Names;
  readonly #changed = new Map<string, ChangedRecord>();

  constructor(base: Base) {
    this.#base = base;
    this.#names = new Names(base.names, base.words.list);
    this.gone = new NumberSet(base.size);
  }

  /** How many records make the difference. */
  get size(): number {
    return Math.max(this.#changed.size, this.goneCount);
  }

  list(): ChangedRecord[] {
    return [...this.#changed.values()];
  }

  /** Takes a record as it is now; returns false if it was so before. */
  put(given: RecordToIndex): boolean {
    const json = recordJson(given);
    const { id } = given;
    const values = normalisedValues(given.values ?? []);
    if (this.#jsonOf(id) === json && this.#valuesOf(id).join("\n") === values.join("\n")) return false;
    this.#hide(id);
    // As the base reads it, so that an answer is the same to the byte.
    const record = parseRecord(json);
    const names = normalisedNames(record);
    this.#changed.set(id, { record, names, values, place: this.#placeOf(record) });
    return true;
  }

  /** Takes a record out; returns false if there was none. */
  remove(id: string): boolean {
    const isOfBase = this.#hide(id);
    return this.#changed.delete(id) || isOfBase;
  }

  #valuesOf(id: string): readonly string[] {
    const n = this.#base.recordWithId(id);
    return this.#changed.get(id)?.values ?? (n === undefined ? [] : this.#base.values.of(n));
  }

  #jsonOf(id: string): string | undefined {
    const changed = this.#changed.get(id);
    if (changed) return recordJson(changed.record);
    const n = this.#base.recordWithId(id);
    return n === undefined || this.gone.has(n) ? undefined : this.#base.records.json(n);
  }

  #hide(id: string): boolean {
    const n = this.#base.recordWithId(id);
    if (n === undefined || this.gone.has(n)) return false;
    this.gone.add(n);
    this.goneCount += 1;
    const words = new Set<number>();
    this.#names.someName(n, (start, end) => {
      for (let at = start; at < end; at++) words.add(this.#names.wordAt(at));
      return false;
    });
    for (const word of words) this.goneFrom.set(word, (this.goneFrom.get(word) ?? 0) + 1);
    return true;
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
