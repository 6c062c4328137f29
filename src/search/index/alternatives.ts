import { stem } from "../stem.ts";
import { soundKey, soundKeys } from "../transliterate.ts";
import type { Catalogue } from "./catalogue.ts";
import { COST as EDIT } from "./edit-distance.ts";
import { budgetFor } from "./evidence.ts";
import { EMPTY, type Range } from "./ranges.ts";
import { SCRIPTS, SOUND, scriptOf } from "./scripts.ts";

/** How a word of a name comes to answer a typed one, and at what cost. */
export interface Alternative {
  readonly cost: number;
  /** All of the word was typed, not just its beginning. */
  readonly whole: boolean;
  readonly via: "fuzzy" | "transliteration";
}

/** What another alphabet costs, in the currency of typing errors. */
export const SOUND_COST = 2;
/** What else is forgiven. */
const COST = { ending: 9, soundEdit: 4, sameScriptSound: 10 } as const;
/** A beginning of a sound that this many random queries in one would have is no evidence. */
const MOST_BY_CHANCE = 0.5;
/** Fewer sounds begin too many words. */
const LEAST_FOR_HALF = 3;
/** Letters that one sound takes, on average over a word; of more, such as a hundred times a, little is left. */
const MOST_LETTERS_A_SOUND = 3;
/** Sounds of fewer letters are not corrected. */
const LEAST_FOR_EDIT = 5;
/** Shorter words are corrected as whole words only: their beginnings are those of half the catalogue. */
const LEAST_FOR_BEGINNING = 4;
/** Words of one stem are looked for among this many. */
const MOST_RELATIVES = 2000;

/** All words that may answer one typed word: as typed, by sound, of the same stem, or after correction. */
export class Alternatives {
  readonly #catalogue: Catalogue;
  readonly #typed: string;
  readonly #script: number;
  readonly #asTyped: Range;
  readonly #soundsLike: { sounds: Range; letters: number; cost: number }[] = [];
  readonly #others = new Map<number, Alternative>();

  /** `letters`: how many the whole query has, where it has several words; they vouch for each other. */
  constructor(catalogue: Catalogue, typed: string, letters: number | undefined) {
    this.#catalogue = catalogue;
    this.#typed = typed;
    this.#script = scriptOf(typed.charCodeAt(0));
    this.#asTyped = catalogue.words.beginningWith(typed);
    this.#addSounds(letters === undefined);
    this.#addEndings();
    this.#addCorrections(letters);
  }

  /** How many records the words lead to; a record counts once for each word. */
  countRecords(): number {
    const { postings } = this.#catalogue;
    let records = 0;
    for (const word of this.words()) {
      records += (postings.starts[word + 1] ?? 0) - (postings.starts[word] ?? 0);
    }
    return records;
  }

  /** The words; one that answers in two ways comes twice. */
  *words(): Generator<number> {
    for (let word = this.#asTyped.start; word < this.#asTyped.end; word++) yield word;
    const { starts, members } = this.#catalogue.sounds.words;
    for (const { sounds } of this.#soundsLike) {
      const end = starts[sounds.end] ?? 0;
      for (let at = starts[sounds.start] ?? 0; at < end; at++) yield members[at] ?? 0;
    }
    yield* this.#others.keys();
  }

  /** How a word answers at the least cost; undefined if it does not. */
  answerOf(word: number): Alternative | undefined {
    const { words } = this.#catalogue;
    if (word >= this.#asTyped.start && word < this.#asTyped.end) {
      return { cost: 0, whole: words.lengthOf(word) === this.#typed.length, via: "fuzzy" };
    }
    const other = this.#others.get(word);
    const heard = this.#soundOf(word);
    return other && (!heard || other.cost < heard.cost) ? other : heard;
  }

  #soundOf(word: number): Alternative | undefined {
    const { list, ofWords } = this.#catalogue.sounds;
    const sound = ofWords[word] ?? 0;
    let best: Alternative | undefined;
    for (const { sounds, letters, cost } of this.#soundsLike) {
      if (sound < sounds.start || sound >= sounds.end) continue;
      const found = this.#heardAs(word, list.lengthOf(sound) === letters, cost);
      if (found && (!best || found.cost < best.cost)) best = found;
    }
    return best;
  }

  /** Words of one alphabet that sound alike are spelt differently; only whole ones and without any other error. */
  #heardAs(word: number, whole: boolean, cost: number): Alternative | undefined {
    if (scriptOf(this.#catalogue.words.letter(word, 0)) !== this.#script) {
      return { cost: SOUND_COST + cost, whole, via: "transliteration" };
    }
    return whole && cost === 0 ? { cost: COST.sameScriptSound, whole, via: "fuzzy" } : undefined;
  }

  #addSounds(alone: boolean): void {
    const { list, trie } = this.#catalogue.sounds;
    const count = trie.counter(0, "beginnings");
    const typed = this.#typed.length;
    const texts = SCRIPTS[SOUND].letters ** typed;
    for (const [place, key] of soundKeys(this.#typed).entries()) {
      if (key.length * MOST_LETTERS_A_SOUND < this.#typed.length) continue;
      if (alone && count(key.length) / texts > MOST_BY_CHANCE) continue;
      // Too short to be half a word, or an unlikely reading of a short one: then it is the whole word or nothing.
      const half = place === 0 ? key.length >= Math.min(LEAST_FOR_HALF, typed) : key.length >= LEAST_FOR_HALF;
      const sounds = half ? list.beginningWith(key) : whole(list.find(key));
      if (sounds.end > sounds.start) this.#soundsLike.push({ sounds, letters: key.length, cost: place });
    }
    const key = soundKey(this.#typed);
    if (key.length < LEAST_FOR_EDIT) return;
    for (const { words: sounds, cost } of trie.corrections(key, budgetFor(key.length, SOUND, count))) {
      this.#soundsLike.push({ sounds, letters: key.length, cost: COST.soundEdit + cost });
    }
  }

  #addEndings(): void {
    const { words } = this.#catalogue;
    const root = stem(this.#typed);
    if (root.length < 3) return;
    // A stem may differ from its words in its last letter: batteri, battery.
    const { start, end } = words.beginningWith(root.slice(0, Math.max(3, root.length - 1)));
    for (let word = start; word < Math.min(end, start + MOST_RELATIVES); word++) {
      if (stem(words.word(word)) === root) this.#add(word, { cost: COST.ending, whole: true, via: "fuzzy" });
    }
  }

  #addCorrections(letters: number | undefined): void {
    const { trie, size } = this.#catalogue;
    const typed = this.#typed;
    const budget = (of: "beginnings" | "wholes") =>
      letters === undefined
        ? budgetFor(typed.length, this.#script, trie.counter(this.#script, of))
        : Math.min(
            budgetFor(letters, this.#script, () => size),
            typed.length < 5 ? EDIT.extra : 2 * EDIT.extra,
          );
    const whole = budget("wholes");
    const part = typed.length < LEAST_FOR_BEGINNING ? 0 : budget("beginnings");
    for (const correction of trie.corrections(typed, Math.max(whole, part))) {
      if (correction.cost > (correction.whole ? whole : part)) continue;
      const { start, end } = correction.words;
      for (let word = start; word < end; word++) {
        this.#add(word, { cost: correction.cost, whole: correction.whole, via: "fuzzy" });
      }
    }
  }

  #add(word: number, alternative: Alternative): void {
    const before = this.#others.get(word);
    if (!before || alternative.cost < before.cost) this.#others.set(word, alternative);
  }
}

function whole(sound: number): Range {
  return sound < 0 ? EMPTY : { start: sound, end: sound + 1 };
}
