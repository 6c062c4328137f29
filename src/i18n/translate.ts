import { readFileSync } from "node:fs";
import path from "node:path";
import { createInstance, type TFunction } from "i18next";
import type en from "./en.json";
import { LANGUAGES, type Language } from "./languages.ts";

declare module "i18next" {
  /** Keys are checked where they are used in TypeScript; test/i18n.test.ts looks at templates and scripts too. */
  interface CustomTypeOptions {
    resources: { translation: typeof en };
  }
}

/** Puts a text of one language together: `t("mail.digest.subject", { count: 5 })`. */
export type Translate = TFunction;

/** Texts by their keys, nested as in their file. */
export interface Texts {
  readonly [key: string]: string | Texts;
}

/** An instance of its own: the library's global one belongs to nobody in particular. */
const texts = createInstance({
  resources: Object.fromEntries(
    LANGUAGES.map((language) => [language, { translation: readTexts(language) }]),
  ),
  // A text that is missing is a fault that must show itself, not a reason to mix two languages or to mail a key.
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

/** The whole file of a language. */
export function readTexts(language: Language): Texts {
  return JSON.parse(readFileSync(path.join(import.meta.dirname, `${language}.json`), "utf8"));
}
