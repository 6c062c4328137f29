import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import path from "node:path";

/** An order for the load generator: request these paths in turn, each connection as soon as it has an answer. */
export interface LoadOrder {
  readonly port: number;
  readonly paths: readonly string[];
  /** Which path comes first, the first one unless told; after the last one comes the first one again. */
  readonly from?: number;
  readonly cookie: string;
  /** Sent beside the cookie, an API key or a validator for example. */
  readonly headers?: Readonly<Record<string, string>>;
  /** What every answer must be; 200 unless told. */
  readonly status?: number;
  readonly connections: number;
  /** The load goes on until `stop` if there is no value. */
  readonly seconds?: number;
  /** Adds a parameter to each address that no address had before, so that no answer can have been remembered. */
  readonly unique: boolean;
  /** Requests a second at most, evenly spaced; a late one counts from when it was due. */
  readonly rate?: number;
  /** An answer must not hold two of these texts. */
  readonly marks?: readonly string[];
}

/** Latencies are in milliseconds. */
export interface LoadResult {
  readonly requests: number;
  readonly perSecond: number;
  /** The average size of a body, without its framing. */
  readonly bytesEach: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly slowest: number;
  /** Answers by what they hold: as many as hold each mark alone, several, and an earlier mark after a later one. */
  readonly marked: { readonly alone: number[]; readonly mixed: number; readonly backwards: number };
}

/** The load generator, in a process of its own. */
export class LoadGenerator {
  readonly #child: ChildProcess = fork(path.join(import.meta.dirname, "load-child.ts"));

  /** The process id, to pin it to a core of its own. */
  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Runs an order to its end. @throws Error when an answer has another status */
  async run(order: LoadOrder): Promise<LoadResult> {
    this.#child.send(order);
    const [message] = (await once(this.#child, "message")) as [LoadResult | { error: string }];
    if ("error" in message) throw new Error(message.error);
    return message;
  }

  /** Ends an order that has no end of its own; its `run` then resolves. */
  stop(): void {
    this.#child.send("stop");
  }

  close(): void {
    this.#child.kill();
  }
}
