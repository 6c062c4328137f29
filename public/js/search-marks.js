/**
 * Where in a name the letters are that were typed: the same on the server and in the browser. Names are compared as
 * the search does (src/search/normalise.ts), letter by letter, so that each is found again in the name as it stands.
 */

import { ACCENTS, PLAIN, UNSEEN } from "./search-letters.js";

/** A letter with its accents, or accents alone. */
const LETTERS = /\P{M}\p{M}*|\p{M}+/gu;
const BETWEEN_WORDS = /[^\p{L}\p{N}\p{M}\p{So}]|[\u02b9-\u02bf\u02c8]/u;

/** Letters that look like one another in two alphabets: the Latin e in a Russian word. */
const ALIKE = new Map(
  Array.from("авсенһіјкмоԛрѕтԝхуαβεζηικμνορτυχ", (letter, index) => [
    letter,
    "abcehhijkmoqpstwxyabezhikmnoptyx".charAt(index),
  ]),
);

/** Inside a word it is there by chance. */
const A_LETTER = /^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}]$/u;

/** Fewer letters are in a name by chance. */
const LEAST_LETTERS = 3;

const known = new Map();

export function fold(text) {
  return foldWithPlaces(text).letters;
}

export function markedParts(text, query, { partly = false } = {}) {
  const name = foldWithPlaces(text);
  const typed = fold(query);
  const ranges = typed === "" ? [] : rangesOf(name.letters, typed, partly);
  return cut(
    text,
    joined(ranges).map(([from, to]) => [name.starts[from], name.ends[to - 1]]),
  );
}

/** Where what was typed is: as it stands, else word by word; in look-alike letters where those of the alphabet are not there. */
function rangesOf(name, typed, partly) {
  if (partly) return joinedWords(name, typed) ?? heldWords(name, typed);
  return asTyped(name, typed) ?? asTyped(alike(name), alike(typed)) ?? [];
}

function asTyped(name, typed) {
  const at = ` ${name}`.indexOf(` ${typed}`);
  return at < 0 ? everyWord(name, typed) : [[at, at + typed.length]];
}

/** Each word at the beginning of a word, best of one that no other is in, else inside one, unless it is a single letter; undefined where one is nowhere. */
function everyWord(name, typed) {
  const words = typed.split(" ");
  const different = words.filter(
    (word, at) => !words.some((other, i) => i !== at && other.startsWith(word) && (other !== word || i < at)),
  );
  const ranges = [];
  for (const word of different.sort((a, b) => b.length - a.length)) {
    const at = beginningOf(name, word, ranges);
    if (at < 0) return undefined;
    ranges.push([at, at + word.length]);
  }
  return ranges;
}

function beginningOf(name, word, taken) {
  const isFree = (at) => !taken.some(([from, to]) => at < to && at + word.length > from);
  const begins = places(` ${name}`, ` ${word}`);
  const begun = begins.find(isFree) ?? begins[0];
  if (begun !== undefined || A_LETTER.test(word)) return begun ?? -1;
  return places(name, word).find(isFree) ?? name.indexOf(word);
}

function places(text, part) {
  const found = [];
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + 1)) found.push(at);
  return found;
}

/** Whole words, or long beginnings of them, of what was typed with an error elsewhere. */
function heldWords(name, typed) {
  const words = typed.split(" ").filter((word) => word.length >= LEAST_LETTERS);
  return words.flatMap((word) => {
    const at = ` ${name}`.indexOf(` ${word}`);
    return at < 0 ? [] : [[at, at + word.length]];
  });
}

/** Words typed as one, or one as several: `nrg500` is NRG-500. */
function joinedWords(name, typed) {
  const letters = typed.replaceAll(" ", "");
  if (letters.length < LEAST_LETTERS) return undefined;
  for (const start of [0, ...places(name, " ").map((at) => at + 1)]) {
    let [at, read] = [start, 0];
    for (; at < name.length && read < letters.length; at++) {
      if (name[at] === " ") continue;
      if (name[at] !== letters[read]) break;
      read++;
    }
    if (read === letters.length) return [[start, at]];
  }
  return undefined;
}

function alike(letters) {
  return Array.from({ length: letters.length }, (_, at) => ALIKE.get(letters[at]) ?? letters[at]).join("");
}

/** In order, and one of those that touch or overlap. */
function joined(ranges) {
  const result = [];
  for (const [from, to] of ranges.sort((a, b) => a[0] - b[0])) {
    const last = result.at(-1);
    if (last && from <= last[1]) last[1] = Math.max(last[1], to);
    else result.push([from, to]);
  }
  return result;
}

function cut(text, ranges) {
  const parts = [];
  let at = 0;
  for (const [from, to] of ranges) {
    if (from > at) parts.push({ text: text.slice(at, from), marked: false });
    parts.push({ text: text.slice(from, to), marked: true });
    at = to;
  }
  if (at < text.length || parts.length === 0) parts.push({ text: text.slice(at), marked: false });
  return parts;
}

/** A text as names are compared, and for each of its letters where the one that it comes from begins and ends. */
function foldWithPlaces(text) {
  const [starts, ends] = [[], []];
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

function foldLetter(letter) {
  const before = known.get(letter);
  if (before !== undefined) return before;
  const folded = letter
    .normalize("NFKC")
    .toLowerCase()
    .replace(UNSEEN, "")
    .normalize("NFC")
    .replace(/[^й]+/g, (letters) => letters.normalize("NFD").replace(ACCENTS, ""))
    .normalize("NFC")
    .replace(/./gu, (plain) => PLAIN[plain] ?? plain);
  known.set(letter, folded);
  return folded;
}
