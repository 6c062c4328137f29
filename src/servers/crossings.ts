import type { Db } from "../db/connect.ts";
import { deleteInBatches } from "../db/rows.ts";

/**
 * The crossings of a measurement, as parts of the statement that stores it, so that both are stored or neither. For the
 * tables, see migrations/20261125190000_note_server_crossings.ts.
 *
 * One measurement is enough for a crossing, if the server was clearly on the other side before. So fluctuating figures
 * cross once. Only measured figures count: a miss or an unknown figure changes nothing.
 */

/** How many measurements in a row without a free slot make a server count as full. */
const FULL_POLLS = 3;

/** A limit is armed again once the figure is this share of it away, and at least one player. */
const MARGIN_PERCENT = 10;

/**
 * SQL: whether nobody can join at once by `now`, a row with `online` and `queue`; null if unknown.
 * @param slots SQL of the server's maximum
 */
const isFull = (now: string, slots: string) =>
  `(${now}.online >= nullif(${slots}, 0) or coalesce(${now}.queue, 0) > 0)`;

/**
 * SQL: the column `full_polls` after a measurement.
 * @param was the row of `servers` before it
 * @param now its `online` and `queue`
 * @param offline SQL: whether it found the server offline
 * @param measured SQL: whether it has figures
 */
export function fullPollsAfter(
  { was, now, slots }: { was: string; now: string; slots: string },
  { offline, measured }: { offline: string; measured: string },
): string {
  return `case when ${offline} then 0
    when not ${measured} or ${isFull(now, slots)} is null then ${was}.full_polls
    when ${isFull(now, slots)} then least(${was}.full_polls + 1, ${FULL_POLLS}) else 0 end`;
}

/** The columns of a server before its measurement that the parts below need. */
export const WAS = (s: string) => `${s}.status as was_status, ${s}.full_polls as was_full_polls,
  ${s}.online as was_online, ${s}.queue as was_queue`;

const FIGURE = "case alert.what when 'online' then measured.online else measured.queue end";
const WAS_FIGURE = "case alert.what when 'online' then measured.was_online else measured.was_queue end";

const MARGIN = `greatest(1, ceil(reach.value * ${MARGIN_PERCENT} / 100.0))`;

/** SQL over a row `reach`: whether a figure is beyond the limit. */
const isBeyond = (figure: string) =>
  `case reach.what when 'online' then ${figure} > reach.value else ${figure} < reach.value end`;

/** A small limit of players is clear at the latest when the server is empty. */
const IS_CLEAR = `case reach.what when 'online' then reach.figure <= greatest(reach.value - ${MARGIN}, 0)
  else reach.figure >= reach.value + ${MARGIN} end`;

/**
 * Common table expressions that follow one named `measured`. It has a row for each measured server: `number`, `id`,
 * `at`, `status`, `has_figures`, `online`, `queue`, `max_online` (the current maximum) and WAS.
 *
 * A new limit has no row yet: the previous figure decides whether it counts. The update checks `armed` again under
 * the row's lock, so that two statements cannot both take a crossing.
 */
export const CROSSINGS = `
  reach as materialized (
    select distinct measured.number, alert.what, alert.value, ${FIGURE} as figure, ${WAS_FIGURE} as was_figure
      from measured join server_alerts alert on alert.server_id = measured.id and alert.value is not null
     where measured.has_figures and ${FIGURE} is not null
  ), rearmed as (
    update server_limits known set armed = not known.armed
      from reach
     where (known.server_number, known.what, known.value) = (reach.number, reach.what, reach.value)
       and case when known.armed then ${isBeyond("reach.figure")} else ${IS_CLEAR} end
    returning known.server_number, known.what, known.value, known.armed
  ), begun as (
    insert into server_limits (server_number, what, value, armed)
    select number, what, value, not (${isBeyond("reach.figure")}) from reach
     where not exists (select from server_limits known
                        where (known.server_number, known.what, known.value) = (reach.number, reach.what, reach.value))
    on conflict do nothing
    returning server_number, what, value, armed
  ), crossing as (
    select number, 'down' as what, cast(null as integer) as value from measured
     where was_status = 'online' and status = 'offline'
    union all
    select number, 'up', null from measured where was_status = 'offline' and status = 'online'
    union all
    select number, 'slot', null from measured
     where has_figures and was_full_polls >= ${FULL_POLLS} and not ${isFull("measured", "measured.max_online")}
    union all
    select server_number, what, value from rearmed where not armed
    union all
    select reach.number, reach.what, reach.value
      from begun join reach on (begun.server_number, begun.what, begun.value) = (reach.number, reach.what, reach.value)
     where not begun.armed and not (${isBeyond("reach.was_figure")})
  ), crossed as (
    insert into server_crossings (server_number, what, value, at, online, queue, max_online)
    select number, crossing.what, crossing.value, measured.at, measured.online, measured.queue, measured.max_online
      from crossing join measured using (number)
    on conflict do nothing
  )`;

/** Removes crossings older than 30 days, and limits without alerts. Resolves to their number. */
export async function removeOldCrossings(db: Db): Promise<number> {
  const crossings = await deleteInBatches(db, "server_crossings", "at < now() - interval '30 days'");
  const limits = await deleteInBatches(
    db,
    "server_limits",
    `not exists (select from server_alerts alert join servers server on server.id = alert.server_id
                  where server.number = server_number and alert.what = server_limits.what
                    and alert.value = server_limits.value)`,
  );
  return crossings + limits;
}
