import { EMPTY, type Groups, group, groupByHash, type Range, Uint32List, withHash } from "./numbers.ts";

/** Different words ordered by UTF-16 code units. */
export interface WordListData {
  /** The letters of all words, concatenated. */
  readonly letters: Uint16Array<ArrayBuffer>;
  /** Where each word begins in `letters`, and one entry for the end. */
  readonly starts: Uint32Array<ArrayBuffer>;
  /** The words by the hashes of every three letters in a row; absent where nobody searches inside words. */
  readonly triples?: Groups | undefined;
}

/** Builds the list from sorted words. `isSearchedInside`: with every three letters in a row, for `containing`. */
export function wordListData(sorted: readonly string[], isSearchedInside = false): WordListData {
  const starts = new Uint32Array(sorted.length + 1);
  sorted.forEach((word, n) => {
    starts[n + 1] = (starts[n] ?? 0) + word.length;
  });
  const letters = new Uint16Array(starts[sorted.length] ?? 0);
  sorted.forEach((word, n) => {
    const start = starts[n] ?? 0;
    for (let i = 0; i < word.length; i++) letters[start + i] = word.charCodeAt(i);
  });
  return { letters, starts, triples: isSearchedInside ? triplesOf(sorted) : undefined };
}

/** The maximum number of groups: words have hardly more different triples. */
const MOST_TRIPLES = 65_536;

function triplesOf(words: readonly string[]): Groups {
  const [hashes, members] = [new Uint32List(), new Uint32List()];
  for (const [n, word] of words.entries()) {
    for (let at = 0; at + 2 < word.length; at++) {
      hashes.push(hashOfTriple(word, at));
      members.push(n);
    }
  }
  return groupByHash(hashes.toArray(), members.toArray(), Math.min(hashes.length + 1, MOST_TRIPLES));
}

function hashOfTriple(text: string, at: number): number {
  const pair = Math.imul(text.charCodeAt(at), 0x9e3779b1) ^ text.charCodeAt(at + 1);
  return Math.imul(Math.imul(pair, 0x85ebca6b) ^ text.charCodeAt(at + 2), 0xc2b2ae35) >>> 0;
}

/** Two letters of a text as a number; a letter that is the last one alone. */
function pairOf(text: string, at: number): number {
  return (text.charCodeAt(at) << 16) | (at + 1 < text.length ? text.charCodeAt(at + 1) : 0);
}

/** What has a key, by key: for example the words of a stem. */
export interface KeyListData {
  readonly keys: WordListData;
  readonly members: Groups;
}

/** Builds the list of the members that each key has, in their order; "" is no key. */
export function keyListData(keyed: readonly (readonly [key: string, member: number])[]): KeyListData {
  const listed = keyed.filter(([key]) => key !== "");
  const sorted = [...new Set(listed.map(([key]) => key))].sort();
  const numbers = new Map(sorted.map((key, number) => [key, number]));
  const members = group(
    listed.map(([key]) => numbers.get(key) ?? 0),
    listed.map(([, member]) => member),
    sorted.length,
  );
  return { keys: wordListData(sorted), members };
}

/** Members by key. */
export class KeyList {
  readonly keys: WordList;
  readonly #members: Groups;

  constructor({ keys, members }: KeyListData) {
    this.keys = new WordList(keys);
    this.#members = members;
  }

  with(key: string): Uint32Array {
    return this.in(this.keys.rangeOf(key));
  }

  /** The members of a range of keys. */
  in({ start, end }: Range): Uint32Array {
    const { starts, members } = this.#members;
    return start === end ? members.subarray(0, 0) : members.subarray(starts[start], starts[end]);
  }
}

/** Words by number, in order: those with the same beginning are a range. */
export class WordList {
  readonly size: number;
  readonly #triples: Groups | undefined;
  readonly #letters: Uint16Array;
  readonly #starts: Uint32Array;
  /** By the first two letters, the words that begin with them; a word of one letter is a range of its own. */
  readonly #pairs = new Map<number, Range>();

  constructor(data: WordListData) {
    this.#triples = data.triples;
    this.#letters = data.letters;
    this.#starts = data.starts;
    this.size = data.starts.length - 1;
    for (let start = 0; start < this.size; ) {
      const end = this.lengthOf(start) === 1 ? start + 1 : this.sharing(start, 2).end;
      this.#pairs.set(pairOf(this.word(start), 0), { start, end });
      start = end;
    }
  }

