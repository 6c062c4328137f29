import { parseArgs } from "node:util";
import type { Knex } from "knex";
import type { Loss } from "../db/losses.ts";
import { migrate, pendingMigrations, rollback } from "../db/migrate.ts";
import { openDatabase } from "../db/open.ts";
import { UsageError } from "../usage-error.ts";
import type { Command, CommandContext } from "./command.ts";

export const migrateCommand: Command = {
  name: "migrate",
  summary: "Bring the database's schema up to date",
  usage: `
Usage: npm run -s almanac -- migrate [--status | --rollback [--yes]]

Applies the migrations that are missing, one process at a time. Prints each by name.
  --status    only list what is missing; exit code 1 when something is
  --rollback  show what undoing the newest migration would destroy, and change nothing; exit code 1
  --yes       undo it: what is in its tables and columns is lost

Stop the site first, and start it again as the version that the schema fits: with MIGRATE_ON_START=1 this one would apply
the migration again.
`,
  async run(args, context) {
    const { values } = parseArgs({
      args,
      options: { status: { type: "boolean" }, rollback: { type: "boolean" }, yes: { type: "boolean" } },
    });
    if (values.status && values.rollback) throw new UsageError("--status and --rollback exclude each other");
    if (values.yes && !values.rollback) throw new UsageError("--yes belongs to --rollback");
    const database = await openDatabase(context.config, { log: context.err, migrate: false });
    try {
      if (values.status) return await printStatus(await pendingMigrations(database.db), context.out);
      if (values.rollback) return await undo(database.db, values.yes === true, context);
      return tellDone(await migrate(database.db), "applied", context);
    } finally {
      await database.close();
    }
  },
};

async function printStatus(pending: string[], out: (line: string) => void): Promise<number> {
  for (const name of pending) out(name);
  return pending.length === 0 ? 0 : 1;
}

function tellDone(names: string[], what: string, { out, err }: CommandContext): number {
  for (const name of names) out(name);
  err(names.length === 0 ? "Nothing to do." : `${names.length} ${what}.`);
  return 0;
}

/** On a terminal as in a script: nobody is asked, and nothing is lost that was not agreed to in the call. */
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
  if (!refused) return tellDone(names, "undone", context);
  err("Nothing was changed. To undo it: npm run -s almanac -- migrate --rollback --yes");
  return 1;
}

function describe(loss: Loss): string {
  if (loss.kind === "column") return `column ${loss.table}.${loss.column}: ${loss.values} value(s)`;
  return `${loss.kind === "table" ? "table" : "rows of"} ${loss.table}: ${loss.rows} row(s)`;
}
