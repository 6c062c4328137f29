import type { Db } from "../../db/connect.ts";
import { countRows, selectRow, selectRows } from "../../db/rows.ts";
import { ALERT_WAYS } from "../channels.ts";
import { LIST_DELIVERIES, type Notified, newDeliveries } from "../notify-queries.ts";
import { FRESH_S } from "./alert.ts";

/** SQL: the delay of a row `asked`, a user's alert. */
const DELAY = "make_interval(mins => asked.outage_min)";

/** SQL: false if the outage of a row `crossing` is known to have been shorter than the delay of a row `asked`. */
const LASTS = `not exists (
  select from server_crossings other
   where other.server_number = crossing.server_number
     and case crossing.what
           when 'down' then other.what = 'up' and other.at > crossing.at and other.at < crossing.at + ${DELAY}
           when 'up' then other.what = 'down' and other.at < crossing.at and other.at > crossing.at - ${DELAY}
           else false end)`;

/** SQL: the alerts for a row `crossing` of a `server` that existed before the crossing, as rows `asked`. */
const ASKED = `server_alerts asked
  where asked.server_id = server.id and asked.what = crossing.what and asked.value is not distinct from crossing.value
    and asked.since <= crossing.at and ${LASTS}`;

/** SQL: whether the delay of a row `asked` has passed. */
const READY = `(crossing.what <> 'down' or crossing.at + ${DELAY} <= now())`;

/** Some user with an alert has no notification yet. */
const OPEN = "crossing.alerted_at is null";

/** Marks crossings without alerts, and those of more than a day ago, as done. Resolves to their number. */
export async function markWithoutUsers(db: Db): Promise<number> {
  return countRows(
    db,
    `update server_crossings crossing set alerted_at = now()
       from servers server
      where server.number = crossing.server_number and ${OPEN}
        and (crossing.at < now() - interval '1 day' or not exists (select from ${ASKED}))`,
  );
}

/** Ids of the crossings with users to notify, earliest first. */
export async function listOpenCrossings(db: Db): Promise<number[]> {
  const rows = await selectRows<{ id: number }>(
    db,
    `select crossing.id from server_crossings crossing join servers server on server.number = crossing.server_number
      where ${OPEN} and (crossing.what <> 'down' or exists (
        select from ${ASKED} and ${READY} and not exists (
          select from notifications told where told.crossing_id = crossing.id and told.user_id = asked.user_id)
        ) or crossing.at < now() - interval '10 minutes')
      order by crossing.id`,
  );
  return rows.map(({ id }) => id);
}

/**
 * Inserts the notifications of the next users, by id, with an alert for a crossing, and the deliveries of each, if the
 * crossing is fresh. The unique key on crossing and user prevents duplicates.
 */
export async function alertPage(
  transaction: Db,
  crossingId: number,
  { after, limit }: { after: number; limit: number },
): Promise<Notified> {
  return selectRow<Notified>(
    transaction,
    `with page as (
       select asked.user_id, asked.ready, crossing.at >= now() - interval '${FRESH_S} seconds' as fresh
         from server_crossings crossing join servers server on server.number = crossing.server_number
         cross join lateral (select user_id, ${READY} as ready from ${ASKED} and asked.user_id > :after order by user_id limit :limit) asked
        where crossing.id = :crossingId and ${OPEN}),
     reader as (
       select users.id as user_id from users join page on users.id = page.user_id where page.ready
        order by users.id for key share of users skip locked),
     notification as (
       insert into notifications (user_id, crossing_id) select user_id, :crossingId from reader
       on conflict on constraint notifications_of_crossing do nothing
       returning id, user_id),
     ${newDeliveries(ALERT_WAYS, "exists (select from page where fresh)")}
     select (select count(*) from page) as users, (select max(user_id) from page) as last,
            (select count(*) from page) - (select count(*) from reader) as skipped,
            (select count(*) from notification) as notifications,
            ${LIST_DELIVERIES} as deliveries`,
    { crossingId, after, limit },
  );
}

/** Marks that every user with an alert for a crossing has been notified. */
export async function markAlerted(transaction: Db, crossingId: number): Promise<void> {
  await transaction("server_crossings")
    .where({ id: crossingId })
    .whereNull("alerted_at")
    .update({ alerted_at: transaction.fn.now() });
}
