/** A piece of a text of which another one was made. */
export interface ProsePart {
  type: "same" | "removed" | "added";
  text: string;
}

/** Words around a change that help to find it in the text; with the spaces between them. */
const CONTEXT = 2 * 8;

/**
 * What changed between two texts, in whole words: what both begin with, what was there, what is there now, what both end
 * with. Of the same only the words beside the change are told.
 */
export function compareProse(before: string, after: string): ProsePart[] {
  const [old, now] = [wordsOf(before), wordsOf(after)];
  const start = countSame(old, now);
  const end = countSame(old.slice(start).reverse(), now.slice(start).reverse());
  const parts: ProsePart[] = [
    { type: "same", text: lastWords(old.slice(0, start)) },
    { type: "removed", text: old.slice(start, old.length - end).join("") },
    { type: "added", text: now.slice(start, now.length - end).join("") },
    { type: "same", text: firstWords(old.slice(old.length - end)) },
  ];
  return parts.filter(({ text }) => text !== "");
}

/** Words, and the white space between them, so that joined they are the text again. */
function wordsOf(text: string): string[] {
  return text.match(/\S+|\s+/g) ?? [];
}

function countSame(a: readonly string[], b: readonly string[]): number {
  const differs = a.findIndex((word, index) => word !== b[index]);
  return differs === -1 ? a.length : differs;
}

function lastWords(words: string[]): string {
  return words.length <= CONTEXT ? words.join("") : `… ${words.slice(-CONTEXT).join("").trimStart()}`;
}

function firstWords(words: string[]): string {
  return words.length <= CONTEXT ? words.join("") : `${words.slice(0, CONTEXT).join("").trimEnd()} …`;
}
