import type { ParseKeys } from "i18next";
import { FALLBACK, type Language } from "./languages.ts";
import { translate } from "./translate.ts";

/** A text before translation: its key and values. */
export interface LazyText {
  readonly key: ParseKeys;
  /** Values that are texts themselves are translated first; semicolons go between those of a list. */
  readonly values: Readonly<Record<string, string | number | LazyText | readonly (string | LazyText)[]>>;
}

/** A finished text, one to be translated, or several sentences in a row. */
export type Translatable = string | LazyText | readonly Translatable[];

/** A text to be translated later. */
export function lazyText(key: ParseKeys, values: LazyText["values"] = {}): LazyText {
  return { key, values };
}

export function translateText(text: Translatable, language: Language = FALLBACK): string {
  if (typeof text === "string") return text;
  if (isList(text)) return text.map((each) => translateText(each, language)).join(" ");
  const values = Object.entries(text.values).map(([name, value]) => [
    name,
    typeof value === "object"
      ? [value]
          .flat()
          .map((each) => translateText(each, language))
          .join("; ")
      : value,
  ]);
  // The compiler cannot check the values of a key that is only known at run time.
  const sayKey = translate(language) as (key: string, values: Record<string, string | number>) => string;
  return sayKey(text.key, Object.fromEntries(values));
}

/** An error that people read: its message is English, `said` is for any language. */
export class SaidError extends Error {
  readonly said: Translatable;
  constructor(said: Translatable, options?: ErrorOptions) {
    super(translateText(said), options);
    this.said = said;
  }
}

/** A lazy text as the message of a zod check, which must be a string; `parseZodMessage` is the inverse. */
export function zodMessage(key: ParseKeys, values: LazyText["values"] = {}): string {
  return JSON.stringify(lazyText(key, values));
}

/** The text of a zod issue; zod's own messages stay as they are. */
export function parseZodMessage(message: string): string | LazyText {
  return message.startsWith('{"key":') ? JSON.parse(message) : message;
}

function isList(text: LazyText | readonly Translatable[]): text is readonly Translatable[] {
  return Array.isArray(text);
}
