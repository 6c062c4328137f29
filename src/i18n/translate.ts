import { createInstance, type TFunction } from "i18next";
import en from "./en.json" with { type: "json" };
import ru from "./ru.json" with { type: "json" };

declare module "i18next" {
  /** Keys are checked where they are used in TypeScript; test/i18n.test.ts looks at the templates too. */
  interface CustomTypeOptions {
    resources: { translation: typeof en };
  }
}

/** The languages that the site writes in, each with its name in itself. */
export const LANGUAGES = { en: "English", ru: "Русский" } as const;

export type Language = keyof typeof LANGUAGES;

/** Who told no language, or one of which there are no texts, is written to in this one. */
const FALLBACK: Language = "en";

/** An instance of its own: the library's global one belongs to nobody in particular. */
const texts = createInstance({
  resources: { en: { translation: en }, ru: { translation: ru } },
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

/** The language to write in for what a user told, if anything. */
export function languageFor(told: string | null): Language {
  return told !== null && Object.hasOwn(LANGUAGES, told) ? (told as Language) : FALLBACK;
}

/** The texts of one language: `translate("ru")("mail.digest.subject", { count: 5 })`, with its plural forms. */
export function translate(language: Language): TFunction {
  return texts.getFixedT(language);
}
