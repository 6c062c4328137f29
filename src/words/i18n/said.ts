import type { ParseKeys } from "i18next";
import { FALLBACK, type Language } from "./languages.ts";
import { translate } from "./translate.ts";

/** A text before translation: its key and values. */
export interface Said {
  readonly key: ParseKeys;
  /** Values that are texts themselves are translated first. */
  readonly values: Readonly<Record<string, string | number | Said>>;
}

/** A finished text, one to be translated, or several sentences in a row. */
export type Sayable = string | Said | readonly Sayable[];

/** A text to be translated later. */
export function said(key: ParseKeys, values: Said["values"] = {}): Said {
  return { key, values };
}

export function say(text: Sayable, language: Language = FALLBACK): string {
  if (typeof text === "string") return text;
  if (isList(text)) return text.map((each) => say(each, language)).join(" ");
  const values = Object.entries(text.values).map(([name, value]) => [
    name,
    typeof value === "object" ? say(value, language) : value,
  ]);
  // The compiler cannot check the values of a key that is only known at run time.
  const sayKey = translate(language) as (key: string, values: Record<string, string | number>) => string;
  return sayKey(text.key, Object.fromEntries(values));
}

/** `said` as the message of a zod check, which must be a string; `readMessage` is the inverse. */
export function saidAsMessage(key: ParseKeys, values: Said["values"] = {}): string {
  return JSON.stringify(said(key, values));
}

/** The text of a zod issue; zod's own messages stay as they are. */
export function readMessage(message: string): string | Said {
  return message.startsWith('{"key":') ? JSON.parse(message) : message;
}

function isList(text: Said | readonly Sayable[]): text is readonly Sayable[] {
  return Array.isArray(text);
}
