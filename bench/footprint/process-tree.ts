import { readdir, readFile } from "node:fs/promises";

/** The kernel counts a process's time in ticks, 100 a second everywhere. */
const TICKS = 100;

interface Stat {
  readonly pid: number;
  readonly parent: number;
  readonly name: string;
  /** In ticks, of children that have ended too. */
  readonly time: number;
}

/** CPU seconds that a process and all below it have used, those that have ended included. */
export async function readCpuS(root: number): Promise<number> {
  const tree = await readTree(root);
  return tree.reduce((sum, { time }) => sum + time, 0) / TICKS;
}

/** Memory of a process and all below it in MiB: what several share counts once (PSS). */
export async function readMemory(root: number): Promise<{ total: number; parts: Record<string, number> }> {
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
