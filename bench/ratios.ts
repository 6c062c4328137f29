/**
 * Measures how fast each path answers, as a ratio to a bare server that sends the same bytes, both in turn in one
 * run.
 *
 * Fills a throw-away Postgres with items and 60 servers with a day of history, pins servers and load to a core each,
 * and takes medians over all pairs. A whole run writes docs/performance.md and
 * bench/ratios/committed.json; one with options only prints. `--check` fails if a ratio is worse than the committed
 * one. `--only` selects lines by the beginning of their names: all searches are `items-search,search`.
 *
 * Usage:
 *   npm run bench [-- --check] [--only sitemap,home] [--names 1000000] [--connections 8|64|256] [--pairs 5] [--seconds 1]
 */
import { parseArgs } from "node:util";
import { type Line, listLines } from "./ratios/lines.ts";
import { type Effort, prepareComparison } from "./ratios/measure.ts";
import { type Setting, withSetting } from "./ratios/measured-site.ts";
import {
  compareWithCommitted,
  describeMachine,
  describeRows,
  type Row,
  writeResults,
} from "./ratios/results.ts";

const { values } = parseArgs({
  options: {
    check: { type: "boolean" },
    only: { type: "string" },
    names: { type: "string", default: "100000" },
    connections: { type: "string", default: "8" },
    pairs: { type: "string", default: "5" },
    seconds: { type: "string" },
  },
});
const isWhole =
  values.only === undefined && values.names === "100000" && values.connections === "8" && !values.check;
const wanted = values.only?.split(",") ?? [""];
const effort: Effort = {
  connections: Number(values.connections),
  pairs: Number(values.pairs),
  seconds: Number(values.seconds ?? (values.check ? "0.6" : "1")),
};

await withSetting(Number(values.names), async (setting) => {
  if (!setting.pinned) console.error("Servers and load share their cores: no taskset, or a single core.");
  const rows: Row[] = [];
  for (const line of listLines(setting.items)) {
    if (!wanted.some((beginning) => line.name.startsWith(beginning))) continue;
    const row = await measure(setting, line);
    rows.push(row);
    console.error(`${line.name}: ${row.figures.ratio.toFixed(3)}`);
  }
  if (rows.length === 0) throw new Error(`there is no line that begins with "${values.only}"`);
  const machine = await describeMachine(setting);
  console.log(`${machine}\n\n${describeRows(rows)}`);
  if (isWhole) await writeResults(rows, machine);
  if (!values.check) return;
  const worse = await compareWithCommitted(rows);
  console.log(worse.join("\n") || "No ratio is worse than the committed one beyond noise.");
  if (worse.length > 0) process.exitCode = 1;
});

/** At 64 and 256 connections only where a whole table is made. */
async function measure(setting: Setting, line: Line): Promise<Row> {
  const compare = await prepareComparison(setting, line);
  const figures = await compare(effort);
  if (!isWhole) return { line, figures };
  const many = { pairs: 3, seconds: effort.seconds };
  const at64 = await compare({ ...many, connections: 64 });
  const at256 = await compare({ ...many, connections: 256 });
  return { line, figures, p99At64: at64.p99Ratio, kept256: at256.perSecond / at64.perSecond };
}
