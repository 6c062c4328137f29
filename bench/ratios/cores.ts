import { execFile } from "node:child_process";
import { availableParallelism } from "node:os";
import { promisify } from "node:util";

const run = promisify(execFile);
export type Core = "server" | "load";

/**
 * Gives a process, all of its threads, a core: servers the first, the load the second. False where that cannot be done
 * (one core, or no `taskset`); a run that mixes both is worse than one that pins nothing.
 */
export async function pin(pid: number | undefined, core: Core): Promise<boolean> {
  if (pid === undefined || availableParallelism() < 2) return false;
  return run("taskset", ["-a", "-c", "-p", core === "server" ? "0" : "1", String(pid)]).then(
    () => true,
    () => false,
  );
}
