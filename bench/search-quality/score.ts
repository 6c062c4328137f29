import { ANSWERS, type Reply } from "./engines/engine.ts";
import type { LabelledQuery } from "./query-class.ts";

/**
 * Metrics in percent, each the mean over the queries of a class:
 *
 *   - `hit@k`: an expected record is among the first k answers; `mrr`: one divided by its rank
 *   - `precision@10`: right answers ÷ answers; no answer at all is 0 if a right one exists, else 100
 *   - `half@10`: at least half of the right answers, or of as many as fit, are among the first ten
 *   - `leading@10`: right answers at the ranks that right answers could fill, with no wrong one before them
 *   - `empty`: no answer; `sound`: an answer without an error that is not a list of everything
 */
export const METRICS = [
  "hit@1",
  "hit@3",
  "hit@10",
  "mrr",
  "precision@10",
  "half@10",
  "leading@10",
  "empty",
  "sound",
] as const;

export type Metric = (typeof METRICS)[number];
export type Scores = Record<Metric, number>;

/** The scores of one answer. */
export function scoreReply({ text, hits, relevant }: LabelledQuery, { answers, failed }: Reply): Scores {
  const place = answers.findIndex(({ id }) => hits.includes(id)) + 1;
  const isRight = answers.map(({ id }) => relevant.includes(id));
  const possible = Math.min(ANSWERS, relevant.count);
  const leading = isRight.slice(0, possible).filter(Boolean).length;
  return {
    "hit@1": percent(place === 1),
    "hit@3": percent(place > 0 && place <= 3),
    "hit@10": percent(place > 0),
    mrr: place === 0 ? 0 : 100 / place,
    "precision@10": precision(isRight, possible > 0),
    "half@10": percent(2 * isRight.filter(Boolean).length >= possible),
    "leading@10": possible === 0 ? percent(answers.length === 0) : (100 * leading) / possible,
    empty: percent(answers.length === 0 && !failed),
    sound: percent(!failed && !answersAnything(text, isRight)),
  };
}

/**
 * The chance of a hit, in percent, for ten right answers in any order: if hundreds of names share a beginning,
 * nothing can know which one is meant.
 */
export function attainableHits({ hits, relevant }: LabelledQuery): number {
  let missing = 1;
  for (let place = 0; place < ANSWERS; place++) {
    missing *= Math.max(0, relevant.count - hits.count - place) / Math.max(1, relevant.count - place);
  }
  return 100 * (1 - missing);
}

/** The mean of each metric; not a number where there was no query. */
export function meanScores(scores: readonly Scores[]): Scores {
  const means = METRICS.map((metric) => [metric, mean(scores.map((each) => each[metric]))]);
  return Object.fromEntries(means) as Scores;
}

/** Not a number where there are no values. */
export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function precision(isRight: readonly boolean[], expected: boolean): number {
  if (isRight.length === 0) return percent(!expected);
  return (100 * isRight.filter(Boolean).length) / isRight.length;
}

/** True for a full page of answers to a text without a letter or digit, if some of them do not contain it. */
function answersAnything(text: string, isRight: readonly boolean[]): boolean {
  return isRight.length === ANSWERS && !/[\p{Letter}\p{Number}]/u.test(text) && isRight.includes(false);
}

function percent(reached: boolean): number {
  return reached ? 100 : 0;
}
