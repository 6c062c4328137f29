import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";

/** A site as the README's command starts it, on an empty data directory. */
export interface RunningSite {
  url: string;
  /** The log-in of the first start's operator. */
  login: { name: string; password: string };
}

/** A benchmark asks more often than any client may. */
export const WITHOUT_LIMITS = {
  API_KEY_LIMIT: "0",
  API_ADDRESS_LIMIT: "0",
  API_SESSION_LIMIT: "0",
  PAGE_LIMIT: "0",
} as const;

const ROOT = path.join(import.meta.dirname, "..");

/** Does some work against a site of its own with the demo data; site and data are gone afterwards. */
export async function withSite<Result>(
  work: (site: RunningSite) => Promise<Result>,
  settings: NodeJS.ProcessEnv = {},
): Promise<Result> {
  const home = await mkdtemp(path.join(tmpdir(), "almanac-site-"));
  const child = spawn(process.execPath, ["src/main.ts", "serve"], {
    cwd: ROOT,
    env: { ...process.env, PORT: "0", DATA_DIR: home, LOG_LEVEL: "error", ...WITHOUT_LIMITS, ...settings },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "exit");
  try {
    return await work(await readWelcome(createInterface({ input: child.stdout })));
  } finally {
    child.kill("SIGINT");
    await ended;
    await rm(home, { recursive: true, force: true });
  }
}

async function readWelcome(lines: AsyncIterable<string>): Promise<RunningSite> {
  let url = "";
  let login = { name: "", password: "" };
  for await (const line of lines) {
    url = / is at (http:\S+)/.exec(line)?.[1] ?? url;
    const [, name, password] = /^Log in: (\S+) with the password (\S+)/.exec(line) ?? [];
    if (name && password) login = { name, password };
    if (line.startsWith("Stop:")) return { url, login };
  }
  throw new Error("the site did not start");
}
