// What a thread of the search begins with: runs the module that it is told of.
import { workerData } from "node:worker_threads";

const { runInThread } = await import(workerData.module);
await runInThread(workerData.order);
