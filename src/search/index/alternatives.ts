import { stem } from "../stem.ts";
import { soundKey, soundKeys } from "../transliterate.ts";
import type { Catalogue } from "./catalogue.ts";
import { COST as EDIT } from "./edit-distance.ts";
import { budgetFor, SCRIPTS, SOUND, scriptOf } from "./evidence.ts";
import { EMPTY } from "./ranges.ts";
import { isIn, type Span } from "./vocabulary.ts";

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
const COST = { ending: 9, soundEdit: 4, sameScriptSound: 10 } as const;
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

/** All words that may match a typed one: as typed, by sound, by stem, or corrected. */
export class Alternatives {
  readonly #catalogue: Catalogue;
  readonly #typed: string;
  readonly #script: number;
  readonly #asTyped: Span;
  readonly #soundsLike: { sounds: Span; letters: number; cost: number }[] = [];
  readonly #others = new Map<number, Alternative>();

  /** `letters`: the length of a query of several words, which support each other; undefined for a single word. */
  constructor(catalogue: Catalogue, typed: string, letters: number | undefined) {
    this.#catalogue = catalogue;
    this.#typed = typed;
    this.#script = scriptOf(typed.charCodeAt(0));
    this.#asTyped = catalogue.words.beginningWith(typed);
    this.#addSounds(letters === undefined);
    this.#addEndings();
    this.#addCorrections(letters);
  }

  /** How many records the words lead to, counted once for each word. */
  countRecords(): number {
    const { postings, timeIsUp } = this.#catalogue;
    let records = 0;
    for (const word of this.words()) {
      if (timeIsUp()) break;
      records += postings.countOf(word);
    }
    return records;
  }

  /** The words; one that matches in two ways comes twice. */
  *words(): Generator<number> {
    yield* numbersOf(this.#asTyped);
    for (const { sounds } of this.#soundsLike) yield* this.#catalogue.wordsHeard(sounds);
    yield* this.#others.keys();
  }

  /** The cheapest way in which a word matches; undefined if it does not. */
  answerOf(word: number): Alternative | undefined {
    const { words } = this.#catalogue;
    if (isIn(this.#asTyped, word)) {
      return { cost: 0, whole: words.lengthOf(word) === this.#typed.length, via: "fuzzy" };
    }
    const other = this.#others.get(word);
    const heard = this.#soundOf(word);
    return other && (!heard || other.cost < heard.cost) ? other : heard;
  }

  #soundOf(word: number): Alternative | undefined {
    const heard = this.#catalogue.sounds;
    const sound = this.#catalogue.soundOf(word);
    let best: Alternative | undefined;
    for (const { sounds, letters, cost } of this.#soundsLike) {
      if (!isIn(sounds, sound)) continue;
      const found = this.#heardAs(word, heard.lengthOf(sound) === letters, cost);
      if (found && (!best || found.cost < best.cost)) best = found;
    }
    return best;
  }

  /** Words of one alphabet that sound alike are spelled differently; only whole ones without another error match. */
  #heardAs(word: number, whole: boolean, cost: number): Alternative | undefined {
    if (scriptOf(this.#catalogue.words.letter(word, 0)) !== this.#script) {
      return { cost: SOUND_COST + cost, whole, via: "transliteration" };
    }
    return whole && cost === 0 ? { cost: COST.sameScriptSound, whole, via: "fuzzy" } : undefined;
  }

  #addSounds(alone: boolean): void {
    const heard = this.#catalogue.sounds;
    const count = heard.counter(0, "beginnings");
    const typed = this.#typed.length;
    const texts = SCRIPTS[SOUND].letters ** typed;
    for (const [place, key] of soundKeys(this.#typed).entries()) {
      if (key.length * MOST_LETTERS_A_SOUND < this.#typed.length) continue;
      if (alone && count(key.length) / texts > MOST_BY_CHANCE) continue;
      // Half a word has to be long enough and read in the likeliest way; other sounds must be whole words.
      const half = place === 0 ? key.length >= Math.min(LEAST_FOR_HALF, typed) : key.length >= LEAST_FOR_HALF;
      const sounds = half ? heard.beginningWith(key) : whole(heard.find(key));
      this.#soundsLike.push({ sounds, letters: key.length, cost: place });
    }
    const key = soundKey(this.#typed);
    if (key.length < LEAST_FOR_EDIT) return;
    const { timeIsUp } = this.#catalogue;
    for (const { words: sounds, cost } of heard.corrections(
      key,
      budgetFor(key.length, SOUND, count),
      timeIsUp,
    )) {
      this.#soundsLike.push({ sounds, letters: key.length, cost: COST.soundEdit + cost });
    }
  }

  #addEndings(): void {
    const { words } = this.#catalogue;
    const root = stem(this.#typed);
    if (root.length < 3) return;
    // A stem may differ from its words in the last letter: batteri, battery.
    const relatives = words.beginningWith(root.slice(0, Math.max(3, root.length - 1)));
    let read = 0;
    for (const word of words.inOrder(relatives)) {
      if (++read > MOST_RELATIVES) return;
      if (stem(words.word(word)) === root) this.#add(word, { cost: COST.ending, whole: true, via: "fuzzy" });
    }
  }

  #addCorrections(letters: number | undefined): void {
    const { words, size, timeIsUp } = this.#catalogue;
    const typed = this.#typed;
    const budget = (of: "beginnings" | "wholes") =>
      letters === undefined
        ? budgetFor(typed.length, this.#script, words.counter(this.#script, of))
        : Math.min(
            budgetFor(letters, this.#script, () => size),
            typed.length < 5 ? EDIT.extra : 2 * EDIT.extra,
          );
    const whole = budget("wholes");
    const part = typed.length < LEAST_FOR_BEGINNING ? 0 : budget("beginnings");
    for (const correction of words.corrections(typed, Math.max(whole, part), timeIsUp)) {
      if (correction.cost > (correction.whole ? whole : part)) continue;
      for (const word of numbersOf(correction.words)) {
        this.#add(word, { cost: correction.cost, whole: correction.whole, via: "fuzzy" });
      }
    }
  }

  #add(word: number, alternative: Alternative): void {
    const before = this.#others.get(word);
    if (!before || alternative.cost < before.cost) this.#others.set(word, alternative);
  }
}

function* numbersOf({ base, added }: Span): Generator<number> {
  for (let n = base.start; n < base.end; n++) yield n;
  for (let n = added.start; n < added.end; n++) yield n;
}

function whole(sound: number): Span {
  return { base: sound < 0 ? EMPTY : { start: sound, end: sound + 1 }, added: EMPTY };
}
