import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import type { Origin } from "../../src/search/snapshot/origin.ts";

const SCRIPT = fileURLToPath(new URL("snapshot-process.ts", import.meta.url));

/** An empty folder for one test. */
export async function emptyFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), "almanac-snapshots-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** A process of snapshot-process.ts that has begun to write; `shell` comes before its command line. */
export async function startWriter(args: readonly string[], shell = ""): Promise<Writer> {
  const line = ["-c", `${shell} exec "$@"`, "sh", process.execPath, SCRIPT, ...args];
  const child = spawn("/bin/sh", line, { stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(child, "exit");
  const output: string[] = [];
  child.stdout.on("data", (chunk: Buffer) => output.push(chunk.toString()));
  const kill = async () => {
    child.kill("SIGKILL");
    await ended;
  };
  onTestFinished(kill);
  await Promise.race([once(child.stdout, "data"), ended]);
  return { child, ended, kill, output: () => output.join("") };
}

export interface Writer {
  readonly child: ChildProcess;
  readonly ended: Promise<unknown>;
  kill(): Promise<void>;
  /** What it has printed. */
  output(): string;
}

export function isSameOrigin(one: Origin, other: Origin): boolean {
  return one.version === other.version && one.stamp === other.stamp && one.table === other.table;
}
