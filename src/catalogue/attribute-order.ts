/**
 * The order in which an entry's attributes are told: what it costs, its figures, its words, what it has or has not, what
 * is nested; last the numbers of other things, and where it lies. The database keeps them by the length of their keys,
 * which says nothing; among those of one sort that order stays.
 */
export function inOrder(attributes: Record<string, unknown>): [string, unknown][] {
  return Object.entries(attributes).sort(
    ([a, one], [b, other]) => rankOf(a, typeOf(one)) - rankOf(b, typeOf(other)),
  );
}

/** Where in that order an attribute is that has values of a type, from 0. */
export function rankOf(key: string, type: AttributeType): number {
  // The parts of a list, by their numbers.
  if (/^\d+$/.test(key)) return 0;
  if (isPlace(key)) return 8;
  if (isReference(key)) return 7;
  // Of the game's rooms; houses that look the same inside share one.
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

/** Coordinates are for the map. */
export function isPlace(key: string): boolean {
  return ["x", "y", "z"].includes(key.toLowerCase());
}

/** The number of something else is neither more nor less than another one. */
export function isReference(key: string): boolean {
  return /(^|_)ids?$|[a-z]I[Dd]s?$/.test(key);
}
