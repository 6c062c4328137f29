import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { freePort } from "./free-port.ts";

const DOCS = new URL("../../docs/operate.md", import.meta.url);

/** A PgBouncer before a Postgres server, set up by the lines of docs/operate.md, with a small pool. */
export interface PgBouncer {
  /** The address of a database through it. */
  url(direct: string): string;
  /** The same, in a mode, and without what the lines set on its connections. */
  plainUrl(direct: string, mode: "transaction" | "session"): string;
  /** Ends it at once, with every connection. */
  stop(): Promise<void>;
  start(): Promise<void>;
  remove(): Promise<void>;
}

const PLAIN = { transaction: "plain_", session: "sessions_" };

/** @param databases addresses of databases on one server, of one user */
export async function startPgBouncer(databases: readonly string[], poolSize: number): Promise<PgBouncer> {
  const folder = await mkdtemp(path.join(tmpdir(), "almanac-pgbouncer-"));
  // It does not run as root, and reads its files as somebody else then.
  await chmod(folder, 0o755);
  const port = await freePort();
  const file = path.join(folder, "pgbouncer.ini");
  await writeFile(file, await settings(databases, { folder, port, poolSize }));
  const { username, password } = new URL(databases[0] ?? "");
  const user = [username, password].map((part) => `"${decodeURIComponent(part)}"`).join(" ");
  await writeFile(path.join(folder, "userlist.txt"), `${user}\n`, { mode: 0o644 });
  let child: ChildProcess | undefined;
  const through = (direct: string, prefix = "") => {
    const url = new URL(direct);
    url.port = String(port);
    url.pathname = `/${prefix}${nameOf(direct)}`;
    return url.href;
  };
  const stop = async () => {
    if (child === undefined || child.exitCode !== null) return;
    child.kill("SIGTERM");
    await once(child, "exit");
  };
  const start = async () => {
    const asNobody = process.getuid?.() === 0 ? ["-u", "nobody"] : [];
    const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` };
    child = spawn("pgbouncer", ["-q", ...asNobody, file], { stdio: ["ignore", "ignore", "pipe"], env });
    let said = "";
    child.stderr?.on("data", (chunk) => {
      said += chunk;
    });
    let failure: Error | undefined;
    child.once("error", (error) => {
      failure = error;
    });
    for (let tries = 0; !(await answers(port)); tries++) {
      if (failure || child.exitCode !== null || tries > 200)
        throw new Error(`PgBouncer does not run: ${failure?.message ?? said}`);
      await delay(50);
    }
  };
  const remove = async () => {
    await stop();
    await rm(folder, { recursive: true, force: true });
  };
  await start();
  return { url: through, plainUrl: (direct, mode) => through(direct, PLAIN[mode]), stop, start, remove };
}

/** The block of docs/operate.md, for these databases. */
async function settings(
  databases: readonly string[],
  { folder, port, poolSize }: { folder: string; port: number; poolSize: number },
): Promise<string> {
  const [, lines] = /```ini\n(.*?)```/s.exec(await readFile(DOCS, "utf8")) ?? [];
  const line = lines?.split("\n").find((each) => each.startsWith("almanac = "));
  if (lines === undefined || line === undefined) throw new Error("docs/operate.md has no pgbouncer.ini");
  const entries = databases.flatMap((direct) => {
    const { hostname, port } = new URL(direct);
    const server = `host=${hostname} port=${port} dbname=${nameOf(direct)}`;
    return [
      line.replace("almanac =", `${nameOf(direct)} =`).replace("host=127.0.0.1 port=5432", server),
      `${PLAIN.transaction}${nameOf(direct)} = ${server}`,
      `${PLAIN.session}${nameOf(direct)} = ${server} pool_mode=session pool_size=40`,
    ];
  });
  return lines
    .replace(line, entries.join("\n"))
    .replace("listen_port = 6432", `listen_port = ${port}\nunix_socket_dir =`)
    .replace("/etc/pgbouncer/userlist.txt", `${folder}/userlist.txt`)
    .replace(/default_pool_size = \d+/, `default_pool_size = ${poolSize}`);
}

function nameOf(url: string): string {
  return new URL(url).pathname.slice(1);
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => resolve(true));
    socket.once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });
}
