import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chown, copyFile, open, readFile, stat, statfs, truncate } from "node:fs/promises";
import { Socket } from "node:net";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Binaries } from "./binaries.ts";
import type { Identity } from "./identity.ts";
import { commandAs } from "./identity.ts";
import { inspectHolder, readPostmasterFile } from "./postmaster.ts";

const RECOVERY_NOTICE_MS = 10_000;

/** A server that this process started. */
export interface RunningServer {
  readonly port: number;
  /** Settles when the server has ended for any reason. */
  readonly ended: Promise<void>;
  /** Fast shutdown: ends sessions, keeps committed data, settles when the server has ended. */
  stop(): Promise<void>;
}

/** The server ended before it was ready; `reason` is from its log. */
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
  /** A process with the id that a dead server left in postmaster.pid. */
  readonly stranger: number | undefined;
  readonly log: (line: string) => void;
}

/**
 * Starts the server of a directory and waits until it accepts connections, however long recovery takes.
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

/** In a session of its own, so that Ctrl-C does not reach it, because the site still needs its database. */
function spawnSupervisor(options: ServerOptions, logFile: number): ChildProcess {
  const { directory, binaries, identity, stranger } = options;
  const settings = { listen_addresses: "127.0.0.1", unix_socket_directories: "", ...options.settings };
  const args = ["-D", directory, "-p", String(options.port)];
  for (const [name, value] of Object.entries(settings)) args.push("-c", `${name}=${value}`);
  const server = commandAs(identity, binaries.postgres, args);
  const supervisor = supervisorCommand(binaries.pgCtl, directory);
  // Postgres considers a lock file of its own grandparent stale; pg_ctl passes the id by this variable.
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
  // The pipe breaks if the server ends first, which `exit` reports.
  child.stdin?.on("error", () => undefined);
  return child;
}

/** The server's process id once it is ready; null if it ended. Another process's postmaster.pid does not count. */
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

/** Lets a command end that has not stopped the server; the supervisor then stops it. */
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

/** Stops the server by a signal if only the supervisor was killed. */
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
    // It has ended in the meantime.
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/**
 * The process between the site and the server. It starts the server, prints its process id, and shuts it down as soon
 * as its standard input ends. That happens when the site closes the pipe or is gone, even by kill -9. It exits with the
 * server's code.
 *
 * A shell takes 1 MB for that, a second Node process 40.
 */
export function supervisorCommand(
  pgCtl: string,
  directory: string,
  patienceS = STOP_PATIENCE_S,
): { file: string; args: string[] } {
  if (process.platform === "win32") {
    return { file: process.execPath, args: ["-e", WINDOWS_SUPERVISOR, pgCtl, directory] };
  }
  return { file: "/bin/sh", args: ["-c", SHELL_SUPERVISOR, "almanac-postgres", String(patienceS)] };
}

/** Less than systemd's timeout (deploy/almanac.service), and more than Postgres' last checkpoint takes. */
const STOP_PATIENCE_S = 40;

/**
 * Ignores signals, because systemd sends SIGTERM to every process of a service, and a killed site no longer reads the
 * process id (SIGPIPE). Postgres inherits this until it sets its own handlers, so SIGINT is repeated until it ends. A
 * server that gets SIGINT while it recovers from a full disk may wait for ever; SIGQUIT ends it without loss. The
 * reading process ignores signals as well, so it gets SIGKILL.
 */
const SHELL_SUPERVISOR = `
trap "" HUP INT TERM PIPE
exec 3<&0
patience=$1
shift
"$@" 3<&- </dev/null >&2 &
server=$!
echo "$server"
exec >&2
(
  read -r _ <&3
  signal=INT
  while kill -s "$signal" "$server"; do
    sleep 1
    patience=$((patience - 1))
    if [ "$patience" -lt 0 ]; then signal=QUIT; fi
  done
) &
reader=$!
wait "$server"
status=$?
kill -s KILL "$reader" 2>/dev/null
exit "$status"
`;

/** The same for Windows, which has neither this shell nor a signal for a fast shutdown. */
const WINDOWS_SUPERVISOR = `
const { spawn } = require("node:child_process");
const [pgCtl, directory, program, ...args] = process.argv.slice(1);
const stdio = ["ignore", 2, 2];
const server = spawn(program, args, { stdio, windowsHide: true });
process.stdout.on("error", () => {}).write(String(server.pid));
server.on("exit", (code) => process.exit(code ?? 1));
const stop = () => {
  spawn(pgCtl, ["stop", "-m", "fast", "-D", directory], { stdio, windowsHide: true }).on("error", () => {});
  setTimeout(stop, 1000);
};
process.stdin.on("error", () => {}).once("close", stop).resume();
`;

const LOG_FILE = "server.log";

/** The size at which the log is rotated. */
const LONG_BYTES = 5 * 1024 * 1024;

const LOOK_EVERY_MS = 1_000;

/** Opens the log to append to; `size` is its size now. The caller closes the handle. */
async function openLog(directory: string, identity: Identity) {
  const name = path.join(directory, LOG_FILE);
  await setAsideIfLong(name);
  const handle = await open(name, "a", 0o600);
  if (identity.kind === "account") await chown(name, identity.account.uid, identity.account.gid);
  return { handle, size: (await handle.stat()).size };
}

/** Keeps the log of a running server in two files of some 5 MB; returns a function that stops doing so. */
function keepLogShort(directory: string, log: (line: string) => void): () => void {
  const name = path.join(directory, LOG_FILE);
  let looking = Promise.resolve();
  const timer = setInterval(() => {
    looking = looking
      .then(() => setAsideIfLong(name))
      .catch((error: Error) => log(`The database's log could not be set aside: ${error.message}`));
  }, LOOK_EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}

/**
 * Copies and truncates the log, because the server keeps the file open for appending. Postgres' own collector rotates
 * by the clock only, or uses another name each time.
 */
async function setAsideIfLong(name: string): Promise<void> {
  const old = await stat(name).catch(() => undefined);
  if (!old || old.size <= LONG_BYTES) return;
  try {
    await copyFile(name, `${name}.old`);
    if (process.getuid?.() === 0) await chown(`${name}.old`, old.uid, old.gid);
  } finally {
    // Even without space for a copy, because a full disk ends the database.
    await truncate(name);
  }
}

/** The server's log since a position, without time stamps, as one line. */
async function readReason(directory: string, from: number): Promise<string> {
  // The full disk may have left the log without the reason.
  if ((await statfs(directory)).bavail === 0) return "no space is left on its disk";
  const written = (await readFile(path.join(directory, LOG_FILE))).subarray(from).toString("utf8");
  const lines = written.split("\n").map((line) => line.replace(/^\d{4}-\S+ \S+ \S+ \[\d+\] /, "").trim());
  const telling = lines.filter(
    (line) => line !== "" && !/^LOG: +(starting|database system|listening)/.test(line),
  );
  return telling.slice(-6).join("; ") || "it wrote no reason";
}
