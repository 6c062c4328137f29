import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { parseArgs } from "node:util";
import type { Knex } from "knex";
import { changePassword } from "../accounts/change-password.ts";
import { END_ALL, endedTexts, findOpenAccess } from "../accounts/open-access.ts";
import { changeRole, createUser, deleteUser, findUserId, listAccounts } from "../accounts/queries.ts";
import { newAccount, newPassword, passwordFault } from "../accounts/schemas.ts";
import { readMessage, say } from "../i18n/said.ts";
import { UsageError } from "../usage-error.ts";
import type { Role } from "../viewers/queries.ts";
import type { Command, CommandContext } from "./command.ts";
import { logCommand } from "./security-log.ts";

const OPTIONS = {
  operator: { type: "boolean" },
  email: { type: "string" },
  "password-file": { type: "string" },
  revoke: { type: "boolean" },
  yes: { type: "boolean" },
} as const;

interface Call {
  names: string[];
  options: { operator?: boolean; email?: string; "password-file"?: string; revoke?: boolean; yes?: boolean };
  context: CommandContext;
}

/** What may follow `user`: the number of words and the options it takes, and what it does. */
const ACTIONS: Record<string, { words: number; options: string[]; run(call: Call): Promise<number> }> = {
  create: { words: 1, options: ["operator", "email", "password-file"], run: create },
  list: { words: 0, options: [], run: list },
  password: { words: 1, options: ["password-file", "revoke"], run: setPassword },
  role: { words: 2, options: [], run: setRole },
  delete: { words: 1, options: ["yes"], run: remove },
};

export const userCommand: Command = {
  name: "user",
  summary: "Make, list, change and delete accounts",
  usage: `
Usage: npm run -s almanac -- user create <name> [--operator] [--email <address>] [--password-file <file>]
       npm run -s almanac -- user list
       npm run -s almanac -- user password <name> [--password-file <file>] [--revoke]
       npm run -s almanac -- user role <name> operator|user
       npm run -s almanac -- user delete <name> --yes

Without --password-file a random password is made and printed, this once. With it the password is the file's first
line, or that of standard input where <file> is "-". A new password ends every session of its user; with --revoke also
their API keys, the link of their private feed and push notifications in their browsers.
"list" prints one account a line: id, name, role, e-mail, time of registration, with tabs between.
"delete" removes the account with its sessions, keys, favorites and notifications.
`,
  async run(args, context) {
    const { values, positionals } = parseArgs({ args, options: OPTIONS, allowPositionals: true });
    const [name = "", ...names] = positionals;
    const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
    if (!action) throw new UsageError(`say what to do: ${Object.keys(ACTIONS).join(", ")}`);
    if (names.length !== action.words)
      throw new UsageError(`"${name}" takes ${action.words} word(s) after it`);
    const stray = Object.keys(values).find((option) => !action.options.includes(option));
    if (stray !== undefined) throw new UsageError(`"${name}" does not take --${stray}`);
    return action.run({ names, options: values, context });
  },
};

async function create({ names: [name = ""], options, context }: Call): Promise<number> {
  const password = await choosePassword(options["password-file"], context);
  const account = newAccount.safeParse({ name, password: password.text, email: options.email });
  if (!account.success) throw new UsageError(explain(account.error.issues));
  refusePassword(account.data.name, password.text);
  const role: Role = options.operator ? "operator" : "user";
  const id = await createUser(await context.db(), { ...account.data, role });
  if (id === undefined) return fail(context, `the name ${account.data.name} is taken`);
  logCommand(context, "account.created", { user: { id, name: account.data.name }, role });
  context.err(`Made the ${role} ${account.data.name}.`);
  tellPassword(password, context);
  return 0;
}

async function list({ context }: Call): Promise<number> {
  for (const { id, name, role, email, created_at } of await listAccounts(await context.db())) {
    context.out([id, name, role, email ?? "", created_at.toISOString()].join("\t"));
  }
  return 0;
}

async function setPassword({ names: [name = ""], options, context }: Call): Promise<number> {
  const password = await choosePassword(options["password-file"], context);
  const checked = newPassword.safeParse(password.text);
  if (!checked.success) throw new UsageError(explain(checked.error.issues));
  refusePassword(name, password.text);
  return withUser(context, name, async (db, userId) => {
    const ended = await changePassword(db, userId, password.text, options.revoke ? END_ALL : {});
    logCommand(context, "password.changed", { user: { id: userId, name }, ended });
    context.err(`Changed the password of ${name} and ended their sessions.`);
    for (const text of endedTexts(ended)) context.err(say(text));
    if (!options.revoke) await tellOpenAccess(db, userId, context);
    tellPassword(password, context);
  });
}

async function tellOpenAccess(db: Knex, userId: number, { err }: CommandContext): Promise<void> {
  const { keys, feed, browsers } = await findOpenAccess(db, userId);
  if (keys + feed + browsers === 0) return;
  const open = `API keys ${keys}, private feed ${feed}, browsers with push ${browsers}`;
  err(`Still working without the password: ${open}; --revoke ends that, too.`);
}

async function setRole({ names: [name = "", role = ""], context }: Call): Promise<number> {
  if (role !== "operator" && role !== "user") throw new UsageError(`"${role}" is no role: operator, user`);
  return withUser(context, name, async (db, userId) => {
    await changeRole(db, userId, role);
    logCommand(context, "role.changed", { user: { id: userId, name }, role });
    context.err(`${name} has the role ${role} now.`);
  });
}

async function remove({ names: [name = ""], options, context }: Call): Promise<number> {
  if (!options.yes) throw new UsageError(`deleting ${name} cannot be undone: add --yes`);
  return withUser(context, name, async (db, userId) => {
    await deleteUser(db, userId);
    logCommand(context, "account.deleted", { user: { id: userId, name } });
    context.err(`Deleted ${name} with all of their data.`);
  });
}

async function withUser(
  context: CommandContext,
  name: string,
  work: (db: Knex, userId: number) => Promise<void>,
): Promise<number> {
  const db = await context.db();
  const userId = await findUserId(db, name);
  if (userId === undefined) return fail(context, `there is no user ${name}`);
  await work(db, userId);
  return 0;
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

function tellPassword(password: ChosenPassword, { out }: CommandContext): void {
  if (password.isGenerated) out(password.text);
}

function refusePassword(name: string, password: string): void {
  const fault = passwordFault(name, password);
  if (fault) throw new UsageError(`password ${say(fault)}`);
}

function explain(issues: { path: PropertyKey[]; message: string }[]): string {
  return issues
    .map(({ path, message }) => `${path.join(".") || "password"} ${say(readMessage(message))}`)
    .join("; ");
}

function fail({ err }: CommandContext, message: string): number {
  err(`almanac: ${message}`);
  return 1;
}
