import type { Db } from "../db/connect.ts";
import { countRows } from "../db/rows.ts";
import { NOTIFICATIONS_LISTED } from "./inbox-queries.ts";

/**
 * Removes the notifications past the newest of each user that are listed; resolves to how many. Those of the last run
 * of a discount stay until a week after its end: without them its user would be told again, should it get a later end
 * or, removed by mistake, be there again.
 */
export async function removeOldNotifications(db: Db): Promise<number> {
  return countRows(
    db,
    `delete from notifications where id in (
       select n.id
       from (select id, discount_id, run, row_number() over (partition by user_id order by created_at desc, id desc) as place
             from notifications) n
         left join discount_runs known on known.discount_id = n.discount_id and known.run = n.run
       where n.place > ? and (known.run is null or known.ends_at < now() - interval '7 days'))`,
    [NOTIFICATIONS_LISTED],
  );
}
