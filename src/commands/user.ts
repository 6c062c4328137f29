import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { Argument } from "commander";
import type { Knex } from "knex";
import { changePassword } from "../accounts/change-password.ts";
import { END_ALL, endedTexts, findOpenAccess } from "../accounts/open-access.ts";
import { changeRole, type Done, deletePerson, disable, enable } from "../accounts/people/actions.ts";
import { createUser, findUserId, listAccounts } from "../accounts/queries.ts";
import { newAccount, newPassword, passwordError } from "../accounts/schemas.ts";
import { COMMAND, recorded } from "../db/audit-queries.ts";
import { ROLES, type Role } from "../db/sessions.ts";
import { UsageError } from "../settings/usage-error.ts";
import { parseZodMessage, translateText } from "../words/i18n/lazy-text.ts";
import { type Call, Command, type CommandContext, fail, logCommand, makesDatabase } from "./command.ts";

type UserCall = Call<
  { operator?: true; email?: string; passwordFile?: string; revoke?: true; yes?: true },
  [name: string]
>;

const PASSWORD_FILE = "--password-file <file>";

export const userCommand = new Command("user").needsSubcommand().notes(`
Without --password-file a random password is made and printed, this once. With it the password is the file's first
line, or that of standard input where <file> is "-". A new password ends every session of its user; with --revoke also
their API keys, the link of their private feed, push notifications in their browsers and their webhooks.
"list" prints one account a line: id, name, role, e-mail, time of registration, when it was disabled, with tabs between.
Editors change records and nothing else; operators do everything. "disable" ends all sessions and refuses the account's
API keys until "enable".
"delete" removes the account with its sessions, keys, favorites and notifications.
`);

userCommand
  .command("create <name>")
  .description("Make an account")
  .option("--operator", "make an operator")
  .option("--email <address>")
  .option(PASSWORD_FILE)
  .addOption(makesDatabase())
  .does(create);

userCommand.command("list").description("Print the accounts").does(list);

userCommand
  .command("password <name>")
  .description("Change a password")
  .option(PASSWORD_FILE)
  .option("--revoke", "end their API keys, private feed and push notifications, too")
  .does(setPassword);

userCommand
  .command("role <name>")
  .description("Change a role")
  .addArgument(new Argument("<role>").choices(ROLES.toReversed()))
  .does(setRole);

userCommand.command("disable <name>").description("Let nobody into an account").does(setAccess(disable));
userCommand.command("enable <name>").description("Let its user in again").does(setAccess(enable));

userCommand
  .command("delete <name>")
  .description("Remove an account")
  .option("--yes", "needed, because it cannot be undone")
  .does(remove);

async function create({ words: [name], options, context }: UserCall): Promise<number> {
  const password = await choosePassword(options.passwordFile, context);
  const account = newAccount.safeParse({ name, password: password.text, email: options.email });
  if (!account.success) throw new UsageError(explain(account.error.issues));
  refusePassword(account.data.name, password.text);
  const role: Role = options.operator ? "operator" : "user";
  const id = await recorded(
    await context.db({ create: options.yes ?? false }),
    COMMAND,
    (transaction) => createUser(transaction, { ...account.data, role }),
    (id) =>
      id === undefined
        ? undefined
        : { action: "account.created", subject: `user/${account.data.name}`, after: { role } },
  );
  if (id === undefined) return fail(context, `the name ${account.data.name} is taken`);
  logCommand(context, "account.created", { user: { id, name: account.data.name }, role });
  context.err(`Made the ${role} ${account.data.name}.`);
  if (password.isGenerated) context.out(password.text);
  return 0;
}

async function list({ context }: Call): Promise<number> {
  for (const { id, name, role, email, created_at, disabled_at } of await listAccounts(await context.db())) {
    const times = [created_at.toISOString(), disabled_at?.toISOString() ?? ""];
    context.out([id, name, role, email ?? "", ...times].join("\t"));
  }
  return 0;
}

