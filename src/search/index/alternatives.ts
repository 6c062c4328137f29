import { stem } from "../stem.ts";
import { soundOfTyped, soundsOfTyped, stemOfTyped } from "../typed-word.ts";
import { SILENT } from "./build.ts";
import { wordsByEar } from "./by-ear.ts";
import type { Catalogue } from "./catalogue.ts";
import { COST as EDIT } from "./edit-distance.ts";
import { type Budgets, Edits } from "./edits.ts";
import { budgetFor, SCRIPTS, SOUND, scriptOf } from "./evidence.ts";
import { KnownForms } from "./known-forms.ts";
import { EMPTY } from "./ranges.ts";
import { isEmpty, isIn, numbersOf, type Span } from "./vocabulary.ts";

/** How a word of a name matches a typed one, and at what cost. */
export interface Alternative {
  readonly cost: number;
  /** All of the word was typed, not just its beginning. */
  readonly whole: boolean;
  readonly via: "fuzzy" | "transliteration";
}

/** The cost of another alphabet, in the unit of edit costs. */
export const SOUND_COST = 2;
/** Other costs. */
const COST = { ending: 9, soundEdit: 4, sameScriptSound: 10, byEar: 11, vowel: 2 } as const;
/** A word that sounds like the typed one with an error costs at least this much, and two errors more. */
export const ERROR_IN_SOUND = SOUND_COST + COST.soundEdit + EDIT.swapped;
/** The beginning of a sound is ignored if more than this share of random queries would match it too. */
const MOST_BY_CHANCE = 0.5;
/** Shorter sounds begin too many words. */
const LEAST_FOR_HALF = 3;
/** Most letters per sound on average; longer runs, such as a hundred times a, are ignored. */
const MOST_LETTERS_A_SOUND = 3;
/** Shorter sounds are not corrected. */
const LEAST_FOR_EDIT = 5;
/** Shorter words are corrected as whole words only: too many names begin with their first letters. */
const LEAST_FOR_BEGINNING = 4;
/** How many words are searched for one with the same stem. */
const MOST_RELATIVES = 2000;

/** One possible sound of a typed word. */
interface Reading {
  readonly sounds: Span;
  readonly letters: number;
  readonly cost: number;
}

/** How many errors a word may have: unless several, it does not sound like the typed one with an error either. */
export type Errors = keyof typeof MOST_COST;

/** The cost of so many errors. */
const MOST_COST = { none: 0, one: EDIT.extra, several: Number.POSITIVE_INFINITY } as const;

/** Words that match at a cost of at least so much. */
interface WordGroup {
  words(): Iterable<number>;
  /** About how many records they lead to, counted once for each word. */
  readonly records: number;
  readonly cost: number;
}

/**
 * All words that may match a typed one: as typed, by sound, by stem, or corrected. Listing them takes a walk through the
 * vocabulary, judging one word does not.
 */
export class Alternatives {
  readonly #catalogue: Catalogue;
  readonly #typed: string;
  readonly #script: number;
  readonly #asTyped: Span;
  /** How the typed word may sound, likeliest first. */
  readonly #readings: Reading[] = [];
  readonly #soundEdits: Edits | undefined;
  readonly #soundLength: number;
  /** See `wordsByEar`. */
  readonly #byEar: ReadonlyMap<number, number>;
  readonly #stem: string;
  /** The words that may have the same stem. */
  readonly #relatives: Span;
  readonly #edits: Edits;
  /** Words that do not match as null: looking them up once is enough then. */
  readonly #judged = new Map<number, Alternative | null>();
  #known: KnownForms | undefined;
  #groups: readonly WordGroup[] | undefined;

