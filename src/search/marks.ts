/**
 * Marks the typed letters in names, on the server and in the browser. Compares names as the search does (normalise.ts),
 * but letter by letter, so that each letter is found in the original name.
 */

import { abbreviatedBy, foldLetters, withLatinTwins } from "./letters.ts";
import { stem } from "./word-forms.ts";

/** A letter with its accents, or accents alone. */
const LETTERS = /\P{M}\p{M}*|\p{M}+/gu;
const BETWEEN_WORDS = /[^\p{L}\p{N}\p{M}\p{So}]|[\u02b9-\u02bf\u02c8]/u;

/** A single letter: inside a word it matches by chance. */
const A_LETTER = /^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}ㄱ-ㅎ]$/u;

const known = new Map<string, string>();

/** A part of a name: typed letters, or others. */
export interface Part {
  text: string;
  marked: boolean;
}

/** Folds a text for comparison: `normaliseName` without look-alike letters and Chinese characters. */
export function fold(text: string): string {
  return foldWithPlaces(text).letters;
}

/**
 * A name in parts, with the query marked. It marks the query at the beginning of the name or of a later word.
 * Otherwise it marks each word of the query, at the beginning of a word or inside one. It marks nothing if a word of
 * the query is not in the name. Joined, the parts are the name; without marks there is one part.
 */
export function markedParts(text: string, query: string): Part[] {
  const name = foldWithPlaces(text);
  const typed = fold(query);
  return partsOf(text, name, typed === "" ? [] : rangesOf(name.letters, typed));
}

/**
 * A name in parts, with each word of the query marked that it has at the beginning of a word, or in another form; others
 * may be missing.
 */
export function markedWords(text: string, query: string): Part[] {
  const name = foldWithPlaces(text);
  const ranges: Range[] = [];
  for (const word of new Set(fold(query).split(" "))) {
    const range = word === "" ? undefined : rangeOfWord(name.letters, word, ranges);
    if (range) ranges.push(range);
  }
  return partsOf(text, name, ranges);
}

/** `whole`: only if all of the query is in the name. `bySound`: compares by sound. */
export interface Nearness {
  whole?: boolean;
  bySound?: boolean;
}

/**
 * The same for a name found despite typing errors: words joined or split, and at most one error in three letters. Marks
 * the letters that match.
 */
export function nearParts(text: string, query: string, { bySound, whole }: Nearness = {}): Part[] {
  const read = bySound ? (each: string) => soundsOf(foldWithPlaces(each)) : foldWithPlaces;
  const [name, typed] = [read(text), read(query)];
  return partsOf(text, name, typed.letters === "" ? [] : nearRanges(name.letters, typed.letters, whole));
}

/** Finds the query as typed, otherwise word by word; tries look-alike letters last. */
function rangesOf(name: string, typed: string): Range[] {
  return asTyped(name, typed) ?? asTyped(withLatinTwins(name), withLatinTwins(typed)) ?? [];
}

function asTyped(name: string, typed: string): Range[] | undefined {
  const at = ` ${name}`.indexOf(` ${typed}`);
  return at < 0 ? everyWord(name, typed) : [[at, at + typed.length]];
}

/**
 * Finds each word of the query at the beginning of a word, preferably of one not taken yet, otherwise inside a word,
 * unless it is a single letter. Undefined if a word is not found.
 */
function everyWord(name: string, typed: string): Range[] | undefined {
  const words = typed.split(" ");
  const different = words.filter(
    (word, at) => !words.some((other, i) => i !== at && other.startsWith(word) && (other !== word || i < at)),
  );
  const ranges: Range[] = [];
  for (const word of different.sort((a, b) => b.length - a.length)) {
    const at = beginningOf(name, word, ranges);
    if (at < 0) return undefined;
    ranges.push([at, at + word.length]);
  }
  return ranges;
}

function beginningOf(name: string, word: string, taken: Range[]): number {
  const isFree = (at: number) => !taken.some(([from, to]) => at < to && at + word.length > from);
  const begins = places(` ${name}`, ` ${word}`);
  const begun = begins.find(isFree) ?? begins[0];
  if (begun !== undefined || A_LETTER.test(word) || abbreviatedBy(word)) return begun ?? -1;
  return places(name, word).find(isFree) ?? name.indexOf(word);
}

