import { isStopWord } from "../stop-words.ts";
import type { Catalogue } from "./catalogue.ts";
import type { Reading } from "./plain.ts";
import type { Query } from "./query.ts";

/** How many typed words may be values of a record instead of words of its name: each doubles the readings. */
const MOST_VALUES = 3;

/** A shorter word like `of` at the end is taken for the beginning of another one. */
const LEAST_LAST = 3;

/** The ways to read a query. */
export class Readings {
  /** The reading with all typed words in the name. */
  readonly asTyped: Reading;
  readonly #catalogue: Catalogue;
  #others: readonly Reading[] | undefined;

  constructor(catalogue: Catalogue, query: Query) {
    this.#catalogue = catalogue;
    this.asTyped = query;
  }

  /**
   * Readings with fewer words in the name, most words first, built at the first call. Words for the type of a record,
   * such as its category, need not be in its name as long as another word is. Neither need words like `the`, unless
   * they are the only ones.
   */
  get others(): readonly Reading[] {
    this.#others ??= listOthers(this.#catalogue, this.asTyped.words);
    return this.#others;
  }
}

function listOthers(catalogue: Catalogue, typed: readonly string[]): Reading[] {
  const isLeft = (word: string, at: number) =>
    isStopWord(word) && (at < typed.length - 1 || word.length >= LEAST_LAST);
  const telling = typed.filter((word, at) => !isLeft(word, at));
  if (typed.length === 1 || telling.length === 0) return [];
  const values = valuesAmong(catalogue, telling);
  const bases = telling.length < typed.length ? [typed, telling] : [typed];
  const readings = bases.flatMap((words) =>
    subsetsOf([...values.keys()])
      .filter((left) => telling.some((word) => !left.includes(word)))
      .map((left): Reading => {
        const rest = words.filter((word) => !left.includes(word));
        const conditions = left.map((word) => values.get(word));
        const accepts = (record: number) => conditions.every((holds) => holds?.(record));
        return { words: rest, accepts: left.length > 0 ? accepts : undefined };
      }),
  );
  const fewer = readings.filter(({ words }) => words.length < typed.length);
  return fewer.sort((a, b) => b.words.length - a.words.length);
}

/** The first typed words that are values of records, each with a test for those. */
function valuesAmong(
  catalogue: Catalogue,
  words: readonly string[],
): Map<string, (record: number) => boolean> {
  const values = new Map<string, (record: number) => boolean>();
  for (const word of new Set(words)) {
    const holds = catalogue.valuesHolding(word);
    if (holds) values.set(word, holds);
    if (values.size === MOST_VALUES) break;
  }
  return values;
}

function subsetsOf(words: readonly string[]): string[][] {
  return Array.from({ length: 2 ** words.length }, (_, bits) => words.filter((_word, n) => bits & (1 << n)));
}
