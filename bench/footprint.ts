/**
 * Measures memory and CPU time of a site on a first and a second start with the demo data, beside another checkout.
 *
 * Usage:
 *   node bench/footprint.ts [checkout…]    this one by default; ratios are against the first
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import pLimit from "p-limit";
import { PAGE_TYPES } from "../test/helpers/page-types.ts";
import { tableOf } from "./report.ts";
import { withFolder } from "./site.ts";

const PAGE_VIEWS = 200;
/** The site is settled after this many seconds in a row, each with less CPU time than this. */
const QUIET = { seconds: 3, cpuS: 0.15, atMost: 120 };
/** The kernel counts a process's time in ticks, 100 a second everywhere. */
const TICKS = 100;
const HEAD = [
  "",
  "start",
  "answers after s",
  "CPU s",
  "settled MiB",
  `MiB after ${PAGE_VIEWS} pages`,
  "MiB of each",
];

interface Start {
  readonly answersAfterS: number;
  readonly cpuS: number;
  readonly settledMib: number;
  readonly viewedMib: number;
  readonly memory: Record<string, number>;
}

const checkouts = process.argv.slice(2).map((folder) => path.resolve(folder));
if (checkouts.length === 0) checkouts.push(path.join(import.meta.dirname, ".."));

const rows: (readonly unknown[])[] = [];
const reference: Start[] = [];
for (const checkout of checkouts) {
  await withFolder(async (home) => {
    for (const place of [0, 1]) {
      const start = await measureStart(checkout, home);
      reference[place] ??= start;
      const ratio = (figure: "cpuS" | "settledMib" | "viewedMib") =>
        `${start[figure].toFixed(1)} (${(start[figure] / (reference[place] ?? start)[figure]).toFixed(2)})`;
      const parts = Object.entries(start.memory).map(([name, mib]) => `${name} ${mib.toFixed(0)}`);
      const figures = [
        start.answersAfterS.toFixed(1),
        ratio("cpuS"),
        ratio("settledMib"),
        ratio("viewedMib"),
      ];
      rows.push([checkout, ["first", "second"][place], ...figures, parts.join(", ")]);
    }
  });
}
console.log(tableOf([HEAD, ...rows]));

async function measureStart(checkout: string, home: string): Promise<Start> {
  const began = performance.now();
  // As a stranger starts it, with the npm process that stays.
  const child = spawn("npm", ["start"], {
    cwd: checkout,
    env: { ...process.env, PORT: "0", DATA_DIR: home },
    stdio: ["ignore", "pipe", "inherit"],
    detached: true,
  });
  const pid = child.pid ?? 0;
  const ended = once(child, "exit");
  try {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    createInterface(child.stdout).on("line", (line) => {
      const address = / is at (http:\S+)/.exec(line)?.[1];
      if (address) resolve(address);
    });
    child.once("exit", (code) => reject(new Error(`the site ended with ${code}`)));
    const url = await promise;
    const answersAfterS = (performance.now() - began) / 1_000;
    await settle(pid);
    const cpuS = await readCpuS(pid);
    const settled = await readMemory(pid);
    await viewPages(url);
    await settle(pid);
    const viewed = await readMemory(pid);
    return { answersAfterS, cpuS, settledMib: settled.total, viewedMib: viewed.total, memory: viewed.parts };
  } finally {
    if (child.exitCode === null) process.kill(-pid, "SIGINT");
    await ended;
  }
}

/** Every page that visitors see, again and again, four at once as by a few visitors. */
async function viewPages(url: string): Promise<void> {
  const paths = PAGE_TYPES.filter(({ reader, status }) => reader === "visitor" && status === 200);
  const views = Array.from({ length: PAGE_VIEWS }, (_, n) => paths[n % paths.length]?.path ?? "/");
  await pLimit(4).map(views, async (page) => {
    const answer = await fetch(url + page);
    await answer.arrayBuffer();
    // Another checkout may lack a page.
    if (answer.status >= 500) throw new Error(`${page} was answered ${answer.status}`);
  });
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

interface Stat {
  readonly pid: number;
  readonly parent: number;
  readonly name: string;
  /** In ticks, of children that have ended too. */
  readonly time: number;
}

/** CPU seconds that a process and all below it have used, those that have ended included. */
async function readCpuS(root: number): Promise<number> {
  const tree = await readTree(root);
  return tree.reduce((sum, { time }) => sum + time, 0) / TICKS;
}

/** Memory of a process and all below it in MiB: what several share counts once (PSS). */
async function readMemory(root: number): Promise<{ total: number; parts: Record<string, number> }> {
  const parts: Record<string, number> = {};
  for (const { pid, name } of await readTree(root)) {
    const text = await readFile(`/proc/${pid}/smaps_rollup`, "utf8").catch(() => "");
    parts[name] = (parts[name] ?? 0) + Number(/^Pss:\s+(\d+)/m.exec(text)?.[1] ?? 0) / 1024;
  }
  return { total: Object.values(parts).reduce((sum, part) => sum + part, 0), parts };
}

async function readTree(root: number): Promise<Stat[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const texts = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/stat`, "utf8").catch(() => "")));
  const all = texts.filter((text) => text !== "").map(parseStat);
  const tree = all.filter(({ pid }) => pid === root);
  for (const found of tree) tree.push(...all.filter(({ parent }) => parent === found.pid));
  return tree;
}

/** The name, which may hold anything, stands in brackets; fields are counted from what follows it. */
function parseStat(text: string): Stat {
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const [parent = 0, ...times] = [1, 11, 12, 13, 14].map((index) => Number(fields[index]));
  const name = text.slice(text.indexOf("(") + 1, text.lastIndexOf(")"));
  return { pid: Number.parseInt(text, 10), parent, name, time: times.reduce((sum, time) => sum + time, 0) };
}
