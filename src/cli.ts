import type { Knex } from "knex";
import type { Command, CommandContext } from "./commands/command.ts";
import { demoCommand } from "./commands/demo.ts";
import { discountCommand } from "./commands/discount.ts";
import { doctorCommand } from "./commands/doctor.ts";
import { importCommand } from "./commands/import.ts";
import { migrateCommand } from "./commands/migrate.ts";
import { pollCommand } from "./commands/poll.ts";
import { serveCommand } from "./commands/serve.ts";
import { userCommand } from "./commands/user.ts";
import { workerCommand } from "./commands/worker.ts";
import { ConfigError, loadConfig } from "./config.ts";
import { databaseFault } from "./db/faults.ts";
import { type OpenDatabase, openDatabase } from "./db/open.ts";
import { DatabaseSetupError } from "./db/setup-error.ts";
import { UsageError } from "./usage-error.ts";

const COMMANDS: Command[] = [
  serveCommand,
  workerCommand,
  pollCommand,
  migrateCommand,
  importCommand,
  discountCommand,
  userCommand,
  demoCommand,
  doctorCommand,
];

const out = (line: string) => void process.stdout.write(`${line}\n`);
const err = (line: string) => void process.stderr.write(`${line}\n`);

/** Runs one command and resolves to the process's exit code. */
export async function runCli(argv: string[], env: NodeJS.ProcessEnv): Promise<number> {
  outliveReaders();
  const [name = "help", ...args] = argv;
  if (name === "help" || name === "--help" || name === "-h") return help(args[0]);
  const command = COMMANDS.find((candidate) => candidate.name === name);
  if (!command) return misuse(`there is no command "${name}"`);
  if (args.includes("--help") || args.includes("-h")) return help(name);
  return runCommand(command, args, env);
}

/**
 * Whoever reads what is printed may stop (`help | head -1`): the work goes on, and what is left to say is said to nobody.
 * Without a listener the failed write would end the process, in the middle of an import or of serving.
 */
function outliveReaders(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE") throw error;
    });
  }
}

async function runCommand(command: Command, args: string[], env: NodeJS.ProcessEnv): Promise<number> {
  let opened: Promise<OpenDatabase> | undefined;
  try {
    const config = loadConfig(env);
    const context: CommandContext = {
      config,
      db: async ({ poolLog } = {}): Promise<Knex> => {
        opened ??= openDatabase(config, { log: err, poolLog, migrate: config.migrateOnStart });
        return (await opened).db;
      },
      out,
      err,
      stdin: process.stdin,
      isTerminal: process.stderr.isTTY === true,
    };
    return await command.run(args, context);
  } catch (error) {
    return explain(command, error);
  } finally {
    await opened?.then((database) => database.close()).catch(() => undefined);
  }
}

/** Failures that a person can act on are told in a line each; anything else is a fault of ours and keeps its stack. */
function explain(command: Command, error: unknown): number {
  if (error instanceof UsageError || isParseArgsError(error)) {
    return misuse(`${command.name}: ${error.message}`, command.name);
  }
  if (error instanceof ConfigError) {
    for (const line of error.message.split("\n")) err(`almanac: setting ${line}`);
    return 2;
  }
  if (error instanceof DatabaseSetupError) err(`almanac: ${error.message}`);
  else if (error instanceof Error && databaseFault(error)) {
    // Knex puts the query before what Postgres said.
    err(`almanac: ${command.name}: the database failed: ${error.message.split(" - ").at(-1) || error.name}`);
  } else
    err(
      `almanac: ${command.name} failed: ${error instanceof Error ? (error.stack ?? error.message) : error}`,
    );
  return 1;
}

function isParseArgsError(error: unknown): error is Error {
  return error instanceof Error && "code" in error && String(error.code).startsWith("ERR_PARSE_ARGS");
}

function misuse(message: string, name?: string): number {
  err(`almanac: ${message}`);
  err(`Try: npm run -s almanac -- help${name ? ` ${name}` : ""}`);
  return 2;
}

function help(name: string | undefined): number {
  const command = COMMANDS.find((candidate) => candidate.name === name);
  if (command) {
    out(command.usage.trim());
    return 0;
  }
  if (name !== undefined) return misuse(`there is no command "${name}"`);
  out("Usage: npm run -s almanac -- <command> …\n");
  for (const { name, summary } of COMMANDS) out(`  ${name.padEnd(10)}${summary}`);
  out(`  ${"help".padEnd(10)}Explain a command: help <command>`);
  return 0;
}
