/**
 * Where in a name the letters are that were typed: the same on the server and in the browser. Names are compared as
 * the search does (src/search/normalise.ts), letter by letter, so that each is found again in the name as it stands.
 */

import { ACCENTS, PLAIN, UNSEEN } from "./search-letters.js";
import { nearRanges } from "./search-near.js";
import { soundsOf } from "./search-sounds.js";

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

const known = new Map();

export function fold(text) {
  return foldWithPlaces(text).letters;
}

export function markedParts(text, query) {
  const name = foldWithPlaces(text);
  const typed = fold(query);
  return partsOf(text, name, typed === "" ? [] : rangesOf(name.letters, typed));
}

export function nearParts(text, query, { bySound = false, whole = false } = {}) {
  const [name, typed] = [text, query].map((each) => {
    const folded = foldWithPlaces(each);
    return bySound ? soundsOf(folded) : folded;
  });
  return partsOf(text, name, typed.letters === "" ? [] : nearRanges(name.letters, typed.letters, whole));
}

/** What was typed as it stands, else word by word; in look-alike letters where those of the alphabet are not there. */
function rangesOf(name, typed) {
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

/** The text in parts, those of its folded letters marked that are in a range. */
function partsOf(text, { starts, ends }, ranges) {
  const parts = [];
  let at = 0;
  // Two letters of a sound may be one of the text: joined again once they are back there.
  for (const [from, to] of joined(joined(ranges).map(([from, to]) => [starts[from], ends[to - 1]]))) {
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
