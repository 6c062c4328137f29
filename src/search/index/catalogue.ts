import type { IndexData } from "./build.ts";
import { findId } from "./ids.ts";
import { Marks } from "./matches.ts";
import { Names } from "./names.ts";
import { EMPTY, type Groups, type Range } from "./ranges.ts";
import { Records } from "./records.ts";
import { Trie } from "./trie.ts";
import { WordList } from "./word-list.ts";
import { WordSets } from "./word-sets.ts";

/** Words that can be searched by beginning, by part or by similarity. */
export interface Vocabulary {
  readonly list: WordList;
  readonly trie: Trie;
}

/** An index opened for searching, with the memory that a search needs. */
export class Catalogue {
  readonly size: number;
  readonly words: WordList;
  readonly trie: Trie;
  readonly names: Names;
  readonly records: Records;
  readonly postings: IndexData["postings"];
  readonly sounds: Vocabulary & { readonly words: Groups; readonly ofWords: Uint32Array };
  readonly wordSets: WordSets;
  readonly marks: Marks;
  readonly #ids: IndexData["ids"];
  #deadline = Number.POSITIVE_INFINITY;
  #ticks = 0;
  #cutShort = 0;

  constructor(data: IndexData) {
    this.size = data.size;
    this.words = new WordList(data.words.list);
    this.trie = new Trie(data.words.trie, this.words);
    this.names = new Names(data.names, this.words);
    this.records = new Records(data.records);
    this.postings = data.postings;
    const soundList = new WordList(data.sounds.list);
    this.sounds = {
      list: soundList,
      trie: new Trie(data.sounds.trie, soundList),
      words: data.sounds.words,
      ofWords: data.sounds.ofWords,
    };
    this.wordSets = new WordSets(this.words, data.postings, data.size);
    this.marks = new Marks(data.size);
    this.#ids = data.ids;
  }

  /** Starts the clock of a search; when the time is up it returns what it has. */
  startSearch(milliseconds: number): void {
    this.wordSets.startSearch();
    this.#deadline = performance.now() + milliseconds;
  }

  /** How many searches have been cut short. */
  get cutShort(): number {
    return this.#cutShort;
  }

  /** For every loop that may be long; reads the clock once in 256 calls. */
  timeIsUp(): boolean {
    if (++this.#ticks % 256 !== 0 || performance.now() <= this.#deadline) return false;
    this.#cutShort += 1;
    return true;
  }

  recordWithId(id: string): number | undefined {
    return findId(this.#ids, id, (record) => this.records.read(record).id);
  }

  /** The range of the postings that belongs to a range of words. */
  postingsOf({ start, end }: Range): Range {
    if (start === end) return EMPTY;
    return { start: this.postings.starts[start] ?? 0, end: this.postings.starts[end] ?? 0 };
  }
}
