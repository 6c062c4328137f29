import { parseArgs } from "node:util";
import { migrate, pendingMigrations, rollback } from "../db/migrate.ts";
import { openDatabase } from "../db/open.ts";
import type { Command } from "./command.ts";

export const migrateCommand: Command = {
  name: "migrate",
  summary: "Bring the database's schema up to date",
  usage: `
Usage: npm run -s almanac -- migrate [--status | --rollback]

Applies the migrations that are missing, one process at a time. Prints each by name.
  --status    only list what is missing; exit code 1 when something is
  --rollback  undo the last batch (data in its tables is lost)
`,
  async run(args, { config, out, err }) {
    const { values } = parseArgs({
      args,
      options: { status: { type: "boolean" }, rollback: { type: "boolean" } },
    });
    const database = await openDatabase(config, { log: err, migrate: false });
    try {
      if (values.status) return await printStatus(await pendingMigrations(database.db), out);
      const done = values.rollback ? await rollback(database.db) : await migrate(database.db);
      for (const name of done) out(name);
      err(done.length === 0 ? "Nothing to do." : `${done.length} ${values.rollback ? "undone" : "applied"}.`);
      return 0;
    } finally {
      await database.close();
    }
  },
};

async function printStatus(pending: string[], out: (line: string) => void): Promise<number> {
  for (const name of pending) out(name);
  return pending.length === 0 ? 0 : 1;
}
