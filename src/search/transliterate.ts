import { CYRILLIC_HABITS, type Habit, LATIN_HABITS, type Reading, type Spellings } from "./sounds.ts";

/** More ways to read one typed word are not tried. */
const MOST_KEYS = 8;
/** Partial readings kept on the way there: some of them end in the same key. */
const BEAM = 16;
const LONGEST_SPELLING = 7;

/**
 * What a normalised word sounds like, coarsely, in a–z and digits: equal for a Russian or Ukrainian word and its usual
 * Latin spellings, and for a Latin word and its usual Cyrillic ones; where a spelling can be read in several ways, as
 * the likeliest. The key of a word's beginning is mostly the beginning of its key. "" for a word in any other alphabet.
 */
export function soundKey(word: string): string {
  const [habit] = habitsOf(word);
  const letters = habit && read(word, habit.spellings);
  return letters ? merge(letters.map(([likeliest]) => likeliest?.sound ?? "").join("")) : "";
}

/**
 * The sound keys a typed word may have been meant to have, most likely first, `soundKey(word)` before all, at most 8.
 */
export function soundKeys(word: string): string[] {
  const readings = habitsOf(word).flatMap(({ spellings, cost }) => {
    const letters = read(word, spellings);
    return letters ? likeliest(letters, cost) : [];
  });
  const keys = readings.sort((a, b) => a.cost - b.cost).map(({ sound }) => merge(sound));
  return [...new Set(keys)].filter((key) => key !== "").slice(0, MOST_KEYS);
}

function habitsOf(word: string): readonly Habit[] {
  if (/[a-z]/.test(word)) return LATIN_HABITS;
  return /[а-яіїєґў]/.test(word) ? CYRILLIC_HABITS : [];
}

type Letters = readonly (readonly Reading[])[];

/** The cheapest ways to read the letters, one reading each. */
function likeliest(letters: Letters, cost: number): Reading[] {
  let words: Reading[] = [{ sound: "", cost }];
  for (const readings of letters) {
    words = words.flatMap((word) =>
      readings.map(({ sound, cost }) => ({ sound: word.sound + sound, cost: word.cost + cost })),
    );
    if (readings.length > 1) words = words.sort((a, b) => a.cost - b.cost).slice(0, BEAM);
  }
  return words;
}

/** The readings of each of the word's spellings, the longest known first; undefined where there is none. */
function read(word: string, spellings: Spellings): Letters | undefined {
  const letters: (readonly Reading[])[] = [];
  for (let at = 0; at < word.length; ) {
    let length = LONGEST_SPELLING;
    while (length > 0 && !spellings.has(word.slice(at, at + length))) length--;
    const readings = spellings.get(word.slice(at, at + length));
    if (readings === undefined) return undefined;
    letters.push(readings);
    at += Math.min(length, word.length - at);
  }
  return letters;
}

/** Sounds that one alphabet writes as one letter and another as two, or that both write doubled. */
function merge(key: string): string {
  return key
    .replace(/([a-z])\1+/g, "$1")
    .replace(/kh/g, "h")
    .replace(/sh/g, "w")
    .replace(/zh/g, "j")
    .replace(/ts|tz/g, "c")
    .replace(/tw|tq|tc/g, "q")
    .replace(/[ws]q/g, "w")
    .replace(/dj/g, "j")
    .replace(/th/g, "t")
    .replace(/ph/g, "f")
    .replace(/([a-z])\1+/g, "$1");
}
