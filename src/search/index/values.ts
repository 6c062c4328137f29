import { normaliseName } from "../normalise.ts";
import { stemOfTyped } from "../typed-word.ts";
import { stem } from "../word-forms.ts";
import { type Groups, type SortedNumbers, Uint32List } from "./numbers.ts";

/**
 * The values of records in addition to their names: a category, and values of attributes that many share. Records
 * with the same values share a set of them.
 */
export interface ValuesData {
  /** The attributes that values were taken from, as a JSON list in UTF-8. */
  readonly keys: Uint8Array<ArrayBuffer>;
  /** The different values, normalised, as a JSON list in UTF-8. */
  readonly texts: Uint8Array<ArrayBuffer>;
  /** The values of each set, by number. */
  readonly sets: Groups;
  /** The set of each record. */
  readonly setOf: Uint32Array<ArrayBuffer>;
}

/** Values are read when an index is opened, so a kind whose every record has its own keeps only so many. */
const MOST_VALUES = 10_000;
/** Beginnings of values match from so many letters on; fewer begin too many of them. */
const LEAST_BEGINNING = 3;

export class ValuesBuilder {
  readonly #numbers = new Map<string, number>();
  readonly #setNumbers = new Map<string, number>();
  readonly #starts = new Uint32List();
  readonly #members = new Uint32List();
  readonly #setOf = new Uint32List();

  /** Takes the values of the next record, as written. */
  add(values: readonly string[]): void {
    const numbers = normalisedValues(values).flatMap((value) => this.#numberOf(value) ?? []);
    const key = numbers.join();
    let set = this.#setNumbers.get(key);
    if (set === undefined) {
      set = this.#setNumbers.size;
      this.#setNumbers.set(key, set);
      this.#starts.push(this.#members.length);
      for (const number of numbers) this.#members.push(number);
    }
    this.#setOf.push(set);
  }

  /** `keys`: the attributes that the values were taken from. */
  finish(keys: readonly string[]): ValuesData {
    this.#starts.push(this.#members.length);
    const texts = toBytes([...this.#numbers.keys()]);
    const sets = { starts: this.#starts.toArray(), members: this.#members.toArray() };
    return { keys: toBytes(keys), texts, sets, setOf: this.#setOf.toArray() };
  }

  #numberOf(value: string): number | undefined {
    const known = this.#numbers.get(value);
    if (known !== undefined || this.#numbers.size >= MOST_VALUES) return known;
    this.#numbers.set(value, this.#numbers.size);
    return this.#numbers.size - 1;
  }
}

/** The different values of a record, normalised and in order. */
export function normalisedValues(values: readonly string[]): string[] {
  return [...new Set(values.map(normaliseName))].filter((value) => value !== "").sort();
}

/** The values of an index, opened. */
export class Values {
  readonly #data: ValuesData;
  readonly #texts: readonly string[];
  readonly #words: ValueWords;

  constructor(data: ValuesData) {
    this.#data = data;
    this.#texts = fromBytes(data.texts);
    this.#words = new ValueWords(this.#texts);
  }

  /** The normalised values of a record, in order. */
  of(record: number): string[] {
    return [...this.#numbersOf(record)].map((value) => this.#texts[value] ?? "");
  }

  /**
   * A test for records with a value that contains the typed word, or a word that begins with it; undefined if no
   * record has one.
   */
  holding(typed: string): ((record: number) => boolean) | undefined {
    const values = this.#words.withWord(typed);
    if (!values) return undefined;
    return (record) => this.#numbersOf(record).some((value) => values.has(value));
  }

  /**
   * The sets that have a value for each typed word, as ones among zeros; undefined if none has. Values need the whole
   * word, and unless `inAnyForm` just that form of it.
   */
  setsWith(typed: readonly string[], inAnyForm: boolean): Uint8Array | undefined {
    const words: ReadonlySet<number>[] = [];
    for (const word of typed) {
      const values = this.#words.withWhole(word, inAnyForm);
      if (!values) return undefined;
      words.push(values);
    }
    const found = Uint8Array.from({ length: this.#data.sets.starts.length - 1 }, (_, set) => {
      const values = this.#valuesIn(set);
      return words.every((word) => values.some((value) => word.has(value))) ? 1 : 0;
    });
    return found.includes(1) ? found : undefined;
  }

  /** The records of such sets, or of the others, best first. */
  recordsOf(sets: Uint8Array, isIn: boolean): SortedNumbers {
    const { setOf } = this.#data;
    const sought = isIn ? 1 : 0;
    return {
      some: (visit) => {
        if (!sets.includes(sought)) return;
        for (let record = 0; record < setOf.length; record++) {
          if (sets[setOf[record] ?? 0] === sought && visit(record)) return;
        }
      },
    };
  }

  #numbersOf(record: number): Uint32Array {
    return this.#valuesIn(this.#data.setOf[record] ?? 0);
  }

  #valuesIn(set: number): Uint32Array {
    const { starts, members } = this.#data.sets;
    return members.subarray(starts[set], starts[set + 1]);
  }
}

/** The words of some values. */
class ValueWords {
  /** By word, the values that have it. */
  readonly #byWord = new Map<string, number[]>();
  readonly #byStem = new Map<string, number[]>();
  readonly #sorted: readonly string[];

  constructor(values: readonly string[]) {
    for (const [value, text] of values.entries()) {
      for (const word of new Set(text.split(" "))) {
        note(this.#byWord, word, value);
        note(this.#byStem, stem(word), value);
      }
    }
    this.#sorted = [...this.#byWord.keys()].sort();
  }

  /** The numbers of the values that have a word, or another form of it; undefined if none has. */
  withWhole(typed: string, inAnyForm: boolean): Set<number> | undefined {
    const whole = this.#byWord.get(typed);
    const related = inAnyForm ? this.#byStem.get(stemOfTyped(typed)) : undefined;
    return whole || related ? new Set([...(whole ?? []), ...(related ?? [])]) : undefined;
  }

  /** The same with words that begin with it. */
  withWord(typed: string): Set<number> | undefined {
    let found = this.withWhole(typed, true);
    if (typed.length < LEAST_BEGINNING) return found;
    for (let at = this.#firstFrom(typed); this.#sorted[at]?.startsWith(typed); at++) {
      found ??= new Set();
      for (const value of this.#byWord.get(this.#sorted[at] ?? "") ?? []) found.add(value);
    }
    return found;
  }

  #firstFrom(typed: string): number {
    let low = 0;
    for (let high = this.#sorted.length; low < high; ) {
      const middle = (low + high) >>> 1;
      if ((this.#sorted[middle] ?? "") < typed) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** The attributes that an index takes values from. */
export function valueKeysOf({ keys }: ValuesData): string[] {
  return fromBytes(keys);
}

function toBytes(texts: readonly string[]): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(JSON.stringify(texts));
}

function fromBytes(bytes: Uint8Array): string[] {
  return JSON.parse(new TextDecoder().decode(bytes));
}

function note(values: Map<string, number[]>, key: string, value: number): void {
  const known = values.get(key);
  if (known) known.push(value);
  else values.set(key, [value]);
}
