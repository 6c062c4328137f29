import { listenForInterruption } from "../exchange/import/failure.ts";
import { explainBackupFailure } from "./backup/backup-error.ts";
import { createProgressView } from "./backup/progress.ts";
import type { BackupProgress } from "./backup/take-backup.ts";
import { type CommandContext, fail } from "./command.ts";

/** How long work is watched: Ctrl-C aborts `signal`, and progress is shown. */
interface Watch {
  readonly signal: AbortSignal;
  readonly onProgress: (progress: BackupProgress) => void;
}

/**
 * Does the work of a command on backups, and prints its result once progress is off the screen.
 * @param failed the last line after a failure, with the reason
 * @returns the exit code: 0 or 1
 */
export async function runWithProgress<Done>(
  { context, quiet = false }: { context: CommandContext; quiet: boolean | undefined },
  work: (watch: Watch) => Promise<Done>,
  { print, failed }: { print: (done: Done) => Promise<void> | void; failed: (reason: string) => string },
): Promise<number> {
  const interruption = listenForInterruption();
  const progress = createProgressView({ ...context, quiet });
  try {
    const done = await work({ signal: interruption.signal, onProgress: progress.show });
    progress.stop();
    await print(done);
    return 0;
  } catch (error) {
    progress.stop();
    const reason = explainBackupFailure(error);
    if (reason === undefined) throw error;
    return fail(context, failed(reason));
  } finally {
    interruption.stop();
  }
}

export function nothingWasChanged(reason: string): string {
  return `nothing was changed: ${reason}.`;
}
