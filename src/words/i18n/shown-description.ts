import type { Language } from "./languages.ts";
import { localName } from "./local-name.ts";

/** A record's descriptions by language. */
export interface Described {
  readonly description: string | null;
  /** Locale to text. */
  readonly descriptions: Record<string, string>;
}

/** The description of a record for readers of one language, else its main one; `lang` is its language, if known. */
export function shownDescription(
  { description, descriptions }: Described,
  language: Language,
): { text: string | null; lang: string | undefined } {
  const { name, lang } = localName({ name: description ?? "", names: descriptions }, language);
  return { text: name === "" ? null : name, lang };
}
