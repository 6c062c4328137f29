import { Command as Parser } from "commander";
import type { Knex } from "knex";
import type { Config } from "../config.ts";
import { UsageError } from "../usage-error.ts";

/** What a command is given; results go to `out` (standard output), progress and messages to `err`. */
export interface CommandContext {
  readonly config: Config;
  /**
   * Connects on first use, so that a bad call fails before any database is needed. `poolLog` is told of every connection
   * that fails; by default `err`.
   */
  db(options?: { poolLog?: (line: string) => void }): Promise<Knex>;
  out(line: string): void;
  err(line: string): void;
  stdin: NodeJS.ReadableStream;
  /** True when messages go to a terminal, where a progress bar makes sense. */
  isTerminal: boolean;
}

/** One call of a command: its words and options as they were declared. */
export interface Call<Options = object, Words extends string[] = string[]> {
  words: Words;
  options: Options;
  context: CommandContext;
}

type Work = (context: CommandContext) => Promise<number>;

/** A command with its words, options and help. It never ends the process, and prints only through a context. */
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

  /** Adds what the declarations do not say to the end of the help. */
  notes(text: string): this {
    return this.addHelpText("after", `\n${text.trim()}`);
  }

  /** Sets what the command does: `work` resolves to the exit code, 0 done, 1 failed with nothing half-done. */
  does<Options, Words extends string[]>(work: (call: Call<Options, Words>) => Promise<number>): this {
    return this.action(() => {
      const call = { words: this.args as Words, options: this.opts() as Options };
      for (let command: Parser | null = this; command instanceof Command; command = command.parent) {
        command.#asked = (context) => work({ ...call, context });
      }
    });
  }

  /**
   * For a command that does nothing without one of its subcommands; its help holds theirs. `refuse` answers a first word
   * that is none of them, and gets their names.
   */
  needsSubcommand(refuse = (_word: string, names: string) => `say what to do: ${names}`): this {
    this.usage("<command> …").configureHelp({ subcommandTerm: (command) => command.name() });
    // The program's own help would be that of everything.
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
      // Commander would take it, and `--title --dry-run` would write what was only to be shown.
      const value = args[index + 1] ?? "";
      if (/^-\D/.test(value) && takesValue(this, arg))
        throw new UsageError(`${arg} needs a value; one that begins with "-" is written ${arg}=${value}`);
    }
    return super.parseOptions(subcommandFirst(this, args));
  }
}

/** Options may come before the subcommand that takes them (`user --yes delete ann`); Commander wants them after it. */
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
