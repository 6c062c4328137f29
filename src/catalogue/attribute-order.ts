/** An entry's attributes in reading order: Postgres sorts the keys of jsonb by length, which means nothing to readers. */
export function sortAttributes(attributes: Record<string, unknown>): [string, unknown][] {
  return Object.entries(attributes).sort(
    ([a, one], [b, other]) => rankOf(a, typeOf(one)) - rankOf(b, typeOf(other)),
  );
}

/** The place of an attribute in that order, from 0; equal ones keep their order. */
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
