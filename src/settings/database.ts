import type { z } from "zod";
import { refuse } from "./values.ts";

/** Settings of a server that takes writes, as libpq names them. */
const TAKES_WRITES = ["read-write", "primary"];

/**
 * The address of a database: of one server, or of several with commas between, of which one takes writes at a time:
 * `postgres://user:password@one:5432,two:5432/database?target_session_attrs=read-write`. An unescaped "/" or "#" would
 * make the rest of a password the database's name, which errors repeat.
 */
export function parseDatabaseUrl(text: string, context: z.RefinementCtx): string {
  const servers = serversOf(text).map((server) => URL.parse(server));
  const isUsable = (url: URL | null) => url && !url.pathname.includes("@") && url.hash === "";
  if (!/^postgres(ql)?:\/\/./.test(text) || !servers.every(isUsable)) {
    return refuse(
      context,
      "must be like postgres://user:password@host:5432/database, with / ? # @ as %2F %3F %23 %40",
    );
  }
  const wanted = servers[0]?.searchParams.get("target_session_attrs") ?? "read-write";
  if (TAKES_WRITES.includes(wanted)) return text;
  return refuse(context, `must have target_session_attrs=read-write, as the site writes, not ${wanted}`);
}

/** The address of one standby, which needs not take writes. */
export function parseStandbyUrl(text: string, context: z.RefinementCtx): string {
  if (serversOf(text).length > 1)
    return refuse(context, "names one server: what it fails to do, the primary does");
  return parseDatabaseUrl(text, context);
}

const PARTS = /^(\w+:\/\/(?:[^@/?#]*@)?)([^/?#]*)(.*)$/s;

/** The address of each server in an address, in order (https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-MULTIPLE-HOSTS). */
export function serversOf(url: string): string[] {
  const [, before = "", hosts = "", after = ""] = PARTS.exec(url) ?? [];
  if (!hosts.includes(",")) return [url];
  return hosts.split(",").map((host) => `${before}${host}${after}`);
}
