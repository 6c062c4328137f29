/**
 * Marks the typed letters in names, on the server and in the browser. Compares names as the search does (normalise.ts),
 * but letter by letter, so that each letter is found in the original name.
 */

import { abbreviatedBy, foldLetters } from "./letters.ts";
import { nearRanges, type PlacedLetters, type Range, soundsOf } from "./near-marks.ts";
import { stem } from "./word-forms.ts";

/** A letter with its accents, or accents alone. */
const LETTERS = /\P{M}\p{M}*|\p{M}+/gu;
const BETWEEN_WORDS = /[^\p{L}\p{N}\p{M}\p{So}]|[\u02b9-\u02bf\u02c8]/u;

/** Letters that look alike in two alphabets: the Latin e in a Russian word. */
const ALIKE = new Map<string | undefined, string>(
  Array.from("авсенһіјкмоԛрѕтԝхуαβεζηικμνορτυχ", (letter, index) => [
    letter,
    "abcehhijkmoqpstwxyabezhikmnoptyx".charAt(index),
  ]),
);

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
  return asTyped(name, typed) ?? asTyped(alike(name), alike(typed)) ?? [];
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

function alike(letters: string): string {
  return letters.replace(/./gs, (letter) => ALIKE.get(letter) ?? letter);
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
