import type { Knex } from "knex";
import type { DueDelivery } from "../../src/notifications/channels/channel.ts";

let made = 0;

/**
 * A notification as telling makes it, of a discount of its own that began an hour ago and has no end, unless told.
 * Resolves to the notification's id and the discount's.
 */
export async function addNotification(
  db: Knex,
  userId: number,
  itemKey: string,
  columns: Record<string, unknown> = {},
): Promise<{ id: number; discountId: string }> {
  made += 1;
  const discountId = `discount ${made}`;
  const starts_at = db.raw("now() - interval '1 hour'");
  await db("discounts").insert({ id: discountId, item_key: itemKey, percent: "25", starts_at });
  const row = {
    user_id: userId,
    discount_id: discountId,
    item_key: itemKey,
    item_name: `Shop ${itemKey}`,
    old_price: "100.00",
    new_price: "75.00",
    currency: "EUR",
    // Rows of one transaction would be of one moment; those of tests come one after the other.
    created_at: db.raw("clock_timestamp()"),
    ...columns,
  };
  const [notification] = await db("notifications").insert(row).returning("id");
  return { id: notification.id, discountId };
}

/** A notification as its sender gets it: of a price that fell, without end or title, unless told. */
export function dueNotification(told: Partial<DueDelivery["notification"]>): DueDelivery["notification"] {
  return {
    id: 7,
    itemKey: "vip/gold",
    itemName: "VIP Gold",
    itemNames: {},
    picture: null,
    image: null,
    title: null,
    titles: {},
    isRegular: false,
    low: null,
    wish: null,
    oldPrice: "100.00",
    newPrice: "66.70",
    currency: "EUR",
    endsAt: null,
    ...told,
  };
}
