import type { Knex } from "knex";
import { backupCommand } from "./commands/backup.ts";
import { Command, type CommandContext } from "./commands/command.ts";
import { demoCommand } from "./commands/demo.ts";
import { discountCommand } from "./commands/discount.ts";
import { doctorCommand } from "./commands/doctor.ts";
import { importCommand } from "./commands/import.ts";
import { keyCommand } from "./commands/key.ts";
import { migrateCommand } from "./commands/migrate.ts";
import { pollCommand } from "./commands/poll.ts";
import { restoreCommand } from "./commands/restore.ts";
import { serveCommand } from "./commands/serve.ts";
import { statusCommand } from "./commands/status.ts";
import { userCommand } from "./commands/user.ts";
import { vocabularyCommand } from "./commands/vocabulary.ts";
import { workerCommand } from "./commands/worker.ts";
import { type Config, ConfigError, loadConfig } from "./config.ts";
import { DatabaseSetupError, databaseFailure } from "./db/failures.ts";
import { type OpenDatabase, openDatabase } from "./db/open.ts";
import { UsageError } from "./usage-error.ts";

const COMMANDS = [
  serveCommand,
  workerCommand,
  pollCommand,
  migrateCommand,
  importCommand,
  discountCommand,
  userCommand,
  keyCommand,
  demoCommand,
  vocabularyCommand,
  backupCommand,
  restoreCommand,
  statusCommand,
  doctorCommand,
  new Command("help")
    .description("Explain a command: help <command>")
    .argument("[words...]")
    .does(async ({ words: [name] }) => help(name)),
];

const program = new Command("npm run -s almanac --").needsSubcommand(
  (word) => `there is no command "${word}"`,
);
for (const command of COMMANDS) program.addCommand(command);

const out = (line: string) => void process.stdout.write(`${line}\n`);
const err = (line: string) => void process.stderr.write(`${line}\n`);

/** Runs one command; returns the exit code. */
export async function runCli(argv: string[], env: NodeJS.ProcessEnv): Promise<number> {
  outliveReaders();
  const asksHelp = argv.length === 0 || argv.some((arg) => arg === "--help" || arg === "-h");
  return runCommand(asksHelp ? ["help", ...argv.filter((arg) => !arg.startsWith("-"))] : argv, env);
}

/** Ignores a closed pipe (`help | head -1`), which would else end the process in the middle of an import. */
function outliveReaders(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE") throw error;
    });
  }
}

async function runCommand(argv: string[], env: NodeJS.ProcessEnv): Promise<number> {
  let loaded: Config | undefined;
  let opened: Promise<OpenDatabase> | undefined;
  try {
    const context: CommandContext = {
      // Read on first use, so that help works with a wrong setting.
      get config() {
        loaded ??= loadConfig(env);
        return loaded;
      },
      db: async ({ poolLog } = {}): Promise<Knex> => {
        const { config } = context;
        opened ??= openDatabase(config, { log: err, poolLog, migrate: config.migrateOnStart });
        return (await opened).db;
      },
      out,
      err,
      stdin: process.stdin,
      isTerminal: process.stderr.isTTY === true,
    };
    return await program.run(argv, context);
  } catch (error) {
    return explain(argv[0] ?? "", error);
  } finally {
    await opened?.then((database) => database.close()).catch(() => undefined);
  }
}

/** Prints a line for what an operator can act on; anything else is a bug and keeps its stack. */
function explain(name: string, error: unknown): number {
  if (error instanceof UsageError) return misuse(error.message, name);
  if (error instanceof ConfigError) {
    for (const line of error.message.split("\n")) err(`almanac: setting ${line}`);
    return 2;
  }
  if (error instanceof DatabaseSetupError) err(`almanac: ${error.message}`);
  else if (error instanceof Error && databaseFailure(error)) {
    // Knex puts the query before Postgres' message.
    err(`almanac: ${name}: the database failed: ${error.message.split(" - ").at(-1) || error.name}`);
  } else err(`almanac: ${name} failed: ${error instanceof Error ? (error.stack ?? error.message) : error}`);
  return 1;
}

function misuse(message: string, name: string): number {
  const isKnown = name !== "help" && COMMANDS.some((command) => command.name() === name);
  err(`almanac: ${isKnown ? `${name}: ` : ""}${message}`);
  err(`Try: npm run -s almanac -- help${isKnown ? ` ${name}` : ""}`);
  return 2;
}

function help(name: string | undefined): number {
  const command = name === undefined ? program : COMMANDS.find((command) => command.name() === name);
  if (!command) return misuse(`there is no command "${name}"`, "help");
  command.explain(out);
  return 0;
}
