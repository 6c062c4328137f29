import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";

/** As of the setting SESSION_SECRET. The site's own have 64. */
const FEWEST_CHARACTERS = 32;

/** A secret that is too weak: an attacker who guesses it could sign as the site does. */
export class SecretError extends Error {
  override name = "SecretError";
}

/**
 * A secret in the data directory, made on first use; processes that start at the same time get the same one.
 * @throws SecretError if its file is cut off, as after a power cut
 */
export function installationSecret(dataDir: string): string {
  const directory = path.join(dataDir, "secrets");
  const file = path.join(directory, "session-secret");
  return existsSync(file) ? readSecret(file) : createSecret(directory, file);
}

const CIPHER = "aes-256-gcm";

/** Encrypts a text for the database, so that a backup without the site's secret does not reveal it. */
export function seal(secret: string, text: string): string {
  const nonce = randomBytes(12);
  const cipher = createCipheriv(CIPHER, sealKey(secret), nonce);
  return Buffer.concat([nonce, cipher.update(text), cipher.final(), cipher.getAuthTag()]).toString("base64");
}

/** The text that `seal` encrypted; undefined if it was with another secret. */
export function unseal(secret: string, sealed: string): string | undefined {
  const bytes = Buffer.from(sealed, "base64");
  try {
    const decipher = createDecipheriv(CIPHER, sealKey(secret), bytes.subarray(0, 12));
    decipher.setAuthTag(bytes.subarray(-16));
    return decipher.update(bytes.subarray(12, -16), undefined, "utf8") + decipher.final("utf8");
  } catch {
    return undefined;
  }
}

function sealKey(secret: string): Uint8Array {
  return new Uint8Array(hkdfSync("sha256", secret, "", "stored setting", 32));
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

/**
 * Written aside and then linked, so that the file appears complete, on the disk too, and only the first process creates
 * it.
 */
function createSecret(directory: string, file: string): string {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const draft = `${file}.${process.pid}.${randomBytes(4).toString("hex")}`;
  const text = `${randomBytes(48).toString("base64url")}\n`;
  writeFileSync(draft, text, { flag: "wx", mode: 0o600, flush: true });
  try {
    linkSync(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  return readSecret(file);
}

function readSecret(file: string): string {
  const secret = readFileSync(file, "utf8").trim();
  if (secret.length >= FEWEST_CHARACTERS) return secret;
  throw new SecretError(
    `${file} has ${secret.length} characters and should have at least ${FEWEST_CHARACTERS}: bring it back from a backup, or remove it; ` +
      "the site then makes a new one, everybody has to log in again, and webhooks get new secrets",
  );
}
