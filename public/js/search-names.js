/** What a search shows of what it found: the same on the server and in the browser. */

import { otherLayouts } from "./search-layout.js";
import { fold, markedParts } from "./search-marks.js";

const FORGIVEN = new Set(["fuzzy", "layout", "transliteration"]);

/** The best hit of a kind says what was meant better than its second; letters in pairs tell how near it is. */
const LOOKED_AT = 3;

export function namesToShow({ name, names = {}, match }, query, language) {
  const [locale] = nearestLocale(names, language);
  const localName = names[locale] ?? name;
  const shown = [{ lang: locale ?? localeOf(name, names), text: localName }];
  if (name !== localName) shown.push({ lang: localeOf(name, names), text: name });
  const marked = shown.map((each) => withMarks(each, query, match));
  if (marked.some(isMarked)) return marked;
  const others = Object.keys(names)
    .sort()
    .filter((lang) => shown.every(({ text }) => text !== names[lang]))
    .map((lang) => withMarks({ lang, text: names[lang] }, query, match));
  const reason = others.find(isMarked);
  return reason ? [...marked, reason] : marked;
}

export function meantBy(hits, query) {
  const [first] = hits;
  if (!first || hits.some(({ match }) => !FORGIVEN.has(match))) return undefined;
  if (first.match === "layout") return meantByKeys(first, query) ?? first.name;
  const isOfItsAlphabet = (text) => CYRILLIC.test(text) === CYRILLIC.test(query);
  if (first.match === "transliteration") {
    return allNames(first).find((text) => !isOfItsAlphabet(text)) ?? first.name;
  }
  const names = hits.slice(0, LOOKED_AT).flatMap(allNames);
  const inItsAlphabet = names.filter(isOfItsAlphabet);
  return nearest(inItsAlphabet.length > 0 ? inItsAlphabet : names, query);
}

export function isForgiven(match) {
  return FORGIVEN.has(match);
}

const CYRILLIC = /\p{Script=Cyrillic}/u;

function withMarks({ lang, text }, query, match) {
  if (match !== "layout") {
    return { lang, text, parts: markedParts(text, query, { partly: FORGIVEN.has(match) }) };
  }
  const readings = otherLayouts(query).map((reading) => ({ lang, text, parts: markedParts(text, reading) }));
  return readings.find(isMarked) ?? { lang, text, parts: [{ text, marked: false }] };
}

function isMarked({ parts }) {
  return parts.some(({ marked }) => marked);
}

/** The keys as they read on the layout that finds the name. */
function meantByKeys(hit, query) {
  return otherLayouts(query).find((reading) =>
    allNames(hit).some((text) => markedParts(text, reading).some(({ marked }) => marked)),
  );
}

function allNames({ name, names = {} }) {
  return [...new Set([name, ...Object.values(names)])];
}

/** `pt` is answered by `pt`, else by the first of `pt-BR` and the like. */
function nearestLocale(names, language) {
  const locales = Object.keys(names).sort();
  return [locales.find((tag) => tag === language) ?? locales.find((tag) => tag.startsWith(`${language}-`))];
}

function localeOf(name, names) {
  return Object.keys(names).find((locale) => names[locale] === name);
}

function nearest(names, query) {
  const typed = fold(query).replaceAll(" ", "");
  const likeness = (text) => {
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