/** Where a word of the query begins one of the name, abbreviates it in Korean, or is one in another form. */
function rangeOfWord(name: string, word: string, taken: Range[]): Range | undefined {
  const begins = places(` ${name}`, ` ${word}`);
  const at = begins.find((place) => !taken.some(([from]) => from === place)) ?? begins[0];
  if (at !== undefined) return [at, at + word.length];
  const abbreviated = abbreviatedBy(word)?.exec(name);
  if (abbreviated) return [abbreviated.index, abbreviated.index + abbreviated[0].length];
  const sought = stem(word);
  let start = 0;
  for (const other of name.split(" ")) {
    if (stem(other) === sought) return [start, start + other.length];
    start += other.length + 1;
  }
  return undefined;
}

function places(text: string, part: string): number[] {
  const found: number[] = [];
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + 1)) found.push(at);
  return found;
}

/** Sorts ranges and joins those that touch or overlap. */
function joined(ranges: Range[]): Range[] {
  const result: Range[] = [];
  for (const [from, to] of ranges.sort((a, b) => a[0] - b[0])) {
    const last = result.at(-1);
    if (last && from <= last[1]) last[1] = Math.max(last[1], to);
    else result.push([from, to]);
  }
  return result;
}

/** Splits the text into parts; marks the ranges of its folded letters. */
function partsOf(text: string, { starts, ends }: PlacedLetters, ranges: Range[]): Part[] {
  const inText = ([from, to]: Range): Range => [starts[from], ends[to - 1]] as Range;
  const parts: Part[] = [];
  let at = 0;
  // Joined again in the text, where one letter may stand for two of a sound.
  for (const [from, to] of joined(joined(ranges).map(inText))) {
    if (from > at) parts.push({ text: text.slice(at, from), marked: false });
    parts.push({ text: text.slice(from, to), marked: true });
    at = to;
  }
  if (at < text.length || parts.length === 0) parts.push({ text: text.slice(at), marked: false });
  return parts;
}

/** Folds a text, and notes where each folded letter begins and ends in the original. */
function foldWithPlaces(text: string): PlacedLetters {
  const [starts, ends]: [number[], number[]] = [[], []];
  let letters = "";
  let isBetween = false;
  for (const { 0: letter, index } of text.matchAll(LETTERS)) {
    for (const plain of foldLetter(letter)) {
      if (BETWEEN_WORDS.test(plain)) {
        isBetween = true;
        continue;
      }
      const added = isBetween && letters !== "" ? ` ${plain}` : plain;
      isBetween = false;
      letters += added;
      for (let unit = 0; unit < added.length; unit++) {
        starts.push(index);
        ends.push(index + letter.length);
      }
    }
  }
  return { letters, starts, ends };
}

function foldLetter(letter: string): string {
  const before = known.get(letter);
  if (before !== undefined) return before;
  const folded = foldLetters(letter);
  known.set(letter, folded);
  return folded;
}

// Letters that match despite typing errors: as many as the search allows (index/). Letters with an error are left out.

/** Fewer letters match by chance, unless they are a whole word. */
const LEAST_LETTERS = 3;
/** One error per so many letters; with more it is another word. */
const LETTERS_AN_ERROR = { word: 3, joined: 6 };
const MOST_ERRORS = 3;
/** Bounds the time that alignments take. */
const MOST_LETTERS = 60;

/** A range of a name, `to` exclusive. */
type Range = [from: number, to: number];

interface Alignment {
  cost: number;
  places: number[];
}

interface PlacedWord {
  word: string;
  start: number;
}

/** Takes both folded. `whole`: empty if a word of the query is not in the name. */
function nearRanges(name: string, typed: string, whole = false): Range[] {
  if (typed.length > MOST_LETTERS) return [];
  const letters = typed.replaceAll(" ", "");
  const exact = joinedLetters(name, letters, 0);
  if (exact) return [[exact[0] as number, (exact.at(-1) as number) + 1]];
  const words = wordsOf(name);
  const found = typed.split(" ").map((word) => nearestWord(words, word));
  const held = found.flatMap((places) => places ?? []);
  if (!found.includes(undefined)) return held.map(oneLetter);
  const joined = joinedLetters(name, letters, errorsIn(letters, LETTERS_AN_ERROR.joined));
  return (joined ?? (whole ? [] : held)).map(oneLetter);
}

function oneLetter(place: number): Range {
  return [place, place + 1];
}

/** Words joined or split: `nrg500` is NRG-500. The positions of the letters; undefined without a match. */
function joinedLetters(name: string, letters: string, budget: number): number[] | undefined {
  if (letters.length < LEAST_LETTERS) return undefined;
  const places = Array.from(name, (_, at) => at).filter((at) => name[at] !== " ");
  const all = places.map((at) => name[at]).join("");
  let best: Alignment | undefined;
  for (const [first, at] of places.entries()) {
    if (at > 0 && name[at - 1] !== " ") continue;
    const found = aligned(letters, all.slice(first), best ? best.cost - 1 : budget);
    if (found)
      best = { cost: found.cost, places: found.places.map((place) => places[first + place] as number) };
  }
  return best?.places;
}

