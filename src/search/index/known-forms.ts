import type { Catalogue } from "./catalogue.ts";
import { NumberSet } from "./number-set.ts";
import { numbersOf, type Span } from "./vocabulary.ts";
import { FEW, type WordSet } from "./word-sets.ts";

/** The words that a typed one stands for if it has no error, and their records. */
export class KnownForms {
  /** How many records they lead to, counted once for each word. */
  readonly records: number;
  readonly #catalogue: Catalogue;
  readonly #asTyped: WordSet;
  readonly #span: Span;
  readonly #heard: readonly number[];
  #others: NumberSet | undefined;

  /** @param heard words that sound like the typed one, and do not begin with it */
  constructor(catalogue: Catalogue, typed: string, heard: readonly number[]) {
    this.#catalogue = catalogue;
    this.#asTyped = catalogue.beginningWith(typed).ofBase;
    this.#span = catalogue.words.beginningWith(typed);
    this.#heard = heard;
    const { postings } = catalogue;
    this.records = heard.reduce((sum, word) => sum + postings.countOf(word), postings.countAbout(this.#span));
  }

  *words(): Generator<number> {
    yield* numbersOf(this.#span);
    yield* this.#heard;
  }

  /** False if a record has none of the words for sure. */
  mayBeIn(record: number): boolean {
    if (this.records <= FEW || record >= this.#catalogue.baseSize) return true;
    return (this.#isLarge && this.#asTyped.bits().has(record)) || this.#recordsOfOthers().has(record);
  }

  /** Whether the words as typed are so many that their records are remembered. */
  get #isLarge(): boolean {
    return this.#asTyped.count > FEW;
  }

  /** The records of the words whose records are not remembered. */
  #recordsOfOthers(): NumberSet {
    this.#others ??= this.#collect(this.#isLarge ? this.#heard : this.words());
    return this.#others;
  }

  #collect(words: Iterable<number>): NumberSet {
    const { limit, postings } = this.#catalogue;
    const records = new NumberSet(limit);
    for (const word of words) {
      postings.someOf(word, (record) => {
        records.add(record);
        return false;
      });
    }
    return records;
  }
}
