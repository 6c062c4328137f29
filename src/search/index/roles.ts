import { isStopWord } from "../stop-words.ts";
import type { Segment } from "./segment.ts";
import type { Segments } from "./segments.ts";

/** A shorter word like `of` at the end is taken for the beginning of another one. */
const LEAST_LAST = 3;

/** A typed word and what may stand for it outside of a name. */
export interface Role {
  readonly text: string;
  /** Words like `the` need not be in a name, unless they are the only ones. */
  readonly isStopWord: boolean;
  /** By segment, a test for records that are what the word says, such as all of a category; undefined if none is. */
  readonly holds: ReadonlyMap<Segment, (record: number) => boolean>;
}

/** The different typed words with their roles. A single word has to be in the name. */
export function rolesOf(segments: Segments, typed: readonly string[]): Role[] {
  const isLeft = (word: string, at: number) =>
    isStopWord(word) && (at < typed.length - 1 || word.length >= LEAST_LAST);
  const isTelling = typed.some((word, at) => !isLeft(word, at));
  // Of a word that is typed twice, the last one counts.
  const different = typed.filter((word, at) => typed.lastIndexOf(word) === at);
  return different.map((text) => {
    const isStop = isTelling && isLeft(text, typed.lastIndexOf(text));
    const holds = new Map<Segment, (record: number) => boolean>();
    for (const segment of typed.length > 1 && !isStop ? segments.all : []) {
      const test = segment.values.holding(text);
      if (test) holds.set(segment, test);
    }
    return { text, isStopWord: isStop, holds };
  });
}
