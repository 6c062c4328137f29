import { fullPollsAfter } from "../crossings.ts";

/**
 * How a poll changes the state of a server, as SQL: `s` is the row before the poll, `a` what the poll found. The
 * writing statement holds locks on the rows, so no two polls start from the same state.
 *
 * - An answer means online. Its figures are stored as they are, even above the maximum; null means not reported.
 * - One miss changes nothing, because a packet may be lost; `checked_at` stays the time of the figures shown. The
 *   second miss in a row means offline.
 * - Misses keep the figures of the last answer; `last_online_at` is their time.
 */

/** Misses further apart than this many slots are not in a row: the poller was away in between. */
const ROW_SLOTS = 3;

/**
 * `a.missed_before`: a miss now is one more in a row. An offline server stays offline, even if it is rarely polled.
 */
export const MISSED_BEFORE = `
  s.missed_polls > 0 and (s.status = 'offline' or s.poll_slot >= slot.start - ${ROW_SLOTS} * slot.length)`;

/** The columns of `servers` that a poll writes. Not `updated_at`: the record itself does not change. */
export const STATE_AFTER_POLL: Readonly<Record<string, string>> = {
  poll_slot: "a.slot",
  refused_place: "null",
  missed_polls: "case when a.answered then 0 when a.missed_before then s.missed_polls + 1 else 1 end",
  status: "case when a.answered then 'online' when a.missed_before then 'offline' else s.status end",
  offline_since: `case
    when a.answered then null
    when not a.missed_before then s.offline_since
    when s.status = 'offline' then coalesce(s.offline_since, now())
    else now() end`,
  online: "case when a.answered then a.online else s.online end",
  bots: "case when a.answered then a.bots else s.bots end",
  queue: "case when a.answered then a.queue else s.queue end",
  // An operator may have set the maximum of a server that does not report one.
  max_online: "case when a.answered then coalesce(a.max_online, s.max_online) else s.max_online end",
  checked_at: "case when a.answered or a.missed_before then now() else s.checked_at end",
  last_online_at: "case when a.answered then now() else s.last_online_at end",
  full_polls: fullPollsAfter(
    { was: "s", now: "a", slots: "coalesce(a.max_online, s.max_online)" },
    { offline: "not a.answered and a.missed_before", measured: "a.answered" },
  ),
};

/** The status in the poll's own record, from the updated row `s`: a single miss is neither online nor offline. */
export const RECORDED_STATUS = `
  case when a.answered then 'online' when s.missed_polls > 1 then 'offline' else 'unknown' end`;
