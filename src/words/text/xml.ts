import type * as fastXml from "fast-xml-parser";
import { lazyPackage } from "../../settings/lazy-package.ts";
import { memoize } from "../../settings/memoize.ts";

const loadFastXml = lazyPackage<typeof fastXml>("fast-xml-parser");

/** An element: attributes by `@name`, text as `#text`, else child elements; a list repeats its element. */
export type Element = { [name: string]: Element | readonly Element[] | string | number | undefined };

const loadBuilder = memoize(() => {
  const { XMLBuilder } = loadFastXml();
  return new XMLBuilder({
    attributeNamePrefix: "@",
    ignoreAttributes: false,
    format: true,
    indentBy: " ",
    suppressEmptyNode: true,
    suppressBooleanAttributes: false,
  });
});

/** A document with one element. It depends only on its argument. */
export function xmlDocument(root: Element): string {
  return `<?xml version="1.0" encoding="utf-8"?>\n${loadBuilder().build(clean(root))}`;
}

/** Without undefined members and forbidden characters. */
function clean(value: Element | readonly Element[] | string | number): unknown {
  if (typeof value === "string") return xmlText(value);
  if (typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map(clean);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(members.map(([name, member]) => [name, clean(member as Element)]));
}

/** The text without the characters that XML 1.0 forbids (https://www.w3.org/TR/xml/#charsets). */
export function xmlText(text: string): string {
  return text.toWellFormed().replace(/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu, "");
}
