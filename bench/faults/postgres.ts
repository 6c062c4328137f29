import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { appendFile, chown, mkdir, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { findPackage, prepareBinaries } from "../../src/db/embedded/binaries.ts";
import { readPassword, SUPERUSER } from "../../src/db/embedded/cluster.ts";
import { chooseIdentity, commandAs, gatherFacts, runProgram } from "../../src/db/embedded/identity.ts";
import { connectionUrl } from "../../src/db/embedded/site-role.ts";
import { startEmbeddedPostgres } from "../../src/db/embedded/start.ts";
import { freePort } from "../../test/helpers/free-port.ts";

const MB = 1024 * 1024;
const VOLUME_MB = 900;
const READY_MS = 60_000;

/** A Postgres at a port of its own, to be treated badly. */
export class BadlyTreatedPostgres {
  /** The superuser's URL. */
  readonly url: string;
  /** The folder of the data, on its own volume if the machine allows that. */
  readonly #directory: string;
  readonly #port: number;
  readonly #env: NodeJS.ProcessEnv;
  #child: ChildProcess | undefined;

  private constructor(
    directory: string,
    password: string,
    { port, env }: { port: number; env: NodeJS.ProcessEnv },
  ) {
    this.#directory = directory;
    this.#port = port;
    this.#env = env;
    this.url = connectionUrl(SUPERUSER, password, port);
  }

  /** Makes one, with more environment if wanted; its small volume is there for root only. */
  static async make(env: NodeJS.ProcessEnv = {}): Promise<{
    postgres: BadlyTreatedPostgres;
    volume: string | undefined;
    remove(): Promise<void>;
  }> {
    const home = await mkdtemp(path.join(tmpdir(), "almanac-faults-"));
    const mounted = await run("mount", ["-t", "tmpfs", "-o", `size=${VOLUME_MB}m`, "tmpfs", home]);
    await run("chmod", ["755", home]);
    const directory = path.join(home, "data", "postgres");
    await mkdir(path.dirname(directory));
    await (await startEmbeddedPostgres({ directory, log: () => undefined })).stop();
    await appendFile(
      path.join(directory, "postgresql.auto.conf"),
      "\nmax_connections = 60\nmin_wal_size = 32MB\nmax_wal_size = 64MB\n",
    );
    const postgres = new BadlyTreatedPostgres(directory, await readPassword(directory), {
      port: await freePort(),
      env,
    });
    await postgres.start();
    const remove = async () => {
      await postgres.kill();
      if (mounted) await run("umount", [home]);
      await rm(home, { recursive: true, force: true });
    };
    return { postgres, volume: mounted ? home : undefined, remove };
  }

  /** Resolves when it takes connections. */
  async start(): Promise<void> {
    const { postgres } = await prepareBinaries(findPackage());
    const identity = await chooseIdentity(await gatherFacts(this.#directory, postgres));
    if (identity.kind === "account") {
      const { uid, gid } = identity.account;
      await chown(path.dirname(this.#directory), uid, gid);
      await run("chown", ["-R", `${uid}:${gid}`, this.#directory]);
    }
    const { file, args, options } = commandAs(identity, postgres, [
      ...["-D", this.#directory, "-p", String(this.#port), "-k", ""],
    ]);
    this.#child = spawn(file, args, {
      ...options,
      env: { ...options.env, ...this.#env },
      detached: true,
      stdio: "ignore",
    });
    const deadline = performance.now() + READY_MS;
    while (!(await this.ask("select 1").then(Boolean, () => false))) {
      if (performance.now() > deadline) throw new Error("Postgres did not start");
      await pause(50);
    }
  }

  /** Tells it to end at once, with what it has written: a restart by an operator. */
  async restart(): Promise<void> {
    const ended = this.#child && once(this.#child, "exit");
    const { pgCtl } = await prepareBinaries(findPackage());
    const identity = await chooseIdentity(await gatherFacts(this.#directory, pgCtl));
    await runProgram(identity, pgCtl, ["stop", "-m", "fast", "-D", this.#directory]);
    await ended;
    await this.start();
  }

  /** Ends all of it, as a crash of its machine does. */
  async kill(): Promise<void> {
    const child = this.#child;
    if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    process.kill(-child.pid, "SIGKILL");
    await ended;
  }

  /** Sends all of its processes a signal; each connection's has a group of its own. */
  async signal(name: "SIGSTOP" | "SIGCONT"): Promise<void> {
    const parent = this.#child?.pid;
    if (parent === undefined) return;
    const pids = (await readdir("/proc")).filter((entry) => /^\d+$/.test(entry));
    for (const pid of pids) {
      const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
      if (Number(/^PPid:\s+(\d+)/m.exec(status)?.[1]) === parent) process.kill(Number(pid), name);
    }
    process.kill(parent, name);
  }

  async ask(sql: string, values: unknown[] = []): Promise<unknown[]> {
    const client = await this.connect();
    try {
      return (await client.query(sql, values)).rows;
    } finally {
      await client.end();
    }
  }

  async connect(): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: this.url, connectionTimeoutMillis: 3_000 });
    client.on("error", () => undefined);
    await client.connect();
    return client;
  }
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
