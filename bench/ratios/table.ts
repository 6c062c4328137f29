import type { Line } from "./lines.ts";
import type { Figures } from "./measure.ts";

export interface Row {
  readonly line: Line;
  readonly figures: Figures;
  /** Site over baseline. */
  readonly p99At64?: number;
  /** Requests a second at 256 connections over those at 64. */
  readonly kept256?: number;
}

/** What must hold at many connections, on each line. */
const MOST_P99 = 2;
const LEAST_KEPT = 0.9;

const BASELINES = {
  bytes: "bare node:http",
  json: "Express, `res.json`",
  row: "Express, one SELECT",
  page: "Express, EJS",
};
const HEAD = ["line", "against", "bytes", "req/s", "ratio", "target", "", "p99 at 64", "256 of 64"];

/** A Markdown table. */
export function tableOf(rows: readonly Row[]): string {
  return [HEAD, HEAD.map(() => "---"), ...rows.map(cellsOf)]
    .map((cells) => `| ${cells.join(" | ")} |`)
    .join("\n");
}

export function holds({ line, figures }: Row): boolean {
  return figures.ratio >= line.target;
}

function cellsOf(row: Row): string[] {
  const { line, figures, p99At64, kept256 } = row;
  return [
    line.name,
    line.revalidates ? "Express, `res.json` of 200 bytes" : BASELINES[line.baseline],
    String(figures.bytes),
    figures.perSecond.toFixed(figures.perSecond < 10 ? 1 : 0),
    figures.ratio.toFixed(3),
    String(line.target),
    holds(row) ? "pass" : "miss",
    judged(p99At64, (ratio) => ratio <= MOST_P99),
    judged(kept256, (share) => share >= LEAST_KEPT),
  ];
}

function judged(figure: number | undefined, passes: (figure: number) => boolean): string {
  if (figure === undefined) return "";
  return `${figure.toFixed(2)} ${passes(figure) ? "pass" : "miss"}`;
}
