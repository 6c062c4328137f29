import { LRUCache } from "lru-cache";
import { heardConsonants } from "./consonants.ts";
import { isOrdinaryWord } from "./ordinary/ordinary-words.ts";
import { stem } from "./stem.ts";
import { soundKey, soundKeys } from "./transliterate.ts";

/** Two megabytes at most. */
const MOST_WORDS = 5_000;

/** What the letters of a typed word tell. */
class TypedWord {
  readonly #text: string;
  #stem: string | undefined;
  #sound: string | undefined;
  #sounds: readonly string[] | undefined;
  #consonants: readonly string[] | undefined;
  #isOrdinary: boolean | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  get stem(): string {
    this.#stem ??= stem(this.#text);
    return this.#stem;
  }

  /** See `soundKey`. */
  get sound(): string {
    this.#sound ??= soundKey(this.#text);
    return this.#sound;
  }

  /** See `soundKeys`. */
  get sounds(): readonly string[] {
    this.#sounds ??= soundKeys(this.#text);
    return this.#sounds;
  }

  /** See `heardConsonants`. */
  get consonants(): readonly string[] {
    this.#consonants ??= heardConsonants(this.#text);
    return this.#consonants;
  }

  get isOrdinary(): boolean {
    this.#isOrdinary ??= isOrdinaryWord(this.#text);
    return this.#isOrdinary;
  }
}

const known = new LRUCache<string, TypedWord>({ max: MOST_WORDS });

/** A normalised word that was typed. Kept, as each kind of records and each reading of a query looks at it again. */
export function typedWord(text: string): TypedWord {
  const before = known.get(text);
  if (before) return before;
  const word = new TypedWord(text);
  known.set(text, word);
  return word;
}
