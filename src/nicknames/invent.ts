import { memoize } from "../settings/memoize.ts";
import type { CountryCode } from "./countries.ts";
import { allReadings, type CountryNames, listLastNames, readNames, type Sex } from "./country-names.ts";
import { createDraw, type Draw } from "./random.ts";

/** Invented names of one country that are in no country's list. */
interface InventedNames {
  firsts: Record<Sex, readonly string[]>;
  lasts: Record<Sex, readonly string[]>;
}

/** How many words to draw for one list (about a third of them are usable), and how many of those to keep. */
const WORDS_DRAWN = 6000;
const LIST_SIZE = 500;
/** The least number of names to keep of each length, for requests with tight bounds. */
const LENGTH_SIZE = 8;

/** The country's invented names, always the same; made on first use and kept. */
export const inventNames = memoize((country: CountryCode): InventedNames => {
  const words = combineSyllables(country, readNames(country));
  return words ? fromSyllables(words) : fromLetters(country, readNames(country));
});

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

/**
 * The spelling of a set of names: which letters follow which, and how often. A context is two or three letters. Its
 * followers are one string that repeats each letter by its frequency, so a random index draws by frequency.
 */
interface LetterModel {
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
function learnLetters(names: readonly string[]): LetterModel {
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
function drawWord({ followers }: LetterModel, longest: number, draw: Draw): string {
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
function likelihood({ followers }: LetterModel, word: string): number {
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

/** Words in lower case for first names by sex and for last names; they may include listed names. */
interface SyllableWords {
  male: string[];
  female: string[];
  last: string[];
}

/**
 * New combinations of real syllables, for the countries whose names are built of them. There, a spelling model
 * mostly makes sequences that are obviously not syllables of the language. Undefined for the countries where the
 * model works well.
 */
function combineSyllables(country: CountryCode, names: CountryNames): SyllableWords | undefined {
  if (country === "cn" || country === "kr") return combineGivenNames(names);
  if (country === "vn") return combineVietnamese(names);
  return undefined;
}

function combineGivenNames({ male, female, last }: CountryNames): SyllableWords {
  const openings = [...male, ...female].map((name) => splitSyllables(name)[0] ?? "");
  const compounds = last.filter((name) => splitSyllables(name).length === 2);
  return {
    male: crossSyllables(male),
    female: crossSyllables(female),
    last: [...new Set([...openings.filter((syllable) => syllable.length > 1), ...crossSyllables(compounds)])],
  };
}

/** Combines every first syllable of the two-syllable names with every second one. */
function crossSyllables(names: readonly string[]): string[] {
  const pairs = names.map(splitSyllables).filter((syllables) => syllables.length === 2);
  const openings = pairs.map(([opening]) => opening ?? "");
  const closings = pairs.map(([, closing]) => closing ?? "");
  return cross(openings, closings).filter((word) => !/^(.+)\1$/.test(word));
}

/** An optional consonant, vowels, and an ending that cannot begin the next syllable: Jian-guo, Seo-yeon. */
const syllablePattern = /(?:[zcs]h|[jkpst]{2}|[b-df-hj-np-tv-z])?[yw]?[aeiou]+(?:ng|[klmnpt])?(?![aeiou])/g;

/** The one or two syllables of a Chinese or Korean name; empty if it does not divide that way. */
function splitSyllables(name: string): string[] {
  const word = name.toLowerCase();
  const syllables = word.match(syllablePattern) ?? [];
  return syllables.length <= 2 && syllables.join("") === word ? syllables : [];
}

/** Vietnamese given names get two syllables (Minhtuan); family names keep one, with a new beginning and ending. */
function combineVietnamese({ male, female, last }: CountryNames): SyllableWords {
  const isSyllable = (name: string) => /^[^aeiouy]*[aeiouy]+[^aeiouy]*$/.test(name);
  const [men = [], women = [], families = []] = [male, female, last].map((names) =>
    names.map((name) => name.toLowerCase()).filter(isSyllable),
  );
  const isHandy = (name: string) => name.length <= LONGEST_DOUBLE;
  return {
    male: cross(men, men).filter(isHandy),
    female: cross(women, women).filter(isHandy),
    last: crossRimes(families),
  };
}

const LONGEST_DOUBLE = 8;

/** Spellings that Vietnamese does not have: c and g before e, i, y (it has k and gh there), k before a, o, u. */
const misspelt = /^(?:n?g|c)[eiy]|^(?:k|n?gh)[aou]|^q(?!u)|^[cv]uy|^[^aeiouy]ye|uu|^[^aeiouy]*$|^.$/;

function crossRimes(syllables: readonly string[]): string[] {
  const onsets = syllables.map((syllable) => syllable.match(/^(?:qu|gi|[^aeiouy]*)/)?.[0] ?? "");
  const rimes = syllables.map((syllable, index) => syllable.slice(onsets[index]?.length));
  return cross(onsets, rimes).filter((syllable) => !misspelt.test(syllable));
}

/** Combines every opening with every closing; each word once, as several pairs may make the same one. */
function cross(openings: readonly string[], closings: readonly string[]): string[] {
  return [...new Set(openings.flatMap((opening) => closings.map((closing) => opening + closing)))];
}

/**
 * Obvious obscenities and slurs, in the languages that players read, that no invented name may contain. The list is
 * short and strict, because there are always other names.
 */
const anywhere =
  "fuck shit cunt nigg nigr negr fag sex kike gook chink spic coon boob crap turd cock dick piss slut whore rape penis vagin porn nazi hitler twat wank tits titt " +
  "bitch bastard jizz dildo semen sperm anus arsch fotze fick wichs hure schlamp nutte merd salop encul bite couill " +
  "putai puta puto mierd pendej culo verga polla joder maricon caralh porra foda bucet viad cazz stronz minch troia " +
  "fregn kurw chuj pierd jeban jebac cipa dupa prdel picha orosp yarrak pidor pidar pizd blya ebal eban ebat mudak " +
  "mudil gandon zhop manda zalup shluh drist govno gavno chmo debil";

const atTheStart = "huy hui khuy khui hyi hujn suka suki cum ass";

/** Too short to search for inside a word; refused only as the whole word. */
const wholeWords = "arse anal gay hoe tit cul pic sik pute shat";

const pattern = new RegExp(
  `${alternatives(anywhere)}|^(?:${alternatives(atTheStart)})|^(?:${alternatives(wholeWords)})$`,
);

/** Whether a word in lower case is or contains an obvious obscenity or slur. */
export function isProfane(word: string): boolean {
  return pattern.test(word);
}

function alternatives(words: string): string {
  return words.split(" ").join("|");
}
