import { Option } from "commander";
import type { Knex } from "knex";
import type { Loss } from "../db/migrate.ts";
import { migrate, pendingMigrations, rollback } from "../db/migrate.ts";
import { openDatabase } from "../db/open.ts";
import { counted } from "../settings/counted.ts";
import { UsageError } from "../settings/usage-error.ts";
import { type Call, Command, type CommandContext } from "./command.ts";

export const migrateCommand = new Command("migrate")
  .addOption(
    new Option("--status", "only list what is missing; exit code 1 when something is").conflicts("rollback"),
  )
  .option(
    "--rollback",
    "show what undoing the newest migration would destroy, and change nothing; exit code 1",
  )
  .option("--yes", "undo it: what is in its tables and columns is lost")
  .notes(`
Applies the migrations that are missing, one process at a time. Prints each by name.

Stop the site first, and start it again as the version that the schema fits: with MIGRATE_ON_START=1 this one would apply
the migration again.
`)
  .does(async ({ options, context }: Call<{ status?: true; rollback?: true; yes?: true }>) => {
    if (options.yes && !options.rollback) throw new UsageError("--yes belongs to --rollback");
    const database = await openDatabase(context.config, { log: context.err, migrate: false });
    try {
      if (options.status) return await printStatus(await pendingMigrations(database.db), context.out);
      if (options.rollback) return await undo(database.db, options.yes === true, context);
      return printDone(await migrate(database.db, { log: context.err }), "applied", context);
    } finally {
      await database.close();
    }
  });

async function printStatus(pending: string[], out: (line: string) => void): Promise<number> {
  for (const name of pending) out(name);
  return pending.length === 0 ? 0 : 1;
}

function printDone(names: string[], what: string, { out, err }: CommandContext): number {
  for (const name of names) out(name);
  err(names.length === 0 ? "Nothing to do." : `${names.length} ${what}.`);
  return 0;
}

/** Never prompts, so that a script and a terminal behave the same: only --yes in the call destroys data. */
async function undo(db: Knex, isAgreed: boolean, context: CommandContext): Promise<number> {
  const { out, err } = context;
  let refused = false;
  const names = await rollback(db, {
    log: err,
    agrees: ([name = ""], losses) => {
      err(`${name} ${isAgreed ? "destroys" : "would destroy"}${losses.length === 0 ? " no data." : ":"}`);
      for (const loss of losses) out(`  ${describe(loss)}`);
      refused = !isAgreed;
      return isAgreed;
    },
  });
  if (!refused) return printDone(names, "undone", context);
  err("Nothing was changed. To undo it: npm run -s almanac -- migrate --rollback --yes");
  return 1;
}

function describe(loss: Loss): string {
  if (loss.kind === "column") return `column ${loss.table}.${loss.column}: ${counted(loss.values, "value")}`;
  return `${loss.kind === "table" ? "table" : "rows of"} ${loss.table}: ${counted(loss.rows, "row")}`;
}
