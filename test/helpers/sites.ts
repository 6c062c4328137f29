import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server } from "node:net";
import { expect, onTestFinished } from "vitest";
import { freePort } from "./free-port.ts";
import { startWorker, type WorkerProcess } from "./worker.ts";

export interface Sites {
  /** One port for all; connections go to the processes in turn. */
  readonly url: string;
  readonly processes: readonly { readonly url: string; readonly process: WorkerProcess }[];
}

/** Processes of `almanac serve` as an operator runs them, behind one port as a load balancer has it, for one test. */
export async function startSites(count: number, env: Record<string, string>): Promise<Sites> {
  const processes = await Promise.all(Array.from({ length: count }, () => startOne(env)));
  await Promise.all(processes.map(({ url }) => untilReady(url)));
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

async function startOne(env: Record<string, string>) {
  const port = await freePort();
  return { url: `http://127.0.0.1:${port}`, process: startWorker({ ...env, PORT: String(port) }, "serve") };
}

/** Waits until a site is ready, at most 90 s. */
export async function untilReady(url: string): Promise<void> {
  const status = () =>
    fetch(`${url}/readyz`).then(
      ({ status }) => status,
      () => 0,
    );
  await expect.poll(status, { timeout: 90_000, interval: 100 }).toBe(200);
}

async function listen(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}
