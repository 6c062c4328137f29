import type { Reporter, TestModule } from "vitest/node";

/** The slowest file takes a tenth of this on a slow machine. */
const LONGEST_MS = 15 * 60_000;

/**
 * Ends a run whose test file has not ended for so long, and names the file, because a run that hangs prints nothing.
 */
export default class StuckFiles implements Reporter {
  readonly #timers = new Map<string, NodeJS.Timeout>();

  onTestModuleStart({ moduleId }: TestModule): void {
    const end = () => {
      process.stdout.write(`\nFAILED ${moduleId} has not ended for ${LONGEST_MS / 60_000} minutes\n`);
      process.exit(1);
    };
    this.#timers.set(moduleId, setTimeout(end, LONGEST_MS));
  }

  onTestModuleEnd({ moduleId }: TestModule): void {
    clearTimeout(this.#timers.get(moduleId));
  }
}
