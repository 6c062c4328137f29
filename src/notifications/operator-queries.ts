import type { Db } from "../db/connect.ts";
import { selectRow, selectRows } from "../db/rows.ts";
import { JOIN_ALERT } from "./alerts/alert.ts";
import type { DeliveryState } from "./channels/channel.ts";
import { ENDED } from "./may-send.ts";
import type { ListedDelivery } from "./webhooks/queries.ts";

export const DEAD_LISTED = 200;

export type DeliveryCounts = { channel: string } & Record<DeliveryState, number>;

/** A delivery that failed for good. */
export interface DeadDelivery {
  readonly id: number;
  readonly channel: string;
  /** Null for a webhook of the site. */
  readonly user_name: string | null;
  readonly attempts: number;
  /** The last error. */
  readonly reason: string | null;
  readonly settled_at: Date;
  /** Whether the discount is over or withdrawn, or the alert is outdated. */
  readonly is_over: boolean;
  /** Null for a server, or for a webhook's message. */
  readonly item_name: string | null;
  readonly server_id: string | null;
  readonly server_name: string | null;
  /** The item's names by language; null if it was removed. */
  readonly item_names: Record<string, string> | null;
  readonly item_key: string | null;
  /** A webhook's message; null for a notification. */
  readonly message: (Pick<ListedDelivery, "type" | "count" | "kind"> & { readonly to: string }) | null;
}

/** Deliveries by channel and state; channels without any are left out. */
export async function countDeliveries(db: Db): Promise<DeliveryCounts[]> {
  return selectRows(
    db,
    `select channel,
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

/** The latest deliveries that failed for good, by any channel. */
export async function listDead(db: Db): Promise<DeadDelivery[]> {
  return selectRows(
    db,
    `select delivery.id, delivery.channel, users.name as user_name, delivery.attempts, delivery.reason,
            delivery.settled_at, notification.id is not null and ${ENDED} is not null as is_over,
            notification.item_name, item.names as item_names, notification.item_key,
            server.id as server_id, server.name as server_name,
            case when event.id is not null then json_build_object('to', hook.name, 'type', event.type,
              'count', event.data -> 'count', 'kind', event.data -> 'kind') end as message
       from deliveries delivery
         left join users on users.id = delivery.user_id
         left join notifications notification on notification.id = delivery.notification_id
         left join donate_items item on item.id = notification.item_key
         left join discounts discount
           on discount.id = notification.discount_id and discount.run = notification.run
         ${JOIN_ALERT}
         left join webhooks hook on hook.id = delivery.webhook_id
         left join webhook_events event on event.id = delivery.event_id
      where delivery.state = 'dead'
      order by delivery.settled_at desc, delivery.id desc limit ${DEAD_LISTED}`,
  );
}
