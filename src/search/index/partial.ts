import { isStopWord } from "../stop-words.ts";
import type { Catalogue, RecordSet } from "./catalogue.ts";
import { type Expansions, isPart, isSpoken, isWrong, wordsByEar } from "./expansion.ts";
import type { Matches } from "./matches.ts";
import { numbersOf } from "./vocabulary.ts";

/** Longer queries are no names. */
const MOST_WORDS = 12;
/** Records looked at; those of the rarest words come first. */
const MOST_RECORDS = 2_000;
/** Shorter words are in a name by chance unless all of a word was typed. */
const LEAST_BEGINNING = 3;
/** Shorter words sound like others by chance. */
const LEAST_HEARD = 5;
/** How much it tells to have a word as a value rather than in the name: many records have the same value. */
const VALUE_SHARE = 0.5;

interface Word {
  readonly text: string;
  readonly set: RecordSet;
  readonly holds: ((record: number) => boolean) | undefined;
  /** How much the word identifies a record. */
  readonly weight: number;
}

/**
 * Where no record has all words: finds those that have the words that tell most, at least half of them, and one in a
 * name. Stop words do not count.
 */
export function findPartial(expansions: Expansions, all: readonly string[], matches: Matches): void {
  const { catalogue } = expansions;
  const typed = [...new Set(all)].filter((word) => !isStopWord(word));
  if (typed.length < 2 || typed.length > MOST_WORDS) return;
  const words = typed.map((word) => wordOf(expansions, word, typed.length)).sort(byWeight);
  const best = new Best(words);
  const seen = new Set<number>();
  let left = words.reduce((sum, { weight }) => sum + weight, 0);
  for (const { set, weight } of words) {
    // A record that has none of the words before has less than the best.
    if (left < best.weight) break;
    catalogue.recordsOf(set).some((record) => {
      if (seen.size >= MOST_RECORDS) return true;
      if (!seen.has(record)) best.weigh(catalogue, record);
      seen.add(record);
      return false;
    });
    left -= weight;
  }
  for (const { record, without } of best.ranked(catalogue)) matches.addPartial(record, without);
}

/** @param typed how many words are typed */
function wordOf(expansions: Expansions, text: string, typed: number): Word {
  const { catalogue } = expansions;
  const { set, records } = wordsLike(expansions, text, typed);
  // One that nothing has tells most.
  return {
    text,
    set,
    holds: catalogue.valuesHolding(text),
    weight: Math.log(1 + catalogue.size / (1 + records)),
  };
}

/** The words that begin with a typed one, and its forms; where there are none, those in another alphabet. */
function wordsLike(expansions: Expansions, text: string, typed: number): { set: RecordSet; records: number } {
  const { catalogue } = expansions;
  const { postings, words } = catalogue;
  const count = (of: Iterable<number>) => [...of].reduce((sum, word) => sum + postings.countOf(word), 0);
  if (text.length < LEAST_BEGINNING) {
    return { set: catalogue.wordAlone(text), records: count(numbersOf(words.spanOf(text))) };
  }
  const records = count(numbersOf(words.beginningWith(text))) + count(catalogue.otherForms(text));
  if (records > 0 || text.length < LEAST_HEARD) {
    return { set: catalogue.formsOf(text) ?? catalogue.beginningWith(text), records };
  }
  const heard = wordsHeardAs(expansions, text, typed);
  return { set: catalogue.among(`${text} ${Math.min(typed, 3)}`, heard), records: count(heard) };
}

/** The words that sound like the whole typed word in another alphabet; for two typed words, only certain ones. */
function wordsHeardAs(expansions: Expansions, text: string, typed: number): number[] {
  const { catalogue } = expansions;
  const expansion = expansions.of(text, { errors: "one" });
  const byEar = wordsByEar(catalogue, text, "none");
  const sure = typed > 2 ? byEar : wordsByEar(catalogue, text, "stranger");
  return [...expansion.words()].filter((word) => {
    if (byEar.has(word)) return sure.has(word);
    const way = expansion.wayOf(word);
    return isSpoken(way) && !isPart(way) && !isWrong(way);
  });
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
      const weightOf = (word: Word) => word.weight * (inName.includes(word) ? 1 : VALUE_SHARE);
      const weight = had.reduce((sum, word) => sum + weightOf(word), 0);
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
