import { normaliseName } from "../normalise.ts";
import { stemOfTyped } from "../typed-word.ts";
import { stem } from "../word-forms.ts";
import { EMPTY, type Groups, group, type NumberSet, Uint32List } from "./numbers.ts";
import { KeyList, keyListData } from "./word-list.ts";

/**
 * The values of records in addition to their names: a category, and values of attributes that many share. Records
 * with the same values share a set of them.
 */
export interface ValuesData {
  /** The attributes that values were taken from. */
  readonly keys: readonly string[];
  /** The different values, normalised. */
  readonly texts: readonly string[];
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
    const texts = [...this.#numbers.keys()];
    const sets = { starts: this.#starts.toArray(), members: this.#members.toArray() };
    return { keys, texts, sets, setOf: this.#setOf.toArray() };
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

/** What values are called in other words and languages, by the value; all normalised. */
export type Labels = ReadonlyMap<string, readonly string[]>;

/** The values of an index, opened. */
export class Values {
  readonly #data: ValuesData;
  /** The values with each word, and with each stem of one; those of labels are among them. */
  #byWord: KeyList;
  #byStem: KeyList;
  /** The sets with each value, and the records with each set. */
  readonly #setsOf: Groups;
  readonly #recordsOf: Groups;

  constructor(data: ValuesData) {
    const { starts, members } = data.sets;
    this.#data = data;
    [this.#byWord, this.#byStem] = wordsOf(data.texts);
    const sets = new Uint32Array(members.length);
    for (let set = 0; set + 1 < starts.length; set++) sets.fill(set, starts[set], starts[set + 1]);
    this.#setsOf = group(members, sets, data.texts.length);
    this.#recordsOf = group(
      data.setOf,
      data.setOf.map((_, record) => record),
      starts.length - 1,
    );
  }

  /** Takes over what values are called. */
  label(labels: Labels): void {
    [this.#byWord, this.#byStem] = wordsOf(this.#data.texts, labels);
  }

  /** The normalised values of a record, in order. */
  of(record: number): string[] {
    const set = this.#data.setOf[record] ?? 0;
    return Array.from(membersOf(this.#data.sets, set), (value) => this.#data.texts[value] ?? "");
  }

  /**
   * A test for records with a value that contains the typed word, or a word that begins with it; undefined if no
   * record has one.
   */
  holding(typed: string): ((record: number) => boolean) | undefined {
    const { setOf } = this.#data;
    const sets = this.#setsWith(this.#withWord(typed));
    return sets && ((record) => sets[setOf[record] ?? 0] === 1);
  }

  /**
   * The sets that have a value with each typed word in some form, as ones among zeros; undefined if none has.
   */
  setsWith(typed: readonly string[]): Uint8Array | undefined {
    const words = typed.map((word) => this.#setsWith(this.#withWord(word)));
    const all = words.reduce(
      (sets, other) => sets && other && sets.map((has, set) => has & (other[set] ?? 0)),
    );
    return all?.includes(1) ? all : undefined;
  }

  /** Visits the records of such sets. */
  eachWith(sets: Uint8Array, visit: (record: number) => void): void {
    for (const [set, has] of sets.entries()) if (has === 1) membersOf(this.#recordsOf, set).forEach(visit);
  }

  /** Whether all records have such a set, those that are gone aside. */
  areOfAll(sets: Uint8Array, gone: NumberSet): boolean {
    return sets.every(
      (has, set) => has === 1 || membersOf(this.#recordsOf, set).every((record) => gone.has(record)),
    );
  }

  /** The numbers of the values that have a word, or another form of it. */
  #withWord(typed: string): readonly number[] {
    const begun = typed.length < LEAST_BEGINNING ? EMPTY : this.#byWord.keys.beginningWith(typed);
    return [...this.#byWord.with(typed), ...this.#byStem.with(stemOfTyped(typed)), ...this.#byWord.in(begun)];
  }

  #setsWith(values: readonly number[]): Uint8Array | undefined {
    if (values.length === 0) return undefined;
    const sets = new Uint8Array(this.#data.sets.starts.length - 1);
    for (const value of values) for (const set of membersOf(this.#setsOf, value)) sets[set] = 1;
    return sets;
  }
}

/** Lists values by the words of their own texts and labels, and by the stems of these. */
function wordsOf(texts: readonly string[], labels: Labels = new Map()): [words: KeyList, stems: KeyList] {
  const words = texts.flatMap((text, n) => {
    const all = [text, ...(labels.get(text) ?? [])].flatMap((each) => each.split(" "));
    return [...new Set(all)].map((word): [string, number] => [word, n]);
  });
  const stems = words.map(([word, n]): [string, number] => [stem(word), n]);
  return [new KeyList(keyListData(words)), new KeyList(keyListData(stems))];
}

function membersOf({ starts, members }: Groups, of: number): Uint32Array {
  return members.subarray(starts[of], starts[of + 1]);
}
