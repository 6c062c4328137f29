import { parentPort, Worker } from "node:worker_threads";
import { createDb, type Db } from "../db/connect.ts";
import type { CatalogueKind } from "../words/kinds/kinds.ts";
import { IndexBuilder, type IndexData } from "./index/build.ts";
import { kindWords, withKindWords } from "./kind-words.ts";
import { readInRankOrder, readLabels, readValueKeys } from "./queries.ts";
import { arraysOf } from "./snapshot/arrays.ts";
import { type Origin, readOrigin } from "./snapshot/origin.ts";

/** An index, and the version of its records. */
export interface LoadedIndex {
  readonly version: number;
  readonly data: IndexData;
}

/** An index of a kind of the catalogue. */
export interface KindLoadedIndex extends LoadedIndex {
  readonly origin: Origin;
}

/** Builds the index of a kind from one snapshot of its records. */
export async function loadIndex(
  db: Db,
  kind: CatalogueKind,
  words: readonly string[] = kindWords(kind),
): Promise<KindLoadedIndex> {
  return db.transaction(
    async (transaction) => {
      // A million records take longer than requests may, and more memory to sort.
      await transaction.raw("set local statement_timeout = 0; set local work_mem = '64MB'");
      const origin = await readOrigin(transaction, kind);
      const keys = await readValueKeys(transaction, kind);
      const builder = new IndexBuilder(keys);
      const complete = withKindWords(words, await readLabels(transaction, kind));
      for await (const records of readInRankOrder(transaction, kind, keys)) {
        for (const record of complete(records)) builder.add(record);
      }
      return { version: origin.version, origin, data: builder.finish() };
    },
    { isolationLevel: "repeatable read", readOnly: true },
  );
}

/** What a thread is to build: an index of a kind, from a database. */
interface BuildOrder {
  readonly url: string;
  readonly kind: CatalogueKind;
  /** The words for the kind: a thread does not know the operator's kinds. */
  readonly words: readonly string[];
}

/**
 * Builds the index of a kind in a thread, so that the process keeps answering requests.
 * @throws what failed in the thread, or that it ended without a result; the signal's reason if that ended it
 */
export function loadInThread(order: BuildOrder, signal: AbortSignal): Promise<KindLoadedIndex> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const thread = new Worker(new URL("./thread.ts", import.meta.url), {
      workerData: { module: import.meta.url, order },
    });
    const end = () => void thread.terminate();
    signal.addEventListener("abort", end, { once: true });
    thread.once("message", resolve);
    thread.once("messageerror", reject);
    thread.once("error", reject);
    thread.once("exit", (code) => {
      signal.removeEventListener("abort", end);
      // After a message or an error this has no effect.
      reject(signal.aborted ? signal.reason : new Error(`the thread ended without a result (code ${code})`));
    });
  });
}

/**
 * What the thread does: builds an index over a connection of its own. Called by thread.ts.
 * @public
 */
export async function runInThread({ url, kind, words }: BuildOrder): Promise<void> {
  const db = createDb({ url, poolMax: 1, applicationName: "almanac search index" });
  const loaded = await loadIndex(db, kind, words).finally(() => db.destroy());
  const buffers = arraysOf(loaded.data).map(({ array }) => array.buffer);
  parentPort?.postMessage(loaded, buffers);
}
