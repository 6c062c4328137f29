import { type Measured, median } from "./measure.ts";

export const GROUPS = ["plain", "forgiving", "hot"] as const;
export type Group = (typeof GROUPS)[number];

/** One line of the table: a workload at one size and one number of connections, beside both baselines. */
export interface Line extends Measured {
  readonly group: Group;
  readonly names: number;
  readonly connections: number;
  /** One of the two bare apps themselves. */
  readonly baseline: boolean;
  /** Requests a second as a share of bare `res.json` of the same bytes. */
  readonly toAnswers: number;
  /** Requests a second as a share of the app with one SELECT by primary key. */
  readonly toRow: number;
}

/** A figure that must hold, and whether it did. */
export interface Verdict {
  readonly target: string;
  readonly measured: string;
  readonly holds: boolean;
}

const MINIMUM = { plainToRow: 0.6, hotToAnswers: 0.9 };
const MAXIMUM = { plainP99: 15, forgivingP95: 40, growth: 2 };

export function tableHead(): string {
  return row(["names", "conn", "class", "req/s", "p50 ms", "p95 ms", "p99 ms", "x json", "x row"]);
}

export function tableLine(line: Line): string {
  return row([
    String(line.names),
    String(line.connections),
    line.name,
    line.perSecond.toFixed(0),
    ...[line.p50, line.p95, line.p99, line.toAnswers, line.toRow].map((figure) => figure.toFixed(2)),
  ]);
}

/** The targets that the measured lines can tell of. */
export function judge(lines: readonly Line[]): Verdict[] {
  const largest = Math.max(...lines.map(({ names }) => names));
  const atLargest = lines.filter(({ names }) => names === largest);
  const plain = ofGroup(atLargest, "plain");
  return [
    lowest("plain, cold, of the primary-key app", plain, "toRow", MINIMUM.plainToRow),
    highest("plain, p99 at 8 connections", at(plain, 8), "p99", MAXIMUM.plainP99),
    highest(
      "forgiving, p95 one at a time",
      at(ofGroup(atLargest, "forgiving"), 1),
      "p95",
      MAXIMUM.forgivingP95,
    ),
    lowest("hot, of bare res.json", ofGroup(atLargest, "hot"), "toAnswers", MINIMUM.hotToAnswers),
    ...growthOf(ofGroup(lines, "plain"), largest),
  ].filter((verdict) => verdict !== undefined);
}

function ofGroup(lines: readonly Line[], group: Group): Line[] {
  return lines.filter((line) => line.group === group);
}

function at(lines: readonly Line[], connections: number): Line[] {
  return lines.filter((line) => line.connections === connections);
}

function lowest(
  target: string,
  lines: Line[],
  field: "toRow" | "toAnswers",
  bound: number,
): Verdict | undefined {
  const [worst] = lines.toSorted((a, b) => a[field] - b[field]);
  if (!worst) return undefined;
  const middle = median(lines.map((line) => line[field])).toFixed(2);
  return {
    target: `${target}: at least ${bound}`,
    measured: `${worst[field].toFixed(2)} (${describe(worst)}), median ${middle}`,
    holds: worst[field] >= bound,
  };
}

function highest(target: string, lines: Line[], field: "p95" | "p99", bound: number): Verdict | undefined {
  const [worst] = lines.toSorted((a, b) => b[field] - a[field]);
  if (!worst) return undefined;
  return {
    target: `${target}: under ${bound} ms`,
    measured: `${worst[field].toFixed(2)} ms (${describe(worst)})`,
    holds: worst[field] < bound,
  };
}

/** How the median of the plain classes' medians grows from the smallest catalogue to the largest, one at a time. */
function growthOf(plain: Line[], largest: number): Verdict[] {
  const smallest = Math.min(...plain.map(({ names }) => names));
  if (plain.length === 0 || smallest === largest) return [];
  const connections = Math.min(...plain.map((line) => line.connections));
  const medianAt = (size: number) =>
    median(at(plain, connections).flatMap(({ names, p50 }) => (names === size ? [p50] : [])));
  const [before, after] = [medianAt(smallest), medianAt(largest)];
  const growth = after / before;
  return [
    {
      target: `plain, growth of the median from ${smallest} to ${largest} names: under ${MAXIMUM.growth} times`,
      measured: `${growth.toFixed(2)} times (${before.toFixed(3)} ms to ${after.toFixed(3)} ms)`,
      holds: growth < MAXIMUM.growth,
    },
  ];
}

function describe({ name, connections }: Line): string {
  return `${name}, ${connections} connection${connections === 1 ? "" : "s"}`;
}

function row(cells: string[]): string {
  const widths = [8, 5, 30, 8, 9, 9, 9, 8, 8];
  return cells
    .map((cell, n) => (n === 2 ? cell.padEnd(widths[n] ?? 0) : cell.padStart(widths[n] ?? 0)))
    .join(" ");
}
