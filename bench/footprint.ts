/**
 * Measures memory and CPU time of a site on a first and a second start with the demo data, beside another checkout.
 *
 * Usage:
 *   node bench/footprint.ts [checkout…]    this one by default; ratios are against the first
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { viewPages } from "./footprint/page-views.ts";
import { readCpuS, readMemory } from "./footprint/process-tree.ts";

const PAGE_VIEWS = 200;
/** The site is settled after this many seconds in a row, each with less CPU time than this. */
const QUIET = { seconds: 3, cpuS: 0.15, atMost: 120 };

interface Start {
  readonly answersAfterS: number;
  readonly cpuS: number;
  readonly settledMib: number;
  readonly viewedMib: number;
  readonly memory: Record<string, number>;
  readonly lines: string[];
}

const checkouts = process.argv.slice(2).map((folder) => path.resolve(folder));
if (checkouts.length === 0) checkouts.push(path.join(import.meta.dirname, ".."));

const starts = new Map<string, Start[]>();
for (const checkout of checkouts) {
  const home = await mkdtemp(path.join(tmpdir(), "almanac-footprint-"));
  try {
    starts.set(checkout, [await measureStart(checkout, home), await measureStart(checkout, home)]);
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}
report();

async function measureStart(checkout: string, home: string): Promise<Start> {
  const began = performance.now();
  // As a stranger starts it, with the npm process that stays.
  const child = spawn("npm", ["start"], {
    cwd: checkout,
    env: { ...process.env, PORT: "0", DATA_DIR: home },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  const lines: string[] = [];
  try {
    const url = await readAddress(child, lines);
    const pid = child.pid ?? 0;
    const answersAfterS = (performance.now() - began) / 1_000;
    await settle(pid);
    const cpuS = await readCpuS(pid);
    const settled = await readMemory(pid);
    await viewPages(url, PAGE_VIEWS);
    await settle(pid);
    const viewed = await readMemory(pid);
    return {
      answersAfterS,
      cpuS,
      settledMib: settled.total,
      viewedMib: viewed.total,
      memory: viewed.parts,
      lines,
    };
  } finally {
    const ended = once(child, "exit");
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, "SIGINT");
    await ended;
  }
}

async function readAddress(child: ChildProcess, lines: string[]): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  for (const stream of [child.stdout, child.stderr]) {
    if (!stream) continue;
    createInterface({ input: stream }).on("line", (line) => {
      lines.push(line);
      const url = / is at (http:\S+)/.exec(line)?.[1];
      if (url !== undefined) resolve(url);
    });
  }
  child.once("exit", (code) => reject(new Error(`the site ended with ${code}:\n${lines.join("\n")}`)));
  return promise;
}

async function settle(pid: number): Promise<void> {
  let before = await readCpuS(pid);
  for (let second = 0, quiet = 0; second < QUIET.atMost && quiet < QUIET.seconds; second += 1) {
    await pause(1_000);
    const now = await readCpuS(pid);
    quiet = now - before < QUIET.cpuS ? quiet + 1 : 0;
    before = now;
  }
}

function report(): void {
  const [reference] = checkouts.map((checkout) => starts.get(checkout) ?? []);
  for (const [checkout, both] of starts) {
    console.log(`\n${checkout}`);
    both.forEach((start, index) => {
      const base = reference?.[index] ?? start;
      const figures = [
        `answers after ${start.answersAfterS.toFixed(1)} s`,
        `CPU ${withRatio(start.cpuS, base.cpuS, "s")}`,
        `settled ${withRatio(start.settledMib, base.settledMib, "MiB")}`,
        `after ${PAGE_VIEWS} pages ${withRatio(start.viewedMib, base.viewedMib, "MiB")}`,
        `${start.lines.length} lines printed, ${start.lines.filter((line) => line.startsWith("{")).length} of them JSON`,
      ];
      console.log(`  ${index === 0 ? "first" : "second"} start: ${figures.join(", ")}`);
      const parts = Object.entries(start.memory).map(([name, mib]) => `${name} ${mib.toFixed(0)}`);
      console.log(`    MiB: ${parts.join(", ")}`);
    });
  }
}

function withRatio(value: number, base: number, unit: string): string {
  return `${value.toFixed(1)} ${unit} (${(value / base).toFixed(2)})`;
}
