import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { freePort } from "../../test/helpers/free-port.ts";
import { WITHOUT_LIMITS } from "../site.ts";

const MAIN = path.resolve(import.meta.dirname, "../../src/main.ts");
const START_TIMEOUT_MS = 180_000;

export interface Site {
  origin: string;
  stop(): Promise<void>;
}

/** Runs the site as its own process, as an operator would, over a database that is open already. */
export async function startSite(databaseUrl: string, kind: string): Promise<Site> {
  const port = await freePort();
  const env = {
    ...process.env,
    ...WITHOUT_LIMITS,
    DATABASE_URL: databaseUrl,
    PORT: String(port),
    HOST: "127.0.0.1",
    BASE_URL: "",
    DEMO_DATA: "0",
    LOG_LEVEL: "error",
  };
  const child = spawn(process.execPath, [MAIN, "serve"], {
    env,
    stdio: ["ignore", "ignore", "inherit"],
  });
  endTogether(child);
  const origin = `http://127.0.0.1:${port}`;
  try {
    await waitUntilSearchable(child, origin, kind);
  } catch (error) {
    child.kill("SIGKILL");
    throw error;
  }
  return { origin, stop: () => stop(child) };
}

/** The name and value of the cookie that anonymous visitors are given. */
export async function openSession(origin: string): Promise<string> {
  const response = await fetch(`${origin}/session`);
  const [cookie] = response.headers.getSetCookie();
  if (!cookie) throw new Error(`${origin}/session hands out no cookie (status ${response.status})`);
  return cookie.split(";", 1)[0] ?? "";
}

/** However this process ends, short of kill -9, the site ends too. */
function endTogether(child: ChildProcess): void {
  process.once("exit", () => child.kill());
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
}

/** While the site starts, it refuses connections and then answers 503. */
async function waitUntilSearchable(child: ChildProcess, origin: string, kind: string): Promise<void> {
  for (const deadline = Date.now() + START_TIMEOUT_MS; Date.now() < deadline; await delay(100)) {
    if (child.exitCode !== null)
      throw new Error(`the site ended at its start with exit code ${child.exitCode}`);
    const status = await statusOf(origin, kind);
    if (status === 200) return;
  }
  throw new Error(`the site does not answer searches after ${START_TIMEOUT_MS / 1000} s`);
}

async function statusOf(origin: string, kind: string): Promise<number | undefined> {
  try {
    const cookie = await openSession(origin);
    const response = await fetch(`${origin}/api/${kind}/search?q=a`, { headers: { cookie } });
    await response.arrayBuffer();
    return response.status;
  } catch {
    return undefined;
  }
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  child.kill("SIGTERM");
  await once(child, "exit");
}
