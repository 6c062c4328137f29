import { statfsSync } from "node:fs";
import type { Knex } from "knex";
import { DatabaseSetupError, databaseFailure } from "../db/failures.ts";
import type { OpenDatabase } from "../db/open.ts";
import { type Config, loadConfig } from "../settings/config.ts";
import { SecretError } from "../settings/secrets.ts";
import { ConfigError } from "../settings/sources.ts";
import { UsageError } from "../settings/usage-error.ts";
import { Command, type CommandContext, type CommandOutput, jsonOutput, textOutput } from "./command.ts";

/** A command: its line in the list, and its code, which is loaded when it is called. */
type Listed = readonly [summary: string, load: () => Promise<Command>];

const COMMANDS: Readonly<Record<string, Listed>> = {
  serve: ["Run the site", async () => (await import("./serve.ts")).serveCommand],
  worker: [
    "Run the background work in a process of its own",
    async () => (await import("./worker.ts")).workerCommand,
  ],
  poll: [
    "Poll the game servers in a process of its own",
    async () => (await import("./poll.ts")).pollCommand,
  ],
  migrate: [
    "Bring the database's schema up to date",
    async () => (await import("./migrate.ts")).migrateCommand,
  ],
  import: [
    "Add and update records from a JSON, NDJSON or CSV file",
    async () => (await import("./import.ts")).importCommand,
  ],
  "undo-import": [
    "List imports, and undo one of them",
    async () => (await import("./undo-import.ts")).undoImportCommand,
  ],
  discount: [
    "List, add, change and end discounts of the shop",
    async () => (await import("./discount.ts")).discountCommand,
  ],
  user: ["Make, list, change and delete accounts", async () => (await import("./user.ts")).userCommand],
  key: ["Let API keys write, and take it back", async () => (await import("./key.ts")).keyCommand],
  demo: ["Load or remove the demo data", async () => (await import("./demo.ts")).demoCommand],
  vocabulary: [
    "Check what the site calls the game's data, or write the schema of that file for an editor",
    async () => (await import("./vocabulary.ts")).vocabularyCommand,
  ],
  backup: [
    "Write all of the site into a file, beside the running site, or check such a file",
    async () => (await import("./backup.ts")).backupCommand,
  ],
  restore: [
    "Bring the site back from a file that backup wrote",
    async () => (await import("./restore.ts")).restoreCommand,
  ],
  "upgrade-postgres": [
    "Bring the embedded database to the major version of Postgres that is installed",
    async () => (await import("./upgrade-postgres.ts")).upgradePostgresCommand,
  ],
  status: ["Show how the site is doing", async () => (await import("./status.ts")).statusCommand],
  doctor: [
    "Show the settings and check that everything the site needs is there",
    async () => (await import("./doctor.ts")).doctorCommand,
  ],
  help: ["Explain a command: help <command>", async () => helpCommand],
};

const helpCommand = new Command("help").argument("[words...]").does(async ({ words: [name] }) => help(name));

const { out, err } = textOutput;

/** Long-running commands, whose output programs read. */
const SERVICES = ["serve", "worker", "poll"];

/** The sources of settings: the environment, and a file for the rest. */
interface Sources {
  readonly env: NodeJS.ProcessEnv;
  readonly file?: string;
}

/** Runs one command; returns the exit code. */
export async function runCli(argv: string[], sources: Sources): Promise<number> {
  outliveReaders();
  const asksHelp = argv.length === 0 || argv.some((arg) => arg === "--help" || arg === "-h");
  return runCommand(asksHelp ? ["help", ...argv.filter((arg) => !arg.startsWith("-"))] : argv, sources);
}

/** Ignores a closed pipe (`help | head -1`), which would else end the process in the middle of an import. */
function outliveReaders(): void {
  for (const stream of [process.stdout, process.stderr]) {
    if (!stream.listeners("error").includes(ignoreClosedPipe)) stream.on("error", ignoreClosedPipe);
  }
}

function ignoreClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== "EPIPE") throw error;
}

