import { Worker } from "node:worker_threads";
import type { CatalogueKind } from "../kinds/kinds.ts";
import type { LoadedIndex } from "./load.ts";

/** What a thread is told: which kind of which database. */
export interface BuildOrder {
  readonly url: string;
  readonly kind: CatalogueKind;
}

/**
 * Makes the index of a kind in a thread of its own, so that requests are answered meanwhile. The index comes over
 * without being copied.
 * @throws what failed in the thread, or that it ended without a result; the signal's reason when that ended it
 */
export function loadInThread(order: BuildOrder, signal: AbortSignal): Promise<LoadedIndex> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const thread = new Worker(new URL("./build-thread.mjs", import.meta.url), { workerData: order });
    const end = () => void thread.terminate();
    signal.addEventListener("abort", end, { once: true });
    thread.once("message", resolve);
    thread.once("messageerror", reject);
    thread.once("error", reject);
    thread.once("exit", (code) => {
      signal.removeEventListener("abort", end);
      // After a message or an error this settles nothing any more.
      reject(signal.aborted ? signal.reason : new Error(`the thread ended without a result (code ${code})`));
    });
  });
}
