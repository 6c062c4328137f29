import { listenForInterruption } from "../../exchange/import/failure.ts";
import { openBar } from "../../exchange/import/report.ts";
import { type CommandContext, fail } from "../command.ts";
import { explainBackupFailure } from "./backup-error.ts";
import type { BackupProgress } from "./take-backup.ts";

interface ProgressView {
  show(progress: BackupProgress): void;
  /** To be called before anything else is printed. */
  stop(): void;
}

/** Rare enough not to fill a log file. */
const LINE_EVERY_MS = 5000;

/** A bar on a terminal, else a line every few seconds. */
export function createProgressView({
  isTerminal,
  quiet,
  err,
}: {
  isTerminal: boolean;
  quiet: boolean;
  err: (line: string) => void;
}): ProgressView {
  if (quiet) return { show: () => undefined, stop: () => undefined };
  return isTerminal ? createBar() : createLines(err);
}

function createBar(): ProgressView {
  const format = "{bar} {percentage} % | {doing}";
  const bar = openBar(format);
  bar.start(1, 0, { doing: "" });
  return {
    show({ doing, done, total }) {
      if (total > 0) bar.setTotal(total);
      // A percentage needs a total.
      bar.update(total > 0 ? done : 0, { doing: total > 0 ? doing : `${doing} ${done || ""}` });
    },
    stop: () => bar.stop(),
  };
}

function createLines(err: (line: string) => void): ProgressView {
  let last = performance.now();
  return {
    show({ doing, done, total }) {
      const now = performance.now();
      if (now - last < LINE_EVERY_MS) return;
      last = now;
      if (total > 0) err(`${doing}: ${Math.floor((100 * done) / total)} %`);
      else err(done > 0 ? `${doing}: ${done}` : doing);
    },
    stop: () => undefined,
  };
}

/** How long work is watched: Ctrl-C aborts `signal`, and progress is shown. */
interface Watch {
  readonly signal: AbortSignal;
  readonly onProgress: (progress: BackupProgress) => void;
}

/**
 * Does the work of a command on backups, and prints its result once progress is off the screen.
 * @param print returns the exit code
 * @param failed the last line after a failure of the work, with the reason; then the exit code is 1
 */
export async function runWithProgress<Done>(
  { context, quiet = false }: { context: CommandContext; quiet: boolean | undefined },
  work: (watch: Watch) => Promise<Done>,
  { print, failed }: { print: (done: Done) => number; failed: (reason: string) => string },
): Promise<number> {
  const interruption = listenForInterruption();
  const progress = createProgressView({ ...context, quiet });
  let done: Done;
  try {
    done = await work({ signal: interruption.signal, onProgress: progress.show }).finally(progress.stop);
  } catch (error) {
    const reason = explainBackupFailure(error);
    if (reason === undefined) throw error;
    return fail(context, failed(reason));
  } finally {
    interruption.stop();
  }
  return print(done);
}

export function nothingWasChanged(reason: string): string {
  return `nothing was changed: ${reason}.`;
}
