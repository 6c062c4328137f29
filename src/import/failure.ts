import pg from "pg";
import { isDatabaseAway } from "../db/failures.ts";
import { BrokenFileError } from "./input/unreadable.ts";
import { InterruptedError } from "./interruption.ts";
import { ImportRefusedError } from "./summary.ts";

/** Why nothing was written, as an operator can use it; undefined for a fault of this program. */
export function explainFailure(error: unknown): string | undefined {
  if (error instanceof BrokenFileError || error instanceof ImportRefusedError) return error.message;
  if (error instanceof InterruptedError) return "interrupted";
  if (isDatabaseAway(error)) return "the database is away";
  if (error instanceof pg.DatabaseError) return explainDatabaseError(error);
  if (error instanceof Error && "syscall" in error && "code" in error)
    return `cannot read the file (${error.code})`;
  return undefined;
}

/** Class 42 is SQL that is wrong. Knex puts the SQL before what Postgres said. */
function explainDatabaseError(error: pg.DatabaseError): string | undefined {
  if (error.code?.startsWith("42")) return undefined;
  return `the database refused: ${error.message.split(" - ").at(-1)}`;
}