  word(n: number): string {
    return String.fromCharCode(...this.#letters.subarray(this.#starts[n], this.#starts[n + 1]));
  }

  lengthOf(n: number): number {
    return (this.#starts[n + 1] ?? 0) - (this.#starts[n] ?? 0);
  }

  /** A letter of a word as its UTF-16 code unit. */
  letter(n: number, index: number): number {
    return this.#letters[(this.#starts[n] ?? 0) + index] ?? 0;
  }

  /** The number of a word, or -1. */
  find(word: string): number {
    const { start, end } = this.#pairs.get(pairOf(word, 0)) ?? EMPTY;
    const n = this.#firstWhere(start, end, (each) => this.#compare(each, word) >= 0);
    return this.wholeIn({ start: n, end }, word);
  }

  /** The number of a word among those from where it would be, or -1. */
  wholeIn({ start, end }: Range, word: string): number {
    const isWord = start < end && this.lengthOf(start) === word.length && this.startsWith(start, word);
    return isWord ? start : -1;
  }

  /** The words that begin with a prefix. */
  beginningWith(prefix: string): Range {
    const { start, end } =
      prefix.length > 1
        ? (this.#pairs.get(pairOf(prefix, 0)) ?? EMPTY)
        : { start: 0, end: prefix === "" ? 0 : this.size };
    const first = this.#firstWhere(start, end, (n) => this.#compare(n, prefix) >= 0);
    return { start: first, end: this.#endOf(first, end, (n) => this.startsWith(n, prefix)) };
  }

  /** The words that have their first letters in common with a word that is the first of them. */
  sharing(first: number, letters: number): Range {
    const start = this.#starts[first] ?? 0;
    const isAlike = (n: number) => {
      const other = this.#starts[n] ?? 0;
      if (this.lengthOf(n) < letters) return false;
      for (let i = 0; i < letters; i++) {
        if (this.#letters[start + i] !== this.#letters[other + i]) return false;
      }
      return true;
    };
    return { start: first, end: this.#endOf(first, this.size, isAlike) };
  }

  /** A word alone, or an empty range. */
  rangeOf(word: string): Range {
    const n = this.find(word);
    return n < 0 ? EMPTY : { start: n, end: n + 1 };
  }

  /** Where words end that the letters have from a place on. */
  endsIn(letters: string, from: number): number[] {
    const ends = this.find(letters.slice(from, from + 1)) < 0 ? [] : [from + 1];
    let range = this.#pairs.get(pairOf(letters, from)) ?? EMPTY;
    for (let at = from + 2; at <= letters.length && range.start < range.end; at++) {
      if (at > from + 2) range = this.#narrowed(range, at - from - 1, letters.charCodeAt(at - 1));
      if (range.start < range.end && this.lengthOf(range.start) === at - from) ends.push(at);
    }
    return ends;
  }

  /** The words of a range, which share so many letters, that go on with a letter. */
  #narrowed({ start, end }: Range, shared: number, letter: number): Range {
    const first = this.#firstWhere(start, end, (n) => this.#letterOrEnd(n, shared) >= letter);
    return { start: first, end: this.#endOf(first, end, (n) => this.#letterOrEnd(n, shared) === letter) };
  }

  startsWith(n: number, prefix: string): boolean {
    return this.#holdsAt(n, prefix, 0);
  }

  /** True if the word has the letters anywhere. */
  contains(n: number, part: string): boolean {
    for (let at = this.lengthOf(n) - part.length; at >= 0; at--) if (this.#holdsAt(n, part, at)) return true;
    return false;
  }

  /** Every word that has the letters anywhere, ascending. */
  containing(part: string): Uint32Array | number[] {
    if (part.length < 3 || !this.#triples) return this.#scan(part);
    let fewest = withHash(this.#triples, hashOfTriple(part, 0));
    for (let at = 1; at + 2 < part.length; at++) {
      const words = withHash(this.#triples, hashOfTriple(part, at));
      if (words.length < fewest.length) fewest = words;
    }
    return fewest.filter((word, at) => word !== fewest[at - 1] && this.contains(word, part));
  }

  /** Reads all letters once: a part of less than three is in so many words that little is read in vain. */
  #scan(part: string): number[] {
    const [letters, starts] = [this.#letters, this.#starts];
    const found: number[] = [];
    const first = part.charCodeAt(0);
    for (let n = 0, at = 0; n < this.size; n++) {
      const end = starts[n + 1] ?? 0;
      while (at < end && (letters[at] !== first || !this.#holdsAt(n, part, at - (starts[n] ?? 0)))) at++;
      if (at < end) found.push(n);
      at = end;
    }
    return found;
  }

  #holdsAt(n: number, part: string, at: number): boolean {
    if (at + part.length > this.lengthOf(n)) return false;
    const start = (this.#starts[n] ?? 0) + at;
    for (let i = 0; i < part.length; i++) if (this.#letters[start + i] !== part.charCodeAt(i)) return false;
    return true;
  }

  /** Finds the end of the words from a place on that meet a condition, in steps that double: most ranges are short. */
  #endOf(start: number, end: number, isIn: (n: number) => boolean): number {
    let step = 1;
    while (start + step < end && isIn(start + step - 1)) step *= 2;
    return this.#firstWhere(start + (step >>> 1), Math.min(start + step, end), (n) => !isIn(n));
  }

  /** Finds the start of the later part of a sorted range, whose words meet a condition. */
  #firstWhere(start: number, end: number, isPast: (n: number) => boolean): number {
    let low = start;
    for (let high = end; low < high; ) {
      const middle = (low + high) >>> 1;
      if (isPast(middle)) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  /** Like `letter`; -1 behind the last one, as shorter words come first. */
  #letterOrEnd(n: number, index: number): number {
    return index < this.lengthOf(n) ? this.letter(n, index) : -1;
  }

  #compare(n: number, word: string): number {
    const start = this.#starts[n] ?? 0;
    const length = (this.#starts[n + 1] ?? 0) - start;
    for (let i = 0; i < length && i < word.length; i++) {
      const difference = (this.#letters[start + i] ?? 0) - word.charCodeAt(i);
      if (difference !== 0) return difference;
    }
    return length - word.length;
  }
}
