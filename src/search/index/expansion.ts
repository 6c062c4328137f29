import { vowelsApart } from "../consonants.ts";
import { consonantsOfTyped, soundOfTyped, soundsOfTyped } from "../typed-word.ts";
import { Misspelt } from "./deletions.ts";
import { budgetFor, COST as EDIT, type Errors, MOST_COST, SOUND, scriptOf } from "./edit-distance.ts";
import type { Range } from "./numbers.ts";
import type { Segment, WordSet } from "./segment.ts";
import type { Segments } from "./segments.ts";

/** The cost of another alphabet, in the unit of edit costs. */
export const SOUND_COST = 2;
/** Other costs. */
const COST = { soundEdit: 4, sameScriptSound: 10, byEar: 11, vowel: 2 } as const;
/** A word that sounds like the typed one with an error costs at least this much, and two errors more. */
export const ERROR_IN_SOUND = SOUND_COST + COST.soundEdit + EDIT.swapped;
/** Shorter sounds begin too many words. */
const LEAST_FOR_HALF = 3;
/** Most letters per sound on average; longer runs, such as a hundred times a, are ignored. */
const MOST_LETTERS_A_SOUND = 3;
/** Shorter sounds are not corrected. */
const LEAST_FOR_EDIT = 5;
/** Shorter words are corrected as whole words only: too many names begin with their first letters. */
const LEAST_FOR_BEGINNING = 4;
/** One digit more or less is another number. */
const NUMBER = /^\p{N}+$/u;

/**
 * The match of a name's word with a typed one, as a number: its cost above these bits, so the smallest is the best.
 * No match is 0.
 */
const WAY = { matches: 1, spoken: 2, part: 4, wrong: 8, cost: 4 } as const;

/** What the match costs. */
export function costOf(way: number): number {
  return way >>> WAY.cost;
}

/** The word is written in another alphabet. */
export function isSpoken(way: number): boolean {
  return (way & WAY.spoken) !== 0;
}

/** Only the beginning of the word was typed. */
export function isPart(way: number): boolean {
  return (way & WAY.part) !== 0;
}

/** The typed word has an error. */
export function isWrong(way: number): boolean {
  return (way & WAY.wrong) !== 0;
}

interface Context {
  /** The length of a query of several words, which support each other; undefined for a single word. */
  readonly letters?: number | undefined;
  readonly errors: Errors;
}

/** The possible words for those of a query. Each is expanded once, because several readings of a query share words. */
export class Expansions {
  readonly segments: Segments;
  readonly #known = new Map<string, readonly Expansion[]>();

  constructor(segments: Segments) {
    this.segments = segments;
  }

  /** The words of each segment that a typed one may stand for. */
  of(text: string, context: Context): readonly Expansion[] {
    const budgets = budgetsFor(this.segments, text, context);
    const isAlone = context.letters === undefined;
    const key = `${text} ${isAlone} ${context.errors} ${budgets.whole} ${budgets.part}`;
    let known = this.#known.get(key);
    if (!known) {
      const typed = new TypedWord(this.segments, text, { isAlone, errors: context.errors, budgets });
      known = this.segments.all.map((segment) => new Expansion(segment, typed));
      this.#known.set(key, known);
    }
    return known;
  }
}

/** How a typed word may sound. */
interface Sound {
  readonly key: string;
  readonly cost: number;
  /** It may be the beginning of a sound. */
  readonly isHalf: boolean;
}

/** A typed word with what does not depend on a segment. */
class TypedWord {
  readonly text: string;
  readonly script: number;
  readonly isAlone: boolean;
  readonly errors: Errors;
  readonly budgets: Budgets;
  readonly misspelt: Misspelt | undefined;
  /** The likeliest sound, if it may have an error. */
  readonly misheard: { readonly letters: number; readonly sound: Misspelt } | undefined;
  /** How it may sound, likeliest first. */
  readonly sounds: readonly Sound[];

