import type { Db } from "../db/connect.ts";

/**
 * Pauses or resumes the polls of a server; resolves to what that changed, if anything. Nothing is known of a paused server, so
 * it is not down: no outage lasts on, nobody is alerted, and its uptime has a gap.
 */
export async function setPaused(transaction: Db, id: string, isPaused: boolean) {
  const state = {
    status: "unknown",
    offline_since: null,
    missed_polls: 0,
    full_polls: 0,
    refused_place: null,
  };
  const changed = await transaction("servers")
    .where({ id })
    .whereRaw("(paused_at is not null) <> ?", [isPaused])
    .update({ ...state, paused_at: isPaused ? transaction.fn.now() : null });
  return changed > 0 ? { before: { paused: !isPaused }, after: { paused: isPaused } } : undefined;
}

/** Gives the servers the order of their ids. */
export async function orderServers(transaction: Db, ids: readonly string[]): Promise<void> {
  await transaction.raw(
    `update servers t set position = n.place, revision = t.revision + 1,
            updated_at = greatest(clock_timestamp(), t.updated_at + interval '1 microsecond')
       from unnest(?::text[]) with ordinality as n (id, place)
      where n.id = t.id and t.position is distinct from n.place`,
    [[...ids]],
  );
}
