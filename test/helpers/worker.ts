import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { createInterface } from "node:readline";
import { inject, onTestFinished } from "vitest";

export const ROOT = path.join(import.meta.dirname, "../..");

export interface WorkerProcess {
  readonly child: ChildProcess;
  /** Everything that it has said on standard error. */
  readonly lines: string[];
  /** And on standard output. */
  readonly output: string[];
  /** Resolves to its exit code. */
  readonly ended: Promise<number | null>;
}

/** `almanac worker` as an operator runs it, ended with the test at the latest. */
export function startWorker(
  env: Record<string, string>,
  command = "worker",
  ...args: string[]
): WorkerProcess {
  return startRelease(ROOT, env, command, ...args);
}

/** The same of another checkout. */
export function startRelease(
  root: string,
  env: Record<string, string>,
  command: string,
  ...args: string[]
): WorkerProcess {
  const child = spawn(process.execPath, [path.join(root, "src/main.ts"), command, ...args], {
    cwd: inject("runFolder"),
    env: {
      PATH: process.env.PATH,
      SESSION_SECRET: "a session secret that only tests know",
      ...env,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const lines: string[] = [];
  createInterface({ input: child.stderr }).on("line", (line) => lines.push(line));
  const output: string[] = [];
  createInterface({ input: child.stdout }).on("line", (line) => output.push(line));
  const ended = once(child, "close").then(([code]) => code);
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  return { child, lines, output, ended };
}
