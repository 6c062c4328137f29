/**
 * What Lighthouse says of the pages that most people come to, as the median of several runs: on a desktop, and on a
 * slow phone with a slow network. Usage: node bench/lighthouse.ts [runs]
 *
 * Lighthouse is fetched by npm when this runs: it is larger than the rest of the site's packages together.
 */
import { execFile } from "node:child_process";
import { readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { CHROMIUM, CHROMIUM_FLAGS } from "../test/helpers/chromium.ts";
import { withSite } from "./site.ts";

const LIGHTHOUSE = "lighthouse@12.8.2";
const PAGES = ["/", "/vehicles", "/items/weapon-24", "/servers"];
const CATEGORIES = ["performance", "accessibility", "best-practices", "seo"] as const;
const WANTED = { performance: 98, accessibility: 100, "best-practices": 100, seo: 100 };

type Scores = Record<(typeof CATEGORIES)[number], number>;

interface Report {
  categories: Record<string, { score: number; auditRefs: { id: string; weight: number }[] }>;
  audits: Record<string, { score: number | null; title: string; numericValue?: number }>;
}

const runs = Number(process.argv[2] ?? 5);
const failed = await withSite(async ({ url }) => {
  let failures = 0;
  for (const page of PAGES) {
    for (const preset of ["desktop", "mobile"] as const) {
      const reports: Report[] = [];
      for (let run = 0; run < runs; run++) reports.push(await auditOrAgain(url + page, preset));
      const scores = medians(reports);
      const isGood = CATEGORIES.every((name) => scores[name] >= WANTED[name]);
      if (!isGood) failures++;
      const figures = CATEGORIES.map((name) => `${name} ${scores[name]}`).join(" · ");
      console.log(`${isGood ? "ok  " : "LOW "} ${page} ${preset}: ${figures} · ${timesOf(reports)}`);
      for (const title of lost(reports)) console.log(`       ${title}`);
    }
  }
  return failures;
});
console.log(failed === 0 ? "PASS" : `${failed} below what is wanted`);
process.exitCode = failed === 0 ? 0 : 1;

/** A recording of the browser's goes wrong now and then ("NO_NAVSTART"); that says nothing of the page. */
async function auditOrAgain(url: string, preset: "desktop" | "mobile"): Promise<Report> {
  return audit(url, preset).catch(() => audit(url, preset));
}

async function audit(url: string, preset: "desktop" | "mobile"): Promise<Report> {
  const file = path.join(tmpdir(), `almanac-lighthouse-${process.pid}.json`);
  const options = preset === "desktop" ? ["--preset=desktop"] : [];
  await promisify(execFile)(
    "npx",
    [
      "--yes",
      LIGHTHOUSE,
      url,
      "--quiet",
      "--output=json",
      `--output-path=${file}`,
      `--chrome-flags=${CHROMIUM_FLAGS.join(" ")}`,
      ...options,
    ],
    { env: { ...process.env, CHROME_PATH: CHROMIUM }, maxBuffer: 1 << 26 },
  );
  const report: Report = JSON.parse(await readFile(file, "utf8"));
  await rm(file);
  return report;
}

function medians(reports: Report[]): Scores {
  const of = (name: string) => median(reports.map(({ categories }) => (categories[name]?.score ?? 0) * 100));
  return Object.fromEntries(CATEGORIES.map((name) => [name, Math.round(of(name))])) as Scores;
}

/** First contentful paint, largest contentful paint, blocking time and shifts, each a median. */
function timesOf(reports: Report[]): string {
  const of = (id: string) => median(reports.map(({ audits }) => audits[id]?.numericValue ?? Number.NaN));
  const ms = (id: string) => `${Math.round(of(id))} ms`;
  const shifts = of("cumulative-layout-shift").toFixed(3);
  return `FCP ${ms("first-contentful-paint")}, LCP ${ms("largest-contentful-paint")}, TBT ${ms("total-blocking-time")}, CLS ${shifts}`;
}

/** What took points off in the last run. */
function lost(reports: Report[]): string[] {
  const { categories, audits } = reports.at(-1) ?? { categories: {}, audits: {} };
  const counted = Object.values(categories).flatMap(({ auditRefs }) =>
    auditRefs.filter(({ weight }) => weight > 0).map(({ id }) => id),
  );
  return [...new Set(counted)].flatMap((id) => {
    const { score = null, title = id } = audits[id] ?? {};
    return score !== null && score < 0.9 ? [`${title} (${id}: ${score})`] : [];
  });
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