  constructor(
    segments: Segments,
    text: string,
    { isAlone, errors, budgets }: { isAlone: boolean; errors: Errors; budgets: Budgets },
  ) {
    this.text = text;
    this.script = scriptOf(text.charCodeAt(0));
    this.isAlone = isAlone;
    this.errors = errors;
    this.budgets = budgets;
    const budget = Math.max(budgets.whole, budgets.part);
    this.misspelt = budget > 0 ? new Misspelt(text, budget) : undefined;
    this.sounds = errors === "typed" ? [] : soundsAs(text);
    const key = errors === "several" ? soundOfTyped(text) : "";
    if (key.length >= LEAST_FOR_EDIT) {
      const sound = new Misspelt(key, budgetFor(key.length, SOUND, segments.soundCounter()));
      this.misheard = { letters: key.length, sound };
    }
  }
}

function soundsAs(text: string): Sound[] {
  const sounds = soundsOfTyped(text).map((key, cost) => {
    // Half a word has to be long enough and read in the likeliest way; other sounds must be whole words.
    const least = cost === 0 ? Math.min(LEAST_FOR_HALF, text.length) : LEAST_FOR_HALF;
    return { key, cost, isHalf: key.length >= least };
  });
  return sounds.filter(({ key }) => key.length * MOST_LETTERS_A_SOUND >= text.length);
}

/** All words that a typed one may stand for: as typed, by sound, or corrected. */
export class Expansion {
  /** The same words without how they match. */
  readonly set: WordSet;
  readonly #segment: Segment;
  readonly #typed: TypedWord;
  readonly #asTyped: Range;
  /** The typed word, or -1 if no name has it. */
  readonly #whole: number;
  /** The words that do not begin as typed, each with how it matches, see `WAY`; those that cost least first. */
  #ways = new Map<number, number>();

  constructor(segment: Segment, typed: TypedWord) {
    const { text, errors, isAlone } = typed;
    this.#segment = segment;
    this.#typed = typed;
    this.#asTyped = segment.words.beginningWith(text);
    this.#whole = segment.words.wholeIn(this.#asTyped, text);
    this.#addSounding();
    if (errors === "one" || errors === "several") {
      for (const [word, apart] of wordsByEar(segment, text, isAlone ? "none" : "names")) {
        this.#add(word, SOUND_COST + COST.byEar + COST.vowel * apart, WAY.spoken);
      }
    }
    this.#addCorrected();
    this.#addMisheard();
    this.#ways = new Map([...this.#ways].sort(([, a], [, b]) => a - b));
    this.set = segment.wordSet(this.#asTyped, Uint32Array.from(this.#ways.keys()).sort());
  }

  /** How a word matches; 0 if it does not. */
  wayOf(word: number): number {
    if (!this.#isAsTyped(word)) return this.#ways.get(word) ?? 0;
    return word === this.#whole ? WAY.matches : WAY.matches | WAY.part;
  }

  /** The words, those that cost least first. */
  *words(): Generator<number> {
    for (let word = this.#asTyped.start; word < this.#asTyped.end; word++) yield word;
    yield* this.#ways.keys();
  }

  #isAsTyped(word: number): boolean {
    return word >= this.#asTyped.start && word < this.#asTyped.end;
  }

  #add(word: number, cost: number, bits: number): void {
    if (this.#isAsTyped(word)) return;
    const way = (cost << WAY.cost) | bits | WAY.matches;
    const before = this.#ways.get(word);
    if (before === undefined || way < before) this.#ways.set(word, way);
  }

  /** Words of one alphabet that sound alike are spelled differently; only whole ones without another error match. */
  #addSounding(): void {
    const { keys } = this.#segment.sounds;
    for (const { key, cost, isHalf } of this.#typed.sounds) {
      this.#eachHeard(isHalf ? keys.beginningWith(key) : keys.rangeOf(key), key.length, (word, isWhole) => {
        if (this.#isOtherScript(word))
          this.#add(word, SOUND_COST + cost, WAY.spoken | (isWhole ? 0 : WAY.part));
        else if (isWhole && cost === 0) this.#add(word, COST.sameScriptSound, 0);
      });
    }
  }

