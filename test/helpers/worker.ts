import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";

const ROOT = path.join(import.meta.dirname, "../..");

export interface WorkerProcess {
  readonly child: ChildProcess;
  /** Everything that it has said on standard error. */
  readonly lines: string[];
  /** Resolves to its exit code. */
  readonly ended: Promise<number | null>;
}

/** `almanac worker` as an operator runs it, ended with the test at the latest. */
export function startWorker(env: Record<string, string>, command = "worker"): WorkerProcess {
  const child = spawn(process.execPath, ["--import", "tsx", "src/main.ts", command], {
    cwd: ROOT,
    env: {
      PATH: process.env.PATH,
      SESSION_SECRET: "a session secret that only tests know",
      ...env,
    },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const lines: string[] = [];
  createInterface({ input: child.stderr }).on("line", (line) => lines.push(line));
  const ended = once(child, "exit").then(([code]) => code);
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  return { child, lines, ended };
}
