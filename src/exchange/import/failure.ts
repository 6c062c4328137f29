import pg from "pg";
import { isDatabaseAway } from "../../db/failures.ts";
import { PicturesRefusedError } from "../../records/pictures/collect.ts";
import { lazyText, type Translatable } from "../../words/i18n/lazy-text.ts";
import { BrokenFileError } from "./input/unreadable.ts";
import { ImportRefusedError } from "./report.ts";

/** The reason of a run that was interrupted by Ctrl-C or a shutdown. */
class InterruptedError extends Error {
  override name = "InterruptedError";
}

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Turns signals that would end the process into an abort. A second one is ignored: under npm, Ctrl-C arrives twice. */
export function listenForInterruption(): { signal: AbortSignal; stop(): void } {
  const controller = new AbortController();
  const interrupt = () => controller.abort(new InterruptedError("interrupted"));
  for (const name of SIGNALS) process.on(name, interrupt);
  const stop = () => {
    for (const name of SIGNALS) process.off(name, interrupt);
  };
  return { signal: controller.signal, stop };
}

/** Why nothing was written, for the operator; undefined for an error in this program. */
export function explainFailure(error: unknown): Translatable | undefined {
  if (error instanceof BrokenFileError || error instanceof ImportRefusedError) return error.said;
  if (error instanceof PicturesRefusedError) return error.message;
  if (error instanceof InterruptedError) return lazyText("refusals.interrupted");
  if (isDatabaseAway(error)) return lazyText("refusals.database_away");
  if (error instanceof pg.DatabaseError) return explainDatabaseError(error);
  if (error instanceof Error && "syscall" in error && "code" in error)
    return lazyText("refusals.unreadable", { code: String(error.code) });
  return undefined;
}

/** Class 42 is wrong SQL, so an error in this program. Knex puts the SQL before the message of Postgres. */
function explainDatabaseError(error: pg.DatabaseError): Translatable | undefined {
  if (error.code?.startsWith("42")) return undefined;
  return lazyText("refusals.database_refused", { message: error.message.split(" - ").at(-1) ?? "" });
}
