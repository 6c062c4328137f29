/** The database cannot be used until an operator acts. The message is for them; a stack would add nothing. */
export class DatabaseSetupError extends Error {
  override name = "DatabaseSetupError";
}

/** This machine or this user cannot run an embedded Postgres at all. */
export class NoEmbeddedPostgresError extends DatabaseSetupError {}

/** The database is confirmed down, so no query was sent. */
export class DatabaseAwayError extends Error {
  override name = "DatabaseAwayError";

  constructor() {
    super("the database is away");
  }
}

/** Why the database cannot answer a valid query now; a retry may work. */
export type DatabaseFailure = "away" | "read-only" | "overloaded";

/** The failures by SQLSTATE, see https://www.postgresql.org/docs/current/errcodes-appendix.html. */
const FAILURES: Readonly<Record<string, DatabaseFailure>> = {
  // A standby, or `default_transaction_read_only`.
  "25006": "read-only",
  // A full disk.
  "53100": "read-only",
  // Out of memory.
  "53200": "overloaded",
  // A deadlock.
  "40P01": "overloaded",
  // A lock timeout.
  "55P03": "overloaded",
  // A query timeout.
  "57014": "overloaded",
};

/** Undefined for our own errors and the client's. */
export function databaseFailure(error: unknown): DatabaseFailure | undefined {
  if (isDatabaseAway(error)) return "away";
  if (!(error instanceof Error)) return undefined;
  const { code } = error as NodeJS.ErrnoException;
  return code === undefined ? undefined : FAILURES[code];
}

/** Whether a query failed because the server is stopped, starting, shutting down or out of connections. */
export function isDatabaseAway(error: unknown): boolean {
  if (error instanceof DatabaseAwayError) return true;
  if (error instanceof AggregateError && error.errors.some(isDatabaseAway)) return true;
  if (!(error instanceof Error)) return false;
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (code === undefined) return AWAY_MESSAGES.test(error.message);
  return AWAY_STATES.test(code) || AWAY_CODES.has(code) || (code === "ENOENT" && syscall === "connect");
}

const AWAY_STATES = /^(08...|57P0[1235]|53300)$/;
const AWAY_CODES = new Set(
  "ECONNREFUSED ECONNRESET EPIPE ETIMEDOUT EHOSTUNREACH ENETUNREACH ENOTFOUND EAI_AGAIN".split(" "),
);
/** pg's, Knex's and tarn's own errors have no code. Knex puts the query, with users' input, before " - ". */
const AWAY_MESSAGES = new RegExp(
  `(?:^| - )(?:${[
    "Connection terminated(?: unexpectedly| due to connection timeout)?",
    "Connection ended unexpectedly",
    "timeout expired",
    "Query read timeout",
    "Client (?:was closed|has encountered a connection error) and is not queryable",
    "Knex: Timeout acquiring a connection\\..*",
    "Unable to acquire a connection",
    "aborted",
  ].join("|")})$`,
);

/** True if a statement did not get a lock in time. */
export function isLockTimeout(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "55P03";
}
