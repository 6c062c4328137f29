import { FALLBACK, type Language } from "../words/i18n/languages.ts";
import { localName } from "../words/i18n/local-name.ts";
import { textLanguage } from "./text-language.ts";

/** The titles of a discount. */
export interface Titled {
  /** For users whose language has none; null without any title. */
  readonly title: string | null;
  /** Titles by locale; null if the discount was removed. */
  readonly titles: Record<string, string> | null;
}

/**
 * The title of a discount in the language of a page, else its main one, with its language, if known. Undefined without
 * any.
 */
export function shownTitle({ title, titles, demo }: Titled & { demo?: boolean | null }, language: Language) {
  if (title === null) return undefined;
  const { name, lang } = localName({ name: title, names: titles }, language);
  return { text: name, lang: lang ?? textLanguage({ demo: demo === true }) };
}

/** `shownTitle` for views. */
export function titlesIn(language: Language) {
  return (discount: Titled & { demo?: boolean | null }) => shownTitle(discount, language);
}

/** A discount with these titles; its main title is that of the site's first language, else the first. */
export function titledBy(titles: Record<string, string>): {
  title: string | null;
  titles: Record<string, string>;
} {
  const [first] = Object.values(titles);
  return { title: titles[FALLBACK] ?? first ?? null, titles };
}
