import { z } from "zod";
import { flag, refuse, wholeNumber } from "./values.ts";

/** Settings of a server that takes writes, as libpq names them. */
const TAKES_WRITES = ["read-write", "primary"];

/** The servers of an address, between its user and its database. */
const HOSTS = /^\w+:\/\/(?:[^@/?#]*@)?([^/?#]*)/;

/** The settings of the database and of other data. */
export const databaseSettings = {
  DATABASE_URL: z.string().transform(parseDatabaseUrl).optional().meta({
    accepts: "`postgres://user:password@host:5432/database`",
    unset: "an embedded Postgres",
    description: "An external Postgres, version 14 to 18.",
    isSecret: true,
  }),
  DATABASE_DIRECT_URL: z.string().transform(parseDatabaseUrl).optional().meta({
    accepts: "the same",
    unset: "`DATABASE_URL`",
    description:
      "The same database without the pooler, if `DATABASE_URL` leads through PgBouncer ([operate.md](operate.md#pgbouncer)).",
    isSecret: true,
  }),
  DATABASE_POOL: wholeNumber(2, 200).default(10).meta({
    description: "How many connections a process opens for requests at most.",
  }),
  SLOW_STATEMENT_MS: wholeNumber(0, 600_000).default(500).meta({
    description:
      "Statements that take this many milliseconds are logged with their request; those of background work, when they take ten times as long. `0` logs none.",
  }),
  DATA_DIR: z.string().default("./data").meta({
    accepts: "a directory",
    description:
      "The embedded database, generated secrets and pictures. You may delete its folders `search` (indexes) and `assets` (built scripts and styles). With `npm run dev` it also gets the e-mails, as `.eml` files.",
  }),
  PICTURES: z.enum(["files", "database"]).default("files").meta({
    description:
      "Where pictures of records are kept: in `DATA_DIR`, or in the database for several processes without a common directory.",
  }),
  DEMO_DATA: flag().optional().meta({
    unset: "`1` embedded, `0` external",
    description: "Whether the first start loads demo data.",
  }),
  MIGRATE_ON_START: flag().optional().meta({
    unset: "`1` embedded, `0` external",
    description: "Whether a start applies missing migrations. Several processes may do so at once.",
  }),
};

/**
 * Parses the address of a database: `postgres://user:password@host:5432/database`. An unescaped "/" or "#" would make the
 * rest of a password the database's name, which errors repeat.
 */
function parseDatabaseUrl(text: string, context: z.RefinementCtx): string {
  if (HOSTS.exec(text)?.[1]?.includes(","))
    return refuse(context, "must name one server: after a failover, a proxy leads to the new primary");
  const url = URL.parse(text);
  if (!/^postgres(ql)?:\/\/./.test(text) || !url || url.pathname.includes("@") || url.hash !== "") {
    return refuse(
      context,
      "must be like postgres://user:password@host:5432/database, with / ? # @ as %2F %3F %23 %40",
    );
  }
  const wanted = url.searchParams.get("target_session_attrs") ?? "read-write";
  if (TAKES_WRITES.includes(wanted)) return text;
  return refuse(context, `must have target_session_attrs=read-write, as the site writes, not ${wanted}`);
}
