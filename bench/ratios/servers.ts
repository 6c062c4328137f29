import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { WITHOUT_LIMITS } from "../site.ts";

/** While an index is built, searches answer 503 with the seconds to wait. */
const MOST_TRIES = 60;

export const REPOSITORY = path.join(import.meta.dirname, "../..");

/** The site as `npm start` runs it, in a process of its own. */
export interface Site {
  readonly port: number;
  readonly pid: number | undefined;
  /** The cookie of an anonymous visitor. */
  readonly cookie: string;
  /** Asks as that visitor, again where the search is still being prepared. @throws Error for any other error */
  ask(path: string): Promise<string>;
  /** Memory in bytes, now and at its highest; 0 where the system does not tell. */
  memory(): Promise<{ now: number; peak: number }>;
  stop(): Promise<void>;
}

/** Starts `serve` over a migrated database; resolves as soon as it hands out sessions. */
export async function startSite(databaseUrl: string, dataDir: string): Promise<Site> {
  const env = {
    ...process.env,
    ...WITHOUT_LIMITS,
    DATABASE_URL: databaseUrl,
    DATA_DIR: dataDir,
    PORT: "0",
    DEMO_DATA: "0",
  };
  const child = spawn(process.execPath, ["src/main.ts", "serve"], {
    cwd: REPOSITORY,
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  endWithUs(child);
  const origin = await firstAddress(child);
  const port = Number(new URL(origin).port);
  const { headers } = await fetch(`${origin}/session`);
  const cookie = headers.get("set-cookie")?.split(";")[0] ?? "";
  return {
    port,
    pid: child.pid,
    cookie,
    ask: (asked) => ask(origin + asked, cookie),
    memory: () => memoryOf(child.pid),
    stop: () => end(child),
  };
}

async function firstAddress(child: ChildProcess): Promise<string> {
  if (!child.stdout) throw new Error("the site has no standard output");
  for await (const line of createInterface(child.stdout)) {
    const origin = /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0];
    if (origin) return origin;
  }
  throw new Error("the site ended before it said where it is");
}

async function ask(address: string, cookie: string): Promise<string> {
  for (let tries = 1; ; tries++) {
    const response = await fetch(address, { headers: { cookie } });
    const body = await response.text();
    if (response.status === 200) return body;
    if (response.status !== 503 || tries === MOST_TRIES)
      throw new Error(`${address}: ${response.status} ${body}`);
    await delay(1_000 * Number(response.headers.get("retry-after") ?? 1));
  }
}

async function memoryOf(pid: number | undefined): Promise<{ now: number; peak: number }> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  const bytes = (field: string) => Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) * 1024;
  return { now: bytes("VmRSS"), peak: bytes("VmHWM") };
}

/** Also when the bench fails, so that nothing is left behind. */
export function endWithUs(child: ChildProcess): void {
  process.once("exit", () => child.kill());
}

export async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  await ended;
}
