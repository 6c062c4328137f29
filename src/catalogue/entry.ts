import type { Entry } from "./queries.ts";

/** A name of an entry in one language. */
export interface LocalName {
  locale: string;
  /** What the language is called in English; the locale itself where that is not known. */
  language: string;
  name: string;
}

const languages = new Intl.DisplayNames("en", { type: "language" });

/** The names of an entry that differ from its main one, in the order of their locales. */
export function otherNames({ name, names }: Pick<Entry, "name" | "names">): LocalName[] {
  return Object.entries(names)
    .filter(([, other]) => other !== name)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([locale, other]) => ({ locale, language: languageName(locale), name: other }));
}

/** The address of an entry's picture if a page may show it: https, or a path of this site. */
export function shownImage(image: string | null): string | undefined {
  if (image === null) return undefined;
  const here = "https://here.invalid";
  const url = URL.parse(image, image.startsWith("/") ? here : undefined);
  if (url?.protocol !== "https:") return undefined;
  // Spelled by a path, but read by browsers as another host: `//host`, `/\host`.
  if (image.startsWith("/") && url.origin !== here) return undefined;
  return image;
}

/** One sentence of an entry for search engines and link previews: its description's beginning, or its place. */
export function summariseEntry(entry: Entry, kindName: string): string {
  const description = (entry.description ?? "").replace(/\s+/g, " ").trim();
  if (description !== "") return shorten(`${entry.name}: ${description}`, 160);
  const category = entry.category === null ? "" : ` in ${entry.category}`;
  return shorten(`${entry.name}: ${kindName.toLowerCase()}${category}, with all of its data.`, 160);
}

function languageName(locale: string): string {
  try {
    return languages.of(locale) ?? locale;
  } catch {
    // Not a language tag: whatever the source calls it.
    return locale;
  }
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