  /** @param letters the length of a query of several words, which support each other; undefined for a single word */
  constructor(
    catalogue: Catalogue,
    typed: string,
    { letters, errors }: { letters: number | undefined; errors: Errors },
  ) {
    const { words, sounds } = catalogue;
    this.#catalogue = catalogue;
    this.#typed = typed;
    this.#script = scriptOf(typed.charCodeAt(0));
    this.#asTyped = words.beginningWith(typed);
    this.#addReadings(letters === undefined);
    const key = soundOfTyped(typed);
    this.#soundLength = key.length;
    if (errors === "several" && key.length >= LEAST_FOR_EDIT) {
      const budget = budgetFor(key.length, SOUND, sounds.counter(0, "beginnings"));
      this.#soundEdits = new Edits(key, sounds, { whole: budget, part: budget });
    }
    this.#byEar =
      errors === "none" ? NO_WORDS : wordsByEar(catalogue, typed, letters === undefined ? "none" : "names");
    this.#stem = stemOfTyped(typed);
    // A stem may differ from its words in the last letter: batteri, battery.
    const root = this.#stem.slice(0, Math.max(3, this.#stem.length - 1));
    this.#relatives = root.length < 3 ? NONE : words.beginningWith(root);
    const { whole, part } = this.#budgets(letters);
    const most = MOST_COST[errors];
    this.#edits = new Edits(typed, words, { whole: Math.min(whole, most), part: Math.min(part, most) });
  }

  /** How many letters were typed. */
  get letters(): number {
    return this.#typed.length;
  }

  /** About how many records the words that begin as typed lead to, counted once for each word. */
  get recordsAsTyped(): number {
    return this.#catalogue.postings.countAbout(this.#asTyped);
  }

  /** The words as typed, or as the typed one sounds: those that no error leads to. */
  get known(): KnownForms {
    this.#known ??= new KnownForms(this.#catalogue, this.#typed, this.#listHeard());
    return this.#known;
  }

  /** About how many records the words lead to, counted once for each word and kind of match. */
  get records(): number {
    return this.groups.reduce((sum, { records }) => sum + records, 0);
  }

  /** The words in groups, cheapest first; one that matches in two ways comes twice. Takes a walk through the vocabulary. */
  get groups(): readonly WordGroup[] {
    this.#groups ??= this.#list().sort((a, b) => a.cost - b.cost);
    return this.#groups;
  }

  /** The cheapest match of a word, or undefined. */
  answerOf(word: number): Alternative | undefined {
    let judged = this.#judged.get(word);
    if (judged === undefined) {
      judged = this.#judge(word) ?? null;
      this.#judged.set(word, judged);
    }
    return judged ?? undefined;
  }