/** The positions of the nearest word of the name; the query may be a prefix of it. */
function nearestWord(words: PlacedWord[], typed: string): number[] | undefined {
  if (typed.length < LEAST_LETTERS) {
    const whole = words.find(({ word }) => word === typed);
    return whole && Array.from(typed, (_, at) => whole.start + at);
  }
  let budget = errorsIn(typed, LETTERS_AN_ERROR.word);
  let best: number[] | undefined;
  for (const { word, start } of words) {
    const found = aligned(typed, word, budget);
    if (!found) continue;
    best = found.places.map((place) => start + place);
    budget = found.cost - 1;
  }
  return best;
}

/** How many errors are allowed. */
function errorsIn(letters: string, lettersAnError: number): number {
  return Math.min(MOST_ERRORS, Math.floor(letters.length / lettersAnError));
}

function wordsOf(name: string): PlacedWord[] {
  return [...name.matchAll(/\S+/g)].map(({ 0: word, index: start }) => ({ word, start }));
}

/**
 * The positions in `text` of the typed letters, if its beginning differs from them by at most `budget` missing,
 * added, wrong or swapped letters. Undefined if it differs by more, or if less than half of the letters match.
 */
function aligned(typed: string, text: string, budget: number): Alignment | undefined {
  for (let cost = 0; cost <= budget; cost++) {
    const places = samePlaces(typed, text, [0, 0], cost);
    if (places) return places.length * 2 < typed.length ? undefined : { cost, places };
  }
  return undefined;
}

/** The positions of equal letters from these on, with at most so many errors; to take an equal letter is never worse. */
function samePlaces(
  typed: string,
  text: string,
  [read, at]: readonly [number, number],
  errors: number,
): number[] | undefined {
  if (read === typed.length) return [];
  const next = (letters: number, others: number, left = errors - 1) =>
    samePlaces(typed, text, [read + letters, at + others], left);
  if (typed[read] === text[at]) {
    const places = next(1, 1, errors);
    return places && [at, ...places];
  }
  if (errors === 0) return undefined;
  const isSwapped = typed[read] === text[at + 1] && typed[read + 1] === text[at];
  return (isSwapped ? next(2, 2) : undefined) ?? next(0, 1) ?? next(1, 1) ?? next(1, 0);
}

/**
 * Spellings and their coarse sounds, the likeliest readings of transliterate.ts, to mark names typed in another
 * alphabet. So c is ц, h х, j ж, q ч, w ш and щ; - is silent.
 */
const SOUNDS = new Map<string | undefined, string | undefined>(
  `
  c k | q k | w v | x ks | y i | ce se | ch q | ci si | ck k | cy si | kh h | ph f | qu kv | sch w | sh w | shch w
  th t | ts c | tz c | zh j
  а a | б b | в v | г g | ґ g | д d | е e | є e | ж j | з z | и i | і i | ї i | й i | к k | л l | м m | н n | о o | п p
  р r | с s | т t | у u | ў u | ф f | х h | ц c | ч q | ш w | щ w | ъ - | ы i | ь - | э e | ю iu | я ia
`
    .trim()
    .split(/\s*[|\n]\s*/)
    .map((row) => row.split(" "))
    .map(([spelling, sound]) => [spelling, sound]),
);

const SPELLINGS = new RegExp(
  `${[...SOUNDS.keys()].sort((a = "", b = "") => b.length - a.length).join("|")}|.`,
  "gs",
);

/** Letters, and where each begins and ends in the original text. */
interface PlacedLetters {
  letters: string;
  starts: number[];
  ends: number[];
}

/** The coarse sound of normalised letters: equal for a word and its usual spelling in another alphabet. */
function soundsOf({ letters, starts, ends }: PlacedLetters): PlacedLetters {
  const heard: PlacedLetters = { letters: "", starts: [], ends: [] };
  for (const { 0: spelling, index } of letters.matchAll(SPELLINGS)) {
    const sound = SOUNDS.get(spelling) ?? spelling;
    const end = ends[index + spelling.length - 1] as number;
    // A silent letter belongs to the one before it.
    if (sound === "-") {
      if (heard.ends.length > 0) heard.ends[heard.ends.length - 1] = end;
      continue;
    }
    heard.letters += sound;
    for (let unit = 0; unit < sound.length; unit++) {
      heard.starts.push(starts[index] as number);
      heard.ends.push(end);
    }
  }
  return heard;
}
