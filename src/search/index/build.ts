import { consonantKeys } from "../consonants.ts";
import { soundKey } from "../transliterate.ts";
import { stem } from "../word-forms.ts";
import { type DeletionsData, deletionsData } from "./deletions.ts";
import { NamesBuilder, type NamesData } from "./names.ts";
import { type Groups, group, groupByHash, type RankedList, rankedList, Uint32List } from "./numbers.ts";
import { hashOf, RecordsBuilder, type RecordsData, type RecordToIndex } from "./records.ts";
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
  /** The names with each word, ascending. */
  readonly postings: RankedList & { readonly starts: Uint32Array<ArrayBuffer> };
  /** The words of each sound, and of each stem and each row of consonants. */
  readonly sounds: KeyListData;
  readonly soundDeletions: DeletionsData;
  readonly stems: KeyListData;
  readonly consonants: KeyListData;
  readonly values: ValuesData;
  /** The names of each row of initials. */
  readonly initials: KeyListData;
}

/** Builds an index from records, which must come in the order of `compareRank`. */
export class IndexBuilder {
  readonly #records = new RecordsBuilder();
  readonly #idHashes = new Uint32List();
  readonly #values = new ValuesBuilder();
  readonly #names = new NamesBuilder();
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
    this.#names.add(record);
  }

  finish(): IndexData {
    const { words: sorted, names, initials } = this.#names.finish();
    const words = wordListData(sorted, true);
    const keyed = (keysOf: (word: string) => readonly string[]) =>
      sorted.flatMap((word, n) => keysOf(word).map((key): [string, number] => [key, n]));
    const sounds = keyListData(keyed((word) => [soundKey(word)]));
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
      names,
      postings: postingsOf(names, sorted.length),
      sounds,
      soundDeletions: deletionsData(new WordList(sounds.keys)),
      stems: keyListData(keyed((word) => [stem(word)])),
      consonants: keyListData(keyed(consonantKeys)),
      values: this.#values.finish(this.#valueKeys),
      initials: keyListData(initials),
    };
  }
}

/** The names with each word, once for each place in the name. */
function postingsOf({ starts, words }: NamesData, wordCount: number): IndexData["postings"] {
  const nameAt = new Uint32Array(words.length);
  for (let name = 0; name + 1 < starts.length; name++) nameAt.fill(name, starts[name], starts[name + 1]);
  const byWord = group(words, nameAt, wordCount);
  return { ...rankedList(byWord.members), starts: byWord.starts };
}
