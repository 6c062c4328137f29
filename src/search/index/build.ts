import { consonantKeys } from "../consonants.ts";
import { soundKey } from "../transliterate.ts";
import { stem } from "../word-forms.ts";
import { type DeletionsData, deletionsData } from "./deletions.ts";
import { abbreviationsOf, type NamesData, namesData } from "./names.ts";
import { type Groups, group, groupByHash, type RankedList, rankedList, Uint32List } from "./numbers.ts";
import { hashOf, normalisedNames, RecordsBuilder, type RecordsData, type RecordToIndex } from "./records.ts";
import { ValuesBuilder, type ValuesData } from "./values.ts";
import { type KeyListData, keyListData, WordList, type WordListData, wordListData } from "./word-list.ts";

/** A whole index. All but its values is typed arrays, which move between threads without a copy. */
export interface IndexData {
  readonly size: number;
  readonly records: RecordsData;
  /** The records by the hashes of their ids. */
  readonly ids: Groups;
  readonly words: WordListData;
  readonly wordDeletions: DeletionsData;
  readonly names: NamesData;
  /** The records of each word, ascending. */
  readonly postings: RankedList & { readonly starts: Uint32Array<ArrayBuffer> };
  /** The words of each sound, and of each stem and each row of consonants. */
  readonly sounds: KeyListData;
  readonly soundDeletions: DeletionsData;
  readonly stems: KeyListData;
  readonly consonants: KeyListData;
  readonly values: ValuesData;
  /** The records of each row of initials, see `abbreviationsOf`. */
  readonly initials: KeyListData;
}

/** Builds an index from records, which must come best first. */
export class IndexBuilder {
  readonly #records = new RecordsBuilder();
  readonly #idHashes = new Uint32List();
  readonly #values = new ValuesBuilder();
  readonly #initials: [initials: string, record: number][] = [];
  readonly #wordNumbers = new Map<string, number>();
  readonly #firstNames = new Uint32List();
  readonly #nameStarts = new Uint32List();
  readonly #nameWords = new Uint32List();

  readonly #valueKeys: readonly string[];

  /** `valueKeys`: the attributes that the values of records are taken from. */
  constructor(valueKeys: readonly string[] = []) {
    this.#valueKeys = valueKeys;
  }

  /** How many records it has. */
  get size(): number {
    return this.#records.size;
  }

  add(record: RecordToIndex): void {
    this.#records.add(record);
    this.#values.add(record.values ?? []);
    this.#idHashes.push(hashOf(record.id));
    this.#firstNames.push(this.#nameStarts.length);
    const number = this.size - 1;
    for (const name of normalisedNames(record)) {
      this.#addName(name);
      for (const initials of abbreviationsOf(name)) this.#initials.push([initials, number]);
    }
  }

  #addName(name: string): void {
    this.#nameStarts.push(this.#nameWords.length);
    for (const word of name.split(" ")) {
      let number = this.#wordNumbers.get(word);
      if (number === undefined) {
        number = this.#wordNumbers.size;
        this.#wordNumbers.set(word, number);
      }
      this.#nameWords.push(number);
    }
  }

  finish(): IndexData {
    this.#firstNames.push(this.#nameStarts.length);
    this.#nameStarts.push(this.#nameWords.length);
    const sorted = [...this.#wordNumbers.keys()].sort();
    const words = wordListData(sorted, true);
    const keyed = (keysOf: (word: string) => readonly string[]) =>
      sorted.flatMap((word, n) => keysOf(word).map((key): [string, number] => [key, n]));
    const sounds = keyListData(keyed((word) => [soundKey(word)]));
    const nameWords = this.#renumber(sorted);
    const firstNames = this.#firstNames.toArray();
    const nameStarts = this.#nameStarts.toArray();
    const idHashes = this.#idHashes.toArray();
    return {
      size: this.#records.size,
      records: this.#records.finish(),
      ids: groupByHash(
        idHashes,
        idHashes.map((_, record) => record),
        idHashes.length + 1,
      ),
      words,
      wordDeletions: deletionsData(new WordList(words)),
      names: namesData(firstNames, nameStarts, nameWords, sorted.length),
      postings: postingsOf(firstNames, nameStarts, nameWords, sorted.length),
      sounds,
      soundDeletions: deletionsData(new WordList(sounds.keys)),
      stems: keyListData(keyed((word) => [stem(word)])),
      consonants: keyListData(keyed(consonantKeys)),
      values: this.#values.finish(this.#valueKeys),
      initials: keyListData(this.#initials),
    };
  }

  /** Replaces the numbers of words by their places in the sorted list. */
  #renumber(sorted: readonly string[]): Uint32Array<ArrayBuffer> {
    const places = new Uint32Array(sorted.length);
    sorted.forEach((word, place) => {
      places[this.#wordNumbers.get(word) ?? 0] = place;
    });
    this.#wordNumbers.clear();
    return this.#nameWords.toArray().map((number) => places[number] ?? 0);
  }
}

function postingsOf(
  firstNames: Uint32Array,
  nameStarts: Uint32Array,
  nameWords: Uint32Array,
  wordCount: number,
): IndexData["postings"] {
  const words = new Uint32List();
  const records = new Uint32List();
  const lastRecord = new Uint32Array(wordCount).fill(0xffffffff);
  for (let record = 0; record + 1 < firstNames.length; record++) {
    const end = nameStarts[firstNames[record + 1] ?? 0] ?? 0;
    for (let at = nameStarts[firstNames[record] ?? 0] ?? 0; at < end; at++) {
      const word = nameWords[at] ?? 0;
      if (lastRecord[word] === record) continue;
      lastRecord[word] = record;
      words.push(word);
      records.push(record);
    }
  }
  const { starts, members } = group(words.toArray(), records.toArray(), wordCount);
  return { ...rankedList(members), starts };
}
