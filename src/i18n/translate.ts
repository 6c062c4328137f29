import { readFileSync } from "node:fs";
import path from "node:path";
import { createInstance } from "i18next";
import { completeTexts, type Texts } from "./complete.ts";
import { FALLBACK, LANGUAGES, type Language } from "./languages.ts";
import type { Translate } from "./translator.ts";

export type { Translate } from "./translator.ts";

const whole = readTexts(FALLBACK);
const complete = new Map(
  LANGUAGES.map((language) => [language, completeTexts(language, readTexts(language), whole)]),
);

/** An instance of its own: the library's global one belongs to nobody in particular. */
const texts = createInstance({
  resources: Object.fromEntries(LANGUAGES.map((language) => [language, { translation: textsIn(language) }])),
  // What a file lacks is filled in above; a key that is in no file must show itself, not be mailed.
  fallbackLng: false,
  parseMissingKeyHandler: (key) => {
    throw new Error(`no text has the key ${key}`);
  },
  missingInterpolationHandler: (text) => {
    throw new Error(`a value is missing in: ${text}`);
  },
  // Templates escape what they put out; to do it twice would show `&amp;`.
  interpolation: { escapeValue: false },
  initAsync: false,
});
texts.init();

const translators = new Map(LANGUAGES.map((language) => [language, texts.getFixedT(language)]));

/** The texts of one language: `translate("ru")("mail.digest.subject", { count: 5 })`, with its plural forms. */
export function translate(language: Language): Translate {
  const translator = translators.get(language);
  if (!translator) throw new Error(`there are no texts in ${language}`);
  return translator;
}

/** All texts of a language: what its file lacks is in English. */
export function textsIn(language: Language): Texts {
  return completeOf(language).texts;
}

/** The keys of the texts that a language's file lacks or cannot mean. */
export function missingTexts(language: Language): readonly string[] {
  return completeOf(language).missing;
}

function completeOf(language: Language) {
  const found = complete.get(language);
  if (!found) throw new Error(`there are no texts in ${language}`);
  return found;
}

function readTexts(language: Language): Texts {
  const file = path.join(import.meta.dirname, `${language}.json`);
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (cause) {
    throw new Error(`${file} is not JSON: ${cause instanceof Error ? cause.message : cause}`, { cause });
  }
}
