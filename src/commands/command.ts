import path from "node:path";
import { Option, Command as Parser } from "commander";
import type { Knex } from "knex";
import { pino } from "pino";
import type { Config } from "../settings/config.ts";
import { UsageError } from "../settings/usage-error.ts";
import { createLog, securityLog } from "../web/server/log.ts";
import { type SecurityDetails, type SecurityEvent, userFields } from "../web/server/security-log.ts";

interface DbChoices {
  /** Gets failed connections; by default `err`. */
  readonly poolLog?: (line: string) => void;
  /** Whether the operator agreed to a new database, as `create` of openDatabase; undefined: the command makes none. */
  readonly create?: boolean | undefined;
  /** See EmbeddedPostgresOptions. */
  readonly keepsRunning?: boolean;
  /** How long to wait for a database that does not answer; a minute by default. */
  readonly patienceMs?: number;
}

/** The context of a command: results go to `out` (standard output), progress and messages to `err`. */
export interface CommandContext {
  readonly config: Config;
  /** Connects on first use, so that a bad call needs no database. */
  db(options?: DbChoices): Promise<Knex>;
  out(line: string): void;
  err(line: string): void;
  stdin: NodeJS.ReadableStream;
  /** The user's folder, if it is not the working directory: npm runs scripts in the clone. */
  folder?: string | undefined;
  /** True when messages go to a terminal, where a progress bar makes sense. */
  isTerminal: boolean;
}

/** A path that was typed, from the folder where the user stands; "-" is standard input. */
export function typedPath(file: string, { folder }: Pick<CommandContext, "folder">): string {
  return file === "-" || folder === undefined ? file : path.resolve(folder, file);
}

/** One call of a command: its words and options as they were declared. */
export interface Call<Options = object, Words extends string[] = string[]> {
  words: Words;
  options: Options;
  context: CommandContext;
}

type Work = (context: CommandContext) => Promise<number>;

/** A command with its words, options and help. It never exits, and prints only through its context. */
export class Command extends Parser {
  #asked: Work | undefined;

  constructor(name: string) {
    super(name);
    this.helpOption(false).helpCommand(false).showSuggestionAfterError(false);
    this.configureOutput({ outputError: () => undefined, getOutHelpWidth: () => 120 });
    this.exitOverride(({ message }) => {
      throw new UsageError(message.replace(/^error: /, ""));
    });
  }

  override createCommand(name: string): Command {
    return new Command(name);
  }

  /** Adds a text to the end of the help. */
  notes(text: string): this {
    return this.addHelpText("after", `\n${text.trim()}`);
  }

  /** Sets the work of the command, which returns the exit code: 0 done, 1 failed with nothing half-done. */
  does<Options, Words extends string[]>(work: (call: Call<Options, Words>) => Promise<number>): this {
    return this.action(() => {
      const call = { words: this.args as Words, options: this.opts() as Options };
      for (let command: Parser | null = this; command instanceof Command; command = command.parent) {
        command.#asked = (context) => work({ ...call, context });
      }
    });
  }

  /** Requires a subcommand, whose help it includes. `refuse` returns the message for any other first word. */
  needsSubcommand(refuse = (_word: string, names: string) => `say what to do: ${names}`): this {
    this.usage("<command> …").configureHelp({ subcommandTerm: (command) => command.name() });
    // Not for the program, whose help would include that of every command.
    this.addHelpText("after", ({ command }) =>
      command.parent
        ? command.commands.map((each) => `\n${each.helpInformation().trimEnd()}`).join("\n")
        : "",
    );
    return this.argument("[words...]").action(() => {
      throw new UsageError(refuse(this.args[0] ?? "", this.commands.map((each) => each.name()).join(", ")));
    });
  }

