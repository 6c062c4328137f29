import { type ChildProcess, execFile, spawn, spawnSync } from "node:child_process";
import { chmod, chown, mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import pg from "pg";
import { afterEach, expect, inject } from "vitest";
import { findPackage, prepareBinaries } from "../../src/db/embedded/binaries.ts";
import { inspectHolder, readPostmasterFile } from "../../src/db/embedded/postmaster.ts";
import {
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
  startEmbeddedPostgres,
} from "../../src/db/embedded/start.ts";

const SCRIPT = fileURLToPath(new URL("embedded-process.ts", import.meta.url));
const REPOSITORY = fileURLToPath(new URL("../..", import.meta.url));
const NOBODY = { uid: 65_534, gid: 65_534 };

/** The user of a test process; by default the tests' own. */
export type RunAs = { uid: number; gid: number } | { uid?: undefined; gid?: undefined };

/**
 * An ordinary user. Root becomes `nobody`, if that user can read this repository (not so under /root); any other
 * user is ordinary already.
 */
export function ordinaryUser(): RunAs {
  if (process.getuid?.() !== 0) return {};
  const { status } = spawnSync("/bin/sh", ["-c", 'test -r "$0"', SCRIPT], NOBODY);
  return status === 0 ? NOBODY : {};
}

/** Directories and servers of one test file: made on demand, stopped and removed after each test. */
export function useEmbedded() {
  const cleanUps: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
  });

  /** A data directory that a user owns; the database goes into `postgres` below it. */
  async function dataDirectory(owner: RunAs = {}, name = "data"): Promise<string> {
    const home = await realpath(await mkdtemp(path.join(tmpdir(), "almanac-embedded-")));
    cleanUps.push(() => removeSite(home, name));
    await chmod(home, 0o755);
    const directory = path.join(home, name);
    await mkdir(directory);
    if (owner.uid !== undefined) await chown(directory, owner.uid, owner.gid);
    return directory;
  }

  /** The `postgres` of a data directory, with a database that was made once for many tests, and stopped. */
  async function stoppedDatabase(owner: RunAs = {}): Promise<string> {
    const directory = path.join(await dataDirectory(owner), "postgres");
    model ??= makeModel();
    await promisify(execFile)("cp", ["-a", await model, directory]);
    if (owner.uid !== undefined)
      await promisify(execFile)("chown", ["-R", `${owner.uid}:${owner.gid}`, directory]);
    return directory;
  }

  async function start(
    directory: string,
    options: Partial<EmbeddedPostgresOptions> = {},
  ): Promise<EmbeddedPostgres> {
    const server = await startEmbeddedPostgres({ directory, log: () => undefined, ...options });
    cleanUps.push(() => server.stop());
    return server;
  }

  /** A process that does the same; `as` someone else, or by another `command`, such as `["unshare", …]`. */
  function startProcess(directory: string, options: ProcessOptions = {}): EmbeddedProcess {
    const child = new EmbeddedProcess(directory, options);
    cleanUps.push(() => child.kill());
    return child;
  }

  /** Programs whose server takes a second before it looks at its directory, as on a busy machine. */
  async function slowPackage(): Promise<string> {
    const root = path.join(await dataDirectory(), "package");
    await mkdir(path.join(root, "native/bin"), { recursive: true });
    const { postgres } = await prepareBinaries(findPackage());
    const script = `#!/bin/sh\ncase "$1" in -D) sleep 1 ;; esac\nexec '${postgres}' "$@"\n`;
    await writeFile(path.join(root, "native/bin/postgres"), script, { mode: 0o755 });
    return root;
  }

  return { dataDirectory, stoppedDatabase, start, startProcess, slowPackage };
}

/** Its folder goes with the run's. */
let model: Promise<string> | undefined;

async function makeModel(): Promise<string> {
  const directory = path.join(await mkdtemp(path.join(inject("runFolder"), "model-")), "postgres");
  await (await startEmbeddedPostgres({ directory, log: () => undefined })).stop();
  return directory;
}

export interface ProcessOptions {
  readonly task?: "hold" | "write" | "leave";
  readonly as?: RunAs;
  readonly command?: readonly string[];
  readonly packageRoot?: string;
  readonly env?: NodeJS.ProcessEnv;
}

type ProcessEvent = Partial<{
  line: string;
  error: string;
  name: string;
  url: string;
  adopted: boolean;
  written: number;
  afterSignal: string;
  stopped: boolean;
}>;

export class EmbeddedProcess {
  readonly child: ChildProcess;
  readonly events: ProcessEvent[] = [];
  readonly ended: Promise<number | null>;
  #output = "";

  constructor(directory: string, { task = "hold", as = {}, command = [], packageRoot, env }: ProcessOptions) {
    const line = [...command, process.execPath, SCRIPT, directory, task];
    if (packageRoot !== undefined) line.push(packageRoot);
    const [program = "", ...args] = line;
    // In a process group of its own, so that a test can send it what Ctrl-C sends.
    const options = { cwd: REPOSITORY, env: { ...process.env, ...env }, detached: true, ...as };
    this.child = spawn(program, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
    this.child.stderr?.on("data", (chunk: Buffer) => {
      this.#output += chunk.toString();
    });
    if (this.child.stdout) {
      createInterface(this.child.stdout).on("line", (text) => this.events.push(JSON.parse(text)));
    }
    this.ended = new Promise((resolve) =>
      this.child.once("close", resolve).once("error", () => resolve(null)),
    );
  }

  /** The first event that has a field, once it is there; fails when the process ends without it. */
  async waitFor<Field extends keyof ProcessEvent>(field: Field): Promise<NonNullable<ProcessEvent[Field]>> {
    let over = false;
    void this.ended.then(() => {
      over = true;
    });
    for (;;) {
      const found = this.events.find((event) => event[field] !== undefined)?.[field];
      if (found !== undefined) return found;
      if (over) throw new Error(`ended without ${field}: ${JSON.stringify(this.events)} ${this.#output}`);
      await delay(10);
    }
  }

  /** The last written number that was acknowledged. */
  get acknowledged(): number {
    return this.events.reduce((last, event) => event.written ?? last, 0);
  }

  async kill(): Promise<void> {
    this.child.kill("SIGKILL");
    await this.ended;
  }

  /** What a terminal does on Ctrl-C: the signal goes to every process of the group. */
  interruptGroup(): void {
    if (this.child.pid !== undefined) process.kill(-this.child.pid, "SIGINT");
  }
}

/** Removes a folder with a data directory whose site was killed: once its database, which ends by itself, is gone. */
export async function removeSite(home: string, dataDirectory = "data"): Promise<void> {
  await serverGone(path.join(home, dataDirectory, "postgres"));
  // Its processes may still close files then.
  await rm(home, { recursive: true, force: true, maxRetries: 10 });
}

/** After a kill -9 of the process that held it, a server needs a moment to shut down. */
async function serverGone(directory: string): Promise<void> {
  const runs = async () => {
    const file = await readPostmasterFile(directory);
    return file !== null && (await inspectHolder(file.pid, directory)) === "server";
  };
  await expect.poll(runs, { message: `a server is left in ${directory}` }).toBe(false);
}

/** One query on a connection of its own. */
export async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 3_000 });
  client.on("error", () => undefined);
  try {
    await client.connect();
    return (await client.query(sql)).rows;
  } finally {
    await client.end().catch(() => undefined);
  }
}
