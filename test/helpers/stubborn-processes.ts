import cluster from "node:cluster";
import { placeInGroup, tellReady } from "../../src/commands/processes/child.ts";
import { ProcessGroup } from "../../src/commands/processes/process-group.ts";

/** Two processes of a group that ignore a request to stop. */
if (cluster.isPrimary) {
  const group = new ProcessGroup({
    count: 2,
    log: (line) => process.stdout.write(`${line}\n`),
    longestStopMs: 500,
  });
  process.once("SIGTERM", () => void group.stop("SIGTERM"));
  await group.start();
} else {
  await placeInGroup();
  tellReady();
}
