import type { Alternatives } from "./alternatives.ts";
import type { Catalogue } from "./catalogue.ts";

/** Records read per word: more can neither be shown nor change the order. */
const RECORDS_A_WORD = 1050;
/** Scoring this many records is faster than listing others. */
const FEW_RECORDS = 200;

/** Who weighs the records. Some are visited twice, and some do not have all words. */
interface Scales {
  /** Returns true once no more are wanted. */
  visit(record: number): boolean;
  /** Whether records with a word that costs so much are not near enough. */
  isTooMuch(cost: number): boolean;
}

/**
 * Visits the records that may have all words, at most one of them with an error. For each word it visits those that
 * have the others, starting from the other with the fewest records or, if that has many, from the word itself.
 */
export function visitRecordsWithOneError(
  { postings }: Catalogue,
  alternatives: readonly Alternatives[],
  scales: Scales,
): void {
  const most = mostRecords(alternatives);
  const unknown = alternatives.filter(({ known }) => known.records === 0);
  if (unknown.length > 1) return;
  for (const wrong of unknown.length > 0 ? unknown : alternatives) {
    const others = alternatives.filter((words) => words !== wrong).map(({ known }) => known);
    others.sort((a, b) => a.records - b.records);
    const fewest = others[0];
    const isLess = fewest && fewest.records <= Math.max(FEW_RECORDS, wrong.known.records);
    const groups = isLess ? [{ words: () => fewest.words(), cost: 0 }] : wrong.groups;
    const visitLikely = (record: number) =>
      others.every((known) => known.mayBeIn(record)) && scales.visit(record);
    for (const { words, cost } of groups) {
      if (scales.isTooMuch(cost)) break;
      for (const word of words()) if (postings.someOf(word, visitLikely, most)) return;
    }
  }
}

/** Visits the records of one typed word: others cannot have all words. */
export function visitRecords(
  { postings }: Catalogue,
  alternatives: readonly Alternatives[],
  scales: Scales,
): void {
  const most = mostRecords(alternatives);
  const visit = (record: number) => scales.visit(record);
  for (const { words, cost } of leadingOf(alternatives)?.groups ?? []) {
    if (scales.isTooMuch(cost)) return;
    for (const word of words()) if (postings.someOf(word, visit, most)) return;
  }
}

/** The typed word that leads to the fewest records, or to few: counting those of each word would take longer. */
function leadingOf(alternatives: readonly Alternatives[]): Alternatives | undefined {
  let leading: Alternatives | undefined;
  let fewest = Number.POSITIVE_INFINITY;
  for (const words of alternatives.toSorted(byLikelyRecords)) {
    if (words.recordsAsTyped >= fewest) continue;
    if (words.records < fewest) [leading, fewest] = [words, words.records];
    if (fewest <= FEW_RECORDS) break;
  }
  return leading;
}

/** Many words differ from a short one in a letter. */
function byLikelyRecords(a: Alternatives, b: Alternatives): number {
  const isShort = ({ letters }: Alternatives) => Number(letters < 4);
  return isShort(a) - isShort(b) || a.recordsAsTyped - b.recordsAsTyped;
}

function mostRecords({ length }: readonly Alternatives[]): number {
  return length === 1 ? RECORDS_A_WORD : Number.POSITIVE_INFINITY;
}
