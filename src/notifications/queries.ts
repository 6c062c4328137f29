import type { Db } from "../db/connect.ts";
import { NOTICES_LISTED } from "./inbox-queries.ts";

/**
 * Removes the notices past the newest of each user that are listed; resolves to how many. Those of a discount that is
 * not over stay: without them its user would be told again.
 */
export async function removeOldNotices(db: Db): Promise<number> {
  const { rowCount } = await db.raw(
    `delete from notifications where id in (
       select n.id
       from (select id, discount_id, run, row_number() over (partition by user_id order by created_at desc, id desc) as place
             from notifications) n
         left join discounts d on d.id = n.discount_id and d.run = n.run
       where n.place > ? and (d.id is null or d.ends_at <= now()))`,
    [NOTICES_LISTED],
  );
  return rowCount;
}