async function setPassword({ words: [name], options, context }: UserCall): Promise<number> {
  const password = await choosePassword(options.passwordFile, context);
  const checked = newPassword.safeParse(password.text);
  if (!checked.success) throw new UsageError(explain(checked.error.issues));
  refusePassword(name, password.text);
  return withUser(context, name, async (db, userId) => {
    const ended = await changePassword(
      db,
      COMMAND,
      { id: userId, name },
      password.text,
      options.revoke ? END_ALL : {},
    );
    logCommand(context, "password.changed", { user: { id: userId, name }, ended });
    context.err(`Changed the password of ${name} and ended their sessions.`);
    for (const text of endedTexts(ended)) context.err(translateText(text));
    if (!options.revoke) await printOpenAccess(db, userId, context);
    if (password.isGenerated) context.out(password.text);
    return 0;
  });
}

async function printOpenAccess(db: Knex, userId: number, { err }: CommandContext): Promise<void> {
  const { keys, feed, browsers, webhooks } = await findOpenAccess(db, userId);
  if (keys + feed + browsers + webhooks === 0) return;
  const open = `API keys ${keys}, private feed ${feed}, browsers with push ${browsers}, webhooks ${webhooks}`;
  err(`Still working without the password: ${open}; --revoke ends that, too.`);
}

async function setRole({ words: [name, role], context }: Call<object, [string, Role]>): Promise<number> {
  return withUser(context, name, async (db, userId) => {
    if (isRefused(await changeRole(db, COMMAND, userId, role), context)) return 1;
    logCommand(context, "role.changed", { user: { id: userId, name }, role });
    context.err(`${name} has the role ${role} now.`);
    return 0;
  });
}

async function remove({ words: [name], options, context }: UserCall): Promise<number> {
  if (!options.yes) throw new UsageError(`deleting ${name} cannot be undone: add --yes`);
  return withUser(context, name, async (db, userId) => {
    if (isRefused(await deletePerson(db, COMMAND, userId), context)) return 1;
    logCommand(context, "account.deleted", { user: { id: userId, name } });
    context.err(`Deleted ${name} with all of their data.`);
    return 0;
  });
}

function setAccess(act: typeof disable | typeof enable) {
  return ({ words: [name], context }: Call<object, [string]>): Promise<number> =>
    withUser(context, name, async (db, userId) => {
      const done: Done = await act(db, COMMAND, userId);
      if (isRefused(done, context)) return 1;
      const [event, state] =
        act === disable
          ? (["account.disabled", "disabled"] as const)
          : (["account.enabled", "enabled"] as const);
      if (done.outcome === "done") logCommand(context, event, { user: { id: userId, name } });
      context.err(`The account ${name} is ${state} now.`);
      return 0;
    });
}

function isRefused({ outcome }: Done, context: CommandContext): boolean {
  if (outcome === "last operator") fail(context, "this is the last operator: make somebody else one first");
  if (outcome === "gone") fail(context, "the account has just been deleted");
  return outcome === "last operator" || outcome === "gone";
}

async function withUser(
  context: CommandContext,
  name: string,
  work: (db: Knex, userId: number) => Promise<number>,
): Promise<number> {
  const db = await context.db();
  const userId = await findUserId(db, name);
  if (userId === undefined) return fail(context, `there is no user ${name}`);
  return work(db, userId);
}

interface ChosenPassword {
  text: string;
  isGenerated: boolean;
}

async function choosePassword(file: string | undefined, { stdin }: CommandContext): Promise<ChosenPassword> {
  // 18 random bytes are 24 characters without padding.
  if (file === undefined) return { text: randomBytes(18).toString("base64url"), isGenerated: true };
  const content = file === "-" ? await text(stdin) : await readPasswordFile(file);
  return { text: content.split(/\r?\n/, 1)[0] ?? "", isGenerated: false };
}

async function readPasswordFile(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    throw new UsageError(`--password-file: ${error instanceof Error ? error.message : error}`);
  }
}

function refusePassword(name: string, password: string): void {
  const error = passwordError(name, password);
  if (error) throw new UsageError(`password ${translateText(error)}`);
}

function explain(issues: { path: PropertyKey[]; message: string }[]): string {
  return issues
    .map(({ path, message }) => `${path.join(".") || "password"} ${translateText(parseZodMessage(message))}`)
    .join("; ");
}
