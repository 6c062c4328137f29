import { execFile } from "node:child_process";

export interface Account {
  readonly uid: number;
  readonly gid: number;
}

/** As whom Postgres' programs run. */
export type Identity =
  | { readonly kind: "self" }
  /** In a user namespace where our own uid is called `as`: the files stay ours, Postgres sees no root. */
  | { readonly kind: "namespace"; readonly as: Account }
  /** As another user, who then must own the files. */
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
 * Only what a program needs to be found and started: PGPORT, PGDATA or LC_ALL of the shell that started the site
 * would change what Postgres does, and the site's secrets are no business of its.
 */
function programEnvironment(): NodeJS.ProcessEnv {
  const { PATH, SystemRoot, TEMP, TMP } = process.env;
  return { PATH, SystemRoot, TEMP, TMP, LC_ALL: "C", TZ: "UTC" };
}

/** Runs a program to its end. Never rejects: `ok` tells whether it ended with 0, `output` is what it said. */
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
