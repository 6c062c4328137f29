import type { ParseKeys } from "i18next";
import { FALLBACK, type Language } from "./languages.ts";
import { translate } from "./translate.ts";

/** A text that is not written in a language yet: its key, and the values that it takes in. */
export interface Said {
  readonly key: ParseKeys;
  readonly values: Readonly<Record<string, string | number>>;
}

/** What could be said in any language, for where only a text fits: the message of a zod check, say. */
export function said(key: ParseKeys, values: Said["values"] = {}): string {
  return JSON.stringify({ key, values });
}

/** What `said` was called with; undefined for a text that is none of its. */
export function readSaid(text: string): Said | undefined {
  if (!text.startsWith('{"key":')) return undefined;
  return JSON.parse(text);
}

/** Several texts of `said` as one: sentences that follow each other. */
export function saidTogether(texts: readonly string[]): string {
  return JSON.stringify({ texts });
}

/** A text as it is, or what `said` or `saidTogether` made, said in a language. */
export function spoken(text: string, language: Language = FALLBACK): string {
  if (text.startsWith('{"texts":')) {
    const { texts }: { texts: string[] } = JSON.parse(text);
    return texts.map((each) => spoken(each, language)).join(" ");
  }
  const found = readSaid(text);
  return found ? say(found, language) : text;
}

/** Says it in a language. */
export function say({ key, values }: Said, language: Language = FALLBACK): string {
  // The values of a key that is chosen when the site runs cannot be checked by the compiler.
  const text = translate(language) as (key: string, values: Said["values"]) => string;
  return text(key, values);
}
