import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, connect, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished } from "vitest";
import { ROOT, startWorker, type WorkerProcess } from "./worker.ts";

export interface Sites {
  /** One port for all; connections go to the processes in turn. */
  readonly url: string;
  readonly processes: readonly { readonly url: string; readonly process: WorkerProcess }[];
}

/** Processes of `almanac serve` as an operator runs them, behind one port as a load balancer has it, for one test. */
export async function startSites(count: number, env: Record<string, string>): Promise<Sites> {
  const processes = await Promise.all(Array.from({ length: count }, () => startSite(env)));
  const server = createServer();
  const alive = () =>
    processes.filter(({ process }) => process.child.exitCode === null && !process.child.killed);
  let turn = 0;
  server.on("connection", (client) => {
    const targets = alive();
    const target = targets[turn++ % targets.length];
    const upstream = connect(Number(new URL(target?.url ?? "").port), "127.0.0.1");
    client.pipe(upstream).pipe(client);
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const)
      one.on("error", () => other.destroy()).on("close", () => other.destroy());
  });
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${await listen(server)}`, processes };
}

/** `almanac serve` on a port that the system chooses, ready; for one test. */
export async function startSite(env: Record<string, string>) {
  const process = startWorker({ ...env, PORT: "0" }, "serve");
  const said = () => [...process.output, ...process.lines].join("\n");
  const address = () => {
    if (process.child.exitCode !== null) return `ended with ${process.child.exitCode}: ${said()}`;
    return / is at (http:\S+)/.exec(said())?.[1] ?? `not started: ${said()}`;
  };
  await expect.poll(address, { timeout: 90_000, interval: 50 }).toMatch(/^http:|^ended/);
  const url = address();
  expect(url).not.toMatch(/^ended/);
  await untilReady(url);
  return { url, process };
}

/** Waits until a site is ready, at most 90 s. */
export async function untilReady(url: string): Promise<void> {
  const state = () =>
    fetch(`${url}/readyz`).then(
      async (answer) => `${answer.status} ${await answer.text()}`,
      (error: Error) => `${error.message}: ${error.cause}`,
    );
  await expect.poll(state, { timeout: 90_000, interval: 100 }).toMatch(/^200 /);
}

/** A data directory with languages of the operator's own, for one test. */
export async function ownLanguages(texts: Readonly<Record<string, object>>): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), "almanac-languages-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await mkdir(path.join(folder, "languages"));
  for (const [file, content] of Object.entries(texts))
    await writeFile(path.join(folder, "languages", file), JSON.stringify(content));
  return folder;
}

/** What a script prints that imports from `./src`, with the languages of a data directory. */
export async function runScript(script: string, dataDir: string): Promise<string> {
  const env = { PATH: process.env.PATH, ALMANAC_LANGUAGES: path.join(dataDir, "languages") };
  const args = ["--input-type=module", "-e", script];
  return (await promisify(execFile)(process.execPath, args, { cwd: ROOT, env })).stdout;
}

async function listen(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}
