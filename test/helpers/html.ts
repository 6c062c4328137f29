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

/** Text without the entities that escaping puts there. */
export function decode(text: string): string {
  const named: Record<string, string> = { lt: "<", gt: ">", amp: "&", quot: '"' };
  return text.replace(/&(#\d+|\w+);/g, (whole, entity: string) =>
    entity.startsWith("#") ? String.fromCodePoint(Number(entity.slice(1))) : (named[entity] ?? whole),
  );
}

/** Every input of a page's first form and what follows it, as a browser would send it. */
export function inputsOf(html: string): Record<string, string> {
  const form = html.slice(html.indexOf('<form class="form"'));
  const of = (tag: string, name: string) => new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1] ?? "";
  const inputs = [...form.matchAll(/<input[^>]*>/g)]
    .filter(([tag]) => !tag.includes('type="checkbox"') || tag.includes(" checked"))
    .map(([tag]) => [of(tag, "name"), decode(of(tag, "value"))]);
  const areas = [...form.matchAll(/(<textarea[^>]*>)\n?([\s\S]*?)<\/textarea>/g)].map(
    ([, tag = "", text = ""]) => [of(tag, "name"), decode(text)],
  );
  const selects = [...form.matchAll(/(<select[^>]*>)([\s\S]*?)<\/select>/g)].map(
    ([, tag = "", options = ""]) => {
      const chosen = /<option[^>]* selected[^>]*>/.exec(options) ?? /<option[^>]*>/.exec(options);
      return [of(tag, "name"), decode(of(chosen?.[0] ?? "", "value"))];
    },
  );
  return Object.fromEntries([...inputs, ...areas, ...selects]);
}

/** A page's text without its title, as a reader sees it. */
export function readable(html: string): string {
  return html.replace(/<title>.*?<\/title>|<[^>]+>/g, " ").replace(/\s+/g, " ");
}
