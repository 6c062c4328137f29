import type { Draw } from "./random.ts";

/**
 * What a set of names teaches about spelling: after which letters which letters follow, and how often. A context
 * is two or three letters; its followers are one string that repeats a letter as often as it was seen, so drawing
 * a place in the string draws by frequency.
 */
export interface LetterModel {
  followers: Map<string, string>;
  /** The first and the last three letters of every name learnt from. */
  beginnings: Set<string>;
  endings: Set<string>;
  /** How many of the names have each length: `lengths[5]` those of five letters. */
  lengths: number[];
}

const START = "^^^";
const END = "$";
/** Of ten letters, how many are chosen by three letters before them; the rest by two, which makes names newer. */
const LONG_CONTEXT_SHARE = 7;

/** Learns from names; an inner capital's prefix (McDonald, DeLuca) is left off, the rest is taken in lower case. */
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

/** One word of the model's making, in lower case; an empty one where it would grow past `longest` letters. */
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
 * How probable the word is under the model: a product of shares, 0 if some step was never seen. Only for comparing
 * words of one length, or one word under two models. No logarithm, so it is the same number on every machine.
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
