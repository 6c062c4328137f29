import type { ParseKeys } from "i18next";
import { FALLBACK, type Language } from "./languages.ts";
import { translate } from "./translate.ts";

/** A text that is not written in a language yet: its key, and the values that it takes in. */
export interface Said {
  readonly key: ParseKeys;
  readonly values: Readonly<Record<string, string | number>>;
}

/** A text that is written already, one that is not, or several sentences that follow each other. */
export type Sayable = string | Said | readonly Sayable[];

/** A text to be said in any language later. */
export function said(key: ParseKeys, values: Said["values"] = {}): Said {
  return { key, values };
}

/** Says it in a language. */
export function say(text: Sayable, language: Language = FALLBACK): string {
  if (typeof text === "string") return text;
  if (isList(text)) return text.map((each) => say(each, language)).join(" ");
  // The values of a key that is chosen when the site runs cannot be checked by the compiler.
  const sayKey = translate(language) as (key: string, values: Said["values"]) => string;
  return sayKey(text.key, text.values);
}

/** `said` as the message of a zod check, which has to be a string; `readMessage` is the way back. */
export function saidAsMessage(key: ParseKeys, values: Said["values"] = {}): string {
  return JSON.stringify(said(key, values));
}

/** What the message of a zod issue says; zod's own messages stay as they are. */
export function readMessage(message: string): string | Said {
  return message.startsWith('{"key":') ? JSON.parse(message) : message;
}

function isList(text: Said | readonly Sayable[]): text is readonly Sayable[] {
  return Array.isArray(text);
}
