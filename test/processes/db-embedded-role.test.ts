import { readFile, rm, stat } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createUser } from "../../src/accounts/queries.ts";
import { createDb } from "../../src/db/connect.ts";
import { findPackage, prepareBinaries } from "../../src/db/embedded/binaries.ts";
import { ensureCluster, readPassword, SUPERUSER } from "../../src/db/embedded/cluster.ts";
import { chooseIdentity, gatherFacts } from "../../src/db/embedded/identity.ts";
import { connectionUrl } from "../../src/db/embedded/site-role.ts";
import { openServer } from "../../src/db/embedded/start.ts";
import { MIGRATIONS_DIRECTORY, migrate, rollback } from "../../src/db/migrate.ts";
import { query, useEmbedded } from "../helpers/embedded.ts";
import { superuserUrl } from "../helpers/superuser.ts";

const { dataDirectory, stoppedDatabase, start } = useEmbedded();

async function databaseDirectory(): Promise<string> {
  return path.join(await dataDirectory(), "postgres");
}

/** Everything that people made and the superuser owns, extensions and what belongs to them left out. */
const SUPERUSERS_OWN = `
  select owned.name from (
    select 'pg_class'::regclass as catalog, oid, relowner as owner, relname as name from pg_class
    union all select 'pg_proc'::regclass, oid, proowner, proname from pg_proc
    union all select 'pg_type'::regclass, oid, typowner, typname from pg_type
    union all select 'pg_namespace'::regclass, oid, nspowner, nspname from pg_namespace where nspname !~ '^pg_'
    union all select 'pg_collation'::regclass, oid, collowner, collname from pg_collation
  ) owned
  where owner = 10 and oid >= 16384
    and not exists (select from pg_depend where classid = catalog and objid = oid and deptype = 'e')`;

describe("the role that the site works as", () => {
  it("owns the database, is no superuser, and has a password that only the owner of the files reads", async () => {
    const directory = await databaseDirectory();
    const { url } = await start(directory);
    expect(new URL(url).username).toBe("almanac_site");
    const [row] = await query(
      url,
      `select rolsuper or rolcreaterole or rolcreatedb or rolreplication or rolbypassrls as more,
        (select datdba = pg_roles.oid from pg_database where datname = current_database()) as owner
       from pg_roles where rolname = current_user`,
    );
    expect(row).toEqual({ more: false, owner: true });
    await expect(query(url, "copy (select 1) to program 'true'")).rejects.toThrow("permission denied");
    await expect(query(url, "select pg_read_file('almanac.password')")).rejects.toThrow("permission denied");
    await expect(query(url, "alter role almanac_site superuser")).rejects.toThrow("permission denied");
    const { password } = new URL(url);
    const file = path.join(directory, "almanac_site.password");
    expect((await readFile(file, "utf8")).trim()).toBe(password);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(password).not.toBe(await readPassword(directory));
    const asSuperuser = await superuserUrl(directory, url);
    expect(await query(asSuperuser, "select rolsuper from pg_roles where oid = 10")).toEqual([
      { rolsuper: true },
    ]);
    expect(await readFile(path.join(directory, "server.log"), "utf8")).not.toContain(password);
  });

  it("gets another password if that is lost, and is created again if it is missing", async () => {
    const directory = await stoppedDatabase();
    const first = await start(directory);
    await rm(path.join(directory, "almanac_site.password"));
    const second = await start(directory);
    expect(second.url).not.toBe(first.url);
    expect(await query(second.url, "select 1 as one")).toEqual([{ one: 1 }]);
    const superuser = await superuserUrl(directory, second.url);
    await query(superuser, "alter database postgres owner to almanac; drop role almanac_site");
    const third = await start(directory);
    expect(third.url).toBe(second.url);
    expect(await query(third.url, "select 1 as one")).toEqual([{ one: 1 }]);
  });

  it("may do all that migrations need, up and down", async () => {
    const { url } = await start(await stoppedDatabase());
    const db = pool(url);
    const names = await migrate(db);
    expect(names.length).toBeGreaterThan(10);
    expect(await rollback(db, { all: true })).toHaveLength(names.length - 1);
    expect(await migrate(db)).toHaveLength(names.length);
    expect(await query(url, SUPERUSERS_OWN)).toEqual([]);
  });
});

describe("a database that a version before this one made", () => {
  it("is handed over while its server runs and after, with all that is in it", async () => {
    const directory = await databaseDirectory();
    const old = await startOldWay(directory);
    const before = await fillOldWay(old.url);
    expect((await query(old.url, SUPERUSERS_OWN)).length).toBeGreaterThan(100);
    // For who uses it, it goes on working.
    const joined = await start(directory);
    expect(joined.adopted).toBe(true);
    expect(await query(joined.url, SUPERUSERS_OWN)).toEqual([]);
    expect(await query(old.url, "select name from users")).toEqual([{ name: before }]);
    await query(old.url, "create table made_later (id integer)");
    await old.stop();

    const { url } = await start(directory);
    await query(url, "drop table made_later");
    expect(new URL(url).username).toBe("almanac_site");
    expect(await query(url, SUPERUSERS_OWN)).toEqual([]);
    const db = pool(url);
    expect(await db("users").pluck("name")).toEqual([before]);
    expect(await createUser(db, { name: "Later", password: "a password for tests" })).toBe(2);
    expect(await migrate(db)).toEqual([]);
    await rollback(db, { all: true });
    expect((await migrate(db)).length).toBeGreaterThan(1);
  });
});

function pool(url: string) {
  const db = createDb({ url });
  onTestFinished(() => db.destroy());
  return db;
}

/** The start as it was before the site had a role. */
async function startOldWay(directory: string): Promise<{ url: string; stop(): Promise<void> }> {
  const binaries = await prepareBinaries(findPackage());
  const identity = await chooseIdentity(await gatherFacts(directory, binaries.postgres));
  const log = () => undefined;
  await ensureCluster(directory, binaries, identity, log);
  const password = await readPassword(directory);
  const { port, server } = await openServer({ directory, binaries, identity, password, settings: {}, log });
  const stop = async () => server?.stop();
  onTestFinished(stop);
  return { url: connectionUrl(SUPERUSER, password, port), stop };
}

/** Every kind of object that migrations have, those that may come included. Resolves to the name of a user. */
async function fillOldWay(url: string): Promise<string> {
  const db = createDb({ url });
  await migrate(db, { directory: MIGRATIONS_DIRECTORY });
  await migrate(db);
  await db.raw(`
    create view "Odd View" as select 1 as one;
    create materialized view stored as select 1 as one;
    create type "mood'" as enum ('good');
    create domain short as text check (char_length(value) < 9);
    create sequence counted;
    create table "Odd ""Table" (id serial primary key, mood "mood'")`);
  await createUser(db, { name: "Earlier", password: "a password for tests" });
  await db.destroy();
  return "Earlier";
}
