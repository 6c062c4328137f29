import { beforeEach, vi } from "vitest";
import { runCli } from "../../src/commands/cli.ts";

export interface Cli {
  /** What the last call wrote to standard output. */
  readonly out: string;
  /** What it wrote to standard error. */
  readonly err: string;
  /** Runs a command in this process; resolves to its exit code. */
  run(settings: Record<string, string>, ...args: string[]): Promise<number>;
}

/** The command line with some settings, its output caught during each test. */
export function useCli(): Cli {
  const cli = {
    out: "",
    err: "",
    run(settings: Record<string, string>, ...args: string[]) {
      [cli.out, cli.err] = ["", ""];
      return runCli(args, { env: settings });
    },
  };
  beforeEach(() => {
    vi.spyOn(process.stdout, "write").mockImplementation((text) => {
      cli.out += text;
      return true;
    });
    vi.spyOn(process.stderr, "write").mockImplementation((text) => {
      cli.err += text;
      return true;
    });
  });
  return cli;
}
