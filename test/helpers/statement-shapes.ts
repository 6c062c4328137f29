/** The text of what a client of pg is asked: a string, or an object with a text. */
export function statementText(query: unknown): string {
  if (typeof query === "string") return query;
  return typeof query === "object" && query !== null && "text" in query ? String(query.text) : "";
}

/** The same for statements that differ only in values and in how many of them there are. */
export function shapeOf(text: string): string {
  return text
    .replace(/'(?:[^']|'')*'/g, "?")
    .replace(/\$\d+/g, "?")
    .replace(/\b\d+(?:\.\d+)?\b/g, "?")
    .replace(/\?(?:::\w+(?:\[\])?)?(?:\s*,\s*\?(?:::\w+(?:\[\])?)?)+/g, "?")
    .replace(/\(\?\)(?:\s*,\s*\(\?\))+/g, "(?)")
    .replace(/\s+/g, " ")
    .trim();
}
