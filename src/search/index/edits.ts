import { COST, EditTable } from "./edit-distance.ts";
import { MAX_DEPTH } from "./trie.ts";
import type { Span, Vocabulary } from "./vocabulary.ts";

/** How much corrections may cost to a whole word, and to the beginning of one. */
export interface Budgets {
  readonly whole: number;
  readonly part: number;
}

/** The cheapest correction of typed letters to a word. */
interface Edit {
  readonly cost: number;
  /** True for a match of the whole word, not just its beginning. */
  readonly whole: boolean;
}

/** The words of a vocabulary that typed letters may be a misspelling of. */
export class Edits {
  readonly #typed: string;
  readonly #vocabulary: Vocabulary;
  readonly #budgets: Budgets;
  readonly #most: number;
  #table: EditTable | undefined;

  constructor(typed: string, vocabulary: Vocabulary, budgets: Budgets) {
    this.#typed = typed;
    this.#vocabulary = vocabulary;
    this.#budgets = budgets;
    this.#most = Math.max(budgets.whole, budgets.part);
  }

  /** The correction to a word, if there is one. */
  to(word: number): Edit | undefined {
    const { whole, part } = this.#budgets;
    this.#table ??= new EditTable(this.#typed, MAX_DEPTH, this.#most);
    if (this.#beginsOtherwise(word)) return undefined;
    const length = this.#vocabulary.lengthOf(word);
    let best: Edit | undefined;
    for (let depth = 1; depth <= Math.min(length, MAX_DEPTH); depth++) {
      if (!this.#table.fill(depth, this.#vocabulary.letter(word, depth - 1))) break;
      const cost = this.#table.costAt(depth);
      if (best && cost >= best.cost) continue;
      if (depth === length && cost <= whole) best = { cost, whole: true };
      else if (cost <= part) best = { cost, whole: false };
    }
    return best;
  }

  /** Whether a word begins with other letters than one error leads to. Most do, and the table takes longer to say so. */
  #beginsOtherwise(word: number): boolean {
    const isOneError = this.#most < 2 * COST.swapped;
    if (!isOneError || this.#typed.length < 2) return false;
    const [first, second] = [this.#typed.charCodeAt(0), this.#typed.charCodeAt(1)];
    const letter = this.#vocabulary.letter(word, 0);
    if (letter === first || letter === second) return false;
    const next = this.#vocabulary.letter(word, 1);
    return next !== first && next !== second;
  }

  /** All such words, some of them twice. Takes a walk through the vocabulary. */
  list(isOver: () => boolean): { words: Span; cost: number }[] {
    const { whole, part } = this.#budgets;
    const found = this.#vocabulary.corrections(this.#typed, this.#most, isOver);
    return found.filter((edit) => edit.cost <= (edit.whole ? whole : part));
  }
}
