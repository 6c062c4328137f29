import pg from "pg";
import { DatabaseSetupError, isDatabaseAway } from "../../db/failures.ts";

/** A backup or a restore was refused or failed; the message is a sentence for the operator. */
export class BackupError extends Error {
  override name = "BackupError";
}

/**
 * The meaning of a path's error, by its code:
 * https://nodejs.org/docs/latest-v22.x/api/errors.html#common-system-errors
 */
const FILE_ERRORS: Readonly<Record<string, string>> = {
  ENOSPC: "the disk is full",
  EDQUOT: "the quota of the disk is used up",
  EFBIG: "the disk takes no file of that size",
  EACCES: "permission denied",
  EPERM: "permission denied",
  EROFS: "the disk is read-only",
  ENOENT: "there is no such file or folder",
  ENOTDIR: "a part of the path is no folder",
  EISDIR: "it is a folder",
  EIO: "the disk cannot be read or written",
};

/** By SQLSTATE: https://www.postgresql.org/docs/current/errcodes-appendix.html */
const DATABASE_ERRORS: Readonly<Record<string, string>> = {
  "53100": "the database's disk is full",
  "25006": "the database is read-only",
  "55P03": "tables of the database are in use: stop the site and what else works on the database",
  "42501": "the database's user lacks a right",
};

/** Why nothing was done, for the operator; undefined for an error in this program. */
export function explainBackupFailure(error: unknown): string | undefined {
  if (error instanceof BackupError || error instanceof DatabaseSetupError)
    return error.message.replace(/\.$/, "");
  if (!(error instanceof Error)) return undefined;
  if (error.name === "InterruptedError") return "interrupted";
  if (isDatabaseAway(error)) return "the database is away";
  const { code = "", syscall, path } = error as NodeJS.ErrnoException;
  if (syscall !== undefined) return `${path ?? "the file"}: ${FILE_ERRORS[code] ?? error.message}`;
  if (!(error instanceof pg.DatabaseError)) return undefined;
  // Knex puts the SQL before the message of Postgres.
  const reason = error.message.split(" - ").at(-1) ?? "";
  const known = DATABASE_ERRORS[code];
  return known === undefined ? `the database refused: ${reason}` : `${known} (${reason})`;
}
