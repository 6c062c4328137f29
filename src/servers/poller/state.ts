/**
 * The rules by which a poll changes what is known of a server, as SQL: `s` is the row as it was, `a` what the poll
 * found. They run inside the statement that writes, on rows that it has locked, so that no two polls build on one state.
 *
 * - An answer means online. Its figures are taken as they are, over the maximum too; null is "does not tell".
 * - One miss proves nothing, a packet may be lost: all stays as it was, `checked_at` too, which is the time of what
 *   is shown. The second in a row means offline.
 * - The figures of the last answer outlive the misses; `last_online_at` tells their age.
 */

/** Misses are in a row when no more than so many slots lie between: a poller that was away has not seen a row. */
const ROW_SLOTS = 3;

/** `a.missed_before`: a miss now is one more in a row. Who is offline stays so, however rarely it is asked. */
export const MISSED_BEFORE = `
  s.missed_polls > 0 and (s.status = 'offline' or s.poll_slot >= slot.start - ${ROW_SLOTS} * slot.length)`;

/** Each column of `servers` that a poll writes, and its new value. No revision, no `updated_at`: the record is the same. */
export const STATE_AFTER_POLL: Readonly<Record<string, string>> = {
  poll_slot: "a.slot",
  missed_polls: "case when a.answered then 0 when a.missed_before then s.missed_polls + 1 else 1 end",
  status: "case when a.answered then 'online' when a.missed_before then 'offline' else s.status end",
  offline_since: `case
    when a.answered then null
    when not a.missed_before then s.offline_since
    when s.status = 'offline' then coalesce(s.offline_since, now())
    else now() end`,
  online: "case when a.answered then a.online else s.online end",
  queue: "case when a.answered then a.queue else s.queue end",
  // An operator may have told the number of places of a server that does not.
  max_online: "case when a.answered then coalesce(a.max_online, s.max_online) else s.max_online end",
  checked_at: "case when a.answered or a.missed_before then now() else s.checked_at end",
  last_online_at: "case when a.answered then now() else s.last_online_at end",
};

/** The status of the poll's own record, from the row as it is now, `s`: a miss alone is neither online nor offline. */
export const RECORDED_STATUS = `
  case when a.answered then 'online' when s.missed_polls > 1 then 'offline' else 'unknown' end`;
