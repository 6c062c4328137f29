import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import path from "node:path";

/** An order for the load generator: request these paths in turn, each connection as soon as it has an answer. */
export interface LoadOrder {
  readonly port: number;
  readonly paths: readonly string[];
  /** Which path comes first; after the last one comes the first one again. */
  readonly from: number;
  readonly headers: Readonly<Record<string, string>>;
  /** What every answer must be. */
  readonly status: number;
  readonly connections: number;
  readonly seconds: number;
}

export interface LoadResult {
  readonly requests: number;
  readonly perSecond: number;
  /** The average size of a body. */
  readonly bytesEach: number;
  /** In milliseconds. */
  readonly p99: number;
}

/** Starts the load generator in a process of its own, which ends with this one. */
export function startLoadGenerator() {
  const child: ChildProcess = fork(path.join(import.meta.dirname, "load-child.ts"));
  /** Runs an order to its end. @throws Error when an answer has another status */
  async function run(order: LoadOrder): Promise<LoadResult> {
    child.send(order);
    const [message] = (await once(child, "message")) as [LoadResult | { error: string }];
    if ("error" in message) throw new Error(message.error);
    return message;
  }
  return { child, run };
}
