import { HABITS, type Habit, NO_HABIT, type Reading } from "./sounds.ts";

/** More ways to read one typed word are not tried. */
const MOST_KEYS = 8;
/** Beginnings of readings kept on the way there: different ones may end in the same key. */
const MOST_READINGS = 16;

/**
 * What a normalised word sounds like, coarsely, in a–z and digits: equal for a Russian or Ukrainian word and its usual
 * Latin spellings, and for a Latin word and its usual Cyrillic ones; where it can be read in several ways, as in the
 * likeliest. The key of a word's beginning is mostly the beginning of the word's key.
 *
 * "" for words without letters or with letters of alphabets other than these two.
 */
export function soundKey(word: string): string {
  const letters = read(word, NO_HABIT);
  return letters ? merge(letters.map(([likeliest]) => likeliest?.sound).join("")) : "";
}

/**
 * The sound keys a typed word may have been meant to have, most likely first: `soundKey(word)`, then what the habits
 * of writing Russian in Latin letters, or English in Cyrillic ones, make of its ambiguous letters (j is ж or й). At
 * most 8; none where `soundKey` is "".
 */
export function soundKeys(word: string): string[] {
  const habits = LATIN.test(word) ? [NO_HABIT, ...HABITS] : [NO_HABIT];
  const readings = habits.flatMap((habit) => readingsOf(word, habit)).sort((a, b) => a.cost - b.cost);
  const keys = new Set(readings.map(({ sound }) => merge(sound)));
  keys.delete("");
  return [...keys].slice(0, MOST_KEYS);
}

/**
 * Text without the signs that stand for ь and ъ in strict transliterations, which to `normaliseName` are ends of words:
 * bol'shoj, pod``ezd and, as some mark э and ы, y'.
 */
export function withoutSoftSigns(text: string): string {
  return text.replace(SOFT_SIGNS, "");
}

const LATIN = /[a-z]/;
const LETTER = /\p{L}/u;
const SOFT_SIGNS = /(?<=\p{L})['"`´‘’ʹʺʼʽ′″]+/gu;

type Letters = readonly (readonly Reading[])[];

/** The likeliest ways to read a word, one who writes so having written it. */
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

/** The readings of each letter or digraph of a word; undefined where one has none, and where all are digits. */
function read(word: string, { pattern, spellings }: Habit): Letters | undefined {
  const parts = word.replace(LAST_SHORT_I, "").match(pattern) ?? [];
  const letters = parts.map((part) => spellings.get(part) ?? []);
  return LETTER.test(word) && letters.every((readings) => readings.length > 0) ? letters : undefined;
}

/** The j of chornyj and sinij, whatever j is elsewhere: it sounds like the letter before it. */
const LAST_SHORT_I = /(?<=[iy])j$/;

/** Makes one of what is one letter in one alphabet and two in the other, and of what either may write doubled. */
function merge(sounds: string): string {
  return sounds
    .replace(DOUBLED, "$1")
    .replace(MERGED, (pair) => MERGERS[pair] ?? pair)
    .replace(ROUND_E, "e")
    .replace(DOUBLED, "$1");
}

/** ё after ж, ч, ш and щ, which nobody hears from о, but which a normalised name has as е. */
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
