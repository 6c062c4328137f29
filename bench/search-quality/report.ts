import type { ClassResult } from "./measure.ts";
import type { QueryClass } from "./query-class.ts";
import { METRICS, type Metric, mean, meanScores, type Scores } from "./score.ts";
import { align, figure } from "./table.ts";

/** One class with the results of every engine, Almanac's first. */
export interface ClassReport {
  queryClass: QueryClass;
  queries: number;
  /** The hit@10 that chance gives to a search whose every answer is right; less than 100 where many share a name's part. */
  attainable: number;
  results: { engine: string; result: ClassResult }[];
}

/** A figure that has to be reached. */
interface Figure {
  className: string;
  metric: Metric;
  queries: number;
  /** Undefined where only the peers are compared. */
  asked: number | undefined;
  ours: number;
  peers: number[];
  failing: string;
}

/** The attainable value is an average; an order may be unlucky with a few hundred queries. */
const LUCK = 0.95;

/** The mean of several runs, class by class. */
export function meanReport(runs: readonly ClassReport[][]): ClassReport[] {
  const [first = []] = runs;
  return first.map(({ queryClass, results }, place) => {
    const same = runs.flatMap((run) => run[place] ?? []).filter(({ queries }) => queries > 0);
    return {
      queryClass,
      queries: same.reduce((sum, { queries }) => sum + queries, 0),
      attainable: mean(same.map(({ attainable }) => attainable)),
      results: results.map(({ engine }, column) => {
        const each = same.flatMap((report) => report.results[column]?.result ?? []);
        const medianMs = mean(each.map((result) => result.medianMs));
        return {
          engine,
          result: { scores: meanScores(each.map(({ scores }) => scores)), medianMs, misses: [] },
        };
      }),
    };
  });
}

/** A line for each target: the target, our figure, each peer's, and what is missed. */
export function describeTargets(reports: readonly ClassReport[]): string[] {
  const peers = reports[0]?.results.slice(1).map(({ engine }) => engine) ?? [];
  const header = ["class", "metric", "queries", "asked", "Almanac", ...peers, ""];
  const rows = reports
    .flatMap(figuresOf)
    .map(({ className, metric, queries, asked, ours, peers: others, failing }) => [
      className,
      metric,
      String(queries),
      figure(asked),
      figure(ours),
      ...others.map(figure),
      failing,
    ]);
  return align([header, ...rows], 2);
}

/** True if a figure is below its target or below a peer's. */
export function isFailing(reports: readonly ClassReport[]): boolean {
  return reports.flatMap(figuresOf).some(({ failing }) => failing !== "");
}

/** A line for each class with every metric of Almanac's. */
export function describeMetrics(reports: readonly ClassReport[]): string[] {
  const rows = reports.map(({ queryClass, results }) => [
    queryClass.name,
    ...METRICS.map((metric) => figure(results[0]?.result.scores[metric] ?? Number.NaN)),
  ]);
  return align([["class", ...METRICS], ...rows], 1);
}

/** A line for each class with how long a query takes, in milliseconds; Almanac's time includes HTTP. */
export function describeTimes(reports: readonly ClassReport[]): string[] {
  const engines = reports[0]?.results.map(({ engine }) => engine) ?? [];
  const rows = reports.map(({ queryClass, results }) => [
    queryClass.name,
    ...results.map(({ result }) => figure(result.medianMs)),
  ]);
  return align([["class", ...engines], ...rows], 1);
}

/** The figures of every class and engine, as JSON can hold them. */
export function toPlain(reports: readonly ClassReport[]) {
  return reports.map(({ queryClass, queries, attainable, results }) => ({
    class: queryClass.name,
    queries,
    attainable,
    engines: results.map(({ engine, result: { scores, medianMs } }) => ({ engine, scores, medianMs })),
  }));
}

/** The first misses of each class: what was typed, what was meant, what was answered. */
export function describeMisses(reports: readonly ClassReport[], count: number): string[] {
  return reports.flatMap(({ queryClass, results }) => {
    const misses = results[0]?.result.misses ?? [];
    const lines = misses
      .slice(0, count)
      .flatMap(({ query, reply, scores }) => [
        `  ${JSON.stringify(query.text)} for ${query.meant}: ${describeScores(queryClass, scores)}`,
        ...(reply.failed ? [`      ${reply.failed}`] : []),
        ...reply.answers.map(({ id, label }) => `    ${query.relevant.includes(id) ? "+" : "-"} ${label}`),
      ]);
    return lines.length === 0 ? [] : [`${queryClass.name}: ${misses.length} misses`, ...lines, ""];
  });
}

function describeScores({ targets }: QueryClass, scores: Scores): string {
  return targets.map(({ metric }) => `${metric} ${figure(scores[metric])}`).join(", ");
}

function figuresOf({ queryClass, queries, attainable, results }: ClassReport): Figure[] {
  if (queries === 0) return [];
  return queryClass.targets.map(({ metric, atLeast, withoutPeers }) => {
    const [ours = Number.NaN, ...peers] = results.map(({ result }) => result.scores[metric]);
    const asked = metric === "hit@10" && atLeast ? Math.min(atLeast, attainable * LUCK) : atLeast;
    const failing = [
      ...(isBelow(ours, asked ?? 0) ? ["below what is asked"] : []),
      ...(!withoutPeers && isBelow(ours, Math.max(0, ...peers)) ? ["behind a peer"] : []),
    ].join(", ");
    return { className: queryClass.name, metric, queries, asked, ours, peers, failing };
  });
}

/** Sums in another order differ in the last bits. */
function isBelow(value: number, limit: number): boolean {
  return !(value >= limit - 1e-9);
}
