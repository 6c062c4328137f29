import { type DiscountTerms, loweredPrice } from "../prices/prices.ts";
import type { DueDelivery } from "./channels/channel.ts";

/** A waiting delivery with everything it depends on as it is now. */
export interface WaitingDelivery extends Omit<DueDelivery, "notification"> {
  readonly attempts: number;
  readonly notificationId: number;
  /** Whether the user still asks for this channel. */
  readonly wanted: boolean;
  /** The channel sends mail and the user has no confirmed address. */
  readonly unreachable: boolean;
  /** Why nobody is to be notified any more; null: the discount is running or coming. */
  readonly ended: string | null;
  /** null: the discount or its item was removed, or its record has begun a new run. */
  readonly offer: (Omit<DueDelivery["notification"], "id" | "newPrice"> & DiscountTerms) | null;
  readonly startsAt: Date;
  readonly started: boolean;
}

/** SQL of `ended`, over a left-joined `discount` of the notification's run. */
export const ENDED = `case when discount.id is null then 'the discount was withdrawn'
  when discount.ends_at <= now() then 'the discount is over' end`;

/**
 * Whether a delivery may still be sent, by any channel: what to send, or the reason why not. A discount that was put off
 * passes; check `started`.
 */
export function maySend(delivery: WaitingDelivery): DueDelivery | string {
  const { id, channel, user, subscription, offer } = delivery;
  if (delivery.ended !== null) return delivery.ended;
  if (offer === null) return "the discount was withdrawn";
  const newPrice = loweredPrice({ price: offer.oldPrice, currency: offer.currency }, offer);
  if (newPrice === null) return "the discount does not lower the price any more";
  if (!delivery.wanted) return "the user switched this channel off";
  if (delivery.unreachable) return "the user has no confirmed address any more";
  const { percent: _percent, price: _price, ...notification } = offer;
  return {
    id,
    channel,
    user,
    subscription,
    notification: { id: delivery.notificationId, ...notification, newPrice },
  };
}
