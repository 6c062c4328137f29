import type { Catalogue } from "./catalogue.ts";
import { COST, EditTable } from "./edit-distance.ts";

/** Shorter words occur in a text by chance. */
const LEAST_WORD = 3;
/** Records compared letter by letter. */
const MOST_RECORDS = 1000;

/**
 * Finds names that are nearly the typed text, ignoring spaces, or begin with it but for one error. It compares
 * records that share a word with it letter by letter, and returns the nearest. It forgives at most `budget`.
 */
export function findAlmost(catalogue: Catalogue, name: string, budget: number): number[] {
  const typed = name.replaceAll(" ", "");
  const allowed = Math.min(budget, budgetOf(typed.length));
  if (allowed <= 0) return [];
  const costs = new Map<number, number>();
  const table = new EditTable(typed, typed.length + allowed, allowed);
  for (const record of recordsSharingWords(catalogue, typed)) {
    const cost = costOf(catalogue, record, table, allowed);
    if (cost !== undefined) costs.set(record, cost);
  }
  const least = Math.min(...costs.values());
  return [...costs]
    .filter(([, cost]) => cost === least)
    .map(([record]) => record)
    .sort((a, b) => catalogue.rankOf(a) - catalogue.rankOf(b));
}

/** One error in six letters, two in nine, three in sixteen: with more, names match by chance. */
function budgetOf(letters: number): number {
  const errors = letters < 6 ? 0 : letters < 9 ? 1 : letters < 16 ? 2 : 3;
  return errors * COST.extra;
}

/** The records with words that occur in the typed text, rarest words first. */
function recordsSharingWords({ words, postings }: Catalogue, typed: string): Set<number> {
  const shared: number[] = [];
  for (let start = 0; start + LEAST_WORD <= typed.length; start++) {
    for (const end of words.beginningsOf(typed, start).ends) {
      const word = end - start < LEAST_WORD ? -1 : words.find(typed.slice(start, end));
      if (word >= 0) shared.push(word);
    }
  }
  shared.sort((a, b) => postings.countOf(a) - postings.countOf(b));
  const records = new Set<number>();
  for (const word of shared) {
    if (records.size >= MOST_RECORDS) break;
    postings.someOf(word, (record) => records.add(record).size >= MOST_RECORDS);
  }
  return records;
}

/** The cost of a record's nearest name, or of its beginning where that is one error away. */
function costOf(
  { names, words }: Catalogue,
  record: number,
  table: EditTable,
  budget: number,
): number | undefined {
  let least: number | undefined;
  const note = (cost: number, most: number) => {
    if (cost <= most && (least === undefined || cost < least)) least = cost;
  };
  names.someName(record, (start, end) => {
    let depth = 0;
    for (let at = start; at < end; at++) {
      const word = names.wordAt(at);
      const length = words.lengthOf(word);
      for (let n = 0; n < length; n++) {
        if (!table.fill(++depth, words.letter(word, n))) return false;
        // A whole name is nearer.
        note(table.costAt(depth) + 1, Math.min(budget, COST.extra + 1));
      }
    }
    note(table.costAt(depth), budget);
    return false;
  });
  return least;
}
