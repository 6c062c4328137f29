/** The names that a search shows of its hits, on the server and in the browser. */

import { nearestTag } from "../words/i18n/nearest-tag.ts";
import { otherLayouts } from "./layout.ts";
import { fold, markedParts, markedWords, type Nearness, nearParts, type Part } from "./marks.ts";

/** The part of a hit of the API that names depend on. */
export interface Found {
  name: string;
  names?: Record<string, string> | undefined;
  match: string;
}

export interface Name {
  /** For `lang`, where it is known. */
  lang: string | undefined;
  text: string;
}

/** A name as shown. */
export interface ShownName extends Name {
  parts: Part[];
}

/** A name as it is printed beside a hit. */
export interface PrintedName extends ShownName {
  /** Only those see it whose browser lists its language, see public/js/web/early.ts. */
  isSecond: boolean;
}

type PartsIn = (text: string, query: string) => Part[];

const FORGIVEN = new Set(["fuzzy", "layout", "transliteration"]);

/** Matches with errors, likeliest first. */
const NEAR: PartsIn[] = [
  (text, query) => nearParts(text, query, { whole: true }),
  (text, query) => partsBySound(text, query, { whole: true }),
  nearParts,
  partsBySound,
];
const WAYS: Record<string, PartsIn[] | undefined> = {
  fuzzy: NEAR,
  layout: [partsByKeys],
  transliteration: NEAR,
  form: [markedWords],
  partial: [markedWords],
};
/** For a name that has all words, and for one whose record has some of them elsewhere. */
const AS_TYPED: PartsIn[] = [markedParts, markedWords];

/** The best hit of a kind is likelier meant than its second; pairs of letters measure likeness. */
const LOOKED_AT = 3;

/**
 * The names of a hit, with the query marked: the one in the page's language (as `localName` chooses it), and the main
 * one if it differs. If neither explains the match, the matching name follows.
 */
export function namesToShow(hit: Found, query: string, language: string): [ShownName, ...ShownName[]] {
  const shown = ownNames(hit, language);
  const others = otherNames(hit, shown);
  for (const partsIn of WAYS[hit.match] ?? AS_TYPED) {
    const withParts = ({ lang, text }: Name) => ({ lang, text, parts: partsIn(text, query) });
    const named = shown.map(withParts) as [ShownName, ...ShownName[]];
    if (named.some(isMarked)) return named;
    const reason = others.map(withParts).find(isMarked);
    if (reason) return [...named, reason];
  }
  const unmarked = ({ lang, text }: Name) => ({ lang, text, parts: [{ text, marked: false }] });
  return shown.map(unmarked) as [ShownName, ...ShownName[]];
}

/**
 * The names to print for a hit: the first one, then the matching one if the first does not explain the match. The
 * main one follows for users who know its language too; without a known language it is left out.
 */
export function namesToPrint(hit: Found, query: string, language: string): PrintedName[] {
  const [first, ...others] = namesToShow(hit, query, language);
  const reason = isMarked(first) ? undefined : others.find(isMarked);
  return [
    { ...first, isSecond: false },
    ...others
      .map((name) => ({ ...name, isSecond: name !== reason }))
      .filter(({ lang, isSecond }) => lang !== undefined || !isSecond),
  ];
}

/**
 * The likely correction of a query that only forgiving classes matched: the same keys on another keyboard layout, or the
 * nearest name. Takes the best hits, best first. Undefined if something matched as typed, or only parts of the query.
 */
export function meantBy(hits: readonly Found[], query: string): Name | undefined {
  const whole = hits.filter(({ match }) => match !== "partial");
  const [first] = whole;
  if (!first || whole.some(({ match }) => !FORGIVEN.has(match))) return undefined;
  const names = allNames(first);
  if (first.match === "layout") return meantByKeys(names, query) ?? names[0];
  const isOfItsAlphabet = ({ text }: Name) => CYRILLIC.test(text) === CYRILLIC.test(query);
  if (first.match === "transliteration") return names.find((name) => !isOfItsAlphabet(name)) ?? names[0];
  const near = whole.slice(0, LOOKED_AT).flatMap(allNames);
  const inItsAlphabet = near.filter(isOfItsAlphabet);
  return nearest(inItsAlphabet.length > 0 ? inItsAlphabet : near, query);
}

/** The name that a reader sees first. */
export function firstName(hit: Found, language: string): string {
  return ownNames(hit, language)[0].text;
}

const LATIN = /\p{Script=Latin}/u;
const CYRILLIC = /\p{Script=Cyrillic}/u;

/** The name in the reader's language, and the main one if it differs. */
function ownNames({ name, names = {} }: Found, language: string): [Name, ...Name[]] {
  const locale = nearestTag(language, Object.keys(names));
  const localName = names[locale as string] ?? name;
  const local = { lang: locale ?? localeOf(name, names), text: localName };
  return name === localName ? [local] : [local, { lang: localeOf(name, names), text: name }];
}

function otherNames({ names = {} }: Pick<Found, "names">, shown: Name[]): Name[] {
  return Object.keys(names)
    .sort()
    .map((lang) => ({ lang, text: names[lang] as string }))
    .filter(({ text }) => shown.every((own) => own.text !== text));
}

/** Each name once, the main one first. */
function allNames({ name, names = {} }: Found): [Name, ...Name[]] {
  const main = { lang: localeOf(name, names), text: name };
  return [main, ...otherNames({ names }, [main])];
}

function isMarked({ parts }: ShownName): boolean {
  return hasMarks(parts);
}

function hasMarks(parts: Part[]): boolean {
  return parts.some(({ marked }) => marked);
}

/** Compares by sound only across alphabets: within one, similar sounds are chance. */
function partsBySound(text: string, query: string, options?: Nearness): Part[] {
  const isOther = [LATIN, CYRILLIC].some((alphabet) => alphabet.test(text) && !alphabet.test(query));
  return isOther ? nearParts(text, query, { ...options, bySound: true }) : [{ text, marked: false }];
}

/** Matches the keys of another layout, for the whole query or word by word. */
function partsByKeys(text: string, query: string): Part[] {
  const isIn = (reading: string) => hasMarks(markedParts(text, reading));
  const reading = otherLayouts(query).find(isIn);
  if (reading !== undefined) return markedParts(text, reading);
  const words = query.split(/\s+/).map((word) => [...otherWords(word), word].find(isIn) ?? "");
  return markedParts(text, words.join(" "));
}

/** A word on other layouts; punctuation at its ends may be letters there. */
function otherWords(word: string): string[] {
  return [word, word.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, "")].flatMap(otherLayouts);
}

/** The query on the layout that matches a name, in that name's language. */
function meantByKeys(names: Name[], query: string): Name | undefined {
  for (const text of otherLayouts(query)) {
    const found = names.find((name) => hasMarks(markedParts(name.text, text)));
    if (found) return { lang: found.lang, text };
  }
  return undefined;
}

function localeOf(name: string, names: Record<string, string>): string | undefined {
  return Object.keys(names).find((locale) => names[locale] === name);
}

function nearest(names: Name[], query: string): Name | undefined {
  const typed = fold(query).replaceAll(" ", "");
  const likeness = ({ text }: Name) => {
    // Compares only as many letters as were typed.
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

function pairsOf(letters: string): string[] {
  return Array.from({ length: Math.max(0, letters.length - 1) }, (_, at) => letters.slice(at, at + 2));
}
