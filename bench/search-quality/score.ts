import type { LabelledQuery } from "./query-class.ts";

/** How many answers are judged. */
export const ANSWERS = 10;

/** One record of an answer. */
export interface Answer {
  id: string;
  /** Its names and why it was found, for people. */
  label: string;
}

/** A search under test; answers at most ten, best first. */
export type Engine = { name: string; search(text: string): Answer[] };

/**
 * Metrics in percent, each the mean over the queries of a class:
 *
 *   - `hit@k`: an expected record is among the first k answers
 *   - `precision@10`: right answers ÷ answers; no answer at all is 0 if a right one exists, else 100
 *   - `half@10`: at least half of the right answers, or of as many as fit, are among the first ten
 *   - `leading@10`: right answers at the ranks that right answers could fill, with no wrong one before them
 *   - `empty`: no answer
 */
export type Metric = "hit@1" | "hit@3" | "hit@10" | "precision@10" | "half@10" | "leading@10" | "empty";

/** The scores of one answer. */
export function scoreAnswers(
  { hits, relevant }: LabelledQuery,
  answers: readonly Answer[],
): Record<Metric, number> {
  const place = answers.findIndex(({ id }) => hits.includes(id)) + 1;
  const isRight = answers.map(({ id }) => relevant.includes(id));
  const right = isRight.filter(Boolean).length;
  const possible = Math.min(ANSWERS, relevant.count);
  const leading = isRight.slice(0, possible).filter(Boolean).length;
  return {
    "hit@1": percent(place === 1),
    "hit@3": percent(place > 0 && place <= 3),
    "hit@10": percent(place > 0),
    "precision@10": answers.length === 0 ? percent(possible === 0) : (100 * right) / answers.length,
    "half@10": percent(2 * right >= possible),
    "leading@10": possible === 0 ? percent(answers.length === 0) : (100 * leading) / possible,
    empty: percent(answers.length === 0),
  };
}

function percent(reached: boolean): number {
  return reached ? 100 : 0;
}
