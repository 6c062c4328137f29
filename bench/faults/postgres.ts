import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFile, mkdir, readdir, readFile, rm } from "node:fs/promises";
import path from "node:path";
import pg from "pg";
import { readPassword } from "../../src/db/embedded/cluster.ts";
import { startEmbeddedPostgres } from "../../src/db/embedded/start.ts";
import { freePort } from "../../test/helpers/free-port.ts";
import { launch, type PairServer } from "../../test/helpers/postgres-pair.ts";

const MB = 1024 * 1024;
const VOLUME_MB = 900;

/** A Postgres at a port of its own, to be treated badly. */
export interface BadlyTreatedPostgres extends PairServer {
  /** The folder of its data, if that is a small volume of its own, for root only. */
  readonly volume: string | undefined;
}

/** Does some work with one below a folder, with more environment if wanted. */
export async function withPostgres(
  home: string,
  env: NodeJS.ProcessEnv,
  work: (postgres: BadlyTreatedPostgres) => Promise<void>,
): Promise<void> {
  const isMounted = await run("mount", ["-t", "tmpfs", "-o", `size=${VOLUME_MB}m`, "tmpfs", home]);
  let server: PairServer | undefined;
  try {
    await run("chmod", ["755", home]);
    const directory = path.join(home, "data", "postgres");
    await mkdir(path.dirname(directory));
    await (await startEmbeddedPostgres({ directory, log: () => undefined })).stop();
    await appendFile(
      path.join(directory, "postgresql.auto.conf"),
      "\nmax_connections = 60\nmin_wal_size = 32MB\nmax_wal_size = 64MB\n",
    );
    server = await launch(directory, await freePort(), await readPassword(directory), env);
    await work({ ...server, volume: isMounted ? home : undefined });
  } finally {
    await server?.kill();
    if (isMounted) await run("umount", ["--lazy", home]);
  }
}

/** Sends all of its processes a signal; each connection's has a group of its own. */
export async function signalAll({ pid }: PairServer, name: "SIGSTOP" | "SIGCONT"): Promise<void> {
  const parent = pid();
  for (const entry of (await readdir("/proc")).filter((each) => /^\d+$/.test(each))) {
    const status = await readFile(`/proc/${entry}/status`, "utf8").catch(() => "");
    if (Number(/^PPid:\s+(\d+)/m.exec(status)?.[1]) === parent) process.kill(Number(entry), name);
  }
  process.kill(parent, name);
}

/** The superuser's. */
export async function connect({ url }: PairServer): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 3_000 });
  client.on("error", () => undefined);
  await client.connect();
  return client;
}

/** Fills a volume almost completely; resolves to a function that frees it again. */
export async function fillVolume(volume: string): Promise<() => Promise<void>> {
  const file = path.join(volume, "filler");
  await run("dd", ["if=/dev/zero", `of=${file}`, `bs=${MB}`, `count=${2 * VOLUME_MB}`]);
  return () => rm(file);
}

async function run(program: string, args: readonly string[]): Promise<boolean> {
  const child = spawn(program, args, { stdio: "ignore" });
  const [code] = await once(child, "exit").catch(() => [1]);
  return code === 0;
}
