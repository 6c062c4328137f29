import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chown, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { freePort } from "../free-port.ts";

/** A real game server on 127.0.0.1. */
export interface GameServer {
  readonly address: string;
  /** What it has printed, to say why it did not start. */
  output(): string;
  stop(): Promise<void>;
}

/** Game servers refuse to run as root, or should: they are given to this user then (Debian's nobody and nogroup). */
const NOBODY = { uid: 65_534, gid: 65_534 };

/**
 * OpenArena (Quake 3's protocol, UDP) with that many bots and private slots, from Debian's package openarena-server.
 * With `dedicated 1` it is a server of the local network, which announces itself to no master.
 */
export async function startOpenArena({
  bots = 0,
  places = 14,
  privatePlaces = 0,
  port = 0,
} = {}): Promise<GameServer> {
  const chosen = port || (await freePort());
  const settings = `
    dedicated 1
    net_enabled 1
    net_ip 127.0.0.1
    net_port ${chosen}
    sv_maxclients ${places}
    sv_privateClients ${privatePlaces}
    bot_minplayers ${bots}
    com_homepath .openarena`;
  const args = settings
    .trim()
    .split("\n")
    .flatMap((line) => ["+set", ...line.trim().split(" ")]);
  const home = await makeHome({});
  return run("/usr/games/openarena-server", [...args, "+map", "oa_dm1"], home, `127.0.0.1:${chosen}`, [
    "openarena-server",
  ]);
}

/** OpenTTD (its own protocol, TCP), from Debian's packages openttd and openttd-opengfx; of game type local. */
export async function startOpenTtd({ places = 17, port = 0 } = {}): Promise<GameServer> {
  const chosen = port || (await freePort());
  const home = await makeHome({
    "openttd.cfg": `[network]\nmax_clients = ${places}\nserver_game_type = local\nserver_name = Test\n`,
  });
  const args = ["-D", `127.0.0.1:${chosen}`, "-g", "-x", "-c", path.join(home, "openttd.cfg")];
  return run("/usr/games/openttd", args, home, `127.0.0.1:${chosen}`, ["openttd", "openttd-opengfx"]);
}

async function run(
  program: string,
  args: string[],
  home: string,
  address: string,
  packages: string[],
): Promise<GameServer> {
  const user = process.getuid?.() === 0 ? NOBODY : {};
  const child = spawn(program, args, {
    cwd: home,
    env: { PATH: process.env.PATH, HOME: home },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
    ...user,
  });
  let output = "";
  const collect = (chunk: Buffer) => {
    output = (output + chunk.toString("latin1")).slice(-4000);
  };
  child.stdout.on("data", collect);
  child.stderr.on("data", collect);
  await once(child, "spawn").catch(async (error: Error) => {
    await rm(home, { recursive: true, force: true });
    throw new Error(`${error.message}: install the Debian packages ${packages.join(", ")}`);
  });
  return { address, output: () => output, stop: () => stop(child, home) };
}

/** The whole group: a wrapper script may have left children. */
async function stop(child: ChildProcess, home: string): Promise<void> {
  if (child.exitCode === null && child.signalCode === null && child.pid !== undefined) {
    process.kill(-child.pid, "SIGKILL");
    await once(child, "exit");
  }
  await rm(home, { recursive: true, force: true });
}

async function makeHome(files: Record<string, string>): Promise<string> {
  const home = await mkdtemp(path.join(tmpdir(), "almanac-game-"));
  for (const [name, text] of Object.entries(files)) await writeFile(path.join(home, name), text);
  if (process.getuid?.() === 0) {
    for (const place of [home, ...Object.keys(files).map((name) => path.join(home, name))]) {
      await chown(place, NOBODY.uid, NOBODY.gid);
    }
  }
  return home;
}
