import type { Knex } from "knex";
import type { Logger } from "pino";
import { currentWork, type Work } from "./work.ts";

/** Knex's data about a statement as it begins and ends. */
interface StatementEvent {
  /** The connection's name. */
  readonly __knexUid: string;
  readonly __knexQueryUid: string;
  readonly sql: string;
}

interface Begun {
  readonly at: number;
  readonly work: Work | undefined;
}

/** Knex reports no end of a streamed query. This is far more than connections have statements. */
const OPEN_AT_MOST = 1_000;
/** How many characters of a statement the log shows: enough to find it in the source, few enough for a terminal. */
const SHOWN = 300;
/**
 * Nobody waits for the statements of jobs and loops. While a machine is busy with its first start they are all slow.
 */
const PATIENCE_BEHIND = 10;

/**
 * Logs each statement of a pool that takes `slowMs` or longer, or ten times that in a job or a loop, with its request,
 * job or loop. A statement sent after another on the same connection counts from that one's end, so one slow statement
 * is one line. Values are left out, because they may be personal.
 */
export function logSlowStatements(db: Knex, { log, slowMs }: { log: Logger; slowMs: number }): void {
  if (slowMs === 0) return;
  const begun = new Map<string, Begun>();
  const endedAt = new Map<string, number>();
  const end = (
    { __knexUid: connection, __knexQueryUid: id, sql }: StatementEvent,
    outcome: "done" | "failed",
  ) => {
    const { at, work } = begun.get(id) ?? {};
    begun.delete(id);
    const now = performance.now();
    const ms = at === undefined ? 0 : now - Math.max(at, endedAt.get(connection) ?? 0);
    if (endedAt.size >= OPEN_AT_MOST) endedAt.clear();
    endedAt.set(connection, now);
    if (ms < slowMs) return;
    const done = work?.() ?? {};
    if (("job" in done || "loop" in done) && ms < slowMs * PATIENCE_BEHIND) return;
    const statement = sql.replaceAll(/\s+/g, " ").slice(0, SHOWN);
    log.warn({ ms: Math.round(ms), outcome, ...done, statement }, "a statement was slow");
  };
  db.on("query", ({ __knexQueryUid: id }: StatementEvent) => {
    if (begun.size >= OPEN_AT_MOST) begun.clear();
    begun.set(id, { at: performance.now(), work: currentWork() });
  });
  db.on("query-response", (_rows: unknown, event: StatementEvent) => end(event, "done"));
  db.on("query-error", (_error: unknown, event: StatementEvent) => end(event, "failed"));
}
