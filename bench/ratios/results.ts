/** What a run says: a table, the page docs/performance.md with its chart, and the committed ratios. */
import { readFile, writeFile } from "node:fs/promises";
import { cpus } from "node:os";
import path from "node:path";
import { tableOf } from "../report.ts";
import type { Line } from "./lines.ts";
import type { Figures } from "./measure.ts";
import type { Setting } from "./measured-site.ts";

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
/** How much less than the committed ratio counts as noise: two whole runs differed by 19 % in one line, 10 % in the others. */
const TOLERANCE = 0.25;

const DOCS = path.join(import.meta.dirname, "../../docs");
const COMMITTED = path.join(import.meta.dirname, "committed.json");

const BASELINES = {
  bytes: "bare node:http",
  json: "Express, `res.json`",
  row: "Express, one SELECT",
  page: "Express, EJS",
};
const HEAD = ["line", "against", "bytes", "req/s", "ratio", "target", "", "p99 at 64", "256 of 64"];

/** The machine and the data of a run, in a sentence. */
export async function describeMachine({ db, pinned }: Setting): Promise<string> {
  const { rows } = await db.raw(
    "select current_setting('server_version') as postgres, count(*) as items from items",
  );
  const cores = pinned ? "servers and load on a core each" : "servers and load on shared cores";
  return (
    `Measured on ${cpus().length} cores (${cpus()[0]?.model.trim()}), ${cores}, with Node ${process.versions.node}, ` +
    `Postgres ${rows[0].postgres} and ${rows[0].items} items.`
  );
}

/** A Markdown table. */
export function describeRows(rows: readonly Row[]): string {
  const cells = rows.map(({ line, figures, p99At64, kept256 }) => [
    line.name,
    line.revalidates ? "Express, `res.json` of 200 bytes" : BASELINES[line.baseline],
    figures.bytes,
    figures.perSecond.toFixed(figures.perSecond < 10 ? 1 : 0),
    figures.ratio.toFixed(3),
    line.target,
    figures.ratio >= line.target ? "pass" : "miss",
    p99At64 === undefined ? "" : `${p99At64.toFixed(2)} ${p99At64 <= MOST_P99 ? "pass" : "miss"}`,
    kept256 === undefined ? "" : `${kept256.toFixed(2)} ${kept256 >= LEAST_KEPT ? "pass" : "miss"}`,
  ]);
  return tableOf([HEAD, ...cells]);
}

/** A sentence for each line that is slower than it was, and for each that has no committed ratio. */
export async function compareWithCommitted(rows: readonly Row[]): Promise<string[]> {
  const committed = JSON.parse(await readFile(COMMITTED, "utf8"));
  return rows.flatMap(({ line: { name }, figures: { ratio } }) => {
    const before = committed[name];
    if (before === undefined) return [`${name}: no ratio is committed; run npm run bench`];
    if (ratio >= before * (1 - TOLERANCE)) return [];
    const less = Math.round((1 - ratio / before) * 100);
    return [`${name}: slower by ${less} % (ratio ${ratio.toPrecision(3)}, committed ${before})`];
  });
}

export async function writeResults(rows: readonly Row[], machine: string): Promise<void> {
  const ratios = rows.map(({ line, figures }) => [line.name, Number(figures.ratio.toPrecision(3))]);
  await writeFile(COMMITTED, `${JSON.stringify(Object.fromEntries(ratios), null, 2)}\n`);
  await writeFile(
    path.join(DOCS, "performance.md"),
    `# Performance

\`npm run bench\` writes this page. ${machine}

${describeRows(rows)}

- A ratio is the site's requests a second over a bare server's, at 8 connections, each server in a process of its own. It
  is the median of at least 5 pairs of measurements in one run. The database may use all cores.
- Both send the same bytes, uncompressed, so that compression does not count. The run fails if they differ, or on an
  unexpected status. Answers of searches and nicknames vary: their mean sizes must agree within 10 %.
- \`p99 at 64\` is the site's over the baseline's, at most ${MOST_P99}. \`256 of 64\` compares the requests a second at 256
  and at 64 connections, at least ${LEAST_KEPT}.
- *EJS*: a template of one loop (\`bench/ratios/page.ejs\`) over the parts of the page, ready in memory. It writes markup
  as it is and escapes each text; the view cache is on.
- *one SELECT*: by primary key from the same items, then \`res.json\` of the site's answers. Cold searches and those with
  a typo are all different; hot ones are 300 that repeat.
- \`npm run bench -- --check\` fails when a ratio is more than ${TOLERANCE * 100} % below \`bench/ratios/committed.json\`.
`,
  );
}
