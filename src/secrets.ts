import { randomBytes } from "node:crypto";
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";

/** A secret in the data directory, made on first use; processes that start at the same time get the same one. */
export function installationSecret(dataDir: string, name: string): string {
  const directory = path.join(dataDir, "secrets");
  const file = path.join(directory, name);
  return readIfThere(file) ?? createSecret(directory, file);
}

/** Parameters of connection URLs that are safe to show; any other may hold a password. */
const PLAIN_PARAMETERS =
  /^(user|host|hostaddr|port|dbname|database|application_name|connect_timeout|client_encoding|sslmode|sslrootcert|target_session_attrs|pool|logger)$/;

/**
 * A connection URL with asterisks in place of anything that may be a password. Only the scheme is shown where an
 * unescaped "/" or "?" may have cut a password off, and for text that is no URL.
 */
export function withoutPassword(text: string): string {
  const url = URL.parse(text);
  const scheme = /^[a-z]+:\/\//i.exec(text)?.[0];
  if (!url || !scheme || /@|%40/i.test(url.pathname) || url.search.includes("@") || url.hash !== "") {
    return `${scheme ?? ""}***`;
  }
  const [user = ""] = url.username.split(/%3a/i);
  const hidden = url.password !== "" || url.username !== user ? ":***" : "";
  const login = user + hidden === "" ? "" : `${user}${hidden}@`;
  const query = url.search === "" ? "" : `?${url.search.slice(1).split("&").map(hideValue).join("&")}`;
  return scheme + login + url.host + url.pathname + query;
}

function hideValue(parameter: string): string {
  const [name = "", ...value] = parameter.split("=");
  if (PLAIN_PARAMETERS.test(name)) return parameter;
  return /^[a-z_.]+$/i.test(name) && value.length > 0 ? `${name}=***` : "***";
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8").trim() || undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** Written aside and then linked, so that the file appears complete and only the first process creates it. */
function createSecret(directory: string, file: string): string {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const draft = `${file}.${process.pid}.${randomBytes(4).toString("hex")}`;
  writeFileSync(draft, `${randomBytes(48).toString("base64url")}\n`, { mode: 0o600 });
  try {
    linkSync(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  return readFileSync(file, "utf8").trim();
}
