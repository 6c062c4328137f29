import { setTimeout as delay } from "node:timers/promises";
import { Client } from "./client.ts";
import type { MeasuredSite } from "./site.ts";

const READERS = 50;
/** What a reader does between two pages takes as long on the average. */
const THINK_MS = 500;
const SECONDS = 6;
const ROUNDS = 5;
const CHEAP = ["/login", "/register", "/docs/errors", "/login/forgotten"];
const NOBODY = { visitor: "", user: "", operator: "" };

/** Prints how long readers of cheap pages wait beside two clients with each address, as a multiple of quiet times. */
export async function measureStarving({ origin }: MeasuredSite, paths: string[]): Promise<void> {
  console.log(`\n${READERS} readers beside two clients; 95th percentile in ms`);
  for (const path of paths) {
    const ratios: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const quiet = percentile(await read(origin));
      const dear = startDear(origin, path);
      const beside = percentile(await read(origin));
      const answers = await dear.stop();
      ratios.push(beside / quiet);
      console.log(
        `${(beside / quiet).toFixed(1)} times: ${quiet.toFixed(1)} quiet, ${beside.toFixed(1)} beside; ${answers}  ${path.slice(0, 80)}`,
      );
    }
    console.log(`${middle(ratios).toFixed(1)} times in the middle of ${ROUNDS} rounds`);
  }
}

/** The waiting times of all readers, in milliseconds. */
async function read(origin: string): Promise<number[]> {
  const until = performance.now() + SECONDS * 1000;
  const readOne = async (_: unknown, index: number) => {
    const client = new Client(origin, NOBODY);
    const times: number[] = [];
    for (let turn = index; performance.now() < until; turn++) {
      await delay(Math.random() * 2 * THINK_MS);
      const start = performance.now();
      await client.ask({ path: CHEAP[turn % CHEAP.length] ?? "/login", reader: "visitor" });
      times.push(performance.now() - start);
    }
    client.close();
    return times;
  };
  return (await Promise.all(Array.from({ length: READERS }, readOne))).flat();
}

/** Two clients that ask as soon as they have been answered, until they are told to stop; then what was answered. */
function startDear(origin: string, path: string): { stop(): Promise<string> } {
  let stopped = false;
  const counts = new Map<number, number>();
  const askOn = async () => {
    const client = new Client(origin, NOBODY);
    while (!stopped) {
      const { status } = await client.ask({ path, reader: "visitor" });
      counts.set(status, (counts.get(status) ?? 0) + 1);
    }
    client.close();
  };
  const clients = [askOn(), askOn()];
  return {
    async stop() {
      stopped = true;
      await Promise.all(clients);
      return [...counts].map(([status, count]) => `${count} × ${status}`).join(", ");
    },
  };
}

function middle(numbers: number[]): number {
  return [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}

function percentile(times: number[]): number {
  return [...times].sort((a, b) => a - b)[Math.floor(times.length * 0.95)] ?? Number.NaN;
}