async function runCommand(argv: string[], { env, file }: Sources): Promise<number> {
  const [name = ""] = argv;
  let loaded: Config | undefined;
  const voice = (): CommandOutput =>
    loaded?.logFormat === "json" && SERVICES.includes(name) ? jsonOutput() : textOutput;
  let opened: Promise<OpenDatabase> | undefined;
  try {
    const context: CommandContext = {
      // Read on first use, so that help works with a wrong setting.
      get config() {
        loaded ??= loadConfig(env, file);
        return loaded;
      },
      db: async (choices = {}): Promise<Knex> => {
        const { config } = context;
        const { openDatabase } = await import("../db/open.ts");
        opened ??= openDatabase(config, {
          log: context.err,
          ...choices,
          migrate: config.migrateOnStart,
        });
        return (await opened).db;
      },
      out: (line) => voice().out(line),
      err: (line) => voice().err(line),
      stdin: process.stdin,
      folder: env.npm_lifecycle_event === "almanac" ? env.INIT_CWD : undefined,
      isTerminal: process.stderr.isTTY === true,
    };
    const command = await loadCommand(name);
    return await createProgram(command ? [command] : listCommands()).run(argv, context);
  } catch (error) {
    return explain(name, error, (line) => voice().fail(line + describeRoom(loaded)));
  } finally {
    await opened?.then((database) => database.close()).catch(() => undefined);
  }
}

/** Returns undefined for an unknown name. */
async function loadCommand(name: string): Promise<Command | undefined> {
  if (!isCommand(name)) return undefined;
  const [summary, load] = COMMANDS[name] as Listed;
  return (await load()).description(summary);
}

/** All by name and summary: to load their code takes seconds. */
function listCommands(): Command[] {
  return Object.entries(COMMANDS).map(([name, [summary]]) => new Command(name).description(summary));
}

function createProgram(commands: readonly Command[]): Command {
  const program = new Command("npm run -s almanac --").needsSubcommand(
    (word) => `there is no command "${word}"`,
  );
  for (const command of commands) program.addCommand(command);
  return program;
}

const isCommand = (name: string) => Object.hasOwn(COMMANDS, name);

/** Less than a new database takes, and than Postgres needs to go on after a crash. */
const SCARCE_BYTES = 64e6;

/** The hint about a full disk after a failure whose message is not clear; else "". */
function describeRoom(config: Config | undefined): string {
  if (config?.databaseUrl !== undefined) return "";
  try {
    const { bavail, bsize } = statfsSync(config?.dataDir ?? "");
    if (bavail * bsize >= SCARCE_BYTES) return "";
    const free = Math.floor((bavail * bsize) / 1e6);
    return ` (only ${free} MB are free at ${config?.dataDir}: make room there, or set another DATA_DIR)`;
  } catch {
    // There is no such directory.
    return "";
  }
}

/** Prints a line for what an operator can act on; anything else is a bug and keeps its stack. */
function explain(name: string, error: unknown, say: (line: string) => void): number {
  if (error instanceof UsageError) return misuse(error.message, name);
  if (error instanceof ConfigError) {
    for (const line of error.message.split("\n")) say(`almanac: setting ${line}`);
    return 2;
  }
  // The entry point names the package.
  if (error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND") throw error;
  // By its name: to import the class would read the languages at once.
  const isLanguageError = error instanceof Error && error.name === "LanguageError";
  if (isLanguageError || error instanceof DatabaseSetupError || error instanceof SecretError)
    say(`almanac: ${error.message}`);
  else if (isDiskFailure(error)) say(`almanac: ${name} failed: ${error.message}`);
  else if (error instanceof Error && databaseFailure(error)) {
    // Knex puts the query before Postgres' message.
    say(`almanac: ${name}: the database failed: ${error.message.split(" - ").at(-1) || error.name}`);
  } else say(`almanac: ${name} failed: ${error instanceof Error ? (error.stack ?? error.message) : error}`);
  return 1;
}

/** Whether a file could not be written or read for a reason that lies outside the program. */
function isDiskFailure(error: unknown): error is NodeJS.ErrnoException {
  const { code, syscall } = error as NodeJS.ErrnoException;
  return (
    syscall !== undefined && ["ENOSPC", "EDQUOT", "EROFS", "EACCES", "EPERM", "EIO"].includes(code ?? "")
  );
}

function misuse(message: string, name: string): number {
  const isKnown = name !== "help" && isCommand(name);
  err(`almanac: ${isKnown ? `${name}: ` : ""}${message}`);
  err(`Try: npm run -s almanac -- help${isKnown ? ` ${name}` : ""}`);
  return 2;
}

async function help(name: string | undefined): Promise<number> {
  const command = name === undefined ? undefined : await loadCommand(name);
  if (name !== undefined && !command) return misuse(`there is no command "${name}"`, "help");
  const program = createProgram(command ? [command] : listCommands());
  (command ?? program).explain(out);
  return 0;
}
