import { execFile } from "node:child_process";
import { readFile, stat } from "node:fs/promises";
import { userInfo } from "node:os";
import { DatabaseSetupError, NoEmbeddedPostgresError } from "../failures.ts";

/** The facts that decide the identity. */
export interface IdentityFacts {
  /** Undefined on Windows. */
  readonly uid: number | undefined;
  /** Whether our uid has a name, without which initdb refuses to work. */
  readonly named: boolean;
  /** Owner of the database directory, if it exists. */
  readonly owner: Account | undefined;
  readonly isCluster: boolean;
  /** Accounts of /etc/passwd by name, except root. */
  readonly accounts: ReadonlyMap<string, Account>;
  /** Whether `unshare` can start a program as that account in a user namespace. Containers often forbid it. */
  readonly canUnshare: (as: Account) => Promise<boolean>;
}

/**
 * Chooses who runs Postgres: it refuses root, and initdb a uid without a name (`docker run --user 1234`). A user
 * namespace solves both and changes no file; without one, root becomes a system user.
 * @throws DatabaseSetupError if nothing works
 */
export async function chooseIdentity(facts: IdentityFacts): Promise<Identity> {
  const { uid, owner } = facts;
  if (uid === undefined) return { kind: "self" };
  if (owner && owner.uid !== uid) {
    if (uid === 0) return { kind: "account", account: owner };
    throw new DatabaseSetupError(
      `The database belongs to another user (${owner.uid}): start as that user, or set another DATA_DIR.`,
    );
  }
  if (uid !== 0 && facts.named) return { kind: "self" };
  const guise = facts.accounts.get("nobody") ?? [...facts.accounts.values()][0];
  if (guise && (await facts.canUnshare(guise))) return { kind: "namespace", as: guise };
  if (uid === 0) return { kind: "account", account: systemAccount(facts.accounts) };
  // Only initdb needs the name.
  if (facts.isCluster) return { kind: "self" };
  throw new NoEmbeddedPostgresError(
    `The user id ${uid} has no entry in /etc/passwd, which Postgres needs to make a database, and user ` +
      "namespaces are not allowed here. Run as a user with a name, or set DATABASE_URL.",
  );
}

function systemAccount(accounts: ReadonlyMap<string, Account>): Account {
  for (const name of ["postgres", "_postgres", "nobody"]) {
    const account = accounts.get(name);
    if (account) return account;
  }
  throw new NoEmbeddedPostgresError(
    "Postgres does not run as root, and there is neither a user `postgres` nor `nobody` to run it. " +
      "Start the site as an ordinary user, or set DATABASE_URL.",
  );
}

/** Reads the facts for a database directory; tries a namespace with `program`. */
export async function gatherFacts(directory: string, program: string): Promise<IdentityFacts> {
  const owner = await stat(directory).catch(() => undefined);
  return {
    uid: process.getuid?.(),
    named: hasName(),
    owner: owner && { uid: owner.uid, gid: owner.gid },
    isCluster: (await stat(`${directory}/PG_VERSION`).catch(() => undefined)) !== undefined,
    accounts: await readAccounts(),
    canUnshare: async (as) => (await runProgram({ kind: "namespace", as }, program, ["--version"])).ok,
  };
}

function hasName(): boolean {
  try {
    return userInfo().username !== "";
  } catch {
    return false;
  }
}

async function readAccounts(): Promise<Map<string, Account>> {
  const passwd = await readFile("/etc/passwd", "utf8").catch(() => "");
  const rows = passwd.split("\n").map((line) => line.split(":"));
  // chown and spawn do not both take negative ids (nobody on macOS).
  return new Map(
    rows
      .map(([name = "", , uid, gid]): [string, Account] => [name, { uid: Number(uid), gid: Number(gid) }])
      .filter(([, account]) => account.uid > 0 && account.gid >= 0),
  );
}

interface Account {
  readonly uid: number;
  readonly gid: number;
}

/** The user who runs Postgres' programs. */
export type Identity =
  | { readonly kind: "self" }
  /** In a user namespace that maps our uid to `as`: the files stay ours, and Postgres sees no root. */
  | { readonly kind: "namespace"; readonly as: Account }
  /** As another user, who must own the files. */
  | { readonly kind: "account"; readonly account: Account };

/** Command line and spawn options that start a program as an identity. */
export function commandAs(identity: Identity, program: string, args: readonly string[]) {
  const options = { env: programEnvironment(), windowsHide: true };
  if (identity.kind === "namespace") {
    const { uid, gid } = identity.as;
    const unshare = ["-U", `--map-user=${uid}`, `--map-group=${gid}`, "--", program, ...args];
    return { file: "unshare", args: unshare, options };
  }
  const account = identity.kind === "account" ? identity.account : {};
  return { file: program, args: [...args], options: { ...options, ...account } };
}

/**
 * Only the variables that a program needs to start: PGPORT, PGDATA or LC_ALL would change Postgres, and secrets stay
 * here.
 */
function programEnvironment(): NodeJS.ProcessEnv {
  const { PATH, SystemRoot, TEMP, TMP } = process.env;
  return { PATH, SystemRoot, TEMP, TMP, LC_ALL: "C", TZ: "UTC" };
}

/** Runs a program to its end. Never rejects; `ok` means exit code 0. */
export function runProgram(
  identity: Identity,
  program: string,
  args: readonly string[],
): Promise<{ ok: boolean; output: string }> {
  const command = commandAs(identity, program, args);
  return new Promise((resolve) => {
    execFile(command.file, command.args, command.options, (error, stdout, stderr) => {
      const output = `${stdout}${stderr}`.trim();
      resolve({ ok: error === null, output: output || (error?.message ?? "") });
    });
  });
}
