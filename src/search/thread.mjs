// What a thread begins with has to be JavaScript: in Node 20 a thread does not have the TypeScript loader of the
// main thread, and `--import tsx` does nothing in one (https://github.com/privatenumber/tsx/issues/354).
import { workerData } from "node:worker_threads";
import { register } from "tsx/esm/api";

register();
const { runInThread } = await import(workerData.module);
await runInThread(workerData.order);
