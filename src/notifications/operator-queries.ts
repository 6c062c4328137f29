import type { Knex } from "knex";
import type { Db } from "../db/connect.ts";
import { selectRow, selectRows } from "../db/rows.ts";
import { JOIN_ALERT } from "./alerts/alert.ts";
import { addRetryJobs, type NewDelivery } from "./deliveries-queries.ts";
import { ENDED } from "./may-send.ts";

export const DEAD_LISTED = 200;

export type DeliveryState = "waiting" | "sent" | "dropped" | "dead";

export type DeliveryCounts = { channel: string } & Record<DeliveryState, number>;

/** A delivery that was given up. */
export interface DeadDelivery {
  readonly id: number;
  readonly channel: string;
  readonly user_name: string;
  /** null: it is about a server. */
  readonly item_name: string | null;
  readonly server_id: string | null;
  readonly server_name: string | null;
  /** The item's names by language; null where it was removed. */
  readonly item_names: Record<string, string> | null;
  readonly item_key: string | null;
  readonly attempts: number;
  /** The last error. */
  readonly reason: string | null;
  readonly settled_at: Date;
  /** The discount is over or withdrawn, or the alert no news any more. */
  readonly is_over: boolean;
}

/** Deliveries by channel and state; channels without any are left out. */
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

export async function countDead(db: Db): Promise<number> {
  const row = await selectRow<{ count: number }>(
    db,
    "select count(*)::int as count from deliveries where state = 'dead'",
  );
  return row.count;
}

export async function listDead(db: Db): Promise<DeadDelivery[]> {
  return db("deliveries as delivery")
    .join("notifications as notification", "notification.id", "delivery.notification_id")
    .join("users", "users.id", "delivery.user_id")
    .leftJoin("donate_items as item", "item.id", "notification.item_key")
    .leftJoin("discounts as discount", (join) =>
      join.on("discount.id", "notification.discount_id").on("discount.run", "notification.run"),
    )
    .joinRaw(JOIN_ALERT)
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
      "server.id as server_id",
      "server.name as server_name",
    )
    .select(db.raw(`${ENDED} is not null as is_over`));
}

/** Makes one dead delivery, or all, wait again with all attempts. Resolves to how many. */
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

/** Drops a dead delivery. Resolves to how many: 0 where it was not dead. */
export async function discardDead(db: Db, id: number): Promise<number> {
  return db("deliveries")
    .where({ id, state: "dead" })
    .update({
      state: "dropped",
      reason: db.raw("'discarded by an operator' || coalesce('; ' || reason, '')"),
      settled_at: db.fn.now(),
    });
}
