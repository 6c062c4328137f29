import type { Knex } from "knex";
import { findRunningSite } from "../db/known-sites.ts";
import { buildUrl } from "../web/server/listen.ts";
import { Command, type CommandContext } from "./command.ts";
import {
  checkBackups,
  checkJobs,
  checkPoller,
  checkServer,
  checkSite,
  checkSpace,
  describeContent,
  readEffective,
} from "./status/checks.ts";
import { bad, type Finding, findingLine, isBad } from "./status/finding.ts";

const PATIENCE_MS = 5_000;

export const statusCommand = new Command("status")
  .option("--json", "print one JSON object")
  .notes(`
One line for each question of an operator in a hurry: whether the site of these settings answers, the database takes
writes, jobs are done, servers are polled, backups are young, and how much there is of everything. Exit code 1 when one line is bad.
"doctor" checks the settings.
`)
  .does<{ json?: true }, []>(async ({ options, context }) => {
    const findings = await readStatus(context);
    if (options.json) {
      const lines = findings.map(([state, text]) => ({ state, text }));
      context.out(JSON.stringify({ ok: !findings.some(isBad), findings: lines }));
    } else {
      for (const finding of findings) context.out(findingLine(finding));
    }
    return findings.some(isBad) ? 1 : 0;
  });

async function readStatus({ config, db }: CommandContext): Promise<Finding[]> {
  const [site, space, database] = await Promise.all([
    checkSite((await findRunningSite(config))?.url ?? buildUrl(config)),
    checkSpace(config),
    checkDatabase(db, config),
  ]);
  return [site, ...database, ...space];
}

async function checkDatabase(
  open: CommandContext["db"],
  config: CommandContext["config"],
): Promise<Finding[]> {
  try {
    const db = await open({ poolLog: () => undefined, patienceMs: PATIENCE_MS });
    const describeSettings = async (db: Knex) => [(await readEffective(db, config)).finding];
    const checks = [checkServer, checkJobs, checkPoller, checkBackups, describeContent, describeSettings];
    return (await Promise.all(checks.map((check) => checkInTime(db, check)))).flat();
  } catch (error) {
    return [bad(`database: ${describeError(error)}`)];
  }
}

/** A check that cannot finish, such as one that waits for a locked table, does not hold up the others. */
async function checkInTime(db: Knex, check: (db: Knex) => Promise<Finding[]>): Promise<Finding[]> {
  try {
    return await db.transaction(async (transaction) => {
      await transaction.raw(`set local statement_timeout = ${PATIENCE_MS}`);
      return check(transaction);
    });
  } catch (error) {
    return [bad(`database: ${describeError(error)}`)];
  }
}

/** Knex puts the query before the message of the server. */
function describeError(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.slice(message.lastIndexOf(" - ") + 1).replace(/^- /, "");
}
