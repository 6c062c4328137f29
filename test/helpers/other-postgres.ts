import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import pg from "pg";
import { prepareBinaries } from "../../src/db/embedded/binaries.ts";
import { fetchPackage } from "../../src/db/embedded/fetch-package.ts";
import { chooseIdentity, commandAs, gatherFacts, runProgram } from "../../src/db/embedded/identity.ts";
import { freePort } from "./free-port.ts";
import { waitFor } from "./postgres-pair.ts";

export interface OtherPostgres {
  /** A new database, whose owner has no other right; resolves to its address. */
  createDatabase(name: string): Promise<string>;
  stop(): Promise<void>;
}

/** A server of another major version than the embedded one, from the same npm package, as an operator may have it. */
export async function startOtherPostgres(major: number): Promise<OtherPostgres> {
  const home = await mkdtemp(path.join(tmpdir(), `almanac-postgres-${major}-`));
  // Postgres may run as another user.
  await chmod(home, 0o777);
  const directory = path.join(home, "database");
  const { initdb, postgres } = await prepareBinaries(await fetchPackage(major, path.join(home, "package")));
  const identity = await chooseIdentity(await gatherFacts(directory, postgres));
  const made = await runProgram(identity, initdb, [
    ...["-D", directory, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8"],
  ]);
  if (!made.ok) throw new Error(made.output);
  const port = await freePort();
  const settings = [
    ...["-D", directory, "-p", `${port}`, "-k", ""],
    ...["-c", "fsync=off", "-c", "max_connections=200"],
  ];
  const { file, args, options } = commandAs(identity, postgres, settings);
  const child = spawn(file, args, { ...options, stdio: "ignore" });
  const ended = once(child, "exit");
  const address = `postgres://postgres@127.0.0.1:${port}/postgres`;
  await waitFor(() => ask(address, "select 1").then(Boolean));
  return {
    createDatabase: async (name) => {
      await ask(address, `create role ${name} login`);
      await ask(address, `create database ${name} owner ${name}`);
      return `postgres://${name}@127.0.0.1:${port}/${name}`;
    },
    stop: async () => {
      child.kill("SIGINT");
      await ended;
      await rm(home, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}

async function ask(url: string, sql: string): Promise<unknown> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return client.query(sql).finally(() => client.end());
}
