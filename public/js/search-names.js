/** What a search shows of what it found: the same on the server and in the browser. */

import { otherLayouts } from "./search-layout.js";
import { fold, markedParts, nearParts } from "./search-marks.js";

const FORGIVEN = new Set(["fuzzy", "layout", "transliteration"]);

/** How a name may come to answer what was typed with an error, the likeliest first: what is left over is in none. */
const NEAR = [
  (text, query) => nearParts(text, query, { whole: true }),
  (text, query) => partsBySound(text, query, { whole: true }),
  nearParts,
  partsBySound,
];
const WAYS = { fuzzy: NEAR, layout: [partsByKeys], transliteration: NEAR };

/** The best hit of a kind says what was meant better than its second; letters in pairs tell how near it is. */
const LOOKED_AT = 3;

export function namesToShow(hit, query, language) {
  const shown = ownNames(hit, language);
  const others = otherNames(hit, shown);
  for (const partsIn of WAYS[hit.match] ?? [markedParts]) {
    const withParts = ({ lang, text }) => ({ lang, text, parts: partsIn(text, query) });
    const named = shown.map(withParts);
    if (named.some(isMarked)) return named;
    const reason = others.map(withParts).find(isMarked);
    if (reason) return [...named, reason];
  }
  return shown.map(({ lang, text }) => ({ lang, text, parts: [{ text, marked: false }] }));
}

export function meantBy(hits, query) {
  const [first] = hits;
  if (!first || hits.some(({ match }) => !FORGIVEN.has(match))) return undefined;
  const names = allNames(first);
  if (first.match === "layout") return meantByKeys(names, query) ?? names[0];
  const isOfItsAlphabet = ({ text }) => CYRILLIC.test(text) === CYRILLIC.test(query);
  if (first.match === "transliteration") return names.find((name) => !isOfItsAlphabet(name)) ?? names[0];
  const near = hits.slice(0, LOOKED_AT).flatMap(allNames);
  const inItsAlphabet = near.filter(isOfItsAlphabet);
  return nearest(inItsAlphabet.length > 0 ? inItsAlphabet : near, query);
}

export function isForgiven(match) {
  return FORGIVEN.has(match);
}

const LATIN = /\p{Script=Latin}/u;
const CYRILLIC = /\p{Script=Cyrillic}/u;

/** The name in the reader's language, and the main one where that is another. */
function ownNames({ name, names = {} }, language) {
  const locale = nearestLocale(names, language);
  const localName = names[locale] ?? name;
  const local = { lang: locale ?? localeOf(name, names), text: localName };
  return name === localName ? [local] : [local, { lang: localeOf(name, names), text: name }];
}

function otherNames({ names = {} }, shown) {
  return Object.keys(names)
    .sort()
    .filter((lang) => shown.every(({ text }) => text !== names[lang]))
    .map((lang) => ({ lang, text: names[lang] }));
}

/** Each name once, the main one first. */
function allNames({ name, names = {} }) {
  const main = { lang: localeOf(name, names), text: name };
  return [main, ...otherNames({ names }, [main])];
}

function isMarked({ parts }) {
  return hasMarks(parts);
}

function hasMarks(parts) {
  return parts.some(({ marked }) => marked);
}

/** Only where the alphabets differ: in one, words of another spelling sound alike by chance. */
function partsBySound(text, query, options) {
  const isOther = [LATIN, CYRILLIC].some((alphabet) => alphabet.test(text) && !alphabet.test(query));
  return isOther ? nearParts(text, query, { ...options, bySound: true }) : [{ text, marked: false }];
}

/** What the keys would have given on another layout: all of them, or of each word those that are in the name. */
function partsByKeys(text, query) {
  const isIn = (reading) => hasMarks(markedParts(text, reading));
  const reading = otherLayouts(query).find(isIn);
  if (reading !== undefined) return markedParts(text, reading);
  const words = query.split(/\s+/).map((word) => [...otherWords(word), word].find(isIn) ?? "");
  return markedParts(text, words.join(" "));
}

/** A word on the other layouts, where punctuation at its ends may be letters or punctuation there too. */
function otherWords(word) {
  return [word, word.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, "")].flatMap(otherLayouts);
}

/** The keys as they read on the layout that finds a name, in that name's language. */
function meantByKeys(names, query) {
  for (const text of otherLayouts(query)) {
    const found = names.find((name) => hasMarks(markedParts(name.text, text)));
    if (found) return { lang: found.lang, text };
  }
  return undefined;
}

/** `pt-BR` is answered by `pt-BR`, else by `pt`, else by `pt-PT`; the same as src/i18n/nearest-tag.ts. */
function nearestLocale(names, language) {
  const locales = Object.keys(names).sort();
  const parts = language.toLowerCase().split("-");
  for (let length = parts.length; length > 0; length -= 1) {
    const range = parts.slice(0, length).join("-");
    const same = locales.find((tag) => tag.toLowerCase() === range);
    const found = same ?? locales.find((tag) => tag.toLowerCase().startsWith(`${range}-`));
    if (found !== undefined) return found;
  }
  return undefined;
}

function localeOf(name, names) {
  return Object.keys(names).find((locale) => names[locale] === name);
}

function nearest(names, query) {
  const typed = fold(query).replaceAll(" ", "");
  const likeness = ({ text }) => {
    // As far as it was typed: the rest of a name may still come.
    const pairs = pairsOf(
      fold(text)
        .replaceAll(" ", "")
        .slice(0, typed.length + 1),
    );
    const common = pairsOf(typed).filter((pair) => pairs.includes(pair)).length;
    return common / Math.max(1, pairs.length);
  };
  return names.reduce((best, each) => (likeness(each) > likeness(best) ? each : best));
}

function pairsOf(letters) {
  return Array.from({ length: Math.max(0, letters.length - 1) }, (_, at) => letters.slice(at, at + 2));
}
