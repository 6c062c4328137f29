import type { CountryCode } from "./countries.ts";
import { allReadings, type CountryNames, listLastNames, readNames, type Sex } from "./country-names.ts";
import { drawWord, type LetterModel, learnLetters, likelihood } from "./letter-model.ts";
import { isProfane } from "./profanity.ts";
import { createDraw } from "./random.ts";
import { combineSyllables, type SyllableWords } from "./syllables.ts";

/** Invented names of one country that are in no country's list. */
export interface InventedNames {
  firsts: Record<Sex, readonly string[]>;
  lasts: Record<Sex, readonly string[]>;
}

/** How many words to draw for one list (about a third of them are usable), and how many of those to keep. */
const WORDS_DRAWN = 6000;
const LIST_SIZE = 500;
/** The least number of names to keep of each length, for requests with tight bounds. */
const LENGTH_SIZE = 8;

const invented = new Map<CountryCode, InventedNames>();

/** The country's invented names, always the same; made on first use and kept. */
export function inventNames(country: CountryCode): InventedNames {
  const known = invented.get(country);
  if (known) return known;
  const words = combineSyllables(country, readNames(country));
  const names = words ? fromSyllables(words) : fromLetters(country, readNames(country));
  invented.set(country, names);
  return names;
}

function fromSyllables({ male, female, last }: SyllableWords): InventedNames {
  const [men = [], women = [], families = []] = [male, female, last].map((words) =>
    words.filter(isNew).map(capitalise),
  );
  return { firsts: { male: men, female: women }, lasts: { male: families, female: families } };
}

function fromLetters(country: CountryCode, { male, female, lastBySex }: CountryNames): InventedNames {
  const men = learnLetters(male);
  const women = learnLetters(female);
  const families = inventLastNames(country, "male");
  return {
    firsts: {
      male: inventWords(men, `${country} male`, (word) => likelihood(men, word) > likelihood(women, word)),
      female: inventWords(
        women,
        `${country} female`,
        (word) => likelihood(women, word) > likelihood(men, word),
      ),
    },
    lasts: { male: families, female: lastBySex.length > 0 ? inventLastNames(country, "female") : families },
  };
}

/** Learns only from the forms of that sex, so that the endings fit it. */
function inventLastNames(country: CountryCode, sex: Sex): string[] {
  return inventWords(learnLetters(listLastNames(country, sex)), `${country} ${sex} last`);
}

/** New words that look like names and pass `suits`, likeliest first, with lengths spread like the model's names. */
function inventWords(model: LetterModel, seed: string, suits = (_word: string) => true): string[] {
  const draw = createDraw(seed);
  const words = new Set<string>();
  for (let i = 0; i < WORDS_DRAWN; i++) words.add(drawWord(model, model.lengths.length, draw));
  const fitting = [...words].filter((word) => looksLikeName(word, model) && isNew(word) && suits(word));
  const ranked = fitting.map((word) => ({ word, likelihood: likelihood(model, word) }));
  ranked.sort((one, other) => other.likelihood - one.likelihood || (one.word < other.word ? -1 : 1));
  const room = roomByLength(model);
  return ranked.filter(({ word }) => takeRoom(room, word.length)).map(({ word }) => capitalise(word));
}

/** Whether a word is as long as a name, begins and ends like one, and is easy to pronounce. */
function looksLikeName(word: string, { beginnings, endings, lengths }: LetterModel): boolean {
  if (word.length < Math.max(2, lengths.findIndex(Boolean))) return false;
  if (!beginnings.has(word.slice(0, 3)) || !endings.has(word.slice(-3))) return false;
  if (!/[aeiouy]/.test(word) || /(.)\1\1|[^aeiouy]{4}|[aeiou]{4}/.test(word)) return false;
  return !/(..)\1|(...).*\2/.test(word);
}

function roomByLength({ lengths }: LetterModel): number[] {
  const all = lengths.reduce((sum, count) => sum + count, 0);
  return [...lengths, 0].map((count) => Math.max(LENGTH_SIZE, Math.round((LIST_SIZE * count) / all)));
}

function takeRoom(room: number[], length: number): boolean {
  const left = room[length] ?? 0;
  room[length] = left - 1;
  return left > 0;
}

function isNew(word: string): boolean {
  const listed = allReadings();
  return !listed.first.has(word) && !listed.last.has(word) && !isProfane(word);
}

function capitalise(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
