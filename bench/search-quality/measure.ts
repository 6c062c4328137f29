import type { Engine, Reply } from "./engines/engine.ts";
import type { LabelledQuery, QueryClass } from "./query-class.ts";
import { meanScores, type Scores, scoreReply } from "./score.ts";

/** What one engine did with the queries of one class. */
export interface ClassResult {
  scores: Scores;
  medianMs: number;
  /** Queries that fall short in a metric of the class's targets, with what was answered. */
  misses: { query: LabelledQuery; reply: Reply; scores: Scores }[];
}

/**
 * Asks an engine all queries of a class, one after the other.
 * @throws what the engine throws, unless the class is there to find that out
 */
export async function measure(
  engine: Engine,
  { targets }: QueryClass,
  queries: readonly LabelledQuery[],
): Promise<ClassResult> {
  const [all, times]: [Scores[], number[]] = [[], []];
  const misses: ClassResult["misses"] = [];
  const isHostile = targets.some(({ metric }) => metric === "sound");
  for (const query of queries) {
    const started = performance.now();
    const reply = await (isHostile ? askHostile(engine, query.text) : engine.search(query.text));
    times.push(performance.now() - started);
    const scores = scoreReply(query, reply);
    all.push(scores);
    if (targets.some(({ metric }) => scores[metric] < 100)) misses.push({ query, reply, scores });
  }
  return { scores: meanScores(all), medianMs: median(times), misses };
}

/** What an engine throws at hostile text, such as Postgres's refusal of NUL, is one more way to answer. */
async function askHostile(engine: Engine, text: string): Promise<Reply> {
  try {
    return await engine.search(text);
  } catch (error) {
    return { answers: [], failed: String(error) };
  }
}

function median(values: readonly number[]): number {
  return [...values].sort((left, right) => left - right)[Math.floor(values.length / 2)] ?? Number.NaN;
}
