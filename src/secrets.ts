import { randomBytes } from "node:crypto";
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";

/**
 * A secret that belongs to this installation: read from the data directory, or made there on first use
 * (48 random bytes, readable by the owner only). Processes that start at the same moment get the same one.
 */
export function installationSecret(dataDir: string, name: string): string {
  const directory = path.join(dataDir, "secrets");
  const file = path.join(directory, name);
  return readIfThere(file) ?? createSecret(directory, file);
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8").trim() || undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** Written aside and then linked: the name appears with its whole content, and only for the first who tries. */
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