  #judge(word: number): Alternative | undefined {
    if (isIn(this.#asTyped, word)) {
      const whole = this.#catalogue.words.lengthOf(word) === this.#typed.length;
      return { cost: 0, whole, via: "fuzzy" };
    }
    const heard = cheaper(this.#asHeard(word), this.#asSpelledByEar(word));
    return cheaper(cheaper(heard, this.#asRelated(word)), this.#asCorrected(word));
  }

  #asRelated(word: number): Alternative | undefined {
    const { words } = this.#catalogue;
    const isRelated = isIn(this.#relatives, word) && stem(words.word(word)) === this.#stem;
    return isRelated ? { cost: COST.ending, whole: true, via: "fuzzy" } : undefined;
  }

  #asCorrected(word: number): Alternative | undefined {
    const edit = this.#edits.to(word);
    return edit && { ...edit, via: "fuzzy" };
  }

  #asSpelledByEar(word: number): Alternative | undefined {
    const apart = this.#byEar.get(word);
    return apart === undefined ? undefined : asSpoken(COST.byEar + COST.vowel * apart, true);
  }

  /** Words of one alphabet that sound alike are spelled differently; only whole ones without another error match. */
  #asHeard(word: number): Alternative | undefined {
    const sound = this.#catalogue.soundOf(word);
    if (sound === SILENT) return undefined;
    const length = this.#catalogue.sounds.lengthOf(sound);
    const reading = this.#readingOf(sound);
    if (!reading && !this.#soundEdits) return undefined;
    const isOtherScript = scriptOf(this.#catalogue.words.letter(word, 0)) !== this.#script;
    if (!isOtherScript) {
      const isAlike = reading?.cost === 0 && length === reading.letters;
      return isAlike ? { cost: COST.sameScriptSound, whole: true, via: "fuzzy" } : undefined;
    }
    const edit = this.#soundEdits?.to(sound);
    const read = reading && asSpoken(reading.cost, length === reading.letters);
    return cheaper(read, edit && asSpoken(COST.soundEdit + edit.cost, length === this.#soundLength));
  }

  /** The likeliest reading of the typed word that a sound goes with. */
  #readingOf(sound: number): Reading | undefined {
    for (const reading of this.#readings) if (isIn(reading.sounds, sound)) return reading;
    return undefined;
  }

  #addReadings(alone: boolean): void {
    const heard = this.#catalogue.sounds;
    const count = heard.counter(0, "beginnings");
    const typed = this.#typed.length;
    const texts = SCRIPTS[SOUND].letters ** typed;
    for (const [place, key] of soundsOfTyped(this.#typed).entries()) {
      if (key.length * MOST_LETTERS_A_SOUND < this.#typed.length) continue;
      if (alone && count(key.length) / texts > MOST_BY_CHANCE) continue;
      // Half a word has to be long enough and read in the likeliest way; other sounds must be whole words.
      const half = place === 0 ? key.length >= Math.min(LEAST_FOR_HALF, typed) : key.length >= LEAST_FOR_HALF;
      const sounds = half ? heard.beginningWith(key) : whole(heard.find(key));
      if (!isEmpty(sounds)) this.#readings.push({ sounds, letters: key.length, cost: place });
    }
  }

  #budgets(letters: number | undefined): Budgets {
    const { words, size } = this.#catalogue;
    const typed = this.#typed.length;
    const budget = (of: "beginnings" | "wholes") =>
      letters === undefined
        ? budgetFor(typed, this.#script, words.counter(this.#script, of))
        : Math.min(
            budgetFor(letters, this.#script, () => size),
            typed < 5 ? EDIT.extra : 2 * EDIT.extra,
          );
    return { whole: budget("wholes"), part: typed < LEAST_FOR_BEGINNING ? 0 : budget("beginnings") };
  }

  #list(): WordGroup[] {
    const { postings, isOver } = this.#catalogue;
    const related = this.#listRelated();
    const heard = (this.#soundEdits?.list(isOver) ?? []).map(({ words: sounds, cost }) => {
      const words = [...this.#catalogue.wordsHeard(sounds)];
      return {
        words: () => words,
        records: this.#count(words),
        cost: SOUND_COST + COST.soundEdit + cost,
      };
    });
    return [
      { words: () => this.known.words(), records: this.known.records, cost: 0 },
      { words: () => related, records: this.#count(related), cost: COST.ending },
      ...this.#edits.list(isOver).map(({ words, cost }) => {
        return { words: () => numbersOf(words), records: postings.countAbout(words), cost };
      }),
      ...heard,
    ];
  }

  #listRelated(): number[] {
    const { words } = this.#catalogue;
    const related: number[] = [];
    let read = 0;
    for (const word of words.inOrder(this.#relatives)) {
      if (++read > MOST_RELATIVES) break;
      if (stem(words.word(word)) === this.#stem) related.push(word);
    }
    return related;
  }

  /** The words that sound like the typed one, without those that begin with it. */
  #listHeard(): number[] {
    const heard = this.#readings.flatMap(({ sounds }) => [...this.#catalogue.wordsHeard(sounds)]);
    return [...new Set([...heard, ...this.#byEar.keys()])].filter((word) => !isIn(this.#asTyped, word));
  }

  #count(words: Iterable<number>): number {
    const { postings, isOver } = this.#catalogue;
    let records = 0;
    for (const word of words) {
      if (isOver()) break;
      records += postings.countOf(word);
    }
    return records;
  }
}

/** A match in another alphabet. */
function asSpoken(cost: number, whole: boolean): Alternative {
  return { cost: SOUND_COST + cost, whole, via: "transliteration" };
}

function cheaper(a: Alternative | undefined, b: Alternative | undefined): Alternative | undefined {
  return a && (!b || a.cost <= b.cost) ? a : b;
}

const NO_WORDS: ReadonlyMap<number, number> = new Map();
const NONE: Span = { base: EMPTY, added: EMPTY };

function whole(sound: number): Span {
  return { base: sound < 0 ? EMPTY : { start: sound, end: sound + 1 }, added: EMPTY };
}
