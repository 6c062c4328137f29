import MarkdownIt, { type StateBlock, type StateCore, type Token } from "markdown-it";
import { withoutTurns } from "./visible.ts";

export type { Token } from "markdown-it";

/** Longer texts are cut; the import takes no longer ones. */
const LONGEST = 20_000;
/** Nobody nests deeper on purpose; the parser would leave out what is deeper. */
const DEEPEST = 30;
/** A table of more cells, and a text of more parts, would take a noticeable time. */
const CELLS_AT_MOST = 3_000;
const PARTS_AT_MOST = 10_000;
/**
 * How often the parser may check whether a line begins a block. It checks each line of a quote again for each quote
 * around it and for each earlier line without a mark. A hostile text needs three million checks, one of 10,000 lines
 * 20,000.
 */
export const LOOKS_AT_MOST = 40_000;

/** On a page, a heading of the first level is below the section of the description. */
const TOP_HEADING = 3;

const parser = new MarkdownIt({ html: false, breaks: true, linkify: true });
/** Paragraphs and line breaks, nothing else. */
const plainParser = new MarkdownIt("zero", { breaks: true }).enable("newline");

for (const each of [parser, plainParser]) each.options.maxNesting = DEEPEST;
// Texts of games indent lines without meaning code; a fence marks code.
parser.disable("code");
// Only what names its scheme: else `readme.md` would be a link to Moldova.
parser.linkify?.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });
// Others, such as `javascript:` and paths, stay text. A path would lead elsewhere in a feed. Games have `<c=@flavor>`.
parser.validateLink = (url) => /^(https?:\/\/[^/]|mailto:[^/@?=]+@[^/?]+\.[^?])/i.test(url.trim());
// The first rule, so that it is tried whenever the others are.
parser.block.ruler.before("table", "looks", countLook, {
  alt: ["paragraph", "reference", "blockquote", "list", "table"],
});
parser.core.ruler.push("headings", lowerHeadings);
parser.core.ruler.push("images", linkImages);

/**
 * The parts of a Markdown text, for `renderParts`. Takes a bounded time: a text that is nested too deep, has too many
 * parts or needs too many checks becomes paragraphs with visible marks.
 */
export function parseMarkdown(source: string, looks: Looks = { count: 0 }): Token[] {
  const text = withoutHarm(source.slice(0, LONGEST));
  const parts = countCells(text) > CELLS_AT_MOST ? undefined : parseBounded(text, looks);
  const isTooMuch = !parts || parts.length > PARTS_AT_MOST || parts.some(({ level }) => level >= DEEPEST - 1);
  return isTooMuch ? plainParser.parse(text, {}) : parts;
}

/** What parsing a text has cost so far. */
export interface Looks {
  count: number;
  [other: string | symbol]: unknown;
}

class TooManyLooksError extends Error {}

/** undefined if it takes too many looks. */
function parseBounded(text: string, looks: Looks): Token[] | undefined {
  try {
    return parser.parse(text, looks);
  } catch (error) {
    if (error instanceof TooManyLooksError) return undefined;
    throw error;
  }
}

/** Begins no block. */
function countLook({ env }: StateBlock): false {
  const looks = env as Looks;
  looks.count += 1;
  if (looks.count > LOOKS_AT_MOST) throw new TooManyLooksError();
  return false;
}

/** The parts as HTML, yet to be sanitised. */
export function renderParts(parts: Token[]): string {
  return parser.renderer.render(parts, parser.options, {});
}

/**
 * A text without control characters but tab and line ends, without noncharacters, and without the marks that turn the
 * direction of whatever follows them. A direction of its own it gets from its letters (`dir="auto"`).
 */
export function withoutHarm(text: string): string {
  return withoutTurns(text.replace(/[^\P{Cc}\t\n\r]|\p{Noncharacter_Code_Point}/gu, ""));
}

/** No fewer cells than the parser would make: it fills up short rows. */
function countCells(text: string): number {
  const rows = text.split("\n").filter((line) => line.includes("|"));
  const widest = rows.reduce((most, row) => Math.max(most, row.split("|").length), 0);
  return rows.length * widest;
}

/** Moves headings down, and closes gaps between levels: screen readers lead by them. */
function lowerHeadings({ tokens }: StateCore): void {
  let last = TOP_HEADING - 1;
  for (const token of tokens) {
    if (token.type === "heading_open")
      last = Math.min(Number(token.tag.slice(1)) + TOP_HEADING - 1, last + 1, 6);
    if (token.type.startsWith("heading_")) token.tag = `h${last}`;
  }
}

/** Makes links of pictures: pages load nothing from hosts that the operator has not named. */
function linkImages({ tokens, Token: Part }: StateCore): void {
  for (const inline of tokens) {
    let links = 0;
    inline.children = (inline.children ?? []).flatMap((token) => {
      if (token.type.startsWith("link_")) links += token.nesting;
      if (token.type !== "image") return [token];
      const text = new Part("text", "", 0);
      const address = String(token.attrGet("src"));
      text.content = textOfAll(token.children ?? []) || address;
      if (links > 0) return [text];
      const open = new Part("link_open", "a", 1);
      open.attrs = [["href", address]];
      return [open, text, new Part("link_close", "a", -1)];
    });
  }
}

/** The text of parts without any marks: a line for each block, cells with spaces between them. */
export function textOfAll(parts: Token[]): string {
  return parts.map(readTokenText).join("");
}

function readTokenText({ type, content, children, block, nesting, hidden }: Token): string {
  if (type === "inline") return textOfAll(children ?? []);
  if (type.endsWith("break")) return "\n";
  if (type === "td_close" || type === "th_close") return " ";
  if (block && nesting === -1 && !hidden) return "\n";
  return content;
}
