import { parentPort, workerData } from "node:worker_threads";
import { createDb } from "../db/connect.ts";
import { buffersOf } from "./index/build.ts";
import { loadIndex } from "./load.ts";
import type { BuildOrder } from "./load-in-thread.ts";

/** All that a thread does: it makes the index that it was told to, over its own connection, and hands it over. */
export async function buildIndex(): Promise<void> {
  const { url, kind }: BuildOrder = workerData;
  const db = createDb({ url, poolMax: 1, applicationName: "almanac search index" });
  const loaded = await loadIndex(db, kind).finally(() => db.destroy());
  parentPort?.postMessage(loaded, buffersOf(loaded.data));
}
