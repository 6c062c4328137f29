import { isBlank } from "../words/text/visible.ts";
import type { KindVocabulary } from "../words/vocabulary/vocabulary.ts";
import { isPlace, isReference, sortAttributes } from "./attribute-order.ts";

/** Something of an entry that others may share. */
export interface Trait {
  /** What `attributes` of an entry with the same value contain. */
  probe: object;
  /** The path of the value, from the outermost attribute. */
  path: string[];
  /** A number that can have near ones; null for other values, and for ids. */
  figure: number | null;
}

const TRAITS_AT_MOST = 12;
/** Longer texts are sentences, which no other entry repeats. */
const LONGEST_VALUE = 100;
const DEEPEST = 2;

/**
 * What an entry may share with others: words, ids and parts of lists first, then numbers, then what is true or false;
 * without what the vocabulary hides.
 */
export function traitsOf(attributes: Record<string, unknown>, vocabulary: KindVocabulary): Trait[] {
  const found = [
    ...new Map(
      gather(attributes, [], vocabulary).map((one) => [JSON.stringify([one.path, one.value]), one]),
    ).values(),
  ];
  const ofType = (wanted: Found["type"]) => found.filter(({ type }) => type === wanted);
  return [...ofType("word"), ...ofType("number"), ...ofType("boolean")]
    .slice(0, TRAITS_AT_MOST)
    .map(({ type, path, value, isPart }) => ({
      probe: wrap(path, isPart ? [value] : value),
      path,
      figure: type === "number" ? Number(value) : null,
    }));
}

interface Found {
  type: "word" | "number" | "boolean";
  path: string[];
  value: unknown;
  /** One of a list's values. */
  isPart: boolean;
}

function gather(attributes: object, above: string[], vocabulary: KindVocabulary): Found[] {
  return sortAttributes(attributes as Record<string, unknown>, vocabulary).flatMap(
    ([key, value]): Found[] => {
      if (isPlace(key)) return [];
      const path = [...above, key];
      if (Array.isArray(value)) return value.flatMap((part) => found(key, path, part, true));
      if (typeof value !== "object" || value === null) return found(key, path, value, false);
      return path.length < DEEPEST ? gather(value, path, vocabulary) : [];
    },
  );
}

function found(key: string, path: string[], value: unknown, isPart: boolean): Found[] {
  if (typeof value === "boolean") return [{ type: "boolean", path, value, isPart }];
  if (typeof value === "number")
    return [{ type: isPart || isReference(key) ? "word" : "number", path, value, isPart }];
  const isWord = typeof value === "string" && value.length <= LONGEST_VALUE && !isBlank(value);
  return isWord ? [{ type: "word", path, value, isPart }] : [];
}

function wrap(path: string[], value: unknown): object {
  return path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value) as object;
}
