import type { Language } from "../i18n/languages.ts";
import { localName } from "../i18n/local-name.ts";
import type { Translate } from "../i18n/translate.ts";
import type { Entry } from "./entry-queries.ts";

/** How a page for readers of one language calls an entry. */
export interface EntryNames {
  /** The heading. */
  shown: { name: string; lang: string | undefined };
  /**
   * All others: the main name first, then by their locales. `language` is what the reader's language calls theirs; of a
   * main name that no locale has it is not known, nor is `lang`.
   */
  others: { lang: string; language: string | undefined; name: string }[];
}

/** The names of an entry for readers of one language. */
export function describeNames(
  { name, names }: Pick<Entry, "name" | "names">,
  language: Language,
): EntryNames {
  const local = localName({ name, names }, language);
  const isOriginal = (other: string) => other === name;
  const others = Object.entries(names)
    .filter(([, other]) => other !== local.name)
    .sort(([a, one], [b, two]) => Number(isOriginal(two)) - Number(isOriginal(one)) || (a < b ? -1 : 1))
    .map(([lang, other]) => ({ lang, language: languageWord(lang, language), name: other }));
  const isListed = isOriginal(local.name) || others.some((other) => isOriginal(other.name));
  return {
    shown: { name: local.name, lang: local.lang },
    others: isListed ? others : [{ lang: "", language: undefined, name }, ...others],
  };
}

/** What a language is called in another one, as within a sentence: `German`, but `немецкий`. */
export function languageWord(tag: string, inLanguage: Language): string {
  try {
    return new Intl.DisplayNames(inLanguage, { type: "language" }).of(tag) ?? tag;
  } catch {
    // Not a language tag: whatever the source calls it.
    return tag;
  }
}

/** One sentence of an entry for search engines and link previews: its description's beginning, or what its page holds. */
export function summariseEntry(
  { category, ...entry }: Pick<Entry, "category" | "description">,
  { name, kind }: { name: string; kind: string },
  t: Translate,
): string {
  const description = (entry.description ?? "").replace(/\s+/g, " ").trim();
  if (description !== "") return shorten(`${name}: ${description}`, 160);
  const text =
    category === null
      ? t("catalogue.entry.summary", { name, kind })
      : t("catalogue.entry.summary_category", { name, kind, category });
  return shorten(text, 160);
}

/** By code points, so that no character is cut in half. */
function shorten(text: string, length: number): string {
  const characters = [...text];
  return characters.length <= length
    ? text
    : `${characters
        .slice(0, length - 1)
        .join("")
        .trimEnd()}…`;
}
