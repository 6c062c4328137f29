import { readFileSync } from "node:fs";
import { createInstance } from "i18next";
import { completeTexts, findOddText, type Texts } from "./complete.ts";
import type en from "./en.json";
import { isolated } from "./isolate.ts";
import { FALLBACK, LANGUAGES, type Language, LanguageError, listLanguageFiles } from "./languages.ts";
import type { Translate } from "./translator.ts";

export type { Translate } from "./translator.ts";

/** The texts of the fallback language; its keys are the valid keys of all languages. */
export const TEXTS = readTexts(listLanguageFiles(FALLBACK)[0] as string) as typeof en;
const complete = new Map(LANGUAGES.map((language) => [language, completeAll(language)]));

/** A separate instance, as the library's global one is shared. */
const texts = createInstance({
  resources: Object.fromEntries(LANGUAGES.map((language) => [language, { translation: textsIn(language) }])),
  // Missing texts are filled in above; an unknown key must throw, so that it is not sent in a mail.
  fallbackLng: false,
  parseMissingKeyHandler: (key) => {
    throw new Error(`no text has the key ${key}`);
  },
  missingInterpolationHandler: (text) => {
    throw new Error(`a value is missing in: ${text}`);
  },
  // Templates escape HTML already; twice would show `&amp;`.
  interpolation: { escapeValue: true, escape: isolated },
  initAsync: false,
});
texts.init();

const translators = new Map(LANGUAGES.map((language) => [language, texts.getFixedT(language)]));

/** The texts of one language: `translate("ru")("mail.digest.subject", { count: 5 })`. */
export function translate(language: Language): Translate {
  return inLanguage(translators, language);
}

/** Sets the texts of the operator's own kinds, by language and kind, as `kinds.<kind>`. Other kinds keep theirs. */
export function setKindTexts(kinds: ReadonlyMap<Language, Readonly<Record<string, Texts>>>): void {
  for (const language of LANGUAGES) {
    const all = { ...texts.getResource(language, "translation", "kinds"), ...kinds.get(language) };
    texts.addResourceBundle(language, "translation", { kinds: all }, false, true);
  }
}

/** All texts of a language, with English where its file lacks one. */
export function textsIn(language: Language): Texts {
  return inLanguage(complete, language).texts;
}

/** The keys of texts that a language's file lacks or has with wrong values. */
export function missingTexts(language: Language): readonly string[] {
  return inLanguage(complete, language).missing;
}

function inLanguage<Value>(values: ReadonlyMap<Language, Value>, language: Language): Value {
  const found = values.get(language);
  if (found === undefined) throw new Error(`there are no texts in ${language}`);
  return found;
}

/** A text that the operator's file lacks is the site's own in that language, else English. */
function completeAll(language: Language) {
  const [first = {}, own] = listLanguageFiles(language).map(readTexts);
  const complete = completeTexts(language, first, TEXTS);
  return own ? { ...complete, texts: completeTexts(language, own, complete.texts).texts } : complete;
}

/** @throws LanguageError that names the file, and the key where one is wrong */
function readTexts(file: string): Texts {
  const texts = parseTexts(file);
  const odd = findOddText(texts);
  if (odd === undefined) return texts as Texts;
  const wrong = odd === "" ? "must be an object of texts" : `${odd} must be a text or an object of texts`;
  throw new LanguageError(`${file}: ${wrong}`);
}

function parseTexts(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, "utf8").replace(/^\uFEFF/, ""));
  } catch (cause) {
    const reason = (cause instanceof Error ? cause.message : String(cause)).replaceAll(/\s+/g, " ");
    throw new LanguageError(`${file} is not JSON: ${reason}`, { cause });
  }
}
