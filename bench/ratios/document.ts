import { execFileSync } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { cpus } from "node:os";
import path from "node:path";
import { chartOf } from "./chart.ts";
import { TOLERANCE } from "./committed.ts";
import type { Setting } from "./measured-site.ts";
import { type Row, tableOf } from "./table.ts";

const DOCS = path.join(import.meta.dirname, "../../docs");

/** Date, commit and machine of a run, in a sentence. */
export async function describeMachine({ db, pinned, items }: Setting): Promise<string> {
  const commit = execFileSync("git", ["describe", "--always", "--dirty"], { encoding: "utf8" }).trim();
  const postgres = (await db.raw("show server_version")).rows[0].server_version;
  const { count } = (await db("items").count({ count: "*" }).first()) ?? {};
  const cores = pinned ? "servers and load on a core each" : "servers and load on shared cores";
  const [{ model } = { model: "unknown" }] = cpus();
  if (items.length === 0) throw new Error("there are no items");
  return (
    `${new Date().toISOString().slice(0, 10)}, commit ${commit}; ${cpus().length} cores (${model.trim()}), ${cores}; ` +
    `Node ${process.versions.node}, Postgres ${postgres}; ${count} items.`
  );
}

export async function writeDocument(rows: readonly Row[], machine: string): Promise<void> {
  await mkdir(path.join(DOCS, "img"), { recursive: true });
  await writeFile(path.join(DOCS, "img/performance.svg"), chartOf(rows));
  await writeFile(path.join(DOCS, "performance.md"), text(rows, machine));
}

function text(rows: readonly Row[], machine: string): string {
  return `# Performance

\`npm run bench\` writes this page. ${machine}

![Ratio of each line to its target](img/performance.svg)

${tableOf(rows)}

- A ratio is requests a second of the site over those of a bare server in the same run, at 8 connections, each from a
  process of its own: the median of at least 5 pairs that were measured one after the other. The database may use
  all cores.
- Both send the same bytes, uncompressed (the load asks for no encoding: what a baseline would compress, and how well, is
  another question); the run fails where they differ, or where a status is not the expected one. Searches and nicknames
  answer many things: there the means must agree within 10 %.
- \`p99 at 64\` is the site's over the baseline's, at most 2; \`256 of 64\` the requests a second at 256 connections over
  those at 64, at least 0.9.
- *EJS*: a template of one loop (\`bench/ratios/page.ejs\`) over the page itself, cut before its texts: markup as it is,
  each text escaped, all of it ready in memory, the view cache on.
- *one SELECT*: by primary key from the same items, then \`res.json\` of what the site answers. Cold searches and those
  with a typo are all different; hot ones are 300 that repeat.
- \`npm run bench -- --check\` fails when a ratio is more than ${TOLERANCE * 100} % below \`bench/ratios/committed.json\`.
`;
}
