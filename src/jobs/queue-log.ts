import { Logger as QueueLogger } from "graphile-worker";
import type { Level, Logger } from "pino";

/** What the queue calls its levels; each finished job is a line of `info`, which would be thousands. */
const LEVELS: Record<string, Level> = { error: "error", warning: "warn", info: "debug", debug: "debug" };

/**
 * The queue's own log, through the process's. Of a job, its task and id are logged and never its payload; a job that
 * failed is a warning, because it is tried again.
 */
export function queueLog(log: Logger): QueueLogger {
  return new QueueLogger((scope) => (level, message, meta = {}) => {
    const { label, taskIdentifier: task, jobId } = scope as Record<string, string | undefined>;
    const severity = meta.failure === true ? "warn" : (LEVELS[level] ?? "info");
    // The message of a failure goes on with that of the error and its stack.
    const [text = message] = message.split(" with error '", 1);
    log[severity]({ queue: label, task, jobId, err: withoutDetails(meta.error) }, text);
  });
}

/** Libraries hang on an error what they were about, such as the addresses of a mail. */
function withoutDetails(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const bare = new Error(error.message);
  bare.stack = error.stack;
  return bare;
}
