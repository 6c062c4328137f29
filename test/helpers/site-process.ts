import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { onTestFinished } from "vitest";

const ROOT = path.join(import.meta.dirname, "../..");

/** What the sources stand on, and never change. */
const BESIDE = ["migrations", "node_modules", "package.json", "public", "seeds", "tsconfig.json", "views"];

/** A copy of the site's sources for one test, with files of texts beside those of the repository. */
export async function copySite(texts: Readonly<Record<string, object>>): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), "almanac-site-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await cp(path.join(ROOT, "src"), path.join(folder, "src"), { recursive: true, verbatimSymlinks: true });
  for (const name of BESIDE) await symlink(path.join(ROOT, name), path.join(folder, name));
  for (const [file, content] of Object.entries(texts)) {
    await writeFile(path.join(folder, "src/i18n", file), JSON.stringify(content));
  }
  return folder;
}

/** `almanac serve` of a copy, as an operator runs it, on a free port; ends with the test. Resolves to its address. */
export async function startSite(folder: string, databaseUrl: string): Promise<string> {
  const child = runAlmanac(folder, "serve", databaseUrl);
  onTestFinished(async () => {
    child.kill("SIGTERM");
    if (child.exitCode === null) await once(child, "exit");
  });
  let told = "";
  return new Promise((resolve, reject) => {
    const hear = (chunk: Buffer) => {
      told += chunk;
      const url = /is at (http:\S+)/.exec(told)?.[1];
      if (url !== undefined) resolve(url);
    };
    child.stdout?.on("data", hear);
    child.stderr?.on("data", hear);
    child.once("exit", () => reject(new Error(`the site did not start: ${told}`)));
  });
}

/** What a script in a copy prints, or why it ended. */
export async function runInSite(folder: string, script: string): Promise<string> {
  const args = ["--input-type=module", "-e", script];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder });
  return stdout;
}

function runAlmanac(folder: string, command: string, databaseUrl: string): ChildProcess {
  const env = {
    PATH: process.env.PATH,
    DATABASE_URL: databaseUrl,
    LOG_LEVEL: "error",
    DATA_DIR: path.join(folder, "data"),
    PORT: "0",
    SESSION_SECRET: "a session secret that only tests know",
    WORKER: "0",
  };
  return spawn(process.execPath, ["src/main.ts", command], {
    cwd: folder,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
}