  /** Visits the words of a range of sounds, and whether a sound is no longer than so many letters. */
  #eachHeard(heard: Range, letters: number, visit: (word: number, isWhole: boolean) => void): void {
    const { sounds } = this.#segment;
    for (let sound = heard.start; sound < heard.end; sound++) {
      const isWhole = sounds.keys.lengthOf(sound) === letters;
      for (const word of sounds.in({ start: sound, end: sound + 1 })) visit(word, isWhole);
    }
  }

  #addCorrected(): void {
    const { misspelt, budgets } = this.#typed;
    for (const found of misspelt ? this.#segment.corrections.of(misspelt) : []) {
      if (found.cost > (found.whole ? budgets.whole : budgets.part)) continue;
      const bits = found.whole ? WAY.wrong : WAY.wrong | WAY.part;
      for (let word = found.words.start; word < found.words.end; word++) this.#add(word, found.cost, bits);
    }
  }

  /** Adds words of another alphabet that sound like the typed one with an error. */
  #addMisheard(): void {
    const { misheard } = this.#typed;
    if (!misheard) return;
    for (const { words, cost } of this.#segment.soundCorrections.of(misheard.sound)) {
      this.#eachHeard(words, misheard.letters, (word, isWhole) => {
        if (!this.#isOtherScript(word)) return;
        const bits = WAY.wrong | WAY.spoken | (isWhole ? 0 : WAY.part);
        this.#add(word, SOUND_COST + COST.soundEdit + cost, bits);
      });
    }
  }

  #isOtherScript(word: number): boolean {
    return scriptOf(this.#segment.words.letter(word, 0)) !== this.#typed.script;
  }
}

/** How much corrections may cost to a whole word, and to the beginning of one. */
interface Budgets {
  readonly whole: number;
  readonly part: number;
}

function budgetsFor(segments: Segments, typed: string, { letters, errors }: Context): Budgets {
  if (NUMBER.test(typed)) return { whole: 0, part: 0 };
  const script = scriptOf(typed.charCodeAt(0));
  const most = MOST_COST[errors];
  const budget = (of: "beginnings" | "wholes") =>
    letters === undefined
      ? budgetFor(typed.length, script, segments.counter(script, of))
      : Math.min(
          budgetFor(letters, script, () => segments.size),
          Math.max(1, Math.floor(typed.length / 3)) * EDIT.extra,
        );
  const part = typed.length < LEAST_FOR_BEGINNING ? 0 : Math.min(most, budget("beginnings"));
  return { whole: Math.min(most, budget("wholes")), part };
}

/** The words that a word is typed with: others of the name, or none. */
type Company = "names" | "none";

/** The less other evidence there is for a name, the nearer it has to be. */
const LEAST_CONSONANTS = { names: 2, none: 3 } as const;
const MOST_OTHER_VOWELS = { names: 2, none: 1 } as const;
/** Words of fewer consonants need all vowels right. */
const LEAST_FOR_OTHER_VOWELS = 4;

/**
 * The English words that somebody who heard them may have written in Cyrillic letters like a typed one, each with the
 * number of places where the vowels differ.
 */
export function wordsByEar(segment: Segment, typed: string, company: Company): Map<number, number> {
  const heard = new Map<number, number>();
  for (const key of consonantsOfTyped(typed)) {
    if (key.length < LEAST_CONSONANTS[company]) continue;
    const most = key.length < LEAST_FOR_OTHER_VOWELS ? 0 : MOST_OTHER_VOWELS[company];
    for (const word of segment.consonants.with(key)) {
      const apart = vowelsApart(typed, segment.words.word(word));
      if (apart <= most) heard.set(word, apart);
    }
  }
  return heard;
}
