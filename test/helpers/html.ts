/** A page's markup in the pieces that tests look at. Enough for markup of our own; not a parser. */

/** The contents of every `<name …>…</name>` without elements of the same name inside. */
export function elements(html: string, name: string): string[] {
  return [...html.matchAll(new RegExp(`<${name}(?=[\\s>])[^>]*>([\\s\\S]*?)</${name}>`, "g"))].map(
    (match) => match[1] ?? "",
  );
}

/** The text of markup as a reader sees it, white space run together. */
export function textOf(html: string): string {
  const text = html.replace(/<(script|style)[\s\S]*?<\/\1>|<wbr>/g, "").replace(/<[^>]*>/g, " ");
  return decode(text).replace(/\s+/g, " ").trim();
}

/** Spaces at which no line breaks as ordinary ones, for texts that a test writes out. */
export function plainSpaces(text: string): string {
  return text.replaceAll("\u00a0", " ");
}

/** The values of an attribute in all elements. */
export function attributes(html: string, name: string): string[] {
  return [...html.matchAll(new RegExp(`\\s${name}="([^"]*)"`, "g"))].map((match) => decode(match[1] ?? ""));
}

/** What is inside `<main>`, the layout left out. */
export function mainOf(html: string): string {
  return elements(html, "main")[0] ?? "";
}

function decode(text: string): string {
  const named: Record<string, string> = { lt: "<", gt: ">", amp: "&", quot: '"' };
  return text.replace(/&(#\d+|\w+);/g, (whole, entity: string) =>
    entity.startsWith("#") ? String.fromCodePoint(Number(entity.slice(1))) : (named[entity] ?? whole),
  );
}
