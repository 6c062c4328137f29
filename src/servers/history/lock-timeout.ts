import type { Knex } from "knex";

/** Gives up before Postgres looks for deadlocks (after 1 s): of two who wait for each other, this one can wait. */
const LOCK_TIMEOUT = "500ms";
const LOCK_NOT_AVAILABLE = "55P03";

/** Does work in a transaction of its own that can be done later as well; undefined where a lock was not to be had. */
export async function withLockTimeout<Result>(
  db: Knex,
  work: (transaction: Knex.Transaction) => Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await db.transaction(async (transaction) => {
      await transaction.raw(`set local lock_timeout to '${LOCK_TIMEOUT}'`);
      return work(transaction);
    });
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === LOCK_NOT_AVAILABLE) return undefined;
    throw error;
  }
}
