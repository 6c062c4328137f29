import type { Knex } from "knex";
import { Command, type CommandContext } from "./commands/command.ts";
import { jsonVoice, textVoice, type Voice } from "./commands/voice.ts";
import { type Config, ConfigError, loadConfig } from "./config.ts";
import { DatabaseSetupError, databaseFailure } from "./db/failures.ts";
import { type OpenDatabase, openDatabase } from "./db/open.ts";
import { SecretError } from "./secrets.ts";
import { UsageError } from "./usage-error.ts";

/** Each is loaded when it is called: all of them take 150 MB and most of a second. */
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  serve: async () => (await import("./commands/serve.ts")).serveCommand,
  worker: async () => (await import("./commands/worker.ts")).workerCommand,
  poll: async () => (await import("./commands/poll.ts")).pollCommand,
  migrate: async () => (await import("./commands/migrate.ts")).migrateCommand,
  import: async () => (await import("./commands/import.ts")).importCommand,
  discount: async () => (await import("./commands/discount.ts")).discountCommand,
  user: async () => (await import("./commands/user.ts")).userCommand,
  key: async () => (await import("./commands/key.ts")).keyCommand,
  demo: async () => (await import("./commands/demo.ts")).demoCommand,
  vocabulary: async () => (await import("./commands/vocabulary.ts")).vocabularyCommand,
  backup: async () => (await import("./commands/backup.ts")).backupCommand,
  restore: async () => (await import("./commands/restore.ts")).restoreCommand,
  "upgrade-postgres": async () => (await import("./commands/upgrade-postgres.ts")).upgradePostgresCommand,
  status: async () => (await import("./commands/status.ts")).statusCommand,
  doctor: async () => (await import("./commands/doctor.ts")).doctorCommand,
  help: async () => helpCommand,
};

const helpCommand = new Command("help")
  .description("Explain a command: help <command>")
  .argument("[words...]")
  .does(async ({ words: [name] }) => help(name));

const { out, err } = textVoice;

/** What runs on and is read by programs. */
const SERVICES = ["serve", "worker", "poll"];

/** Where the settings come from: the environment, and a file for what that does not have. */
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
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE") throw error;
    });
  }
}

async function runCommand(argv: string[], { env, file }: Sources): Promise<number> {
  let loaded: Config | undefined;
  const voice = (): Voice =>
    loaded?.logFormat === "json" && SERVICES.includes(argv[0] ?? "") ? jsonVoice() : textVoice;
  let opened: Promise<OpenDatabase> | undefined;
  try {
    const context: CommandContext = {
      // Read on first use, so that help works with a wrong setting.
      get config() {
        loaded ??= loadConfig(env, file);
        return loaded;
      },
      db: async ({ poolLog } = {}): Promise<Knex> => {
        const { config } = context;
        opened ??= openDatabase(config, { log: context.err, poolLog, migrate: config.migrateOnStart });
        return (await opened).db;
      },
      out: (line) => voice().out(line),
      err: (line) => voice().err(line),
      stdin: process.stdin,
      isTerminal: process.stderr.isTTY === true,
    };
    return await programOf(await loadCommands(argv[0])).run(argv, context);
  } catch (error) {
    return explain(argv[0] ?? "", error, voice().fail);
  } finally {
    await opened?.then((database) => database.close()).catch(() => undefined);
  }
}

/** The command of that name, or all where none has it. */
async function loadCommands(name = ""): Promise<readonly Command[]> {
  const load = isCommand(name) ? COMMANDS[name] : undefined;
  return load ? [await load()] : Promise.all(Object.values(COMMANDS).map((load) => load()));
}

/** The program as far as its commands are loaded. */
function programOf(commands: readonly Command[]): Command {
  const program = new Command("npm run -s almanac --").needsSubcommand(
    (word) => `there is no command "${word}"`,
  );
  for (const command of commands) program.addCommand(command);
  return program;
}

const isCommand = (name: string) => Object.hasOwn(COMMANDS, name);

/** Prints a line for what an operator can act on; anything else is a bug and keeps its stack. */
function explain(name: string, error: unknown, say: (line: string) => void): number {
  if (error instanceof UsageError) return misuse(error.message, name);
  if (error instanceof ConfigError) {
    for (const line of error.message.split("\n")) say(`almanac: setting ${line}`);
    return 2;
  }
  if (error instanceof DatabaseSetupError || error instanceof SecretError) say(`almanac: ${error.message}`);
  else if (error instanceof Error && databaseFailure(error)) {
    // Knex puts the query before Postgres' message.
    say(`almanac: ${name}: the database failed: ${error.message.split(" - ").at(-1) || error.name}`);
  } else say(`almanac: ${name} failed: ${error instanceof Error ? (error.stack ?? error.message) : error}`);
  return 1;
}

function misuse(message: string, name: string): number {
  const isKnown = name !== "help" && isCommand(name);
  err(`almanac: ${isKnown ? `${name}: ` : ""}${message}`);
  err(`Try: npm run -s almanac -- help${isKnown ? ` ${name}` : ""}`);
  return 2;
}

async function help(name: string | undefined): Promise<number> {
  if (name !== undefined && !isCommand(name)) return misuse(`there is no command "${name}"`, "help");
  const commands = await loadCommands(name);
  const program = programOf(commands);
  const [command = program] = name === undefined ? [] : commands;
  command.explain(out);
  return 0;
}
