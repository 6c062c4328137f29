import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import type { Binaries } from "./binaries.ts";
import { keepLogShort, openLog, readReason } from "./log-file.ts";
import { inspectHolder, readPostmasterFile } from "./postmaster.ts";
import type { Identity } from "./program.ts";
import { commandAs } from "./program.ts";
import { supervisorCommand } from "./supervisor.ts";

const RECOVERY_NOTICE_MS = 10_000;

/** A server that this process started. */
export interface RunningServer {
  readonly port: number;
  /** Settles when the server has ended, for whatever reason. */
  readonly ended: Promise<void>;
  /** Fast shutdown: ends sessions, keeps everything committed, settles when the server has ended. */
  stop(): Promise<void>;
}

/** The server ended before it was ready; `reason` is what it wrote. */
export class ServerEnded extends Error {
  override name = "ServerEnded";
  readonly reason: string;
  constructor(reason: string) {
    super(`Postgres did not start: ${reason}`);
    this.reason = reason;
  }
}

export interface ServerOptions {
  readonly directory: string;
  readonly binaries: Binaries;
  readonly identity: Identity;
  readonly port: number;
  /** Server settings for this start only. */
  readonly settings: Readonly<Record<string, string>>;
  /** Process that has the id which a server that died left in postmaster.pid. */
  readonly stranger: number | undefined;
  readonly log: (line: string) => void;
}

/**
 * Starts the server of a directory and waits until it accepts connections, however long a recovery takes.
 * @throws ServerEnded
 */
export async function launchServer(options: ServerOptions): Promise<RunningServer> {
  const { directory, port, log } = options;
  const logFile = await openLog(directory, options.identity);
  const child = spawnSupervisor(options, logFile.handle.fd);
  const exited = once(child, "exit");
  const pid = await waitUntilReady(directory, child, exited, log).finally(() => logFile.handle.close());
  if (pid === null) throw new ServerEnded(await readReason(directory, logFile.size));
  letProcessEnd(child);
  const stopShortening = keepLogShort(directory, log);
  const ended = exited.then(() => endOrphan(directory, pid)).finally(stopShortening);
  return { port, ended, stop: () => stopServer(child, ended) };
}

/** In a session of its own, so that Ctrl-C in the terminal reaches the site only, which still needs its database. */
function spawnSupervisor(options: ServerOptions, logFile: number): ChildProcess {
  const { directory, binaries, identity, stranger } = options;
  const settings = { listen_addresses: "127.0.0.1", unix_socket_directories: "", ...options.settings };
  const args = ["-D", directory, "-p", String(options.port)];
  for (const [name, value] of Object.entries(settings)) args.push("-c", `${name}=${value}`);
  const server = commandAs(identity, binaries.postgres, args);
  const supervisor = supervisorCommand(binaries.pgCtl, directory);
  // Postgres takes a lock file for stale whose process is its own grandparent, which pg_ctl tells it by this.
  // https://github.com/postgres/postgres/blob/REL_18_STABLE/src/backend/utils/init/miscinit.c (CreateLockFile)
  const env = {
    ...server.options.env,
    PG_GRANDPARENT_PID: stranger === undefined ? undefined : String(stranger),
  };
  const child = spawn(supervisor.file, [...supervisor.args, server.file, ...server.args], {
    ...server.options,
    env,
    detached: true,
    stdio: ["pipe", "pipe", logFile],
  });
  // The pipe breaks when the server ends first; `exit` tells that already.
  child.stdin?.on("error", () => undefined);
  return child;
}

/**
 * The server's process id once it accepts connections, or null if the supervisor has exited before. A postmaster.pid
 * may also be an old one, or that of another process that starts the same server at this moment.
 */
async function waitUntilReady(
  directory: string,
  child: ChildProcess,
  exited: Promise<unknown>,
  log: (line: string) => void,
): Promise<number | null> {
  const over = exited.then(() => true);
  let pid: number | undefined;
  child.stdout?.once("data", (line) => {
    pid = Number(line);
  });
  let patience = Date.now() + RECOVERY_NOTICE_MS;
  while (!(await Promise.race([over, delay(20, false)]))) {
    const file = await readPostmasterFile(directory);
    if (file?.ready && file.pid === pid) return file.pid;
    if (Date.now() < patience) continue;
    log("The database is still starting: after a crash it first repeats what had not reached its files");
    patience += RECOVERY_NOTICE_MS;
  }
  return null;
}

/** A command that forgets to stop the server still ends, and the supervisor then stops it. */
function letProcessEnd(child: ChildProcess): void {
  child.unref();
  child.stdout?.destroy();
  if (child.stdin instanceof Socket) child.stdin.unref();
}

async function stopServer(child: ChildProcess, ended: Promise<void>): Promise<void> {
  child.ref();
  child.stdin?.end();
  await ended;
}

/** Somebody may have killed the supervisor alone: then the server is told by a signal. */
async function endOrphan(directory: string, pid: number): Promise<void> {
  while ((await inspectHolder(pid, directory)) === "server") {
    interrupt(pid);
    await delay(100);
  }
}

function interrupt(pid: number): void {
  try {
    process.kill(pid, "SIGINT");
  } catch (error) {
    // Ended in the meantime.
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
