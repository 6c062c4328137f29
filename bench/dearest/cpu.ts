import { readdir, readFile } from "node:fs/promises";

/** Of the system's clock in which the kernel counts a process's time, in milliseconds: 100 ticks a second everywhere. */
const TICK_MS = 10;

/** CPU time that node and Postgres have used so far, in milliseconds, to a tick of 10 ms. */
export interface CpuTimes {
  readonly node: number;
  readonly postgres: number;
}

/** A backend that has ended is in the time of the postmaster's children. https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html */
export async function readCpuTimes({
  pid,
  postmaster,
}: {
  pid: number;
  postmaster: number;
}): Promise<CpuTimes> {
  const all = await readStats();
  const node = all.find((process) => process.pid === pid);
  const postgres = all.filter((process) => process.pid === postmaster || process.parent === postmaster);
  return {
    node: (node?.own ?? 0) * TICK_MS,
    postgres: postgres.reduce((sum, { own, children }) => sum + own + children, 0) * TICK_MS,
  };
}

async function readStats() {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const texts = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/stat`, "utf8").catch(() => "")));
  return texts.filter((text) => text !== "").map(parseStat);
}

/** The name, which may hold anything, stands in brackets; fields are counted from what follows it. */
function parseStat(text: string) {
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const [parent = 0, user = 0, system = 0, childUser = 0, childSystem = 0] = [1, 11, 12, 13, 14].map(
    (index) => Number(fields[index]),
  );
  return { pid: Number.parseInt(text, 10), parent, own: user + system, children: childUser + childSystem };
}
