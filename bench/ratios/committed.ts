import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Row } from "./table.ts";

/** The ratio of each line by its name. */
export type Ratios = Readonly<Record<string, number>>;

/** How much less than the committed ratio counts as noise: two whole runs differed by 19 % in one line, 10 % in the others. */
export const TOLERANCE = 0.25;

const FILE = path.join(import.meta.dirname, "committed.json");

export async function readCommitted(): Promise<Ratios> {
  const text = await readFile(FILE, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") throw new Error("no ratios are committed yet; run npm run bench first");
    throw error;
  });
  return JSON.parse(text);
}

export async function writeCommitted(rows: readonly Row[]): Promise<void> {
  const ratios = Object.fromEntries(
    rows.map(({ line, figures }) => [line.name, Number(figures.ratio.toPrecision(3))]),
  );
  await writeFile(FILE, `${JSON.stringify(ratios, null, 2)}\n`);
}

/** A sentence for each line that is slower than it was, and for each that has no committed ratio. */
export function compareWithCommitted(rows: readonly Row[], committed: Ratios): string[] {
  return rows.flatMap(({ line: { name }, figures: { ratio } }) => {
    const before = committed[name];
    if (before === undefined) return [`${name}: no ratio is committed; run npm run bench`];
    if (ratio >= before * (1 - TOLERANCE)) return [];
    const less = Math.round((1 - ratio / before) * 100);
    return [
      `${name}: slower by ${less} % (ratio ${ratio.toPrecision(3)}, committed ${before}, noise up to ${TOLERANCE * 100} %)`,
    ];
  });
}
