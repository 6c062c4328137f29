import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import path from "node:path";
import pg from "pg";
import { writeWhole } from "../../settings/write-whole.ts";
import { SUPERUSER, SUPERUSER_PASSWORD_FILE } from "./cluster.ts";

/** The site's role: owns the database and everything in it, but is no superuser. */
const SITE_ROLE = "almanac_site";

/** Beside the superuser's password file; readable by its owner only. */
const SITE_PASSWORD_FILE = "almanac_site.password";

/** Advisory lock for preparing the role: "role" in ASCII. */
const ROLE_LOCK = 1_919_904_869;

/** A role's connection URL, with its password. */
export function connectionUrl(role: string, password: string, port: number): string {
  return `postgresql://${role}:${password}@127.0.0.1:${port}/postgres`;
}

/**
 * Creates the site's role and makes it the owner of everything, because earlier versions used the superuser.
 * @param password the superuser's
 * @returns the site's connection URL
 */
export async function prepareSiteRole(directory: string, password: string, port: number): Promise<string> {
  const client = new pg.Client({ connectionString: connectionUrl(SUPERUSER, password, port) });
  client.on("error", () => undefined);
  await client.connect();
  try {
    // Failed statements are logged, and one of these contains a password.
    await client.query("set log_min_error_statement to panic; set lock_timeout to '30s'");
    await client.query("select pg_advisory_lock($1)", [ROLE_LOCK]);
    const sitePassword = await prepareLogIn(client, directory);
    await client.query(HAND_OVER);
    return connectionUrl(SITE_ROLE, sitePassword, port);
  } finally {
    // The lock ends with the connection.
    await client.end();
  }
}

/** The role's password; a new one if the role or the file is missing. */
async function prepareLogIn(client: pg.Client, directory: string): Promise<string> {
  const known = await readPassword(directory);
  const { rowCount } = await client.query("select from pg_roles where rolname = $1", [SITE_ROLE]);
  if (known !== undefined && rowCount === 1) return known;
  if (rowCount === 0) await client.query(`create role ${SITE_ROLE} login`);
  const password = known ?? randomBytes(24).toString("hex");
  await client.query(`alter role ${SITE_ROLE} password '${password}'`);
  // Last, so that if the process is killed before, the next one creates another password.
  await writePassword(directory, password);
  return password;
}

async function readPassword(directory: string): Promise<string | undefined> {
  const file = path.join(directory, SITE_PASSWORD_FILE);
  const text = existsSync(file) ? (await readFile(file, "utf8")).trim() : "";
  return /^[0-9a-f]{48}$/.test(text) ? text : undefined;
}

/** The file gets the owner of the superuser's one; only root can give a file away. */
async function writePassword(directory: string, password: string): Promise<void> {
  const owner = await stat(path.join(directory, SUPERUSER_PASSWORD_FILE));
  await writeWhole(path.join(directory, SITE_PASSWORD_FILE), `${password}\n`, {
    mode: 0o600,
    ...(process.getuid?.() === 0 && { owner }),
  });
}

/** Objects of the cluster itself have lower ids. https://www.postgresql.org/docs/18/system-catalog-initial-data.html */
const FIRST_OWN_ID = 16_384;

/** SQL: objects of the superuser, except the cluster's own and those of an extension. */
function own(catalog: string, owner: string): string {
  return `object.${owner} = '${SUPERUSER}'::regrole and object.oid >= ${FIRST_OWN_ID}
    and not exists (select from pg_depend where classid = '${catalog}'::regclass and objid = object.oid and deptype = 'e')`;
}

/** One statement, so all or nothing. `reassign owned` refuses the role that created the cluster. */
const HAND_OVER = `
do $$
declare
  change text;
begin
  if (select datdba <> '${SITE_ROLE}'::regrole from pg_database where datname = current_database()) then
    execute format('alter database %I owner to ${SITE_ROLE}', current_database());
  end if;
  for change in
    select format('schema %I', nspname) from pg_namespace object
     where nspname !~ '^pg_' and ${own("pg_namespace", "nspowner")}
    union all
    select format('%s %s', case relkind when 'S' then 'sequence' when 'v' then 'view' when 'm' then 'materialized view'
                                        when 'f' then 'foreign table' when 'c' then 'type' else 'table' end,
                  oid::regclass)
      from pg_class object
     where relkind in ('r', 'p', 'S', 'v', 'm', 'f', 'c') and relpersistence <> 't' and ${own("pg_class", "relowner")}
       and (relkind <> 'S' or not exists (select from pg_depend where classid = 'pg_class'::regclass
                                             and objid = object.oid and deptype in ('a', 'i')))
    union all
    select format('type %s', oid::regtype) from pg_type object
     where typtype in ('d', 'e', 'r') and ${own("pg_type", "typowner")}
    union all
    select format('routine %s', oid::regprocedure) from pg_proc object where ${own("pg_proc", "proowner")}
    union all
    select format('collation %s', oid::regcollation) from pg_collation object where ${own("pg_collation", "collowner")}
  loop
    execute format('alter %s owner to ${SITE_ROLE}', change);
  end loop;
end $$`;
