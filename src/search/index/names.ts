import { initialsOf } from "../letters.ts";
import { normaliseName } from "../normalise.ts";
import { group, type Range, type RankedList, rankedList, Uint32List } from "./numbers.ts";
import { codePoints, type IndexedRecord } from "./records.ts";

/**
 * All names of all records as rows of word numbers. Names are numbered best first: by the popularity of their records,
 * then the shorter name, then the main names and ids of their records.
 */
export interface NamesData {
  /** Where each name begins in `words`, and one entry for the end. */
  readonly starts: Uint32Array<ArrayBuffer>;
  readonly words: Uint32Array<ArrayBuffer>;
  /** How many code points each name has. */
  readonly lengths: Uint32Array<ArrayBuffer>;
  /** The languages of each name, a bit each in the order of `tags`. */
  readonly languages: Uint32Array<ArrayBuffer>;
  readonly tags: readonly string[];
  /** The record of each name, and the main name of each record. */
  readonly records: Uint32Array<ArrayBuffer>;
  readonly mainNames: Uint32Array<ArrayBuffer>;
  /** All names that have words in alphabetical order. */
  readonly sorted: RankedList;
}

type Named = Pick<IndexedRecord, "name" | "names" | "aliases">;

/** A name of a record, normalised. */
interface Name {
  readonly text: string;
  readonly length: number;
  readonly languages: number;
}

/** A name without a language is read by everyone; so are those of the languages that have no bit left. */
const ANY_LANGUAGE = 0xffffffff;
const MOST_LANGUAGES = 32;

/** Collects the names of records, which must come best first, and numbers them. */
export class NamesBuilder {
  readonly #wordNumbers = new Map<string, number>();
  readonly #tags = new Map<string, number>();
  readonly #starts = new Uint32List();
  readonly #words = new Uint32List();
  readonly #lengths = new Uint32List();
  readonly #languages = new Uint32List();
  readonly #records = new Uint32List();
  /** How many records with other popularities come before those of each name. */
  readonly #ranks = new Uint32List();
  readonly #initials: [initials: string, name: number][] = [];
  #record = -1;
  #rank = 0;
  #popularity: number | null | undefined;

