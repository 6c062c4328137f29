import { escapeHtml } from "./escape-html.ts";
import { parseMarkdown, type Token, textOfAll } from "./markdown.ts";
import { proseHtml } from "./prose.ts";

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
  if (first === 0) return `<p>${escapeHtml(shorten(textOfAll(blocks[0] ?? []), characters))}</p>`;
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
