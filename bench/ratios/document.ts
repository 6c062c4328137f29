import { mkdir, writeFile } from "node:fs/promises";
import { cpus } from "node:os";
import path from "node:path";
import { chartOf } from "./chart.ts";
import { TOLERANCE } from "./committed.ts";
import type { Setting } from "./measured-site.ts";
import { type Row, tableOf } from "./table.ts";

const DOCS = path.join(import.meta.dirname, "../../docs");

/** The machine and the data of a run, in a sentence. */
export async function describeMachine({ db, pinned, items }: Setting): Promise<string> {
  const postgres = (await db.raw("show server_version")).rows[0].server_version;
  const { count } = (await db("items").count({ count: "*" }).first()) ?? {};
  const cores = pinned ? "servers and load on a core each" : "servers and load on shared cores";
  const [{ model } = { model: "unknown" }] = cpus();
  if (items.length === 0) throw new Error("there are no items");
  return (
    `Measured on ${cpus().length} cores (${model.trim()}), ${cores}, with ` +
    `Node ${process.versions.node}, Postgres ${postgres} and ${count} items.`
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

- A ratio is the site's requests a second over a bare server's, at 8 connections, each server in a process of its own. It
  is the median of at least 5 pairs of measurements in one run. The database may use all cores.
- Both send the same bytes, uncompressed, so that compression does not count. The run fails if they differ, or on an
  unexpected status. Answers of searches and nicknames vary: their mean sizes must agree within 10 %.
- \`p99 at 64\` is the site's over the baseline's, at most 2. \`256 of 64\` compares the requests a second at 256 and at 64
  connections, at least 0.9.
- *EJS*: a template of one loop (\`bench/ratios/page.ejs\`) over the parts of the page, ready in memory. It writes markup
  as it is and escapes each text; the view cache is on.
- *one SELECT*: by primary key from the same items, then \`res.json\` of the site's answers. Cold searches and those with
  a typo are all different; hot ones are 300 that repeat.
- \`npm run bench -- --check\` fails when a ratio is more than ${TOLERANCE * 100} % below \`bench/ratios/committed.json\`.
`;
}
