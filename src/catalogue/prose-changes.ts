import type * as diff from "diff";
import { lazyPackage } from "../settings/lazy-package.ts";

const loadDiff = lazyPackage<typeof diff>("diff");

export interface ProsePart {
  type: "same" | "removed" | "added";
  text: string;
}

/** Words shown on each side of a change, counted with the white space between them. */
const CONTEXT = 2 * 8;

/** What changed between two texts in whole words, with some words around each change. Very different texts are one change. */
export function compareProse(before: string, after: string): ProsePart[] {
  const [old, now] = [wordsOf(before), wordsOf(after)];
  const changes = loadDiff().diffArrays(old, now, { maxEditLength: CONTEXT * 4 }) ?? [
    { value: old, removed: true, added: false },
    { value: now, removed: false, added: true },
  ];
  return changes.map(({ value, removed, added }, index) => {
    if (removed || added) return { type: removed ? "removed" : "added", text: value.join("") };
    const text = changes.length === 1 ? before : shorten(value, index === 0, index === changes.length - 1);
    return { type: "same", text };
  });
}

/** Words and the white space between them; joined they are the text again. */
function wordsOf(text: string): string[] {
  return text.match(/\S+|\s+/g) ?? [];
}

/** The words beside a change; the first piece has no change before it, the last none after it. */
function shorten(words: string[], isFirst: boolean, isLast: boolean): string {
  const ending = isFirst ? [] : words.slice(0, CONTEXT);
  const beginning = isLast ? [] : words.slice(-CONTEXT);
  if (words.length <= ending.length + beginning.length) return words.join("");
  return `${ending.join("").trimEnd()}${isFirst ? "" : " "}…${isLast ? "" : " "}${beginning.join("").trimStart()}`;
}
