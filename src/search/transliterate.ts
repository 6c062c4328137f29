import { HABITS, type Habit, KANA, NO_HABIT, type Reading } from "./sounds.ts";

/** How many readings of one typed word are tried. */
const MOST_KEYS = 8;
/** How many partial readings are kept: several may end in the same key. */
const MOST_READINGS = 16;

/**
 * The rough sound of a normalised word, in a–z and digits. It is equal for a Russian or Ukrainian word, or one in
 * katakana, and its usual Latin spellings, and for a Latin word and its usual Cyrillic ones. Ambiguous words are read
 * in the likeliest way. The key of a word's beginning is mostly the beginning of the word's key. "" for words without
 * letters or of other alphabets.
 */
export function soundKey(word: string): string {
  const letters = read(word, habitOf(word));
  return letters ? merge(letters.map(([likeliest]) => likeliest?.sound).join("")) : "";
}

/**
 * The possible sound keys of a typed word, likeliest first, at most 8. First `soundKey(word)`, then those by the
 * habits of writing Russian in Latin letters or English in Cyrillic ones. Empty if `soundKey` is "".
 */
export function soundKeys(word: string): string[] {
  const habits = LATIN.test(word) ? [NO_HABIT, ...HABITS] : [habitOf(word)];
  const readings = habits.flatMap((habit) => readingsOf(word, habit)).sort((a, b) => a.cost - b.cost);
  const keys = new Set(readings.map(({ sound }) => merge(sound)));
  keys.delete("");
  return [...keys].slice(0, MOST_KEYS);
}

/**
 * Removes the signs for ь and ъ in strict transliterations, and for э and ы in some, as `normaliseName` would split words
 * there: bol'shoj, pod``ezd, y'.
 */
export function withoutSoftSigns(text: string): string {
  return text.replace(SOFT_SIGNS, "");
}

/** How a word is read that is not in Latin letters. */
function habitOf(word: string): Habit {
  return KATAKANA.test(word) ? KANA : NO_HABIT;
}

const LATIN = /[a-z]/;
const KATAKANA = /\p{Script=Katakana}/u;
const LETTER = /\p{L}/u;
const SOFT_SIGNS = /(?<=\p{L})['"`´‘’ʹʺʼʽ′″]+/gu;

type Letters = readonly (readonly Reading[])[];

/** The likeliest ways to read a word written with a habit. */
function readingsOf(word: string, habit: Habit): Reading[] {
  const letters = read(word, habit);
  if (letters === undefined) return [];
  let beginnings: Reading[] = [{ sound: "", cost: habit.sign.test(word) ? 0 : habit.cost }];
  for (const readings of letters) {
    beginnings = beginnings.flatMap((beginning) =>
      readings.map(({ sound, cost }) => ({ sound: beginning.sound + sound, cost: beginning.cost + cost })),
    );
    if (readings.length > 1) beginnings = beginnings.sort((a, b) => a.cost - b.cost).slice(0, MOST_READINGS);
  }
  return beginnings;
}

/** The readings of each letter or digraph; undefined if one has none, or if there are only digits. */
function read(word: string, { pattern, spellings }: Habit): Letters | undefined {
  const parts = word.replace(LAST_SHORT_I, "").match(pattern) ?? [];
  const letters = parts.map((part) => spellings.get(part) ?? []);
  return LETTER.test(word) && letters.every((readings) => readings.length > 0) ? letters : undefined;
}

/** The last j of chornyj and sinij, which sounds like the letter before it, whatever j means elsewhere. */
const LAST_SHORT_I = /(?<=[iy])j$/;

/** Merges sounds that one alphabet writes as one letter and the other as two, and doubled ones. */
function merge(sounds: string): string {
  return sounds
    .replace(DOUBLED, "$1")
    .replace(MERGED, (pair) => MERGERS[pair] ?? pair)
    .replace(ROUND_E, "e")
    .replace(DOUBLED, "$1");
}

/** ё after ж, ч, ш and щ, which sounds like о but is е in normalised names. */
const ROUND_E = /(?<=[jqw])o/g;
const DOUBLED = /([a-z])\1+/g;
const MERGERS: Readonly<Record<string, string>> = {
  kh: "h",
  sh: "w",
  zh: "j",
  dj: "j",
  th: "t",
  ph: "f",
  tsh: "q",
  ts: "c",
  tz: "c",
  tw: "q",
  tq: "q",
  tc: "q",
  wq: "w",
  sq: "w",
};
const MERGED = /kh|sh|zh|dj|th|ph|tsh|t[szwqc]|[ws]q/g;
