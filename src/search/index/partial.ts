import { isStopWord } from "../stop-words.ts";
import type { Catalogue, RecordSet } from "./catalogue.ts";
import type { Matches } from "./matches.ts";
import { numbersOf } from "./vocabulary.ts";

/** Longer queries are no names. */
const MOST_WORDS = 12;
/** Records looked at; those of the rarest words come first. */
const MOST_RECORDS = 5_000;
/** Shorter words are in a name by chance unless all of a word was typed. */
const LEAST_BEGINNING = 3;

interface Word {
  readonly text: string;
  readonly set: RecordSet;
  readonly holds: ((record: number) => boolean) | undefined;
  /** How much it tells of a record to have the word. */
  readonly weight: number;
}

/**
 * Where no record has all words: finds those that have the words that tell most, at least half of them, and one in a
 * name. Stop words do not count.
 */
export function findPartial(catalogue: Catalogue, name: string, matches: Matches): void {
  const typed = [...new Set(name.split(" "))].filter((word) => !isStopWord(word));
  if (typed.length < 2 || typed.length > MOST_WORDS) return;
  const words = typed.map((word) => wordOf(catalogue, word)).sort(byWeight);
  const best = new Best(words);
  const seen = new Set<number>();
  let left = words.reduce((sum, { weight }) => sum + weight, 0);
  for (const { set, weight } of words) {
    // A record that has none of the words before has less than the best.
    if (left < best.weight) break;
    catalogue.recordsOf(set).some((record) => {
      if (catalogue.isOver() || seen.size >= MOST_RECORDS) return true;
      if (!seen.has(record)) best.weigh(catalogue, record);
      seen.add(record);
      return false;
    });
    left -= weight;
  }
  for (const { record, without } of best.ranked(catalogue)) matches.addPartial(record, without);
}

function wordOf(catalogue: Catalogue, text: string): Word {
  const { postings, words, size } = catalogue;
  const isBeginning = text.length >= LEAST_BEGINNING;
  const begun = isBeginning ? words.beginningWith(text) : words.spanOf(text);
  const forms = isBeginning ? catalogue.otherForms(text) : [];
  const set = isBeginning
    ? (catalogue.formsOf(text) ?? catalogue.beginningWith(text))
    : catalogue.wordAlone(text);
  let records = 0;
  for (const word of [...numbersOf(begun), ...forms]) records += postings.countOf(word);
  // One that nothing has tells most.
  return { text, set, holds: catalogue.valuesHolding(text), weight: Math.log(1 + size / (1 + records)) };
}

function byWeight(a: Word, b: Word): number {
  return b.weight - a.weight || (a.text < b.text ? -1 : 1);
}

interface PartialMatch {
  readonly record: number;
  readonly without: readonly string[];
}

/** The records that have most of the words, by weight. */
class Best {
  weight = 0;
  readonly #words: readonly Word[];
  readonly #records: PartialMatch[] = [];

  constructor(words: readonly Word[]) {
    this.#words = words;
  }

  weigh(catalogue: Catalogue, record: number): void {
    catalogue.names.someName(record, (start, end) => {
      const inName = this.#words.filter(({ set }) => hasWord(catalogue, set, start, end));
      if (inName.length === 0) return false;
      const had = this.#words.filter((word) => inName.includes(word) || word.holds?.(record));
      const weight = had.reduce((sum, word) => sum + word.weight, 0);
      if (2 * had.length < this.#words.length || weight < this.weight) return false;
      if (weight > this.weight) this.#records.length = 0;
      this.weight = weight;
      if (this.#records.at(-1)?.record === record) return false;
      const without = this.#words.filter((word) => !had.includes(word)).map(({ text }) => text);
      this.#records.push({ record, without });
      return false;
    });
  }

  ranked(catalogue: Catalogue): PartialMatch[] {
    return this.#records.sort((a, b) => catalogue.rankOf(a.record) - catalogue.rankOf(b.record));
  }
}

function hasWord({ names }: Catalogue, { has }: RecordSet, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (has(names.wordAt(at))) return true;
  return false;
}
