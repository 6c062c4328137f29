import { FALLBACK, type Language } from "../i18n/languages.ts";
import { nearestTag } from "../i18n/nearest-tag.ts";

/** A text for readers of one language: in it, else in English; undefined if it is in neither. */
export function textIn<Said = string>(
  text: string | Record<string, Said> | undefined,
  language: Language,
): string | Said | undefined {
  if (text === undefined || typeof text === "string") return text;
  const tags = Object.keys(text);
  const tag = nearestTag(language, tags) ?? nearestTag(FALLBACK, tags);
  return tag === undefined ? undefined : text[tag];
}

/** A text in all its languages. */
export function textsOf(text: string | Record<string, string> | undefined): string[] {
  return typeof text === "string" ? [text] : Object.values(text ?? {});
}
