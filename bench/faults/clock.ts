import { existsSync } from "node:fs";
import { chmod, writeFile } from "node:fs/promises";
import path from "node:path";

/** The library is in Debian's package libfaketime; https://github.com/wolfcw/libfaketime describes its variables. */
const LIBRARY = "/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1";

/** The time of day of all programs that are started with `env`. */
export interface MovableClock {
  readonly env: NodeJS.ProcessEnv;
  /** Sets it so many seconds ahead of the machine's, or behind it; programs notice within a second. */
  move(seconds: number): Promise<void>;
}

/**
 * Keeps its state in a folder. Undefined where libfaketime is not installed. Monotonic clocks go on as they are, as when
 * an operator sets the date.
 */
export async function makeMovableClock(folder: string): Promise<MovableClock | undefined> {
  if (!existsSync(LIBRARY)) return undefined;
  // Postgres may run as another user.
  await chmod(folder, 0o755);
  const file = path.join(folder, "offset");
  const move = (seconds: number) => writeFile(file, seconds < 0 ? `${seconds}\n` : `+${seconds}\n`);
  await move(0);
  const env = {
    LD_PRELOAD: LIBRARY,
    FAKETIME_TIMESTAMP_FILE: file,
    FAKETIME_CACHE_DURATION: "1",
    FAKETIME_DONT_FAKE_MONOTONIC: "1",
  };
  return { env, move };
}
