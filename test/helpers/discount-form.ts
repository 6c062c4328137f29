import { attributes, mainOf } from "./html.ts";

/** What a browser would send of a page's form: a discount's, or its preview's. Buttons are left to the caller. */
export function formOf(html: string): Record<string, string> {
  const tags = [...mainOf(html).matchAll(/<(?:input|select)\b[^>]*>/g)].map(([tag]) => tag);
  const sent = tags.filter((tag) => !/type="(search|radio|checkbox)"/.test(tag) || / checked/.test(tag));
  const fields = sent.map((tag) => [attributes(tag, "name")[0] ?? "", attributes(tag, "value")[0] ?? ""]);
  const zone = /<option value="([^"]*)" selected>/.exec(html)?.[1];
  return { ...Object.fromEntries(fields), ...(zone !== undefined && { zone }) };
}
