import { loadCulori } from "../../settings/look.ts";
import { type DrawnKind, type Glyph, glyphOf } from "../kinds/glyphs.ts";
import type { KindVocabulary, Vocabulary } from "./vocabulary.ts";

/** The class of names and values in a colour: `tint-b3341b`. Its rule is in the style sheet of tints (src/web/look/colours.ts). */
export function tintClass(colour: string): string {
  return `tint-${(loadCulori().formatHex(colour) ?? "#000000").slice(1)}`;
}

/** The class of the colour of a name, by the entry's value of the attribute that colours names; undefined: it has none. */
export function findNameTint(words: KindVocabulary, value: unknown): string | undefined {
  const colour = words.tint === undefined ? undefined : words.colour(words.tint, value);
  return colour === undefined ? undefined : tintClass(colour);
}

/** What stands for a record without a picture: the drawing of its category, else of its kind. */
export function glyphIn(words: Vocabulary, kind: DrawnKind, category: string | null): Glyph {
  const { glyph, colour } = category === null ? {} : words.categoryLook(category);
  return { name: glyph ?? glyphOf(kind), tint: colour === undefined ? undefined : tintClass(colour) };
}
