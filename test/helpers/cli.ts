import { Readable } from "node:stream";
import type { Knex } from "knex";
import { beforeEach, vi } from "vitest";
import { runCli } from "../../src/commands/cli.ts";
import type { Command, CommandContext } from "../../src/commands/command.ts";
import { loadConfig } from "../../src/settings/config.ts";

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

/** Runs one command over a test's database; resolves to its exit code and the lines that it wrote. */
export async function runCommand(
  command: Pick<Command, "run">,
  db: Knex,
  args: readonly string[],
  { stdin = "", ...context }: Partial<Omit<CommandContext, "stdin">> & { stdin?: string } = {},
): Promise<{ code: number; out: string[]; err: string[] }> {
  const [out, err]: [string[], string[]] = [[], []];
  const code = await command.run([...args], {
    config: loadConfig({}),
    db: async () => db,
    out: (line) => out.push(line),
    err: (line) => err.push(line),
    stdin: Readable.from([Buffer.from(stdin)]),
    isTerminal: false,
    ...context,
  });
  return { code, out, err };
}
