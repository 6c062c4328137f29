import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { appendFile, cp, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { findPackage, prepareBinaries } from "../../src/db/embedded/binaries.ts";
import { readPassword, SUPERUSER } from "../../src/db/embedded/cluster.ts";
import { chooseIdentity, commandAs, gatherFacts } from "../../src/db/embedded/identity.ts";
import { connectionUrl } from "../../src/db/embedded/site-role.ts";
import type { useEmbedded } from "./embedded.ts";
import { freePort } from "./free-port.ts";

/** A server of a pair, or alone. */
export interface PairServer {
  readonly port: number;
  /** The superuser's URL. */
  readonly url: string;
  /** The process that all of its others are children of. */
  pid(): number;
  /** As a crash of its machine: at once, with all that it has not told anybody; else by another signal. */
  kill(signal?: NodeJS.Signals): Promise<void>;
  /** Again, after that. */
  start(): Promise<void>;
}

/** A primary and a standby that follows it by streaming; a write is acknowledged once both have it. */
export interface PostgresPair {
  readonly primary: PairServer;
  readonly standby: PairServer & { promote(): Promise<void> };
}

const READY_MS = 60_000;

/** Starts both; the caller kills them. Their directories go with those of `embedded`. */
export async function startPair({ stoppedDatabase }: ReturnType<typeof useEmbedded>): Promise<PostgresPair> {
  const first = await stoppedDatabase();
  const second = path.join(path.dirname(first), "standby");
  await cp(first, second, { recursive: true, preserveTimestamps: true });
  const password = await readPassword(first);
  const [port, otherPort] = [await freePort(), await freePort()];
  const settings = ["", "fsync = off", "synchronous_standby_names = 'second'", ""];
  await appendFile(path.join(first, "postgresql.auto.conf"), settings.join("\n"));
  const follows = `host=127.0.0.1 port=${port} user=${SUPERUSER} password=${password} application_name=second`;
  await appendFile(
    path.join(second, "postgresql.auto.conf"),
    `\nfsync = off\nprimary_conninfo = '${follows}'\nwal_retrieve_retry_interval = 200ms\n`,
  );
  await writeFile(path.join(second, "standby.signal"), "");
  const primary = await launch(first, port, password);
  const standby = await launch(second, otherPort, password);
  await waitForStreaming(primary.url);
  const promote = async () => void (await ask(standby.url, "select pg_promote()"));
  return { primary, standby: { ...standby, promote } };
}

/** Starts a server, with more environment if wanted, over the data of an embedded one. */
export async function launch(
  directory: string,
  port: number,
  password: string,
  env: NodeJS.ProcessEnv = {},
): Promise<PairServer> {
  const { postgres } = await prepareBinaries(findPackage());
  const identity = await chooseIdentity(await gatherFacts(directory, postgres));
  if (identity.kind === "account") await giveTo(directory, identity.account);
  const { file, args, options } = commandAs(identity, postgres, [
    "-D",
    directory,
    "-p",
    String(port),
    "-k",
    "",
  ]);
  const url = connectionUrl(SUPERUSER, password, port);
  const start = async () => {
    // A process group that ends with the machine.
    const ours = { ...options, env: { ...options.env, ...env } };
    const child = spawn(file, args, { ...ours, detached: true, stdio: "ignore" });
    await waitFor(async () => (await ask(url, "select 1")).length === 1);
    return child;
  };
  let child = await start();
  return {
    port,
    url,
    pid: () => child.pid ?? 0,
    kill: (signal) => killGroup(child, signal),
    start: async () => {
      child = await start();
    },
  };
}

async function giveTo(directory: string, { uid, gid }: { uid: number; gid: number }): Promise<void> {
  await once(spawn("chown", ["-R", `${uid}:${gid}`, directory]), "exit");
}

async function killGroup(child: ChildProcess, signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  process.kill(-child.pid, signal);
  await ended;
}

async function waitForStreaming(url: string): Promise<void> {
  await waitFor(
    async () => (await ask(url, "select from pg_stat_replication where sync_state = 'sync'")).length === 1,
  );
}

export async function waitFor(isDone: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + READY_MS;
  while (!(await isDone().catch(() => false))) {
    if (performance.now() > deadline) throw new Error("the servers did not get ready");
    await delay(100);
  }
}

async function ask(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  client.on("error", () => undefined);
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}
