import type { KindVocabulary } from "../words/vocabulary/vocabulary.ts";
import { isPlace, isReference, sortAttributes } from "./attribute-order.ts";
import {
  type AttributeRow,
  type AttributeWords,
  attributeLabel,
  attributeLanguage,
  attributeTint,
  isNested,
  shortText,
} from "./attributes.ts";

/** One value on a card. */
export type CardFact = Pick<AttributeRow, "label" | "text" | "lang" | "tint">;

const FACTS_AT_MOST = 5;
/** In characters: what fits on a line of a card. */
const LONGEST_TEXT = 40;

/**
 * The most informative values of an entry, at most five. Values that the vocabulary orders come first. Then come
 * those in `columns`, the keys that are useful in a list, best first.
 */
export function cardFacts(
  attributes: Record<string, unknown>,
  columns: readonly string[],
  words: AttributeWords & { textLang: string | undefined },
): CardFact[] {
  const { vocabulary } = words;
  const rankOf = (key: string) => {
    const column = columns.indexOf(key);
    if (vocabulary.attribute(key)?.order !== undefined) return -1;
    return column === -1 ? columns.length : column;
  };
  return sortAttributes(attributes, vocabulary)
    .filter(([key, value]) => isTold(key, value, vocabulary))
    .sort(([a], [b]) => rankOf(a) - rankOf(b))
    .map(([key, value]) => ({
      label: attributeLabel(key, words, value),
      text: shortText(key, value, words, LONGEST_TEXT),
      lang: attributeLanguage(key, value, words),
      tint: attributeTint(key, value, words),
    }))
    .filter(({ text }) => text.length <= LONGEST_TEXT)
    .slice(0, FACTS_AT_MOST);
}

/** Leaves out what is nothing, not for people, or shown elsewhere. */
function isTold(key: string, value: unknown, vocabulary: KindVocabulary): boolean {
  if (value === null || value === "" || (Array.isArray(value) && value.length === 0)) return false;
  if (vocabulary.referenceOf(key) !== undefined) return true;
  return !isPlace(key) && !isReference(key) && !isNested(value) && key !== "aliases";
}
