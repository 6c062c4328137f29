import { createLog } from "../web/server/log.ts";

/** How a command says something: results, messages, and why it failed. */
export interface CommandOutput {
  out(line: string): void;
  err(line: string): void;
  fail(line: string): void;
}

const write = (stream: NodeJS.WriteStream) => (line: string) => void stream.write(`${line}\n`);

/** Output for a person at a terminal, and for scripts. */
export const textOutput: CommandOutput = {
  out: write(process.stdout),
  err: write(process.stderr),
  fail: write(process.stderr),
};

let spoken: CommandOutput | undefined;

/** Output as lines of the log, for log collectors; with Node's warnings. LOG_LEVEL leaves out none. */
export function jsonOutput(): CommandOutput {
  if (spoken) return spoken;
  const log = createLog("info", "json");
  // Node's own listener would print them as text.
  process
    .removeAllListeners("warning")
    .on("warning", (warning) => log.warn({ err: warning }, warning.message));
  spoken = { out: (line) => log.info(line), err: (line) => log.info(line), fail: (line) => log.fatal(line) };
  return spoken;
}
