import type { KindVocabulary } from "../words/vocabulary/vocabulary.ts";

/**
 * The attributes that pages show, in reading order: by the vocabulary, else as guessed. Postgres sorts the keys of jsonb
 * by length, which means nothing to readers.
 */
export function sortAttributes(
  attributes: Record<string, unknown>,
  vocabulary: KindVocabulary,
): [string, unknown][] {
  return Object.entries(attributes)
    .filter(([key]) => !vocabulary.isHidden(key))
    .sort(([a, one], [b, other]) => {
      const known = compareKnown(a, b, vocabulary);
      return known !== 0 ? known : rankOf(a, typeOf(one)) - rankOf(b, typeOf(other));
    });
}

/** Which of two attributes the vocabulary puts first; 0 if it leaves that open. */
export function compareKnown(a: string, b: string, vocabulary: KindVocabulary): number {
  const [one, other] = [a, b].map((key) => vocabulary.attribute(key)?.order ?? Number.POSITIVE_INFINITY);
  return one === other ? 0 : (one ?? 0) < (other ?? 0) ? -1 : 1;
}

/** The place of an attribute in the guessed order, from 0; equal ones keep their order. */
export function rankOf(key: string, type: AttributeType): number {
  // Parts of a list, which are named by number.
  if (/^\d+$/.test(key)) return 0;
  if (isPlace(key)) return 8;
  if (isReference(key)) return 7;
  // A room of the game, not of the record; houses that look the same inside share one.
  if (key === "interior") return 6;
  if (/(^|_)(price|cost)$/.test(key)) return 1;
  return { number: 2, string: 3, boolean: 4, nested: 5 }[type];
}

type AttributeType = "number" | "string" | "boolean" | "nested";

function typeOf(value: unknown): AttributeType {
  if (typeof value === "number") return "number";
  if (typeof value === "boolean") return "boolean";
  return typeof value === "object" && value !== null && !Array.isArray(value) ? "nested" : "string";
}

/** Coordinates, which only the map uses. */
export function isPlace(key: string): boolean {
  return ["x", "y", "z"].includes(key.toLowerCase());
}

/** Ids of other records: numbers, but not amounts to compare. */
export function isReference(key: string): boolean {
  return /(^|_)ids?$|[a-z]I[Dd]s?$/.test(key);
}
