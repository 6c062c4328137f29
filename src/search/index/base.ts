import { soundKey } from "../transliterate.ts";
import type { IndexData } from "./build.ts";
import { findId } from "./ids.ts";
import { KnownWords } from "./known-words.ts";
import { Marks } from "./matches.ts";
import type { Groups } from "./ranges.ts";
import { Records } from "./records.ts";
import { Values } from "./values.ts";
import { WordList } from "./word-list.ts";
import { WordSets } from "./word-sets.ts";

/** An index as it was built, opened, with the memory that searches need. */
export class Base {
  readonly size: number;
  readonly words: KnownWords;
  readonly names: IndexData["names"];
  readonly records: Records;
  readonly postings: IndexData["postings"];
  readonly sounds: KnownWords;
  /** The words of each sound. */
  readonly soundWords: Groups;
  readonly soundOf: Uint32Array;
  readonly stems: WordList;
  readonly stemOf: Uint32Array;
  /** The words of each stem. */
  readonly stemWords: Groups;
  readonly consonants: WordList;
  /** The words of each key of consonants. */
  readonly consonantWords: Groups;
  readonly values: Values;
  readonly initials: IndexData["initials"];
  readonly wordSets: WordSets;
  readonly marks: Marks;
  readonly #ids: IndexData["ids"];
  readonly #soundKeys = new Map<string, string>();

  constructor(data: IndexData) {
    this.size = data.size;
    this.words = new KnownWords(data.words);
    this.names = data.names;
    this.records = new Records(data.records);
    this.postings = data.postings;
    this.sounds = new KnownWords(data.sounds);
    this.soundWords = data.sounds.words;
    this.soundOf = data.sounds.ofWords;
    this.stems = new WordList(data.forms.stems);
    this.stemWords = data.forms.words;
    this.stemOf = data.forms.ofWords;
    this.consonants = new WordList(data.consonants.keys);
    this.consonantWords = data.consonants.words;
    this.initials = data.initials;
    this.values = new Values(data.values);
    this.wordSets = new WordSets(this.words.list, data.postings, data.size);
    this.marks = new Marks(data.size);
    this.#ids = data.ids;
  }

  recordWithId(id: string): number | undefined {
    const json = Buffer.from(JSON.stringify(id));
    return findId(this.#ids, id, (record) => this.records.beginsWith(record, json));
  }

  /** The sound key of a word outside the base. It is cached, because words of changed records are looked up often. */
  soundKeyOf(word: string): string {
    const known = this.#soundKeys.get(word);
    if (known !== undefined) return known;
    const key = soundKey(word);
    this.#soundKeys.set(word, key);
    return key;
  }
}
