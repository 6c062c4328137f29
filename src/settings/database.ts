import type { z } from "zod";
import { refuse } from "./values.ts";

/** Settings of a server that takes writes, as libpq names them. */
const TAKES_WRITES = ["read-write", "primary"];

/** The servers of an address, between its user and its database. */
const HOSTS = /^\w+:\/\/(?:[^@/?#]*@)?([^/?#]*)/;

/**
 * Parses the address of a database: `postgres://user:password@host:5432/database`. An unescaped "/" or "#" would make the
 * rest of a password the database's name, which errors repeat.
 */
export function parseDatabaseUrl(text: string, context: z.RefinementCtx): string {
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
