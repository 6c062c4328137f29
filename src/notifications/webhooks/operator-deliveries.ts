import type { Db } from "../../db/connect.ts";
import { selectRow, selectRows } from "../../db/rows.ts";
import type { Locale } from "../../web/request/locale.ts";
import { DEAD_LISTED, type DeliveryState } from "../operator-queries.ts";
import type { OtherDeliveries } from "../other-deliveries.ts";
import { discardDeadWebhook, retryDeadWebhooks } from "./deliveries-queries.ts";
import type { Format, ListedDelivery } from "./queries.ts";
import { eventText, reasonText } from "./shown.ts";

/** Deliveries to webhooks, for the operators' page of deliveries. */
export const webhookDeliveries: OtherDeliveries = {
  async count(db, { t }) {
    const labels: Record<Format, string> = { discord: "Discord", signed: t("webhooks.delivery.signed") };
    const rows = await selectRows<{ format: Format } & Record<DeliveryState, number>>(
      db,
      `select hook.format,
              (count(*) filter (where delivery.state = 'waiting'))::int as waiting,
              (count(*) filter (where delivery.state = 'sent'))::int as sent,
              (count(*) filter (where delivery.state = 'dropped'))::int as dropped,
              (count(*) filter (where delivery.state = 'dead'))::int as dead
         from webhook_deliveries delivery join webhooks hook on hook.id = delivery.webhook_id
        group by hook.format order by hook.format`,
    );
    return rows.map(({ format, ...counts }) => ({ label: labels[format], ...counts }));
  },
  async listDead(db, locale) {
    const rows = await selectRows<DeadRow>(
      db,
      `select delivery.id, event.type, (event.data ->> 'count')::int as count, event.data ->> 'kind' as kind,
              hook.name, users.name as user_name, delivery.attempts, delivery.reason, delivery.settled_at
         from webhook_deliveries delivery join webhook_events event on event.id = delivery.event_id
           join webhooks hook on hook.id = delivery.webhook_id left join users on users.id = hook.user_id
        where delivery.state = 'dead' order by delivery.settled_at desc, delivery.id desc limit ${DEAD_LISTED}`,
    );
    return rows.map(({ id, name, user_name, attempts, reason, settled_at, ...event }) => ({
      id,
      what: eventText(event, locale),
      to: receiverText(name, user_name, locale),
      attempts,
      reason: reasonText(reason, locale.t),
      settledAt: settled_at,
    }));
  },
  retryDead: retryDeadWebhooks,
  discardDead: discardDeadWebhook,
};

type DeadRow = Pick<ListedDelivery, "id" | "type" | "count" | "kind" | "attempts" | "reason"> & {
  readonly name: string;
  /** null: a webhook of the site. */
  readonly user_name: string | null;
  readonly settled_at: Date;
};

function receiverText(name: string, user: string | null, { t }: Locale): string {
  return user === null ? t("webhooks.delivery.to_site", { name }) : t("webhooks.delivery.to", { name, user });
}

/** Deliveries to webhooks that were given up, and webhooks of the site that were switched off after failures. */
export async function countWebhookTroubles(db: Db): Promise<{ dead: number; stopped: number }> {
  return selectRow(
    db,
    `select (select count(*)::int from webhook_deliveries where state = 'dead') as dead,
            (select count(*)::int from webhooks where user_id is null and state = 'failed') as stopped`,
  );
}
