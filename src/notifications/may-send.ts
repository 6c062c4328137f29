import { comparePrices, type DiscountTerms, loweredPrice } from "../records/prices/prices.ts";
import { ALERT_ENDED, type ServerAlert } from "./alerts/alert.ts";
import type { DiscountNotification, DueDelivery } from "./channels/channel.ts";

/** A waiting delivery with the current state of everything that it depends on. */
export interface WaitingDelivery extends Omit<DueDelivery, "notification"> {
  readonly attempts: number;
  readonly createdAt: Date;
  readonly notificationId: number;
  /** True if the user still wants this channel. */
  readonly wanted: boolean;
  /** Whether the channel sends mail and the user has no confirmed address. */
  readonly unreachable: boolean;
  /** Why nobody is to be notified any more; null if the discount is running or coming, or the alert is still true. */
  readonly ended: string | null;
  /** Null if the notification is about a discount. */
  readonly alert: ServerAlert | null;
  /** Null if the discount or its item was removed, or its record has begun a new run. */
  readonly offer: WaitingOffer | null;
  readonly startsAt: Date;
  readonly started: boolean;
}

/** The current cost of an item, and the cost in its notification. The terms are both null without a discount. */
interface WaitingOffer
  extends Omit<DiscountNotification, "id" | "oldPrice" | "newPrice" | "isRegular" | "titles">,
    DiscountTerms {
  /** Null without a discount, as the title is. */
  readonly titles: Record<string, string> | null;
  /** The current regular price; null if none is set. */
  readonly itemPrice: string | null;
  /** The prices of the notification. */
  readonly toldOldPrice: string | null;
  readonly toldPrice: string;
}

/**
 * SQL of `ended`, over a row `notification`, a left-joined `discount` of its run, and JOIN_ALERT. A notification with
 * neither is about a regular price that fell.
 */
export const ENDED = `case when notification.crossing_id is not null then ${ALERT_ENDED}
  when exists (select from donate_items where id = notification.item_key and currency <> notification.currency)
    then 'the item''s currency changed'
  when notification.discount_id is null then
    case when notification.item_key is null then 'the item was removed' end
  when discount.id is null then 'the discount was withdrawn'
  when discount.ends_at <= now() then 'the discount is over' end`;

/**
 * Whether a delivery may still be sent, by any channel: what to send, or the reason why not. A postponed discount
 * passes; check `started`.
 */
export function maySend(delivery: WaitingDelivery): DueDelivery | string {
  const { id, channel, user, subscription } = delivery;
  if (delivery.ended !== null) return delivery.ended;
  const notification = findContent(delivery);
  if (typeof notification === "string") return notification;
  if (!delivery.wanted) return "the user switched this channel off, or was disabled";
  if (delivery.unreachable) return "the user has no confirmed address any more";
  return { id, channel, user, subscription, notification };
}

function findContent({
  notificationId,
  alert,
  offer,
}: WaitingDelivery): DueDelivery["notification"] | string {
  if (alert !== null) return { id: notificationId, alert };
  if (offer === null) return "the discount was withdrawn";
  const { percent, price, itemPrice, toldOldPrice, toldPrice, low, ...shown } = offer;
  const isRegular = percent === null && price === null;
  const newPrice = isRegular
    ? itemPrice
    : loweredPrice({ price: itemPrice, currency: offer.currency }, offer);
  if (newPrice === null) return "the discount does not lower the price any more";
  if (offer.wish !== null && comparePrices(newPrice, offer.wish) > 0)
    return "the price is above the wish again";
  return {
    id: notificationId,
    ...shown,
    titles: offer.titles ?? {},
    oldPrice: isRegular ? toldOldPrice : itemPrice,
    newPrice,
    isRegular,
    // The low was computed for the announced price only.
    low: comparePrices(newPrice, toldPrice) === 0 ? low : null,
  };
}
