import { COST, EditTable } from "./edit-distance.ts";
import type { Range } from "./numbers.ts";
import type { Segment } from "./segment.ts";

/** Shorter words occur in a text by chance, but at its beginning. */
const LEAST_WORD = 3;
/** Names compared letter by letter. */
const MOST_NAMES = 1000;

/** Takes a name that has the typed letters. Place: 0 for the whole name, 1 for its beginning, 2 for a later word. */
type Note = (name: number, cost: number, place: 0 | 1 | 2) => void;

/** Finds names by their letters without spaces: `nrg500` finds NRG-500, `sni per` Sniper. */
export function findRuns(segment: Segment, letters: string, note: Note): void {
  const next = new NextWords(segment, letters);
  for (const end of segment.words.endsIn(letters, 0)) {
    const first = segment.words.rangeOf(letters.slice(0, end));
    const read = (name: number) => {
      const { start, end } = segment.names.rangeOf(name);
      for (let at = start; at < end; at++) {
        if (segment.names.wordAt(at) !== first.start) continue;
        const reached = readOn(segment, at, end, letters);
        if (reached) note(name, 0, at > start ? 2 : reached === "end" ? 0 : 1);
      }
      return false;
    };
    for (const range of next.leading(first, end)) {
      for (let word = range.start; word < range.end; word++) segment.someOf(word, read);
    }
  }
}

/**
 * Finds names by their letters without spaces, despite errors: `sniperxrifle` finds Sniper Rifle. The letters have to be
 * the whole name, or its beginning but for one error.
 */
export function findNearRuns(segment: Segment, letters: string, budget: number, note: Note): void {
  const allowed = Math.min(budget, budgetOf(letters.length));
  if (allowed <= 0) return;
  const table = new EditTable(letters, letters.length + allowed, allowed);
  for (const name of namesSharingWords(segment, letters)) {
    compare(segment, segment.names.rangeOf(name), {
      table,
      allowed,
      note: (cost, place) => note(name, cost, place),
    });
  }
}

/** The words that joined letters may go on with. */
class NextWords {
  readonly #segment: Segment;
  readonly #letters: string;
  readonly #known: Range[][] = [];

  constructor(segment: Segment, letters: string) {
    this.#segment = segment;
    this.#letters = letters;
  }

  /** A word that ends there, or the words that may come next if these are rarer; none if nothing may come next. */
  leading(first: Range, end: number): readonly Range[] {
    const next = end === this.#letters.length ? [first] : this.#after(end);
    const count = (ranges: readonly Range[]) =>
      ranges.reduce((sum, range) => sum + this.#segment.countOf(range), 0);
    return count(next) < count([first]) ? next : [first];
  }

  /** The words that may come next, if others can follow them up to the last letter; that one may be cut short. */
  #after(from: number): readonly Range[] {
    this.#known[from] ??= this.#find(from);
    return this.#known[from];
  }

  #find(from: number): Range[] {
    const { words } = this.#segment;
    const letters = this.#letters;
    const followed = words.endsIn(letters, from).filter((end) => this.#after(end).length > 0);
    const open = words.beginningWith(letters.slice(from));
    return [...followed.map((end) => words.rangeOf(letters.slice(from, end))), open].filter(
      ({ start, end }) => start < end,
    );
  }
}

/** One error in six letters, two in nine, three in sixteen: with more, names match by chance. */
function budgetOf(letters: number): number {
  const errors = letters < 6 ? 0 : letters < 9 ? 1 : letters < 16 ? 2 : 3;
  return errors * COST.extra;
}

/** The names with words that occur in the typed letters, those of the rarest words first. */
function namesSharingWords(segment: Segment, letters: string): Set<number> {
  const { words } = segment;
  const shared = new Map<number, number>();
  for (let start = 0; start < letters.length; start++) {
    for (const end of words.endsIn(letters, start)) {
      if (start > 0 && end - start < LEAST_WORD) continue;
      const word = words.find(letters.slice(start, end));
      shared.set(word, segment.countOf({ start: word, end: word + 1 }));
    }
  }
  const names = new Set<number>();
  for (const [word] of [...shared].sort(([, a], [, b]) => a - b)) {
    if (names.size >= MOST_NAMES) break;
    segment.someOf(word, (name) => names.add(name).size >= MOST_NAMES);
  }
  return names;
}

/** Whether the words of a name go on as the letters do: up to the end of the name, or to a place in it. */
function readOn(
  { names, words }: Segment,
  start: number,
  end: number,
  letters: string,
): "end" | "inside" | undefined {
  let read = 0;
  for (let at = start; at < end; at++) {
    const word = names.wordAt(at);
    const length = Math.min(words.lengthOf(word), letters.length - read);
    for (let i = 0; i < length; i++) {
      if (words.letter(word, i) !== letters.charCodeAt(read + i)) return undefined;
    }
    read += length;
    if (read < letters.length) continue;
    const isWhole = length === words.lengthOf(word);
    return at + 1 === end && isWhole ? "end" : "inside";
  }
  return undefined;
}

/** Notes what a name costs, or its beginning where that is one error away. */
function compare(
  { names, words }: Segment,
  { start, end }: Range,
  { table, allowed, note }: { table: EditTable; allowed: number; note: (cost: number, place: 0 | 1) => void },
): void {
  let depth = 0;
  for (let at = start; at < end; at++) {
    const word = names.wordAt(at);
    const length = words.lengthOf(word);
    for (let n = 0; n < length; n++) {
      if (!table.fill(++depth, words.letter(word, n))) return;
      // A whole name is nearer.
      const cost = table.costAt(depth);
      if (cost <= Math.min(allowed - 1, COST.extra)) note(cost + 1, 1);
    }
  }
  if (table.costAt(depth) <= allowed) note(table.costAt(depth), 0);
}