  /**
   * Resolves to the exit code.
   * @throws UsageError for a bad call, before anything is done
   */
  async run(args: string[], context: CommandContext): Promise<number> {
    this.#asked = undefined;
    this.parse(args, { from: "user" });
    if (!this.#asked) throw new Error(`${this.name()} does nothing`);
    return (this.#asked as Work)(context);
  }

  /** Prints the help of the command. */
  explain(out: (line: string) => void): void {
    let help = "";
    const writeOut = (text: string) => {
      help += text;
    };
    this.configureOutput({ writeOut }).outputHelp();
    out(help.replaceAll(/ +$/gm, "").trimEnd());
  }

  override parseOptions(args: string[]) {
    for (const [index, arg] of args.entries()) {
      if (arg === "--") break;
      // Commander would take an option as the value: `--title --dry-run` would save.
      const value = args[index + 1] ?? "";
      if (/^-\D/.test(value) && takesValue(this, arg))
        throw new UsageError(`${arg} needs a value; one that begins with "-" is written ${arg}=${value}`);
    }
    return super.parseOptions(subcommandFirst(this, args));
  }
}

/** Moves options behind their subcommand, as Commander wants them: `user --yes delete ann`. */
function subcommandFirst({ commands }: Parser, args: string[]): string[] {
  if (commands.length === 0) return args;
  const index = args.findIndex((arg, index) => {
    const before = args[index - 1] ?? "";
    return !arg.startsWith("-") && !commands.some((command) => takesValue(command, before));
  });
  return index > 0 ? [args[index] ?? "", ...args.toSpliced(index, 1)] : args;
}

function takesValue({ options }: Parser, flag: string): boolean {
  return options.some((option) => option.required && option.long === flag);
}

/** With LOG_FORMAT=json, writes a line of the security log to standard error. */
export function logCommand(
  { config, err }: CommandContext,
  event: SecurityEvent,
  { user, ...more }: SecurityDetails,
): void {
  if (config.logFormat !== "json") return;
  const log = pino({ level: config.logLevel }, { write: (line) => err(line.trimEnd()) });
  securityLog(log).info({ security: event, ...userFields(user), ...more, by: "command" });
}

/** The option that agrees to a new database, for a command that makes sense before the first start. */
export function makesDatabase(): Option {
  return new Option("--yes", "make a new embedded database where there is none");
}

/** Prints why a command failed; returns its exit code. */
export function fail({ err }: CommandContext, message: string): number {
  err(`almanac: ${message}`);
  return 1;
}

/** Under npm one Ctrl-C arrives twice, from the terminal and from npm. */
const SAME_KEYPRESS_MS = 1000;

/**
 * Resolves with the first of the signals; later ones call `onImpatience`. Before it is called, signals end the process at
 * once, which is safe: the embedded Postgres notices and stops.
 */
export function stopSignal(
  onSecondSignal: () => void,
  signals: readonly NodeJS.Signals[] = ["SIGINT", "SIGTERM", "SIGHUP"],
): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let stoppedAt: number | undefined;
    const receive = (signal: NodeJS.Signals) => {
      if (stoppedAt === undefined) {
        stoppedAt = Date.now();
        resolve(signal);
      } else if (Date.now() - stoppedAt > SAME_KEYPRESS_MS) {
        onSecondSignal();
      }
    };
    for (const signal of signals) process.on(signal, receive);
  });
}

/** How a command says something: results, messages, and why it failed. */
export interface CommandOutput {
  out(line: string): void;
  err(line: string): void;
  fail(line: string): void;
}

const write = (stream: NodeJS.WriteStream) => (line: string) => void stream.write(`${line}\n`);

/** Output for a person at a terminal, and for scripts. */
export const textOutput: CommandOutput = {
  out: write(process.stdout),
  err: write(process.stderr),
  fail: write(process.stderr),
};

let spoken: CommandOutput | undefined;

/** Output as lines of the log, for log collectors; with Node's warnings. LOG_LEVEL leaves out none. */
export function jsonOutput(): CommandOutput {
  if (spoken) return spoken;
  const log = createLog("info", "json");
  // Node's own listener would print them as text.
  process
    .removeAllListeners("warning")
    .on("warning", (warning) => log.warn({ err: warning }, warning.message));
  spoken = { out: (line) => log.info(line), err: (line) => log.info(line), fail: (line) => log.fatal(line) };
  return spoken;
}
