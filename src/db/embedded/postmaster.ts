import { execFile } from "node:child_process";
import { readFile, stat } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";

/** The lock file of a running server, or of one that died. */
export interface PostmasterFile {
  readonly pid: number;
  readonly port: number;
  /** True if it accepts connections. */
  readonly ready: boolean;
}

/** Lines: pid, directory, start, port, socket directory, address, shared memory, status.
 * https://github.com/postgres/postgres/blob/REL_18_STABLE/src/include/utils/pidfile.h */
export async function readPostmasterFile(directory: string): Promise<PostmasterFile | null> {
  const text = await readFile(path.join(directory, "postmaster.pid"), "utf8").catch(rejectUnlessMissing);
  const [pid, , , port, , , , status = ""] = text?.split("\n") ?? [];
  if (!Number(pid)) return null;
  return { pid: Number(pid), port: Number(port), ready: status.trim() === "ready" };
}

function rejectUnlessMissing(error: NodeJS.ErrnoException): null {
  if (error.code === "ENOENT" || error.code === "ENOTDIR") return null;
  throw error;
}

/**
 * The owner of the process id in a postmaster.pid: the `server` of that directory; a `zombie`; a `stranger` that got
 * a dead server's id; or `nobody`. It is `unknown` if the system does not show it.
 */
export type Holder = "server" | "zombie" | "stranger" | "nobody" | "unknown";

export async function inspectHolder(pid: number, directory: string): Promise<Holder> {
  if (process.platform === "linux") return inspectByProc(pid, directory);
  if (process.platform === "win32") return isAlive(pid) ? "unknown" : "nobody";
  return inspectByPs(pid, directory);
}

/** A postmaster's working directory is its data directory, whatever path it was started with. */
async function inspectByProc(pid: number, directory: string): Promise<Holder> {
  try {
    const [, name, state] = /^\d+ \((.*)\) (\S)/s.exec(await readFile(`/proc/${pid}/stat`, "utf8")) ?? [];
    if (state === "Z" || state === "X") return "zombie";
    if (name !== "postgres") return "stranger";
    const [place, home] = await Promise.all([stat(`/proc/${pid}/cwd`), stat(directory)]);
    return place.ino === home.ino && place.dev === home.dev ? "server" : "stranger";
  } catch {
    return isAlive(pid) ? "unknown" : "nobody";
  }
}

async function inspectByPs(pid: number, directory: string): Promise<Holder> {
  try {
    const { stdout } = await promisify(execFile)("ps", ["-o", "stat=,command=", "-p", String(pid)]);
    if (stdout.trimStart().startsWith("Z")) return "zombie";
    return stdout.includes("postgres") && stdout.includes(directory) ? "server" : "stranger";
  } catch {
    return isAlive(pid) ? "unknown" : "nobody";
  }
}

/** True also for a process of another user. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
