import type { Knex } from "knex";
import type { Config } from "../config.ts";

/** What a command is given; results go to `out` (standard output), progress and messages to `err`. */
export interface CommandContext {
  config: Config;
  /**
   * Connects on first use, so that a bad call fails before any database is needed. `poolLog` is told of every connection
   * that fails; `err` unless told.
   */
  db(options?: { poolLog?: (line: string) => void }): Promise<Knex>;
  out(line: string): void;
  err(line: string): void;
  stdin: NodeJS.ReadableStream;
  /** True when messages go to a terminal, where a progress bar makes sense. */
  isTerminal: boolean;
}

export interface Command {
  name: string;
  /** One line for the list of commands. */
  summary: string;
  /** What `almanac help <name>` prints. */
  usage: string;
  /** Resolves to the exit code: 0 done, 1 failed with nothing half-done, 2 a bad call. */
  run(args: string[], context: CommandContext): Promise<number>;
}
