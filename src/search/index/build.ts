import { consonantKeys } from "../consonants.ts";
import { soundKey } from "../transliterate.ts";
import { stem } from "../word-forms.ts";
import { type DeletionsData, deletionsData } from "./deletions.ts";
import { InitialsBuilder, type InitialsData, type NamesData, namesData } from "./names.ts";
import { type Groups, group, type RankedList, rankedList, Uint32List } from "./numbers.ts";
import {
  type IdsData,
  IdTableBuilder,
  normalisedNames,
  RecordsBuilder,
  type RecordsData,
  type RecordToIndex,
} from "./records.ts";
import { ValuesBuilder, type ValuesData } from "./values.ts";
import { WordList, type WordListData, wordListData } from "./word-list.ts";

/** A list of words with the dictionary that finds them despite errors. */
interface VocabularyData {
  readonly list: WordListData;
  readonly deletions: DeletionsData;
}

/** A whole index, made of typed arrays only, so that it moves between threads without a copy. */
export interface IndexData {
  readonly size: number;
  readonly records: RecordsData;
  readonly ids: IdsData;
  readonly words: VocabularyData;
  readonly names: NamesData;
  /** The records of each word, ascending. */
  readonly postings: RankedList & { readonly starts: Uint32Array<ArrayBuffer> };
  /** The sounds of words, and the words of each sound. */
  readonly sounds: VocabularyData & { readonly words: Groups; readonly ofWords: Uint32Array<ArrayBuffer> };
  /** The stems of words, the words of each stem, and the stem of each word. */
  readonly forms: {
    readonly stems: WordListData;
    readonly words: Groups;
    readonly ofWords: Uint32Array<ArrayBuffer>;
  };
  /** The consonants of words, and the words of each, which may have several. */
  readonly consonants: { readonly keys: WordListData; readonly words: Groups };
  readonly values: ValuesData;
  readonly initials: InitialsData;
}

/** The sound of a word that has none. */
const SILENT = 0xffffffff;

/** Builds an index from records, which must come best first. */
export class IndexBuilder {
  readonly #records = new RecordsBuilder();
  readonly #ids = new IdTableBuilder();
  readonly #values = new ValuesBuilder();
  readonly #initials = new InitialsBuilder();
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
    this.#ids.add(record.id);
    this.#firstNames.push(this.#nameStarts.length);
    const number = this.size - 1;
    for (const name of normalisedNames(record)) {
      this.#addName(name);
      this.#initials.add(name, number);
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
    const nameWords = this.#renumber(sorted);
    const firstNames = this.#firstNames.toArray();
    const nameStarts = this.#nameStarts.toArray();
    return {
      size: this.#records.size,
      records: this.#records.finish(),
      ids: this.#ids.finish(),
      words: vocabularyData(sorted),
      names: namesData(firstNames, nameStarts, nameWords, sorted.length),
      postings: postingsOf(firstNames, nameStarts, nameWords, sorted.length),
      sounds: soundsOf(sorted),
      forms: formsOf(sorted),
      consonants: consonantsOf(sorted),
      values: this.#values.finish(this.#valueKeys),
      initials: this.#initials.finish(),
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

function vocabularyData(sorted: readonly string[]): VocabularyData {
  const list = wordListData(sorted);
  return { list, deletions: deletionsData(new WordList(list)) };
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

function soundsOf(words: readonly string[]): IndexData["sounds"] {
  const keys = words.map(soundKey);
  const sorted = [...new Set(keys)].filter((key) => key !== "").sort();
  const numbers = new Map(sorted.map((key, number) => [key, number]));
  const ofWords = Uint32Array.from(keys, (key) => numbers.get(key) ?? SILENT);
  const heard = [...keys.keys()].filter((word) => ofWords[word] !== SILENT);
  const groups = group(
    heard.map((word) => ofWords[word] ?? 0),
    heard,
    sorted.length,
  );
  return { ...vocabularyData(sorted), words: groups, ofWords };
}

function formsOf(words: readonly string[]): IndexData["forms"] {
  const stems = words.map(stem);
  const sorted = [...new Set(stems)].sort();
  const numbers = new Map(sorted.map((each, number) => [each, number]));
  const ofWords = Uint32Array.from(stems, (each) => numbers.get(each) ?? 0);
  return { stems: wordListData(sorted), words: group(ofWords, [...words.keys()], sorted.length), ofWords };
}

function consonantsOf(words: readonly string[]): IndexData["consonants"] {
  const keyed = words.flatMap((text, word) => consonantKeys(text).map((key) => ({ key, word })));
  const sorted = [...new Set(keyed.map(({ key }) => key))].sort();
  const numbers = new Map(sorted.map((key, number) => [key, number]));
  const groups = group(
    keyed.map(({ key }) => numbers.get(key) ?? 0),
    keyed.map(({ word }) => word),
    sorted.length,
  );
  return { keys: wordListData(sorted), words: groups };
}
