import type { Draw } from "./random.ts";

/**
 * The spelling of a set of names: which letters follow which, and how often. A context is two or three letters. Its
 * followers are one string that repeats each letter by its frequency, so a random index draws by frequency.
 */
export interface LetterModel {
  followers: Map<string, string>;
  /** The first and the last three letters of every name. */
  beginnings: Set<string>;
  endings: Set<string>;
  /** How many names have each length: `lengths[5]` counts those of five letters. */
  lengths: number[];
}

const START = "^^^";
const END = "$";
/** How many letters in ten are chosen by the three before them; the rest by two, for more new names. */
const LONG_CONTEXT_SHARE = 7;

/** Learns from names in lower case, without the prefix before an inner capital (McDonald, DeLuca). */
export function learnLetters(names: readonly string[]): LetterModel {
  const words = names.map((name) => name.replace(/^[A-Z][a-z]*(?=[A-Z])/, "").toLowerCase());
  const followers = new Map<string, string>();
  for (const word of words) {
    const text = START + word + END;
    for (let at = START.length; at < text.length; at++) {
      for (const context of [text.slice(at - 2, at), text.slice(at - 3, at)]) {
        followers.set(context, (followers.get(context) ?? "") + text[at]);
      }
    }
  }
  const longest = Math.max(...words.map((word) => word.length));
  return {
    followers,
    beginnings: new Set(words.map((word) => word.slice(0, 3))),
    endings: new Set(words.map((word) => word.slice(-3))),
    lengths: Array.from(
      { length: longest + 1 },
      (_, length) => words.filter((word) => word.length === length).length,
    ),
  };
}

/** A random word in lower case; empty if it would have more than `longest` letters. */
export function drawWord({ followers }: LetterModel, longest: number, draw: Draw): string {
  let text = START;
  while (text.length - START.length <= longest) {
    const long = draw(10) < LONG_CONTEXT_SHARE ? followers.get(text.slice(-3)) : undefined;
    const choices = long ?? followers.get(text.slice(-2)) ?? END;
    const letter = choices[draw(choices.length)] ?? END;
    if (letter === END) return text.slice(START.length);
    text += letter;
  }
  return "";
}

/**
 * The probability of a word under the model: a product of shares, 0 if a step was never seen. Compares only words of
 * one length, or one word under two models. Uses no logarithm, so the result is the same on every machine.
 */
export function likelihood({ followers }: LetterModel, word: string): number {
  const text = START + word + END;
  let product = 1;
  for (let at = START.length; at < text.length; at++) {
    const letter = text[at] ?? END;
    const short = share(followers.get(text.slice(at - 2, at)), letter);
    const long = followers.get(text.slice(at - 3, at));
    product *= long === undefined ? short : (short + share(long, letter)) / 2;
  }
  return product;
}

function share(followers: string | undefined, letter: string): number {
  if (followers === undefined) return 0;
  let times = 0;
  for (const follower of followers) if (follower === letter) times++;
  return times / followers.length;
}
