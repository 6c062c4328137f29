import { Argument, Option } from "commander";
import type { Knex } from "knex";
import { listGrants } from "../accounts/keys/grant-queries.ts";
import {
  type FoundKey,
  findKey,
  grantDay,
  lastDay,
  letKey,
  takeFromKey,
} from "../accounts/keys/grants/pages.ts";
import { COMMAND } from "../db/audit-queries.ts";
import { UsageError } from "../settings/usage-error.ts";
import { GRANTED_SCOPES, type GrantedScope } from "../words/scopes.ts";
import { type Call, Command, type CommandContext, fail, logCommand } from "./command.ts";

type KeyCall = Call<{ until?: string }, [owner: string, key: string, scope: GrantedScope]>;

const MISSING: Record<Extract<FoundKey, string>, string> = {
  no_owner: "there is no such user",
  no_key: "they have no live API key that begins so",
  several_keys: "several of their API keys begin so: let them make another one",
};

export const keyCommand = new Command("key").needsSubcommand().notes(`
A key is named by its owner and its beginning, as the owner's page of API keys shows it: alm_Ab12. Its secret rest is
never needed. A scope ends with its last day (UTC), at most a year from now; granting it again sets another day.
"grants" prints one a line: key, owner, scope, when it ends, the key's last use, its state, with tabs between.
`);

keyCommand
  .command("grant <owner> <key>")
  .description("Grant a key write access until the end of a day")
  .addArgument(scopeArgument())
  .addOption(new Option("--until <day>", "the last day, such as 2027-01-31").makeOptionMandatory())
  .does(grant);

keyCommand
  .command("ungrant <owner> <key>")
  .description("Revoke that access")
  .addArgument(scopeArgument())
  .does(ungrant);

keyCommand.command("grants").description("List the keys with write access").does(list);

function scopeArgument(): Argument {
  return new Argument("<scope>").choices(GRANTED_SCOPES);
}

async function grant({ words: [owner, key, scope], options, context }: KeyCall): Promise<number> {
  const day = options.until ?? "";
  if (!grantDay.safeParse(day).success)
    throw new UsageError(`--until ${day}: say a day from today to ${lastDay()}`);
  return withKey(context, owner, key, async (db, found) => {
    const endsAt = await letKey(db, COMMAND, found.id, { scope, day });
    if (endsAt === undefined) return fail(context, MISSING.no_key);
    const user = { id: found.userId, name: owner };
    logCommand(context, "key.granted", { user, key: found.id, scopes: [scope], until: endsAt.toISOString() });
    context.err(`The key "${found.name}" has the scope ${scope} until ${endsAt.toISOString()}.`);
    return 0;
  });
}

async function ungrant({ words: [owner, key, scope], context }: KeyCall): Promise<number> {
  return withKey(context, owner, key, async (db, found) => {
    if (!(await takeFromKey(db, COMMAND, found.id, scope)))
      return fail(context, `the key "${found.name}" does not have the scope ${scope}`);
    const user = { id: found.userId, name: owner };
    logCommand(context, "key.ungranted", { user, key: found.id, scopes: [scope] });
    context.err(`The key "${found.name}" has the scope ${scope} no more.`);
    return 0;
  });
}

async function list({ context }: Call): Promise<number> {
  for (const grant of await listGrants(await context.db())) {
    const { prefix, owner, scope, ends_at, last_used_at, state } = grant;
    context.out(
      [prefix, owner, scope, ends_at.toISOString(), last_used_at?.toISOString() ?? "", state].join("\t"),
    );
  }
  return 0;
}

async function withKey(
  context: CommandContext,
  owner: string,
  key: string,
  work: (db: Knex, found: Exclude<FoundKey, string>) => Promise<number>,
): Promise<number> {
  const db = await context.db();
  const found = await findKey(db, owner, key);
  return typeof found === "string" ? fail(context, MISSING[found]) : work(db, found);
}
