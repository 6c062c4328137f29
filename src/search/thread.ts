// The entry point of a search thread: runs the module from its data.
import { workerData } from "node:worker_threads";

const { runInThread } = await import(workerData.module);
await runInThread(workerData.order);
