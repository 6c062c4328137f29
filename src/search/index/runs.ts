import { stem } from "../word-forms.ts";
import { COST, EditTable } from "./edit-distance.ts";
import type { Segment } from "./segment.ts";

/** Shorter words occur in a text by chance, but at its beginning. */
const LEAST_WORD = 3;
/** Records compared letter by letter. */
const MOST_RECORDS = 1000;

/** Where the typed letters are in a name, and how much they differ. */
interface Run {
  readonly cost: number;
  /** 0: they are the whole name; 1: its beginning; 2: they begin at a later word. */
  readonly place: 0 | 1 | 2;
  readonly rest: number;
  readonly part: false;
}

/**
 * Finds names by their letters without spaces: `nrg500` finds NRG-500, `sni per` Sniper, and with errors `sniperxrifle`
 * Sniper Rifle. With errors the letters have to be the whole name, or its beginning but for one error.
 */
export function findRuns(segment: Segment, letters: string, budget: number): Map<number, Run> {
  const allowed = Math.min(budget, budgetOf(letters.length));
  const table = allowed > 0 ? new EditTable(letters, letters.length + allowed, allowed) : undefined;
  const runs = new Map<number, Run>();
  for (const record of recordsSharingWords(segment, letters, table !== undefined)) {
    const note = (cost: number, place: Run["place"]) => {
      const before = runs.get(record);
      const isWorse = before && (before.cost < cost || (before.cost === cost && before.place <= place));
      if (!isWorse) runs.set(record, { cost, place, rest: place === 0 ? 0 : 1, part: false });
    };
    segment.names.someName(record, (start, end) => {
      for (let at = start; at < end; at++) {
        const reached = readOn(segment, at, end, letters);
        if (reached) note(0, at > start ? 2 : reached === "end" ? 0 : 1);
      }
      if (table) compare(segment, start, end, { table, allowed, note });
      return false;
    });
  }
  return runs;
}

/** One error in six letters, two in nine, three in sixteen: with more, names match by chance. */
function budgetOf(letters: number): number {
  const errors = letters < 6 ? 0 : letters < 9 ? 1 : letters < 16 ? 2 : 3;
  return errors * COST.extra;
}

/**
 * The records with words that occur in the typed letters, rarest words first. Without errors, only those with the first
 * word, unless these are too many.
 */
function recordsSharingWords(segment: Segment, letters: string, mayErr: boolean): Set<number> {
  const first = wordsIn(segment, letters, 0);
  const isFew = [...first.values()].reduce((sum, count) => sum + count, 0) < MOST_RECORDS;
  const shared = new Map(first);
  for (let start = 1; start < letters.length && (mayErr || !isFew) && (mayErr || first.size > 0); start++) {
    for (const [word, count] of wordsIn(segment, letters, start)) shared.set(word, count);
  }
  const records = new Set<number>();
  for (const [word] of [...shared].sort(([, a], [, b]) => a - b)) {
    if (records.size >= MOST_RECORDS) break;
    segment.someOf(word, (record) => records.add(record).size >= MOST_RECORDS);
  }
  return records;
}

/** The words that the letters have at a place, each with how many records have it. */
function wordsIn(segment: Segment, letters: string, start: number): Map<number, number> {
  const { words } = segment;
  const found = new Map<number, number>();
  for (const end of words.endsIn(letters, start)) {
    if (start > 0 && end - start < LEAST_WORD) continue;
    const word = words.find(letters.slice(start, end));
    found.set(word, segment.countOf({ start: word, end: word + 1 }));
  }
  return found;
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
    // The s of `rhinos` is an ending, not the beginning of Rhino Skin.
    if (length === 1 && !isWhole && at > start && stem(letters) !== letters) return undefined;
    return at + 1 === end && isWhole ? "end" : "inside";
  }
  return undefined;
}

/** Notes what a name costs, or its beginning where that is one error away. */
function compare(
  { names, words }: Segment,
  start: number,
  end: number,
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
