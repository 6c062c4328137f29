import ejs from "ejs";
import { LRUCache } from "lru-cache";
import type sanitize from "sanitize-html";
import { lazyPackage } from "../../settings/lazy-package.ts";
import { memoize } from "../../settings/memoize.ts";
import type { TextByLanguage } from "../../settings/texts.ts";
import { FALLBACK, type Language } from "../i18n/languages.ts";
import { nearestTag } from "../i18n/nearest-tag.ts";
import { parseMarkdown, renderParts, type Token, textOfAll } from "./markdown.ts";

const loadSanitizer = lazyPackage<typeof sanitize>("sanitize-html");

/** A text that somebody wrote in Markdown, ready to be shown. */
export interface Prose {
  /** Harmless on any page: paragraphs, lists, tables, code, quotes, headings from h3 down, and links. */
  readonly html: string;
  /** Without marks, for places that take no HTML. */
  readonly text: string;
}

/** In UTF-16 units: some thousand descriptions. Pages that show a time are made again and again. */
const KEPT_AT_MOST = 8_000_000;

const kept = new LRUCache<string, Prose>({
  maxSize: KEPT_AT_MOST,
  sizeCalculation: ({ html, text }, source) => html.length + text.length + source.length + 1,
});

/** Renders a description, if there is one. Raw HTML in it is shown as text. */
export function renderProse(source: string | null): Prose | undefined {
  return source === null || source.trim() === "" ? undefined : renderKept(source);
}

function renderKept(source: string): Prose {
  const known = kept.get(source);
  if (known) return known;
  const parts = parseMarkdown(source);
  const prose = { html: proseHtml(parts), text: textOfAll(parts).trim() };
  kept.set(source, prose);
  return prose;
}

/** A text in the best language for a reader; `lang` is that language, where it is another. */
export function renderProseIn(
  texts: TextByLanguage,
  language: Language,
): { readonly html: string; readonly lang: string | undefined } | undefined {
  const written = Object.keys(texts).filter((tag) => texts[tag]?.trim());
  const nearest = nearestTag(language, written);
  const tag = nearest ?? (written.includes("") ? "" : written[0]);
  const prose = renderProse((tag !== undefined && texts[tag]) || null);
  return prose && { html: prose.html, lang: nearest === undefined ? tag || FALLBACK : undefined };
}

/** The text of Markdown without marks. */
export function plainText(source: string): string {
  return renderKept(source).text;
}

/** Parts of a text as HTML that holds nothing but what is listed here. */
function proseHtml(parts: Token[]): string {
  return loadSanitizer()(renderParts(parts), listAllowed()).trim();
}

/**
 * The sanitiser's policy, in case the parser, which treats raw HTML as text, has a fault. It allows no `style` on
 * cells, because the pages' policy forbids it.
 */
const listAllowed = memoize(
  (): sanitize.IOptions => ({
    allowedTags: [
      ...["p", "br", "hr", "em", "strong", "s", "a", "code", "pre", "blockquote", "ul", "ol", "li"],
      ...["table", "thead", "tbody", "tr", "th", "td", "h3", "h4", "h5", "h6"],
    ],
    allowedAttributes: { a: ["href", "rel"], ol: ["start"] },
    allowedSchemes: ["http", "https", "mailto"],
    allowProtocolRelative: false,
    parseStyleAttributes: false,
    transformTags: { a: loadSanitizer().simpleTransform("a", { rel: "nofollow noopener ugc" }) },
  }),
);

/** White space and marks leave at least this share of a text to be read. */
const ROOM = 20;

/**
 * The beginning of a Markdown text as HTML: its first blocks that have at most so many characters together. A first
 * block that is longer is cut between words, and is plain text then.
 */
export function excerptHtml(source: string, characters: number): string {
  const parts = parseMarkdown(source.slice(0, characters * ROOM));
  const blocks = splitBlocks(parts);
  let room = characters;
  const first = blocks.findIndex((block) => {
    room -= [...textOfAll(block).trim()].length;
    return room < 0;
  });
  if (first === 0) return `<p>${ejs.escapeXML(shorten(textOfAll(blocks[0] ?? []), characters))}</p>`;
  if (first === -1) return proseHtml(parts);
  return `${proseHtml(blocks.slice(0, first).flat())}\n<p>…</p>`;
}

/** The blocks that are in no other. */
function splitBlocks(parts: Token[]): Token[][] {
  const blocks: Token[][] = [];
  let depth = 0;
  for (const part of parts) {
    if (depth === 0) blocks.push([]);
    blocks.at(-1)?.push(part);
    depth += part.nesting;
  }
  return blocks;
}

/** A text on one line, cut between words if possible. */
export function shorten(text: string, length: number): string {
  const characters = [...text.replace(/\s+/g, " ").trim()];
  if (characters.length <= length) return characters.join("");
  const cut = characters.slice(0, length).join("");
  return `${cut.replace(/ [^ ]{0,60}$/, "")}…`;
}
