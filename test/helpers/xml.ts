import { XMLParser, XMLValidator } from "fast-xml-parser";
import { expect } from "vitest";

/** Everything that XML 1.0 allows in no document; fast-xml-parser would let it pass. */
const FORBIDDEN = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/u;

const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: "@",
  isArray: (_name, path) => /^(rss\.channel\.item|urlset\.url|sitemapindex\.sitemap)$/.test(String(path)),
  parseTagValue: false,
  trimValues: false,
});

/** Parses a document after making sure that it is well-formed; texts stay as they are. */
export function parseXml(xml: string) {
  expect(XMLValidator.validate(xml)).toBe(true);
  expect(xml).not.toMatch(FORBIDDEN);
  return parser.parse(xml);
}