  add(record: Named & Pick<IndexedRecord, "popularity">): void {
    this.#record++;
    if (record.popularity !== this.#popularity) this.#rank++;
    this.#popularity = record.popularity;
    for (const name of this.#namesOf(record)) {
      for (const initials of abbreviationsOf(name.text)) this.#initials.push([initials, this.#starts.length]);
      this.#starts.push(this.#words.length);
      this.#lengths.push(name.length);
      this.#languages.push(name.languages);
      this.#records.push(this.#record);
      this.#ranks.push(this.#rank);
      for (const word of name.text === "" ? [] : name.text.split(" ")) this.#words.push(this.#numberOf(word));
    }
  }

  /** The words of all names in order, the names, and which of them each row of initials abbreviates. */
  finish(): { words: string[]; names: NamesData; initials: [initials: string, name: number][] } {
    this.#starts.push(this.#words.length);
    const sorted = [...this.#wordNumbers.keys()].sort();
    const places = new Uint32Array(sorted.length);
    for (const [place, word] of sorted.entries()) places[this.#wordNumbers.get(word) ?? 0] = place;
    const order = this.#order();
    const numbers = new Uint32Array(order.length);
    for (const [number, added] of order.entries()) numbers[added] = number;
    const inOrder = (list: Uint32List) => {
      const values = list.toArray();
      return order.map((added) => values[added] ?? 0);
    };
    const [starts, words] = [new Uint32List(), new Uint32List()];
    const [addedStarts, addedWords] = [this.#starts.toArray(), this.#words.toArray()];
    for (const added of order) {
      starts.push(words.length);
      const end = addedStarts[added + 1] ?? 0;
      for (let at = addedStarts[added] ?? 0; at < end; at++) words.push(places[addedWords[at] ?? 0] ?? 0);
    }
    starts.push(words.length);
    const rows = { starts: starts.toArray(), words: words.toArray() };
    const added = this.#records.toArray();
    return {
      words: sorted,
      names: {
        ...rows,
        lengths: inOrder(this.#lengths),
        languages: inOrder(this.#languages),
        tags: [...this.#tags.keys()],
        records: inOrder(this.#records),
        // The main name is added first.
        mainNames: numbers.filter((_, name) => added[name] !== added[name - 1]),
        sorted: rankedList(sortNames(rows, sorted.length)),
      },
      initials: this.#initials.map(([initials, name]) => [initials, numbers[name] ?? 0]),
    };
  }

  /** The names as added, best first: records come in order, so only those of equal popularity go by length. */
  #order(): Uint32Array<ArrayBuffer> {
    const lengths = this.#lengths.toArray();
    const ranks = this.#ranks.toArray();
    const all = lengths.map((_, name) => name);
    const byLength = group(lengths, all, Math.max(0, ...new Set(lengths)) + 1).members;
    return group(
      byLength.map((name) => ranks[name] ?? 0),
      byLength,
      this.#rank + 1,
    ).members;
  }

  /** The different names of a record, the main one first. Without letters only that one is kept, for its record. */
  #namesOf({ name, names, aliases }: Named): Name[] {
    const tagged = Object.entries(names).map(([tag, text]) => ({ text, languages: this.#bitOf(tag) }));
    const isTagged = tagged.some(({ text }) => text === name);
    const all = [
      { text: name, languages: isTagged ? 0 : ANY_LANGUAGE },
      ...tagged,
      ...(aliases ?? []).map((text) => ({ text, languages: ANY_LANGUAGE })),
    ];
    const different = new Map<string, Name>();
    for (const { text: written, languages } of all) {
      const text = normaliseName(written);
      const same = different.get(text) ?? { length: Number.POSITIVE_INFINITY, languages: 0 };
      const length = Math.min(same.length, codePoints(written));
      different.set(text, { text, length, languages: (same.languages | languages) >>> 0 });
    }
    return [...different.values()].filter(({ text }, at) => text !== "" || at === 0);
  }

  #bitOf(tag: string): number {
    const language = languageOf(tag);
    const number = this.#tags.get(language) ?? this.#tags.size;
    if (number >= MOST_LANGUAGES) return ANY_LANGUAGE;
    this.#tags.set(language, number);
    return (1 << number) >>> 0;
  }

  #numberOf(word: string): number {
    let number = this.#wordNumbers.get(word);
    if (number === undefined) {
      number = this.#wordNumbers.size;
      this.#wordNumbers.set(word, number);
    }
    return number;
  }
}

/** Readers of a language read it as it is written in any country. */
function languageOf(tag: string): string {
  return tag.toLowerCase().split("-", 1)[0] ?? tag;
}

/** A radix sort by words, last place first. A name joins at its last word, before longer names that begin alike. */
function sortNames(
  { starts, words }: Pick<NamesData, "starts" | "words">,
  wordCount: number,
): Uint32Array<ArrayBuffer> {
  const byLength: number[][] = [];
  for (let name = 0; name + 1 < starts.length; name++) {
    const length = (starts[name + 1] ?? 0) - (starts[name] ?? 0);
    const alike = byLength[length] ?? [];
    alike.push(name);
    byLength[length] = alike;
  }
  let order = new Uint32Array(0);
  for (let place = byLength.length - 2; place >= 0; place--) {
    const joining = byLength[place + 1] ?? [];
    const active = new Uint32Array(joining.length + order.length);
    active.set(joining);
    active.set(order, joining.length);
    const keys = active.map((name) => words[(starts[name] ?? 0) + place] ?? 0);
    order = group(keys, active, wordCount).members;
  }
  return order;
}

interface Words {
  has(word: number): boolean;
}

/** Finds names by their words, and the words, languages and records of names. */
export class Names {
  readonly size: number;
  /** In alphabetical order. */
  readonly sorted: RankedList;
  readonly #data: NamesData;
  readonly #words: Uint32Array;

  constructor(data: NamesData) {
    this.#data = data;
    this.#words = data.words;
    this.size = data.records.length;
    this.sorted = data.sorted;
  }

  recordOf(name: number): number {
    return this.#data.records[name] ?? 0;
  }

  mainNameOf(record: number): number {
    return this.#data.mainNames[record] ?? 0;
  }

  /** In code points. */
  lengthOf(name: number): number {
    return this.#data.lengths[name] ?? 0;
  }

  /** A test for names that readers of a language know; undefined if there are none in that language. */
  in(language: string): ((name: number) => boolean) | undefined {
    const { languages, tags } = this.#data;
    const number = tags.indexOf(languageOf(language));
    return number < 0 ? undefined : (name) => ((languages[name] ?? 0) & (1 << number)) !== 0;
  }

  /** The words of a name, as a range for `wordAt`. */
  rangeOf(name: number): Range {
    const { starts } = this.#data;
    return { start: starts[name] ?? 0, end: starts[name + 1] ?? 0 };
  }

  /** The range of `sorted` whose names have exactly these words. */
  equalTo(words: readonly number[]): Range {
    return { start: this.#firstNotBefore(words), end: this.#firstNotBefore([...words, 0]) };
  }

  /** The range of `sorted` whose names begin with these words and then one of a range. */
  beginningWith(words: readonly number[], { start, end }: Range): Range {
    return { start: this.#firstNotBefore([...words, start]), end: this.#firstNotBefore([...words, end]) };
  }

  /** True if a name has a word of each set. */
  hasAll(name: number, sets: readonly Words[]): boolean {
    const range = this.rangeOf(name);
    return sets.every((set) => this.hasOne(set, range));
  }

  /** True if the range of a name has a word of a set. */
  hasOne(set: Words, { start, end }: Range): boolean {
    for (let at = start; at < end; at++) if (set.has(this.wordAt(at))) return true;
    return false;
  }

  wordAt(place: number): number {
    return this.#words[place] ?? 0;
  }

  #firstNotBefore(words: readonly number[]): number {
    const { names } = this.sorted;
    let low = 0;
    for (let high = names.length; low < high; ) {
      const middle = (low + high) >>> 1;
      if (this.#isBefore(names[middle] ?? 0, words)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #isBefore(name: number, words: readonly number[]): boolean {
    const { start, end } = this.rangeOf(name);
    const length = end - start;
    for (let i = 0; i < length && i < words.length; i++) {
      const difference = this.wordAt(start + i) - (words[i] ?? 0);
      if (difference !== 0) return difference < 0;
    }
    return length < words.length;
  }
}

/** Names of fewer words have initials that are in many words; nobody counts more words. */
const WORDS = { least: 3, most: 8 } as const;

const LETTERS = new RegExp(`^\\p{Letter}{${WORDS.least},${WORDS.most}}$`, "u");
const CONSONANT = /[ㄱ-ㅎ]/;

/**
 * What a normalised name may be abbreviated by: the first letters of its words, if they are letters and neither too few
 * nor too many. A Korean name of several words also by those of the syllables, from each word on.
 */
function abbreviationsOf(name: string): string[] {
  const words = name.split(" ");
  const letters = words.map((word) => word.charAt(0)).join("");
  const found = areInitials(letters) ? [letters] : [];
  if (words.length === 1 || !CONSONANT.test(name)) return found;
  const syllables = words.map(initialsOf);
  return [...found, ...syllables.map((_, at) => syllables.slice(at).join(""))];
}

/** Whether a typed word may be the initials of a name. */
export function areInitials(typed: string): boolean {
  return LETTERS.test(typed);
}
