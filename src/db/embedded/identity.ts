import { readFile, stat } from "node:fs/promises";
import { userInfo } from "node:os";
import { DatabaseSetupError } from "../failures.ts";
import { type Account, type Identity, runProgram } from "./program.ts";

/** What the choice rests on. */
export interface IdentityFacts {
  /** undefined on Windows. */
  readonly uid: number | undefined;
  /** Whether our uid has an entry in the user database; without one initdb refuses to work. */
  readonly named: boolean;
  /** Owner of the database directory, where there is one. */
  readonly owner: Account | undefined;
  readonly isCluster: boolean;
  /** Accounts of /etc/passwd by name, root left out. */
  readonly accounts: ReadonlyMap<string, Account>;
  /** Whether `unshare` can start a program in a user namespace, as that account. Containers often forbid it. */
  readonly canUnshare: (as: Account) => Promise<boolean>;
}

/**
 * Postgres refuses to run as root, and initdb refuses a uid without a name (`docker run --user 1234`). A user
 * namespace solves both without moving any file; else root becomes an ordinary system user.
 * @throws DatabaseSetupError when nothing is possible
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
  // Only initdb looks the name up; a database that is there already can be served without one.
  if (facts.isCluster) return { kind: "self" };
  throw new DatabaseSetupError(
    `The user id ${uid} has no entry in /etc/passwd, which Postgres needs to make a database, and user ` +
      "namespaces are not allowed here. Run as a user with a name, or set DATABASE_URL.",
  );
}

function systemAccount(accounts: ReadonlyMap<string, Account>): Account {
  for (const name of ["postgres", "_postgres", "nobody"]) {
    const account = accounts.get(name);
    if (account) return account;
  }
  throw new DatabaseSetupError(
    "Postgres does not run as root, and there is neither a user `postgres` nor `nobody` to run it. " +
      "Start the site as an ordinary user, or set DATABASE_URL.",
  );
}

/** Reads the facts for a database directory; `program` is what a namespace is tried with. */
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
  // Ids that are negative there (nobody on macOS) cannot be given to both chown and spawn.
  return new Map(
    rows
      .map(([name = "", , uid, gid]): [string, Account] => [name, { uid: Number(uid), gid: Number(gid) }])
      .filter(([, account]) => account.uid > 0 && account.gid >= 0),
  );
}
