import type { Knex } from "knex";
import type { Db } from "../db/connect.ts";
import { selectRow, selectRows } from "../db/rows.ts";
import { addRetryJobs, type NewDelivery } from "./deliveries-queries.ts";

/** So many dead deliveries are listed, the newest first. */
export const DEAD_LISTED = 200;

export type DeliveryState = "waiting" | "sent" | "dropped" | "dead";

/** How many deliveries of a channel are in each state. */
export type DeliveryCounts = { channel: string } & Record<DeliveryState, number>;

/** A delivery that was given up. */
export interface DeadDelivery {
  readonly id: number;
  readonly channel: string;
  readonly user_name: string;
  readonly item_name: string;
  /** The item's names by language; null where the shop has it no more. */
  readonly item_names: Record<string, string> | null;
  readonly item_key: string | null;
  readonly attempts: number;
  /** What the other side said the last time. */
  readonly reason: string | null;
  readonly settled_at: Date;
  /** Nobody is to be told of its discount any more. */
  readonly is_over: boolean;
}

/** Deliveries by channel and state, of the notifications that are kept; channels without any are left out. */
export async function countDeliveries(db: Db): Promise<DeliveryCounts[]> {
  return selectRows(
    db,
    `
    select channel,
           (count(*) filter (where state = 'waiting'))::int as waiting, (count(*) filter (where state = 'sent'))::int as sent,
           (count(*) filter (where state = 'dropped'))::int as dropped, (count(*) filter (where state = 'dead'))::int as dead
      from deliveries group by channel order by channel`,
  );
}

/** How many deliveries were given up. */
export async function countDead(db: Db): Promise<number> {
  const row = await selectRow<{ count: number }>(
    db,
    "select count(*)::int as count from deliveries where state = 'dead'",
  );
  return row.count;
}

/** The deliveries that were given up last. */
export async function listDead(db: Db): Promise<DeadDelivery[]> {
  return db("deliveries as delivery")
    .join("notifications as notification", "notification.id", "delivery.notification_id")
    .join("users", "users.id", "delivery.user_id")
    .leftJoin("donate_items as item", "item.id", "notification.item_key")
    .leftJoin("discounts as discount", (join) =>
      join.on("discount.id", "notification.discount_id").on("discount.run", "notification.run"),
    )
    .where("delivery.state", "dead")
    .orderBy([
      { column: "delivery.settled_at", order: "desc" },
      { column: "delivery.id", order: "desc" },
    ])
    .limit(DEAD_LISTED)
    .select("delivery.id", "delivery.channel", "delivery.attempts", "delivery.reason", "delivery.settled_at")
    .select(
      "users.name as user_name",
      "notification.item_name",
      "item.names as item_names",
      "notification.item_key",
    )
    .select(db.raw("discount.id is null or coalesce(discount.ends_at <= now(), false) as is_over"));
}

/** Sends a delivery that was given up on its way again, with all its attempts; or all of them. Resolves to how many. */
export async function retryDead(db: Knex, id?: number): Promise<number> {
  return db.transaction(async (transaction) => {
    const dead = transaction("deliveries").where({ state: "dead" });
    if (id !== undefined) dead.where({ id });
    const revived: Pick<NewDelivery, "id" | "user_id" | "channel">[] = await dead
      .update({ state: "waiting", attempts: 0, reason: null, settled_at: null })
      .returning(["id", "user_id", "channel"]);
    await addRetryJobs(transaction, revived);
    return revived.length;
  });
}

/** Ends a delivery that was given up: it is not listed any more. Resolves to how many: none where it was not dead. */
export async function discardDead(db: Db, id: number): Promise<number> {
  return db("deliveries")
    .where({ id, state: "dead" })
    .update({
      state: "dropped",
      reason: db.raw("'discarded by an operator' || coalesce('; ' || reason, '')"),
      settled_at: db.fn.now(),
    });
}
